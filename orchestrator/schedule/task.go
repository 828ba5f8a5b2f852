package schedule

import (
	"context"
	"errors"
	"fmt"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/retry"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// cycle is the stay of one task in its region: attempts until its work is accepted, it has failed, or nothing more can be tried now.
//
// The order of an attempt's steps, and what a kill after each leaves: the row of the attempt (claimed: it is lost, and the task starts
// anew); the tree on the tip; the process and its session in the row (it is lost, and the session goes on with the tree as it is);
// the work and its checks; the commit with the attempt's trailer (it is found and adopted); the judge; the row (accepted).
type cycle struct {
	r *run
	g *region
	t orchestrator.TaskRow

	kind    orchestrator.AttemptKind
	failure string   // for the next attempt
	keep    bool     // the tree holds unfinished work of this task and stays as it is
	base    string   // commit that the tree started from; "" = not known
	checks  []string // changed paths outside of the region that the task's own check made, not its worker
	checked bool     // a check has run in the tree as it is, before this cycle: what lies outside may be its
	started bool     // Began was written in the present attempt

	adopt  *orchestrator.Attempt // a lost attempt whose commit was found; nil = none
	commit string                // that commit
}

// outcome is how an attempt ended.
type outcome int

const (
	accepted outcome = iota
	rejected         // counts
	infra            // does not
	cutOff           // the run stops
	deaf             // the worker does not return: its attempt stays open, for the next Run to end its process
)

// result is an outcome with what goes in the rows.
type result struct {
	outcome outcome
	failure string
	err     error // of infra
	commit  string
	report  Report
}

// cycleOf sets a task up: afresh, or where an earlier attempt left it.
func (r *run) cycleOf(g *region, t orchestrator.TaskRow) *cycle {
	c := &cycle{r: r, g: g, t: t, kind: orchestrator.AttemptWork}
	if g.adopt != nil && g.adopt.Task == t.ID {
		c.adopt, c.commit = g.adopt, g.commit
	}
	if t.State == orchestrator.TaskVerifyFailed {
		c.kind, c.failure = orchestrator.AttemptRepair, t.Reason
	}
	if g.owner == t.ID {
		c.keep, c.checked = true, t.Attempts > 0
		if t.State != orchestrator.TaskVerifyFailed {
			c.kind, c.failure = orchestrator.AttemptResume, r.failures[t.ID]
			if t.Attempts > 0 && r.attempt[t.ID].State == orchestrator.AttemptLost {
				c.failure = t.Reason // it may have come back from the merge
			}
		}
	}
	return c
}

// run goes through attempts. The error is fatal for the run.
func (c *cycle) run(hard, soft context.Context) error {
	if c.adopt != nil {
		if over, err := c.adopted(hard); over || err != nil {
			return err
		}
	}
	if !c.keep {
		c.recycle(soft)
	}
	for soft.Err() == nil {
		over, err := c.once(hard, soft)
		if over || err != nil {
			return err
		}
	}
	return nil
}

// once makes one attempt. over says that the task's stay has ended.
func (c *cycle) once(hard, soft context.Context) (over bool, err error) {
	r := c.r
	var a orchestrator.Attempt
	err = r.persist(hard, func() (err error) { a, err = r.o.Ledger.Claim(r.o.Run, c.t.ID, c.kind); return err })
	switch {
	case errors.Is(err, orchestrator.ErrNotClaimable):
		return true, r.stolen(c.t.ID)
	case err != nil:
		return true, err
	}
	r.event(Event{Kind: TaskStarted, Region: c.g.Name, Task: c.t.ID, Attempt: a.Number, Text: string(c.kind)})
	c.started = false
	res := c.try(hard, soft, a)
	if res.outcome == deaf {
		c.g.parked = res.failure
		r.event(Event{Kind: RegionParked, Region: c.g.Name, Task: c.t.ID, Attempt: a.Number, Text: res.failure})
		return true, nil
	}
	u, cost := r.meter.End(a, res.report.Usage, res.report.CostUSD)
	e := Event{Region: c.g.Name, Task: c.t.ID, Attempt: a.Number, Text: res.failure, Usage: u, CostUSD: cost}
	switch res.outcome {
	case accepted:
		return true, c.accept(hard, a, res.commit, u, cost, e)
	case rejected:
		return c.reject(hard, a, res.failure, u, cost, e)
	}
	if err := r.persist(hard, func() error { return r.o.Ledger.Infra(a, res.failure, u, cost) }); err != nil {
		return true, err
	}
	if c.started {
		c.keep, c.kind = true, orchestrator.AttemptResume
	}
	if errors.Is(res.err, trees.ErrRegion) || errors.Is(res.err, trees.ErrBegin) {
		c.keep = false // the tree is gone, or half made: Begin mends it
	}
	e.Kind = TaskInfra
	if res.outcome == cutOff {
		r.event(e)
		return true, nil
	}
	return c.afterInfra(soft, res.err, e)
}

func (c *cycle) accept(hard context.Context, a orchestrator.Attempt, commit string, u orchestrator.Usage, cost float64, e Event) error {
	c.g.infra, c.g.moves = 0, 0
	c.r.mu.Lock()
	c.r.lost[c.t.ID] = lostChange{base: c.base}
	c.r.mu.Unlock()
	if err := c.r.persist(hard, func() error { return c.r.o.Ledger.Accept(a, commit, u, cost) }); err != nil {
		return err
	}
	e.Kind, e.Text = TaskVerified, commit
	c.r.event(e)
	return nil
}

func (c *cycle) reject(hard context.Context, a orchestrator.Attempt, failure string, u orchestrator.Usage, cost float64, e Event) (over bool, err error) {
	r := c.r
	c.g.infra, c.g.moves = 0, 0
	c.t.Attempts++
	final := c.t.Attempts >= r.o.Settings.Attempts
	if err := r.persist(hard, func() error { return r.o.Ledger.Reject(a, failure, final, u, cost) }); err != nil {
		return true, err
	}
	e.Kind = TaskRejected
	r.event(e)
	c.kind, c.failure, c.keep = orchestrator.AttemptRepair, failure, true
	if final {
		r.discard(hard, c.t, a.Number)
		r.event(Event{Kind: TaskFailed, Region: c.g.Name, Task: c.t.ID, Attempt: a.Number, Text: failure})
	}
	return final, nil
}

// afterInfra waits, longer each time, or gives the region up for this Run.
func (c *cycle) afterInfra(soft context.Context, cause error, e Event) (over bool, err error) {
	r := c.r
	c.g.infra++
	if c.g.infra >= r.o.Backoff.Tries {
		if r.o.Move != nil && c.g.moves < maxMoves && r.o.Move(soft, c.g.Name, cause) {
			c.g.infra, c.g.moves = 0, c.g.moves+1
			r.event(Event{Kind: RegionMoved, Region: c.g.Name, Task: c.t.ID, Text: e.Text})
			return false, nil
		}
		c.g.parked = fmt.Sprintf("%d times in a row: %s", c.g.infra, e.Text)
		r.event(e)
		r.event(Event{Kind: RegionParked, Region: c.g.Name, Task: c.t.ID, Text: c.g.parked})
		return true, nil
	}
	e.Wait = r.o.Backoff.Delay(c.g.infra)
	if i, ok := errors.AsType[*InfraError](cause); ok {
		e.Wait = max(e.Wait, min(i.After, r.o.Backoff.Most))
	}
	r.event(e)
	return retry.Wait(soft, e.Wait) != nil, nil
}

// recycle replaces a session that holds too much, before a task. What fails here costs nothing but tokens: the old session goes on.
func (c *cycle) recycle(soft context.Context) {
	r, g := c.r, c.g
	limit := r.o.Settings.Recycle
	if limit == 0 && r.o.Recycle != nil {
		limit = r.o.Recycle(g.Name)
	}
	if limit <= 0 || g.context <= limit {
		return
	}
	if c.employ(soft) != nil {
		return // the attempt will meet it, too
	}
	w, able := g.worker.(Recycler)
	if !able {
		return
	}
	done, err := r.done(g.Name)
	if err == nil {
		ctx, cancel := c.bounded(soft)
		ended := make(chan error, 1)
		if retry.Within(ctx, r.o.Grace, func() { ended <- w.Recycle(ctx, done) }) {
			err = <-ended
		} else {
			err = errors.New("the worker did not end")
		}
		cancel()
	}
	if err == nil {
		err = r.persist(soft, func() error { return r.o.Ledger.SetSession(r.o.Run, g.Name, "", 0) })
	}
	if err != nil {
		r.o.Log.Warn("replace session", "region", g.Name, "error", err)
		r.dismiss(g)
		return
	}
	r.event(Event{Kind: SessionFresh, Region: g.Name, Text: fmt.Sprintf("it held %d tokens", g.context)})
	g.context = 0
}
