// Package project answers what the reference rules ask about the rest of a project: which files are there, were there,
// mention a word, and which file an import means.
//
// A View is made once for a change and shared by all rules (change.Change.Once): files are read and lexed once, words are
// searched once. It owns no table, starts no process itself (the change's tree may) and judges nothing. It belongs to one
// goroutine.
package project

import (
	"path"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/units"
)

// View is the project around a change.
type View struct {
	C *change.Change

	readers map[string]*names.Reader
	former  map[*change.File]*names.Reader
	has     map[string]bool
	dirs    map[string][]string // directory → files
	bases   map[string][]string // file name → paths
	gone    map[string]bool     // paths that this change took away
	listed  bool
	files   map[string]*change.File
	removed []Removed
	lost    bool
	spent   int      // bytes of unchanged files that were read
	modules []string // Go module paths with their folders, longest first: "path\x00dir"
	gomods  bool
}

type key struct{}

// Of gives the view of a change, nil when nothing is known about the rest of the project.
func Of(c *change.Change) *View {
	if c.Now == nil {
		return nil
	}
	return c.Once(key{}, func() any {
		v := &View{C: c, readers: map[string]*names.Reader{}, former: map[*change.File]*names.Reader{}, gone: map[string]bool{}, files: map[string]*change.File{}}
		for _, f := range c.Files {
			v.files[f.Path] = f
		}
		return v
	}).(*View)
}

func (v *View) list() {
	if v.listed {
		return
	}
	v.listed, v.has, v.dirs, v.bases = true, map[string]bool{}, map[string][]string{}, map[string][]string{}
	for _, p := range v.C.Now.Paths() {
		v.has[p] = true
		d, b := path.Split(p)
		d = strings.TrimSuffix(d, "/")
		v.dirs[d] = append(v.dirs[d], p)
		v.bases[b] = append(v.bases[b], p)
	}
	for _, f := range v.C.Files {
		if f.OldPath != "" && !v.has[f.OldPath] {
			v.gone[f.OldPath] = true
		}
	}
}

// Has reports whether the file is there now.
func (v *View) Has(p string) bool { v.list(); return v.has[p] }

// Gone reports whether the change took the file away.
func (v *View) Gone(p string) bool { v.list(); return v.gone[p] }

// GonePaths lists the files that the change took away, sorted.
func (v *View) GonePaths() []string {
	v.list()
	var out []string
	for p := range v.gone {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

// HasDir reports whether a folder is there now, and has files right in it or below.
func (v *View) HasDir(d string) bool {
	v.list()
	return len(v.dirs[d]) > 0 || v.C.Now.Has(d) && !v.has[d]
}

// Dir lists the files right in a folder; "" is the root.
func (v *View) Dir(d string) []string {
	v.list()
	if d == "." {
		d = ""
	}
	return v.dirs[d]
}

// Named lists the files of that name anywhere.
func (v *View) Named(base string) []string { v.list(); return v.bases[base] }

// Present reads a file as it is now, nil when it cannot be read or nobody knows its language.
func (v *View) Present(p string) *names.Reader {
	if r, ok := v.readers[p]; ok {
		return r
	}
	var u *units.File
	if f := v.files[p]; f != nil {
		u = f.After
	} else if lang := source.Of(p); lang != "" {
		if v.spent > budget {
			return nil
		}
		if text, ok := v.C.Now.Read(p); ok && len(text) <= maxRead {
			v.spent += len(text)
			u = units.Parse(p, lang, text)
		}
	}
	var r *names.Reader
	if u != nil {
		r = names.New(u)
	}
	v.readers[p] = r
	return r
}

// budget bounds what is read of files that did not change, in bytes, all together: about 150 ms.
const budget = 3 << 20

// Spent reports whether files were left unread because too many would have to be read. From then on nothing may be
// concluded from what was not found.
func (v *View) Spent() bool { return v.spent > budget }

// maxRead bounds the files that are read for what they refer to, in bytes: longer ones are data or generated.
const maxRead = 1 << 20

// Text gives the text of a present file of any kind, "" when it cannot be read.
func (v *View) Text(p string) string {
	if f := v.files[p]; f != nil && f.After != nil {
		return f.After.Src
	}
	text, ok := v.C.Now.Read(p)
	if !ok {
		return ""
	}
	return string(text)
}

// Former reads a changed file as it was.
func (v *View) Former(f *change.File) *names.Reader {
	if r, ok := v.former[f]; ok {
		return r
	}
	var r *names.Reader
	if f.Before != nil {
		r = names.New(f.Before)
	}
	v.former[f] = r
	return r
}

// Changed gives the changed file of a present path, nil when it did not change.
func (v *View) Changed(p string) *change.File { return v.files[p] }

// many bounds the places that are looked at for one word.
const many = 3000

// Places finds words in all text files of the project. Words that stand in more places than anyone wants to look at are
// left out; see Common.
func (v *View) Places(words []string) map[string][]change.Place {
	return v.C.Now.Grep(words, many)
}

// Common reports whether so many places have the word that not all are known.
func Common(places []change.Place) bool { return len(places) >= many }

// Family joins languages that can refer to each other's names.
func Family(l source.Lang) string {
	switch l {
	case source.JS, source.TS:
		return "script"
	case source.Java, source.Kotlin, source.Scala:
		return "jvm"
	case source.C, source.CPP:
		return "c"
	}
	return string(l)
}

// Code reports whether a file is hand-written code of the family.
func Code(p, family string) bool {
	l := source.Of(p)
	return l != "" && Family(l) == family && layout.Classify(p) != layout.Generated
}

// Speaks reports whether a file is code of the family, whoever wrote it.
func Speaks(p, family string) bool {
	l := source.Of(p)
	return l != "" && Family(l) == family
}

// Removed is a definition that was there and is not any more, nowhere in the changed files.
type Removed struct {
	names.Thing
	File *change.File
}

// maxRemoved bounds the names that are looked for.
const maxRemoved = 300

// Removed lists the definitions whose names no changed file of the family defines any more.
func (v *View) Removed() []Removed {
	if v.lost {
		return v.removed
	}
	v.lost = true
	now := map[string]bool{}
	any := false
	for _, f := range v.C.Files {
		any = any || f.Before != nil && f.Lang != "" && len(f.Removed) > 0
	}
	if !any {
		return nil
	}
	for _, f := range v.C.Files {
		if f.After == nil || f.Lang == "" {
			continue
		}
		for _, t := range v.Present(f.Path).Things() {
			now[Family(f.Lang)+"\x00"+t.Name] = true
		}
	}
	for _, f := range v.C.Files {
		if f.Before == nil || f.Lang == "" || len(f.Removed) == 0 || f.Kind == layout.Generated {
			continue
		}
		for _, t := range v.Former(f).Things() {
			if len(t.Name) > 2 && !now[Family(f.Lang)+"\x00"+t.Name] && !strings.HasPrefix(t.Name, "__") && len(v.removed) < maxRemoved && !strings.Contains(t.Name, "$") {
				v.removed = append(v.removed, Removed{Thing: t, File: f})
			}
		}
	}
	return v.removed
}

// RemovedPlaces finds the places of all removed names, and of the stems of files that went, with one search.
func (v *View) RemovedPlaces() map[string][]change.Place {
	words := v.RemovedWords()
	if len(words) == 0 {
		return nil
	}
	return v.Places(words)
}

// RemovedWords lists the words that RemovedPlaces searches.
func (v *View) RemovedWords() []string {
	seen := map[string]bool{}
	var words []string
	add := func(w string) {
		if w != "" && !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	for _, r := range v.Removed() {
		add(r.Name)
	}
	for _, p := range v.GonePaths() {
		add(Stem(p))
	}
	return words
}

// Stem is the name of a file without endings, or of its folder where the file stands for the folder: the word by which
// others refer to it.
func Stem(p string) string {
	base := path.Base(p)
	stem, _, _ := strings.Cut(base, ".")
	switch stem {
	case "index", "mod", "__init__", "lib", "package-info":
		if d := path.Dir(p); d != "." {
			stem = path.Base(d)
		}
	}
	// words of a search have no hyphens in them
	longest := ""
	for _, w := range change.Words(stem) {
		if len(w) > len(longest) {
			longest = w
		}
	}
	return longest
}
