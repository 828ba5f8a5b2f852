package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/claim"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// dart finds expect, verify and what flutter_test, mocktail and bloc_test add.
func (x *Finder) dart(i int) (claim.Assert, bool) {
	f := x.F
	w := f.Text(i)
	open := x.Generic(i + 1)
	if !f.Is(open, "(") {
		if (w == "expect" || w == "errors" || w == "verify") && f.Is(i+1, ":") && (f.Is(i-1, ",") || f.Is(i-1, "(")) {
			return x.blocTest(i)
		}
		if w == "check" && f.Is(open, "(") {
			return claim.Assert{}, false
		}
		return claim.Assert{}, false
	}
	if f.Is(i-1, "void") || f.Is(i-1, ">") && !f.Is(i-1, "=>") || f.Is(i-1, "new") {
		return claim.Assert{}, false
	}
	from, awaited := x.Start(i)
	a := claim.Assert{From: from, At: i, Awaited: awaited, Callee: w}
	links, end := x.Chain(x.Closing(open) + 1)
	a.To = x.Semicolon(end)
	args := x.Args(open)
	switch w {
	case "expect", "expectLater", "expectAsync_":
		if f.Is(i-1, ".") {
			return claim.Assert{}, false
		}
		args = x.unnamed(args)
		if len(args) > 0 {
			a.Looked = args[0]
		}
		if len(args) > 1 {
			x.Matcher(&a, args[1], false)
		}
		return a, true
	case "verify", "verifyNever", "verifyInOrder", "verifyNoMoreInteractions", "verifyZeroInteractions", "untilCalled":
		if f.Is(i-1, ".") || w == "untilCalled" {
			return claim.Assert{}, false
		}
		if len(args) > 0 {
			a.Looked = args[0]
		}
		a.Strength = claim.Presence
		if w != "verify" {
			a.Strength = claim.Exact
		}
		x.verified(&a, links)
		return a, true
	case "fail":
		if f.Is(i-1, ".") {
			return claim.Assert{}, false
		}
		return a, true
	case "check": // package:checks
		if f.Is(i-1, ".") || len(links) == 0 {
			return claim.Assert{}, false
		}
		if len(args) > 0 {
			a.Looked = args[0]
		}
		x.Links(&a, links)
		return a, true
	case "throwIfUnexpected":
		return claim.Assert{}, false
	}
	if claim.Helper(w) && !strings.HasPrefix(w, "is") && !strings.HasPrefix(w, "must") && !strings.HasPrefix(w, "require") && !strings.HasPrefix(w, "check") && !strings.HasPrefix(w, "compare") && w != "assert" &&
		!strings.HasPrefix(w, "equal") && !strings.HasPrefix(w, "want") && !strings.HasPrefix(w, "should") && (!f.Is(i-1, ".") || strings.HasPrefix(w, "expect")) && !strings.HasPrefix(w, "expectAsync") {
		x.Fill(&a, w, x.unnamed(args), false)
		return a, true
	}
	if w == "assert" && !f.Is(i-1, ".") && len(args) > 0 {
		x.Condition(&a, args[0], true)
		return a, true
	}
	return claim.Assert{}, false
}

// unnamed leaves out named arguments.
func (x *Finder) unnamed(args [][2]int) [][2]int {
	out := args[:0:0]
	for _, p := range args {
		if x.F.Kind(p[0]) == source.Name && x.F.Is(p[0]+1, ":") {
			continue
		}
		out = append(out, p)
	}
	return out
}

// verified fills in .called(n), times(n) and the like.
func (x *Finder) verified(a *claim.Assert, links []expr.Link) {
	for _, l := range links {
		if l.Open < 0 {
			continue
		}
		a.Matcher = x.F.Text(l.At)
		if args := x.Args(l.Open); len(args) > 0 {
			a.Wanted = args[0]
			a.Strength = claim.Exact
		}
	}
}

// blocTest reads `expect: () => [...]` among the arguments of blocTest.
func (x *Finder) blocTest(i int) (claim.Assert, bool) {
	f := x.F
	end := i + 2
	for end < len(f.Tokens) && !f.Is(end, ",") && !x.Closes(end) {
		end = max(end, min(x.Closing(end), len(f.Tokens)-1)) + 1
	}
	a := claim.Assert{From: i, At: i, To: min(end, len(f.Tokens)), Callee: f.Text(i) + ":", Strength: claim.Exact}
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
