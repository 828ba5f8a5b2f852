package gitx_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/google/go-cmp/cmp"
)

func TestPrune(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	parent := filepath.Dir(tr.objs)
	tr.Write("a", "1")
	first := tr.snap(t)
	age(t, parent) // 40 days pass
	unused := filepath.Join(parent, "unused", "aa")
	if err := os.MkdirAll(unused, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(unused, "object"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	age(t, filepath.Join(parent, "unused"))
	tr.Write("b", "2")
	second := tr.snap(t)
	if err := os.Symlink(tr.Dir, filepath.Join(parent, "link")); err != nil {
		t.Fatal(err)
	}

	n, err := gitx.Prune(parent, time.Now().Add(-30*24*time.Hour))
	if n != 2 || err != nil { // the object of nobody, and the first tree
		t.Errorf("removed %d files, %v", n, err)
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2"}, tr.files(t, second.Tree)); diff != "" {
		t.Errorf("the newest snapshot lost something (-want +got):\n%s", diff)
	}
	if _, err := tr.repo.Changes(t.Context(), tr.objs, first.Tree, second.Tree); err == nil {
		t.Error("the old tree is still there")
	}
	left, err := os.ReadDir(parent)
	if err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := os.Stat(tr.Path("a")); err != nil {
		t.Error("a link was followed")
	}
	if n, err := gitx.Prune(filepath.Join(parent, "none"), time.Now()); n != 0 || err != nil {
		t.Errorf("no folder: %d, %v", n, err)
	}
}

// age makes everything below a folder 40 days older.
func age(t *testing.T, dir string) {
	t.Helper()
	long := time.Now().Add(-40 * 24 * time.Hour)
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, long, long)
	})
	if err != nil {
		t.Fatal(err)
	}
}
