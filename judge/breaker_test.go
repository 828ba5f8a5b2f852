package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/verdict"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/google/go-cmp/cmp"
)

const impl = "src/auth/token.py"

// Example 9 of the specification: three different diffs that all fail.
func TestBreakerBlocksTwiceThenHalts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	shas := map[string]bool{}
	for k := 1; k <= 3; k++ {
		w.edit(impl, fmt.Sprintf("def issue(user):\n    return user + '%d'\n", k))
		r := w.stop()
		shas[r.DiffSHA] = true
		want := judge.Block
		if k == 3 {
			want = judge.Halt
		}
		if r.Verdict != judge.Fail || r.Action != want || r.Attempt != int64(k) || r.Halted != (k == 3) || r.AlreadyJudged {
			t.Fatalf("attempt %d: %+v", k, r)
		}
		if k < 3 {
			for _, part := range []string{fmt.Sprintf("[devflow:CRITICAL_RETRY] %d/3", k), "[tdd] Missing Test Coverage: " + impl, impl + ":1: def issue(user):", "test_token.py", "devflow uninstall", "Esc"} {
				if !strings.Contains(r.Text, part) {
					t.Errorf("attempt %d: text lacks %q:\n%s", k, part, r.Text)
				}
			}
		}
		if len(r.Text) > verdict.MaxBlock {
			t.Errorf("attempt %d: %d bytes of text", k, len(r.Text))
		}
	}
	task := w.task()
	if len(shas) != 3 || task.State != telemetry.Halted || task.Attempts != 3 || task.ResumeCode == "" {
		t.Errorf("%d diffs, task %s with %d attempts and code %q", len(shas), task.State, task.Attempts, task.ResumeCode)
	}
	report := w.read(w.stateFile("post-mortem.md"))
	rows := strings.Count(report, "[tdd] Missing Test Coverage: "+impl+" |")
	if rows != 3 || !strings.Contains(report, "devflow approve "+task.ResumeCode) || strings.Count(report, "\n1. ")+strings.Count(report, "\n2. ")+strings.Count(report, "\n3. ") != 3 || !strings.Contains(report, "add the token module") {
		t.Errorf("post-mortem has %d rows of attempts:\n%s", rows, report)
	}

	w.edit(impl, "def issue(user):\n    return user + 'again'\n")
	fourth := w.stop()
	if fourth.Verdict != judge.Fail || fourth.Action != judge.Message || !fourth.Halted || fourth.Attempt != 3 || !strings.Contains(fourth.Text, "devflow approve "+task.ResumeCode) {
		t.Errorf("fourth stop: %+v", fourth)
	}
	if w.task().State != telemetry.Halted {
		t.Errorf("after the fourth stop the task is %s", w.task().State)
	}
	w.update(func(tx *store.Tx) error {
		ok, err := breaker.Resume(tx, session, "devflow approve "+task.ResumeCode, w.now.UnixMilli())
		if !ok {
			t.Error("the code does not work")
		}
		return err
	})
	if got := w.task(); got.State != telemetry.Idle || got.Attempts != 0 {
		t.Errorf("after approval: %s, %d attempts", got.State, got.Attempts)
	}
	// G3: what a person has seen blocks no more, something new does.
	w.edit(impl, "def issue(user):\n    return user + 'after'\n")
	if r := w.stop(); r.Verdict != judge.Fail || r.Action != judge.Message || r.Attempt != 0 {
		t.Errorf("same finding after approval: %+v", r)
	}
	w.edit("src/auth/other.py", "def other():\n    return 1\n")
	if r := w.stop(); r.Action != judge.Block || r.Attempt != 1 {
		t.Errorf("new finding after approval: %+v", r)
	}
}

func TestSameDiffCountsAsAnAttemptAndSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "human_review")
	w.edit(impl, "def issue():\n    return 1\n")
	first := w.stop()
	second := w.stop()
	third := w.stop()
	if first.Action != judge.Block || second.Action != judge.Block || third.Action != judge.Halt {
		t.Fatalf("actions %s %s %s", first.Action, second.Action, third.Action)
	}
	if second.Attempt != 2 || second.DiffSHA != first.DiffSHA || !strings.Contains(second.Text, "Nothing has changed") || strings.Contains(first.Text, "Nothing has changed") {
		t.Errorf("second: %+v", second)
	}
	if fourth := w.stop(); fourth.Action == judge.Block || fourth.Action == judge.Halt || !fourth.Halted {
		t.Errorf("identical findings after the halt: %+v", fourth)
	}
}

// A person who asks something after a FAIL gets an answer, not a second attempt.
func TestSameDiffInALaterTurnIsNoAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "human_review")
	w.edit(impl, "def issue():\n    return 1\n")
	if first := w.stop(); first.Action != judge.Block || first.Attempt != 1 {
		t.Fatalf("first: %+v", first)
	}
	d := w.deps()
	d.NewTurn = true
	later, err := judge.Boundary(t.Context(), d, session, 1)
	if err != nil || later.Action != judge.Silent || !later.AlreadyJudged || later.Attempt != 1 || later.Verdict != judge.Fail {
		t.Errorf("the same diff in a later turn: %+v (%v)", later, err)
	}
	w.edit(impl, "def issue():\n    return 2\n")
	if next, err := judge.Boundary(t.Context(), d, session, 1); err != nil || next.Action != judge.Block || next.Attempt != 2 {
		t.Errorf("another diff in a later turn: %+v (%v)", next, err)
	}
}

func TestPassResetsTheBreaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	w.raise(telemetry.KindTDD, impl, "hard", `{"file":"src/auth/token.py"}`)
	if r := w.stop(); r.Attempt != 1 {
		t.Fatalf("%+v", r)
	}
	w.edit("tests/test_token.py", "from src.auth.token import issue\n\ndef test_issue():\n    assert issue() == 1\n")
	r := w.stop()
	if r.Verdict != judge.Pass || r.Action != judge.Silent || r.Text != "" || r.Attempt != 0 || len(r.Reasons) != 0 {
		t.Errorf("%+v", r)
	}
	if got := w.task(); got.State != telemetry.Passed || got.Attempts != 0 {
		t.Errorf("task %s, %d attempts", got.State, got.Attempts)
	}
	again := w.stop()
	if !again.AlreadyJudged || again.Verdict != judge.Pass || again.N != r.N || again.Action != judge.Silent {
		t.Errorf("the same diff again: %+v", again)
	}
	// A hard signal that arrives later reopens the question for the same diff.
	w.raise(telemetry.KindLint, "x", "hard", `{"summary":"import_boundary: a → b"}`)
	if r := w.stop(); r.AlreadyJudged || r.Verdict != judge.Fail || r.Reasons[0].String() != "[lint] import_boundary: a → b" {
		t.Errorf("new hard signal: %+v", r)
	}
}

// J1 and J2: neither a first verdict nor an empty diff ends the judging of a session.
func TestEmptyDiffIsSkippedAndTheNextIsJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	for range 2 {
		if r := w.stop(); r.Verdict != judge.Skipped || r.Action != judge.Silent {
			t.Fatalf("%+v", r)
		}
	}
	if n := w.count("SELECT count(*) FROM judge_runs"); n != 1 {
		t.Errorf("%d rows for an empty diff", n)
	}
	w.edit(impl, "def issue():\n    return 1\n")
	if r := w.stop(); r.Verdict != judge.Fail || r.Attempt != 1 {
		t.Errorf("%+v", r)
	}
	if n := w.count("SELECT count(*) FROM task_executions WHERE judge_verdict='fail' AND judge_categories_failed='[\"[tdd] Missing Test Coverage: src/auth/token.py\"]'"); n != 1 {
		t.Errorf("%d rows with the verdict", n)
	}
	w.Repo.Write(impl, "")
	if err := os.Remove(w.Path(impl)); err != nil {
		t.Fatal(err)
	}
	if r := w.stop(); r.Verdict != judge.Skipped {
		t.Errorf("everything taken back: %+v", r)
	}
}

func TestTwoRunsAtOnceCountOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	w.now = time.Now()
	d := w.deps()
	d.Now = nil
	var results [4]judge.Result
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			r, err := judge.Boundary(t.Context(), d, session, 1)
			if err != nil {
				t.Error(err)
			}
			results[i] = r
		})
	}
	wg.Wait()
	fresh := 0
	for _, r := range results {
		if r.Verdict != judge.Fail {
			t.Errorf("%+v", r)
		}
		if !r.AlreadyJudged {
			fresh++
		}
	}
	if fresh != 1 || w.task().Attempts != 1 {
		t.Errorf("%d fresh verdicts, %d attempts", fresh, w.task().Attempts)
	}
}

func TestLockIsWaitedForUntilTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	inside, leave := make(chan struct{}), make(chan struct{})
	w.extra = []judge.Examiner{examiner(func(*judge.Case) ([]judge.Reason, error) {
		close(inside)
		<-leave
		return nil, nil
	})}
	done := make(chan error, 1)
	d := w.deps()
	go func() {
		_, err := judge.Boundary(context.Background(), d, session, 1)
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	r, err := judge.Boundary(ctx, w.deps(), session, 1)
	if err == nil || r.Action == judge.Block || r.Verdict == judge.Pass {
		t.Errorf("second run: %+v, %v", r, err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestResultIsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit(impl, "def issue():\n    return 1\n")
	r := w.stop()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back judge.Result
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	var keys, exported map[string]any
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"verdict", "reasons", "attempt", "halted", "diff_sha", "already_judged", "action", "text"} {
		if _, ok := keys[k]; !ok {
			t.Errorf("no %q in %s", k, data)
		}
	}
	if err := json.Unmarshal([]byte(w.read(w.stateFile("judge-result.json"))), &exported); err != nil {
		t.Fatal(err)
	}
	if exported["verdict"] != "fail" || exported["task_id"] != "s1#1" || exported["diff_sha"] != r.DiffSHA {
		t.Errorf("judge-result.json: %v", exported)
	}
}
