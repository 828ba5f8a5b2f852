package schedule

import (
	"context"
	"errors"
	"fmt"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/graph"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

// refresh reads the tasks again; new ones, which a region asked for, are planned with the rest.
func (r *run) refresh() error {
	tasks, err := r.o.Ledger.Tasks(r.o.Run)
	if err != nil {
		return err
	}
	first := len(r.graph.Tasks()) == 0
	r.mu.Lock()
	for _, t := range tasks {
		r.home[t.ID] = t.Region
	}
	r.mu.Unlock()
	for _, t := range r.graph.Update(tasks) {
		if !first {
			r.event(Event{Kind: TaskAdded, Region: t.Region, Task: t.ID, Text: words.Line(t.Description, 200)})
		}
	}
	return nil
}

// regionOf gives the region of a task. It may be called from any goroutine.
func (r *run) regionOf(task string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.home[task]
}

// giveUp writes down the tasks that will not be worked on any more.
func (r *run) giveUp(ctx context.Context, ends []graph.End) error {
	for _, e := range ends {
		write, kind := r.o.Ledger.Block, TaskBlocked
		if e.State == orchestrator.TaskFailed {
			write, kind = r.o.Ledger.Fail, TaskFailed
		}
		if err := r.persist(ctx, func() error { return write(r.o.Run, e.Task.ID, e.Reason) }); err != nil {
			return err
		}
		r.event(Event{Kind: kind, Region: e.Task.Region, Task: e.Task.ID, Text: e.Reason})
	}
	return nil
}

// dispatch gives each free region its next task. The region is taken before anything else is started.
func (r *run) dispatch(hard, soft context.Context) {
	if soft.Err() != nil {
		return
	}
	for _, t := range r.graph.Next(func(region string) (string, bool) {
		g := r.regions[region]
		if g == nil || g.busy || g.parked != "" {
			return "", false
		}
		return g.owner, true
	}) {
		g := r.regions[t.Region]
		c := r.cycleOf(g, t)
		g.busy, g.owner, g.adopt, g.commit = true, "", nil, ""
		if g.worker == nil {
			g.slot = r.slot() // here, so that the most urgent starts first
		}
		r.active++
		go func() { r.notes <- note{region: g, err: c.run(hard, soft)} }()
	}
}

// done lists what is integrated of a region, for the successor of its session.
func (r *run) done(region string) ([]string, error) {
	tasks, err := r.o.Ledger.Tasks(r.o.Run)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range tasks {
		if t.Region == region && t.State == orchestrator.TaskDone {
			out = append(out, words.Line(t.ID+": "+t.Description, 200))
		}
	}
	return out, nil
}

// stolen says why a task that waits cannot be claimed.
func (r *run) stolen(task string) error {
	row, err := r.o.Ledger.Run(r.o.Run)
	switch {
	case err != nil:
		return err
	case row.State != orchestrator.RunRunning:
		return fmt.Errorf("drive run: it is %s now, somebody else changed it", row.State)
	}
	return errors.New("claim task " + task + ": it waits and cannot be claimed, somebody else drives the run, too")
}
