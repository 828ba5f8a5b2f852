package telemetry_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

func TestTaskRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := telemetry.Task{
		SessionID: "s1", Seq: 1, ProjectRoot: "/p", Cwd: "/p/c", Branch: "main", BaseCommit: "c0", BaseTree: "t0", Category: "bugfix",
		Description: "fix it", SpecStatus: telemetry.SpecPaused, PlanPath: "plan.md", SpecMS: 5, SpecBlockPrompt: "p9", Oversight: "strict",
		P: 1, I: 2, D: 3, R: 4, State: telemetry.Retry, Attempts: 2, JudgedSHA: "d", ResumeCode: "K7Q2", TokenBaseline: 6, Armed: true,
		TokIn: 7, TokOut: 8, TokRead: 9, TokW5: 10, TokW1h: 11, CostNanoUSD: 12, CostUnknown: true, Model: "m", AfterWork: 13,
		LastPromptID: "p2", FirstPromptID: "p1", Prompts: 14, Stops: 15, Compactions: 16, Reflected: true, Drift: true, Rules: "tdd",
		CtxWarned: 3, StartedMS: start, UpdatedMS: start + 1, EndedMS: start + 2,
	}
	b.update(func(tx *store.Tx) error {
		_, err := telemetry.Begin(tx, want)
		return err
	})
	if diff := cmp.Diff(&want, b.current()); diff != "" {
		t.Error(diff)
	}
	// Everything back to zero: values that are unknown are NULL again.
	var got *telemetry.Task
	b.update(func(tx *store.Tx) (err error) {
		got, err = telemetry.Change(tx, "s1", 1, func(t *telemetry.Task) error {
			*t = telemetry.Task{SessionID: "s1", Seq: 1, StartedMS: start}
			return nil
		})
		return err
	})
	blank := &telemetry.Task{SessionID: "s1", Seq: 1, StartedMS: start, SpecStatus: telemetry.SpecNone, State: telemetry.Idle}
	if diff := cmp.Diff(blank, b.current()); diff != "" {
		t.Error(got, diff)
	}
	if n := b.count("SELECT count(*) FROM tasks WHERE ended_ms IS NULL AND spec_ms IS NULL AND branch IS NULL"); n != 1 {
		t.Error("zero values are not NULL")
	}
}

// The columns in the code are those of the schema.
func TestTaskColumnsAreTheSchema(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.update(func(tx *store.Tx) error {
		return tx.Query("SELECT * FROM tasks", nil, func(r *store.Row) error {
			if got := len(r.Columns()); got != 44+2 {
				t.Errorf("tasks has %d columns", got)
			}
			return nil
		})
	})
}

// A tool call moves the packed task, its row follows with the turn; a session that ended and is resumed goes on where it was.
func TestRowFollowsThePackedTask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.edit("a.py")
	b.usage(7)
	row := func() string {
		r := b.rows("SELECT state,tok_in,first_action_tokens IS NULL FROM tasks")[0]
		return r[0].(string) + " " + itoa(r[1].(int64)) + " " + itoa(r[2].(int64))
	}
	if got := row(); got != "idle 0 1" {
		t.Error(got)
	}
	if got := b.current(); got.TokIn != 7 || !got.Edited {
		t.Errorf("%+v", got)
	}
	b.record("Stop", nil)
	if got := row(); got != "idle 7 0" {
		t.Error(got)
	}
	b.usage(1)
	b.record("SessionEnd", nil)
	want := b.current()
	if n := b.count("SELECT count(*) FROM kv"); n != 0 || want.TokIn != 8 {
		t.Errorf("%d keys are left, %+v", n, want)
	}
	b.record("SessionStart", nil)
	got := b.edit("a.py")
	if got.Seq != 1 || got.TokIn != 8 {
		t.Errorf("%+v", got)
	}
}

// A copy that cannot be read is no reason to fail: the row counts.
func TestDamagedPackedTask(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{"", "x", "0\x1ftrue", "1", "1\x1ftrue\x1f/root", "1\x1fmaybe"} {
		b := setup(t)
		b.prompt("p1")
		b.update(func(tx *store.Tx) error { return telemetry.Put(tx, "task:s1", damage) })
		if got := b.edit("a.py"); got == nil || got.Prompts != 1 || !got.Edited {
			t.Errorf("%q: %+v", damage, got)
		}
	}
}

// Acceptance example 1: without a session nothing is stored.
func TestNoSessionStoresNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.session = ""
	if got := b.record("UserPromptSubmit", nil); got != nil {
		t.Error(got)
	}
	if n := b.count("SELECT (SELECT count(*) FROM hook_runs)+(SELECT count(*) FROM tasks)"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestFirstTaskBeginsWithTheFirstEventThatNeedsOne(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]bool{
		"SessionStart": false, "SessionEnd": false, "Stop": false, "PreCompact": false, "SubagentStop": false, "CwdChanged": false,
		"UserPromptSubmit": true, "UserPromptExpansion": true, "PreToolUse": true, "PostToolUse": true, "PostToolUseFailure": true,
	} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			got := b.record(event, func(f *telemetry.Fact) { f.Tool, f.Cwd, f.Root = "Read", "/p/x", "/p" })
			if (got != nil) != want {
				t.Fatalf("task %+v", got)
			}
			if got != nil && (got.ID() != "s1#1" || got.Cwd != "/p/x" || got.ProjectRoot != "/p" || got.StartedMS != b.now) {
				t.Errorf("task %+v", got)
			}
			if n := b.count("SELECT count(*) FROM hook_runs WHERE session_id='s1' AND event=? AND seq=?", event, map[bool]int{false: 0, true: 1}[want]); n != 1 {
				t.Errorf("%d hook runs", n)
			}
		})
	}
}

// A judged task ends with the next prompt; the next source edit, not the next question, begins another.
func TestNextTaskBeginsAtTheFirstEditAfterAJudgedOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.edit("a.py")
	b.verdict(breaker.OutcomePass)
	if got := b.current(); got.Ended() {
		t.Fatal("ended before a newer prompt")
	}
	b.usage(1000)
	if got := b.record("UserPromptSubmit", func(f *telemetry.Fact) {
		f.Prompt, f.Description, f.Category = "p2", "add rotation", "feature"
	}); !got.Ended() || got.Seq != 1 {
		t.Fatalf("%+v", got)
	}
	b.usage(300) // thinking for the next task
	if got := b.record("PreToolUse", func(f *telemetry.Fact) { f.Tool = "Read" }); got.Seq != 1 {
		t.Fatal("a read began a task")
	}
	if got := b.record("PreToolUse", func(f *telemetry.Fact) { f.Tool, f.Mutates, f.Outcome = "Write", true, "deny" }); got.Seq != 1 {
		t.Fatal("a denied edit began a task")
	}
	got := b.record("PreToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates = "Write", true
		f.Base = &telemetry.Base{Root: "/p", Branch: "dev", Commit: "c", Tree: "t"}
	})
	if got.Seq != 2 || got.Description != "add rotation" || got.Category != "feature" || got.FirstPromptID != "p2" || got.Prompts != 1 ||
		got.BaseTree != "t" || got.Branch != "dev" || got.State != telemetry.Idle || got.Edited {
		t.Fatalf("%+v", got)
	}
	b.usage(50)
	if got = b.edit("b.py"); !got.Edited || got.FirstActionTokens != 350 {
		t.Errorf("first action after %d tokens, edited %v", got.FirstActionTokens, got.Edited)
	}
	b.usage(50)
	if got = b.edit("c.py"); got.FirstActionTokens != 350 {
		t.Errorf("first action moved to %d", got.FirstActionTokens)
	}
	if first := b.find(1); first.AfterWork != 300 || first.Work() != 1300 {
		t.Errorf("first task %+v", first)
	}
}

func TestTaskDoesNotEnd(t *testing.T) {
	t.Parallel()
	for _, outcome := range []string{breaker.OutcomeFail, breaker.OutcomeError, breaker.OutcomeSkipped} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.prompt("p1")
			b.edit("a.py")
			b.verdict(outcome)
			b.prompt("p2")
			if got := b.edit("b.py"); got.Seq != 1 {
				t.Errorf("task %d", got.Seq)
			}
		})
	}
	t.Run("prompt of the client", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.prompt("p1")
		b.edit("a.py")
		b.verdict(breaker.OutcomePass)
		got := b.record("UserPromptSubmit", func(f *telemetry.Fact) {
			f.Prompt, f.Command = "n1", spec.ParsePrompt("<task-notification>\n<task-id>x</task-id>", "", "")
		})
		if got.Ended() || got.Prompts != 1 || got.LastPromptID != "p1" {
			t.Errorf("%+v", got)
		}
	})
}

// A detached verdict may arrive after the next prompt, or after an edit.
func TestLateVerdict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.edit("a.py")
	b.judging()
	b.prompt("p2")
	b.update(func(tx *store.Tx) error {
		got, err := breaker.SetVerdict(tx, "s1", 1, breaker.Verdict{Outcome: breaker.OutcomeWarn, DiffSHA: "d", Prompts: 1, AtMS: b.now})
		if err == nil && (!got.Ended() || got.State != telemetry.Warned) {
			t.Errorf("%+v", got)
		}
		return err
	})

	b = setup(t)
	b.prompt("p1")
	b.edit("a.py")
	b.judging()
	b.prompt("p2")
	if got := b.edit("b.py"); got.State != telemetry.Stale {
		t.Fatalf("state %s", got.State)
	}
	b.verdict(breaker.OutcomePass)
	if got := b.current(); got.State != telemetry.Stale || got.Ended() || got.JudgedSHA != "sha" {
		t.Errorf("%+v", got)
	}
}

func TestPromptsGiveTheDescription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	say := func(id, text, category string) *telemetry.Task {
		return b.record("UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt, f.Description, f.Category = id, text, category })
	}
	say("p1", "what is this?", "question")
	say("p1", "what is this?", "question") // the same prompt again
	if got := say("p2", "fix the parser", "bugfix"); got.Description != "fix the parser" || got.Prompts != 2 || got.FirstPromptID != "p1" {
		t.Errorf("%+v", got)
	}
	if got := say("p3", "yes", "unknown"); got.Description != "fix the parser" {
		t.Errorf("%+v", got)
	}
	b.edit("a.py")
	if got := say("p4", "add more", "feature"); got.Description != "fix the parser" || got.Category != "bugfix" || got.LastPromptID != "p4" {
		t.Errorf("%+v", got)
	}
}

func TestHighRisk(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]bool{"": false, "vibe": false, "standard": false, "strict": true, "human_review": true} {
		task := telemetry.Task{Oversight: level}
		if got := task.HighRisk(); got != want {
			t.Errorf("%q: %v", level, got)
		}
	}
}

func TestBaseIsSetOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var none *telemetry.Task
	if !none.NeedsBase() || none.Denied() {
		t.Error("no task needs a base and denies nothing")
	}
	if got := b.prompt("p1"); !got.NeedsBase() {
		t.Error("needs a base")
	}
	first := telemetry.Base{Root: "/p", Branch: "dev", Tree: "t1"}
	if got := b.record("PreToolUse", func(f *telemetry.Fact) { f.Tool, f.Mutates, f.Base = "Write", true, &first }); got.NeedsBase() {
		t.Errorf("%+v", got)
	}
	b.record("PreToolUse", func(f *telemetry.Fact) { f.Tool, f.Base = "Bash", &telemetry.Base{Root: "/q", Tree: "t2"} })
	if got := b.current(); got.BaseTree != "t1" || got.ProjectRoot != "/p" || got.BaseCommit != "" {
		t.Errorf("%+v", got)
	}
}

func TestAddUsageOfAMissingTask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.db.Update(func(tx *store.Tx) error { return telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{In: 1}) }); err == nil {
		t.Error("no error")
	}
}

func TestAddUsage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.update(func(tx *store.Tx) error {
		if err := telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{In: 1, Out: 2, Read: 4, W5: 8, W1h: 16, CostNanoUSD: 32, Model: "m1"}); err != nil {
			return err
		}
		return telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{In: 1, CostUnknown: true})
	})
	got := b.current()
	want := telemetry.Task{
		SessionID: "s1", Seq: 1, SpecStatus: telemetry.SpecNone, State: telemetry.Idle, TokIn: 2, TokOut: 2, TokRead: 4, TokW5: 8, TokW1h: 16,
		CostNanoUSD: 32, CostUnknown: true, Model: "m1", LastPromptID: "p1", FirstPromptID: "p1", Prompts: 1, StartedMS: b.now, UpdatedMS: b.now,
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
	if got.Work() != 28 {
		t.Errorf("work %d: cache reads are not work", got.Work())
	}
}

// Processes of one millisecond, and the facts of one process, have different ids that grow with time.
func TestFactIDs(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(start)
	var last int64
	for range 1000 {
		id := telemetry.NewFact(at, "s", "Stop").ID
		if id>>22 != at.UnixMilli() {
			t.Fatalf("id %d does not start with the time", id)
		}
		if id <= last {
			t.Fatal("ids do not grow")
		}
		last = id
		at = at.Add(time.Millisecond)
	}
	seen := map[int64]bool{}
	for i := range 1000 {
		seen[telemetry.NewFact(time.UnixMilli(start).Add(time.Duration(i)*time.Nanosecond), "s", "Stop").ID] = true
	}
	if len(seen) < 998 {
		t.Errorf("%d of 1000 ids of one millisecond differ", len(seen))
	}
}
