package evidence

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/compare"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// How many added lines of code, over all files, want a test: as they are, with a new public function that no test names,
// and with a document or changelog that tells users of the change. Source: docs/judge-quality.md.
const (
	enoughCode   = 20
	enoughPublic = 3
	enoughTold   = 1
)

// Untested is for changes without a record of who edited what when: new behaviour, and not one test changed. At most
// one finding, at the file with most of it.
func Untested() rule.Rule {
	return rule.Rule{
		ID: "untested-change", Axis: verdict.TDD, Class: verdict.Soft,
		What: "new code, and no test of the change touches it", Why: "Nobody would notice if it were wrong.", Question: "Is this change observable by a test? If not, why?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			var most *change.File
			best, total, enough := 0, 0, enoughCode
			told := slices.ContainsFunc(c.Files, func(f *change.File) bool { return f.Kind == layout.Doc && len(f.Added) > 0 })
			if told {
				enough = enoughTold
			}
			for _, f := range c.Files {
				switch {
				case f.Lang == "":
				case f.IsTest() && len(f.Added) > 0 && (f.Deleted() || layout.IsTestName(f.Lang, path.Base(f.Path))), f.After != nil && inlineTests(f):
					return
				case f.Kind == layout.Impl && f.After != nil:
					n := newCode(f, told)
					if total += n; n > best {
						best, most = n, f
					}
				}
			}
			if public(c) {
				enough = min(enough, enoughPublic)
			}
			if total < enough || most == nil {
				return
			}
			line, text := firstLine(most)
			report(rule.Finding{
				Path: most.Path, Line: line, Evidence: text, Fix: "write a test that fails without this change",
				Text: fmt.Sprintf("%d lines of new code in %s and elsewhere, and no test was added or changed", total, most.Path),
			})
		},
	}
}

// public reports whether the change brings a function for others that no test of the project names.
func public(c *change.Change) bool {
	var names []string
	for _, p := range c.Funcs() {
		if p.Before == nil && p.After != nil && p.New.Kind == layout.Impl && len(p.After.Name) > 3 && visible(p.New.Lang, p.After) {
			names = append(names, p.After.Name)
		}
	}
	if len(names) == 0 || c.Now == nil {
		return false
	}
	found := c.Now.Grep(names, 200)
	for _, name := range names {
		named := false
		for _, place := range found[name] {
			named = named || layout.IsTest(place.Path)
		}
		if !named {
			return true
		}
	}
	return false
}

// visible reports whether a function is there for others, as far as its head tells.
func visible(lang source.Lang, fn *units.Func) bool {
	switch lang {
	case source.Go:
		return fn.Name[0] >= 'A' && fn.Name[0] <= 'Z'
	case source.Python, source.Dart:
		return fn.Name[0] != '_'
	}
	head := fn.File().Lines(fn.Line, fn.Line)
	return strings.Contains(head, "public ") || strings.Contains(head, "export ") || strings.Contains(head, "pub ")
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

// newCode counts the changed lines of a file that do something, 0 when the change is a refactoring by its tokens. Where users are
// told of the change, what only removes and rearranges is behaviour, too.
func newCode(f *change.File, told bool) int {
	before := []byte(nil)
	if f.Before != nil {
		before = []byte(f.Before.Src)
	}
	if d := compare.Compare(f.Lang, before, []byte(f.After.Src)); d.Change != compare.Code && (!told || d.Change != compare.Refactor) {
		return 0
	}
	n := codeLines(f.After, f.Added)
	if told && f.Before != nil {
		n = max(n, codeLines(f.Before, f.Removed))
	}
	return n
}

// firstLine is where the new code of a file begins; of one that only lost code, where that stood.
func firstLine(f *change.File) (n int, text string) {
	for _, l := range f.Added {
		if codeLines(f.After, []diff.Line{l}) > 0 {
			return l.N, strings.TrimSpace(l.Text)
		}
	}
	if len(f.Removed) > 0 {
		return f.Present(f.Removed[0].N), ""
	}
	return 1, ""
}

// codeLines counts those of the lines that hold code.
func codeLines(u *units.File, lines []diff.Line) int {
	code := map[int]bool{}
	for i := range u.Tokens {
		code[int(u.Tokens[i].Line)] = true
	}
	n := 0
	for _, l := range lines {
		if code[l.N] && strings.Trim(l.Text, " \t{}()[];,") != "" {
			n++
		}
	}
	return n
}
