package target_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install/target"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestReplaceKeepsLinkAndMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real := filepath.Join(dir, "store", "deep", "real.json")
	write(t, real, "old")
	// ".." of a link counts from where its folder really is.
	if err := os.Symlink(filepath.Join(dir, "store"), filepath.Join(dir, "claude")); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"store/two.json": "../claude/one.json", "store/one.json": "deep/real.json"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := target.Load(filepath.Join(dir, "claude", "two.json"))
	if err != nil || string(f.Data) != "old" {
		t.Fatalf("Load = %q, %v, want old", f.Data, err)
	}
	if err := f.Replace([]byte("new"), 0); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(real)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, %v, want -rw-r-----", info.Mode(), err)
	}
	if data, err := os.ReadFile(real); err != nil || string(data) != "new" {
		t.Errorf("content %q, %v", data, err)
	}
	if diff := cmp.Diff([]string{"real.json"}, names(t, filepath.Dir(real))); diff != "" {
		t.Errorf("files beside it (-want +got):\n%s", diff)
	}
}

func TestReplaceNoticesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	tests := map[string]func(path string) error{
		"other bytes": func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o640) },
		"removed":     os.Remove,
		"now a link": func(path string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path))
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "settings.json")
			write(t, path, "old")
			f, err := target.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			before := names(t, filepath.Dir(path))
			if err := f.Replace([]byte("ours"), 0); !errors.Is(err, target.ErrChanged) {
				t.Errorf("Replace = %v, want ErrChanged", err)
			}
			if err := f.Remove(); !errors.Is(err, target.ErrChanged) {
				t.Errorf("Remove = %v, want ErrChanged", err)
			}
			if diff := cmp.Diff(before, names(t, filepath.Dir(path))); diff != "" {
				t.Errorf("the folder changed (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("appeared", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "settings.json")
		f, err := target.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, "theirs")
		if err := f.Replace([]byte("ours"), 0o600); !errors.Is(err, target.ErrChanged) {
			t.Errorf("Replace = %v, want ErrChanged", err)
		}
	})
}

func TestLockExcludes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := target.Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := target.Lock(ctx, dir); !errors.Is(err, target.ErrLocked) {
		t.Errorf("second Lock = %v, want ErrLocked", err)
	}
	unlock()
	unlock, err = target.Lock(t.Context(), dir)
	if err != nil {
		t.Errorf("Lock after unlock = %v", err)
	}
	unlock()
}

func TestSweepTakesOnlyLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".a.json.12.tmp", "..a.json.devflow-new.3.tmp", ".a.json.x.tmp", ".a.json.tmp", ".b.json.1.tmp", "a.json.1.tmp", ".a.json.1.tmp.bak"} {
		write(t, filepath.Join(dir, name), "x")
	}
	target.Sweep([]string{filepath.Join(dir, "a.json"), filepath.Join(dir, ".a.json.devflow-new"), filepath.Join(dir, "no", "where")})
	want := []string{".a.json.1.tmp.bak", ".a.json.tmp", ".a.json.x.tmp", ".b.json.1.tmp", "a.json.1.tmp"}
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestRemoveDirsTakesEmptyOnesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made, err := target.MakeDirs(filepath.Join(dir, "a", "b", "c"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "a"), filepath.Join(dir, "a", "b"), filepath.Join(dir, "a", "b", "c")}, made); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	write(t, filepath.Join(dir, "a", "mine"), "x")
	if err := target.RemoveDirs(append(made, filepath.Join(dir, "gone"))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mine"}, names(t, filepath.Join(dir, "a"))); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// A link to an empty folder is somebody's own, and so is the folder.
func TestRemoveDirsLeavesLinks(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, link, file := filepath.Join(base, "dir"), filepath.Join(base, "link"), filepath.Join(base, "file")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Symlink(dir, link), os.WriteFile(file, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := target.RemoveDirs([]string{file, link, filepath.Join(base, "absent"), filepath.Join(file, "below"), base}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link, file} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if err := target.RemoveDirs([]string{dir}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("an empty folder is left")
	}
}
