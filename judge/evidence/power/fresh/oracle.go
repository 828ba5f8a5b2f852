package fresh

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func oracle(c *change.Change, report func(rule.Finding)) {
	for _, p := range pairs.Of(c) {
		if !p.Test || p.After == nil || again(p.After.Name) {
			continue
		}
		u := p.After
		had := 0
		if p.Before != nil {
			had = len(computed(p.Before))
		}
		now := computed(u)
		if len(now) <= had {
			continue
		}
		class := verdict.Soft
		if p.Before != nil && p.Similar > 0.7 {
			class = verdict.Hard
		}
		a := now[0]
		found := rule.Finding{
			Class: class, Path: p.New.Path, Line: a.Line, Text: u.Name + " compares `" + short(a.Actual) + "` with what the same call gives", Evidence: pairs.Quote(u.File, a.Line),
			Fix: "write the expected value down", Unit: u.Name, After: u.Shown(),
		}
		if p.Before != nil {
			found.Before = p.Before.Shown()
		}
		report(found)
	}
}

func short(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// computed lists the assertions that compare a call with the same call.
func computed(u *pairs.Unit) []*units.Assert {
	var out []*units.Assert
	for i := range u.Asserts {
		a := &u.Asserts[i]
		if a.Actual == "" || a.Expected == "" || a.Trivial || strings.HasPrefix(a.Matcher, "not") || a.Op == "!=" && !u.File.Is(a.From, "if") {
			continue
		}
		x, y := u.Inline(a.From, a.Actual, true), u.Inline(a.From, a.Expected, true)
		if x == y && strings.Contains(x, "(") && len(x) > 4 {
			out = append(out, a)
		}
	}
	return out
}

// again reports whether the name of a test says that it calls something twice on purpose.
func again(name string) bool {
	l := strings.ToLower(name)
	for _, w := range [...]string{"same", "equal", "hash", "idempot", "determin", "stable", "repeat", "twice", "consisten", "cache", "memo", "singleton", "identity", "identical", "copy", "clone", "reuse", "eq", "compar", "symmetr"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}
