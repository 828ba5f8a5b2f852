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

// sort files the tests of the tree under what the finder knows them by.
func (g *gate) sort() {
	g.stems, g.dirs = map[string][]string{}, map[string][]string{}
	for _, t := range g.tests {
		subject, own := fold(layout.Subject(tdd.LanguageOf(t), path.Base(t))), fold(layout.Stem(t))
		g.stems[subject] = append(g.stems[subject], t)
		if own != subject {
			g.stems[own] = append(g.stems[own], t)
		}
		g.dirs[path.Dir(t)] = append(g.dirs[path.Dir(t)], t)
	}
}

// likely lists the tests that the finder tries by their names or places: it needs no other as long as one of them counts.
func (g *gate) likely(files []changed) []string {
	picked := map[string]bool{}
	pick := func(tests []string) {
		for _, t := range tests {
			picked[t] = true
		}
	}
	for _, f := range files {
		stem := layout.Stem(f.Path)
		pick(g.stems[fold(stem)])
		switch f.lang {
		case source.Go:
			pick(g.dirs[path.Dir(f.Path)])
		case source.Rust:
			pick(g.dirs[path.Join(path.Dir(f.Path), stem)])
		}
	}
	return sorted(picked)
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for p := range set {
		out = append(out, p)
	}
	slices.Sort(out)
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
	return sorted(picked)
}

// shared counts the folders that two paths have in common.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.Count(a[:n], "/")
}
