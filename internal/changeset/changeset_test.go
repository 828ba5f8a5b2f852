package changeset_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	for k, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(k, v); err != nil {
			panic(err) // unreachable: the names are valid
		}
	}
	os.Exit(m.Run())
}

func open(t *testing.T) (r gitrepo.Repo, repo gitx.Repo, objs string) {
	t.Helper()
	r = gitrepo.New(t, t.TempDir(), "main")
	repo, err := gitx.Find(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return r, repo, filepath.Join(t.TempDir(), "objects", "o")
}

func TestRead(t *testing.T) {
	t.Parallel()
	r, repo, objs := open(t)
	r.Write("a.py", "one\n")
	r.Write("gone.py", "x\n")
	r.Write("hidden.py", "old\n")
	r.Write("notes.md", "text\n")
	r.Write("old.py", strings.Repeat("line\n", 9))
	r.Commit("one")
	base, err := repo.Snapshot(t.Context(), objs)
	if err != nil {
		t.Fatal(err)
	}
	r.Write("a.py", "one\ntwo\n")
	r.Write("hidden.py", "new\n")
	r.Write("notes.md", "other text\n")
	r.Write("raw.py", "a\x00b\n")
	r.Write(".gitattributes", "hidden.py -diff\n")
	r.Git("mv", "old.py", "new.py")
	for path, target := range map[string]string{"link.py": "a.py"} {
		if err := os.Symlink(target, r.Path(path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(r.Path("gone.py")); err != nil {
		t.Fatal(err)
	}
	now, err := repo.Snapshot(t.Context(), objs)
	if err != nil {
		t.Fatal(err)
	}
	files, err := changeset.Read(t.Context(), repo, objs, base, now, func(path string) bool { return strings.HasSuffix(path, ".py") })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprintf("%c %s +%d -%d %q→%q regular=%t binary=%t hidden=%t", f.Status, f.Path, len(f.Lines.Added), len(f.Lines.Removed), f.Before, f.After, f.Regular(), f.Lines.Binary, f.Hidden))
	}
	nine := strings.Repeat(`line\n`, 9)
	want := []string{
		`A .gitattributes +1 -0 ""→"" regular=true binary=false hidden=false`,
		`M a.py +1 -0 "one\n"→"one\ntwo\n" regular=true binary=false hidden=false`,
		`D gone.py +0 -1 "x\n"→"" regular=false binary=false hidden=false`,
		`M hidden.py +1 -1 "old\n"→"new\n" regular=true binary=false hidden=true`,
		`A link.py +1 -0 ""→"a.py" regular=false binary=false hidden=false`,
		`R new.py +0 -0 "` + nine + `"→"` + nine + `" regular=true binary=false hidden=false`,
		`M notes.md +1 -1 ""→"" regular=true binary=false hidden=false`,
		`A raw.py +0 -0 ""→"a\x00b\n" regular=true binary=true hidden=false`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	none, err := changeset.Read(t.Context(), repo, objs, now, now, func(string) bool { return true })
	if err != nil || none == nil || len(none) != 0 {
		t.Errorf("equal trees: %v, %v", none, err)
	}
	if files, err := changeset.Read(t.Context(), repo, objs, "nothing", now, func(string) bool { return true }); err == nil || files != nil {
		t.Errorf("unknown tree: %v, %v", files, err)
	}
}

func TestReadKeepsTheListWhenThePatchIsTooLarge(t *testing.T) {
	t.Parallel()
	r, repo, objs := open(t)
	page := strings.Repeat("0123456789abcdef0123456789abcdef\n", 120_000)
	for i := range 9 {
		r.Write(fmt.Sprintf("%d.txt", i), page)
	}
	r.Write("small.py", "x = 1\n")
	now, err := repo.Snapshot(t.Context(), objs)
	if err != nil {
		t.Fatal(err)
	}
	files, err := changeset.Read(t.Context(), repo, objs, gitx.EmptyTree(now), now, func(path string) bool { return path == "small.py" })
	if !errors.Is(err, gitx.ErrTooLarge) || len(files) != 10 || string(files[9].After) != "x = 1\n" {
		t.Errorf("%d files, %v", len(files), err)
	}
}
