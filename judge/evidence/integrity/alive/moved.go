package alive

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/units"
)

// How much of a test's words, by weight, must stand elsewhere to call it moved; source: docs/judge-quality.md.
const (
	movedToOne  = 0.75 // into one test that gained them
	movedToMany = 0.9  // spread over what all tests gained
	twin        = 0.97 // into a test that was there before: a duplicate
	resumes     = 0.75 // of what a test calls, called by a new one elsewhere
	muchMore    = 1.25 // that a duplicate may say in addition
	nearby      = 0.8  // into a test of the same name in the same file
	sameName    = 0.95 // into a test of the same name in a file that did not change
)

// elsewhere finds the present test that says what a former one said.
func (x *Index) elsewhere(e *entry) (Fate, bool) {
	var best *entry
	score := 0.0
	for _, n := range x.now {
		if n.gained == nil || n.before == e || x.foreign(e, n) {
			continue
		}
		if s := x.merged(e, n); s > score {
			best, score = n, s
		}
	}
	if best != nil && score >= movedToOne {
		return at(best, Moved), true
	}
	if best != nil && score >= movedToOne/2 && x.asserted(e) {
		return at(best, Moved), true
	}
	if best != nil && x.held(e, x.union) >= movedToMany {
		return at(best, Moved), true
	}
	for _, n := range x.now {
		if n.before == e || n.fresh {
			continue
		}
		if n.file != e.file && siblings(e.test, n.test) {
			continue
		}
		if x.twins(e, n.words) && says(e.test, n.test) || n.file == e.file && n.test.Name == e.test.Name && x.held(e, n.words) >= nearby {
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

// twins reports whether a bag says all that a test says, in whatever case, and little more.
func (x *Index) twins(e *entry, other map[string]int) bool {
	folded := map[string]int{}
	more := 0
	for w, n := range other {
		folded[strings.ToLower(w)] += n
		more += n
	}
	mine, total, common := map[string]int{}, 0, 0
	telling, missing := 0.0, 0.0
	for w, n := range e.words {
		mine[strings.ToLower(w)] += n
		total += n
		g := x.weight(w)
		if telling += g; folded[strings.ToLower(w)] == 0 {
			missing += g
		}
	}
	for w, n := range mine {
		common += min(n, folded[w])
	}
	return total > 0 && float64(common) >= twin*float64(total) && missing <= (1-twin)*telling && float64(more) <= muchMore*float64(total)+2
}

// says reports whether a test names every text that another one names, and calls what it calls.
func says(old, now *units.Test) bool {
	have := map[string]bool{}
	f := now.File()
	for i := now.From; i < now.To; i++ {
		if f.Kind(i) == source.String {
			have[strings.ToLower(f.Unquote(i))] = true
		}
	}
	f = old.File()
	for i := old.From; i < old.To; i++ {
		if f.Kind(i) == source.String && !(i == old.From && old.Call != "") && !have[strings.ToLower(f.Unquote(i))] {
			return false
		}
	}
	theirs := callees(now)
	for w := range callees(old) {
		if !theirs[w] {
			return false
		}
	}
	return true
}

// siblings reports whether the files of two tests are suites of one shape for different code: they share the names of
// other tests as well.
func siblings(a, b *units.Test) bool {
	names := map[string]bool{}
	for _, t := range a.File().Tests() {
		if t != a {
			names[t.Name] = true
		}
	}
	shared := 0
	for _, t := range b.File().Tests() {
		if t != b && names[t.Name] {
			shared++
		}
	}
	return shared >= 2
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
		if !x.telling(text) {
			continue
		}
		for _, n := range x.now {
			if n.gained != nil && strings.Contains(n.test.Body(), text) && (n.before == nil || !strings.Contains(n.before.test.Body(), text)) {
				found++
				break
			}
		}
	}
	return 2*found > len(list)
}

// merged is the share of a test's words, by weight, that a present test says: what only the former test said must be among
// what the other one gained.
func (x *Index) merged(e, n *entry) float64 {
	total, common, own := 0.0, 0.0, false
	for w := range e.words {
		g := x.weight(w)
		total += g
		switch {
		case n.gained[w] > 0:
			common += g
			own = own || g == 1
		case x.often[w] > 1 && n.words[w] > 0:
			common += g
		}
	}
	if !own || total == 0 {
		return x.held(e, n.gained)
	}
	return common / total
}

// foreign reports whether a present test is about other code of the same shape: it stands in another part of the
// project, and the code that the file of the former test was named after is still in its own.
func (x *Index) foreign(e, n *entry) bool {
	old := e.file.OldPath
	if e.file.After != nil && e.file.Path == old || n.file.Path == old {
		return false
	}
	m := module(old)
	return m != module(n.file.Path) && x.subjectStays(old, m)
}

// telling reports whether a text holds a word that few tests hold.
func (x *Index) telling(text string) bool {
	for _, w := range change.Words(text) {
		if x.weight(w) >= 0.5 && len(w) > 2 {
			return true
		}
	}
	return false
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
		if hits[p] < max(1, len(rare)/2) || x.c.File(p) != nil || module(p) != module(e.file.OldPath) {
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
			if siblings(e.test, t) {
				break
			}
			if words := bag(t); x.twins(e, words) && says(e.test, t) || t.Name == e.test.Name && x.held(e, words) >= sameName {
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
		if !n.fresh || x.foreign(e, n) {
			continue
		}
		theirs := callees(n.test)
		total, common, telling := 0.0, 0.0, false
		for w := range calls {
			g := x.weight(w)
			total += g
			if theirs[w] {
				common += g
				telling = telling || g >= 0.3
			}
		}
		if common == 0 {
			continue
		}
		near := n.file == e.file && inPlace(e.file, e.test, n.test)
		follows := e.file.After == nil && n.file.IsNew() && path.Ext(n.file.Path) == path.Ext(e.file.OldPath)
		switch {
		case common/total >= 0.5 && (near || follows && telling):
			return at(n, Replaced), true
		case far == nil && (near || telling && common/total >= resumes):
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

// module is the part of a project that a test file belongs to: what stands in front of its folder of tests.
func module(p string) string {
	parts := strings.Split(path.Dir(p), "/")
	for i, d := range parts {
		switch d {
		case "test", "tests", "__tests__", "spec", "integration_test":
			if i > 0 && parts[i-1] == "src" {
				i--
			}
			return strings.Join(parts[:i], "/")
		}
	}
	return path.Dir(p)
}

// subjectStays reports whether the code that a test file is named after is still in its part of the project.
func (x *Index) subjectStays(p, m string) bool {
	if x.c.Now == nil {
		return false
	}
	if stays, ok := x.stays[p]; ok {
		return stays
	}
	stays := x.subject(p, m)
	x.stays[p] = stays
	return stays
}

func (x *Index) subject(p, m string) bool {
	lang := source.Of(p)
	subject := layout.Subject(lang, path.Base(p))
	for _, o := range x.c.Now.Paths() {
		if strings.HasPrefix(o, m+"/") && !layout.IsTest(o) && source.Of(o) == lang && layout.SameStem(lang, subject, layout.Stem(o)) {
			return true
		}
	}
	return false
}
