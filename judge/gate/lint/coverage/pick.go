package coverage

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/tdd"
)

// fold makes stems comparable: C and C++ projects mix user_list.c with UserListTest.cpp.
func fold(stem string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(stem))
}

// likely lists the tests that the finder tries by their names or places: it needs no other as long as one of them counts.
func (g *gate) likely(files []changed) []string {
	stems, dirs := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		stem := layout.Stem(f.Path)
		stems[fold(stem)] = true
		switch f.lang {
		case source.Go:
			dirs[path.Dir(f.Path)] = true
		case source.Rust:
			dirs[path.Join(path.Dir(f.Path), stem)] = true
		}
	}
	var out []string
	for _, t := range g.tests {
		base := path.Base(t)
		lang := tdd.LanguageOf(t)
		if stems[fold(layout.Subject(lang, base))] || stems[fold(layout.Stem(t))] || dirs[path.Dir(t)] {
			out = append(out, t)
		}
	}
	return out
}

// maxNearest is how many tests the finder searches for references to one file.
const maxNearest = 200

// nearest lists the tests that the finder searches for references to the files: those of the family of their languages with the longest
// common path first.
func (g *gate) nearest(files []changed) []string {
	picked := map[string]bool{}
	seen := map[[2]string]bool{}
	for _, f := range files {
		dir := path.Dir(f.Path)
		if f.lang == source.Go || seen[[2]string{string(f.lang), dir}] { // Go's tests are in its own folder
			continue
		}
		seen[[2]string{string(f.lang), dir}] = true
		type near struct {
			path   string
			shared int
		}
		var list []near
		for _, t := range g.tests {
			if layout.Family(f.lang, tdd.LanguageOf(t)) {
				list = append(list, near{t, shared(dir+"/", t)})
			}
		}
		slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(b.shared, a.shared) })
		for _, n := range list[:min(len(list), maxNearest)] {
			picked[n.path] = true
		}
	}
	out := make([]string, 0, len(picked))
	for p := range picked {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// shared counts the folders that two paths have in common.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.Count(a[:n], "/")
}
