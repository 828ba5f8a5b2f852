package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/units/claim"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// python finds assert statements, unittest, pytest and mock.
func (x *Finder) python(i int) (claim.Assert, bool) {
	f := x.F
	w := f.Text(i)
	if w == "assert" && !f.Is(i-1, ".") && !f.Is(i+1, "=") && !f.Is(i-1, "def") {
		return x.pythonAssert(i), true
	}
	if !f.Is(i+1, "(") || f.Is(i-1, "def") || f.Is(i-1, "class") {
		return claim.Assert{}, false
	}
	raising := w == "raises" || w == "warns" || w == "deprecated_call" || w == "RaisesGroup" || w == "RaisesExc"
	switch {
	case raising:
	case w == "fail" && f.Is(i-1, "."):
	case claim.Helper(w) && w != "verify" && w != "check" && w != "ensure" && w != "expect" && !strings.HasPrefix(w, "must") && !strings.HasPrefix(w, "is") && !strings.HasPrefix(w, "want") &&
		!strings.HasPrefix(w, "compare") && !strings.HasPrefix(w, "require") && !strings.HasPrefix(w, "eq"):
	default:
		return claim.Assert{}, false
	}
	from, awaited := x.Start(i)
	a := claim.Assert{From: from, At: i, To: x.Closing(i+1) + 1, Awaited: awaited, Callee: x.Dotted(from, i)}
	if _, end := x.Chain(a.To); end > a.To && !raising {
		a.To = end
	}
	a.To = x.Semicolon(a.To)
	args := x.Args(i + 1)
	lower := strings.ToLower(w)
	switch {
	case raising || strings.HasPrefix(lower, "assertraises") || strings.HasPrefix(lower, "assertwarns") || strings.HasPrefix(lower, "assertlogs"):
		x.pythonRaises(&a, i, args)
	case strings.HasPrefix(w, "assert_called") || strings.HasPrefix(w, "assert_not_called") || strings.HasPrefix(w, "assert_has_calls") || strings.HasPrefix(w, "assert_any_call") ||
		strings.Contains(w, "await"):
		a.Callee = w
		if i-1 > from {
			a.Looked = [2]int{from, i - 1}
			for f.Is(a.Looked[0], "await") {
				a.Looked[0]++
			}
		}
		if len(args) > 0 {
			a.Wanted = [2]int{args[0][0], args[len(args)-1][1]}
		}
		k, negated := claim.KindOf(w)
		a.Strength = claim.StrengthOf(k, negated, len(args))
	default:
		x.Fill(&a, w, x.Positional(args), false)
	}
	return a, true
}

func (x *Finder) pythonAssert(i int) claim.Assert {
	f := x.F
	end, comma := i+1, -1
	for end < len(f.Tokens) && !f.Is(end, ";") {
		if f.Tokens[end].First && end > i+1 && !x.Closes(end) {
			break
		}
		if f.Is(end, ",") && comma < 0 {
			comma = end
		}
		if f.Is(end, "lambda") { // its colon and commas
			for end+1 < len(f.Tokens) && !f.Is(end+1, ":") && !f.Tokens[end+1].First {
				end++
			}
		}
		end = max(end, min(x.Closing(end), len(f.Tokens)-1)) + 1
	}
	a := claim.Assert{From: i, At: i, To: x.Semicolon(min(end, len(f.Tokens))), Callee: "assert"}
	s := [2]int{i + 1, min(end, len(f.Tokens))}
	if comma > 0 {
		s[1] = comma
	}
	if s[1] <= s[0] {
		return a
	}
	if f.Is(s[0], "(") && x.Closing(s[0]) == s[1]-1 && len(x.Args(s[0])) > 1 { // a tuple is always true
		a.Trivial, a.Looked, a.Strength = true, s, claim.Presence
		return a
	}
	x.Condition(&a, s, true)
	return a
}

// pythonRaises fills in raises and its kin, as a call or as the head of a with.
func (x *Finder) pythonRaises(a *claim.Assert, i int, args [][2]int) {
	f := x.F
	a.Strength = claim.Presence
	pattern := false
	for n, p := range args {
		if f.Is(p[0]+1, "=") && (f.Is(p[0], "match") || f.Is(p[0], "check")) {
			pattern = pattern || !x.AcceptsAll([2]int{p[0] + 2, p[1]})
			continue
		}
		if n == 0 {
			a.Wanted = p
		}
	}
	if len(args) > 0 && a.Wanted[1] > a.Wanted[0] && (!x.AnyFailure(a.Wanted) || pattern) {
		a.Strength = claim.Exact
	}
	k := a.From
	for n := 0; n < 60 && k > 0 && !f.Tokens[k].First; n++ {
		k--
		if x.Closes(k) {
			k = x.Opening(k)
		}
	}
	if f.Is(k, "async") {
		k++
	}
	if !f.Is(k, "with") {
		if len(args) > 1 {
			a.Looked = [2]int{args[1][0], args[len(args)-1][1]}
		}
		return
	}
	colon := a.To
	for colon < min(a.To+60, len(f.Tokens)) && !f.Is(colon, ":") {
		colon = max(colon, min(x.Closing(colon), len(f.Tokens)-1)) + 1
	}
	if !f.Is(colon, ":") {
		return
	}
	if len(args) > 0 {
		a.Expected = x.Norm([2]int{args[0][0], args[len(args)-1][1]})
	}
	if f.Is(k-1, "async") {
		a.From = k - 1
	} else {
		a.From = k
	}
	a.To = colon + 1
	body := colon + 1
	for body < min(colon+expr.Longest/2, len(f.Tokens)) && (!f.Tokens[body].First || f.Tokens[body].Col > f.Tokens[a.From].Col) {
		body = max(body, min(x.Closing(body), len(f.Tokens)-1)) + 1
	}
	a.Looked = [2]int{colon + 1, min(body, len(f.Tokens))}
}
