package land

import (
	"context"
	"fmt"

	"github.com/devflow-suite/devflow/orchestrator"
)

// firstBad gives the first step whose tree is red while the tree before it is green, and what its test said; len(steps) when all
// may land.
func (q *Queue) firstBad(ctx context.Context, tip string, steps []step) (int, Verdict, error) {
	n := len(steps)
	if n == 0 {
		return 0, Verdict{}, nil
	}
	v, err := q.test(ctx, steps)
	if err != nil || v.OK {
		return n, v, err
	}
	if q.o.Whole {
		before, err := q.before(ctx, tip)
		switch {
		case err != nil:
			return 0, Verdict{}, err
		case !before.OK: // nobody of these made it red
			q.o.Notice(RedBefore, "", firstLine(before.Output))
			q.red[steps[n-1].merged.Commit] = true
			return n, before, nil
		}
	}
	good, bad := -1, n-1
	for bad-good > 1 {
		mid := good + (bad-good)/2
		w, err := q.test(ctx, steps[:mid+1])
		switch {
		case err != nil:
			return 0, Verdict{}, err
		case w.OK:
			good = mid
		default:
			bad, v = mid, w
		}
	}
	return bad, v, nil
}

// test checks the tree of the last step.
func (q *Queue) test(ctx context.Context, steps []step) (Verdict, error) {
	last := steps[len(steps)-1]
	if q.o.Whole && q.green[last.merged.Tree] || !q.o.Whole && last.plain {
		return Verdict{OK: true}, nil
	}
	tasks := make([]orchestrator.TaskRow, len(steps))
	for i, s := range steps {
		tasks[i] = s.task
	}
	v, err := q.twice(ctx, last.merged.Commit, tasks)
	if err == nil && v.OK && q.o.Whole {
		q.green[last.merged.Tree] = true
		q.green[last.merged.Commit] = true
	}
	return v, err
}

// before checks the tip as it was.
func (q *Queue) before(ctx context.Context, tip string) (Verdict, error) {
	switch {
	case q.green[tip]:
		return Verdict{OK: true}, nil
	case q.red[tip]:
		return Verdict{Output: "it was red already"}, nil
	}
	v, err := q.twice(ctx, tip, nil)
	if err == nil && v.OK {
		q.green[tip] = true
	}
	return v, err
}

// Final checks the tip with the run's own test, unless that was green on it already. Without Whole it is green.
func (q *Queue) Final(ctx context.Context) (Verdict, error) {
	if !q.o.Whole {
		return Verdict{OK: true}, nil
	}
	tip, err := q.o.Trees.Tip(ctx)
	if err != nil {
		return Verdict{}, fmt.Errorf("read integration tip: %w", err)
	}
	if q.green[tip] {
		return Verdict{OK: true}, nil
	}
	return q.twice(ctx, tip, nil)
}

// twice believes a green at once and a red only when it comes again, in another fresh tree.
func (q *Queue) twice(ctx context.Context, commit string, tasks []orchestrator.TaskRow) (Verdict, error) {
	v, err := q.once(ctx, commit, tasks)
	if err != nil || v.OK {
		return v, err
	}
	again, err := q.once(ctx, commit, tasks)
	if err == nil && again.OK {
		q.o.Notice(Flaky, "", firstLine(v.Output))
	}
	return again, err
}

func (q *Queue) once(ctx context.Context, commit string, tasks []orchestrator.TaskRow) (Verdict, error) {
	dir, done, err := q.o.Trees.Checkout(ctx, commit)
	if err != nil {
		return Verdict{}, fmt.Errorf("check out merged tree: %w", err)
	}
	defer func() {
		if err := done(); err != nil {
			q.o.Log.Warn("remove merged tree", "dir", dir, "error", err)
		}
	}()
	v, err := q.o.Test(ctx, dir, tasks)
	if err != nil {
		return Verdict{}, fmt.Errorf("test merged tree: %w", err)
	}
	return v, nil
}
