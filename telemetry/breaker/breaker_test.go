package breaker_test

import (
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

const start = int64(1_764_500_000_000)

// bundle is a database with one task in it.
type bundle struct {
	t   testing.TB
	db  *store.DB
	now int64
}

func setup(t testing.TB) *bundle {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bundle{t: t, db: db, now: start}
	b.update(func(tx *store.Tx) error {
		_, err := telemetry.Begin(tx, telemetry.Task{SessionID: "s1", StartedMS: start})
		return err
	})
	return b
}

func (b *bundle) update(fn func(tx *store.Tx) error) {
	b.t.Helper()
	b.now += 1000
	if err := b.db.Update(fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) task() *telemetry.Task {
	b.t.Helper()
	var t *telemetry.Task
	b.update(func(tx *store.Tx) (err error) {
		t, err = telemetry.Current(tx, "s1")
		return err
	})
	return t
}

func (b *bundle) fail(sha string) breaker.Break {
	b.t.Helper()
	var got breaker.Break
	b.update(func(tx *store.Tx) (err error) {
		got, err = breaker.Fail(tx, "s1", 1, breaker.Verdict{Outcome: breaker.OutcomeFail, DiffSHA: sha, AtMS: b.now}, 3)
		return err
	})
	return got
}

func (b *bundle) verdict(outcome string) *telemetry.Task {
	b.t.Helper()
	var t *telemetry.Task
	b.update(func(tx *store.Tx) (err error) {
		t, err = breaker.SetVerdict(tx, "s1", 1, breaker.Verdict{Outcome: outcome, DiffSHA: "d", AtMS: b.now})
		return err
	})
	return t
}

func (b *bundle) resume(prompt string) bool {
	b.t.Helper()
	var ok bool
	b.update(func(tx *store.Tx) (err error) {
		ok, err = breaker.Resume(tx, "s1", prompt, b.now)
		return err
	})
	return ok
}

func (b *bundle) spend(work int64) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error { return telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{Out: work}) })
}

func (b *bundle) halt(delta int64) (string, bool) {
	b.t.Helper()
	var code string
	var fired bool
	b.update(func(tx *store.Tx) (err error) {
		code, fired, err = breaker.HaltEmergency(tx, "s1", 1, delta, b.now)
		return err
	})
	return code, fired
}

// Acceptance example 9, and complaints G1 and G3: three failures halt, whatever comes after is not counted, a typed code lets go.
func TestThreeFailuresHalt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for attempt, sha := range []string{"d1", "d2"} {
		if got := b.fail(sha); got != (breaker.Break{Attempt: int64(attempt + 1)}) {
			t.Fatalf("%+v", got)
		}
		if got := b.task(); got.State != telemetry.Retry || !got.Armed || got.JudgedSHA != sha {
			t.Fatalf("%+v", got)
		}
	}
	if got := b.verdict(breaker.OutcomeError); got.State != telemetry.Unknown || got.Attempts != 2 {
		t.Fatalf("%+v", got)
	}
	if got := b.verdict(breaker.OutcomeWarn); got.State != telemetry.Warned || got.Attempts != 2 {
		t.Fatalf("%+v", got)
	}
	last := b.fail("d3")
	if last.Attempt != 3 || !last.Halted || last.Already || !regexp.MustCompile(`^[A-HJ-NP-Z2-9]{4}$`).MatchString(last.Code) {
		t.Fatalf("%+v", last)
	}
	for range 5 {
		if got := b.fail("d3"); got != (breaker.Break{Attempt: 3, Halted: true, Already: true, Same: true, Code: last.Code}) {
			t.Fatalf("%+v", got)
		}
	}
	if got := b.verdict(breaker.OutcomePass); got.State != telemetry.Halted || got.Denied() {
		t.Fatalf("a pass let go by itself: %+v", got)
	}
	for _, prompt := range []string{
		"", "devflow approve", "devflow approve ", "devflow approve WXYZ1", "please devflow approve " + last.Code,
		"devflow approve " + last.Code + " now", "devflow  approve " + last.Code, "Devflow approve " + last.Code,
		"<task-notification>\ndevflow approve " + last.Code,
	} {
		if b.resume(prompt) {
			t.Errorf("%q resumes", prompt)
		}
	}
	b.spend(5000)
	if !b.resume(" devflow approve " + last.Code + "\n") {
		t.Fatal("the code does not resume")
	}
	if got := b.task(); got.State != telemetry.Idle || got.Attempts != 0 || got.TokenBaseline != 5000 || got.Armed || got.ResumeCode != "" {
		t.Errorf("%+v", got)
	}
	if b.resume("devflow approve " + last.Code) {
		t.Error("the code works twice")
	}
	if got := b.fail("d3"); got.Attempt != 1 || got.Halted {
		t.Errorf("%+v", got)
	}
}

func TestAPassResets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fail("d1")
	b.fail("d2")
	b.spend(70_000)
	b.update(func(tx *store.Tx) error {
		return telemetry.SetWarned(tx, "s1", 1, telemetry.WarnedTokens|telemetry.WarnedNear)
	})
	got := b.verdict(breaker.OutcomePass)
	if got.State != telemetry.Passed || got.Attempts != 0 || got.Armed || got.TokenBaseline != 70_000 || got.CtxWarned != telemetry.WarnedNear {
		t.Errorf("%+v", got)
	}
}

func TestAFailureThatDidNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fail("d1")
	if got := b.fail("d1"); got.Attempt != 2 || !got.Same {
		t.Errorf("%+v", got)
	}
}

// At a level without a breaker a failure arms the token guard and is not counted.
func TestUncountedFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 4 {
		if got := b.verdict(breaker.OutcomeFail); got.State != telemetry.Retry || got.Attempts != 0 || !got.Armed {
			t.Fatalf("%+v", got)
		}
	}
	b.update(func(tx *store.Tx) error { return telemetry.SetReflected(tx, "s1", 1) })
	if !b.task().Reflected {
		t.Error("not reflected")
	}
	if got := b.verdict(breaker.OutcomeWarn); got.Reflected {
		t.Error("a new warning was never shown")
	}
}

func TestSkippedVerdictChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.update(func(tx *store.Tx) error {
		_, err := breaker.Start(tx, "s1", 1)
		return err
	})
	if got := b.task().State; got != telemetry.Judging {
		t.Fatal(got)
	}
	if got := b.verdict(breaker.OutcomeSkipped); got.State != telemetry.Idle || got.JudgedSHA != "" {
		t.Errorf("%+v", got)
	}
	b.verdict(breaker.OutcomePass)
	if got := b.verdict(breaker.OutcomeSkipped); got.State != telemetry.Passed {
		t.Errorf("%+v", got)
	}
	if err := b.db.Update(func(tx *store.Tx) error {
		_, err := breaker.SetVerdict(tx, "s1", 1, breaker.Verdict{Outcome: "ok"})
		return err
	}); err == nil {
		t.Error("an unknown word is a verdict")
	}
}

// Acceptance example 17, as far as the state goes: one halt, the second call silent, only a person lets go.
func TestEmergency(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.spend(150_001)
	code, fired := b.halt(150_001)
	if !fired || code == "" {
		t.Fatal("no halt")
	}
	if again, fired := b.halt(150_002); fired || again != code {
		t.Error("halted twice")
	}
	if got := b.task(); got.State != telemetry.Emergency || !got.Denied() {
		t.Errorf("%+v", got)
	}
	if got := b.fail("d"); !got.Already || got.Attempt != 0 {
		t.Errorf("%+v", got)
	}
	b.update(func(tx *store.Tx) error {
		got, err := telemetry.OpenSignals(tx, "s1", 1)
		if len(got) != 1 || got[0].Kind != telemetry.KindHalt || got[0].Severity != "hard" || got[0].Payload != `{"delta":150001}` {
			t.Errorf("%+v", got)
		}
		return err
	})
	// /spec begins a task, but is no way out.
	b.update(func(tx *store.Tx) error {
		f := telemetry.NewFact(time.UnixMilli(b.now), "s1", "UserPromptSubmit")
		f.Prompt, f.Command = "p9", spec.ParsePrompt("/spec add x", "", "")
		if _, err := telemetry.Change(tx, "s1", 1, func(t *telemetry.Task) error { t.EndedMS = b.now; return nil }); err != nil {
			return err
		}
		t2, err := telemetry.Record(tx, nil, &f)
		if t2 == nil || t2.Seq != 2 || !t2.Denied() {
			t.Errorf("%+v", t2)
		}
		return err
	})
	if !b.resume("devflow approve " + code) {
		t.Fatal("the code does not resume")
	}
	if got := b.task(); got.Seq != 2 || got.Denied() || got.State != telemetry.Idle {
		t.Errorf("%+v", got)
	}
	b.update(func(tx *store.Tx) error {
		got, err := telemetry.OpenSignals(tx, "s1", 1)
		if len(got) != 0 {
			t.Errorf("%+v", got)
		}
		return err
	})
}

func TestResumeOfASessionWithoutATask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.update(func(tx *store.Tx) error {
		ok, err := breaker.Resume(tx, "other", "devflow approve K7Q2", b.now)
		if ok {
			t.Error("resumed nothing")
		}
		return err
	})
	if b.resume("devflow approve K7Q2") {
		t.Error("resumed a task that is not halted")
	}
}
