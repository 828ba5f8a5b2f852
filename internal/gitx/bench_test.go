package gitx_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

// BenchmarkGit measures each call on a repository of 2,000 files of which 20 differ.
func BenchmarkGit(b *testing.B) {
	r := gitrepo.New(b, b.TempDir(), "main")
	for i := range 2000 {
		r.Write(fmt.Sprintf("d%02d/f%d.go", i%40, i), fmt.Sprintf("package d\n\nconst c = %d\n", i))
	}
	r.Commit("one")
	repo, err := gitx.Find(r.Dir)
	if err != nil {
		b.Fatal(err)
	}
	objs := filepath.Join(b.TempDir(), "o")
	snap := func(b *testing.B) string {
		tree, err := repo.Snapshot(b.Context(), objs)
		if err != nil {
			b.Fatal(err)
		}
		return tree
	}
	base := snap(b)
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			if r, err := gitx.Find(r.Path("d01")); err != nil || r.Head() == "" {
				b.Fatal(err)
			}
		}
	})
	b.Run("snapshot clean", func(b *testing.B) {
		for b.Loop() {
			snap(b)
		}
	})
	for i := range 20 {
		r.Write(fmt.Sprintf("d%02d/f%d.go", i, i), fmt.Sprintf("package d\n\nconst c = -%d\n", i))
	}
	b.Run("snapshot 20 changed", func(b *testing.B) {
		for b.Loop() {
			snap(b)
		}
	})
	now := snap(b)
	b.Run("changes", func(b *testing.B) {
		for b.Loop() {
			if c, err := repo.Changes(b.Context(), objs, base, now); err != nil || len(c) != 20 {
				b.Fatal(len(c), err)
			}
		}
	})
	b.Run("patch", func(b *testing.B) {
		for b.Loop() {
			if _, err := repo.Patch(b.Context(), objs, base, now); err != nil {
				b.Fatal(err)
			}
		}
	})
}
