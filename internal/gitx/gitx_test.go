package gitx_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	for k, v := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", // no configuration of the machine
		"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "GIT_WORK_TREE": "/nowhere", "PWD": ".", // and none of this may reach git
	} {
		if err := os.Setenv(k, v); err != nil {
			panic(err) // unreachable: the names are valid
		}
	}
	if dir := os.Getenv(unprivilegedVar); dir != "" {
		os.Exit(snapUnprivileged(dir))
	}
	os.Exit(m.Run())
}

// unprivilegedVar makes this test binary take one snapshot: modes mean nothing to root, so it runs as somebody else.
const unprivilegedVar = "GITX_TEST_UNPRIVILEGED"

func snapUnprivileged(dir string) int {
	r, err := gitx.Find(filepath.Join(dir, "repo"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	snap, err := r.Snap(context.Background(), filepath.Join(dir, "objects"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	changes, err := r.Changes(context.Background(), filepath.Join(dir, "objects"), "HEAD", snap.Tree)
	for _, c := range changes {
		fmt.Printf("%c %s\n", c.Status, c.Path)
	}
	for _, s := range snap.Skipped {
		fmt.Printf("skipped %s: %s\n", s.Path, s.Why)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func TestSnapshotGoesOnBehindWhatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := gitrepo.New(t, filepath.Join(dir, "repo"), "main")
	for _, p := range []string{"secret.go", "locked/tracked.go", "ok.go"} {
		r.Write(p, "1")
	}
	r.Commit("one")
	r.Write("ok.go", "2")
	r.Write("new.go", "3")
	r.Write("secret.go", "unreadable")
	r.Write("closed/new.go", "4")
	for p, mode := range map[string]fs.FileMode{"secret.go": 0, "locked": 0, "closed": 0, "..": 0o777, "../..": 0o755} {
		if err := os.Chmod(r.Path(p), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, p := range []string{"locked", "closed"} {
			_ = os.Chmod(r.Path(p), 0o700)
		}
	})
	cmd := exec.Command("/proc/self/exe") // works although the folder of the binary is closed to others
	if os.Getuid() != 0 {
		cmd = exec.Command(os.Args[0])
	} else {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, nobody, nobody)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = append(os.Environ(), unprivilegedVar+"="+dir, "HOME="+dir)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	text := string(out)
	for _, want := range []string{
		"A new.go\nM ok.go\nskipped ", "skipped : warning: could not open directory 'closed/': Permission denied\n",
		"skipped locked/tracked.go: cannot be read\n", "skipped secret.go: cannot be read\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("output lacks %q", want)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v, output:\n%s", err, text)
	}
}

// tree is a repository under test with its private object folder.
type tree struct {
	gitrepo.Repo
	repo gitx.Repo
	objs string
}

func newTree(t *testing.T, initArgs ...string) *tree {
	t.Helper()
	r := gitrepo.New(t, t.TempDir(), "main")
	if len(initArgs) > 0 {
		if err := os.RemoveAll(r.Path(".git")); err != nil {
			t.Fatal(err)
		}
		r.Git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	}
	return &tree{Repo: r, repo: find(t, r.Dir), objs: filepath.Join(t.TempDir(), "objects", "s1")}
}

func find(t *testing.T, dir string) gitx.Repo {
	t.Helper()
	r, err := gitx.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (tr *tree) snap(t *testing.T) gitx.Snap {
	t.Helper()
	s, err := tr.repo.Snap(t.Context(), tr.objs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// files lists what a tree holds as path → content; a link to a repository is "link".
func (tr *tree) files(t *testing.T, treeish string) map[string]string {
	t.Helper()
	changes, err := tr.repo.Changes(t.Context(), tr.objs, gitx.EmptyTree(treeish), treeish)
	if err != nil {
		t.Fatal(err)
	}
	var oids []string
	for _, c := range changes {
		oids = append(oids, c.NewOID)
	}
	blobs, err := tr.repo.Blobs(t.Context(), tr.objs, oids)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range changes {
		if got[c.Path] = string(blobs[c.NewOID]); c.Submodule() {
			got[c.Path] = "link"
		}
	}
	return got
}

func (tr *tree) remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(tr.Path(path)); err != nil {
		t.Fatal(err)
	}
}

// hash covers every name, mode, byte and time of change below a folder.
func hash(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, info.Mode())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !strings.Contains(path, "/objects/") && !strings.Contains(path, "/sharedindex.") { // git marks what it finds there as still in use
				fmt.Fprintln(h, info.ModTime().UnixNano())
			}
			fmt.Fprintln(h, len(text))
			h.Write(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestSnapshotSeesTheWorkTree(t *testing.T) {
	t.Parallel()
	odd := "new\nline \"quoted\" \xff\xfe ü.py"
	tests := []struct {
		name    string
		init    []string
		setup   func(t *testing.T, tr *tree)
		want    map[string]string
		skipped []gitx.Skip
		hidden  []string
	}{
		{
			name: "tracked, changed, new, deleted, ignored",
			setup: func(t *testing.T, tr *tree) {
				tr.Write("keep.go", "k")
				tr.Write("old.go", "1")
				tr.Write("gone/x.go", "x")
				tr.Write(".gitignore", "*.log\n")
				tr.Commit("one")
				tr.Write("old.go", "2")
				tr.Write("deep/er/new.go", "n")
				tr.Write("run.log", "noise")
				tr.remove(t, "gone")
			},
			want: map[string]string{".gitignore": "*.log\n", "keep.go": "k", "old.go": "2", "deep/er/new.go": "n"},
		},
		{
			name:  "no commit yet",
			setup: func(_ *testing.T, tr *tree) { tr.Write("a b.txt", "hello") },
			want:  map[string]string{"a b.txt": "hello"},
		},
		{
			name:  "nothing at all",
			setup: func(*testing.T, *tree) {},
			want:  map[string]string{},
		},
		{
			name: "detached head, staged and unstaged mixed",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write("a", "1")
				tr.Commit("one")
				tr.Git("checkout", "-q", "--detach")
				tr.Write("a", "2")
				tr.Git("add", "a")
				tr.Write("a", "3")
				tr.Git("add", "--intent-to-add", "a")
			},
			want: map[string]string{"a": "3"},
		},
		{
			name: "same size, same second",
			setup: func(t *testing.T, tr *tree) {
				tr.Write("a", "old")
				tr.Commit("one")
				info, err := os.Stat(tr.Path(".git/index"))
				if err != nil {
					t.Fatal(err)
				}
				tr.Write("a", "new")
				if err := os.Chtimes(tr.Path("a"), info.ModTime(), info.ModTime()); err != nil {
					t.Fatal(err)
				}
			},
			want: map[string]string{"a": "new"},
		},
		{
			name: "SHA-256 objects",
			init: []string{"--object-format=sha256"},
			setup: func(_ *testing.T, tr *tree) {
				tr.Write("a", "1")
				tr.Commit("one")
				tr.Write("b", "2")
			},
			want: map[string]string{"a": "1", "b": "2"},
		},
		{
			name: "names that need care",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write("-dash", "d")
				tr.Write(":colon", "c")
				tr.Write("*star", "s")
				tr.Commit("one")
				tr.Write("-dash", "dd")
				tr.Write(odd, "o")
			},
			want: map[string]string{"-dash": "dd", ":colon": "c", "*star": "s", odd: "o"},
		},
		{
			name: "file becomes folder, folder becomes file, folder becomes link",
			setup: func(t *testing.T, tr *tree) {
				tr.Write("f", "1")
				tr.Write("d/x", "2")
				tr.Write("l/y", "3")
				tr.Write("target/y", "4")
				tr.Commit("one")
				for _, p := range []string{"f", "d", "l"} {
					tr.remove(t, p)
				}
				tr.Write("f/inner", "5")
				tr.Write("d", "6")
				if err := os.Symlink("target", tr.Path("l")); err != nil {
					t.Fatal(err)
				}
			},
			want: map[string]string{"f/inner": "5", "d": "6", "l": "target", "target/y": "4"},
		},
		{
			name: "nested repositories are links",
			setup: func(t *testing.T, tr *tree) {
				inner := gitrepo.New(t, tr.Path("inner"), "main")
				inner.Write("x", "1")
				inner.Commit("one")
				gitrepo.New(t, tr.Path("unborn"), "main").Write("y", "2")
				tr.Write("a", "1")
			},
			want:    map[string]string{"a": "1", "inner": "link"},
			skipped: []gitx.Skip{{Path: "unborn", Why: "nested repository without a commit"}},
		},
		{
			name: "flags that make git believe the index",
			setup: func(_ *testing.T, tr *tree) {
				for _, p := range []string{"assumed", "skipped", "sparse"} {
					tr.Write(p, "1")
				}
				tr.Commit("one")
				tr.Git("update-index", "--assume-unchanged", "assumed")
				tr.Git("update-index", "--skip-worktree", "skipped", "sparse")
				tr.Write("assumed", "2")
				tr.Write("skipped", "3")
				if err := os.Remove(tr.Path("sparse")); err != nil {
					panic(err)
				}
			},
			want:   map[string]string{"assumed": "2", "skipped": "3", "sparse": "1"},
			hidden: []string{"assumed", "skipped"},
		},
		{
			name: "sparse checkout with a sparse index",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write("in/a", "1")
				tr.Write("out/b", "2")
				tr.Commit("one")
				tr.Git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
				tr.Write("in/a", "11")
				tr.Write("elsewhere/c", "3")
			},
			want: map[string]string{"in/a": "11", "out/b": "2", "elsewhere/c": "3"},
		},
		{
			name: "split index",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write("a", "1")
				tr.Commit("one")
				tr.Git("config", "core.splitIndex", "true")
				tr.Git("update-index", "--split-index")
				tr.Write("b", "2")
				tr.Git("add", "b")
				tr.Write("a", "1!")
			},
			want: map[string]string{"a": "1!", "b": "2"},
		},
		{
			name: "an unfinished merge",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write("a", "base\n")
				tr.Commit("base")
				tr.Git("checkout", "-q", "-b", "side")
				tr.Write("a", "side\n")
				tr.Commit("side")
				tr.Git("checkout", "-q", "main")
				tr.Write("a", "main\n")
				tr.Commit("main")
				_ = tr.try("merge", "-q", "side")
			},
			want: map[string]string{"a": "<<<<<<< HEAD\nmain\n=======\nside\n>>>>>>> side\n"},
		},
		{
			name: "line ends as attributes say",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write(".gitattributes", "*.txt text eol=crlf\n")
				tr.Write("a.txt", "1\r\n2\r\n")
				tr.Git("config", "core.safecrlf", "true")
				tr.Write("mixed.txt", "1\r\n2\n")
			},
			want: map[string]string{".gitattributes": "*.txt text eol=crlf\n", "a.txt": "1\n2\n", "mixed.txt": "1\n2\n"},
		},
		{
			name: "a lock of somebody else",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write("a", "1")
				tr.Commit("one")
				tr.Write("a", "2")
				tr.Write(".git/index.lock", "")
			},
			want: map[string]string{"a": "2"},
		},
		{
			name: "a large file and something that is no file",
			setup: func(t *testing.T, tr *tree) {
				tr.Write("a", "1")
				tr.Write("tracked.bin", "small")
				tr.Commit("one")
				for _, p := range []string{"big.bin", "tracked.bin"} {
					f, err := os.Create(tr.Path(p))
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					if err := f.Truncate(gitx.MaxFile + 1); err != nil {
						t.Fatal(err)
					}
				}
			},
			want:    map[string]string{"a": "1", "tracked.bin": "small"},
			skipped: []gitx.Skip{{Path: "big.bin", Why: "larger than 50 MB"}, {Path: "tracked.bin", Why: "larger than 50 MB"}},
		},
		{
			name: "one file in an encoding that git refuses does not hide the others",
			setup: func(_ *testing.T, tr *tree) {
				tr.Write(".gitattributes", "*.u16 working-tree-encoding=UTF-16\n")
				tr.Write("bad.u16", "no byte order mark")
				tr.Write("good.go", "g")
			},
			want:    map[string]string{".gitattributes": "*.u16 working-tree-encoding=UTF-16\n", "good.go": "g"},
			skipped: []gitx.Skip{{Path: "bad.u16", Why: "git update-index: exit 128"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t, tt.init...)
			tt.setup(t, tr)
			before := hash(t, tr.Path(".git"))
			got := tr.snap(t)
			if diff := cmp.Diff(tt.want, tr.files(t, got.Tree)); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.hidden, got.Hidden); diff != "" {
				t.Errorf("hidden (-want +got):\n%s", diff)
			}
			if len(got.Skipped) != len(tt.skipped) {
				t.Fatalf("skipped %v, want %v", got.Skipped, tt.skipped)
			}
			for i, want := range tt.skipped {
				if got.Skipped[i].Path != want.Path || !strings.Contains(got.Skipped[i].Why, want.Why) {
					t.Errorf("skipped %v, want %v", got.Skipped[i], want)
				}
			}
			if again := tr.snap(t); again.Tree != got.Tree {
				t.Errorf("second snapshot %s, first %s", again.Tree, got.Tree)
			}
			if after := hash(t, tr.Path(".git")); after != before {
				t.Error("the repository changed")
			}
			if left, _ := filepath.Glob(filepath.Join(tr.objs, "snap-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// try is Git for a command that ends with an error.
func (tr *tree) try(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = tr.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tr.Dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com"}
	return cmd.Run()
}

func TestSnapshotRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	trap := filepath.Join(t.TempDir(), "ran")
	tr.Write("a.bin", "1")
	tr.Commit("one")
	included := filepath.Join(t.TempDir(), "included")
	if err := os.WriteFile(included, []byte("[filter \"od \\\"d\"]\n\tclean = touch '"+trap+"' && cat\n[Filter \"LFS2\"]\n\tprocess = touch '"+trap+"'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tr.Git("config", "include.path", included)
	for _, kv := range [][2]string{
		{"filter.evil.clean", "touch '" + trap + "' && cat"}, {"filter.evil.required", "true"}, {"filter.lfs.process", "touch '" + trap + "'"},
		{"core.fsmonitor", "touch '" + trap + "'; false"}, {"diff.external", "touch '" + trap + "'"}, {"diff.conv.textconv", "touch '" + trap + "' && cat"},
		{"diff.drv.command", "touch '" + trap + "'"}, {"core.pager", "touch '" + trap + "'"}, {"diff.noprefix", "true"}, {"color.ui", "always"},
	} {
		tr.Git("config", kv[0], kv[1])
	}
	for _, h := range []string{"post-index-change", "pre-commit", "post-checkout", "reference-transaction"} {
		tr.Write(".git/hooks/"+h, "#!/bin/sh\ntouch '"+trap+"'\n")
		if err := os.Chmod(tr.Path(".git/hooks/"+h), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tr.Write(".gitattributes", "*.bin filter=evil diff=drv\n*.lfs filter=lfs diff=conv\n*.two filter=LFS2\n*.three filter=\"od\n")
	base := tr.snap(t)
	tr.Write("a.bin", "2")
	tr.Write("b.lfs", "3")
	tr.Write("c.two", "4")
	now := tr.snap(t)
	patch, err := tr.repo.Patch(t.Context(), tr.objs, base.Tree, now.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(patch), "diff --git a/a.bin b/a.bin") || !strings.Contains(string(patch), "\n+2") {
		t.Errorf("patch:\n%s", patch)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a command of the repository ran")
	}
}

func TestChangesAndPatch(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	body := strings.Repeat("some line\n", 20)
	tr.Write("old name ü.py", body)
	tr.Write("gone.py", "x\n")
	tr.Write("mode.sh", "x\n")
	tr.Write("bin.dat", "a\x00b")
	tr.Write("hidden.py", "one\n")
	tr.Write("dirt.py", "before the task\n")
	tr.Commit("one")
	tr.Write("dirt.py", "dirty before the task\n")
	tr.Write("dirt-new.py", "also before\n")
	base := tr.snap(t)

	tr.Write("latin.py", "caf\xe9\n")
	tr.Commit("commits in between do not matter")
	tr.Git("mv", "old name ü.py", "new näme.py")
	tr.Git("rm", "-q", "gone.py")
	tr.Git("commit", "-q", "-m", "three")
	if err := os.Chmod(tr.Path("mode.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	tr.Write("bin.dat", "a\x00c")
	tr.Write(".gitattributes", "hidden.py binary\n")
	tr.Write("hidden.py", "two\n")
	now := tr.snap(t)

	changes, err := tr.repo.Changes(t.Context(), tr.objs, base.Tree, now.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%c %s %s %s→%s", c.Status, c.OldPath, c.Path, c.OldMode, c.NewMode))
		if len(c.OldOID) != 40 || len(c.NewOID) != 40 {
			t.Errorf("%s: object names %q %q", c.Path, c.OldOID, c.NewOID)
		}
	}
	want := []string{
		"A  .gitattributes 000000→100644",
		"M  bin.dat 100644→100644",
		"D  gone.py 100644→000000",
		"M  hidden.py 100644→100644",
		"A  latin.py 000000→100644",
		"M  mode.sh 100644→100755",
		"R old name ü.py new näme.py 100644→100644",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	patch, err := tr.repo.Patch(t.Context(), tr.objs, base.Tree, now.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rename from old name ü.py\nrename to new näme.py\n", "+caf\xe9\n", "Binary files a/bin.dat and b/bin.dat differ", "Binary files a/hidden.py and b/hidden.py differ"} {
		if !strings.Contains(string(patch), want) {
			t.Errorf("patch lacks %q:\n%s", want, patch)
		}
	}
	patch, err = tr.repo.Patch(t.Context(), tr.objs, base.Tree, now.Tree, "hidden.py", "no such")
	if err != nil || !strings.HasSuffix(string(patch), "-one\n+two\n") {
		t.Errorf("patch of a hidden file: %v\n%s", err, patch)
	}
	if c, err := tr.repo.Changes(t.Context(), tr.objs, now.Tree, now.Tree); err != nil || len(c) != 0 {
		t.Errorf("changes between equal trees: %v, %v", c, err)
	}
}

func TestLinkedWorkTreeAndSubmodule(t *testing.T) {
	t.Parallel()
	lib := gitrepo.New(t, t.TempDir(), "main")
	lib.Write("lib.go", "1")
	lib.Commit("lib")
	tr := newTree(t)
	tr.Write("a", "1")
	tr.Commit("one")
	tr.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.Dir, "sub")
	tr.Commit("sub")
	other := filepath.Join(t.TempDir(), "linked work: tree")
	tr.Git("worktree", "add", "-q", "-b", "feat/x", other)

	linked := find(t, other)
	if linked.Branch() != "feat/x" || linked.CommonDir != tr.repo.CommonDir || linked.Head() != tr.Git("rev-parse", "HEAD") {
		t.Errorf("linked: %+v branch %q head %q", linked, linked.Branch(), linked.Head())
	}
	if err := os.WriteFile(filepath.Join(other, "b"), []byte("2"), 0o600); err != nil {
		t.Fatal(err)
	}
	lt := &tree{Repo: tr.Repo, repo: linked, objs: tr.objs}
	snap := lt.snap(t)
	got := lt.files(t, snap.Tree)
	delete(got, ".gitmodules")
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2", "sub": "link"}, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	sub := find(t, tr.Path("sub"))
	if want := filepath.Join(tr.repo.Root, "sub"); sub.Root != want || sub.Head() != lib.Git("rev-parse", "HEAD") {
		t.Errorf("submodule: %+v head %q", sub, sub.Head())
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.Write("a", "1")
	if _, err := tr.repo.Changes(t.Context(), tr.objs, "no-such-tree", "HEAD"); err == nil {
		t.Error("changes of a tree that is not there: no error")
	}
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := tr.repo.Snapshot(ctx, tr.objs); !errors.Is(err, stop) {
		t.Errorf("snapshot after the end: %v", err)
	}
	tr.Write(".git/index", "broken")
	if _, err := tr.repo.Snapshot(t.Context(), tr.objs); err == nil {
		t.Error("snapshot with a broken index: no error")
	}
	if got, err := tr.repo.Blobs(t.Context(), tr.objs, []string{strings.Repeat("0", 40), strings.Repeat("1", 40), "x"}); err != nil || len(got) != 0 {
		t.Errorf("blobs that are not there: %v, %v", got, err)
	}
}

func TestNoGit(t *testing.T) {
	tr := newTree(t)
	t.Setenv("PATH", t.TempDir())
	if _, err := tr.repo.Snapshot(t.Context(), tr.objs); !errors.Is(err, gitx.ErrNoGit) {
		t.Errorf("snapshot without git: %v, want ErrNoGit", err)
	}
}

func TestSnapshotOfAHomeFolderLeavesOursOut(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.objs = tr.Path(".claude/devflow/objects/abc")
	tr.Write("a", "1")
	tr.Write(".claude/settings.json", "{}")
	tr.Write(".claude/devflow/state/s1/judge-result.json", "1")
	first := tr.snap(t)
	tr.Write(".claude/devflow/state/s1/judge-result.json", "2")
	if again := tr.snap(t); again.Tree != first.Tree {
		t.Error("a file of ours changed the snapshot")
	}
	if diff := cmp.Diff(map[string]string{"a": "1", ".claude/settings.json": "{}"}, tr.files(t, first.Tree)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestSnapshotNamesWatchedFilesThatGitDoesNotKnow(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	inner := gitrepo.New(t, tr.Path("inner"), "main")
	inner.Write("x.go", "1")
	inner.Commit("one")
	tr.Write(".gitignore", "ignored/\n")
	tr.Write("ignored/y.go", "1")
	tr.Write("a.go", "1")
	tr.Commit("one")
	tr.Write("new.go", "1")
	s, err := tr.repo.Snap(t.Context(), tr.objs, "a.go", "new.go", "ignored/y.go", "inner/x.go", "gone.go", "ignored")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ignored/y.go", "inner/x.go"}, s.Unseen); diff != "" {
		t.Errorf("unseen (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(":100644 100644 a b M\x00x\x00"))
	f.Add([]byte(":100644 100644 a b R100\x00x\x00y\x00:"))
	f.Add([]byte("aaaa blob 3\nabc\nbbbb missing\n"))
	f.Add([]byte("[filter \"a\\\"b\"] clean = x\n[include]\npath=~/x\n[includeIf \"x"))
	f.Fuzz(func(_ *testing.T, text []byte) { gitx.ParseAny(text) })
}
