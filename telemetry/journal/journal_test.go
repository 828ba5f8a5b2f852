package journal_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

const start = int64(1_764_500_000_000)

// bundle is a database with one session whose first prompt has arrived.
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
	b.record("UserPromptSubmit", func(f *telemetry.Fact) {
		f.Prompt, f.Description, f.Category, f.Cwd, f.Root = "p1", "rotate the tokens", "feature", "/p/sub", "/p"
	})
	return b
}

func (b *bundle) update(fn func(tx *store.Tx) error) {
	b.t.Helper()
	if err := b.db.Update(fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) record(event string, edit func(f *telemetry.Fact)) {
	b.t.Helper()
	b.now += 1000
	f := telemetry.NewFact(time.UnixMilli(b.now), "s1", event)
	if edit != nil {
		edit(&f)
	}
	b.update(func(tx *store.Tx) error {
		_, err := telemetry.Record(tx, nil, &f)
		return err
	})
}

// edit records a finished edit; after is the content's hash.
func (b *bundle) edit(e telemetry.Edit) {
	b.t.Helper()
	b.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path, f.Edits = "Edit", true, e.Path, []telemetry.Edit{e}
	})
}

func (b *bundle) call(event, tool, input, runner string) {
	b.t.Helper()
	b.record(event, func(f *telemetry.Fact) {
		f.Tool, f.InputSHA, f.Runner = tool, input, runner
		if runner != "" {
			f.Class = "test"
		}
	})
}

// with runs fn on the newest task.
func (b *bundle) with(fn func(tx *store.Tx, t *telemetry.Task) error) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		t, err := telemetry.Current(tx, "s1")
		if err != nil {
			return err
		}
		return fn(tx, t)
	})
}

// judged stores a judge run as package judge does.
func (b *bundle) judged(n int, verdict, reasons string) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO judge_runs(session_id,seq,n,verdict,reasons,diff_sha) VALUES('s1',1,?,?,?,'d')", n, verdict, reasons)
		return err
	})
}

func TestTaskFacts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.record("PostToolUse", func(f *telemetry.Fact) { f.Tool, f.Path = "Read", "src/auth/jwt.py" })
	b.edit(telemetry.Edit{Path: "src/auth/jwt.py", Kind: "impl", Added: 30, Removed: 10, TestState: "exists"})
	b.edit(telemetry.Edit{Path: "README.md", Kind: "doc", Added: 1, TestState: "noncode"})
	b.edit(telemetry.Edit{Path: "src/auth/keys.py", Kind: "impl", Added: 20, Created: true, TestState: "none"})
	b.edit(telemetry.Edit{Path: "src/auth/jwt.py", Kind: "impl", Added: 1, TestState: "exists"})
	ms := b.now
	b.with(func(tx *store.Tx, task *telemetry.Task) error {
		got, err := journal.TaskFacts(tx, task)
		want := journal.Facts{
			Files: []journal.FileFacts{
				{Path: "src/auth/jwt.py", Kind: "impl", Lines: 41, Edits: 2, ReadBefore: true, TestState: "exists", LastMS: ms},
				{Path: "README.md", Kind: "doc", Lines: 1, Edits: 1, TestState: "noncode", LastMS: ms - 2000},
				{Path: "src/auth/keys.py", Kind: "impl", Lines: 20, Edits: 1, ReadBefore: true, TestState: "none", LastMS: ms - 1000},
			},
			Lines: 62, TopDirs: 2, Read: 2, Worst: "none",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return err
	})
	// The test of one file is written, then of the other: the worst file counts.
	for _, c := range []struct{ path, worst string }{{"src/auth/keys.py", "exists"}, {"src/auth/jwt.py", "changed"}} {
		b.record("PostToolUse", func(f *telemetry.Fact) {
			f.Tool, f.Mutates, f.Tested = "Write", true, []string{c.path}
			f.Edits = []telemetry.Edit{{Path: "tests/test_x.py", Kind: "test", Created: true, TestState: "noncode"}}
		})
		b.with(func(tx *store.Tx, task *telemetry.Task) error {
			got, err := journal.TaskFacts(tx, task)
			if got.Worst != c.worst {
				t.Errorf("worst %s, want %s", got.Worst, c.worst)
			}
			return err
		})
	}
}

// A task with more files than a ledger holds, and one whose session was resumed, is summed up from its rows, to the same result.
func TestTaskFactsFromRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 3 {
		b.edit(telemetry.Edit{Path: string(rune('a'+i)) + "/x.py", Kind: "impl", Added: 2, Removed: 1, TestState: "exists", Created: i > 0})
	}
	b.edit(telemetry.Edit{Path: "a/x.py", Kind: "impl", Added: 1, TestState: "none"})
	b.record("PostToolUse", func(f *telemetry.Fact) { f.Tool, f.Class, f.Mutates = "Bash", "deploy", true })
	b.call("PostToolUse", "Bash", "", "go test")
	look := func() (facts journal.Facts, classes []string) {
		b.with(func(tx *store.Tx, task *telemetry.Task) (err error) {
			if facts, err = journal.TaskFacts(tx, task); err == nil {
				classes, err = journal.Classes(tx, task)
			}
			slices.Sort(classes)
			return err
		})
		return facts, classes
	}
	facts, classes := look()
	if len(facts.Files) != 3 || facts.Lines != 10 || facts.TopDirs != 3 || facts.Read != 2 || facts.Worst != "none" || !slices.Equal(classes, []string{"deploy", "test"}) {
		t.Fatalf("%+v %v", facts, classes)
	}
	b.record("SessionEnd", nil)
	again, classesAgain := look()
	if diff := cmp.Diff(facts, again); diff != "" || !slices.Equal(classes, classesAgain) {
		t.Error(diff, classesAgain)
	}
	b.edit(telemetry.Edit{Path: "d.py", Kind: "impl", Added: 1})
	if facts, _ = look(); len(facts.Files) != 4 || facts.Lines != 11 {
		t.Errorf("after a resumed session: %+v", facts)
	}
	for i := range 150 {
		b.edit(telemetry.Edit{Path: fmt.Sprint("many/", i), Kind: "impl", Added: 1, Created: true})
	}
	if facts, _ = look(); len(facts.Files) != 154 || facts.Lines != 161 {
		t.Errorf("%d files, %d lines", len(facts.Files), facts.Lines)
	}
}

// Only the task's own rows count, however many tasks the session has.
func TestFactsAreOfOneTask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.edit(telemetry.Edit{Path: "old/a.py", Kind: "impl", Added: 500})
	b.call("PostToolUseFailure", "Bash", "", "pytest")
	b.with(func(tx *store.Tx, task *telemetry.Task) error {
		_, err := telemetry.Change(tx, "s1", 1, func(t *telemetry.Task) error { t.EndedMS = b.now; return nil })
		return err
	})
	b.edit(telemetry.Edit{Path: "new/b.py", Kind: "impl", Added: 1})
	b.with(func(tx *store.Tx, task *telemetry.Task) error {
		got, err := journal.TaskFacts(tx, task)
		if task.Seq != 2 || got.Lines != 1 || len(got.Files) != 1 {
			t.Errorf("task %d: %+v", task.Seq, got)
		}
		if err != nil {
			return err
		}
		run, err := journal.LastTest(tx, task, true)
		if run != nil {
			t.Errorf("%+v", run)
		}
		return err
	})
}

// Acceptance example 19, as far as the store goes: what the client reports is what is kept.
func TestLastTest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.record("PostToolUseFailure", func(f *telemetry.Fact) {
		f.Tool, f.Runner, f.Class, f.Detail = "Bash", "cargo test", "test", "cargo test\ntest result: FAILED"
	})
	b.call("PostToolUse", "Bash", "", "cargo test")
	b.call("PostToolUse", "Bash", "", "")
	b.with(func(tx *store.Tx, task *telemetry.Task) error {
		last, err := journal.LastTest(tx, task, false)
		if err != nil || last == nil || !last.OK || last.Runner != "cargo test" {
			t.Errorf("%+v %v", last, err)
		}
		failed, err := journal.LastTest(tx, task, true)
		if err != nil || failed == nil || failed.OK || failed.Detail != "cargo test\ntest result: FAILED" {
			t.Errorf("%+v %v", failed, err)
		}
		return err
	})
}

func TestLastVerdict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	look := func() *journal.Verdict {
		var v *journal.Verdict
		b.with(func(tx *store.Tx, task *telemetry.Task) (err error) {
			v, err = journal.LastVerdict(tx, task)
			return err
		})
		return v
	}
	if got := look(); got != nil {
		t.Errorf("%+v", got)
	}
	b.judged(1, "skipped_no_diff", "")
	if got := look(); got == nil || got.Outcome != "skipped_no_diff" || got.Reasons == nil {
		t.Errorf("%+v", got)
	}
	b.judged(2, "fail", `[{"Prefix":"tdd","Text":"Missing Test Coverage: a.py, b.py","Hard":true},{"prefix":"[sec]","text":"unsafe"},{"text":"plain"},"old, form",7]`)
	b.judged(3, "skipped_no_diff", "null")
	want := &journal.Verdict{Outcome: "fail", DiffSHA: "d", Reasons: []string{"[tdd] Missing Test Coverage: a.py, b.py", "[sec] unsafe", "plain", "old, form"}}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Error(diff)
	}
	b.judged(4, "pass", `not json`)
	if got := look(); got.Outcome != "pass" || len(got.Reasons) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestExportSpec(t *testing.T) {
	t.Parallel()
	if got, err := journal.ExportSpec(nil); got != nil || err != nil {
		t.Error(got, err)
	}
	if got, err := journal.ExportSpec(&telemetry.Task{SpecStatus: telemetry.SpecNone}); got != nil || err != nil {
		t.Error(got, err)
	}
	got, err := journal.ExportSpec(&telemetry.Task{SpecStatus: telemetry.SpecPaused, PlanPath: "p.md", SpecMS: start, Cwd: "/p"})
	want := "{\n  \"status\": \"PAUSED\",\n  \"plan_path\": \"p.md\",\n  \"started_at\": 1764500000,\n  \"cwd\": \"/p\"\n}\n"
	if string(got) != want || err != nil {
		t.Errorf("%s %v", got, err)
	}
}

func (b *bundle) verdict(outcome string) {
	b.t.Helper()
	b.with(func(tx *store.Tx, t *telemetry.Task) error {
		_, err := breaker.SetVerdict(tx, "s1", t.Seq, breaker.Verdict{Outcome: outcome, DiffSHA: "d", AtMS: b.now})
		return err
	})
}
