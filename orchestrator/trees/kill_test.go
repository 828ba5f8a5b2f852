package trees_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// wrapper stands in for git: it writes every call to a log and, at the TREES_AT-th, kills who started it with SIGKILL: before git runs,
// after it, together with git in the middle of it, or before an orphaned git goes on.
const wrapper = `#!/bin/sh
echo "$*" >>"$TREES_LOG"
[ "$(grep -c . "$TREES_LOG")" = "$TREES_AT" ] || exec "$TREES_GIT" "$@"
case "$TREES_HOW" in
before) kill -9 $PPID; exit 1 ;;
after) "$TREES_GIT" "$@" >/dev/null; kill -9 $PPID; exit 1 ;;
middle) "$TREES_GIT" "$@" <&0 >/dev/null & sleep $TREES_WAIT; kill -9 $! $PPID; exit 1 ;;
orphan) kill -9 $PPID; sleep 0.2; exec "$TREES_GIT" "$@" >/dev/null ;;
fail) exit 99 ;;
esac
`

// child is what a process of its own does: drive, with marks in the log.
func child(string) int {
	mark := func(step string) {
		f, err := os.OpenFile(os.Getenv("TREES_STEPS"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err == nil {
			text, _ := os.ReadFile(os.Getenv("TREES_LOG"))
			fmt.Fprintln(f, step, strings.Count(string(text), "\n"))
			f.Close()
		}
	}
	ctx, repo, dir := context.Background(), os.Getenv("TREES_REPO"), os.Getenv("TREES_DIR")
	err := error(nil)
	if commits := strings.Fields(os.Getenv("TREES_MERGE")); len(commits) > 0 {
		err = mergeOnly(ctx, repo, dir, commits[0], commits[1:])
	} else {
		err = drive(ctx, repo, dir, mark)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%T: %v\n", err, err)
		return 1
	}
	return 0
}

func mergeOnly(ctx context.Context, repo, dir, tip string, commits []string) error {
	p, err := trees.Examine(ctx, repo)
	if err != nil {
		return err
	}
	t, err := trees.Open(ctx, trees.Options{Run: "r1", Project: p, Dir: dir})
	if err != nil {
		return err
	}
	_, err = t.Merge(ctx, tip, commits)
	return err
}

// drive is a whole run with two regions and two tasks each, written so that it goes on from wherever an earlier one was killed.
func drive(ctx context.Context, repo, dir string, step func(string)) error {
	p, err := trees.Examine(ctx, repo)
	step("examine")
	if err != nil {
		return err
	}
	t, err := trees.Open(ctx, trees.Options{Run: "r1", Project: p, Dir: dir})
	step("open")
	if err != nil {
		return err
	}
	names := []string{"a", "b"}
	roots := map[string]string{}
	for _, name := range names {
		tree, err := t.Region(ctx, name, []string{name})
		step("region " + name)
		if err != nil {
			return err
		}
		roots[name] = tree.Dir
	}
	for task := range 2 {
		for _, name := range names {
			if err := work(ctx, t, name, roots[name], task, step); err != nil {
				return fmt.Errorf("task %s%d: %w", name, task, err)
			}
		}
	}
	tip, err := t.Tip(ctx)
	step("tip")
	if err != nil {
		return err
	}
	_, done, err := t.Checkout(ctx, tip)
	if err == nil {
		err = done()
	}
	step("checkout")
	if err != nil {
		return err
	}
	if _, err = t.Finish(ctx); err != nil {
		return err
	}
	step("finish")
	err = t.Remove(ctx)
	step("remove")
	return err
}

func work(ctx context.Context, t *trees.Trees, name, dir string, task int, step func(string)) error {
	say := func(op string) { step(fmt.Sprintf("%s %s%d", op, name, task)) }
	tip, err := t.Tip(ctx)
	if err != nil {
		return err
	}
	trailer := fmt.Sprintf("Task: %s%d", name, task)
	commit, found, err := t.Attempted(ctx, name, trailer)
	if err != nil {
		return err
	}
	if found {
		if in, err := t.Contains(ctx, tip, commit); err != nil || in {
			return err
		}
	} else {
		say("setup")
		if _, err := t.Begin(ctx, name); err != nil {
			return err
		}
		say("begin")
		for file, text := range map[string]string{"x.txt": fmt.Sprint("line\n", strings.Repeat("more\n", task+1)), fmt.Sprintf("new%d", task): "n\n", "build/o": "o\n"} {
			path := filepath.Join(dir, name, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
		}
		if task == 1 {
			if err := os.WriteFile(filepath.Join(dir, "stray"), []byte("s\n"), 0o644); err != nil {
				return err
			}
		}
		out, err := t.Outside(ctx, name)
		say("outside")
		if err != nil || len(out) != task {
			return errors.Join(fmt.Errorf("outside %q", out), err)
		}
		if commit, _, err = t.Commit(ctx, name, trees.Message{Subject: "work", Trailers: []string{trailer}}); err != nil {
			return err
		}
		say("commit")
	}
	m, err := t.Merge(ctx, tip, []string{commit})
	say("merge")
	if err != nil {
		return err
	}
	err = t.Advance(ctx, tip, m.Commit)
	say("advance")
	return err
}

// stage makes a repository and the wrapper, and gives a command that drives a run in it.
func stage(t *testing.T, at int, how string) (r gitrepo.Repo, dir string, cmd *exec.Cmd) {
	t.Helper()
	base := t.TempDir()
	r = gitrepo.New(t, filepath.Join(base, "repo"), "main")
	r.Write("a/x.txt", "line\n")
	r.Write("b/x.txt", "line\n")
	r.Write(".gitignore", "build/\n")
	r.Commit("base")
	dir = filepath.Join(base, "trees")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(base, "bin")
	fill := strings.NewReplacer("$TREES_LOG", filepath.Join(base, "log"), "$TREES_AT", strconv.Itoa(at), "$TREES_GIT", git, "$TREES_HOW", how, "$TREES_WAIT", fmt.Sprintf("0.00%d", at%7))
	write(t, filepath.Join(bin, "git"), fill.Replace(wrapper)) // our children see no variable of ours
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(base, "log"), "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), "TREES_CHILD=drive", "PATH="+bin+":"+os.Getenv("PATH"),
		"TREES_LOG="+filepath.Join(base, "log"), "TREES_STEPS="+filepath.Join(base, "steps"), "TREES_REPO="+r.Dir, "TREES_DIR="+dir)
	return r, dir, cmd
}

// settled is what must hold after every finished run.
func settled(t *testing.T, r gitrepo.Repo, dir string, before photo) {
	t.Helper()
	before.same(t, r.Dir)
	want := "100644 .gitignore\n100644 a/new0\n100644 a/new1\n100644 a/x.txt\n100644 b/new0\n100644 b/new1\n100644 b/x.txt"
	if got := r.Git("ls-tree", "-r", "--format=%(objectmode) %(path)", "devflock/integration"); got != want {
		t.Errorf("files = %q", got)
	}
	for _, name := range []string{"a", "b"} {
		if got := r.Git("show", "devflock/integration:"+name+"/x.txt"); got != "line\nmore\nmore" {
			t.Errorf("%s/x.txt = %q", name, got)
		}
		for task := range 2 {
			if n := r.Git("rev-list", "--count", "--no-merges", "--grep", fmt.Sprintf("^Task: %s%d$", name, task), "devflock/integration"); n != "1" {
				t.Errorf("task %s%d was integrated %s times", name, task, n)
			}
		}
	}
	if exists(dir) || exists(r.Path(".git/worktrees")) {
		t.Errorf("something is left below %s or in .git/worktrees", dir)
	}
	if out := r.Git("for-each-ref", "--format=%(refname)", "refs/heads/devflock/r1", "refs/devflock/start", "refs/devflock/base", "refs/devflock/kept"); out != "" {
		t.Errorf("refs are left: %q", out)
	}
	r.Git("fsck", "--strict")
}

// TestAnUndisturbedRunTakesFewProcesses prints how many git processes every operation takes.
func TestAnUndisturbedRunTakesFewProcesses(t *testing.T) {
	t.Parallel()
	r, dir, cmd := stage(t, 0, "")
	before := shoot(t, r.Dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	settled(t, r, dir, before)
	limit := map[string]int{"begin": 5, "outside": 1, "commit": 5, "merge": 5, "advance": 1, "checkout": 2, "finish": 2}
	last := 0
	for line := range strings.Lines(read(t, filepath.Join(filepath.Dir(dir), "steps"))) {
		op, _, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndex(line, " "):]))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%2d  %s", n-last, strings.TrimSpace(line))
		if most, ok := limit[op]; ok && n-last > most {
			t.Errorf("%s took %d processes, limit %d", strings.TrimSpace(line), n-last, most)
		}
		last = n
	}
}

func TestKilledAtAnyGitCallTheRunGoesOn(t *testing.T) {
	t.Parallel()
	const every = 4 // of some 107 calls; where it starts changes, so that in time all are met
	for n := 1 + rand.IntN(every); ; n += every {
		how := [...]string{"before", "after", "middle", "orphan", "fail"}[n%5]
		r, dir, cmd := stage(t, n, how)
		before := shoot(t, r.Dir)
		out, err := cmd.CombinedOutput()
		calls := strings.Count(read(t, filepath.Join(filepath.Dir(dir), "log")), "\n")
		if calls < n {
			if err != nil || n < 40 {
				t.Errorf("the run took %d calls: %v: %s", calls, err, out)
			}
			settled(t, r, dir, before)
			return
		}
		before.same(t, r.Dir)
		if err == nil && how == "fail" { // it could do without
			settled(t, r, dir, before)
			continue
		}
		if err == nil {
			t.Fatalf("call %d %s: not killed", n, how)
		}
		if err := drive(t.Context(), r.Dir, dir, func(string) {}); err != nil {
			t.Fatalf("call %d %s (%v: %s): the second run: %v", n, how, err, out, err)
		}
		settled(t, r, dir, before)
		if t.Failed() {
			t.Fatalf("call %d %s: %s", n, how, out)
		}
	}
}

// sleeper is a process with an argument of ours.
type sleeper struct {
	looked chan struct{} // closed when Begin has had time to look many times
	stop   func()
}

// startSleeper starts a shell that waits for its input to end.
func startSleeper(t *testing.T, argument string) sleeper {
	t.Helper()
	cmd := exec.Command("sh", "-c", "read x; exit 0", "sh", "-c", argument)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := sleeper{looked: make(chan struct{})}
	s.stop = func() {
		in.Close()
		_ = cmd.Wait()
	}
	go func() { // some git processes take longer than a look at the list of processes
		defer close(s.looked)
		for range 30 {
			_ = exec.Command("git", "version").Run()
		}
	}()
	return s
}
