package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/graph"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

// stopText says in words why a context has ended.
func stopText(ctx context.Context) string {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause.Error()
	}
	return "interrupted"
}

// settle writes how the run stands.
func (r *run) settle(hard, soft context.Context) (Summary, error) {
	if r.fatal == nil {
		if err := r.refresh(); err != nil {
			r.fatal = err
		}
	}
	state, reason := orchestrator.RunStopped, ""
	if r.fatal != nil {
		reason = words.Line(r.fatal.Error(), 600)
	} else {
		var err error
		if state, reason, err = r.verdict(hard, soft); err != nil {
			r.fatal, state, reason = err, orchestrator.RunStopped, words.Line(err.Error(), 600)
		}
	}
	err := r.persist(hard, func() error { return r.o.Ledger.SetState(r.o.Run, state, reason) })
	if r.fatal != nil {
		err = r.fatal
	}
	if err != nil {
		return Summary{State: state, Reason: reason}, err
	}
	r.event(Event{Kind: RunEnded, State: state, Text: reason})
	return r.summary(state, reason)
}

// verdict says how a run ends on which nothing runs and nothing can start.
func (r *run) verdict(hard, soft context.Context) (orchestrator.RunState, string, error) {
	open := r.graph.Open()
	switch {
	case len(open) == 0:
	case soft.Err() != nil:
		return orchestrator.RunStopped, words.Line(stopText(soft), 600), nil
	case r.landing.parked != "" || slices.ContainsFunc(open, func(t orchestrator.TaskRow) bool { return r.held(t) != "" }):
		return orchestrator.RunStopped, r.parkedText(open), nil
	default:
		text, err := r.stall(hard)
		return orchestrator.RunFailed, text, err
	}
	if reason := r.graph.Missing(); reason != "" {
		return orchestrator.RunFailed, reason, nil
	}
	return r.final(hard)
}

func (r *run) held(t orchestrator.TaskRow) string {
	if g := r.regions[t.Region]; g != nil {
		return g.parked
	}
	return ""
}

func (r *run) parkedText(open []orchestrator.TaskRow) string {
	var why []string
	if r.landing.parked != "" {
		why = append(why, r.landing.parked)
	}
	said := map[string]bool{}
	for _, t := range open {
		if held := r.held(t); held != "" && !said[t.Region] {
			said[t.Region] = true
			why = append(why, fmt.Sprintf("region %s: %s", t.Region, held))
		}
	}
	return words.Line(strings.Join(why, "; "), 2000)
}

// stall ends the tasks that wait for what can never come, and says which they are.
func (r *run) stall(ctx context.Context) (string, error) {
	ends := r.graph.Stalled()
	lines := make([]string, len(ends))
	for i, e := range ends {
		lines[i] = e.Task.ID + " " + strings.TrimPrefix(e.Reason, "it ")
	}
	if err := r.giveUp(ctx, ends); err != nil {
		return "", err
	}
	return "stalled: nothing can start. " + words.Names(lines), nil
}

// final runs the run's test on the result.
func (r *run) final(hard context.Context) (orchestrator.RunState, string, error) {
	var v Verdict
	err := r.o.Backoff.Step(hard, func() (err error) { v, err = r.queue.Final(hard); return err })
	switch {
	case hard.Err() != nil:
		return orchestrator.RunStopped, words.Line(stopText(hard), 600), nil
	case err != nil:
		return orchestrator.RunStopped, words.Line("every task is integrated, but the test of the result did not run: "+err.Error(), 600), nil
	case !v.OK:
		r.event(Event{Kind: TestRed, Text: words.Line(v.Output, 300)})
		return orchestrator.RunFailed, "every task is integrated, but the run's test is red, as it was before: " + words.Clip(v.Output, words.MaxFailure), nil
	}
	return orchestrator.RunDone, "", nil
}

// summary counts what the rows say.
func (r *run) summary(state orchestrator.RunState, reason string) (Summary, error) {
	s := Summary{State: state, Reason: reason}
	row, err := r.o.Ledger.Run(r.o.Run)
	if err != nil {
		return s, err
	}
	s.Integration = row.Integration
	tasks, err := r.o.Ledger.Tasks(r.o.Run)
	if err != nil {
		return s, err
	}
	s.Done, s.Failed, s.Blocked, s.Open = graph.Count(tasks)
	s.Usage, s.CostUSD, err = r.o.Ledger.Spent(r.o.Run)
	return s, err
}
