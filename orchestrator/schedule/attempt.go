package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/retry"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// errTimeout is the cause by which a worker's turn ends at the hard time-out of an attempt.
var errTimeout = errors.New("time-out of the attempt")

// try does the work of an attempt and has it checked.
func (c *cycle) try(hard, soft context.Context, a orchestrator.Attempt) result {
	if s, able := c.r.o.Trees.(Stander); able && c.keep {
		if stands, err := s.Stands(c.g.Name); err != nil || !stands { // a check has moved them; Begin saves what is there
			c.keep = false
			c.r.dismiss(c.g) // what it sees is not the tree any more
		}
	}
	if err := c.employ(soft); err != nil {
		return c.broken(hard, soft, err, Report{})
	}
	if !c.keep {
		if err := c.r.o.Backoff.Step(soft, func() (err error) { c.base, err = c.r.o.Trees.Begin(soft, c.g.Name); return err }); err != nil {
			return c.broken(hard, soft, fmt.Errorf("begin in the region's tree: %w", err), Report{})
		}
		c.checks, c.checked = nil, false
	}
	if c.checked { // by an orchestrator that is gone
		c.checked = false
		if err := c.outside(soft, func(paths []string) { c.checks = paths }); err != nil {
			return c.broken(hard, soft, err, Report{})
		}
	}
	rep, stop, work := c.work(hard, soft, a)
	if stop != nil {
		return *stop
	}
	res := c.check(hard, a, rep, work)
	res.report = rep
	return res
}

// broken is the result of an error that is not the work's, or of the end of the run.
func (c *cycle) broken(hard, soft context.Context, err error, rep Report) result {
	switch {
	case hard.Err() != nil:
		return result{outcome: cutOff, failure: words.Line(stopText(hard), 400), report: rep}
	case soft.Err() != nil:
		return result{outcome: cutOff, failure: words.Line(stopText(soft), 400), report: rep}
	}
	return result{outcome: infra, err: err, failure: words.Line(err.Error(), 600), report: rep}
}

// bounded gives a context for a worker's turn.
func (c *cycle) bounded(soft context.Context) (context.Context, context.CancelFunc) {
	if limit := c.r.o.Settings.TaskTimeout; limit > 0 {
		return context.WithTimeoutCause(soft, limit, errTimeout)
	}
	return context.WithCancel(soft)
}

// work has the worker do the attempt. work is what was wrong with it, stop the result when there is nothing to check.
func (c *cycle) work(hard, soft context.Context, a orchestrator.Attempt) (rep Report, stop *result, work error) {
	r := c.r
	ctx, cancel := c.bounded(soft)
	defer cancel()
	ctx, fenced := context.WithCancelCause(ctx)
	defer fenced(nil)
	begun := make(chan struct{}, 1)
	job := Job{
		Region: c.g.Name, Task: c.t, Attempt: a, Kind: c.kind, Failure: c.prompt(ctx),
		Began: func(pid int, start int64, session string) error {
			err := r.persist(ctx, func() error { return r.o.Ledger.Began(a, pid, start, session) })
			if err != nil {
				fenced(err)
				return err
			}
			select {
			case begun <- struct{}{}:
			default:
			}
			return nil
		},
		Used: func(u orchestrator.Usage, cost float64) { r.meter.Running(a, u, cost) },
	}
	type answer struct {
		rep Report
		err error
	}
	ended, w := make(chan answer, 1), c.g.worker
	if !retry.Within(ctx, r.o.Grace, func() {
		rep, err := w.Do(ctx, job)
		ended <- answer{rep, err}
	}) {
		c.g.worker = nil // it may hold its lock for ever: its process is ended by number, by the next Run
		return Report{}, &result{outcome: deaf, failure: fmt.Sprintf("the worker did not end, %s after it was told to: %v", r.o.Grace, context.Cause(ctx))}, nil
	}
	got := <-ended
	select {
	case <-begun:
		c.started = true
	default:
	}
	if rep = got.rep; rep.Session != "" {
		c.g.context = rep.Context
		if err := r.persist(hard, func() error { return r.o.Ledger.SetSession(r.o.Run, c.g.Name, rep.Session, rep.Context) }); err != nil {
			return rep, &result{outcome: infra, err: err, failure: words.Line(err.Error(), 600), report: rep}, nil
		}
	}
	if got.err == nil {
		return rep, nil, nil
	}
	c.r.dismiss(c.g)
	cause := context.Cause(ctx)
	switch _, isInfra := errors.AsType[*InfraError](got.err); {
	case errors.Is(cause, orchestrator.ErrFenced), soft.Err() != nil, isInfra:
		res := c.broken(hard, soft, got.err, rep)
		return rep, &res, nil
	case errors.Is(cause, errTimeout):
		return rep, nil, fmt.Errorf("it was ended at the time-out of %s", r.o.Settings.TaskTimeout)
	}
	return rep, nil, got.err
}

// prompt is the failure for the worker, with the change that was returned when there is one.
func (c *cycle) prompt(ctx context.Context) string {
	text := c.failure
	c.r.mu.Lock()
	lost := c.r.lost[c.t.ID]
	c.r.mu.Unlock()
	d, able := c.r.o.Trees.(Differ)
	if c.keep || lost.commit == "" || lost.base == "" || !able {
		return text
	}
	diff, err := d.Diff(ctx, lost.base, lost.commit)
	if err != nil || len(diff) == 0 {
		return text
	}
	return text + "\nThe change as it was:\n" + words.Clip(string(diff), words.MaxChange)
}

// outside looks for changed paths outside of the region's folders.
func (c *cycle) outside(ctx context.Context, then func([]string)) error {
	return c.r.o.Backoff.Step(ctx, func() error {
		paths, err := c.r.o.Trees.Outside(ctx, c.g.Name)
		if err != nil {
			return fmt.Errorf("look at the region's tree: %w", err)
		}
		then(paths)
		return nil
	})
}

// check decides whether the work of an attempt is accepted, and commits it. work is what was wrong with the attempt itself; its work
// is looked at all the same.
func (c *cycle) check(hard context.Context, a orchestrator.Attempt, rep Report, work error) result {
	r := c.r
	var stray []string
	if err := c.outside(hard, func(paths []string) {
		stray = slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(c.checks, p) })
	}); err != nil {
		return c.broken(hard, hard, err, rep)
	}
	if len(stray) > 0 {
		return result{outcome: rejected, failure: words.Outside(stray)}
	}
	if rep.MaxTurns && work == nil {
		work = errors.New("it reached the limit of turns")
	}
	if v, err := c.acceptance(hard, work); err != nil {
		return c.broken(hard, hard, fmt.Errorf("acceptance: %w", err), rep)
	} else if !v.OK {
		if err := c.outside(hard, func(paths []string) { c.checks = paths }); err != nil {
			return c.broken(hard, hard, err, rep)
		}
		return result{outcome: rejected, failure: words.Red(v, c.t.Acceptance, work)}
	}
	var commit string
	var changed bool
	var refused *trees.RefusedError // nothing that another try could change
	if err := r.o.Backoff.Step(hard, func() (err error) {
		if commit, changed, err = r.o.Trees.Commit(hard, c.g.Name, words.Message(c.t, a)); errors.As(err, &refused) {
			return nil
		}
		return err
	}); err != nil {
		return c.broken(hard, hard, fmt.Errorf("commit: %w", err), rep)
	} else if refused != nil {
		return result{outcome: rejected, failure: "The change cannot be committed: " + words.Clip(refused.Error(), words.MaxFailure)}
	}
	if !changed {
		if c.t.Acceptance == "" || work != nil {
			return result{outcome: rejected, failure: words.Nothing(work)}
		}
		return result{outcome: accepted}
	}
	if failure, err := c.judge(hard, c.base, commit); err != nil {
		return c.broken(hard, hard, err, rep)
	} else if failure != "" {
		return result{outcome: rejected, failure: failure}
	}
	return result{outcome: accepted, commit: commit}
}

// acceptance runs the task's check. Without one, an attempt that ended well is taken at its word, as far as this goes.
func (c *cycle) acceptance(ctx context.Context, work error) (Verdict, error) {
	if c.t.Acceptance == "" {
		if work != nil {
			return Verdict{Output: "there is none: only an attempt that ends well can be accepted"}, nil
		}
		return Verdict{OK: true}, nil
	}
	var v Verdict
	err := c.r.o.Backoff.Step(ctx, func() (err error) { v, err = c.r.checks.Accept(ctx, c.g.Name, c.g.Dir, c.t); return err })
	return v, err
}

// judge gives why a change must not be integrated; "" when it may.
func (c *cycle) judge(ctx context.Context, base, commit string) (failure string, err error) {
	if c.r.o.Judge == nil {
		return "", nil
	}
	var ruling Ruling
	change := Change{Run: c.r.o.Run, Task: c.t, Base: base, Commit: commit}
	if err := c.r.o.Backoff.Step(ctx, func() (err error) { ruling, err = c.r.o.Judge.Judge(ctx, change); return err }); err != nil {
		return "", fmt.Errorf("judge the change: %w", err)
	}
	for _, n := range ruling.Notes {
		c.r.event(Event{Kind: JudgeNote, Region: c.g.Name, Task: c.t.ID, Text: words.Line(n, 300)})
	}
	if ruling.OK {
		return "", nil
	}
	if ruling.Failure == "" {
		ruling.Failure = "it gave no reason"
	}
	return "The change was refused by review: " + words.Clip(ruling.Failure, words.MaxFailure), nil
}
