package bind

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/planner"
	"github.com/devflow-suite/devflow/orchestrator/probe"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/survey"
)

// probed looks at an endpoint. What the file or the flags say about it stays; what they do not say is filled in.
func probed(ctx context.Context, r engine.ProbeRequest, each func(engine.Check)) (engine.Probed, error) {
	out := engine.Probed{Endpoint: r.Endpoint}
	report, err := probe.Run(ctx, probe.Options{URL: r.Endpoint.URL, Key: r.Endpoint.Key, Model: r.Endpoint.Model, Big: r.Big, Long: r.Long, Progress: r.Progress}, func(l probe.Line) {
		c := engine.Check{Check: l.Check, Level: string(l.Level), Detail: l.Detail, Advice: l.Advice}
		out.Checks = append(out.Checks, c)
		each(c)
	})
	e := &out.Endpoint
	e.URL, e.Auth, e.API, e.Model = cmp.Or(report.URL, e.URL), cmp.Or(report.Auth, e.Auth), cmp.Or(report.API, e.API), cmp.Or(e.Model, report.Model)
	e.Window, e.Parallel = cmp.Or(e.Window, report.Window), cmp.Or(e.Parallel, report.Parallel)
	out.OK = report.OK
	return out, err
}

// plan asks a manager.
func (b *bound) plan(ctx context.Context, r engine.PlanRequest, say func(string)) (p orchestrator.Plan, err error) {
	ask := planner.Ask{Mode: r.Mode, Request: r.Request, Workers: r.Workers}
	if r.Mode != orchestrator.ModeIdea {
		if ask.Inventory, err = survey.Take(ctx, r.Project.Dir); err != nil {
			return p, err
		}
	}
	m, err := runner.NewManager(ctx, b.deps(), runner.ManagerSpec{Project: r.Project, Mode: r.Mode, Tools: planner.Tools(ask), Endpoint: r.Endpoint, Settings: r.Settings})
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if p, err = planner.Plan(ctx, ask, &told{Manager: m, say: say}); err != nil {
		return p, err
	}
	used, _ := m.Used()
	say("Planning has used " + grid.Count(used.Input+used.Output+used.CacheRead+used.CacheWrite) + " tokens")
	return p, nil
}

// told says when a manager has to answer again.
type told struct {
	planner.Manager
	say   func(string)
	asked int
	last  error // of the turn before
}

// Turn implements planner.Manager.
func (t *told) Turn(ctx context.Context, prompt string) (planner.Reply, error) {
	switch t.asked++; {
	case t.asked == 1:
	case t.last != nil:
		t.say(fmt.Sprintf("The manager did not answer (%v), it is asked again", t.last))
	default:
		t.say(fmt.Sprintf("The plan was not right yet, the manager answers again (%d)", t.asked))
	}
	reply, err := t.Manager.Turn(ctx, prompt)
	t.last = err
	return reply, err
}
