// Package rulecase runs the examples of the judge's rules: for every rule a folder testdata/<rule id> with fires-*.txtar
// and quiet-*.txtar.
//
// An archive holds before/PATH and after/PATH for changed files and tree/PATH for those that did not change. Its comment
// says in lines `want: PATH:LINE` or `want: PATH:LINE soft` (`old PATH:LINE` for a line of the former file) what the rule
// must find, and may say `task: …`. A quiet archive must give no finding of the rule, and no hard one of any rule that is
// run with it. It is for tests only.
package rulecase

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Run checks that every rule has both kinds of examples below dir and that they come out right.
func Run(t *testing.T, rules []rule.Rule, dir string) {
	t.Helper()
	if len(rules) == 0 {
		t.Fatal("no rules")
	}
	for _, r := range rules {
		for _, kind := range [...]string{"fires", "quiet"} {
			files, err := filepath.Glob(filepath.Join(dir, r.ID, kind+"-*.txtar"))
			if err != nil || len(files) == 0 {
				t.Errorf("rule %s has no example %s-*.txtar (%v)", r.ID, kind, err)
			}
			for _, file := range files {
				t.Run(r.ID+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
					t.Parallel()
					one(t, rules, r, kind, file)
				})
			}
		}
	}
}

func one(t *testing.T, rules []rule.Rule, r rule.Rule, kind, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := Change(a)
	found := Findings(r, c)
	if kind == "quiet" {
		for _, f := range found {
			t.Errorf("found %s", f)
		}
		for _, other := range rules {
			for _, f := range Findings(other, c) {
				if strings.HasSuffix(f, " hard") {
					t.Errorf("%s: found %s", other.ID, f)
				}
			}
		}
		return
	}
	wants := 0
	for line := range strings.Lines(string(a.Comment)) {
		want, ok := strings.CutPrefix(strings.TrimSpace(line), "want: ")
		if !ok {
			continue
		}
		wants++
		hit := false
		for _, f := range found {
			hit = hit || f == want || strings.HasPrefix(f, want+" ")
		}
		if !hit {
			t.Errorf("no finding %q among %q", want, found)
		}
	}
	if wants == 0 {
		t.Error("the archive says no `want: PATH:LINE`")
	}
}

// Findings gives what a rule finds as "PATH:LINE class", with "old " in front for a line of the former file.
func Findings(r rule.Rule, c *change.Change) []string {
	var out []string
	r.Find(c, func(f rule.Finding) {
		class := f.Class
		if class == "" {
			class = r.Class
		}
		if class == verdict.Hard && r.Class == verdict.Soft {
			out = append(out, "a soft rule gave a hard finding")
		}
		if f.Text == "" || f.Path == "" {
			out = append(out, "a finding without text or path")
		}
		s := fmt.Sprintf("%s:%d %s", f.Path, f.Line, class)
		if f.Old {
			s = "old " + s
		}
		out = append(out, s)
	})
	return out
}

// Change makes the change of an archive.
func Change(a *txtar.Archive) *change.Change {
	before, after, tree := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
	for _, f := range a.Files {
		switch side, path, _ := strings.Cut(f.Name, "/"); side {
		case "before":
			before[path] = f.Data
		case "after":
			after[path] = f.Data
		case "tree":
			tree[path] = f.Data
		}
	}
	c := Of(before, after, tree)
	for line := range strings.Lines(string(a.Comment)) {
		if task, ok := strings.CutPrefix(line, "task: "); ok {
			c.Task = strings.TrimSpace(task)
		}
	}
	return c
}

// Of makes a change of files before and after and of the rest of the project.
func Of(before, after, rest map[string][]byte) *change.Change {
	var sources []change.Source
	paths := map[string]bool{}
	for p := range before {
		paths[p] = true
	}
	for p := range after {
		paths[p] = true
	}
	for p := range paths {
		b, had := before[p]
		n, has := after[p]
		if had && has && string(b) == string(n) {
			continue
		}
		s := change.Source{Path: p, Status: 'M', Before: b, After: n, Lines: Lines(string(b), string(n))}
		if had {
			s.OldPath = p
		}
		switch {
		case !had:
			s.Status = 'A'
		case !has:
			s.Status = 'D'
		}
		sources = append(sources, s)
	}
	c := change.New(sources)
	base, now := Tree{}, Tree{}
	for p, text := range rest {
		base[p], now[p] = text, text
	}
	for p, text := range before {
		base[p] = text
	}
	for p, text := range after {
		now[p] = text
	}
	c.Base, c.Now = base, now
	return c
}

// Lines compares two texts by lines, as a patch would.
func Lines(before, after string) diff.File {
	a, b := split(before), split(after)
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var d diff.File
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			d.Removed = append(d.Removed, diff.Line{N: i + 1, Text: a[i]})
			i++
		default:
			d.Added = append(d.Added, diff.Line{N: j + 1, Text: b[j]})
			j++
		}
	}
	return d
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Tree is a project in memory.
type Tree map[string][]byte

// Paths implements change.Tree.
func (t Tree) Paths() []string {
	var out []string
	for p := range t {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

// Has implements change.Tree.
func (t Tree) Has(path string) bool {
	for p := range t {
		if p == path || strings.HasPrefix(p, strings.TrimSuffix(path, "/")+"/") {
			return true
		}
	}
	return false
}

// Read implements change.Tree.
func (t Tree) Read(path string) ([]byte, bool) {
	text, ok := t[path]
	return text, ok
}

// Grep implements change.Tree.
func (t Tree) Grep(words []string, limit int) map[string][]change.Place {
	out := map[string][]change.Place{}
	for _, p := range t.Paths() {
		for i, line := range strings.Split(string(t[p]), "\n") {
			have := map[string]bool{}
			for _, w := range change.Words(line) {
				have[w] = true
			}
			for _, w := range words {
				if have[w] && len(out[w]) < limit {
					out[w] = append(out[w], change.Place{Path: p, Line: i + 1, Text: line})
				}
			}
		}
	}
	return out
}
