package trees_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// harm is something that befalls a tree.
type harm struct {
	name string
	do   func(t *testing.T, b *bench, tree trees.Tree)
	kept bool // the leftover file can be saved
}

func harms() []harm {
	return []harm{
		{"tree deleted by hand", func(t *testing.T, _ *bench, tree trees.Tree) { rm(t, tree.Root) }, false},
		{"link deleted", func(t *testing.T, _ *bench, tree trees.Tree) { rm(t, filepath.Join(tree.Root, ".git")) }, true},
		{"link of a dead tree", func(t *testing.T, _ *bench, tree trees.Tree) {
			write(t, filepath.Join(tree.Root, ".git"), "gitdir: /nowhere\n")
		}, true},
		{"entry deleted", func(t *testing.T, _ *bench, tree trees.Tree) { rm(t, tree.GitDir) }, true},
		{"pruned", func(t *testing.T, b *bench, tree trees.Tree) {
			if err := os.Rename(tree.Root, tree.Root+"-away"); err != nil {
				t.Fatal(err)
			}
			b.repo.Git("worktree", "prune", "--expire=now")
			if err := os.Rename(tree.Root+"-away", tree.Root); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"locked", func(t *testing.T, b *bench, tree trees.Tree) { b.repo.Git("worktree", "lock", tree.Root) }, true},
		{"locked and deleted", func(t *testing.T, b *bench, tree trees.Tree) {
			b.repo.Git("worktree", "lock", tree.Root)
			rm(t, tree.Root)
		}, false},
		{"index of the tree damaged", func(t *testing.T, _ *bench, tree trees.Tree) {
			write(t, filepath.Join(tree.GitDir, "index"), "DIRC nonsense")
		}, true},
		{"our index damaged", func(t *testing.T, b *bench, _ trees.Tree) {
			write(t, filepath.Join(b.dir, ".state/m.index"), "DIRC nonsense")
		}, true},
		{"our index gone", func(t *testing.T, b *bench, _ trees.Tree) { rm(t, filepath.Join(b.dir, ".state/m.index")) }, false},
		{"locks of dead gits", func(t *testing.T, b *bench, tree trees.Tree) {
			write(t, filepath.Join(b.dir, ".state/m.index.lock"), "")
			write(t, filepath.Join(b.dir, ".state/m.save.lock"), "")
			write(t, filepath.Join(tree.GitDir, "index.lock"), "")
			write(t, b.repo.Path(".git/refs/heads/devflock/r1/m.lock"), "")
			write(t, b.repo.Path(".git/refs/devflock/start/r1/m.lock"), "")
			write(t, b.repo.Path(".git/refs/heads/devflock/r1/integration.lock"), "")
			write(t, b.repo.Path(".git/refs/heads/devflock/integration.lock"), "")
		}, true},
		{"another branch", func(t *testing.T, _ *bench, tree trees.Tree) { sh(t, tree.Root, "git switch -q -c mine") }, true},
		{"detached and in a rebase", func(t *testing.T, _ *bench, tree trees.Tree) {
			sh(t, tree.Root, "git checkout -q --detach")
			write(t, filepath.Join(tree.GitDir, "rebase-merge/head-name"), "x")
		}, true},
		{"HEAD is nonsense", func(t *testing.T, _ *bench, tree trees.Tree) {
			write(t, filepath.Join(tree.GitDir, "HEAD"), "nonsense\n")
		}, true},
		{"file that cannot be encoded", func(t *testing.T, _ *bench, tree trees.Tree) {
			write(t, filepath.Join(tree.Root, "m/.gitattributes"), "bad working-tree-encoding=utf-16\n")
			write(t, filepath.Join(tree.Root, "m/bad"), "no utf-16\n")
		}, true},
		{"folder that cannot be listed", func(t *testing.T, _ *bench, tree trees.Tree) {
			write(t, filepath.Join(tree.Root, "m/shut/f"), "f\n")
			if err := os.Chmod(filepath.Join(tree.Root, "m/shut"), 0); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"folder that cannot be written", func(t *testing.T, _ *bench, tree trees.Tree) {
			write(t, filepath.Join(tree.Root, "m/ro/f"), "f\n")
			if err := os.Chmod(filepath.Join(tree.Root, "m/ro"), 0o555); err != nil {
				t.Fatal(err)
			}
		}, true},
	}
}

func TestABrokenTreeIsMadeAgainAfterItWasSaved(t *testing.T) {
	t.Parallel()
	for _, c := range harms() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := files(t, map[string]string{"m/x": "x\n", "o/y": "y\n"})
			tree := b.region("m", "m")
			b.begin("m")
			write(t, filepath.Join(tree.Root, "m/precious"), "work\n")
			before := shoot(t, b.repo.Dir)
			c.do(t, b, tree)
			if c.name == "another branch" {
				before = shoot(t, b.repo.Dir) // the worker made a branch, not we
			}
			if b.reopen(); true { // another process finds it so
				tree = b.region("m", "m")
			}
			b.begin("m")
			if got := b.outside("m"); len(got) > 0 || exists(filepath.Join(tree.Root, "m/precious")) || read(t, filepath.Join(tree.Root, "m/x")) != "x\n" {
				t.Errorf("not at the tip: %q", got)
			}
			saved := b.repo.Git("for-each-ref", "--format=%(refname)", "refs/devflock/wip")
			if c.kept && (saved == "" || b.repo.Git("show", strings.Split(saved, "\n")[0]+":m/precious") != "work") {
				t.Errorf("saved = %q", saved)
			}
			sh(t, tree.Root, "test -z \"$(git status --porcelain)\" && echo 2 >m/x")
			b.land(b.commit("m", "goes on"))
			if _, err := b.tr.Finish(t.Context()); err != nil {
				t.Error(err)
			}
			before.same(t, b.repo.Dir)
			if err := errors.Join(b.tr.Remove(t.Context()), b.tr.Remove(t.Context())); err != nil {
				t.Error(err)
			}
			if exists(b.dir) || exists(b.repo.Path(".git/worktrees")) {
				t.Error("something is left")
			}
		})
	}
}

func rm(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestALiveGitIsWaitedForAndItsLockStays(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n"})
	b.region("m", "m")
	b.begin("m")
	lock := filepath.Join(b.dir, ".state/m.index.lock")
	write(t, lock, "")
	// somebody whose arguments say that he is a git of ours in this tree
	hold := startSleeper(t, "devflock.mark="+filepath.Join(b.dir, ".state/m"))
	ended := make(chan error, 1)
	go func() {
		_, err := b.tr.Begin(t.Context(), "m")
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("begin did not wait: %v", err)
	case <-hold.looked: // Begin has had the time of many looks
	}
	if !exists(lock) {
		t.Error("lock of a live git was removed")
	}
	hold.stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if exists(lock) {
		t.Error("lock of a dead git is still there")
	}
}

func TestLocksOfThePersonStay(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n"})
	for _, name := range []string{"index.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock"} {
		write(t, b.repo.Path(".git/"+name), "")
	}
	before := shoot(t, b.repo.Dir)
	b.round(t, b.repo.Dir)
	if err := b.tr.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	before.same(t, b.repo.Dir)
}

func TestAWorkersOwnCommitIsKept(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n"})
	tree := b.region("m", "m")
	b.begin("m")
	sh(t, tree.Root, "echo w >m/w; git add -A; git commit -qm mine")
	own := b.repo.Git("rev-parse", "devflock/r1/m")
	sh(t, tree.Root, "echo 2 >m/x")
	commit := b.commit("m", "ours")
	if got := b.repo.Git("rev-parse", commit+"^"); got != b.tr.Base() {
		t.Errorf("parent = %s, want the start", got)
	}
	if got := b.repo.Git("for-each-ref", "--format=%(objectname)", "refs/devflock/kept"); got != own {
		t.Errorf("kept = %q, want %s", got, own)
	}
	b.begin("m")
	if got := b.repo.Git("for-each-ref", "refs/devflock/kept/r1/m/"+commit); got == "" {
		t.Error("a commit that was not integrated was not kept")
	}
	if err := b.tr.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{own, commit} {
		if got := b.repo.Git("for-each-ref", "--contains", c); got == "" {
			t.Errorf("%s is lost", c)
		}
	}
}

func TestDiscardKeepsTheCommitToo(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n"})
	tree := b.region("m", "m")
	start := b.begin("m")
	if ref, err := b.tr.Discard(t.Context(), "m", "t0-1"); err != nil || ref != "" {
		t.Errorf("nothing: %q, %v", ref, err)
	}
	sh(t, tree.Root, "echo 2 >m/x")
	commit := b.commit("m", "work", "Attempt: 1")
	ref, err := b.tr.Discard(t.Context(), "m", "t1-1")
	if err != nil || ref != "refs/devflock/wip/r1/t1-1" || b.repo.Git("rev-parse", ref) != commit {
		t.Errorf("discard = %q, %v", ref, err)
	}
	if _, found, err := b.tr.Attempted(t.Context(), "m", "Attempt: 1"); found || err != nil {
		t.Error("a discarded commit counts as attempted")
	}
	sh(t, tree.Root, "test \"$(cat m/x)\" = x; echo 3 >m/x; echo u >m/u")
	if ref, err = b.tr.Discard(t.Context(), "m", "t1-1"); err != nil || ref != "refs/devflock/wip/r1/t1-1-2" {
		t.Errorf("discard = %q, %v", ref, err)
	}
	if got := b.repo.Git("diff", "--name-only", start, ref); got != "m/u\nm/x" {
		t.Errorf("saved = %q", got)
	}
	if got := b.repo.Git("rev-parse", "devflock/r1/m"); got != start {
		t.Errorf("branch = %s, want %s", got, start)
	}
}

func TestWhatIsNotIgnoredAnyMoreIsSavedBeforeItGoes(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n", "o/y": "y\n", "o/.gitignore": "gen\n", ".gitignore": "out\n"})
	m, o := b.region("m", "m"), b.region("o", "o")
	b.begin("m")
	b.begin("o")
	write(t, filepath.Join(m.Root, "o/gen"), "made by m's tests\n")
	write(t, filepath.Join(m.Root, "m/out"), "stays\n")
	rm(t, filepath.Join(o.Root, "o/.gitignore"))
	b.land(b.commit("o", "gen is source now"))
	b.begin("m")
	if got := b.outside("m"); len(got) > 0 {
		t.Errorf("outside = %q", got)
	}
	if got := b.repo.Git("show", "refs/devflock/wip/r1/m-begin-ignored:o/gen"); got != "made by m's tests" {
		t.Errorf("saved = %q", got)
	}
	if !exists(filepath.Join(m.Root, "m/out")) {
		t.Error("an ignored file is gone")
	}
	// a worker that hides files by rules of its own does not make them disappear unsaved
	write(t, filepath.Join(m.Root, "m/.gitignore"), "hidden\n")
	write(t, filepath.Join(m.Root, "m/hidden"), "h\n")
	if _, err := b.tr.Discard(t.Context(), "m", "t2-1"); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(m.Root, "m/hidden")) {
		t.Error("hidden is still there")
	}
	found := false
	for ref := range strings.Lines(b.repo.Git("for-each-ref", "--format=%(refname)", "refs/devflock/wip")) {
		found = found || b.repo.Git("ls-tree", "-r", "--name-only", strings.TrimSpace(ref), "m/hidden") != ""
	}
	if !found {
		t.Error("hidden was not saved")
	}
}

func TestManyRegionsAtOnce(t *testing.T) {
	t.Parallel()
	content := map[string]string{}
	for i := range 12 {
		content[fmt.Sprintf("r%d/x", i)] = "x\n"
	}
	b := files(t, content)
	before := shoot(t, b.repo.Dir)
	commits := make([]string, 12)
	errs := make([]error, 12)
	var wg sync.WaitGroup
	for i := range commits {
		wg.Go(func() {
			name := fmt.Sprintf("r%d", i)
			tree, err := b.tr.Region(t.Context(), name, []string{name})
			for n := 0; err == nil && n < 3; n++ {
				if _, err = b.tr.Begin(t.Context(), name); err != nil {
					break
				}
				if err = os.WriteFile(filepath.Join(tree.Dir, name, "x"), fmt.Append(nil, n, "\n"), 0o644); err != nil {
					break
				}
				if out, auditErr := b.tr.Outside(t.Context(), name); auditErr != nil || len(out) > 0 {
					err = fmt.Errorf("outside %q: %w", out, auditErr)
					break
				}
				commits[i], _, err = b.tr.Commit(t.Context(), name, trees.Message{Subject: name})
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	b.land(commits...)
	before.same(t, b.repo.Dir)
	if got := b.repo.Git("diff", "--shortstat", b.tr.Base(), b.tip()); !strings.Contains(got, "12 files changed") {
		t.Errorf("changes = %q", got)
	}
}

func TestTwoRunsInOneRepository(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n", "o/y": "y\n"})
	before := shoot(t, b.repo.Dir)
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = func() error {
				tr, err := trees.Open(t.Context(), trees.Options{Run: fmt.Sprintf("run-%d", i), Project: b.p, Dir: filepath.Join(b.dir, fmt.Sprint(i))})
				if err != nil {
					return err
				}
				tree, err := tr.Region(t.Context(), "m", []string{"m"})
				if err != nil {
					return err
				}
				tip, err := tr.Begin(t.Context(), "m")
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(tree.Dir, "m/x"), fmt.Append(nil, i), 0o644); err != nil {
					return err
				}
				commit, _, err := tr.Commit(t.Context(), "m", trees.Message{Subject: "work"})
				if err != nil {
					return err
				}
				if err := tr.Advance(t.Context(), tip, commit); err != nil {
					return err
				}
				_, done, err := tr.Checkout(t.Context(), commit)
				if err != nil {
					return err
				}
				_, err = tr.Finish(t.Context())
				return errors.Join(err, done(), tr.Remove(t.Context()))
			}()
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	before.same(t, b.repo.Dir)
	results := map[string]bool{} // the last to finish has the final branch, the others' results are still there
	for line := range strings.Lines(b.repo.Git("for-each-ref", "--format=%(objectname)", "refs/heads/devflock", "refs/devflock/kept")) {
		if commit := strings.TrimSpace(line); commit != b.tr.Base() {
			results[commit] = true
		}
	}
	if len(results) != len(errs) {
		t.Errorf("refs = %q", b.repo.Git("for-each-ref"))
	}
}
