package stub

import (
	"fmt"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func exits() rule.Rule {
	return rule.Rule{
		ID: "checks-gone", Axis: verdict.Honesty, Class: verdict.Hard,
		What:     "all error exits of a function went, together with the checks that led to them",
		Why:      "the function still promises to refuse what is wrong, and accepts everything",
		Question: "Doc comment and callers say what this function refuses. Does the new body still refuse it?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before != nil {
					checks(c, p, report)
				}
			}
		},
	}
}

func checks(c *change.Change, p change.FuncPair, report func(rule.Finding)) {
	old, now := p.Before.File(), p.After.File()
	had := code.Exits(old, p.Before.From, p.Before.To)
	if had < 2 || code.Exits(now, p.After.From, p.After.To) > 0 {
		return
	}
	after := code.Read(p.After)
	if after.Silent() || mark(after) != none {
		return // told by another rule
	}
	lost, fresh := difference(code.Calls(old, p.Before.From, p.Before.To), code.Calls(now, p.After.From, p.After.To))
	guards := code.Compares(old, p.Before.From, p.Before.To) - code.Compares(now, p.After.From, p.After.To)
	if lost == 0 && guards <= 0 || p.After.To-p.After.From >= p.Before.To-p.Before.From {
		return
	}
	if code.Moved(c, p) {
		return
	}
	f := code.Finding(p, code.Start(p.After), fmt.Sprintf("none of its %d error exits is left", had), "restore the checks, or say in its signature that it cannot fail")
	switch {
	case code.Withdrawn(c, p):
		return
	case code.Fallible(p.Before) && code.Fallible(p.After) && neverFails(after) && guards > 0:
	case guards > 0 && fresh <= lost && lost > 0:
		f.Class = verdict.Soft
	default:
		return
	}
	report(f)
}

// difference counts the names that stand in one list only.
func difference(before, after []string) (lost, fresh int) {
	b, a := map[string]bool{}, map[string]bool{}
	for _, w := range before {
		b[w] = true
	}
	for _, w := range after {
		a[w] = true
		if !b[w] {
			b[w] = true
			fresh++
		}
	}
	for _, w := range before {
		if !a[w] {
			a[w] = true
			lost++
		}
	}
	return lost, fresh
}

// neverFails reports whether every result of a function that may fail says success in so many words.
func neverFails(b *code.Body) bool {
	seen := false
	for _, s := range b.Stmts {
		from, to, ok := b.Value(s)
		if !ok || s.Tail && s.Depth > 0 {
			continue
		}
		seen = true
		switch b.F.Lang {
		case source.Go:
			if !b.F.Is(to-1, "nil") {
				return false
			}
		case source.Rust:
			if !b.F.Is(from, "Ok") {
				return false
			}
		default:
			return false
		}
	}
	return seen && !nested(b.F, b.Fn.From, b.Fn.To)
}

// nested reports results inside of other statements: closures and matches, of which nothing is known.
func nested(f *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		if f.Is(i, "Err") && f.Lang == source.Rust {
			return true
		}
	}
	return false
}
