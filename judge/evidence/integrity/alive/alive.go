// Package alive says what became of a test that is gone: whether its assertions live on in other tests, whether the code
// that it exercised is gone with it, or whether it was simply lost.
//
// It excuses by symbol and by content, never by volume: how many lines or tests came in its place decides nothing. It
// looks at the tests of the changed files and, where there is a tree, at the files that hold the rarest words of the
// test. It owns no table and no file; an Index belongs to the goroutine of its Change.
package alive

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/units"
)

// Kind is what became of a test.
type Kind uint8

// Kinds, from lost to excused.
const (
	Lost     Kind = iota // nothing excuses it
	Touched              // the change also took away code that it mentions, but the code is still there
	Resumed              // new tests of the same code came, though not in its place
	Replaced             // a new test of the same code stands where it stood
	Obsolete             // names that it used are gone from the project
	Moved                // its assertions stand in another test
)

// Fate is what became of one test.
type Fate struct {
	Kind  Kind
	Path  string // with Moved, Replaced and Resumed: the other test
	Line  int
	Name  string
	Words []string // with Obsolete and Touched: the names
	Twin  bool     // with Moved: the other test was there before and says the same
}

// Index knows the tests and the code of a change.
type Index struct {
	c        *change.Change
	now      []*entry // tests of the present side
	old      []*entry
	byOld    map[*units.Test]*entry
	departed []*units.Test
	often    map[string]int // in how many tests of the former side a word stands
	union    map[string]int // words that tests gained
	lost     map[string]bool
	changed  map[string]bool
	said     []string               // messages that code does not give any more
	stays    map[string]bool        // by test file: whether the code that it is named after is still there
	seen     map[string]*units.File // other files of the tree that were read
}

// entry is a test with its words.
type entry struct {
	test   *units.Test
	file   *change.File
	words  map[string]int
	gained map[string]int // of a present test: what its former version did not say
	fresh  bool           // had no former version
	before *entry
}

type indexKey struct{}

// Of gives the index of a change; it is made once.
func Of(c *change.Change) *Index {
	return c.Once(indexKey{}, func() any { return newIndex(c) }).(*Index)
}

func newIndex(c *change.Change) *Index {
	x := &Index{c: c, byOld: map[*units.Test]*entry{}, often: map[string]int{}, union: map[string]int{}, seen: map[string]*units.File{}, stays: map[string]bool{}}
	pairs := c.Tests()
	for _, p := range pairs {
		if p.Before == nil {
			continue
		}
		e := &entry{test: p.Before, file: p.Old, words: bag(p.Before)}
		x.old = append(x.old, e)
		x.byOld[p.Before] = e
		for w := range e.words {
			x.often[w]++
		}
	}
	for _, p := range pairs {
		if p.After != nil {
			x.present(p)
		} else {
			x.departed = append(x.departed, p.Before)
		}
	}
	x.helpers()
	return x
}

// present adds the present test of a pair.
func (x *Index) present(p change.TestPair) {
	e := &entry{test: p.After, file: p.New}
	if p.Before != nil {
		if e.before = x.byOld[p.Before]; x.parted(p, e.before) {
			e.before = nil
			x.departed = append(x.departed, p.Before)
		}
	}
	e.fresh = e.before == nil
	switch {
	case e.fresh:
		e.words = bag(p.After)
		e.gained = e.words
	case p.Before.Body() == p.After.Body():
		e.words = e.before.words
	default:
		e.words = bag(p.After)
		e.gained = map[string]int{}
		for w, n := range e.words {
			if n > e.before.words[w] {
				e.gained[w] = n - e.before.words[w]
			}
		}
	}
	for w, n := range e.gained {
		x.union[w] += n
	}
	x.now = append(x.now, e)
}

// How much of the words of a test, by weight, its counterpart under another name must say; source: docs/judge-quality.md.
const (
	counterpart = 0.75 // elsewhere in the same file
	distant     = 0.6  // in another file
)

// parted reports whether a pair that the words of the bodies made is none: a similar test is new, or a copy was made for
// other code, and the former test is gone.
func (x *Index) parted(p change.TestPair, e *entry) bool {
	if p.Old.OldPath != p.New.Path && (p.Old.After == nil || p.Old == p.New) {
		if m := module(p.Old.OldPath); m != module(p.New.Path) && x.subjectStays(p.Old.OldPath, m) {
			return true
		}
	}
	if p.Before.Name == p.After.Name || p.Similar >= twin {
		return false
	}
	if p.Old != p.New {
		return p.Old.After != nil && x.held(e, bag(p.After)) < distant
	}
	return !inPlace(p.Old, p.Before, p.After) && x.held(e, bag(p.After)) < counterpart
}

// inPlace reports whether a present test stands where a former one of the same file stood.
func inPlace(f *change.File, old, now *units.Test) bool {
	return now.First <= f.Present(old.End)+1 && f.Present(old.First) <= now.End+1
}

// Gone lists the former tests that have no counterpart among the present ones, in order of files and lines.
func (x *Index) Gone() []*units.Test { return x.departed }

// helpers adds what functions of test files gained: assertions may move there.
func (x *Index) helpers() {
	for _, f := range x.c.Files {
		if f.After == nil || !f.IsTest() {
			continue
		}
		tests := f.After.Tests()
		for i := 0; i < len(f.After.Tokens); i++ {
			for len(tests) > 0 && tests[0].To <= i {
				tests = tests[1:]
			}
			if len(tests) > 0 && tests[0].From <= i {
				i = max(i, tests[0].To-1)
				continue // tests were counted
			}
			t := &f.After.Tokens[i]
			text := f.After.Text(i)
			if t.Kind == source.Op || !f.Touched(int(t.Line), int(t.Line)) || t.Kind == source.String && strings.Contains(text, "\n") {
				continue // what stands in long strings may be code that was switched off
			}
			for _, w := range change.Words(text) {
				x.union[w]++
			}
		}
	}
}

// bag counts the words of a test without its title: that is a name.
func bag(t *units.Test) map[string]int {
	from := t.From
	f := t.File()
	if t.Call != "" && f.Kind(from) == source.String && from+1 < t.To {
		from++
	}
	out := map[string]int{}
	for _, w := range change.Words(f.Norm(from, t.To)) {
		out[w]++
	}
	return out
}

// Fate says what became of a test of the former side that is not among the present ones. Its file is old.
func (x *Index) Fate(t *units.Test) Fate {
	e := x.byOld[t]
	if e == nil {
		return Fate{}
	}
	if f, ok := x.elsewhere(e); ok {
		return f
	}
	if words := x.obsolete(e); len(words) > 0 {
		return Fate{Kind: Obsolete, Words: words}
	}
	if f, ok := x.replaced(e); ok {
		return f
	}
	if words := x.touched(e); len(words) > 0 {
		return Fate{Kind: Touched, Words: words}
	}
	return Fate{}
}

// Elsewhere says whether the assertions of a former test stand in another present test.
func (x *Index) Elsewhere(t *units.Test) (Fate, bool) {
	e := x.byOld[t]
	if e == nil {
		return Fate{}, false
	}
	return x.elsewhere(e)
}

// weight is how much a word tells one test from the others of the change.
func (x *Index) weight(w string) float64 {
	if len(w) < 2 && (w < "0" || w > "9") || keyword(w) {
		return 0
	}
	return 1 / float64(max(x.often[w], 1))
}

// held is the share of a test's words, by weight, that stand in a bag.
func (x *Index) held(e *entry, in map[string]int) float64 {
	total, common := 0.0, 0.0
	for w := range e.words {
		g := x.weight(w)
		total += g
		if in[w] > 0 {
			common += g
		}
	}
	if total == 0 {
		return 0
	}
	return common / total
}

// rare lists the words of a test, the most telling first.
func (x *Index) rare(e *entry) []string {
	var out []string
	for w := range e.words {
		if len(w) >= 4 && !keyword(w) && (w[0] < '0' || w[0] > '9') {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if n := x.often[a] - x.often[b]; n != 0 {
			return n
		}
		if n := len(b) - len(a); n != 0 {
			return n
		}
		if a < b {
			return -1
		}
		return 1
	})
	return out
}

// keyword knows words that say nothing about what a test is about.
func keyword(w string) bool {
	switch w {
	case "if", "for", "return", "func", "def", "function", "const", "let", "var", "new", "true", "false", "nil", "null", "None", "True", "False", "self", "this", "err",
		"expect", "assert", "assertEquals", "assertThat", "assertEqual", "isEqualTo", "toBe", "toEqual", "equal", "eq", "t", "it", "test", "describe", "Fatal", "Fatalf", "Errorf", "Error",
		"async", "await", "void", "int", "string", "String", "final", "range", "fn", "mut", "unwrap", "assert_eq", "should", "in", "not", "with", "as", "from", "import", "the", "a",
		"of", "to", "is", "and", "or", "require", "Equal", "NoError", "raises", "pytest", "public", "private", "static", "throw", "throws", "try", "catch", "else", "end", "do":
		return true
	}
	return false
}
