package governance_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/governance"
	"github.com/devflow-suite/devflow/telemetry"
)

func TestMain(m *testing.M) {
	for k, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(k, v); err != nil {
			panic(err) // unreachable: the names are valid
		}
	}
	goleak.VerifyTestMain(m)
}

const session = "s1"

// world is a repository with one task in it, a store that knows of it, and a judge whose findings the test gives.
type world struct {
	*testing.T
	gitrepo.Repo
	db    *store.DB
	paths config.Paths
	now   time.Time
	found []judge.Reason
}

func newWorld(t *testing.T, level string) *world {
	t.Helper()
	dir := t.TempDir()
	paths, err := config.ResolvePaths(func(name string) string {
		return map[string]string{"HOME": dir, "DEVFLOW_HOME": filepath.Join(dir, "devflow")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, paths: paths, now: time.Now()}
	if w.db, err = store.Open(paths.DB, store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	w.Repo = gitrepo.New(t, filepath.Join(dir, "project"), "main")
	w.Repo.Write("README.md", "# demo\n")
	w.Commit("one")
	w.begin(session, level)
	return w
}

// begin takes the base tree and begins a task of a session.
func (w *world) begin(session, level string) {
	w.Helper()
	repo, err := gitx.Find(w.Dir)
	if err != nil {
		w.Fatal(err)
	}
	tree, err := repo.Snapshot(context.Background(), gitx.ObjectDir(w.paths.Objects, repo.Root))
	if err != nil {
		w.Fatal(err)
	}
	w.record(session, "UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt, f.Description = "p1", "add tokens" })
	w.record(session, "PreToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates = "Write", true
		f.Base = &telemetry.Base{Root: repo.Root, Branch: repo.Branch(), Commit: repo.Head(), Tree: tree}
		if level != "" {
			f.Score = &telemetry.Score{Level: level, P: 300, I: 900, D: 500, R: 135}
		}
	})
}

func (w *world) record(session, event string, edit func(f *telemetry.Fact)) {
	w.Helper()
	w.now = w.now.Add(time.Second)
	f := telemetry.NewFact(w.now, session, event)
	f.Root = w.Dir
	edit(&f)
	w.update(func(tx *store.Tx) error { _, err := telemetry.Record(tx, nil, &f); return err })
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.Helper()
	if err := w.db.Update(fn); err != nil {
		w.Fatal(err)
	}
}

// edit writes a file as a tool would, and tells the store.
func (w *world) edit(path, content string) {
	w.Helper()
	w.Repo.Write(path, content)
	w.record(session, "PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path = "Write", true, path
		f.Edits = []telemetry.Edit{{Path: path, Kind: "impl", Added: 3}}
	})
}

func (w *world) raise(kind, key, severity, payload string) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		return telemetry.Raise(tx, telemetry.Signal{Session: session, Seq: 1, Kind: kind, Key: key, Severity: severity, Source: "test", Payload: payload}, w.now.UnixMilli())
	})
}

// Name and Examine make the world the judge's examiner.
func (w *world) Name() string { return "test" }

func (w *world) Examine(context.Context, *judge.Case) ([]judge.Reason, error) { return w.found, nil }

// judged runs the judge, who finds the given reasons.
func (w *world) judged(found ...judge.Reason) judge.Result {
	w.Helper()
	w.found = found
	res, err := w.judge(context.Background(), session, 1)
	if err != nil {
		w.Fatal(err)
	}
	return res
}

func (w *world) judge(ctx context.Context, session string, seq int64) (judge.Result, error) {
	w.now = w.now.Add(time.Second)
	return judge.Boundary(ctx, judge.Deps{DB: w.db, Paths: w.paths, Now: func() time.Time { return w.now }, Examiners: []judge.Examiner{w}}, session, seq)
}

func (w *world) deps() governance.Deps {
	return governance.Deps{Open: func() (*store.DB, error) { return store.Open(w.paths.DB, store.Options{ReadOnly: true}) }, Paths: w.paths, Judge: w.judge}
}

func (w *world) apply(edit ...func(d *governance.Deps, a *governance.Args)) governance.Answer {
	w.Helper()
	d, a := w.deps(), governance.Args{ProjectRoot: w.Dir}
	for _, fn := range edit {
		fn(&d, &a)
	}
	ans, err := governance.Apply(context.Background(), d, a)
	if err != nil {
		w.Fatal(err)
	}
	return ans
}

// rows is how many rows each table that a question may read has, and the state of every signal.
func (w *world) rows() string {
	w.Helper()
	var text string
	if err := w.db.View(func(tx *store.Tx) error {
		_, err := tx.One("SELECT (SELECT count(*) FROM judge_runs)||' '||(SELECT count(*) FROM hook_runs)||' '||ifnull((SELECT group_concat(kind||key||state||ifnull(claimed_by,'')||updated_ms) FROM signals),'')||' '||(SELECT group_concat(v) FROM kv)", nil, &text)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return text
}
