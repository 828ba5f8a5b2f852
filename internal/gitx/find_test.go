package gitx_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
)

func TestFind(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	if tr.repo.Branch() != "main" || tr.repo.Head() != "" {
		t.Errorf("unborn: branch %q head %q", tr.repo.Branch(), tr.repo.Head())
	}
	tr.Write("deep/er/a", "1")
	commit := tr.Commit("one")
	if got := find(t, tr.Path("deep/er")); got != tr.repo {
		t.Errorf("from below: %+v, want %+v", got, tr.repo)
	}
	if got := tr.repo.Head(); got != commit {
		t.Errorf("head %q, want %q", got, commit)
	}
	tr.Git("pack-refs", "--all")
	if got := tr.repo.Head(); got != commit {
		t.Errorf("packed head %q, want %q", got, commit)
	}
	tr.Git("checkout", "-q", "--detach")
	if tr.repo.Branch() != "" || tr.repo.Head() != commit {
		t.Errorf("detached: branch %q head %q", tr.repo.Branch(), tr.repo.Head())
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(tr.Dir, link); err != nil {
		t.Fatal(err)
	}
	if got := find(t, link); got != tr.repo {
		t.Errorf("through a link: %+v, want %+v", got, tr.repo)
	}
	bare := t.TempDir()
	tr.Git("clone", "-q", "--bare", tr.Dir, bare)
	for _, dir := range []string{t.TempDir(), bare, tr.Path(".git"), tr.Path(".git/refs"), filepath.Join(t.TempDir(), "none")} {
		if r, err := gitx.Find(dir); !errors.Is(err, gitx.ErrNoRepo) {
			t.Errorf("Find(%s) = %+v, %v, want ErrNoRepo", dir, r, err)
		}
	}
}

func TestRel(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.Write("src/a.go", "1")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(tr.Dir, link); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path, want string
		ok         bool
	}{
		{tr.Path("src/a.go"), "src/a.go", true},
		{tr.Path("src/new/b.go"), "src/new/b.go", true},
		{"src/a.go", "src/a.go", true},
		{filepath.Join(link, "src/a.go"), "src/a.go", true},
		{filepath.Join(link, "not/there.go"), "not/there.go", true},
		{filepath.Join(tr.Dir, "../x"), "", false},
		{"/etc/passwd", "", false},
	}
	for _, tt := range tests {
		if got, ok := tr.repo.Rel(tt.path); got != tt.want || ok != tt.ok {
			t.Errorf("Rel(%q) = %q, %t, want %q, %t", tt.path, got, ok, tt.want, tt.ok)
		}
	}
}
