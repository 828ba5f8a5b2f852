package off

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// decorator reads a Python decorator that begins at token i.
func (r *reader) decorator(i int) {
	name, j := r.name(i + 1)
	l := last(name)
	cond, ok := "", false
	switch l {
	case "skip", "SkipTest", "expectedFailure", "nottest", "disabled", "Skip", "skipped", "ignore", "ignored":
		ok = l != "ignore" && l != "disabled" && l != "skipped" || strings.Contains(name, "mark") || !strings.Contains(name, ".")
	case "skipif", "skipIf", "skip_if":
		cond, ok = r.argument(j), true
	case "skipUnless", "skip_unless":
		cond, ok = "not ("+r.argument(j)+")", true
	case "xfail":
		cond, ok = r.argument(j), true
		if r.has(j, "strict", "True") {
			cond = "strict"
		}
	default:
		if strings.HasPrefix(l, "skip") {
			cond, ok = strings.ReplaceAll(l, "_", " "), true
		}
	}
	if !ok {
		return
	}
	if d, found := r.decl(j); found {
		r.guarded(Switch{Kind: Skip, What: "@" + name, From: i, To: d.To}, i, cond)
	}
}

// argument is the first argument of a call whose bracket may stand at token open, when it is a condition: no string and
// no other keyword than condition.
func (r *reader) argument(open int) string {
	if !r.Is(open, "(") {
		return ""
	}
	for n, a := range r.Args(open) {
		from := a[0]
		switch {
		case r.Is(from+1, "="):
			if !r.Is(from, "condition") {
				continue
			}
			from += 2
		case n > 0 || r.Kind(from) == source.String && from+1 == a[1] && r.Lang != source.Python:
			continue
		case r.Kind(from) == source.String && from+1 == a[1]:
			return r.Unquote(from) // an old way to write conditions; a reason comes by its name
		}
		return r.Span(from, a[1])
	}
	return ""
}

// has reports whether the arguments of a call set a keyword to a value.
func (r *reader) has(open int, keyword, value string) bool {
	if !r.Is(open, "(") {
		return false
	}
	for _, a := range r.Args(open) {
		if r.Is(a[0], keyword) && r.Is(a[0]+2, value) {
			return true
		}
	}
	return false
}

// python reads the calls and assignments of Python.
func (r *reader) python(i int) {
	switch r.Text(i) {
	case "skip", "xfail":
		if r.Is(i-1, ".") && r.Is(i-2, "pytest") && r.Is(i+1, "(") {
			r.call(i, "pytest."+r.Text(i))
		}
		r.row(i)
	case "importorskip":
		if _, inside := r.around(i); !inside && r.Is(i-1, ".") && r.Is(i-2, "pytest") && r.Is(i+1, "(") && r.Kind(i+2) == source.String && r.conditions(i, true) == "" {
			module := r.Unquote(i + 2)
			r.add(Switch{Kind: Skip, Guard: Other, What: "pytest.importorskip " + module, Whole: true, To: len(r.Tokens), Needs: module}, i)
		}
	case "skipTest":
		if r.Is(i-1, ".") && r.Is(i+1, "(") {
			r.call(i, "skipTest")
		}
	case "SkipTest":
		if r.Is(r.first(i), "raise") {
			r.call(i, "raise SkipTest")
		}
	case "pytestmark":
		r.pytestmark(i)
	case "__test__":
		if r.Is(i+1, "=") && r.Is(i+2, "False") {
			s := Switch{Kind: Skip, What: "__test__ = False", Whole: r.Tokens[i].Col == 0}
			if c, ok := r.class(i); ok && !s.Whole {
				s.From, s.To = c.At, c.To
			}
			r.add(s, i)
		}
	case "exit", "_exit", "quit", "SystemExit":
		f := r.first(i)
		if r.Tokens[f].Col == 0 && r.parent[i] < 0 && (r.Is(i+1, "(") && (f == i || r.Is(i-1, ".") && f == i-2) || r.Is(f, "raise") && r.Is(i, "SystemExit")) {
			r.add(Switch{Kind: Dead, What: r.Span(f, i+1), From: i, To: len(r.Tokens)}, i)
		}
	case "__init__":
		if c, ok := r.class(i); ok && r.Is(i-1, "def") && strings.HasPrefix(r.Text(c.At), "Test") && !r.Is(c.At+1, "(") {
			r.add(Switch{Kind: Skip, What: "def __init__", From: c.At, To: c.To}, i)
		}
	}
}

// call notes a call that skips from within, with the conditions around it.
func (r *reader) call(i int, what string) {
	cond := r.conditions(i, false)
	from, to, whole := r.within(i)
	if r.Lang == source.Python {
		if _, ok := r.around(i); !ok {
			whole, cond = true, r.conditions(i, true)
		}
	}
	r.guarded(Switch{Kind: Skip, What: what, From: from, To: to, Whole: whole}, i, cond)
}

// row finds a mark on one row of parameters: pytest.param(…, marks=pytest.mark.skip).
func (r *reader) row(i int) {
	if !r.Is(i-1, ".") || !r.Is(i-2, "mark") {
		return
	}
	p := int(r.parent[i])
	if p >= 0 && r.Is(p, "[") {
		p = int(r.parent[p])
	}
	if p < 0 || !r.Is(p-1, "param") {
		return
	}
	if d, ok := r.decl(i); ok {
		r.guarded(Switch{Kind: Skip, What: "marks=" + r.Text(i), From: d.At, To: d.To}, i, "row "+r.Span(p+1, i))
	}
}

// pytestmark reads the marks of a module or class.
func (r *reader) pytestmark(i int) {
	if !r.Is(i+1, "=") || !r.Tokens[i].First {
		return
	}
	end := i + 2
	for end < len(r.Tokens) && (!r.Tokens[end].First || r.parent[end] >= 0 || r.Tokens[end].Col > r.Tokens[i].Col) {
		end++
	}
	s := Switch{Kind: Skip, Whole: r.Tokens[i].Col == 0}
	if c, ok := r.class(i); ok && !s.Whole {
		s.From, s.To = c.At, c.To
	}
	for k := i + 2; k < end; k++ {
		if !r.Is(k-1, ".") || !r.Is(k-2, "mark") {
			continue
		}
		s.What = "pytestmark " + r.Text(k)
		switch r.Text(k) {
		case "skip":
			r.guarded(s, k, "")
		case "skipif", "xfail":
			r.guarded(s, k, r.argument(k+1))
		}
	}
}
