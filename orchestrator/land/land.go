package land

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// Trees is what the queue needs of a run's trees; *trees.Trees has it.
type Trees interface {
	Tip(ctx context.Context) (string, error)
	Merge(ctx context.Context, tip string, commits []string) (trees.Merged, error)
	Advance(ctx context.Context, from, to string) error
	Contains(ctx context.Context, tip, commit string) (bool, error)
	Checkout(ctx context.Context, commit string) (dir string, done func() error, err error)
}

// Verdict is what a check came to.
type Verdict struct {
	OK       bool
	Output   string // of the command, bounded by who ran it
	TimedOut bool
}

// Tester checks a merged tree in dir, the project's folder of a throw-away work tree. tasks are those whose commits are in it and
// have not landed yet, in the order of their merging. An error means that nothing was found out: nobody is blamed.
type Tester func(ctx context.Context, dir string, tasks []orchestrator.TaskRow) (Verdict, error)

// NoticeKind says what a notice of the queue is about.
type NoticeKind string

// The kinds.
const (
	Flaky     NoticeKind = "flaky"      // a test was red and, run again on the same tree, green
	RedBefore NoticeKind = "red_before" // a test is red, and was so before these commits: they landed
	Conflict  NoticeKind = "conflict"   // a commit does not merge
	Red       NoticeKind = "red"        // a commit makes the test red
)

// Options say how to land. Trees, Test, Landed and Returned are wanted.
type Options struct {
	Trees Trees
	Test  Tester
	// Whole says that Test looks at the tree and not at the tasks: a tree that was green once is not tested again, and a tip that
	// is red already excuses what comes on top of it.
	Whole bool
	// Landed is told that commits are reachable from the branch, which stands at tip. A task without a commit is among them. An
	// error ends Land; the next one finds the commits contained and tells it again.
	Landed func(ctx context.Context, tasks []string, tip string) error
	// Returned is told that a commit is not good on the present tip, and why.
	Returned func(ctx context.Context, task, failure string) error
	// Notice is told what is worth a line; nil = nobody.
	Notice func(kind NoticeKind, task, text string)
	Log    *slog.Logger // nil = none
}

// maxMoves bounds how often the branch may move under one Land before it gives up: only a person moves it beside us.
const maxMoves = 8

// Queue lands commits. One Land or Final at a time.
type Queue struct {
	o     Options
	green map[string]bool // trees that were green as a whole
	red   map[string]bool // commits that the branch was moved to although the test was red, as it was before
}

// New makes a queue.
func New(o Options) *Queue {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Notice == nil {
		o.Notice = func(NoticeKind, string, string) {}
	}
	return &Queue{o: o, green: map[string]bool{}, red: map[string]bool{}}
}

// step is the tree with one commit more.
type step struct {
	task   orchestrator.TaskRow
	merged trees.Merged
	plain  bool // the commit stands on the tip itself: its tree is the one that was checked when it was accepted
}

// Land integrates the commits of verified tasks, in their order. When it returns nil each was told to Landed or to Returned. With an
// error (of git, of the test's machinery, of the context) some may not have been: landing them again is right.
func (q *Queue) Land(ctx context.Context, tasks []orchestrator.TaskRow) error {
	for moves := 0; len(tasks) > 0; {
		tip, err := q.o.Trees.Tip(ctx)
		if err != nil {
			return fmt.Errorf("read integration tip: %w", err)
		}
		steps, later, err := q.merge(ctx, tip, tasks)
		if err != nil {
			return err
		}
		bad, verdict, err := q.firstBad(ctx, tip, steps)
		if err != nil {
			return err
		}
		if bad > 0 {
			switch err := q.advance(ctx, tip, steps[:bad]); {
			case errors.Is(err, trees.ErrMoved):
				if moves++; moves == maxMoves {
					return fmt.Errorf("advance integration branch, %d times: %w", moves, err)
				}
				continue
			case err != nil:
				return err
			}
		}
		tasks = later
		if bad < len(steps) {
			if err := q.blame(ctx, steps[bad], verdict); err != nil {
				return err
			}
			for _, s := range steps[bad+1:] {
				tasks = append(tasks, s.task)
			}
		}
	}
	return nil
}

// merge puts the commits on top of each other. One that does not merge with the tip is returned; one that does not merge with those
// before it, which may yet turn out red, comes later.
func (q *Queue) merge(ctx context.Context, tip string, tasks []orchestrator.TaskRow) (steps []step, later []orchestrator.TaskRow, err error) {
	at := tip
	var there []string
	for _, t := range tasks {
		in := t.Commit == ""
		if !in {
			if in, err = q.o.Trees.Contains(ctx, tip, t.Commit); err != nil {
				return nil, nil, fmt.Errorf("look for commit of task %s: %w", t.ID, err)
			}
		}
		if in {
			there = append(there, t.ID)
			continue
		}
		m, err := q.o.Trees.Merge(ctx, at, []string{t.Commit})
		switch why := refusal(err); {
		case err == nil:
			s := step{task: t, merged: m}
			if at == tip {
				if s.plain, err = q.o.Trees.Contains(ctx, t.Commit, tip); err != nil {
					return nil, nil, fmt.Errorf("compare commit of task %s: %w", t.ID, err)
				}
			}
			at = m.Commit
			steps = append(steps, s)
		case why == "":
			return nil, nil, fmt.Errorf("merge task %s: %w", t.ID, err)
		case at != tip:
			later = append(later, t)
		default:
			q.o.Notice(Conflict, t.ID, err.Error())
			if err := q.o.Returned(ctx, t.ID, conflictText(why)); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(there) > 0 {
		if err := q.o.Landed(ctx, there, tip); err != nil {
			return nil, nil, err
		}
	}
	return steps, later, nil
}

// advance moves the branch to the last of the steps and tells it.
func (q *Queue) advance(ctx context.Context, tip string, steps []step) error {
	to := steps[len(steps)-1].merged.Commit
	if err := q.o.Trees.Advance(ctx, tip, to); err != nil {
		return fmt.Errorf("advance integration branch: %w", err)
	}
	ids := make([]string, len(steps))
	for i, s := range steps {
		ids[i] = s.task.ID
	}
	return q.o.Landed(ctx, ids, to)
}

// blame returns the commit of a step that is red.
func (q *Queue) blame(ctx context.Context, s step, v Verdict) error {
	q.o.Notice(Red, s.task.ID, firstLine(v.Output))
	return q.o.Returned(ctx, s.task.ID, redText(v))
}
