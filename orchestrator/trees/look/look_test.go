package look_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees/look"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
)

func TestFilesAndLinesOfACommit(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t, t.TempDir(), "main")
	repo.Write("shop/api/a.go", "package api\n\nfunc Price() int { return 1 }\n")
	repo.Write("shop/api/odd name\n.txt", "the price\n")
	repo.Write("shop/ui/b.go", "package ui // Price\n")
	repo.Write("api/other.go", "package other // price\n")
	repo.Write("shop/GUIDE.md", "how to\n")
	repo.Write("shop/api/GUIDE.md", strings.Repeat("x", 100))
	if err := os.Symlink("../GUIDE.md", repo.Path("shop/ui/GUIDE.md")); err != nil {
		t.Fatal(err)
	}
	repo.Commit("start")
	head := repo.Git("rev-parse", "HEAD")
	repo.Write("shop/GUIDE.md", "changed since\n")
	repo.Write("shop/api/later.go", "package api // price\n")
	for _, sub := range []bool{false, true} {
		dir, prefix := repo.Dir, "shop/"
		if sub {
			dir, prefix = repo.Path("shop"), ""
		}
		p, err := shape.Examine(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		at := look.At{Project: p, Commit: head}
		texts, err := at.Texts(t.Context(), []string{prefix + "GUIDE.md", prefix + "api/GUIDE.md", prefix + "ui/GUIDE.md", prefix + "ui", prefix + "none.md"}, 99)
		if d := cmp.Diff(map[string][]byte{prefix + "GUIDE.md": []byte("how to\n")}, texts); d != "" || err != nil {
			t.Errorf("texts (-want +got): %v\n%s", err, d)
		}
		files, err := at.Files(t.Context(), []string{prefix + "api"}, 10)
		if d := cmp.Diff([]string{prefix + "api/GUIDE.md", prefix + "api/a.go", prefix + "api/odd name\n.txt"}, files); d != "" || err != nil {
			t.Errorf("files (-want +got): %v\n%s", err, d)
		}
		if files, err := at.Files(t.Context(), []string{prefix + "api"}, 1); len(files) != 1 || err != nil {
			t.Errorf("at most one file: %q, %v", files, err)
		}
		lines, err := at.Lines(t.Context(), []string{prefix + "api"}, []string{"price", "-e"}, 10)
		if d := cmp.Diff([]string{prefix + "api/a.go:3: func Price() int { return 1 }"}, lines[:min(1, len(lines))]); d != "" || err != nil {
			t.Errorf("lines (-want +got): %v\n%s", err, d)
		}
		if lines, err := at.Lines(t.Context(), []string{prefix + "ui"}, []string{"nothing like it"}, 10); len(lines) != 0 || err != nil {
			t.Errorf("no match: %q, %v", lines, err)
		}
		if lines, err := at.Lines(t.Context(), []string{prefix + "ui"}, nil, 10); len(lines) != 0 || err != nil {
			t.Errorf("no words: %q, %v", lines, err)
		}
		if _, err := at.Files(t.Context(), []string{prefix + "nowhere"}, 10); err != nil {
			t.Errorf("missing folder: %v", err)
		}
	}
}
