package survey

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/orchestrator/survey/imports"
)

// count fills in everything but edges and modules.
func (t *taker) count() {
	inv := &t.inv
	folders, all := map[string]*tally{}, &tally{}
	for i := range t.files {
		f := &t.files[i]
		switch f.kind {
		case binary:
			inv.Skipped.Binary++
		case generated:
			inv.Skipped.Generated++
		case link:
			inv.Skipped.Links++
		case odd:
			inv.Skipped.Odd++
		case large:
			inv.Skipped.Large++
		}
		if f.kind != counted && f.kind != large {
			continue
		}
		dir := path.Dir(f.path)
		if folders[dir] == nil {
			folders[dir] = &tally{}
		}
		folders[dir].add(f)
		all.add(f)
		if isBuild(f.path) {
			inv.Builds = append(inv.Builds, f.path)
		}
		if (f.main || isEntry(f.path)) && !isTest(f.path) {
			inv.Entries = append(inv.Entries, f.path)
		}
	}
	inv.Files, inv.Lines, inv.Tests, inv.Languages = all.files, all.lines, all.tests, all.list()
	for dir, x := range folders {
		inv.Folders = append(inv.Folders, Folder{Path: dir, Files: x.files, Lines: x.lines, Tests: x.tests, Languages: x.list()})
	}
	slices.SortFunc(inv.Folders, func(a, b Folder) int { return cmp.Compare(a.Path, b.Path) })
}

// tally counts files.
type tally struct {
	files, lines, tests int
	languages           map[string]*Language
}

func (x *tally) add(f *file) {
	x.files++
	x.lines += f.lines
	if isTest(f.path) {
		x.tests++
	}
	name := languageOf(f.path)
	if name == "" {
		return
	}
	if x.languages == nil {
		x.languages = map[string]*Language{}
	}
	if x.languages[name] == nil {
		x.languages[name] = &Language{Name: name}
	}
	x.languages[name].Files++
	x.languages[name].Lines += f.lines
}

// list gives the languages, the one with the most lines first.
func (x *tally) list() []Language {
	var out []Language
	for _, l := range x.languages {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Language) int { return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Name, b.Name)) })
	return out
}

// connect finds the imports between folders.
func (t *taker) connect() {
	var names []string
	var packages []imports.Package
	for i := range t.files {
		if f := &t.files[i]; f.kind == counted || f.kind == large {
			names = append(names, f.path)
			if p, ok := packageOf(f); ok {
				packages = append(packages, p)
			}
		}
	}
	r := imports.NewResolver(names, packages)
	type pair struct{ from, to string }
	count := map[pair]int{}
	for i := range t.files {
		f := &t.files[i]
		from := path.Dir(f.path)
		seen := map[string]bool{}
		for _, spec := range f.specs {
			to, ok := r.Folder(f.path, spec)
			if to == "" {
				to = "."
			}
			if ok && to != from && !seen[to] {
				seen[to] = true
				count[pair{from, to}]++
			}
		}
	}
	for p, n := range count {
		t.inv.Edges = append(t.inv.Edges, Edge{p.from, p.to, n})
	}
	slices.SortFunc(t.inv.Edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
}

// packageOf reads the name in a manifest.
func packageOf(f *file) (imports.Package, bool) {
	dir := path.Dir(f.path)
	if dir == "." {
		dir = ""
	}
	p := imports.Package{Dir: dir}
	switch path.Base(f.path) {
	case "go.mod":
		p.Lang, p.Name = source.Go, value(f.head, "module ", " \t\"")
	case "Cargo.toml":
		p.Lang, p.Name = source.Rust, value(f.head, "name", " =\t\"'")
	case "pubspec.yaml":
		p.Lang, p.Name = source.Dart, value(f.head, "name:", " \t\"'")
	case "package.json":
		var m struct {
			Name string `json:"name"`
		}
		if json.Unmarshal([]byte(f.head), &m) == nil {
			p.Lang, p.Name = source.JS, m.Name
		}
	}
	return p, p.Name != "" && len(p.Name) < 300
}

// value gives what stands behind key on the first line that begins with it.
func value(text, key, trim string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
			rest, _, _ = strings.Cut(rest, "//")
			rest, _, _ = strings.Cut(rest, "#")
			return strings.Trim(rest, trim)
		}
	}
	return ""
}
