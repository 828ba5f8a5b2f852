// Package integrity holds the rules of the judge that find which tests that existed do not run any more: deleted,
// commented out, renamed away, skipped, narrowed, switched off with their file.
//
// Its parts: off finds what switches tests off in one version of a file; alive says what became of a test that is gone.
// It owns no table and starts no process. No rule looks at what a test asserts; package power does. A test that is new
// and skipped is no finding: nothing was lost.
package integrity

import (
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

const question = "Here is the test before and after. Name one wrong behaviour of the code that the old one would have caught and nothing catches now, or answer none."

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	r := func(id string, class verdict.Class, what, why string, of kind) rule.Rule {
		return rule.Rule{ID: id, Axis: verdict.TestIntegrity, Class: class, What: what, Why: why, Question: question, Find: finder(of)}
	}
	return []rule.Rule{
		r("test-deleted", verdict.Hard, "a test is gone, while the code that it exercised stays and nothing took its place", "what the test would have caught is not caught any more", deleted),
		r("test-file-deleted", verdict.Hard, "a test file is gone, while the code that it exercised stays", "everything that its tests would have caught is not caught any more", fileDeleted),
		r("test-file-disabled", verdict.Hard, "a test file is still there, but no runner collects or runs it", "its tests look as if they ran", fileDisabled),
		r("test-commented-out", verdict.Hard, "a test stands in a comment, a string or code that is never reached", "it looks as if it existed, and cannot fail", commentedOut),
		r("test-skipped", verdict.Hard, "a test that ran is skipped, ignored, disabled or expected to fail", "it cannot fail any more", skipped),
		r("test-narrowed", verdict.Hard, "a mark or filter lets one test run alone", "all other tests are off", narrowed),
		r("test-unregistered", verdict.Hard, "a test is still written down, but its runner does not find it any more", "it looks as if it ran", unregistered),
		r("test-opt-in", verdict.Soft, "a test that always ran hangs on a variable that no workflow sets", "it is switched off wherever nobody sets the variable", optIn),
	}
}

// kind tells the findings of the rules apart.
type kind uint8

const (
	deleted kind = iota + 1
	fileDeleted
	fileDisabled
	commentedOut
	skipped
	narrowed
	unregistered
	optIn
)

type surveyKey struct{}

// finder reports those findings of the survey of a change that are of one kind. The survey is made once.
func finder(of kind) func(*change.Change, func(rule.Finding)) {
	return func(c *change.Change, report func(rule.Finding)) {
		s := c.Once(surveyKey{}, func() any { return look(c) }).(*survey)
		for _, f := range s.found {
			if f.kind == of {
				report(f.Finding)
			}
		}
	}
}
