package integrity

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/alive"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// lost is a test that is gone, with what became of it.
type lost struct {
	test *units.Test
	fate alive.Fate
}

// gone looks for tests that have no counterpart in the present files.
func (s *survey) gone() {
	for _, f := range s.c.Files {
		if f.Before == nil || s.c.Partial && f.After == nil && f.Status != 'D' {
			continue
		}
		var list []lost
		for _, p := range s.c.Tests() {
			if p.Before != nil && p.After == nil && p.Old == f {
				list = append(list, lost{p.Before, s.alive.Fate(p.Before)})
			}
		}
		switch {
		case len(list) == 0:
		case f.After == nil || f.Lang == "" || len(f.After.Tests()) == 0 && !collects(f.Path):
			s.fileGone(f, list)
		default:
			s.testsGone(f, list)
		}
	}
}

// fileGone says what it means that a file with tests is not there any more, or under a name that nothing runs.
func (s *survey) fileGone(f *change.File, list []lost) {
	if !f.IsTest() && !collects(f.OldPath) {
		s.inSource(f, list)
		return
	}
	if to := s.movedTo(f); to != nil {
		s.add(fileDisabled, verdict.Hard, to.After, rule.Finding{
			Path: to.Path, Line: 1, Unit: f.OldPath, Text: fmt.Sprintf("%s is %s now: its %d tests do not run any more", f.OldPath, to.Path, len(list)),
			Fix: "give the file back a name that the test runner collects", Before: list[0].test.Text(),
		})
		return
	}
	var bare, soft []lost
	for _, l := range list {
		switch l.fate.Kind {
		case alive.Lost:
			bare = append(bare, l)
		case alive.Touched:
			soft = append(soft, l)
		}
	}
	class := verdict.Hard
	switch {
	case len(bare) == 0 && len(soft) == 0:
		return
	case 2*len(bare) < len(list):
		class = verdict.Soft
	}
	example := append(bare, soft...)[0]
	s.add(fileDeleted, class, nil, rule.Finding{
		Path: f.OldPath, Line: max(example.test.Line, 1), Old: true, Unit: f.OldPath, Evidence: firstLine(example.test), Before: example.test.Text(),
		Text: fmt.Sprintf("%s is deleted with %s; %s and nothing took their place, such as %s", f.OldPath, count(len(list)), stays(len(bare)+len(soft)), title(example.test)),
		Fix:  "bring the tests back, or remove the code that they exercise as well",
	})
}

func stays(n int) string {
	if n == 1 {
		return "the code of one of them stays"
	}
	return fmt.Sprintf("the code of %d of them stays", n)
}

func count(n int) string {
	if n == 1 {
		return "one test"
	}
	return fmt.Sprintf("%d tests", n)
}

// inSource is fileGone for source files with tests inside: they went with their code.
func (s *survey) inSource(*change.File, []lost) {}

// testsGone says what became of tests of a file that is still there.
func (s *survey) testsGone(f *change.File, list []lost) {
	before, now := len(f.Before.Tests()), 0
	if f.After != nil {
		now = len(f.After.Tests())
	}
	comments := s.hidden(f)
	for _, l := range list {
		t := l.test
		line := max(min(f.Present(t.Line), f.After.NumLines()), 1)
		finding := rule.Finding{Path: f.Path, Line: line, Unit: t.Name, Before: t.Text()}
		if l.fate.Kind == alive.Moved && !l.fate.Twin {
			continue
		}
		if at, text, ok := comments.find(t); ok {
			finding.Line, finding.After = at, text
			finding.Text = title(t) + " is commented out"
			finding.Fix = "let the test run again, or delete it with the code that it exercises"
			s.add(commentedOut, verdict.Hard, f.After, finding)
			continue
		}
		if l.fate.Kind == alive.Moved || l.fate.Kind == alive.Obsolete {
			continue
		}
		if k, class, ok := s.stillWritten(f, t, &finding); ok {
			if class != "" {
				s.add(k, class, f.After, finding)
			}
			continue
		}
		class := verdict.Hard
		because := "and nothing took its place"
		switch l.fate.Kind {
		case alive.Replaced:
			continue
		case alive.Resumed:
			class, because = verdict.Soft, fmt.Sprintf("and only %s in %s tests the same code", l.fate.Name, l.fate.Path)
		case alive.Touched:
			class, because = verdict.Soft, "while code that it names stays, in part ("+strings.Join(l.fate.Words[:min(3, len(l.fate.Words))], ", ")+")"
		}
		finding.Text = fmt.Sprintf("%s is deleted, %s (%s: %d tests before, %d now)", title(t), because, f.Path, before, now)
		finding.Fix = "bring the test back, or remove the code that it exercises as well"
		s.add(deleted, class, f.After, finding)
	}
}

func firstLine(t *units.Test) string {
	return strings.TrimSpace(t.File().Lines(t.Line, t.Line))
}

// veil is what newly stands in comments and long strings of a file.
type veil struct {
	file  *units.File
	words map[string]int
	spots []spot
}

type spot struct {
	line, end int
	text      string
}

// hidden collects the comments and strings of the present file that the former one did not have.
func (s *survey) hidden(f *change.File) *veil {
	v := &veil{file: f.After, words: map[string]int{}}
	old := map[string]bool{}
	for _, c := range f.Before.Comments() {
		old[c.Text] = true
	}
	note := func(line, end int, text string) {
		v.spots = append(v.spots, spot{line, end, text})
		for _, w := range change.Words(text) {
			v.words[w]++
		}
	}
	for _, c := range f.After.Comments() {
		if !old[c.Text] || f.Touched(c.Line, c.EndLine) {
			note(c.Line, c.EndLine, c.Text)
		}
	}
	for i := range f.After.Tokens {
		t := &f.After.Tokens[i]
		if t.Kind == source.String && t.End-t.Pos > 60 && strings.Contains(f.After.Text(i), "\n") && f.Touched(int(t.Line), int(t.Line)) {
			text := f.After.Text(i)
			note(int(t.Line), int(t.Line)+strings.Count(text, "\n"), text)
		}
	}
	return v
}

// mostly is the share of a test's words that must stand in comments to call it commented out; source:
// docs/judge-quality.md.
const mostly = 0.7

// find gives the line at which a former test begins among the comments.
func (v *veil) find(t *units.Test) (line int, text string, ok bool) {
	total, common := 0, 0
	seen := map[string]bool{}
	for _, w := range change.Words(t.Body()) {
		if seen[w] || len(w) < 3 {
			continue
		}
		seen[w] = true
		total++
		if v.words[w] > 0 {
			common++
		}
	}
	if len(v.words) == 0 || float64(common) < mostly*float64(total) {
		return 0, "", false
	}
	want := change.Words(t.Name)
	for _, s := range v.spots {
		have := map[string]bool{}
		for _, w := range change.Words(s.text) {
			have[w] = true
		}
		all := len(want) > 0
		for _, w := range want {
			all = all && have[w]
		}
		if !all {
			continue
		}
		line = s.line
		for n, l := range strings.Split(s.text, "\n") {
			if strings.Contains(l, t.Name) {
				line = s.line + n
				break
			}
		}
		return line, v.file.Lines(line, line+t.End-t.Line), true
	}
	return 0, "", false
}
