package integrity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/alive"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/off"
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
	where := map[*units.File][]lost{}
	for _, t := range s.alive.Gone() {
		where[t.File()] = append(where[t.File()], lost{t, s.alive.Fate(t)})
	}
	s.veiled(where)
	for _, f := range s.c.Files {
		if f.Before == nil || s.c.Partial && f.After == nil && f.Status != 'D' {
			continue
		}
		list := where[f.Before]
		switch {
		case len(list) == 0:
		case f.After == nil || f.Lang == "" || f.Path != f.OldPath && len(list) == len(f.Before.Tests()):
			s.fileGone(f, list)
		default:
			s.testsGone(f, list)
		}
	}
}

// veiled finds tests that are commented out while a similar test, which is new, passes for their counterpart.
func (s *survey) veiled(gone map[*units.File][]lost) {
	comments := map[*change.File]*veil{}
	for _, p := range s.c.Tests() {
		if p.Before == nil || p.After == nil || p.Before.Name == p.After.Name || p.Old.After == nil {
			continue
		}
		if comments[p.Old] == nil {
			comments[p.Old] = s.hidden(p.Old)
		}
		if _, _, ok := comments[p.Old].find(p.Before); ok && !slices.ContainsFunc(gone[p.Before.File()], func(l lost) bool { return l.test == p.Before }) {
			gone[p.Before.File()] = append(gone[p.Before.File()], lost{test: p.Before})
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
	before, now := len(f.Before.Tests()), len(f.After.Tests())
	comments := s.hidden(f)
	excused := 0
	for _, l := range list {
		if l.fate.Kind == alive.Obsolete {
			excused++
		}
	}
	var unsure, sure []rule.Finding
	for _, l := range list {
		t := l.test
		finding := rule.Finding{Path: f.Path, Line: max(min(f.Present(t.Line), f.After.NumLines()), 1), Unit: t.Name, Before: t.Text()}
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
		if l.fate.Kind == alive.Replaced {
			continue
		}
		because := ""
		switch {
		case l.fate.Kind == alive.Resumed:
			because = fmt.Sprintf("and only %s in %s tests the same code", l.fate.Name, l.fate.Path)
		case l.fate.Kind == alive.Touched:
			because = "while code that it is about stays in part (" + strings.Join(l.fate.Words[:min(3, len(l.fate.Words))], ", ") + ")"
		case 2*excused > len(list):
			because = "among tests of code that is gone, while its own code stays"
		case s.versioned(f.Before, t):
			because = "which ran for some versions only"
		}
		finding.Fix = "bring the test back, or remove the code that it exercises as well"
		if because != "" {
			finding.Text = fmt.Sprintf("%s is deleted, %s (%s: %d tests before, %d now)", title(t), because, f.Path, before, now)
			unsure = append(unsure, finding)
			continue
		}
		finding.Text = fmt.Sprintf("%s is deleted, and nothing took its place (%s: %d tests before, %d now)", title(t), f.Path, before, now)
		sure = append(sure, finding)
	}
	if now == 0 && len(sure) > 1 && f.IsTest() {
		s.add(fileDeleted, verdict.Hard, f.After, rule.Finding{
			Path: f.Path, Line: 1, Unit: f.Path, Before: sure[0].Before, Text: fmt.Sprintf("%s holds no test any more: %s of %d are gone without anything in their place", f.Path, count(len(sure)), before), Fix: sure[0].Fix,
		})
		sure = nil
	}
	for _, finding := range sure {
		s.add(deleted, verdict.Hard, f.After, finding)
	}
	if len(unsure) > 0 {
		// Tests that went together for one reason are one doubt.
		first := unsure[0]
		if n := len(unsure) - 1; n > 0 {
			first.Text += fmt.Sprintf("; and %s more like it", count(n))
		}
		s.add(deleted, verdict.Soft, f.After, first)
	}
}

// versioned reports whether a former test ran under a condition on versions.
func (s *survey) versioned(u *units.File, t *units.Test) bool {
	for _, sw := range s.off(u) {
		if sw.Guard == off.Platform && sw.Covers(t) && strings.Contains(strings.ToLower(sw.What), "version") {
			return true
		}
	}
	return false
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
