package stub

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Sizes of a body that is worth something; source: docs/judge-quality.md.
const (
	someStatements = 3
	someTokens     = 15
)

func silent() rule.Rule {
	return rule.Rule{
		ID: "stub-silent", Axis: verdict.Honesty, Class: verdict.Hard,
		What:     "a body that worked was replaced by a constant, by its own argument or by nothing",
		Why:      "the function looks finished and answers the same whatever it is asked",
		Question: "Doc comment and callers say what this function does. Does the new body still do it for inputs other than those in the tests?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before != nil {
					silenced(c, p, report)
				}
			}
		},
	}
}

func silenced(c *change.Change, p change.FuncPair, report func(rule.Finding)) {
	after := code.Read(p.After)
	if !after.Silent() || mark(after) != none {
		return
	}
	before := code.Read(p.Before)
	if before.Silent() || mark(before) == named || abstract(p.After) {
		return
	}
	if !substance(before) && mark(before) != throws && !promises(after) || code.Moved(c, p) {
		return
	}
	f := code.Finding(p, code.Start(p.After), "its body is gone; "+says(after), "restore the implementation, or remove the function with its callers")
	if code.Withdrawn(c, p) || retired(p.After) {
		f.Class = verdict.Soft
	}
	report(f)
}

// substance reports bodies that are worth something.
func substance(b *code.Body) bool {
	if b.Count() >= someStatements {
		return true
	}
	lines := b.F.TokenLine(b.Fn.To-1) - b.F.TokenLine(b.Fn.From)
	return (b.Fn.To-b.Fn.From >= someTokens || lines >= someStatements) && uses(b) > 0
}

// promises reports comments in a body that say that it is not done.
func promises(b *code.Body) bool {
	from, to := b.Fn.Line, b.Fn.End
	for _, c := range b.F.Comments() {
		if c.Line >= from && c.EndLine <= to && Unfinished(c.Text) {
			return true
		}
	}
	return false
}

// uses counts the calls and the uses of parameters in a body.
func uses(b *code.Body) int {
	n := len(code.Calls(b.F, b.Fn.From, b.Fn.To))
	for i := b.Fn.From; i < b.Fn.To; i++ {
		if b.F.Kind(i) == source.Name && b.Param(b.F.Text(i)) || b.F.Kind(i) == source.String && !code.Constant(b.F, i, i+1) {
			n++
		}
	}
	return n
}

// says tells what a silent body does.
func says(b *code.Body) string {
	for _, s := range b.Work() {
		if from, to, ok := b.Value(s); ok && from < to {
			if name := b.Identity(from, to); name != "" && !code.Constant(b.F, from, to) {
				return "it gives " + name + " back as it came"
			}
			text := b.F.Span(from, to)
			if len(text) > 60 {
				text = text[:60] + "…"
			}
			return "it always gives " + strings.Join(strings.Fields(text), " ")
		}
	}
	return "it does nothing"
}

// retired reports functions that their attributes or the comments at their head call deprecated or without effect.
func retired(fn *units.Func) bool {
	if strings.Contains(strings.ToLower(fn.Attrs), "deprecated") {
		return true
	}
	f := fn.File()
	for _, c := range f.Comments() {
		if c.EndLine < fn.First-12 || c.Line > fn.End {
			continue
		}
		if c.EndLine < fn.First-1 && !near(f, c.EndLine, fn.First) {
			continue
		}
		if effectless(c.Text) {
			return true
		}
	}
	for i := fn.From; i < fn.To && i < fn.From+2; i++ {
		if f.Kind(i) == source.String && effectless(f.Text(i)) {
			return true
		}
	}
	return false
}

// near reports whether nothing but comments stands between two lines.
func near(f *units.File, from, to int) bool {
	for n := from + 1; n < to; n++ {
		t := strings.TrimSpace(f.Lines(n, n))
		if !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "*") && !strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "@") {
			return false
		}
	}
	return true
}

func effectless(text string) bool {
	t := strings.ToLower(text)
	return strings.Contains(t, "deprecated") || strings.Contains(t, "no longer") || strings.Contains(t, "no-op") || strings.Contains(t, "noop") || strings.Contains(t, "does nothing") || strings.Contains(t, "has no effect")
}

func unreachable() rule.Rule {
	return rule.Rule{
		ID: "body-unreachable", Axis: verdict.Honesty, Class: verdict.Hard,
		What: "a function leaves before the code that does its work",
		Why:  "everything below never runs any more",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before != nil {
					cutShort(p, report)
				}
			}
		},
	}
}

func cutShort(p change.FuncPair, report func(rule.Finding)) {
	after := code.Read(p.After)
	at := leaves(after)
	if at < 0 || !p.New.Touched(after.Stmts[at].Line, after.Stmts[at].End) {
		return
	}
	before := code.Read(p.Before)
	if leaves(before) >= 0 || before.Count() < 2 {
		return
	}
	f := code.Finding(p, after.Stmts[at].Line, "leaves here, so the "+lines(after, at)+" below never run", "remove the early exit, or the code below it")
	report(f)
}

func lines(b *code.Body, at int) string {
	if len(b.Stmts)-at == 2 {
		return "statement"
	}
	return "statements"
}

// leaves is the first statement at the top that always leaves though work follows, -1 when there is none.
func leaves(b *code.Body) int {
	f := b.F
	switch f.Lang {
	case source.C, source.CPP, source.Ruby, source.Scala, source.PHP:
		return -1 // preprocessor branches, modifiers
	}
	for i, s := range b.Stmts {
		if s.Depth > 0 || s.Kind != code.Return && s.Kind != code.Throw || f.Is(s.From-1, "]") || f.Is(s.To, "else") {
			continue
		}
		for _, next := range b.Stmts[i+1:] {
			if next.Depth > 0 || next.Kind == code.Def || next.Kind == code.Case || next.Kind == code.Pass {
				continue
			}
			if w := f.Text(next.From); w == "yield" || w == "function" || w == "async" || w == "func" || f.Is(next.From+1, ":") || unreached(w) {
				continue
			}
			if f.Lang == source.Java || f.Lang == source.Dart || f.Lang == source.Kotlin {
				if k := f.Text(next.To - 1); k == "}" && !f.Is(next.To, ";") { // a local function
					continue
				}
			}
			return i
		}
		return -1
	}
	return -1
}

// unreached are words that declare something or say that a place is never reached.
func unreached(w string) bool {
	switch w {
	case "unreachable", "type", "interface", "enum", "struct", "impl", "use", "const", "class", "var", "assert_never", "fn", "panic":
		return true
	}
	return false
}
