package schedule

import (
	"context"
	"fmt"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/graph"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

// recover puts right what an orchestrator that died, or was stopped, left: its processes are ended, its attempts are over, commits
// that it made and did not write down are adopted, and each region knows whose unfinished work is in its tree. It may be killed and
// repeated anywhere: it goes by the rows and by git, not by what it did.
func (r *run) recover(ctx context.Context) error {
	if err := r.persist(ctx, func() error { _, err := r.o.Ledger.Recover(r.o.Run); return err }); err != nil {
		return err
	}
	attempts, err := r.o.Ledger.Attempts(r.o.Run)
	if err != nil {
		return err
	}
	if err := r.refresh(); err != nil {
		return err
	}
	for _, a := range attempts {
		r.attempt[a.Task] = a
		if a.State == orchestrator.AttemptRejected {
			r.failures[a.Task] = a.Failure
		}
		if a.State != orchestrator.AttemptLost || a.PID == 0 {
			continue
		}
		if err := r.o.Orphan(ctx, a); err != nil {
			return fmt.Errorf("end process %d of an earlier attempt at task %s: %w", a.PID, a.Task, err)
		}
	}
	for name, owner := range graph.Owners(attempts, r.graph.Tasks()) {
		if g := r.regions[name]; g != nil {
			g.owner = owner
		}
	}
	if err := r.intact(ctx); err != nil {
		return err
	}
	for _, t := range r.graph.Tasks() {
		if err := r.find(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// intact reports whether the integration branch still holds what the rows say is in it.
func (r *run) intact(ctx context.Context) error {
	if r.row.Integration == "" {
		return nil
	}
	return r.o.Backoff.Step(ctx, func() error {
		tip, err := r.o.Trees.Tip(ctx)
		if err != nil {
			return fmt.Errorf("read integration tip: %w", err)
		}
		in, err := r.o.Trees.Contains(ctx, tip, r.row.Integration)
		switch {
		case err != nil:
			return fmt.Errorf("compare integration tip: %w", err)
		case !in:
			return fmt.Errorf("integration branch is at %s and does not hold %s, which this run integrated: somebody moved it back", tip, r.row.Integration)
		}
		return nil
	})
}

// find looks for the commit of a lost attempt. With a judge it is judged again before it is adopted, by its region: the orchestrator
// may have died before the ruling.
func (r *run) find(ctx context.Context, t orchestrator.TaskRow) error {
	a, g := r.attempt[t.ID], r.regions[t.Region]
	if g == nil || t.State != orchestrator.TaskPending || a.State != orchestrator.AttemptLost {
		return nil
	}
	var commit string
	var found bool
	if err := r.o.Backoff.Step(ctx, func() (err error) {
		commit, found, err = r.o.Trees.Attempted(ctx, g.Name, words.Trailer(a))
		return err
	}); err != nil {
		return fmt.Errorf("look for work of an earlier attempt at task %s: %w", t.ID, err)
	}
	switch {
	case !found:
		return nil
	case r.o.Judge == nil:
		return r.keepFound(ctx, a, t, commit)
	}
	g.owner, g.adopt, g.commit = t.ID, &a, commit
	return nil
}

func (r *run) keepFound(ctx context.Context, a orchestrator.Attempt, t orchestrator.TaskRow, commit string) error {
	if err := r.persist(ctx, func() error { return r.o.Ledger.Adopt(a, commit) }); err != nil {
		return err
	}
	r.event(Event{Kind: TaskAdopted, Region: t.Region, Task: t.ID, Attempt: a.Number, Text: commit})
	return nil
}

// adopted judges and adopts the commit that was found. over says that nothing is left to do now.
func (c *cycle) adopted(hard context.Context) (over bool, err error) {
	a, commit := *c.adopt, c.commit
	failure, err := c.judge(hard, "", commit)
	switch {
	case err != nil && hard.Err() == nil:
		c.g.parked = words.Line(err.Error(), 600)
		c.r.event(Event{Kind: RegionParked, Region: c.g.Name, Task: c.t.ID, Text: c.g.parked})
		return true, nil
	case err != nil:
		return true, nil
	case failure == "":
		return true, c.r.keepFound(hard, a, c.t, commit)
	}
	c.kind, c.failure, c.keep = orchestrator.AttemptRepair, failure, true
	return false, nil
}
