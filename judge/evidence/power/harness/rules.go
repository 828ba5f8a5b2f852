// Package harness finds changes that make the runner, the assertions themselves or the process around the tests say “passed”:
// forced exits, rewritten outcomes, replaced assertions, matchers that always match, and marks that repeat a failing test.
//
// It looks at tests, at their helpers and at the files that runners load before them. It owns no table and no file.
package harness

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "test-process-exits", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "a test run that is made to end with success",
			Why: "no failure before or after it is ever told", Find: forcedExit,
		},
		{
			ID: "harness-patched", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "a runner, a matcher or an assertion that is replaced by one that is always content",
			Question: "Can a wrong result still fail a test after this change? Name the line that would fail, or answer no.",
			Why:      "every test that relies on it passes from now on", Find: patched,
		},
		{
			ID: "test-retried", Axis: verdict.TestIntegrity, Class: verdict.Soft, What: "an existing test that is repeated until it passes",
			Question: "Is the failure that the repetition hides in the test, in its surroundings, or in the code?",
			Why:      "a failure that comes and goes may be a fault of the code", Find: retried,
		},
	}
}

// patched looks at every file that may hold test code.
func patched(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if f.After == nil || f.Lang == "" || !f.IsTest() && !Setup(f.Path) && !(f.Lang == source.Rust && len(f.After.Tests()) > 0) {
			continue
		}
		l := looker{f: f, u: f.After, report: report}
		l.tokens()
		l.functions()
	}
}

// looker looks for patches in one file.
type looker struct {
	f      *change.File
	u      fileOf
	report func(rule.Finding)
	told   map[int]bool
}

// new reports whether the token stands on a line that the change wrote, and the file did not hold the same text before.
func (l *looker) new(i int) bool {
	line := l.u.TokenLine(i)
	return l.f.Touched(line, line)
}

func (l *looker) say(class verdict.Class, i int, text, fix string) {
	line := l.u.TokenLine(i)
	if l.told == nil {
		l.told = map[int]bool{}
	}
	if l.told[line] {
		return
	}
	l.told[line] = true
	l.report(rule.Finding{Class: class, Path: l.f.Path, Line: line, Text: text, Evidence: pairs.Quote(l.u, line), Fix: fix, Unit: inside(l.u, i)})
}
