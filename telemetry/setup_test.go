package telemetry_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
)

// start is when every test session begins.
const start = int64(1_764_500_000_000)

// bundle is one database and one session in it.
type bundle struct {
	t       testing.TB
	db      *store.DB
	session string
	now     int64
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
	return &bundle{t: t, db: db, session: "s1", now: start}
}

func (b *bundle) update(fn func(tx *store.Tx) error) {
	b.t.Helper()
	if err := b.db.Update(fn); err != nil {
		b.t.Fatal(err)
	}
}

// fact makes the next fact, one second after the last.
func (b *bundle) fact(event string, edit func(f *telemetry.Fact)) telemetry.Fact {
	b.now += 1000
	f := telemetry.NewFact(time.UnixMilli(b.now), b.session, event)
	if edit != nil {
		edit(&f)
	}
	return f
}

// record stores the next fact and returns the task it belongs to, as the store has it afterwards.
func (b *bundle) record(event string, edit func(f *telemetry.Fact)) *telemetry.Task {
	b.t.Helper()
	f := b.fact(event, edit)
	var got *telemetry.Task
	b.update(func(tx *store.Tx) error {
		t, err := telemetry.Record(tx, nil, &f)
		if err != nil || t == nil {
			return err
		}
		got, err = telemetry.Find(tx, t.SessionID, t.Seq)
		return err
	})
	return got
}

func (b *bundle) prompt(id string) *telemetry.Task {
	b.t.Helper()
	return b.record("UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt = id })
}

// edit records a finished Write of a source file.
func (b *bundle) edit(path string) *telemetry.Task {
	b.t.Helper()
	return b.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path = "Write", true, path
		f.Edits = []telemetry.Edit{{Path: path, Kind: "impl", Created: true, Added: 3, TestState: "none"}}
	})
}

// test records a finished test command.
func (b *bundle) test(green bool) *telemetry.Task {
	b.t.Helper()
	event := "PostToolUseFailure"
	if green {
		event = "PostToolUse"
	}
	return b.record(event, func(f *telemetry.Fact) { f.Tool, f.Runner, f.Class = "Bash", "pytest", "test" })
}

func (b *bundle) current() *telemetry.Task {
	b.t.Helper()
	var got *telemetry.Task
	b.update(func(tx *store.Tx) (err error) {
		got, err = telemetry.Current(tx, b.session)
		return err
	})
	return got
}

func (b *bundle) count(query string, args ...any) int64 {
	b.t.Helper()
	var n int64
	b.update(func(tx *store.Tx) error {
		_, err := tx.One(query, args, &n)
		return err
	})
	return n
}

func (b *bundle) find(seq int64) *telemetry.Task {
	b.t.Helper()
	var got *telemetry.Task
	b.update(func(tx *store.Tx) (err error) {
		got, err = telemetry.Find(tx, b.session, seq)
		return err
	})
	return got
}

// judging marks the newest task as being judged.
func (b *bundle) judging() {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		t, err := telemetry.Current(tx, b.session)
		if err == nil {
			_, err = breaker.Start(tx, b.session, t.Seq)
		}
		return err
	})
}

// verdict applies a verdict to the newest task.
func (b *bundle) verdict(outcome string) {
	b.t.Helper()
	b.now += 1000
	b.update(func(tx *store.Tx) error {
		t, err := telemetry.Current(tx, b.session)
		if err == nil {
			_, err = breaker.SetVerdict(tx, b.session, t.Seq, breaker.Verdict{Outcome: outcome, DiffSHA: "sha", AtMS: b.now})
		}
		return err
	})
}

// usage adds work tokens to the newest task.
func (b *bundle) usage(work int64) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		t, err := telemetry.Current(tx, b.session)
		if err != nil {
			return err
		}
		return telemetry.AddUsage(tx, b.session, t.Seq, telemetry.Delta{In: work})
	})
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
