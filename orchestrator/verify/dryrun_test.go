package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/verify"
	"github.com/google/go-cmp/cmp"
)

func plan(commands ...string) orchestrator.Plan {
	p := orchestrator.Plan{Modules: []orchestrator.Module{{Name: "api", Path: "src/api"}, {Name: "web", Path: "src/new"}}}
	for i, c := range commands {
		p.Tasks = append(p.Tasks, orchestrator.Task{ID: fmt.Sprintf("t%d", i), Module: p.Modules[i%2].Name, Acceptance: c})
	}
	return p
}

func TestDryRunFlagsWhatProvesNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"src/api/a.txt": "x", "run.sh": "x"})
	write(t, filepath.Join(p.repo, "src/api/a.txt"), "not committed")
	before := mustGit(t, p.repo, "status", "--porcelain=v2")
	o := options(t)
	o.Timeout = 3 * time.Second
	o.Env = append(o.Env, "TEST_MARK=dry-"+filepath.Base(filepath.Dir(p.repo)))
	v := verify.New(box(t, sandbox.Bwrap), o)
	tests := plan(
		"grep -q x a.txt",          // passes: the committed state counts
		"test -f made.txt",         // fails, as it should
		"no-such-program-here --x", // cannot run
		"./tests/run.sh",           // is made by the work
		"sleep 600",                // too slow
		"",                         // nothing to try
		"test -d ../../src/api",    // passes
		"test ! -e made.txt && touch made.txt && exit 1", // leaves something behind
		"grep -q committed a.txt",                        // fails
		"../../run.sh",                                   // not executable, but a file of the project
	)
	var made, gone atomic.Int64
	tree := verify.Base(p.repo, "", mustGit(t, p.repo, "rev-parse", "HEAD"), filepath.Join(t.TempDir(), "bases"))
	counted := func(ctx context.Context) (string, func() error, error) {
		made.Add(1)
		dir, done, err := tree(ctx)
		return dir, func() error { gone.Add(1); return done() }, err
	}
	flags, err := verify.DryRun(t.Context(), v, verify.Dry{Plan: tests, Width: 3, Tree: counted})
	if err != nil {
		t.Fatal(err)
	}
	want := []verify.Flag{
		{Task: "t0", Kind: verify.AlreadyTrue, Reason: "its check passes before the work: it cannot tell whether the work was done"},
		{Task: "t2", Kind: verify.CannotRun, Reason: "its check cannot run: no-such-program-here is not installed, or not visible inside the confinement"},
		{Task: "t4", Kind: verify.TooSlow, Reason: "its check did not end within 3s"},
		{Task: "t6", Kind: verify.AlreadyTrue, Reason: "its check passes before the work: it cannot tell whether the work was done"},
	}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if made.Load() < 1 || made.Load() > 3 || made.Load() != gone.Load() {
		t.Errorf("%d trees made, %d removed", made.Load(), gone.Load())
	}
	if after := mustGit(t, p.repo, "status", "--porcelain=v2"); after != before {
		t.Errorf("the person's tree has changed:\n%s\n%s", before, after)
	}
}

func TestDryRunOfAnIdea(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "bases")
	v := verify.New(box(t, sandbox.Bwrap), options(t))
	flags, err := verify.DryRun(t.Context(), v, verify.Dry{Plan: plan("test -f a", "true"), Tree: verify.Base("", "", "", parent)})
	if err != nil || len(flags) != 1 || flags[0].Task != "t1" {
		t.Errorf("flags %v (%v)", flags, err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestDryRunTellsWhatItCouldNotTry(t *testing.T) {
	t.Parallel()
	v := verify.New(box(t, sandbox.Bwrap), options(t))
	broken := errors.New("disk is full")
	_, err := verify.DryRun(t.Context(), v, verify.Dry{Plan: plan("true", "true", "true", "true", "true"), Tree: func(context.Context) (string, func() error, error) { return "", nil, broken }})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	cancel(stop)
	if _, err := verify.DryRun(gone, v, verify.Dry{Plan: plan("true"), Tree: verify.Base("", "", "", t.TempDir())}); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
}

// The tests that a command sees are those of the commit; what the worker made of them is there again afterwards.
func TestProtectedFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b sandbox.Sandbox) {
		p := newProject(t, map[string]string{"sub/api/a_test.txt": "want\n", "sub/api/b_test.txt": "b\n", "sub/api/deep/c_test.txt": "c\n", "sub/api/d_test.txt": "d\n", "sub/api/code.txt": "old\n", "sub/api/run_test.txt": "#!/bin/sh\n"})
		commit := mustGit(t, p.tree, "rev-parse", "HEAD")
		root := filepath.Join(p.tree, "sub")
		at := func(name string) string { return filepath.Join(root, "api", name) }
		outside := filepath.Join(filepath.Dir(p.tree), "outside")
		write(t, outside, "outside")
		write(t, at("a_test.txt"), "weakened\n")
		write(t, at("code.txt"), "new\n")
		write(t, at("e_test.txt"), "of the worker\n")
		for _, err := range []error{os.Remove(at("b_test.txt")), os.RemoveAll(at("deep")), os.Remove(at("d_test.txt")), os.Symlink(outside, at("d_test.txt"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		o := options(t)
		o.Protect = verify.Protect{Paths: []string{"**/*_test.txt"}, Commit: commit}
		v := verify.New(b, o)
		check := schedule.Check{Region: "api", Root: root, Dir: filepath.Join(root, "api"), Command: "cat a_test.txt b_test.txt deep/c_test.txt d_test.txt code.txt e_test.txt; echo changed > a_test.txt"}
		for range 2 {
			got, err := v.Verify(t.Context(), check)
			if want := "want\nb\nc\nd\nnew\nof the worker\n"; err != nil || !got.OK || got.Output != want {
				t.Errorf("OK %t (%v): %q, want %q", got.OK, err, got.Output, want)
			}
			if a, e := read(t, at("a_test.txt")), read(t, at("e_test.txt")); a != "weakened\n" || e != "of the worker\n" {
				t.Errorf("afterwards %q and %q", a, e)
			}
			if _, err := os.Lstat(at("b_test.txt")); err == nil {
				t.Error("a removed file is there again")
			}
			if to, err := os.Readlink(at("d_test.txt")); err != nil || to != outside || read(t, outside) != "outside" {
				t.Errorf("the link leads to %q (%v)", to, err)
			}
		}
		// As a run leaves it that was killed while the command ran.
		if err := os.Rename(at("a_test.txt"), at("a_test.txt")+".devflock-aside"); err != nil {
			t.Fatal(err)
		}
		write(t, at("a_test.txt"), "want\n")
		if got, err := v.Verify(t.Context(), check); err != nil || !got.OK {
			t.Errorf("OK %t (%v): %s", got.OK, err, got.Output)
		}
		if a := read(t, at("a_test.txt")); a != "weakened\n" {
			t.Errorf("after a killed run: %q", a)
		}
	})
}

func TestProtectRefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a_test.txt": "x"})
	for _, protect := range []verify.Protect{{Paths: []string{"[a"}, Commit: "HEAD"}, {Paths: []string{"*"}, Commit: strings.Repeat("0", 39) + "1"}} {
		o := options(t)
		o.Protect = protect
		if got, err := verify.New(box(t, sandbox.Bwrap), o).Verify(t.Context(), schedule.Check{Region: "a", Root: p.tree, Dir: p.tree, Command: "true"}); err == nil || got.OK {
			t.Errorf("%v: OK %t, no error", protect, got.OK)
		}
	}
}

// A Go project with a dependency is built without a network, from the person's module cache, which is not written.
func TestGoModulesWithoutNetwork(t *testing.T) {
	t.Parallel()
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(goroot))
	home := t.TempDir()
	cache := filepath.Join(home, "go", "pkg", "mod", "cache", "download", "example.com", "dep", "@v")
	write(t, filepath.Join(cache, "list"), "v1.0.0\n")
	write(t, filepath.Join(cache, "v1.0.0.info"), `{"Version":"v1.0.0"}`)
	write(t, filepath.Join(cache, "v1.0.0.mod"), "module example.com/dep\n")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string]string{"go.mod": "module example.com/dep\n", "dep.go": "package dep\n\nconst X = 1\n"} {
		w, err := z.Create("example.com/dep@v1.0.0/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(cache, "v1.0.0.zip"), b.String())
	p := newProject(t, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": "package m\n\nimport \"example.com/dep\"\n\nconst Y = dep.X\n"})
	each(t, func(t *testing.T, b sandbox.Sandbox) {
		o := options(t)
		o.Env = []string{"PATH=" + filepath.Join(root, "bin") + ":/usr/bin:/bin"}
		o.ReadOnly = []sandbox.Bind{{From: root}}
		o.Caches = verify.FindCaches(func(string) string { return "" }, home)
		dir := t.TempDir()
		mustGit(t, p.repo, "worktree", "add", "-q", "--detach", filepath.Join(dir, "tree"))
		tree := filepath.Join(dir, "tree")
		got, err := verify.New(b, o).Verify(t.Context(), schedule.Check{Region: "api", Root: tree, Dir: tree, Command: "go mod tidy && go mod verify && go list -deps . | grep example.com/dep"})
		if err != nil || !got.OK || !strings.Contains(got.Output, "all modules verified\nexample.com/dep\n") {
			t.Errorf("OK %t (%v):\n%s", got.OK, err, got.Output)
		}
	})
}

func TestFindCaches(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, dir := range []string{"go/pkg/mod", ".cargo", "gopath/pkg/mod", "cargo"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	if got, want := verify.FindCaches(getenv, home), (verify.Caches{Go: filepath.Join(home, "go/pkg/mod"), Cargo: filepath.Join(home, ".cargo")}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	env = map[string]string{"GOPATH": filepath.Join(home, "gopath") + ":/x", "CARGO_HOME": filepath.Join(home, "cargo"), "GOMODCACHE": "relative"}
	if got, want := verify.FindCaches(getenv, home), (verify.Caches{Go: filepath.Join(home, "gopath/pkg/mod"), Cargo: filepath.Join(home, "cargo")}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := verify.FindCaches(func(string) string { return "" }, ""); got != (verify.Caches{}) {
		t.Errorf("got %v, want none", got)
	}
}
