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

// finding is a finding with the rule that it belongs to.
type finding struct {
	rule.Finding
	kind kind
}

// survey is everything that this package has to say about one change.
type survey struct {
	c        *change.Change
	alive    *alive.Index
	switches map[*units.File][]off.Switch
	used     map[string]map[string]int // words of a present file, by path
	found    []finding
}

// look makes the survey.
func look(c *change.Change) *survey {
	s := &survey{c: c, switches: map[*units.File][]off.Switch{}, used: map[string]map[string]int{}}
	if !slices.ContainsFunc(c.Files, func(f *change.File) bool { return f.Lang != "" || source.Of(f.OldPath) != "" }) {
		return s
	}
	s.alive = alive.Of(c)
	s.switched()
	s.narrowed()
	s.uncollected()
	s.gone()
	s.temper()
	s.registers()
	slices.SortStableFunc(s.found, func(a, b finding) int {
		if n := strings.Compare(a.Path, b.Path); n != 0 {
			return n
		}
		return a.Line - b.Line
	})
	return s
}

// maxDoubts is how many doubts about removed tests one change raises: tests of code that it rewrites go together, for one
// reason, and three doubts would fail it.
const maxDoubts = 2

// temper folds what is beyond that into the last one.
func (s *survey) temper() {
	doubts, more, last := 0, 0, -1
	var out []finding
	for _, f := range s.found {
		if f.Class == verdict.Soft && (f.kind == deleted || f.kind == fileDeleted) {
			if doubts++; doubts > maxDoubts {
				more++
				continue
			}
			last = len(out)
		}
		out = append(out, f)
	}
	if more > 0 {
		out[last].Text += fmt.Sprintf("; the same in %d more files", more)
	}
	s.found = out
}

// add notes a finding. The evidence is the line as it stands in the file u, if there is one.
func (s *survey) add(k kind, class verdict.Class, u *units.File, f rule.Finding) {
	f.Class = class
	if u != nil && f.Evidence == "" {
		f.Evidence = strings.TrimSpace(u.Lines(f.Line, f.Line))
	}
	f.Before, f.After = clip(f.Before), clip(f.After)
	s.found = append(s.found, finding{f, k})
}

// maxUnit bounds the text of a unit that is kept for a question, in bytes.
const maxUnit = 4 << 10

func clip(text string) string {
	if len(text) <= maxUnit {
		return text
	}
	if i := strings.LastIndexByte(text[:maxUnit], '\n'); i > 0 {
		return text[:i]
	}
	return text[:maxUnit]
}

// off lists the switches of a version of a file.
func (s *survey) off(u *units.File) []off.Switch {
	list, ok := s.switches[u]
	if !ok {
		list = off.Find(u)
		s.switches[u] = list
	}
	return list
}

// words counts the names in the code of a present file.
func (s *survey) words(f *change.File) map[string]int {
	w, ok := s.used[f.Path]
	if !ok {
		w = map[string]int{}
		if f.After != nil {
			for i := range f.After.Tokens {
				if f.After.Kind(i) == source.Name {
					w[f.After.Text(i)]++
				}
			}
		}
		s.used[f.Path] = w
	}
	return w
}

// title names a test for people.
func title(t *units.Test) string {
	if t.Call == "" {
		return t.Name
	}
	return "“" + t.Name + "”"
}
