package alive

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
)

// isCode reports whether a changed file is code that tests exercise.
func isCode(f *change.File) bool {
	return !f.IsTest() && f.Kind != layout.Doc && f.Kind != layout.Generated && (f.Lang != "" || f.Kind == layout.Config)
}

// vanished are the words that code files lost altogether in this change.
func (x *Index) vanished() map[string]bool {
	if x.lost != nil {
		return x.lost
	}
	x.lost = map[string]bool{}
	for _, f := range x.c.Files {
		if !isCode(f) || f.Before == nil {
			continue
		}
		for _, l := range f.Removed {
			for _, w := range change.Words(l.Text) {
				if len(w) > 2 && !keyword(w) {
					x.lost[w] = true
				}
			}
		}
	}
	if len(x.lost) == 0 {
		return x.lost
	}
	for _, f := range x.c.Files {
		if f.After == nil || f.Kind == layout.Doc || f.Kind == layout.Generated {
			continue
		}
		for i := range f.After.Tokens {
			if f.After.Kind(i) == source.Op {
				continue
			}
			for _, w := range change.Words(f.After.Text(i)) {
				delete(x.lost, w)
			}
		}
	}
	return x.lost
}

// obsolete lists names that a test used and that are gone from the project.
func (x *Index) obsolete(e *entry) []string {
	if e.file == nil {
		return nil
	}
	var words []string
	lost := x.vanished()
	for w := range e.words {
		if lost[w] {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	if len(words) > 0 && x.c.Now != nil {
		still := x.c.Now.Grep(words, 20)
		words = slices.DeleteFunc(words, func(w string) bool {
			return slices.ContainsFunc(still[w], func(p change.Place) bool {
				k := layout.Classify(p.Path)
				return k != layout.Doc && k != layout.Generated && source.Of(p.Path) != ""
			})
		})
	}
	if len(words) == 0 && e.file.After == nil {
		words = x.folder(e)
	}
	return words
}

// folder says which source went together with a test file: the one that it is named after, or its whole folder.
func (x *Index) folder(e *entry) []string {
	old := e.file.OldPath
	lang := source.Of(old)
	for _, f := range x.c.Files {
		if f.Deleted() && isCode(f) && f.Lang != "" && layout.SameStem(lang, layout.Stem(old), layout.Stem(f.OldPath)) {
			return []string{f.OldPath}
		}
	}
	if x.c.Now == nil {
		return nil
	}
	for dir := path.Dir(old); dir != "." && dir != "/"; dir = path.Dir(dir) {
		base := path.Base(dir)
		if !x.c.Now.Has(dir) && x.codeBelow(dir) && base != "test" && base != "tests" {
			return []string{dir}
		}
	}
	return nil
}

// codeBelow reports whether code below a folder was deleted.
func (x *Index) codeBelow(dir string) bool {
	for _, f := range x.c.Files {
		if f.Deleted() && isCode(f) && f.Lang != "" && strings.HasPrefix(f.OldPath, dir+"/") {
			return true
		}
	}
	return false
}

// touched lists what ties a test to code that this change took away, though not altogether: words that the changed code
// lost, and declarations that are gone and share a word with the name of the test.
func (x *Index) touched(e *entry) []string {
	var out []string
	lost := x.vanished()
	for w := range e.words {
		if lost[w] && len(w) >= 4 && x.often[w] <= 3 {
			out = append(out, w)
		}
	}
	name := map[string]bool{}
	for _, w := range subwords(e.test.Name) {
		name[w] = true
	}
	for _, d := range x.undeclared() {
		for _, w := range subwords(d) {
			if len(w) >= 5 && name[w] && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	slices.Sort(out)
	return out
}

// undeclared lists the functions and types that code files declared before and no changed file declares now.
func (x *Index) undeclared() []string {
	if x.undecl != nil {
		return x.undecl
	}
	x.undecl = []string{}
	now := x.c.Symbols(false)
	for _, f := range x.c.Files {
		if !isCode(f) || f.Before == nil || f.Lang == "" {
			continue
		}
		for _, d := range f.Before.Decls() {
			if !now[d.Name] && !slices.Contains(x.undecl, d.Name) {
				x.undecl = append(x.undecl, d.Name)
			}
		}
	}
	return x.undecl
}

// subwords splits a name where its case changes and at what is no letter, and lowers the parts.
func subwords(name string) []string {
	var out []string
	start := 0
	cut := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(name[start:i]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case !upper && (c < 'a' || c > 'z') && c < 0x80:
			cut(i)
			start = i + 1
		case upper && i > start && (name[i-1] < 'A' || name[i-1] > 'Z'):
			cut(i)
			start = i
		case !upper && i > start+1 && name[i-1] >= 'A' && name[i-1] <= 'Z':
			cut(i - 1)
			start = i - 1
		}
	}
	cut(len(name))
	return out
}

func sorted(hits map[string]int) []string {
	var out []string
	for p := range hits {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b string) int {
		if n := hits[b] - hits[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	return out
}
