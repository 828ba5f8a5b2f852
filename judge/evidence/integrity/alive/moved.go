package alive

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/units"
)

// How much of a test's words, by weight, must stand elsewhere to call it moved; source: docs/judge-quality.md.
const (
	movedToOne  = 0.75 // into one test that gained them
	movedToMany = 0.9  // spread over what all tests gained
	twin        = 0.97 // into a test that was there before: a duplicate
	sameName    = 0.95 // into a test of the same name in a file that did not change
)

// elsewhere finds the present test that says what a former one said.
func (x *Index) elsewhere(e *entry) (Fate, bool) {
	var best *entry
	score := 0.0
	for _, n := range x.now {
		if n.gained == nil || n.before == e {
			continue
		}
		if s := x.held(e, n.gained); s > score {
			best, score = n, s
		}
	}
	if best != nil && score >= movedToOne {
		return at(best, Moved), true
	}
	if best != nil && x.asserted(e) {
		return at(best, Moved), true
	}
	if len(x.union) > 0 && x.held(e, x.union) >= movedToMany {
		f := Fate{Kind: Moved}
		if best != nil {
			f = at(best, Moved)
		}
		return f, true
	}
	for _, n := range x.now {
		if n.before == e || n.fresh {
			continue
		}
		if x.twins(e, n.words) {
			f := at(n, Moved)
			f.Twin = true
			return f, true
		}
	}
	return x.inTree(e)
}

func at(e *entry, k Kind) Fate {
	return Fate{Kind: k, Path: e.file.Path, Line: e.test.Line, Name: e.test.Name}
}

// twins reports whether a bag says all that a test says, and little more.
func (x *Index) twins(e *entry, other map[string]int) bool {
	total, common := 0, 0
	for w, n := range e.words {
		total += n
		common += min(n, other[w])
	}
	if total == 0 || float64(common) < twin*float64(total) || x.held(e, other) < twin {
		return false
	}
	more := 0
	for _, n := range other {
		more += n
	}
	return float64(more) <= 1.1*float64(total)+2
}

// asserted reports whether most assertions of a test, word by word, stand among what tests gained.
func (x *Index) asserted(e *entry) bool {
	list := e.test.Asserts()
	if len(list) == 0 {
		return false
	}
	file, found := e.test.File(), 0
	for _, a := range list {
		text := file.Norm(a.From, a.To)
		for _, n := range x.now {
			if n.gained != nil && strings.Contains(n.test.Body(), text) && (n.before == nil || !strings.Contains(n.before.test.Body(), text)) {
				found++
				break
			}
		}
	}
	return 2*found > len(list)
}

// maxOthers bounds the files of the tree that are read for one test.
const maxOthers = 6

// inTree looks for the test in files that did not change: it may have been copied there before, or be a duplicate.
func (x *Index) inTree(e *entry) (Fate, bool) {
	if x.c.Now == nil {
		return Fate{}, false
	}
	rare := x.rare(e)
	if len(rare) > 4 {
		rare = rare[:4]
	}
	if e.test.Call == "" && len(e.test.Name) > 6 {
		rare = append(rare, e.test.Name)
	}
	if len(rare) == 0 {
		return Fate{}, false
	}
	const most = 30
	hits := map[string]int{}
	for _, places := range x.c.Now.Grep(rare, most) {
		last := ""
		for _, p := range places {
			if p.Path != last && layout.IsTest(p.Path) && source.Of(p.Path) == e.test.File().Lang {
				hits[p.Path]++
			}
			last = p.Path
		}
	}
	read := 0
	for _, p := range sorted(hits) {
		if hits[p] < max(1, len(rare)/2) || x.c.File(p) != nil {
			continue
		}
		if read++; read > maxOthers {
			break
		}
		f := x.other(p)
		if f == nil {
			continue
		}
		for _, t := range f.Tests() {
			if words := bag(t); x.twins(e, words) || t.Name == e.test.Name && x.held(e, words) >= sameName {
				return Fate{Kind: Moved, Twin: true, Path: p, Line: t.Line, Name: t.Name}, true
			}
		}
	}
	return Fate{}, false
}

func (x *Index) other(p string) *units.File {
	if f, ok := x.seen[p]; ok {
		return f
	}
	var f *units.File
	if text, ok := x.c.Now.Read(p); ok {
		f = units.Parse(p, source.Of(p), text)
	}
	x.seen[p] = f
	return f
}

// replaced finds a new test that calls what the former one called.
func (x *Index) replaced(e *entry) (Fate, bool) {
	calls := callees(e.test)
	if len(calls) == 0 {
		return Fate{}, false
	}
	var far *entry
	for _, n := range x.now {
		if !n.fresh {
			continue
		}
		theirs := callees(n.test)
		total, common := 0.0, 0.0
		for w := range calls {
			g := x.weight(w)
			total += g
			if theirs[w] {
				common += g
			}
		}
		if total == 0 || common/total < 0.5 {
			continue
		}
		if n.file == e.file && e.file != nil {
			from, to := e.file.Present(e.test.First), e.file.Present(e.test.End)
			if n.test.First <= to+1 && from <= n.test.End+1 {
				return at(n, Replaced), true
			}
		} else if e.file.After == nil && path.Ext(n.file.Path) == path.Ext(e.file.OldPath) {
			return at(n, Replaced), true
		}
		if far == nil {
			far = n
		}
	}
	if far != nil {
		return at(far, Resumed), true
	}
	return Fate{}, false
}

// callees are the names that a test calls, other than its framework's.
func callees(t *units.Test) map[string]bool {
	out := map[string]bool{}
	f := t.File()
	for i := t.From; i < t.To; i++ {
		if f.Kind(i) == source.Name && (f.Is(i+1, "(") || f.Is(i+1, "!") || f.Is(i+1, "{") && f.Lang == source.Go) && !keyword(f.Text(i)) && len(f.Text(i)) > 2 {
			out[f.Text(i)] = true
		}
	}
	return out
}
