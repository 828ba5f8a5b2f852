// Package reach finds tests whose assertions are still written down but do not count any more: nothing reaches them, or
// their failure is caught and dropped.
//
// It compares what counts before and after a change, so a test that was always like that is nobody's news. It owns no
// table and no file.
package reach

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

const question = "Here is the test before and after. Name one wrong behaviour of the code that the old one would have caught and the new one accepts, or answer none."

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "test-emptied", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "a test whose body is gone", Question: question,
			Why: "it is still counted as passing and looks at nothing", Find: emptied,
		},
		{
			ID: "test-returns-early", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "a test that leaves before its assertions", Question: question,
			Why: "what stands behind the statement that leaves never runs",
			Find: compare(func(u *pairs.Unit) string { return u.Name + " leaves before its assertions" }, "remove the statement that leaves, or give it a condition that can be false",
				Return),
		},
		{
			ID: "test-never-asserts", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "assertions under a condition that never holds, in a loop over nothing or in a function nobody calls", Question: question,
			Why:  "they cannot fail, because they never run",
			Find: compare(func(u *pairs.Unit) string { return u.Name + " never reaches its assertions" }, "let the assertions run", Condition, Empty, Uncalled),
		},
		{
			ID: "test-swallows-failure", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "assertions whose failure is caught and dropped", Question: question,
			Why: "the test is green whatever the assertions find", Find: swallowed,
		},
	}
}

func emptied(c *change.Change, report func(rule.Finding)) {
	for _, p := range pairs.Of(c) {
		if !p.Test || p.Before == nil || p.After == nil || p.After.Weight > 0 || !nothingDone(p.After) || nothingDone(p.Before) {
			continue
		}
		if p.Before.Weight == 0 && len(p.Before.Asserts) == 0 && !calls(p.Before.File, p.Before.From, p.Before.To) {
			continue
		}
		report(rule.Finding{
			Path: p.New.Path, Line: p.After.Line, Text: p.After.Name + " is empty now", Evidence: pairs.Quote(p.After.File, p.After.Line), Unit: p.After.Name,
			Fix: "put the body back, or remove the test and say why", Before: p.Before.Shown(), After: p.After.Shown(),
		})
	}
}

// nothingDone reports whether a body holds nothing that looks at the code.
func nothingDone(u *pairs.Unit) bool {
	f := u.File
	for _, s := range stmt.Split(f, u.From, u.To) {
		if Harmless(f, s.From, s.To) || f.Norm(s.From, s.To) == "Ok ( ( ) )" {
			continue
		}
		switch f.Norm(s.From, s.To) {
		case "t . Helper ( )", "t . Parallel ( )", "done ( )", "nil":
			continue
		}
		return false
	}
	return true
}

// compare makes a rule of kinds of causes.
func compare(text func(*pairs.Unit) string, fix string, kinds ...Kind) func(*change.Change, func(rule.Finding)) {
	return func(c *change.Change, report func(rule.Finding)) {
		for _, p := range pairs.Of(c) {
			if cause := lost(&p, kinds...); cause != nil {
				say(&p, cause, text(p.After), fix, report)
			}
		}
	}
}

// lost finds the first of the causes that keeps an assertion from counting which counted before.
func lost(p *pairs.Pair, kinds ...Kind) *Cause {
	if p.Before == nil || p.After == nil || len(p.After.Asserts) == 0 || len(p.Before.Asserts) == 0 {
		return nil
	}
	after := Causes(p.After)
	first, n := pick(p.After, after, kinds)
	if n == 0 {
		return nil
	}
	before := Causes(p.Before)
	_, had := pick(p.Before, before, kinds)
	if n <= had || len(p.After.Asserts)-len(after) >= len(p.Before.Asserts)-len(before) {
		return nil
	}
	return first
}

func pick(u *pairs.Unit, causes map[int]Cause, kinds []Kind) (first *Cause, n int) {
	for i := range u.Asserts {
		c, ok := causes[i]
		if !ok {
			continue
		}
		for _, k := range kinds {
			if c.Kind == k {
				if n++; first == nil {
					first = &c
				}
			}
		}
	}
	return first, n
}

func say(p *pairs.Pair, c *Cause, text, fix string, report func(rule.Finding)) {
	class := verdict.Hard
	if c.Soft {
		class = verdict.Soft
	}
	line := p.After.File.TokenLine(c.Tok)
	report(rule.Finding{
		Class: class, Path: p.New.Path, Line: line, Text: text, Evidence: pairs.Quote(p.After.File, line), Fix: fix, Unit: p.After.Name,
		Before: p.Before.Shown(), After: p.After.Shown(),
	})
}

func swallowed(c *change.Change, report func(rule.Finding)) {
	const fix = "let the failure through: remove the handler, or assert in it"
	for _, p := range pairs.Of(c) {
		if cause := lost(&p, Swallowed); cause != nil {
			say(&p, cause, p.After.Name+" drops the failures of its assertions", fix, report)
			continue
		}
		if cause := lost(&p, Inverted); cause != nil {
			say(&p, cause, p.After.Name+" asks for its assertions to fail", fix, report)
			continue
		}
		if p.Before == nil || p.After == nil || p.After.File.Lang != source.Go || len(p.Before.Asserts) == 0 {
			continue
		}
		if i := recovers(p.After); i >= 0 && recovers(p.Before) < 0 {
			say(&p, &Cause{Tok: i}, p.After.Name+" recovers from every panic and says nothing", fix, report)
		}
	}
}

// recovers finds a deferred function that drops a panic, -1 for none.
func recovers(u *pairs.Unit) int {
	f := u.File
	for i := u.From; i < u.To; i++ {
		if !f.Is(i, "defer") || !f.Is(i+1, "func") {
			continue
		}
		end := stmt.End(f, i, u.To)
		for j := i; j < end; j++ {
			if f.Is(j, "recover") && f.Is(j+1, "(") && !raises(f, i, end) {
				return i
			}
		}
	}
	return -1
}
