package claim

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// Matcher fills in what a matcher in the argument of a chain claims: Equal(y), is(not(y)), isA<X>(), or a value.
func (x *Reader) Matcher(a *Assert, s [2]int, not bool) {
	f := x.F
	s = x.Trim(s)
	for n := 0; n < 5; n++ {
		if f.Is(s[0], "const") || f.Is(s[0], "new") {
			s[0]++
		}
		i := s[0]
		for (f.Is(i+1, ".") || f.Is(i+1, "::")) && f.Kind(i+2) == source.Name && i+2 < s[1] {
			i += 2
		}
		j := x.Generic(i + 1)
		if f.Kind(i) != source.Name || !f.Is(j, "(") {
			if f.Kind(i) == source.Name && i == s[1]-1 && (bareMatcher(f.Text(i))) {
				x.Named(a, f.Text(i), nil, not)
				if f.Is(i, "anything") {
					a.Trivial = !not
				}
				return
			}
			break
		}
		args := x.Args(j)
		name := f.Text(i)
		switch name {
		case "not", "isNot", "Not":
			if len(args) == 1 {
				not, s = !not, x.Trim(args[0])
				continue
			}
		case "is", "Is", "describedAs":
			if len(args) == 1 && f.Lang != source.Go {
				s = x.Trim(args[0])
				continue
			}
		}
		if k, _ := KindOf(name); k == unknown && !strings.HasPrefix(name, "is") && !strings.HasPrefix(name, "has") && !(f.Lang == source.Go && name != strings.ToLower(name[:1])+name[1:]) {
			break
		}
		x.Named(a, name, args, not)
		return
	}
	a.Matcher = "equals"
	if not {
		a.Matcher = "not.equals"
	}
	x.Claim(a, "equals", [][2]int{s}, not)
}

// bareMatcher reports whether a name without a call is a matcher, as in Dart.
func bareMatcher(name string) bool {
	k, _ := KindOf(name)
	return k != unknown && (strings.HasPrefix(name, "is") || strings.HasPrefix(name, "throws") || strings.HasPrefix(name, "finds") || name == "anything" || name == "completes" || name == "emitsDone" ||
		strings.HasPrefix(name, "returns"))
}

func (x *Reader) Named(a *Assert, name string, args [][2]int, not bool) {
	a.Matcher = name
	if not {
		a.Matcher = "not." + name
	}
	x.Claim(a, name, args, not)
}

// Helper reports whether a name says that its function asserts.
func Helper(w string) bool {
	w = strings.TrimLeft(w, "_$")
	for _, p := range [...]string{"assert", "expect", "verify", "check", "ensure", "refute", "require", "must", "want", "compare", "equal", "is", "eq"} {
		if len(w) < len(p) || !strings.EqualFold(w[:len(p)], p) {
			continue
		}
		rest := w[len(p):]
		if p == "is" || p == "eq" || p == "want" || p == "must" || p == "equal" || p == "compare" {
			return rest == "" && p != "is" || rest != "" && (rest[0] < 'a' || rest[0] > 'z')
		}
		if rest == "" || p == "assert" || rest[0] < 'a' || rest[0] > 'z' {
			return true
		}
	}
	return false
}

// Positional leaves out named arguments behind the first two.
func (x *Reader) Positional(args [][2]int) [][2]int {
	out := args[:0:0]
	for _, p := range args {
		if x.F.Kind(p[0]) == source.Name && (x.F.Is(p[0]+1, "=") || x.F.Is(p[0]+1, ":") && x.F.Lang != source.Python) && p[1] > p[0]+2 {
			switch x.F.Text(p[0]) {
			case "msg", "message", "err_msg", "reason", "delta", "places", "rtol", "atol", "verbose", "file", "line", "skip":
				continue
			}
			p[0] += 2
		}
		out = append(out, p)
	}
	return out
}

// Dotted is the callee whose last name is token i, its receiver only where that is a plain name.
func (x *Reader) Dotted(from, i int) string {
	f := x.F
	if f.Is(i-1, ".") && f.Kind(i-2) == source.Name && !x.Closes(i-2) {
		if f.Is(i-3, ".") && f.Kind(i-4) == source.Name && i-4 >= from {
			return f.Text(i-4) + "." + f.Text(i-2) + "." + f.Text(i)
		}
		return f.Text(i-2) + "." + f.Text(i)
	}
	return f.Text(i)
}

// Links fills in the matchers of a chain.
func (x *Reader) Links(a *Assert, links []expr.Link) {
	f := x.F
	var names []string
	not, claimed := false, false
	looked := a.Looked
	for n, l := range links {
		name := f.Text(l.At)
		switch name {
		case "not", "never":
			not = true
			continue
		case "with", "and", "be", "been", "is", "that", "which", "has", "have", "at", "of", "does", "still", "also", "to", "deep", "nested", "own", "any", "all", "an", "a", "resolves", "rejects", "itself", "eventually", "ordered":
			if l.Open < 0 {
				if name == "resolves" || name == "rejects" || name == "to" || name == "deep" || name == "be" || name == "eventually" {
					names = append(names, name)
				}
				continue
			}
		case "then", "catch", "finally", "withContext", "because":
			continue
		}
		names = append(names, name)
		if l.Open < 0 {
			if strings.HasPrefix(name, "to") && len(name) > 2 && name[2] < 'a' && n == len(links)-1 { // toBe without a call never runs
				a.Trivial = true
				continue
			}
		}
		var args [][2]int
		if l.Open >= 0 {
			args = x.Args(l.Open)
		}
		a.Looked = looked
		trivial := a.Trivial
		x.Claim(a, name, args, not)
		a.Trivial = a.Trivial && (trivial || !claimed)
		claimed = true
		if name == "rejectedWith" || name == "fulfilled" || name == "rejected" {
			a.Strength = max(a.Strength, Presence)
		}
	}
	a.Matcher = strings.Join(names, ".")
	if not {
		a.Matcher = "not." + a.Matcher
	}
	if a.Strength == Unknown && len(links) > 0 {
		a.Strength = Unknown
	}
}
