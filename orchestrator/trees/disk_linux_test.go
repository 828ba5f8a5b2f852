package trees_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// TestAFullDiskLosesNothing fills the disk that holds repository and trees, at every step of a task.
func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if os.Geteuid() != 0 {
		return // only root can mount a small disk
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Fatalf("mount a tmpfs: %v (a container needs the capability SYS_ADMIN for this test)", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	r := gitrepo.New(t, filepath.Join(disk, "repo"), "main")
	r.Write("m/x", "x\n")
	r.Write("o/y", strings.Repeat("y\n", 50_000))
	r.Commit("base")
	p, err := trees.Examine(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trees.Open(t.Context(), trees.Options{Run: "r1", Project: p, Dir: filepath.Join(disk, "trees")})
	if err != nil {
		t.Fatal(err)
	}
	before := shoot(t, r.Dir)
	filler := filepath.Join(disk, "filler")
	// full runs an operation on a full disk, where it may fail, and again with room, where it may not.
	full := func(op func() error) {
		t.Helper()
		fill(t, filler)
		failed := op()
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if err := op(); err != nil {
			t.Errorf("with room again: %v (before: %v)", err, failed)
		}
		if failed == nil {
			t.Log("an operation needed no room")
		}
	}
	var tree trees.Tree
	full(func() (err error) { tree, err = tr.Region(t.Context(), "m", []string{"m"}); return err })
	full(func() error { _, err := tr.Begin(t.Context(), "m"); return err })
	write(t, filepath.Join(tree.Dir, "m/x"), strings.Repeat("work\n", 20_000))
	write(t, filepath.Join(tree.Dir, "stray"), strings.Repeat("stray\n", 10_000))
	var commit string
	full(func() (err error) {
		commit, _, err = tr.Commit(t.Context(), "m", trees.Message{Subject: "work"})
		return err
	})
	full(func() error {
		m, err := tr.Merge(t.Context(), tr.Base(), []string{commit})
		if err != nil {
			return err
		}
		return tr.Advance(t.Context(), tr.Base(), m.Commit)
	})
	full(func() error { _, err := tr.Begin(t.Context(), "m"); return err })
	ref := r.Git("for-each-ref", "--format=%(refname)", "refs/devflock/wip")
	if ref == "" || len(r.Git("show", strings.Split(ref, "\n")[0]+":stray")) != 59_999 {
		t.Errorf("saved = %q", ref)
	}
	full(func() error {
		_, done, err := tr.Checkout(t.Context(), commit)
		if err != nil {
			return err
		}
		return done()
	})
	full(func() error { _, err := tr.Finish(t.Context()); return err })
	full(func() error { return tr.Remove(t.Context()) })
	before.same(t, r.Dir)
	if got := r.Git("show", trees.Final+":m/x"); len(got) != 99_999 {
		t.Errorf("%d bytes", len(got))
	}
	r.Git("fsck", "--strict")
}

// fill writes until nothing fits any more.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
