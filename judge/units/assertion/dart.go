package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// dart finds expect, verify and what flutter_test, mocktail and bloc_test add.
func (x *finder) dart(i int) (Assert, bool) {
	f := x.f
	w := f.Text(i)
	open := x.generic(i + 1)
	if !f.Is(open, "(") {
		if (w == "expect" || w == "errors" || w == "verify") && f.Is(i+1, ":") && (f.Is(i-1, ",") || f.Is(i-1, "(")) {
			return x.blocTest(i)
		}
		if w == "check" && f.Is(open, "(") {
			return Assert{}, false
		}
		return Assert{}, false
	}
	if f.Is(i-1, "void") || f.Is(i-1, ">") && !f.Is(i-1, "=>") || f.Is(i-1, "new") {
		return Assert{}, false
	}
	from, awaited := x.start(i)
	a := Assert{From: from, At: i, Awaited: awaited, Callee: w}
	links, end := x.chain(x.closing(open) + 1)
	a.To = x.semicolon(end)
	args := x.args(open)
	switch w {
	case "expect", "expectLater", "expectAsync_":
		if f.Is(i-1, ".") {
			return Assert{}, false
		}
		args = x.unnamed(args)
		if len(args) > 0 {
			a.Looked = args[0]
		}
		if len(args) > 1 {
			x.matcher(&a, args[1], false)
		}
		return a, true
	case "verify", "verifyNever", "verifyInOrder", "verifyNoMoreInteractions", "verifyZeroInteractions", "untilCalled":
		if f.Is(i-1, ".") || w == "untilCalled" {
			return Assert{}, false
		}
		if len(args) > 0 {
			a.Looked = args[0]
		}
		a.Strength = Presence
		if w != "verify" {
			a.Strength = Exact
		}
		x.verified(&a, links)
		return a, true
	case "fail":
		if f.Is(i-1, ".") {
			return Assert{}, false
		}
		return a, true
	case "check": // package:checks
		if f.Is(i-1, ".") || len(links) == 0 {
			return Assert{}, false
		}
		if len(args) > 0 {
			a.Looked = args[0]
		}
		x.links(&a, links)
		return a, true
	case "throwIfUnexpected":
		return Assert{}, false
	}
	if helper(w) && !strings.HasPrefix(w, "is") && !strings.HasPrefix(w, "must") && !strings.HasPrefix(w, "require") && !strings.HasPrefix(w, "check") && !strings.HasPrefix(w, "compare") && w != "assert" &&
		!strings.HasPrefix(w, "equal") && !strings.HasPrefix(w, "want") && !strings.HasPrefix(w, "should") && (!f.Is(i-1, ".") || strings.HasPrefix(w, "expect")) && !strings.HasPrefix(w, "expectAsync") {
		x.fill(&a, w, x.unnamed(args), false)
		return a, true
	}
	if w == "assert" && f.Is(i-1, ".") == false && len(args) > 0 {
		x.condition(&a, args[0], true)
		return a, true
	}
	return Assert{}, false
}

// unnamed leaves out named arguments.
func (x *finder) unnamed(args [][2]int) [][2]int {
	out := args[:0:0]
	for _, p := range args {
		if x.f.Kind(p[0]) == source.Name && x.f.Is(p[0]+1, ":") {
			continue
		}
		out = append(out, p)
	}
	return out
}

// verified fills in .called(n), times(n) and the like.
func (x *finder) verified(a *Assert, links []link) {
	for _, l := range links {
		if l.open < 0 {
			continue
		}
		a.Matcher = x.f.Text(l.at)
		if args := x.args(l.open); len(args) > 0 {
			a.Wanted = args[0]
			a.Strength = Exact
		}
	}
}

// blocTest reads `expect: () => [...]` among the arguments of blocTest.
func (x *finder) blocTest(i int) (Assert, bool) {
	f := x.f
	end := i + 2
	for end < len(f.Tokens) && !f.Is(end, ",") && !x.closes(end) {
		end = max(end, min(x.closing(end), len(f.Tokens)-1)) + 1
	}
	a := Assert{From: i, At: i, To: min(end, len(f.Tokens)), Callee: f.Text(i) + ":", Strength: Exact}
	if f.Is(i, "verify") {
		return a, false // its statements are looked at one by one
	}
	for k := i + 2; k < end; k++ {
		if f.Is(k, "=>") {
			a.Wanted = [2]int{k + 1, min(end, len(f.Tokens))}
			break
		}
	}
	return a, true
}
