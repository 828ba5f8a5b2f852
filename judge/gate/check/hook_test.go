package check_test

import (
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/telemetry"
)

func TestGitsHookKnowsWhatPassed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work("a")
	w.expect("before the commit", w.ask("git add -A && git commit -m two && git push origin feat/x"), nil, "tests ok")
	tip := w.Commit("two")
	known := func(what string, want bool, res gate.Result) {
		t.Helper()
		if known := res.Line == "" && !res.Refused() && len(res.Steps) == 0; known != want {
			t.Errorf("%s: known %v, want %v: %s", what, known, want, res.Line)
		}
	}
	known("the same tree", true, w.hook("origin", tip, "refs/heads/feat/x", zeros))
	if rows := w.rows("ref"); len(rows) != 1 {
		t.Errorf("%d rows: what is known is not noted again", len(rows))
	}
	known("another remote", false, w.hook("fork", tip, "refs/heads/feat/x", zeros))
	known("another ref", false, w.hook("origin", tip, "refs/heads/feat/y", zeros))
	known("two refs, one of them new", false, w.hook("origin", tip, "refs/heads/feat/x", zeros, func(r *gate.Request) {
		r.PrePush = append(r.PrePush, "refs/heads/z "+tip+" refs/heads/z "+zeros+"\n"...)
	}))
	w.now = w.now.Add(time.Hour)
	known("long ago", false, w.hook("origin", tip, "refs/heads/feat/x", zeros))
	known("and looked at again", true, w.hook("origin", tip, "refs/heads/feat/x", zeros))
	w.work("b")
	next := w.Commit("three")
	known("another commit", false, w.hook("origin", next, "refs/heads/feat/x", tip))

	w.deps.TestsKnown, w.deps.TestsGreen = true, true
	w.work("c")
	next = w.Commit("four")
	w.ask(line)
	w.deps.TestsKnown = false
	known("tests that did not run", false, w.hook("origin", next, "refs/heads/feat/x", tip))
	w.deps.DB = nil
	known("no store", false, w.hook("origin", next, "refs/heads/feat/x", tip))
}

func TestGitsHookAsksByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Linters = quick()
	w.work("a")
	w.Git("branch", "side")
	tip := w.Commit("two")
	w.Git("push", "-q", "origin", "feat/x")
	w.Git("commit", "-q", "--amend", "-m", "other")
	other := w.Git("rev-parse", "HEAD")
	person := func(r *gate.Request) { r.Agent = false }
	lift := func(r *gate.Request) { r.Lifted = []string{gate.RuleProtected, gate.RuleForce} }

	w.expect("protected", w.hook("origin", other, "refs/heads/main", zeros), []string{gate.RuleProtected})
	w.expect("a person", w.hook("origin", other, "refs/heads/main", zeros, person), nil)
	w.expect("what a person may, an agent may not", w.hook("origin", other, "refs/heads/main", zeros), []string{gate.RuleProtected})
	w.expect("allowed before the command ran", w.ask("git push origin feat/x:main", lift), nil)
	w.expect("then git's hook knows", w.hook("origin", other, "refs/heads/main", zeros), nil)

	w.expect("rewritten", w.hook("origin", other, "refs/heads/feat/x", tip), []string{gate.RuleForce})
	w.expect("rewritten by a person", w.hook("origin", other, "refs/heads/feat/x", tip, person), nil)
	w.expect("with a lease", w.ask("git push --force-with-lease origin feat/x"), nil)
	w.expect("then git's hook knows", w.hook("origin", other, "refs/heads/feat/x", tip), nil)
	w.expect("what nobody has here", w.hook("origin", other, "refs/heads/feat/z", strings.Repeat("ab", 20)), []string{gate.RuleForce})

	w.expect("delete", w.hook("origin", zeros, "refs/heads/feat/x", tip), nil)
	w.expect("delete a protected one", w.hook("origin", zeros, "refs/heads/main", tip), []string{gate.RuleProtected})
	w.expect("allowed before the command ran", w.ask("git push -d origin main", lift), nil)
	w.expect("then git's hook knows", w.hook("origin", zeros, "refs/heads/main", tip), nil)
	w.expect("nothing", w.hook("origin", "", "", "", func(r *gate.Request) { r.PrePush = []byte("\n") }), nil)
	for _, bad := range []string{"x\n", "a b c d\n", "refs/heads/x " + tip + " refs/heads/x\n", "\x00\n"} {
		w.expect(bad, w.hook("origin", "", "", "", func(r *gate.Request) { r.PrePush = []byte(bad) }), []string{gate.RuleError})
	}
	w.expect("no repository", w.hook("origin", other, "refs/heads/y", zeros, func(r *gate.Request) { r.Cwd, r.Root = w.base, "" }), []string{gate.RuleError})
	w.deps.Environ = append(w.deps.Environ, "GIT_DIR="+w.Path(".git"))
	w.expect("where git says", w.hook("origin", other, "refs/heads/y", zeros, func(r *gate.Request) { r.Cwd, r.Root = w.base, "" }), nil)
}

func TestNoSecretOfAnAddressIsKept(t *testing.T) {
	t.Parallel()
	w := committed(t)
	password := "hunter2" + strings.Repeat("Zq9", 6)
	url := "https://dev:" + password + "@git.example.com/x.git"
	for _, res := range []gate.Result{
		w.ask("git push " + url + " feat/x"), w.ask("git push " + url + " feat/x:main"), w.ask("git push " + url + " +feat/x:main $x"),
		w.hook(url, w.Git("rev-parse", "HEAD"), "refs/heads/y", zeros),
	} {
		all := res.Text + res.Line + strings.Join(w.rows("remote,ref,steps"), " ")
		for _, ref := range res.Refs {
			all += ref.Remote
		}
		if strings.Contains(all, password) {
			t.Errorf("the password is in %q", all)
		}
	}
	if res := w.hook(url, w.Git("rev-parse", "HEAD"), "refs/heads/feat/x", zeros); res.Line != "" {
		t.Errorf("not known by its address: %s", res.Line)
	}
}

// A session whose hooks were switched off is noticed by git's own hook, which is the only one left.
func TestGitsHookNoticesSilentHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Linters = quick()
	w.work("a")
	tip := w.Commit("two")
	const notice = "has not seen this session"
	session := func(id string, agent bool) func(*gate.Request) {
		return func(r *gate.Request) { r.Session, r.Agent = id, agent }
	}
	if res := w.hook("origin", tip, "refs/heads/feat/x", zeros, session("", true)); strings.Contains(res.Line, notice) {
		t.Errorf("without a session: %s", res.Line)
	}
	if res := w.hook("origin", tip, "refs/heads/feat/y", zeros, session("silent", false)); strings.Contains(res.Line, notice) {
		t.Errorf("a person: %s", res.Line)
	}
	w.expect("a silent session", w.hook("origin", tip, "refs/heads/feat/z", zeros, session("silent", true)), nil, notice)
	if err := w.deps.DB.Update(func(tx *store.Tx) error {
		_, err := telemetry.Begin(tx, telemetry.Task{SessionID: "seen", StartedMS: 1, UpdatedMS: 1})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if res := w.hook("origin", tip, "refs/heads/feat/w", zeros, session("seen", true)); strings.Contains(res.Line, notice) {
		t.Errorf("a session that was seen: %s", res.Line)
	}
}

// Tests that commit, or anybody who does meanwhile, move the branch away from what was judged.
func TestABranchThatMovesIsNotWhatWasJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Linters = quick()
	w.work("a")
	w.Commit("two")
	judge := w.deps.Progress
	w.deps.Progress = func(step string) {
		if judge != nil {
			judge(step)
		}
		if step == "tests" {
			w.Git("commit", "-q", "--allow-empty", "-m", "meanwhile")
		}
	}
	w.expect("moved", w.ask(line), []string{gate.RuleError}, "the branch moved while it was judged")
}
