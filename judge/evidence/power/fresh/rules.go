// Package fresh finds tests that cannot fail although they are new or were just written anew: they assert nothing, they
// assert about a stand-in for what they should test, or they get the expected value from the code itself.
//
// It owns no table and no file.
package fresh

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/power/reach"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

const question = "Which line of the changed source would make this test fail if it were wrong? Name it, or answer none."

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "test-hollow", Axis: verdict.TestSubstance, Class: verdict.Hard, What: "a new test that asserts nothing, or only what always holds", Question: question,
			Why: "it counts as a test and cannot fail", Find: hollow,
		},
		{
			ID: "test-of-stand-in", Axis: verdict.TestSubstance, Class: verdict.Hard, What: "a test that replaces what it tests by a constant and asserts the constant", Question: question,
			Why: "the code under test is never run", Find: standIn,
		},
		{
			ID: "expected-from-code", Axis: verdict.TestSubstance, Class: verdict.Hard, What: "an expected value that the code under test computes itself", Question: question,
			Why: "both sides are wrong together", Find: oracle,
		},
	}
}

func hollow(c *change.Change, report func(rule.Finding)) {
	for _, p := range pairs.Of(c) {
		if !p.Test || p.Before != nil || p.After.Weight > 0 && !dead(p.After) && !settled(p.After) || pending(p.After) || strings.Contains(p.New.Path, ".test-d.") || fixture(p.After) {
			continue
		}
		u := p.After
		class, text := verdict.Soft, u.Name+" asserts nothing"
		switch {
		case u.Weight > 0 && settled(u):
			class, text = verdict.Hard, u.Name+" asserts only what stands in the test itself"
		case u.Weight > 0:
			text = u.Name + " asserts nothing that counts"
		case u.Weak > 0 && len(u.Asserts) <= u.Weak:
			class, text = verdict.Hard, u.Name+" asserts nothing that can fail"
		case empty(u):
			text = u.Name + " is empty"
		case smoke(u) || helped(c, u) || custom(c, p.New):
			continue
		}
		report(rule.Finding{
			Class: class, Path: p.New.Path, Line: u.Line, Text: text, Evidence: pairs.Quote(u.File, u.Line), Fix: "assert what the code must do, or remove the test",
			Unit: u.Name, After: u.Shown(),
		})
	}
}

// fixture reports whether a test is a method of a suite in Go that another test of the file runs in order to assert about
// what came of it.
func fixture(u *pairs.Unit) bool {
	f := u.File
	open := u.Head + 1
	if f.Lang != source.Go || !f.Is(u.Head, "func") || !f.Is(open, "(") {
		return false
	}
	owner := f.Text(f.Close(open) - 1)
	for _, t := range f.Tests() {
		if t.From >= u.From && t.To <= u.To || t.Weight == t.Weak {
			continue
		}
		runs, names := false, false
		for i := t.From; i < t.To; i++ {
			runs = runs || f.Is(i, "Run") && f.Is(i+1, "(") && !f.Is(i-1, ".")
			names = names || f.Is(i, owner)
		}
		if runs && names {
			return true
		}
	}
	return false
}

// dead reports whether something keeps every assertion of a unit from counting.
func dead(u *pairs.Unit) bool {
	if len(u.Asserts) == 0 {
		return false
	}
	causes := reach.Causes(u)
	if len(causes) < len(u.Asserts) {
		return false
	}
	for _, c := range causes {
		if c.Soft || c.Kind == reach.Inverted {
			return false
		}
	}
	return true
}

// pending reports whether a test says itself that it does not run yet, or is one without assertions by nature.
func pending(u *pairs.Unit) bool {
	for _, w := range [...]string{"skip", "Skip", "todo", "Disabled", "Ignore", "ignore", "pending", "should_panic", "expected", "bench", "compile_fail", "ExpectedException", "no_run"} {
		if strings.Contains(u.Attrs, w) {
			return true
		}
	}
	if strings.HasPrefix(u.Name, "Example") || strings.HasPrefix(u.Name, "Fuzz") || strings.HasPrefix(u.Name, "Benchmark") {
		return u.File.Lang == source.Go
	}
	f := u.File
	for i := u.From; i < u.To; i++ {
		switch f.Text(i) {
		case "Skip", "SkipNow", "Skipf", "skip", "markTestSkipped", "markTestIncomplete", "skipTest", "xfail", "importorskip":
			return true
		}
	}
	return false
}

// empty reports whether nothing at all is done.
func empty(u *pairs.Unit) bool { return reach.Harmless(u.File, u.From, u.To) }

// smoke reports whether the name of a test says that it is enough for it to run through.
func smoke(u *pairs.Unit) bool {
	l := strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "", "'", "").Replace(u.Name))
	for _, w := range [...]string{"not throw", "nothrow", "notthrow", "doesntthrow", "nopanic", "notpanic", "smoke", "compile", "noerror", "notfail", "notcrash", "nocrash", "noexception", "typecheck", "types",
		"canbe", "runs", "notraise", "noraise", "race", "leak", "deadlock", "hang", "concurren", "parallel", "thread", "render", "build"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

// helped reports whether a test calls something that asserts, or may: a helper of the change or by its name, and in Go
// what it hands itself to.
func helped(c *change.Change, u *pairs.Unit) bool {
	f := u.File
	for i := u.From; i < u.To; i++ {
		if f.Kind(i) != source.Name || !f.Is(i+1, "(") && !f.Is(i+1, "!") && !f.Is(i+1, "{") {
			continue
		}
		w := f.Text(i)
		if pairs.Asserting(w) || f.Lang == source.Go && (f.Is(i+2, "t") || f.Is(i+2, "tt")) && !f.Is(i-1, "func") {
			return true
		}
		switch l := strings.ToLower(w); {
		case strings.HasPrefix(l, "test") && !f.Is(i-1, "."), strings.Contains(l, "assert"), strings.Contains(l, "expect"), strings.Contains(l, "verify"), strings.HasPrefix(l, "run") && !f.Is(i-1, "."),
			strings.HasPrefix(l, "check"), strings.HasPrefix(l, "validate"), strings.HasSuffix(l, "test"), strings.HasPrefix(l, "should"), strings.HasPrefix(l, "roundtrip"), strings.HasPrefix(l, "compare"), strings.HasPrefix(l, "snapshot"):
			return true
		}
		switch w {
		case "unwrap", "panic", "unreachable", "throw", "raise", "Fatal", "fail":
			return true
		}
	}
	for _, fn := range c.Funcs() {
		if fn.After == nil || fn.After.File() == u.File || !pairs.Helper(fn.New, fn.After) || !strings.Contains(u.Body(), fn.After.Name+" (") {
			continue
		}
		if len(fn.After.File().AssertsIn(fn.After.From, fn.After.To)) > 0 {
			return true
		}
	}
	return false
}

// custom reports whether the other tests of the file assert nothing of their own, either: their helpers do, elsewhere.
func custom(c *change.Change, f *change.File) bool {
	bare, all := 0, 0
	for _, t := range f.After.Tests() {
		if f.Touched(t.First, t.End) {
			continue
		}
		all++
		if t.Weight == 0 && t.Weak == 0 {
			bare++
		}
	}
	return bare > 0 && 3*bare >= all
}
