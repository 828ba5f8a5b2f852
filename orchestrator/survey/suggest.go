package survey

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

const (
	maxModules = 40   // that are suggested
	small      = 300  // lines: a folder with fewer is not divided
	share      = 0.08 // of all lines: likewise
	ownShare   = 0.3  // of a folder's lines: with more directly in it, it is not divided
	least      = 1.0  // weights of the smallest and the largest module, as the plan's weights are meant
	most       = 5.0
)

// node is a folder with all that is below it.
type node struct {
	path         string
	own          Folder
	files, lines int
	tests        int
	languages    map[string]int // lines
	below        []*node        // in order of their paths
}

// suggest finds natural modules: folders that hold most of their text themselves, or are too small to divide.
func (t *taker) suggest() {
	root := tree(t.inv.Folders)
	found := root.divide(root.lines, 0)
	for floor := share / 4; len(found) > maxModules && floor < 1; floor *= 2 { // too many: divide larger folders only
		found = root.divide(root.lines, floor)
	}
	slices.SortFunc(found, func(a, b *node) int { return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(a.path, b.path)) })
	if len(found) > maxModules {
		t.note("%d more folders could be modules of their own", len(found)-maxModules)
		found = found[:maxModules]
	}
	t.inv.Modules = t.modules(found)
}

// divide gives the folders below n that are one module each. A folder with less than floor of all lines is not divided, unless all
// that it has is one folder.
func (n *node) divide(all int, floor float64) []*node {
	var found []*node
	var visit func(n *node)
	visit = func(n *node) {
		children := slices.DeleteFunc(slices.Clone(n.below), func(c *node) bool { return c.lines == 0 })
		own, part := float64(n.own.Lines)/float64(max(n.lines, 1)), float64(n.lines)/float64(max(all, 1))
		mixed := len(children) > 1 && own < ownShare && n.lines > small && part > share
		if n.path != "." && !(len(children) > 0 && own == 0 && (len(children) == 1 || part >= floor)) && (!mixed || part < floor) {
			if n.lines > 0 && plannable(n.path) {
				found = append(found, n)
			}
			return
		}
		for _, c := range children {
			visit(c)
		}
	}
	visit(n)
	return found
}

// tree puts the folders together. Its depth is that of the project's folders.
func tree(folders []Folder) *node {
	nodes := map[string]*node{}
	var get func(p string) *node
	get = func(p string) *node {
		if n := nodes[p]; n != nil {
			return n
		}
		n := &node{path: p, languages: map[string]int{}}
		nodes[p] = n
		if p != "." {
			up := get(path.Dir(p))
			up.below = append(up.below, n)
		}
		return n
	}
	root := get(".")
	for _, f := range folders {
		get(f.Path).own = f
		for p := f.Path; ; p = path.Dir(p) {
			n := nodes[p]
			n.files, n.lines, n.tests = n.files+f.Files, n.lines+f.Lines, n.tests+f.Tests
			for _, l := range f.Languages {
				n.languages[l.Name] += l.Lines
			}
			if p == "." {
				break
			}
		}
	}
	for _, n := range nodes {
		slices.SortFunc(n.below, func(a, b *node) int { return cmp.Compare(a.path, b.path) })
	}
	return root
}

// plannable reports whether a plan accepts a folder, roughly: package plan decides.
func plannable(p string) bool { return len(p) <= 200 && !strings.ContainsAny(p, `*?[]{}<>|":!#\~`) }

func (t *taker) modules(found []*node) []Module {
	owner := map[string]int{}
	names := map[string]bool{}
	var out []Module
	for i, n := range found {
		owner[n.path] = i
		m := Module{Name: nameOf(n.path, names), Path: n.path, Files: n.files, Lines: n.lines, Tests: n.tests, Weight: weight(n.lines, found[0].lines)}
		best := 0
		for name, lines := range n.languages {
			if lines > best || lines == best && name < m.Main {
				m.Main, best = name, lines
			}
		}
		out = append(out, m)
	}
	of := func(p string) int { // the module that a folder belongs to
		for ; ; p = path.Dir(p) {
			if i, ok := owner[p]; ok {
				return i
			}
			if p == "." {
				return -1
			}
		}
	}
	uses := make([]map[int]int, len(found))
	for _, e := range t.inv.Edges {
		if a, b := of(e.From), of(e.To); a >= 0 && b >= 0 && a != b {
			if uses[a] == nil {
				uses[a] = map[int]int{}
			}
			uses[a][b] += e.Count
		}
	}
	for i := range out {
		var others []int
		for j := range uses[i] {
			others = append(others, j)
		}
		slices.SortFunc(others, func(a, b int) int { return cmp.Or(cmp.Compare(uses[i][b], uses[i][a]), cmp.Compare(a, b)) })
		for _, j := range others {
			out[i].Uses = append(out[i].Uses, out[j].Name)
		}
	}
	return out
}

// nameOf makes a name for a plan out of the last parts of a path.
func nameOf(p string, taken map[string]bool) string {
	parts := strings.Split(strings.ToLower(p), "/")
	clean := func(s string) string {
		s = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
				return r
			}
			return '-'
		}, s)
		if s = strings.Trim(s, "-_"); len(s) > 36 {
			s = strings.Trim(s[len(s)-36:], "-_")
		}
		return s
	}
	free := func(s string) bool {
		return s != "" && !taken[s] && s != "integration" && !strings.HasPrefix(s, "region-")
	}
	for n := 1; n <= len(parts); n++ {
		if s := clean(strings.Join(parts[len(parts)-n:], "-")); free(s) {
			taken[s] = true
			return s
		}
	}
	base := clean(parts[len(parts)-1])
	if base == "" || !free(base) && !taken[base] {
		base = "module"
	}
	for k := 2; ; k++ {
		if s := fmt.Sprintf("%s-%d", base, k); free(s) {
			taken[s] = true
			return s
		}
	}
}

// weight measures lines against the largest module, from 1 to 5.
func weight(lines, largest int) float64 {
	if largest <= 0 {
		return least
	}
	w := least + (most-least)*float64(lines)/float64(largest)
	return math.Round(min(max(w, least), most)*10) / 10
}

// Weight measures what lies in a folder and below against the largest natural module: 1 for nothing, 5 for as much or more.
func (inv Inventory) Weight(p string) float64 {
	p = path.Clean(p)
	lines := 0
	for _, f := range inv.Folders {
		if p == "." || f.Path == p || strings.HasPrefix(f.Path, p+"/") {
			lines += f.Lines
		}
	}
	largest := 0
	for _, m := range inv.Modules {
		largest = max(largest, m.Lines)
	}
	return weight(lines, largest)
}

// Has reports whether the project has files in a folder or below it.
func (inv Inventory) Has(p string) bool {
	p = path.Clean(p)
	return slices.ContainsFunc(inv.Folders, func(f Folder) bool { return p == "." || f.Path == p || strings.HasPrefix(f.Path, p+"/") })
}
