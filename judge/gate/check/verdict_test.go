package check_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate"
)

const conflict = "def f():\n    x = 1\n<<<<<<< ours\n    return 1\n=======\n    return 2\n>>>>>>> theirs\n"

func TestAVerdictCoversWhatItSaw(t *testing.T) {
	t.Parallel()
	verdict, review := []string{gate.RuleVerdict}, []string{gate.RuleReview}
	commit := func(w *world) { w.Commit("two") }
	for _, tt := range []struct {
		name    string
		outcome judge.Outcome
		level   string
		after   func(w *world) // from the verdict to the push
		line    string
		want    []string
		covered bool
		words   []string
	}{
		{"pass", judge.Pass, "standard", commit, "git push origin feat/x", nil, true, []string{"verdict pass, import_boundary ok"}},
		{"pass, to a protected branch", judge.Pass, "standard", commit, "git push origin HEAD:main", nil, true, nil},
		{"warn", judge.Warn, "standard", commit, "git push origin feat/x", nil, true, []string{"verdict warn", "no test"}},
		{"warn, to a protected branch", judge.Warn, "standard", commit, "git push origin HEAD:main", verdict, true, []string{"warn", "no test"}},
		{"fail", judge.Fail, "standard", commit, "git push origin feat/x", verdict, true, []string{"fail: [tdd] no test (write one)"}},
		{"nobody could look", judge.Error, "standard", commit, "git push origin feat/x", nil, false, []string{"pass (judged now)"}},
		{"no difference then", judge.Skipped, "standard", commit, "git push origin feat/x", nil, false, []string{"judged now"}},
		{"review", judge.Pass, "human_review", commit, "git push origin feat/x", review, true, []string{"human_review"}},
		{"review of a failure", judge.Fail, "human_review", commit, "git push origin feat/x", append(review, verdict...), true, nil},
		{"other work in progress", judge.Fail, "standard", func(w *world) {
			w.Commit("two")
			w.Write("src/wip.py", conflict)
		}, "git push origin feat/x", verdict, true, nil},
		{"other work in progress, judged too", judge.Pass, "standard", func(w *world) {
			w.Git("add", "src/a.py", "tests")
			w.Git("commit", "-q", "-m", "two")
		}, "git push origin feat/x", nil, true, nil},
		{"a pending commit", judge.Fail, "standard", func(*world) {}, "git add -A && git commit -m x && git push origin feat/x", verdict, true, nil},
		{"an edit after it", judge.Fail, "standard", func(w *world) {
			w.Write("src/a.py", "def f():\n    return 2 - 1\n")
			w.Commit("two")
		}, "git push origin feat/x", nil, false, []string{"judged now"}},
		{"a bad edit after it", judge.Pass, "standard", func(w *world) {
			w.Write("src/a.py", conflict)
			w.Commit("two")
		}, "git push origin feat/x", append(verdict, gate.RuleLint), false, []string{"fail (judged now): [conflict]"}},
		{"a file that it did not see", judge.Pass, "standard", func(w *world) {
			w.Write("notes.txt", "x\n")
			w.Commit("two")
		}, "git push origin feat/x", nil, false, nil},
		{"a deletion after it", judge.Fail, "standard", func(w *world) {
			w.Git("rm", "-q", "README.md")
			w.Commit("two")
		}, "git push origin feat/x", nil, false, nil},
		{"a renamed file", judge.Fail, "standard", func(w *world) {
			w.Commit("two")
			w.Git("mv", "src/a.py", "src/b.py")
			w.Commit("three")
		}, "git push origin feat/x", append([]string{}, gate.RuleLint), false, nil},
		{"another mode", judge.Fail, "standard", func(w *world) {
			if err := os.Chmod(w.Path("src/a.py"), 0o755); err != nil {
				w.Fatal(err)
			}
			w.Commit("two")
		}, "git push origin feat/x", nil, false, nil},
		{"objects that are gone", judge.Pass, "standard", func(w *world) {
			w.Write("src/a.py", "def f():\n    return 3\n")
			w.Write("tests/test_a.py", "from src.a import f\n\n\ndef test_f():\n    assert f() == 3\n")
			w.Commit("two")
			if err := os.RemoveAll(gitx.ObjectDir(w.deps.Paths.Objects, w.Dir)); err != nil {
				w.Fatal(err)
			}
		}, "git push origin feat/x", nil, false, []string{"judged now"}},
		{"several commits", judge.Pass, "standard", func(w *world) {
			w.Git("add", "src")
			w.Git("commit", "-q", "-m", "two")
			w.Commit("three")
		}, "git push origin feat/x", nil, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.configure("[gate]\nallow_push_to_main = true")
			w.work("a")
			if tt.name == "other work in progress, judged too" {
				w.Write("src/wip.py", conflict)
			}
			w.judged(tt.outcome, tt.level, `[{"prefix":"tdd","class":"hard","text":"no test","fix":"write one"}]`)
			tt.after(w)
			res := w.ask(tt.line)
			w.expect(tt.name, res, tt.want, tt.words...)
			if (w.judge.asked == 0) != tt.covered {
				t.Errorf("judged %d times now, covered: %v", w.judge.asked, tt.covered)
			}
			lifted := w.ask(tt.line, func(r *gate.Request) { r.Lifted = tt.want })
			w.expect("lifted", lifted, nil)
		})
	}
}

func TestTheNewestCoveringVerdictCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work("a")
	w.judged(judge.Fail, "standard", "")
	w.judged(judge.Pass, "standard", "")
	w.Commit("two")
	w.expect("the newer", w.ask("git push origin feat/x"), nil, "verdict pass, import_boundary ok")
	w.judged(judge.Fail, "standard", "")
	w.expect("a person is held to it as well", w.ask("git push origin feat/x", func(r *gate.Request) { r.Agent = false }), []string{gate.RuleVerdict})
	w.Write("src/other.py", "x = 1\n") // judged and failed later, not pushed
	w.judged(judge.Pass, "human_review", "")
	w.expect("a person reviews by pushing", w.ask("git push origin feat/x", func(r *gate.Request) { r.Agent = false }), nil)
	if w.judge.asked > 0 {
		t.Errorf("judged %d times", w.judge.asked)
	}
}

func TestALiftedReviewHidesNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work("a")
	w.judged(judge.Fail, "human_review", "")
	w.Commit("two")
	w.expect("lifted", w.ask("git push origin feat/x", func(r *gate.Request) { r.Lifted = []string{gate.RuleReview} }), []string{gate.RuleVerdict}, "fail")
}

func TestTheRangeIsJudgedNow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path, text string
		want             []string
		words            string
	}{
		{"conflict", "conf.yaml", "a: 1\n<<<<<<< ours\nb: 1\n=======\nb: 2\n>>>>>>> theirs\n", []string{gate.RuleVerdict, gate.RuleLint}, "conflict markers left in conf.yaml"},
		{"secret", "deploy.yaml", "token: ghp_" + strings.Repeat("aB3dE6gH9", 4) + "\n", []string{gate.RuleVerdict}, "deploy.yaml"},
		{"broken", "src/b.py", "def f(:\n", []string{gate.RuleLint}, "compile_check"},
		{"untested", "src/b.py", "def f():\n    return 1\n", []string{gate.RuleLint}, "coverage_gate"},
		{"long", "src/b.txt.py", strings.Repeat("x = 1\n", 601), []string{gate.RuleLint}, "file_size"},
		{"fine", "notes.md", "<<<<<<< not a conflict\n", nil, ""},
		{"bytes", "notes.md", "caf\xe9 \x00\x01", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.work("a")
			w.Write(tt.path, tt.text)
			w.Commit("two")
			w.Git("config", "diff.noprefix", "true")
			w.Git("commit", "-q", "--allow-empty", "-m", "three")
			if err := os.RemoveAll(w.Path(tt.path)); err != nil { // the work tree is not what is looked at
				t.Fatal(err)
			}
			w.expect(tt.name, w.ask("git push origin feat/x"), tt.want, tt.words)
			if len(tt.want) > 0 && w.started() > 0 {
				t.Error("the tests were started though it is refused already")
			}
			w.Git("checkout", "-q", "--", ".")
			w.Write("more.md", "x\n")
			w.expect("a commit that is not made yet", w.ask("git add -A; git commit -m x; git push origin feat/x"), tt.want, tt.words)
		})
	}
}

func TestWhatAMergeBringsIsNotJudgedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work("a")
	w.Commit("two")
	w.Git("push", "-q", "-u", "origin", "feat/x")
	w.Git("checkout", "-q", "main")
	w.Write("src/theirs.py", conflict)
	w.Write("src/long.py", strings.Repeat("x = 1\n", 700))
	w.Commit("theirs")
	w.Git("push", "-q", "origin", "main")
	w.Git("checkout", "-q", "feat/x")
	w.work("b")
	w.Commit("three")
	w.Git("merge", "-q", "-m", "merge", "main")
	w.expect("made", w.ask("git push"), nil)
	w.Write("notes.md", "x\n")
	w.expect("pending", w.ask("git add -A && git commit -m x && git push"), nil)
	w.Write("src/theirs.py", conflict+"# mine\n")
	w.expect("pending, and touched", w.ask("git commit -am x && git push"), []string{gate.RuleVerdict, gate.RuleLint}, "commit first")
	w.Commit("four")
	w.expect("touched", w.ask("git push"), []string{gate.RuleVerdict, gate.RuleLint}, "theirs.py")
}

func TestJudgesThatCannotLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work("a")
	w.Commit("two")
	w.deps.Examiners = nil
	w.expect("nobody is there", w.ask("git push origin feat/x"), []string{gate.RuleVerdict}, "could not judge")
	w.deps.Examiners = []judge.Examiner{&counter{Examiner: broken{}}}
	w.expect("it breaks", w.ask("git push origin feat/x"), []string{gate.RuleVerdict}, "could not judge", "out of order")
	w.deps.DB = nil
	w.deps.Examiners = []judge.Examiner{w.judge}
	w.expect("no store", w.ask("git push origin feat/x"), nil, "judged now")
}

type broken struct{}

func (broken) Name() string { return "broken" }
func (broken) Examine(context.Context, *judge.Case) ([]judge.Reason, error) {
	return nil, errors.New("out of order")
}

// A failure of files that are not pushed says nothing about those that are.
func TestAFailureElsewhereDoesNotCover(t *testing.T) {
	t.Parallel()
	for file, refused := range map[string]bool{"elsewhere.py": false, "": true, "a.py": true} {
		w := newWorld(t)
		w.deps.Linters = quick()
		w.Write("a.py", "x = 1\n")
		w.Write("elsewhere.py", "y = 1\n")
		w.judged(judge.Fail, "standard", `[{"prefix":"tdd","class":"hard","text":"missing","file":"`+file+`"}]`)
		w.Git("add", "a.py")
		w.Git("commit", "-q", "-m", "a")
		var rules []string
		want := "judged now"
		if refused {
			rules, want = []string{gate.RuleVerdict}, "missing"
		}
		w.expect("a failure of "+file, w.ask(line), rules, want)
	}
}
