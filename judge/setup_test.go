package judge_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/telemetry"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	for k, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": "/nowhere"} {
		if err := os.Setenv(k, v); err != nil {
			panic(err) // unreachable: the names are valid
		}
	}
	if dir := os.Getenv(victimVar); dir != "" {
		victim(dir)
	}
	goleak.VerifyTestMain(m)
}

const session = "s1"

// world is a repository with one task in it, and a store that knows of it.
type world struct {
	testing.TB
	gitrepo.Repo
	db    *store.DB
	paths config.Paths
	now   time.Time
	extra []judge.Examiner
}

// newWorld has one commit and a task at the given level whose base tree is taken.
// newWorld makes a project with the given files, names and contents in turn, and begins a task in it.
func newWorld(t testing.TB, level string, files ...string) *world {
	t.Helper()
	return worldAt(t, t.TempDir(), level, files...)
}

func worldAt(t testing.TB, dir, level string, files ...string) *world {
	t.Helper()
	paths, err := config.ResolvePaths(func(name string) string {
		return map[string]string{"HOME": dir, "DEVFLOW_HOME": filepath.Join(dir, "devflow")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, paths: paths, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if w.db, err = store.Open(paths.DB, store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	w.Repo = gitrepo.New(t, filepath.Join(dir, "project"), "main")
	w.Repo.Write("README.md", "# demo\n")
	for i := 0; i+1 < len(files); i += 2 {
		w.Repo.Write(files[i], files[i+1])
	}
	w.Commit("one")
	w.begin(level)
	return w
}

// begin takes the base tree and begins a task by its first edit.
func (w *world) begin(level string) {
	w.Helper()
	repo, err := gitx.Find(w.Dir)
	if err != nil {
		w.Fatal(err)
	}
	tree, err := repo.Snapshot(context.Background(), gitx.ObjectDir(w.paths.Objects, repo.Root))
	if err != nil {
		w.Fatal(err)
	}
	w.record("UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt, f.Description = "p1", "add the token module" })
	w.record("PreToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates = "Write", true
		f.Base = &telemetry.Base{Root: repo.Root, Branch: repo.Branch(), Commit: repo.Head(), Tree: tree}
		f.Score = &telemetry.Score{Level: level, P: 300, I: 900, D: 500, R: 135}
	})
}

func (w *world) record(event string, edit func(f *telemetry.Fact)) {
	w.Helper()
	w.now = w.now.Add(time.Second)
	f := telemetry.NewFact(w.now, session, event)
	f.Root = w.Dir
	edit(&f)
	w.update(func(tx *store.Tx) error {
		_, err := telemetry.Record(tx, nil, &f)
		return err
	})
}

// edit writes a file as a tool would, and tells the store.
func (w *world) edit(path, content string) {
	w.Helper()
	w.Repo.Write(path, content)
	kind := "impl"
	if filepath.Base(path)[:min(5, len(filepath.Base(path)))] == "test_" {
		kind = "test"
	}
	w.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path = "Write", true, path
		f.Edits = []telemetry.Edit{{Path: path, Kind: kind, Added: 3}}
	})
}

// tested records a test command.
func (w *world) tested(green bool, detail string) {
	w.Helper()
	event := "PostToolUse"
	if !green {
		event = "PostToolUseFailure"
	}
	w.record(event, func(f *telemetry.Fact) { f.Tool, f.Runner, f.Class, f.Detail = "Bash", "pytest", "test", detail })
}

func (w *world) raise(kind, key, severity, payload string) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		return telemetry.Raise(tx, telemetry.Signal{Session: session, Seq: 1, Kind: kind, Key: key, Severity: severity, Source: "test", Payload: payload}, w.now.UnixMilli())
	})
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.Helper()
	if err := w.db.Update(fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) deps() judge.Deps {
	return judge.Deps{DB: w.db, Paths: w.paths, Now: func() time.Time { return w.now }, Examiners: append([]judge.Examiner{evidence.First{}}, w.extra...)}
}

// stop judges the task as it is at the end of a turn.
func (w *world) stop() judge.Result {
	w.Helper()
	w.now = w.now.Add(time.Second)
	r, err := judge.Boundary(context.Background(), w.deps(), session, w.task().Seq)
	if err != nil {
		w.Fatal(err)
	}
	w.now = w.now.Add(time.Second)
	return r
}

func (w *world) task() *telemetry.Task {
	w.Helper()
	var got *telemetry.Task
	w.update(func(tx *store.Tx) (err error) {
		got, err = telemetry.Current(tx, session)
		return err
	})
	if got == nil {
		w.Fatal("no task")
	}
	return got
}

// change sets something of the newest task.
func (w *world) change(fn func(t *telemetry.Task)) {
	w.Helper()
	seq := w.task().Seq
	w.update(func(tx *store.Tx) error {
		_, err := telemetry.Change(tx, session, seq, func(t *telemetry.Task) error {
			fn(t)
			return nil
		})
		return err
	})
}

// states lists the signals as "kind key: state".
func (w *world) states() []string {
	w.Helper()
	var got []string
	w.update(func(tx *store.Tx) error {
		return tx.Query("SELECT kind||' '||key||': '||state FROM signals ORDER BY id", nil, func(r *store.Row) error {
			got = append(got, r.Text(0))
			return nil
		})
	})
	return got
}

func (w *world) count(query string) int64 {
	w.Helper()
	var n int64
	w.update(func(tx *store.Tx) error {
		_, err := tx.One(query, nil, &n)
		return err
	})
	return n
}

func (w *world) read(path string) string {
	w.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

func (w *world) stateFile(name string) string {
	return filepath.Join(w.paths.SessionDir(session), name)
}

// examiner is one made of a function.
type examiner func(c *judge.Case) ([]judge.Reason, error)

func (examiner) Name() string { return "stub" }
func (e examiner) Examine(_ context.Context, c *judge.Case) ([]judge.Reason, error) {
	return e(c)
}

// reopen gives another process the world that worldAt made in dir.
func reopen(dir string) (*world, error) {
	paths, err := config.ResolvePaths(func(name string) string {
		return map[string]string{"HOME": dir, "DEVFLOW_HOME": filepath.Join(dir, "devflow")}[name]
	})
	if err != nil {
		return nil, err
	}
	db, err := store.Open(paths.DB, store.Options{})
	if err != nil {
		return nil, err
	}
	return &world{db: db, paths: paths, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, nil
}
