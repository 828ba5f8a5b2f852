// Package change is what the rules of the judge look at: every changed file before and after, read into units, with tests
// and functions matched across the whole change, and the tree around it.
//
// Tests and functions are matched over all files, so that what moved, was renamed or was merged is not taken for
// deleted. It owns no table, starts no process (a Tree may) and judges nothing. A Change belongs to one goroutine.
package change

import (
	"slices"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/units"
)

// Tree is the project at one moment. Implementations may start processes and remember answers.
type Tree interface {
	Paths() []string                 // every file, slash paths, sorted
	Has(path string) bool            // file or directory
	Read(path string) ([]byte, bool) // false: not there, or larger than MaxRead
	// Grep finds the words as whole words: for each word the places, at most limit for each. Only text files.
	Grep(words []string, limit int) map[string][]Place
}

// Place is a line of a file.
type Place struct {
	Path string
	Line int // from 1
	Text string
}

// MaxRead bounds one file that is read, in bytes.
const MaxRead = 4 << 20

// Change is a set of changed files. Now and Base are nil when there is no repository: then questions about the rest of
// the project have no answer, and rules that need one stay silent.
type Change struct {
	Files   []*File // in path order
	Now     Tree
	Base    Tree
	Partial bool   // made from a patch alone: contents are the hunks with blank lines between them
	Task    string // what the change claims to do; may be empty. Never decides a verdict.

	pairs     []TestPair
	funcPairs []FuncPair
	done      struct{ pairs, funcs bool }
	made      map[any]any
}

// File is one changed file.
type File struct {
	Path    string // present path, or the former one of a deleted file
	OldPath string // former path; differs from Path after a rename, "" for a new file
	Status  byte   // A D M R T as of git
	Kind    layout.Kind
	Lang    source.Lang // "" for configuration, documents and unknown languages
	Before  *units.File // nil when there was none or it is no text
	After   *units.File // nil when there is none or it is no text
	Added   []diff.Line // of the new file
	Removed []diff.Line // of the old file
	Binary  bool

	added, removed []int // their line numbers, sorted
}

// Source is what New makes a File of.
type Source struct {
	Path, OldPath string
	Status        byte
	Before, After []byte // nil: not there or not read
	Lines         diff.File
	Binary        bool
}

// New reads the files of a change.
func New(files []Source) *Change {
	c := &Change{}
	for _, s := range files {
		f := &File{Path: s.Path, OldPath: s.OldPath, Status: s.Status, Kind: layout.Classify(s.Path), Lang: source.Of(s.Path), Added: s.Lines.Added, Removed: s.Lines.Removed, Binary: s.Binary}
		if f.OldPath == "" && s.Status != 'A' {
			f.OldPath = s.Path
		}
		if s.Before != nil {
			f.Before = units.Parse(f.OldPath, source.Of(f.OldPath), s.Before)
		}
		if s.After != nil && s.Status != 'D' {
			f.After = units.Parse(f.Path, f.Lang, s.After)
		}
		for _, l := range f.Added {
			f.added = append(f.added, l.N)
		}
		for _, l := range f.Removed {
			f.removed = append(f.removed, l.N)
		}
		slices.Sort(f.added)
		slices.Sort(f.removed)
		c.Files = append(c.Files, f)
	}
	sort.SliceStable(c.Files, func(i, j int) bool { return c.Files[i].Path < c.Files[j].Path })
	return c
}

// IsTest is true for test files, their helpers and data.
func (f *File) IsTest() bool { return f.Kind == layout.Test }

// Deleted is true when the file is gone.
func (f *File) Deleted() bool { return f.Status == 'D' }

// IsNew is true when the file was not there.
func (f *File) IsNew() bool { return f.Status == 'A' }

// Touched reports whether a line from to to of the present file was added or changed.
func (f *File) Touched(from, to int) bool { return within(f.added, from, to) }

// TouchedOld reports whether a line from to to of the former file was removed or changed.
func (f *File) TouchedOld(from, to int) bool { return within(f.removed, from, to) }

func within(lines []int, from, to int) bool {
	i := sort.SearchInts(lines, from)
	return i < len(lines) && lines[i] <= to
}

// File gives the changed file of a present or former path, nil when it did not change.
func (c *Change) File(path string) *File {
	for _, f := range c.Files {
		if f.Path == path || f.OldPath == path {
			return f
		}
	}
	return nil
}

// TestPair is a test before and after the change. One side is nil for a test that went or came.
type TestPair struct {
	Before, After *units.Test
	Old, New      *File   // the files that they stand in
	Similar       float64 // of the bodies, 0 to 1; 1 when equal
	Moved         bool    // to another file, group or name
}

// FuncPair is a function before and after the change. Functions of files that did not change are not listed.
type FuncPair struct {
	Before, After *units.Func
	Old, New      *File
	Similar       float64
	Moved         bool
}

// similarEnough is how much of the identifiers of two bodies must agree to call them one unit under two names; source:
// docs/judge-quality.md.
const similarEnough = 0.6

// Tests matches the tests of all changed files: first by file, group and name, then by name, then by what their bodies
// say. Those on both sides come in the order of the present files, then the new ones, then those that went.
func (c *Change) Tests() []TestPair {
	if c.done.pairs {
		return c.pairs
	}
	c.done.pairs = true
	var old, now []side[*units.Test]
	for _, f := range c.Files {
		if f.Before != nil {
			for _, t := range f.Before.Tests() {
				old = append(old, side[*units.Test]{t, f, f.OldPath, t.Group + "\x00" + t.Name, t.Name, nil})
			}
		}
		if f.After != nil {
			for _, t := range f.After.Tests() {
				now = append(now, side[*units.Test]{t, f, f.Path, t.Group + "\x00" + t.Name, t.Name, nil})
			}
		}
	}
	for _, m := range match(old, now, func(t *units.Test) string { return t.Body() }) {
		p := TestPair{Similar: m.similar, Moved: m.moved}
		if m.old >= 0 {
			p.Before, p.Old = old[m.old].unit, old[m.old].file
		}
		if m.now >= 0 {
			p.After, p.New = now[m.now].unit, now[m.now].file
		}
		c.pairs = append(c.pairs, p)
	}
	return c.pairs
}

// Funcs matches the functions of all changed files that are no tests, in the same way.
func (c *Change) Funcs() []FuncPair {
	if c.done.funcs {
		return c.funcPairs
	}
	c.done.funcs = true
	var old, now []side[*units.Func]
	for _, f := range c.Files {
		if f.Before != nil {
			for _, fn := range f.Before.Funcs() {
				if !fn.Test {
					old = append(old, side[*units.Func]{fn, f, f.OldPath, fn.Class + "\x00" + fn.Name, fn.Name, nil})
				}
			}
		}
		if f.After != nil {
			for _, fn := range f.After.Funcs() {
				if !fn.Test {
					now = append(now, side[*units.Func]{fn, f, f.Path, fn.Class + "\x00" + fn.Name, fn.Name, nil})
				}
			}
		}
	}
	for _, m := range match(old, now, func(fn *units.Func) string { return fn.Body() }) {
		p := FuncPair{Similar: m.similar, Moved: m.moved}
		if m.old >= 0 {
			p.Before, p.Old = old[m.old].unit, old[m.old].file
		}
		if m.now >= 0 {
			p.After, p.New = now[m.now].unit, now[m.now].file
		}
		c.funcPairs = append(c.funcPairs, p)
	}
	return c.funcPairs
}

// Symbols are the names that a version of the change's files declares: functions, methods and types.
func (c *Change) Symbols(before bool) map[string]bool {
	out := map[string]bool{}
	for _, f := range c.Files {
		u := f.After
		if before {
			u = f.Before
		}
		if u == nil {
			continue
		}
		for _, d := range u.Decls() {
			out[d.Name] = true
		}
	}
	return out
}

// Words splits text at everything that is no letter, digit or underscore.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
	})
}
