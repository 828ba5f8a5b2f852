package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// python finds assert statements, unittest, pytest and mock.
func (x *finder) python(i int) (Assert, bool) {
	f := x.f
	w := f.Text(i)
	if w == "assert" && !f.Is(i-1, ".") && !f.Is(i+1, "=") && !f.Is(i-1, "def") {
		return x.pythonAssert(i), true
	}
	if !f.Is(i+1, "(") || f.Is(i-1, "def") || f.Is(i-1, "class") {
		return Assert{}, false
	}
	raising := w == "raises" || w == "warns" || w == "deprecated_call" || w == "RaisesGroup" || w == "RaisesExc"
	switch {
	case raising:
	case w == "fail" && f.Is(i-1, "."):
	case helper(w) && w != "verify" && w != "check" && w != "ensure" && w != "expect" && !strings.HasPrefix(w, "must") && !strings.HasPrefix(w, "is") && !strings.HasPrefix(w, "want") &&
		!strings.HasPrefix(w, "compare") && !strings.HasPrefix(w, "require") && !strings.HasPrefix(w, "eq"):
	default:
		return Assert{}, false
	}
	from, awaited := x.start(i)
	a := Assert{From: from, At: i, To: x.closing(i+1) + 1, Awaited: awaited, Callee: x.dotted(from, i)}
	if _, end := x.chain(a.To); end > a.To && !raising {
		a.To = end
	}
	a.To = x.semicolon(a.To)
	args := x.args(i + 1)
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
		k, negated := kindOf(w)
		a.Strength = strengthOf(k, negated, len(args))
	default:
		x.fill(&a, w, x.positional(args), false)
	}
	return a, true
}

// dotted is the callee whose last name is token i, its receiver only where that is a plain name.
func (x *finder) dotted(from, i int) string {
	f := x.f
	if f.Is(i-1, ".") && f.Kind(i-2) == source.Name && !x.closes(i-2) {
		if f.Is(i-3, ".") && f.Kind(i-4) == source.Name && i-4 >= from {
			return f.Text(i-4) + "." + f.Text(i-2) + "." + f.Text(i)
		}
		return f.Text(i-2) + "." + f.Text(i)
	}
	return f.Text(i)
}

// positional leaves out named arguments behind the first two.
func (x *finder) positional(args [][2]int) [][2]int {
	out := args[:0:0]
	for _, p := range args {
		if x.f.Kind(p[0]) == source.Name && (x.f.Is(p[0]+1, "=") || x.f.Is(p[0]+1, ":") && x.f.Lang != source.Python) && p[1] > p[0]+2 {
			switch x.f.Text(p[0]) {
			case "msg", "message", "err_msg", "reason", "delta", "places", "rtol", "atol", "verbose", "file", "line", "skip":
				continue
			}
			p[0] += 2
		}
		out = append(out, p)
	}
	return out
}

func (x *finder) pythonAssert(i int) Assert {
	f := x.f
	end, comma := i+1, -1
	for end < len(f.Tokens) && !f.Is(end, ";") {
		if f.Tokens[end].First && end > i+1 && !x.closes(end) {
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
		end = max(end, min(x.closing(end), len(f.Tokens)-1)) + 1
	}
	a := Assert{From: i, At: i, To: x.semicolon(min(end, len(f.Tokens))), Callee: "assert"}
	s := [2]int{i + 1, min(end, len(f.Tokens))}
	if comma > 0 {
		s[1] = comma
	}
	if s[1] <= s[0] {
		return a
	}
	if f.Is(s[0], "(") && x.closing(s[0]) == s[1]-1 && len(x.args(s[0])) > 1 { // a tuple is always true
		a.Trivial, a.Looked, a.Strength = true, s, Presence
		return a
	}
	x.condition(&a, s, true)
	return a
}

// pythonRaises fills in raises and its kin, as a call or as the head of a with.
func (x *finder) pythonRaises(a *Assert, i int, args [][2]int) {
	f := x.f
	a.Strength = Presence
	pattern := false
	for n, p := range args {
		if f.Is(p[0]+1, "=") && (f.Is(p[0], "match") || f.Is(p[0], "check")) {
			pattern = pattern || !x.acceptsAll([2]int{p[0] + 2, p[1]})
			continue
		}
		if n == 0 {
			a.Wanted = p
		}
	}
	if len(args) > 0 && a.Wanted[1] > a.Wanted[0] && (!x.anyFailure(a.Wanted) || pattern) {
		a.Strength = Exact
	}
	k := a.From
	for n := 0; n < 60 && k > 0 && !f.Tokens[k].First; n++ {
		k--
		if x.closes(k) {
			k = x.opening(k)
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
		colon = max(colon, min(x.closing(colon), len(f.Tokens)-1)) + 1
	}
	if !f.Is(colon, ":") {
		return
	}
	if len(args) > 0 {
		a.Expected = x.norm([2]int{args[0][0], args[len(args)-1][1]})
	}
	if f.Is(k-1, "async") {
		a.From = k - 1
	} else {
		a.From = k
	}
	a.To = colon + 1
	body := colon + 1
	for body < min(colon+longest/2, len(f.Tokens)) && (!f.Tokens[body].First || f.Tokens[body].Col > f.Tokens[a.From].Col) {
		body = max(body, min(x.closing(body), len(f.Tokens)-1)) + 1
	}
	a.Looked = [2]int{colon + 1, min(body, len(f.Tokens))}
}
