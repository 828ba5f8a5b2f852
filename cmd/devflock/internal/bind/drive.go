package bind

import (
	"context"
	"strings"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/control"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// drive goes through with a run.
func (b *bound) drive(ctx context.Context, id orchestrator.RunID, observe func(live.Event)) (live.Summary, error) {
	deps := b.deps()
	deps.Observe = func(e schedule.Event) { observe(eventOf(e)) }
	sum, err := runner.Drive(ctx, deps, id)
	if err != nil && sum.State == "" {
		return live.Summary{}, err
	}
	view, viewErr := b.view(context.WithoutCancel(ctx), id)
	if viewErr != nil {
		return live.Summary{}, viewErr
	}
	s := live.NewModel(view.Rows, b.sys.Now()).Summary()
	s.Branch = sum.Branch
	return s, err
}

// eventOf is an event of the scheduler in the words of the view, which are the same.
func eventOf(e schedule.Event) live.Event {
	return live.Event{At: e.At, Kind: live.Kind(e.Kind), Region: e.Region, Task: e.Task, Attempt: e.Attempt, Text: e.Text, Usage: e.Usage, CostUSD: e.CostUSD, Wait: e.Wait}
}

// view reads a run.
func (b *bound) view(ctx context.Context, id orchestrator.RunID) (engine.View, error) {
	v, err := runner.Status(ctx, b.deps(), id)
	if err != nil {
		return engine.View{}, err
	}
	out := engine.View{
		Rows:   live.Rows{Run: v.Run, Regions: v.Regions, Tasks: v.Tasks, Attempts: v.Attempts},
		Folder: place.Of(b.paths.Root, string(id)).Dir, Bytes: v.Size,
	}
	if v.Live != nil {
		out.Live = snapshotOf(*v.Live)
	}
	return out, nil
}

// doing are the driver's words for what a worker does, in those of the view.
func doing(word string) string {
	switch word {
	case "working", "starting":
		return "works"
	case "checking":
		return "checks"
	case "integrating":
		return "lands"
	}
	return word
}

func snapshotOf(l control.Live) *live.Snapshot {
	s := &live.Snapshot{Confine: l.Confine, Lacks: l.Lacks, Tokens: l.Tokens, CostUSD: l.CostUSD}
	for _, w := range l.Workers {
		s.Workers = append(s.Workers, live.Worker{Region: w.Region, Endpoint: w.Endpoint, Task: w.Task, State: doing(w.Doing), Attempt: w.Attempt, Tokens: w.Tokens, Context: w.Context, Last: lastOf(w.Last), LastAt: w.LastAt})
	}
	for _, h := range l.Endpoints {
		e := live.Endpoint{Name: h.Endpoint, Health: live.HealthOK, Text: h.Error}
		switch {
		case h.Dead:
			e.Health = live.HealthDown
		case h.Error != "":
			e.Health = live.HealthWaiting
		}
		s.Endpoints = append(s.Endpoints, e)
	}
	return s
}

// lastOf takes the kind from the front of what a worker did last: the state says it already.
func lastOf(text string) string {
	kind, rest, _ := strings.Cut(text, " ")
	if !strings.Contains(kind, "_") {
		return text
	}
	return live.Said(live.Kind(kind), strings.TrimSpace(rest))
}
