package judge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/google/go-cmp/cmp"
)

// Example 8 of the specification: whatever git or a user's configuration does, the judge sees the change.
func TestJudgeSeesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	w.Repo.Write("old name ü.py", strings.Repeat("x = 1\n", 20))
	w.Commit("before the task")
	w.Git("config", "diff.noprefix", "true")
	w.Git("config", "core.quotepath", "true")
	w.finish()
	w.begin("strict")

	w.Repo.Write("untracked.py", "def u(): return 1\n")
	w.Repo.Write("committed.py", "def c(): return 1\n")
	w.Git("add", "committed.py")
	w.Git("commit", "-q", "-m", "first of the task")
	w.Git("mv", "old name ü.py", "new näme.py")
	w.Git("commit", "-q", "-m", "second of the task")
	w.Repo.Write("latin.py", "def s(): return 'caf\xe9'\n")
	var seen []string
	w.extra = []judge.Examiner{examiner(func(c *judge.Case) ([]judge.Reason, error) {
		for _, f := range c.Files {
			seen = append(seen, fmt.Sprintf("%c %s +%d %d bytes", f.Status, f.Path, len(f.Lines.Added), len(f.After)))
		}
		return nil, nil
	})}
	r := w.stop()
	want := []string{"A committed.py +1 18 bytes", "A latin.py +1 23 bytes", "R new näme.py +0 120 bytes", "A untracked.py +1 18 bytes"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var missing []string
	for _, reason := range r.Reasons {
		missing = append(missing, reason.String())
	}
	if diff := cmp.Diff([]string{"[tdd] Missing Test Coverage: committed.py", "[tdd] Missing Test Coverage: latin.py", "[tdd] Missing Test Coverage: untracked.py"}, missing); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// finish ends the present task, so that begin makes the next one.
func (w *world) finish() {
	w.Helper()
	w.change(func(t *telemetry.Task) { t.EndedMS = w.now.UnixMilli() })
}

func TestRepositoryWithoutACommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.finish()
	if err := os.RemoveAll(w.Dir); err != nil {
		t.Fatal(err)
	}
	w.Repo = gitrepo.New(t, w.Dir, "main")
	w.begin("strict")
	w.edit(impl, "def issue():\n    return 1\n")
	if r := w.stop(); r.Verdict != judge.Fail || r.Reasons[0].String() != "[tdd] Missing Test Coverage: "+impl {
		t.Errorf("%+v", r)
	}
}

// What cannot be judged is said once; it is never a pass, never an attempt and never blocks.
func TestCouldNotJudge(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(t *testing.T, w *world)
		want  string
	}{
		{"no repository", func(t *testing.T, w *world) {
			if err := os.RemoveAll(w.Path(".git")); err != nil {
				t.Fatal(err)
			}
		}, "is in no git work tree"},
		{"no git", func(t *testing.T, _ *world) { t.Setenv("PATH", t.TempDir()) }, "the git program is missing"},
		{"no base tree", func(_ *testing.T, w *world) {
			w.change(func(t *telemetry.Task) { t.BaseTree = telemetry.NoTree })
		}, "was not recorded before the task's first change"},
		{"base tree is gone", func(_ *testing.T, w *world) {
			w.change(func(t *telemetry.Task) { t.BaseTree = strings.Repeat("1", 40) })
		}, "list changes"},
		{"an index that git cannot read", func(_ *testing.T, w *world) { w.Repo.Write(".git/index", "broken") }, "git ls-files"},
		{"an examiner that fails", func(_ *testing.T, w *world) {
			w.extra = []judge.Examiner{examiner(func(*judge.Case) ([]judge.Reason, error) { return nil, errors.New("no answer") })}
		}, "stub: no answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "strict")
			w.edit("notes.md", "text\n")
			tt.spoil(t, w)
			r := w.stop()
			if r.Verdict != judge.Error || r.Action != judge.Message || r.Attempt != 0 || !strings.Contains(r.Text, tt.want) || !strings.Contains(r.Text, "not a pass") {
				t.Errorf("%+v", r)
			}
			again := w.stop()
			if again.Verdict != judge.Error || again.Action != judge.Silent || !again.AlreadyJudged {
				t.Errorf("again: %+v", again)
			}
			if got := w.task(); got.State != telemetry.Unknown || got.Attempts != 0 {
				t.Errorf("task %s, %d attempts", got.State, got.Attempts)
			}
		})
	}
}

// A hard reason stands although nobody could look at the rest; without a repository the file itself still tells.
func TestForcedReasonStandsWhenNobodyCouldLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	w.raise(telemetry.KindTDD, impl, "hard", `{"file":"src/auth/token.py"}`)
	if err := os.RemoveAll(w.Path(".git")); err != nil {
		t.Fatal(err)
	}
	if r := w.stop(); r.Verdict != judge.Fail || r.Action != judge.Block || len(r.Reasons) != 2 {
		t.Errorf("%+v", r)
	}
}

// Example 5: a signal whose test exists now is resolved; a test without an assertion is none.
func TestSignalsAreCheckedAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		setup   func(w *world)
		verdict judge.Outcome
		state   string
	}{
		{"no test", func(*world) {}, judge.Fail, "consumed"},
		{"a test came later", func(w *world) { w.Repo.Write("tests/test_token.py", "def test_a():\n    assert issue() == 1\n") }, judge.Pass, "resolved"},
		{"an empty test came later", func(w *world) { w.Repo.Write("tests/test_token.py", "") }, judge.Fail, "consumed"},
		{"a test without an assertion came later", func(w *world) { w.Repo.Write("tests/test_token.py", "def test_a():\n    issue()\n") }, judge.Fail, "consumed"},
		{"the file is gone", func(w *world) { _ = os.Remove(w.Path(impl)) }, judge.Skipped, "resolved"},
		{"only comments are left of it", func(w *world) { w.Repo.Write(impl, "# nothing yet\n") }, judge.Pass, "resolved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "strict")
			w.edit(impl, "def issue():\n    return 1\n")
			w.raise(telemetry.KindTDD, impl, "hard", `{"file":"src/auth/token.py"}`)
			tt.setup(w)
			r := w.stop()
			if r.Verdict != tt.verdict {
				t.Errorf("%+v", r)
			}
			if diff := cmp.Diff([]string{"tdd_violation " + impl + ": " + tt.state}, w.states()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestForcedReasonsByKind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind, key, severity, payload string
		want                         string // empty: no reason
		verdict                      judge.Outcome
	}{
		{telemetry.KindHalt, "s1#1", "hard", `{"delta":150001}`, "[halt] token delta 150001", judge.Fail},
		{telemetry.KindShadow, "r1", "hard", `{"summary":"2 failed"}`, "[shadow] Test Failed: 2 failed", judge.Fail},
		{telemetry.KindReport, "sec", "hard", `{"worker":"sec","status":"unsafe","summary":"key in a.py"}`, "[sec] unsafe: key in a.py", judge.Fail},
		{telemetry.KindReport, "sec", "hard", `{"worker":"sec","status":"timeout","summary":"40 s"}`, "[sec] swarm-reports-unavailable: 40 s", judge.Fail},
		{telemetry.KindReport, "sec", "hard", `{"worker":"sec","status":"safe"}`, "", judge.Pass},
		{telemetry.KindReport, "qa", "soft", `{"worker":"qa","status":"weak","summary":"no empty input"}`, "[qa] weak: no empty input", judge.Pass},
		{telemetry.KindReport, "doc", "soft", `{"worker":"doc","status":"drift","summary":"--flag"}`, "[doc] drift: --flag", judge.Pass},
		{telemetry.KindLint, "file_size a.go", "hard", ``, "[lint] file_size a.go", judge.Fail},
		{telemetry.KindShadowAudit, "r1", "info", `{"summary":"healed"}`, "", judge.Pass},
		{telemetry.KindDrift, "x", "info", `{}`, "", judge.Pass},
		{"brand_new", "k", "soft", `{"summary":"who knows"}`, "[brand_new] who knows", judge.Fail},
		{"brand_new", "k", "info", `{"summary":"who knows"}`, "", judge.Pass},
		{telemetry.KindShadow, "r1", "hard", `{"summary":"password = \"hunter2hunter2\""`, "[shadow] Test Failed: r1", judge.Fail},
	}
	for _, tt := range tests {
		t.Run(tt.kind+" "+tt.payload, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "strict")
			w.edit("notes.md", "text\n")
			w.raise(tt.kind, tt.key, tt.severity, tt.payload)
			r := w.stop()
			got := strings.Join(judge.Strings(r.Reasons), "; ")
			if got != tt.want || r.Verdict != tt.verdict {
				t.Errorf("%s: reasons %q, want %q", r.Verdict, got, tt.want)
			}
			if s := w.states(); len(s) != 1 || !strings.HasSuffix(s[0], ": consumed") {
				t.Errorf("signals %v", s)
			}
		})
	}
}

func TestWhatCouldNotBeSeenIsSaid(t *testing.T) {
	t.Parallel()
	const covering = "def test_issue():\n    assert issue() == 1\n"
	tests := []struct {
		name    string
		setup   func(t *testing.T, w *world)
		want    []string
		verdict judge.Outcome
	}{
		{"text that attributes hide from diffs", func(_ *testing.T, w *world) {
			w.Repo.Write(".gitattributes", "*.py binary\n")
			w.edit("tests/test_token.py", covering)
			w.edit(impl, "def issue():\n    return 1\n<<<<<<< HEAD\n>>>>>>> b\n")
		}, []string{
			"[conflict] conflict markers left in " + impl, "[judge] text that .gitattributes hides from diffs: " + impl,
			"[judge] text that .gitattributes hides from diffs: tests/test_token.py",
		}, judge.Fail},
		{"a file that git is told not to see", func(_ *testing.T, w *world) {
			w.Git("update-index", "--assume-unchanged", "README.md")
			w.Repo.Write("README.md", "changed\n")
		}, []string{"[judge] changed although git is told not to see it: README.md"}, judge.Warn},
		{"an edited file that git ignores", func(_ *testing.T, w *world) {
			w.Repo.Write(".gitignore", "private/\n")
			w.edit("private/x.py", "x = 1\n")
		}, []string{"[judge] not looked at: private/x.py: git ignores it, or another repository has it"}, judge.Warn},
		{"a source file that a command wrote behind a new ignore rule", func(_ *testing.T, w *world) {
			w.Repo.Write(".gitignore", "src/auth/\n")
			w.Repo.Write(impl, "def issue():\n    return 1\n")
		}, []string{"[judge] not looked at: " + impl + ": an ignore rule of this task hides it"}, judge.Warn},
		{"the same by git's own exclude file", func(_ *testing.T, w *world) {
			w.Repo.Write(".git/info/exclude", "src/auth/\n")
			w.Repo.Write(impl, "def issue():\n    return 1\n")
			w.Repo.Write("README.md", "more\n")
		}, []string{"[judge] not looked at: " + impl + ": an ignore rule of this task hides it"}, judge.Warn},
		{"an ignore rule that hides no source", func(_ *testing.T, w *world) {
			w.Repo.Write(".gitignore", "*.log\n")
			w.Repo.Write("run.log", "x\n")
		}, []string{}, judge.Pass},
		{"a repository inside the project, with a commit", func(t *testing.T, w *world) {
			inner := gitrepo.New(t, w.Path("src/auth"), "main")
			inner.Write("token.py", "def issue():\n    return 1\n")
			inner.Commit("inside")
		}, []string{"[judge] not looked at: src/auth: another repository"}, judge.Warn},
		{"source that is no text", func(_ *testing.T, w *world) {
			w.edit("tests/test_token.py", covering)
			w.edit(impl, "x = '\x00'\n")
		}, []string{"[judge] not looked at: " + impl + ": its content is not text"}, judge.Warn},
		{"a large picture and a large program", func(t *testing.T, w *world) {
			for _, name := range []string{"film.bin", "big.py"} {
				w.Repo.Write(name, "")
				if err := os.Truncate(w.Path(name), gitx.MaxFile+1); err != nil {
					t.Fatal(err)
				}
			}
		}, []string{"[judge] not looked at: big.py: larger than 50 MB", "[judge] not looked at: film.bin: larger than 50 MB"}, judge.Warn},
		{"more than anybody reads", func(_ *testing.T, w *world) {
			page := strings.Repeat("0123456789abcdef0123456789abcdef\n", 120_000)
			for i := range 9 {
				w.Repo.Write(fmt.Sprintf("data/%d.txt", i), page)
			}
			w.Repo.Write("new.py", "def n(): return 1\n")
		}, []string{"[tdd] Missing Test Coverage: new.py", "[judge] could not judge: the change is too large to read (make patch: git diff-tree: more than 33554432 bytes: too large to read)",
			"[judge] not looked at: 9 of 10 changed files are too large, or too much together: data/0.txt, data/1.txt, data/2.txt, data/3.txt, data/4.txt, data/5.txt, data/6.txt, data/7.txt, data/8.txt"}, judge.Fail},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "strict")
			tt.setup(t, w)
			r := w.stop()
			if diff := cmp.Diff(tt.want, judge.Strings(r.Reasons)); diff != "" || r.Verdict != tt.verdict {
				t.Errorf("%s, want %s (-want +got):\n%s", r.Verdict, tt.verdict, diff)
			}
		})
	}
}

// The verdict may hang on more than the diff: a red test run that turned green lifts it without an edit.
func TestGreenRunLiftsARedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	w.edit("tests/test_token.py", "def test_issue():\n    assert issue() == 1\n")
	w.tested(false, "pytest -q\nE  ImportError: no module\n")
	red := w.stop()
	if red.Verdict != judge.Fail || !strings.Contains(red.Text, "[test] the last test run failed: pytest -q\n    E  ImportError: no module") {
		t.Fatalf("%+v", red)
	}
	w.tested(true, "")
	green := w.stop()
	if green.Verdict != judge.Pass || green.DiffSHA != red.DiffSHA || green.AlreadyJudged {
		t.Errorf("%+v", green)
	}
	w.tested(false, "pytest -q\nE  flaky\n")
	if r := w.stop(); r.Verdict != judge.Fail || r.AlreadyJudged {
		t.Errorf("red again: %+v", r)
	}
}

// C13: a diff of comments and format has nothing to be tested.
func TestCommentsAndFormatPass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	w.Repo.Write(impl, "def issue( ):\n    return 1\n")
	w.Commit("before")
	w.finish()
	w.begin("strict")
	w.edit(impl, "# Tokens.\ndef issue( ):\n\n    return 1  # one\n")
	w.raise(telemetry.KindTDD, impl, "hard", "")
	if r := w.stop(); r.Verdict != judge.Pass || len(r.Reasons) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestSpecIsThePlanInTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.Repo.Write("docs/plan.md", "the plan\n")
	outside := filepath.Join(t.TempDir(), "outside.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, w.Path("docs/link.md")); err != nil {
		t.Fatal(err)
	}
	for plan, want := range map[string]string{
		"docs/plan.md": "the plan\n", w.Path("docs/plan.md"): "the plan\n", "": "add the token module", outside: "add the token module",
		"docs/link.md": "add the token module", "../../etc/passwd": "add the token module", "docs": "add the token module", "none.md": "add the token module",
	} {
		w.change(func(t *telemetry.Task) { t.PlanPath = plan })
		got := ""
		w.extra = []judge.Examiner{examiner(func(c *judge.Case) ([]judge.Reason, error) {
			got = c.Spec
			return []judge.Reason{{Prefix: "judge", Class: judge.Soft, Text: "look again at " + plan}}, nil
		})}
		w.stop()
		if got != want {
			t.Errorf("plan %q: %q, want %q", plan, got, want)
		}
	}
}

// J13: only this task's own changes and signals count.
func TestOtherSessionsDoNotMatter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit("notes.md", "text\n")
	w.update(func(tx *store.Tx) error {
		return telemetry.Raise(tx, telemetry.Signal{Session: "other", Seq: 1, Kind: telemetry.KindLint, Key: "x", Severity: "hard"}, w.now.UnixMilli())
	})
	if r := w.stop(); r.Verdict != judge.Pass {
		t.Errorf("%+v", r)
	}
	if _, err := judge.Boundary(t.Context(), w.deps(), "nobody", 7); !errors.Is(err, judge.ErrNoTask) {
		t.Errorf("unknown task: %v", err)
	}
}

// victimVar makes this test binary a boundary run that is killed in the middle.
const victimVar = "JUDGE_TEST_VICTIM"

// halfway is where the victim is when it is killed: signals claimed, no verdict.
type halfway struct{ fifo string }

func (halfway) Name() string { return "halfway" }
func (h halfway) Examine(context.Context, *judge.Case) ([]judge.Reason, error) {
	if err := os.WriteFile(h.fifo, []byte("here"), 0o600); err != nil {
		os.Exit(1)
	}
	select {} //nolint // until the kill
}

func victim(dir string) {
	w, err := reopen(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w.extra = []judge.Examiner{halfway{filepath.Join(dir, "fifo")}}
	_, err = judge.Boundary(context.Background(), w.deps(), session, 1)
	fmt.Fprintln(os.Stderr, "not killed:", err)
	os.Exit(1)
}

// Example 13 of the specification: kill -9 between claim and verdict.
func TestKilledRunGivesItsSignalsBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := worldAt(t, dir, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	w.raise(telemetry.KindShadow, "r1", "hard", `{"summary":"2 failed"}`)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVar+"="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(fifo); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"shadow_error r1: claimed"}, w.states()); diff != "" {
		t.Error(diff)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is that of the kill

	early := w.stop() // the lease still runs: the signal is not lost, but nobody else's yet
	if strings.Contains(strings.Join(judge.Strings(early.Reasons), ""), "[shadow]") {
		t.Errorf("a claimed signal was judged by another run: %+v", early)
	}
	w.now = w.now.Add(telemetry.LeaseMS * time.Millisecond)
	late := w.stop()
	if !strings.Contains(strings.Join(judge.Strings(late.Reasons), ""), "[shadow] Test Failed: 2 failed") {
		t.Errorf("after the lease: %+v", late)
	}
	if diff := cmp.Diff([]string{"shadow_error r1: consumed"}, w.states()); diff != "" {
		t.Error(diff)
	}
}

func TestCancelledRunGivesItsSignalsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.raise(telemetry.KindShadow, "r1", "hard", `{"summary":"2 failed"}`)
	ctx, cancel := context.WithCancel(t.Context())
	w.extra = []judge.Examiner{examiner(func(*judge.Case) ([]judge.Reason, error) {
		cancel()
		return nil, nil
	})}
	r, err := judge.Boundary(ctx, w.deps(), session, 1)
	if !errors.Is(err, context.Canceled) || r.Action == judge.Block {
		t.Errorf("%+v, %v", r, err)
	}
	if diff := cmp.Diff([]string{"shadow_error r1: open"}, w.states()); diff != "" {
		t.Error(diff)
	}
}

func TestStoreThatFailsIsClosedButNeverBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := judge.Boundary(t.Context(), w.deps(), session, 1)
	if err == nil || r.Verdict != judge.Fail || r.Action != judge.Message || !strings.HasPrefix(r.Reasons[0].String(), "[sec] swarm-reports-unavailable") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestHumanReviewLeavesAPendingReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "human_review")
	w.edit("notes.md", "text\n")
	r := w.stop()
	if r.Verdict != judge.Pass || r.Action != judge.Message || !strings.Contains(r.Text, "A person has to review") {
		t.Errorf("%+v", r)
	}
	if text := w.read(w.stateFile("pending_reviews/1.json")); !strings.Contains(text, `"verdict": "pass"`) {
		t.Error(text)
	}
}

func TestSecretsDoNotReachTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	w.edit(impl, "def token(): return '"+secret+"'\n")
	r := w.stop()
	if len(r.Reasons) == 0 || strings.Contains(r.Text, secret) || strings.Contains(w.read(w.stateFile("judge-result.json")), secret) {
		t.Errorf("%+v", r)
	}
	if n := w.count("SELECT count(*) FROM judge_runs WHERE reasons LIKE '%" + secret + "%'"); n != 0 {
		t.Error("the secret is in judge_runs")
	}
}

// A part that was taken out of a file and is tested through it is a doubt, not a FAIL; without such a test it stays one.
func TestTestedThroughTheCaller(t *testing.T) {
	t.Parallel()
	const goTest = "package auth\n\nimport \"testing\"\n\nfunc TestSign(t *testing.T) {\n\tif Sign() != 1 {\n\t\tt.Fatal(Sign())\n\t}\n}\n"
	tests := []struct {
		name    string
		files   map[string]string
		want    judge.Outcome
		against string
	}{
		{"Go, same package", map[string]string{
			"auth/sign.go": "package auth\n\nfunc Sign() int { return helper() }\n", "auth/helper.go": "package auth\n\nfunc helper() int { return 1 }\n", "auth/sign_test.go": goTest,
		}, judge.Warn, "auth/helper.go: no test of its own; auth/sign_test.go may reach it"},
		{"Go, another package", map[string]string{
			"auth/sign.go": "package auth\n\nfunc Sign() int { return 1 }\n", "other/helper.go": "package other\n\nfunc Helper() int { return 1 }\n", "auth/sign_test.go": goTest,
		}, judge.Fail, "Missing Test Coverage: other/helper.go"},
		{"Python, imported by the tested file", map[string]string{
			"src/auth/token.py": "from src.auth._normal import normal\n\ndef issue(x):\n    return normal(x)\n", "src/auth/_normal.py": "def normal(x):\n    return x.strip()\n",
			"tests/auth/test_token.py": "from src.auth.token import issue\n\ndef test_issue():\n    assert issue(' a') == 'a'\n",
		}, judge.Warn, "src/auth/_normal.py: no test of its own"},
		{"Python, a new file with an old test of its name", map[string]string{"src/lexer/old.py": "def other(x):\n    return x\n"}, judge.Warn, "src/lexer/old.py: new, and tests/lexer/test_old.py names nothing of it"},
		{"Python, a new file for a test that was there before", map[string]string{"src/lexer/old.py": "def scan(x):\n    return x\n"}, judge.Pass, ""},
		{"Python, nobody names it", map[string]string{
			"src/auth/token.py": "def issue(x):\n    return x\n", "src/auth/_normal.py": "def normal(x):\n    return x.strip()\n",
			"tests/auth/test_token.py": "from src.auth.token import issue\n\ndef test_issue():\n    assert issue('a') == 'a'\n",
		}, judge.Fail, "Missing Test Coverage: src/auth/_normal.py"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "strict", "tests/lexer/test_old.py", "from lexer.old import scan\n\ndef test_scan():\n    assert scan('a') == 'a'\n")
			for path, text := range tt.files {
				w.Repo.Write(path, text)
			}
			r := w.stop()
			if got := strings.Join(judge.Strings(r.Reasons), "\n"); r.Verdict != tt.want || !strings.Contains(got, tt.against) {
				t.Errorf("%s, want %s with %q:\n%s", r.Verdict, tt.want, tt.against, got)
			}
		})
	}
}

// What was found while the repository could not be read is not forgotten by the next look.
func TestBlindVerdictKeepsItsSignals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	w.raise(telemetry.KindTDD, impl, "hard", `{"file":"`+impl+`"}`)
	if err := os.Rename(w.Path(".git"), w.Path("git-away")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r := w.stop(); r.Verdict != judge.Fail {
			t.Errorf("%+v, want the finding to stand", r)
		}
	}
}
