package docs

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
)

// parameters finds comments that still describe a parameter which the change removed.
func parameters(c *change.Change, report func(rule.Finding)) {
	for _, p := range c.Funcs() {
		if p.Before == nil || p.After == nil || p.New == nil || p.New.After == nil || c.Partial || len(p.Before.Params) == 0 {
			continue
		}
		now := map[string]bool{}
		for _, a := range p.After.Params {
			now[a.Name] = true
		}
		u := p.New.After
		for _, a := range p.Before.Params {
			if a.Name == "" || now[a.Name] || len(a.Name) < 2 {
				continue
			}
			if used(u, p.After, a.Name) {
				continue
			}
			if line := described(u, p.After, a.Name); line > 0 {
				report(rule.Finding{
					Path: p.New.Path, Line: line, Unit: p.After.Name, Text: fmt.Sprintf("the comment of %s describes parameter %s, which it does not take any more", p.After.Name, a.Name),
					Evidence: strings.TrimSpace(u.Lines(line, line)), Fix: "remove the description of " + a.Name,
				})
			}
		}
	}
}

// used reports whether the function still has the name anywhere in its head or body.
func used(u *units.File, fn *units.Func, name string) bool {
	for i := fn.Head; i < fn.To && i < len(u.Tokens); i++ {
		if u.Is(i, name) {
			return true
		}
	}
	return false
}

// described gives the line at which the comment before the function, or its doc string, describes a parameter.
func described(u *units.File, fn *units.Func, name string) int {
	marks := [...]string{"@param " + name, ":param " + name + ":", `\param ` + name, "} " + name + " "}
	match := func(line string) bool {
		t := strings.TrimLeft(strings.TrimSpace(line), "/*# ")
		for k, m := range marks {
			if k == 3 && !strings.HasPrefix(t, "@param") {
				continue
			}
			if i := strings.Index(t+" ", m); i >= 0 {
				end := i + len(m)
				if end >= len(t) || !letter(t[end]) || strings.HasSuffix(m, ":") || strings.HasSuffix(m, " ") {
					return true
				}
			}
		}
		return false
	}
	for _, c := range u.Comments() {
		if c.EndLine >= fn.First-40 && c.EndLine < fn.First && c.Own && joined(u, c.EndLine, fn.First) {
			for n := c.Line; n <= c.EndLine; n++ {
				if match(u.Lines(n, n)) {
					return n
				}
			}
		}
	}
	if fn.From < len(u.Tokens) && strings.HasPrefix(strings.TrimLeft(u.Text(fn.From), "rRuU"), `"""`) {
		from := u.TokenLine(fn.From)
		for n := range strings.Count(u.Text(fn.From), "\n") + 1 {
			if match(u.Lines(from+n, from+n)) {
				return from + n
			}
		}
	}
	return 0
}

// joined reports whether nothing but comments stands between two lines.
func joined(u *units.File, from, to int) bool {
	for n := from + 1; n < to; n++ {
		t := strings.TrimSpace(u.Lines(n, n))
		if t == "" || !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "*") && !strings.HasPrefix(t, "/*") && !strings.HasPrefix(t, "#") {
			return false
		}
	}
	return true
}
