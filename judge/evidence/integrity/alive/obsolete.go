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

// touched lists the telling names of a test in lines of code that this change took away.
func (x *Index) touched(e *entry) []string {
	removed, added := map[string]int{}, map[string]int{}
	for _, f := range x.c.Files {
		if !isCode(f) || f.Lang == "" {
			continue
		}
		for _, l := range f.Removed {
			for _, w := range change.Words(l.Text) {
				removed[w]++
			}
		}
		for _, l := range f.Added {
			for _, w := range change.Words(l.Text) {
				added[w]++
			}
		}
	}
	var out []string
	for w := range e.words {
		if len(w) >= 4 && !keyword(w) && removed[w] > added[w] && x.often[w] <= 2 {
			out = append(out, w)
		}
	}
	slices.Sort(out)
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
