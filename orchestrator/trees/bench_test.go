package trees_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// BenchmarkTask is one task without its worker: begin, audit, commit, merge and advance in a repository of 2,000 files.
func BenchmarkTask(b *testing.B) {
	r := gitrepo.New(b, filepath.Join(b.TempDir(), "repo"), "main")
	for i := range 2000 {
		r.Write(fmt.Sprintf("d%d/f%d", i%40, i), fmt.Sprintln(i))
	}
	r.Commit("base")
	p, err := trees.Examine(b.Context(), r.Dir)
	if err != nil {
		b.Fatal(err)
	}
	t, err := trees.Open(b.Context(), trees.Options{Run: "r1", Project: p, Dir: filepath.Join(b.TempDir(), "trees")})
	if err != nil {
		b.Fatal(err)
	}
	tree, err := t.Region(b.Context(), "m", []string{"d1"})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		tip, err := t.Begin(b.Context(), "m")
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree.Dir, "d1/f1"), fmt.Append(nil, n), 0o644); err != nil {
			b.Fatal(err)
		}
		if out, err := t.Outside(b.Context(), "m"); err != nil || len(out) > 0 {
			b.Fatal(out, err)
		}
		commit, _, err := t.Commit(b.Context(), "m", trees.Message{Subject: "task"})
		if err != nil {
			b.Fatal(err)
		}
		m, err := t.Merge(b.Context(), tip, []string{commit})
		if err != nil {
			b.Fatal(err)
		}
		if err := t.Advance(b.Context(), tip, m.Commit); err != nil {
			b.Fatal(err)
		}
	}
}
