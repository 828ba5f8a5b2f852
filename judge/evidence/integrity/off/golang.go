package off

import (
	"go/build/constraint"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	words "github.com/devflow-suite/devflow/judge/evidence/integrity/off/cond"
)

// golang reads the calls of Go.
func (r *reader) golang(i int) {
	w := r.Text(i)
	switch {
	case (w == "Skip" || w == "Skipf" || w == "SkipNow") && r.Is(i-1, ".") && r.Is(i+1, "("):
		if d, ok := r.around(i); ok {
			cond := r.conditions(i, false)
			r.guarded(Switch{Kind: Skip, What: r.Text(i-2) + "." + w, From: d.At, To: d.To}, i, cond)
		}
	case w == "Set" && r.Is(i+1, "(") && (r.Text(i+2) == `"test.run"` || r.Text(i+2) == `"test.skip"`):
		if v := r.Text(i + 4); r.Kind(i+4) == source.String && len(v) > 2 {
			kind := Only
			if r.Text(i+2) == `"test.skip"` {
				kind = Skip
			}
			r.guarded(Switch{Kind: kind, What: r.Unquote(i+2) + " " + v, Whole: true}, i, r.conditions(i, false))
		}
	case len(w) > 4 && strings.EqualFold(w[:4], "skip") && r.Is(i+1, "(") && !r.Is(i-1, "func") && r.Kind(i+2) == source.Name && !r.Is(i-1, "="):
		d, ok := r.around(i)
		if !ok || !strings.HasPrefix(d.Name, "Test") || r.parent[i] >= 0 && r.Is(int(r.parent[i]), "(") {
			return
		}
		cond := r.conditions(i, false)
		if !r.helperSkips(w) {
			cond += " " + w
		}
		r.guarded(Switch{Kind: Skip, What: w, From: d.At, To: d.To}, i, cond)
	}
}

// helperSkips reports whether a function of the file skips without a condition.
func (r *reader) helperSkips(name string) bool {
	for _, d := range r.decls {
		if d.Name != name || d.Type {
			continue
		}
		for k := d.From; k < d.To; k++ {
			if (r.Is(k, "Skip") || r.Is(k, "SkipNow") || r.Is(k, "Skipf")) && r.Is(k-1, ".") && r.conditions(k, false) == "" {
				return true
			}
		}
	}
	return false
}

// goConstraint reads the build constraint in front of the package clause.
func (r *reader) goConstraint() {
	if len(r.Tokens) == 0 || !strings.HasSuffix(r.Path, "_test.go") {
		return
	}
	for _, c := range r.Comments() {
		if c.Pos > int(r.Tokens[0].Pos) {
			return
		}
		x, err := constraint.Parse(c.Text)
		if err != nil {
			continue
		}
		s := Switch{Kind: Skip, What: c.Text, Whole: true, Guard: Platform, Line: c.Line}
		unknown := words.Unknown(x)
		if len(unknown) > 0 {
			s.Guard, s.OptIn, s.Vars = Env, true, unknown[:1]
		}
		r.out = append(r.out, s)
	}
}
