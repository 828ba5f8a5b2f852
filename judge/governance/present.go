package governance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// Words for a verdict that is none about the present diff.
const (
	Stale = "stale" // there is one, about another diff
	None  = "none"
)

// scene is what the store knows about a task.
type scene struct {
	task     telemetry.Task
	signals  []telemetry.Signal
	facts    journal.Facts
	lastTest *journal.TestRun
	last     lastRun
}

// lastRun is the newest row of judge_runs of a task.
type lastRun struct {
	found   bool
	outcome judge.Outcome
	diffSHA string
	reasons []judge.Reason
}

const lastSQL = "SELECT verdict,coalesce(diff_sha,''),coalesce(reasons,'') FROM judge_runs WHERE session_id=? AND seq=? AND verdict IS NOT NULL ORDER BY n DESC LIMIT 1"

func read(tx *store.Tx, t *telemetry.Task) (s scene, err error) {
	s.task = *t
	if s.signals, err = telemetry.OpenSignals(tx, t.SessionID, t.Seq); err != nil {
		return s, err
	}
	if s.facts, err = journal.TaskFacts(tx, t); err != nil {
		return s, err
	}
	if s.lastTest, err = journal.LastTest(tx, t, false); err != nil {
		return s, err
	}
	var outcome, reasons string
	if s.last.found, err = tx.One(lastSQL, []any{t.SessionID, t.Seq}, &outcome, &s.last.diffSHA, &reasons); err != nil {
		return s, fmt.Errorf("find verdict of %s: %w", t.ID(), err)
	}
	s.last.outcome = judge.Outcome(outcome)
	if s.last.found && reasons != "" && json.Unmarshal([]byte(reasons), &s.last.reasons) != nil {
		s.last.outcome = judge.Error // a verdict that cannot be read is no pass
	}
	return s, nil
}

// standing is a task's work tree of now, seen against its verdict and its open signals.
type standing struct {
	diffSHA string         // "" when the work tree could not be seen
	verdict string         // for the present diff, or Stale, or None
	reasons []judge.Reason // of that verdict, and of the signals that are still true
}

// look takes a snapshot of the work tree, the way the judge does, and looks at every open signal again.
func (d Deps) look(ctx context.Context, s scene) standing {
	root := s.task.ProjectRoot
	if root == "" {
		root = s.task.Cwd
	}
	cfg, _ := config.Load(d.Paths, root) // problems are told at SessionStart
	c := &judge.Case{
		Task: s.task, Root: root, BaseTree: s.task.BaseTree, Signals: s.signals, LastTest: s.lastTest, SourceDirs: cfg.TDD.SourceDirs,
		TestsOptional: !cfg.Enabled(config.ModuleTDD),
	}
	var st standing
	if err := d.snapshot(ctx, c, s); err != nil {
		d.logger().Warn("look at work tree", "task_id", s.task.ID(), "error", err.Error())
		st.reasons = append(st.reasons, judge.Reason{Prefix: "judge", Class: judge.Blind, Text: "could not judge: the present diff cannot be told: " + err.Error()})
	}
	st.diffSHA = c.DiffSHA
	switch {
	case !s.last.found:
		st.verdict = None
	case st.diffSHA == "" || s.last.diffSHA != st.diffSHA:
		st.verdict = Stale
	default:
		st.verdict = string(s.last.outcome)
		st.reasons = append(st.reasons, s.last.reasons...)
	}
	if len(s.signals) > 0 {
		st.reasons = append(st.reasons, judge.Evaluate(ctx, c, nobody{}).Reasons...)
	}
	return st
}

// nobody finds nothing, so that only the signals speak.
type nobody struct{}

func (nobody) Name() string { return "governance" }

func (nobody) Examine(context.Context, *judge.Case) ([]judge.Reason, error) { return nil, nil }

// snapshot fills in what git knows. The trees are named exactly as in the judge's own look: only then is a diff the same.
// Files are read only where a signal about one asks for them.
func (d Deps) snapshot(ctx context.Context, c *judge.Case, s scene) error {
	var edited []string
	for _, f := range s.facts.Files {
		if f.Kind == string(tdd.Impl) || f.Kind == string(tdd.Test) {
			edited = append(edited, f.Path)
			c.TestIsStale = c.TestIsStale || s.lastTest != nil && f.LastMS > s.lastTest.MS
		}
	}
	repo, err := gitx.Find(c.Root)
	if err != nil {
		return fmt.Errorf("%s is in no git work tree", c.Root)
	}
	c.Root = repo.Root
	if c.BaseTree == "" || c.BaseTree == telemetry.NoTree {
		return fmt.Errorf("the work tree was not recorded before the task's first change")
	}
	objs := gitx.ObjectDir(d.Paths.Objects, repo.Root)
	snap, err := repo.Snap(ctx, objs, edited...)
	if err != nil {
		return err
	}
	c.NowTree, c.DiffSHA = snap.Tree, judge.DiffSHA(snap.Tree, c.BaseTree)
	for _, sig := range s.signals {
		if sig.Kind == telemetry.KindTDD {
			return d.files(ctx, repo, objs, c)
		}
	}
	return nil
}

func (d Deps) files(ctx context.Context, repo gitx.Repo, objs string, c *judge.Case) error {
	files, err := changeset.Read(ctx, repo, objs, c.BaseTree, c.NowTree, func(path string) bool {
		kind := tdd.Classify(path)
		return kind == tdd.Impl || kind == tdd.Test
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		c.Files = append(c.Files, judge.File{File: f, Kind: tdd.Classify(f.Path), Lang: tdd.LanguageOf(f.Path)})
	}
	return nil
}
