package evidence

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/compare"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// enoughCode is how many added lines of code, over all files, want a test; source: docs/judge-quality.md.
const enoughCode = 12

// untested is for changes without a record of who edited what when: new behaviour, and not one test changed. At most
// one finding, at the file with most of it.
func untested() rule.Rule {
	return rule.Rule{
		ID: "untested-change", Axis: verdict.TDD, Class: verdict.Soft,
		What: "new code, and no test of the change touches it", Why: "Nobody would notice if it were wrong.", Question: "Is this change observable by a test? If not, why?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			var most *change.File
			best, total := 0, 0
			for _, f := range c.Files {
				switch {
				case f.Lang == "":
				case f.IsTest() && len(f.Added) > 0, f.After != nil && inlineTests(f):
					return
				case f.Kind == layout.Impl && f.After != nil:
					n := newCode(f)
					if total += n; n > best {
						best, most = n, f
					}
				}
			}
			if total < enoughCode || most == nil {
				return
			}
			report(rule.Finding{
				Path: most.Path, Line: most.Added[0].N, Evidence: strings.TrimSpace(most.Added[0].Text), Fix: "write a test that fails without this change",
				Text: fmt.Sprintf("%d lines of new code in %s and elsewhere, and no test was added or changed", total, most.Path),
			})
		},
	}
}

// inlineTests reports whether a source file holds tests of its own that the change touches.
func inlineTests(f *change.File) bool {
	for _, t := range f.After.Tests() {
		if f.Touched(t.First, t.End) {
			return true
		}
	}
	return false
}

// newCode counts the added lines of a file that do something, 0 when the change is a refactoring by its tokens.
func newCode(f *change.File) int {
	before := []byte(nil)
	if f.Before != nil {
		before = []byte(f.Before.Src)
	}
	if d := compare.Compare(f.Lang, before, []byte(f.After.Src)); d.Change != compare.Code {
		return 0
	}
	code := map[int]bool{}
	for i := range f.After.Tokens {
		code[int(f.After.Tokens[i].Line)] = true
	}
	n := 0
	for _, l := range f.Added {
		if code[l.N] && strings.Trim(l.Text, " \t{}()[];,") != "" {
			n++
		}
	}
	return n
}
