package wizard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/ask"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/pack"
	"github.com/devflow-suite/devflow/orchestrator/plan"
)

// Answers to a plan.
const (
	take, again, save, leave = "take", "again", "save", "leave"
)

// plan lets the manager plan until the person takes a plan.
func (w *Wizard) plan(ctx context.Context) error {
	request := w.order.Request
	for {
		p, err := w.planned(ctx, request)
		if err != nil {
			return err
		}
		answer, err := w.Ask.Choose(ctx, ask.Question{Title: "Take this plan?"}, take,
			ask.Option{Key: take, Text: "Yes, go on"},
			ask.Option{Key: again, Text: "Plan again, with a remark"},
			ask.Option{Key: save, Text: "Save it in a file and leave"},
			ask.Option{Key: leave, Text: "Leave"},
		)
		switch {
		case err != nil:
			return err
		case answer == take:
			w.order.Plan = p
			return nil
		case answer == save:
			return w.save(ctx, p)
		case answer == leave:
			return ErrLeft
		}
		remark, err := w.Ask.Text(ctx, ask.Question{Title: "What should be different?"}, nil)
		if err != nil {
			return err
		}
		if remark != "" {
			request = strings.TrimSpace(w.order.Request + "\n\nRemark on an earlier plan: " + remark)
			w.said("Remark", remark)
		}
	}
}

// planned is one plan, shown. A failure can be tried again.
func (w *Wizard) planned(ctx context.Context, request string) (orchestrator.Plan, error) {
	for {
		workers := 0
		if w.order.Mode == orchestrator.ModeFixed {
			workers = w.Limit
		}
		done := w.Waiting("The manager plans")
		p, err := w.Engine.Plan(ctx, engine.PlanRequest{Project: w.order.Project, Endpoint: w.order.Endpoints[0], Mode: w.order.Mode, Request: request, Workers: workers, Settings: w.order.Settings}, func(text string) { w.Say("%s", grid.Clean(text)) })
		done()
		if err == nil {
			return p, w.shown(ctx, p)
		}
		if ctx.Err() != nil {
			return orchestrator.Plan{}, context.Cause(ctx)
		}
		w.Say("There is no plan:")
		for _, line := range grid.CleanLines(err.Error(), 20) {
			w.Say("  %s", line)
		}
		retry, err := w.Ask.Confirm(ctx, ask.Question{Title: "Try again?"}, true)
		if err != nil {
			return orchestrator.Plan{}, err
		}
		if !retry {
			return orchestrator.Plan{}, ErrLeft
		}
	}
}

// shown writes a plan with what is to be looked at.
func (w *Wizard) shown(ctx context.Context, p orchestrator.Plan) error {
	done := w.Waiting("Trying the acceptance commands")
	flags, err := Flags(ctx, p, func() ([]engine.Flag, error) {
		return w.Engine.DryRun(ctx, w.order.Project, w.order.Base, p, w.order.Settings)
	})
	done()
	if err != nil {
		w.Say("The acceptance commands were not tried: %s", grid.Clean(err.Error()))
	}
	w.Say("")
	return show.Plan(w.Out, p, flags, w.width())
}

// Flags is what to look at in the acceptance commands of a plan: those that cannot fail, and those that pass before the work. The
// flags are complete as far as they go also with an error.
func Flags(ctx context.Context, p orchestrator.Plan, try func() ([]engine.Flag, error)) ([]engine.Flag, error) {
	var flags []engine.Flag
	for _, t := range p.Tasks {
		switch {
		case t.Acceptance == "":
			flags = append(flags, engine.Flag{Task: t.ID, Reason: "has none: it is accepted when the worker has changed something"})
		case plan.Lint(t.Acceptance) != "":
			flags = append(flags, engine.Flag{Task: t.ID, Reason: plan.Lint(t.Acceptance)})
		}
		if t.Network {
			flags = append(flags, engine.Flag{Task: t.ID, Reason: "wants to reach the network"})
		}
	}
	if ctx.Err() != nil || try == nil {
		return flags, nil
	}
	tried, err := try()
	for _, f := range tried {
		if !slices.Contains(flags, f) {
			flags = append(flags, f)
		}
	}
	return flags, err
}

// save writes the plan to a file that is not there yet.
func (w *Wizard) save(ctx context.Context, p orchestrator.Plan) error {
	file, err := w.Ask.Line(ctx, ask.Question{Title: "File for the plan"}, filepath.Join(os.TempDir(), "plan.json"), func(s string) error {
		if _, err := os.Lstat(s); !errors.Is(err, fs.ErrNotExist) {
			return errors.New("this file is there already")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if file, err = filepath.Abs(file); err != nil {
		return err
	}
	if err := plan.Write(file, p); err != nil {
		return err
	}
	w.said("Plan", file)
	w.said("Next", "devflock run --plan "+file+" --url "+w.order.Endpoints[0].URL)
	return ErrLeft
}

// workers recommends how many, asks, and packs the modules.
func (w *Wizard) workers(ctx context.Context) error {
	p := w.order.Plan
	limit := w.Limit
	if w.order.Mode == orchestrator.ModeFixed {
		limit = MaxWorkers
	}
	advice := pack.Recommend(p, limit)
	w.Say("")
	if err := show.Curve(w.Out, advice); err != nil {
		return err
	}
	most := min(len(p.Modules), MaxWorkers)
	n := advice.N
	if w.order.Mode == orchestrator.ModeFixed {
		n = w.Limit
	}
	if n, err := w.Ask.Number(ctx, ask.Question{Title: "Number of workers", Help: fmt.Sprintf("1 to %d; a worker owns at least one module", most)}, min(n, most), 1, most); err != nil {
		return err
	} else {
		w.order.Regions = pack.Pack(p, n)
	}
	w.said("Workers", fmt.Sprint(len(w.order.Regions)))
	w.Say("")
	return show.Assignment(w.Out, p, w.order.Regions, nil, w.width())
}
