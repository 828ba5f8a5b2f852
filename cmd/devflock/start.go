package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/ask"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/wizard"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/pack"
	"github.com/devflow-suite/devflow/orchestrator/plan"
)

// startOptions are the flags of run.
type startOptions struct {
	project  desk.ProjectOptions
	endpoint desk.EndpointOptions
	work     desk.WorkOptions
	settings orchestrator.Settings
	view     desk.ViewOptions
	plan     string
	queued   string // run that waits for a plan
	alone    bool   // no ask_region, no request_change
	unjudged bool   // the judge does not look
	yes      bool
	detach   bool
}

func (a *app) start() *cli.Command {
	var o startOptions
	flags := []cli.Flag{
		o.project.Flag(),
		&cli.StringFlag{Name: "base", Usage: "start from the commit `REV`; changes that are not committed are left out", Destination: &o.project.Base, Validator: a.Required("base", "a revision")},
		&cli.BoolFlag{Name: "init", Usage: "make a git repository when there is none", Destination: &o.project.Init},
	}
	flags = append(flags, a.EndpointFlags(&o.endpoint)...)
	flags = append(flags, &cli.StringFlag{Name: "plan", Usage: "take the plan in `FILE` instead of asking for one", Destination: &o.plan, Validator: a.Required("plan", "a file")})
	flags = append(flags, &cli.StringFlag{Name: "queued", Usage: "start the `RUN` that a Claude Code session asked for", Destination: &o.queued, Validator: a.Required("queued", "a run")})
	flags = append(flags, a.WorkFlags(&o.work)...)
	flags = append(flags, a.SettingsFlags(&o.settings, &o.unjudged, &o.alone)...)
	flags = append(flags, a.ViewFlags(&o.view)...)
	flags = append(flags,
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask before the start", Destination: &o.yes},
		&cli.BoolFlag{Name: "detach", Usage: "run in the background", Destination: &o.detach},
	)
	return &cli.Command{
		Name: "run", Usage: "plan, start workers, verify and integrate", Description: `Everything that the wizard asks for, as flags. Ctrl-C stops the run so that
devflock resume can go on; a second Ctrl-C ends it at once. Without a
terminal: one line per event, and --yes is needed. --json: one JSON object
per line, the last of kind "summary".

A key is never an argument: --key-env, --key-file or --key-stdin. It is
kept in the run's endpoints.toml, mode 0600.

Examples:
  devflock run --url URL --request 'add an API' --workers 4
  devflock run --url URL --key-env KEY --plan plan.json --yes --json
  devflock run --endpoints endpoints.toml --idea-file idea.md --init --yes
  devflock run --url URL --plan plan.json --token-cap 5000000 -y --detach

Exit codes: 0 every task is integrated, 1 error or stopped, 2 wrong use,
3 the run has ended without some of its tasks`,
		Flags:  flags,
		Action: func(ctx context.Context, _ *cli.Command) error { return a.startRun(ctx, o) },
	}
}

func (a *app) startRun(ctx context.Context, o startOptions) error {
	if !o.yes && !a.asking(o) {
		return frame.Usage(errors.New("nobody can be asked before the start: look at the plan first (devflock plan), then add --yes"))
	}
	mode, request, err := a.Work(o.work)
	if err != nil {
		return err
	}
	var given orchestrator.Plan
	if o.plan != "" {
		if given, err = a.loadPlan(o.plan); err != nil {
			return err
		}
	}
	e, err := a.Open()
	if err != nil {
		return err
	}
	defer e.Close()
	if o.queued != "" {
		return a.startQueued(ctx, e, o, request)
	}
	return a.begin(ctx, e, o, engine.Order{Mode: mode, Request: request, Plan: given}, func() {})
}

// asking is whether a person can be asked before the start.
func (a *app) asking(o startOptions) bool {
	return !o.yes && frame.Columns(a.Stdin) > 0 && frame.Columns(a.Stdout) > 0 && !o.view.JSON
}

// startQueued plans and starts a run that a session asked for, at the standing endpoints unless others are named. Where nobody sees a
// mistake, it ends the run: the session is told.
func (a *app) startQueued(ctx context.Context, e engine.Engine, o startOptions, request string) error {
	run, err := a.queued(e, o, request)
	if err != nil {
		return err
	}
	if o.endpoint.URL == "" && o.endpoint.File == "" {
		if _, err := os.Stat(e.Standing); err != nil {
			return frame.Hint(errors.New("there are no endpoints for queued runs"), "devflock probe URL --save manager, or give --url or --endpoints")
		}
		o.endpoint.File = e.Standing
	}
	release, err := e.Hold(run.ID)
	if err != nil {
		return err
	}
	release = sync.OnceFunc(release)
	defer release()
	if run, err = a.queued(e, o, request); err != nil { // somebody else was faster
		return err
	}
	o.project.Dir = run.Project
	order := engine.Order{Mode: run.Mode, Request: run.Request, Plan: run.Plan, Run: run.ID, Session: run.Session}
	if err = a.begin(ctx, e, o, order, release); err == nil || ctx.Err() != nil || frame.Columns(a.Stderr) > 0 {
		return err
	}
	if again, readErr := a.FindRun(o.queued, e, o.project, nil); readErr == nil && again.State == orchestrator.RunQueued {
		return errors.Join(err, e.Fail(run.ID, err.Error()))
	}
	return err
}

// begin plans what has no plan yet, packs it, and drives it. release is called when it is ready, before it is driven.
func (a *app) begin(ctx context.Context, e engine.Engine, o startOptions, order engine.Order, release func()) error {
	o.project.Own = []string{o.plan, o.endpoint.File, o.endpoint.KeyFile, o.work.File()}
	project, base, err := a.Examined(ctx, e, o.project)
	if err != nil {
		return err
	}
	o.settings.CrossRegion, o.settings.Governed = !o.alone, !o.unjudged
	order.Project, order.Base = project, base
	if order.Settings, err = e.Defaults(o.settings); err != nil {
		return err
	}
	if order.Endpoints, err = a.Endpoints(ctx, e, o.endpoint); err != nil {
		return err
	}
	var flags []engine.Flag
	if len(order.Plan.Tasks) == 0 {
		order.Plan, flags, err = a.makePlan(ctx, e, engine.PlanRequest{Project: project, Endpoint: order.Endpoints[0], Mode: order.Mode, Request: order.Request, Workers: o.work.Workers, Settings: order.Settings}, base)
	} else {
		flags, err = a.flags(ctx, e, project, base, order.Plan, order.Settings)
	}
	if err != nil {
		return err
	}
	n := cmp.Or(o.work.Workers, pack.Recommend(order.Plan, cmp.Or(e.Workers, advised)).N)
	order.Regions = pack.Pack(order.Plan, n)
	order.Assign = desk.Assign(order.Regions, order.Endpoints)
	if err := a.announce(order, flags, o.view); err != nil {
		return err
	}
	if a.asking(o) {
		yes, err := a.Asker().Confirm(ctx, ask.Question{Title: "Start?"}, true)
		if err != nil {
			return err
		}
		if !yes {
			return wizard.ErrLeft
		}
	}
	return a.prepareAndDrive(ctx, e, order, o, release)
}

// queued is a run that a session asked for and that has no plan yet.
func (a *app) queued(e engine.Engine, o startOptions, request string) (orchestrator.Run, error) {
	if request != "" || o.project.Dir != "" {
		return orchestrator.Run{}, frame.Usage(errors.New("--queued brings its own project and request"))
	}
	run, err := a.FindRun(o.queued, e, o.project, nil)
	if err == nil && run.State != orchestrator.RunQueued {
		err = frame.Hint(fmt.Errorf("run %s has a plan already: it is %s", run.ID, run.State), "devflock resume "+string(run.ID))
	}
	return run, err
}

// loadPlan reads a plan file that must be right.
func (a *app) loadPlan(file string) (orchestrator.Plan, error) {
	p, err := plan.Load(file)
	if err == nil {
		err = plan.Check(p).Err()
	}
	var problems plan.Problems
	if errors.As(err, &problems) {
		return p, frame.Hint(fmt.Errorf("%s has %s, the first: %s", file, grid.Plural(len(problems), "mistake"), grid.Clean(problems[0].String())), "devflock plan --check "+file)
	}
	return p, err
}

// announce shows what will be started: on standard output for people, nowhere with --json.
func (a *app) announce(o engine.Order, flags []engine.Flag, v desk.ViewOptions) error {
	if v.JSON {
		for _, f := range flags {
			a.Warn("acceptance command of " + grid.Clean(f.Task) + ": " + grid.Clean(f.Reason))
		}
		return nil
	}
	if err := show.Plan(a.Stdout, o.Plan, flags, a.Width()); err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout)
	if err := show.Assignment(a.Stdout, o.Plan, o.Regions, o.Assign, a.Width()); err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout)
	if notes := wizard.Crowded(o); len(notes) > 0 {
		if err := show.Notes(a.Stdout, notes, a.Width()); err != nil {
			return err
		}
		fmt.Fprintln(a.Stdout)
	}
	return nil
}

// prepareAndDrive makes the run and goes through with it.
func (a *app) prepareAndDrive(ctx context.Context, e engine.Engine, order engine.Order, o startOptions, release func()) error {
	run, err := e.Prepare(ctx, order)
	if err != nil {
		return err
	}
	release()
	if o.detach {
		return a.detach(ctx, e, run, o.view)
	}
	return a.Drive(ctx, e, run.ID, o.view)
}

// Bounds of waiting for a run in the background.
const (
	detachLimit = 30 * time.Second
	detachLook  = 100 * time.Millisecond
)

// detach starts the run in a process of its own, and returns when that answers.
func (a *app) detach(ctx context.Context, e engine.Engine, run orchestrator.Run, v desk.ViewOptions) error {
	if err := proc.Detach(proc.Cmd{Argv: []string{a.Exe, "resume", string(run.ID), "--plain"}, Dir: run.Project}); err != nil {
		return fmt.Errorf("start run in the background: %w", err)
	}
	done := a.Waiting().Start("Starting in the background")
	defer done()
	limit, look := time.NewTimer(detachLimit), time.NewTicker(detachLook)
	defer limit.Stop()
	defer look.Stop()
	for {
		view, err := e.View(ctx, run.ID)
		if err == nil && (view.Live != nil || view.Run.State != orchestrator.RunReady) {
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limit.C:
			return frame.Hint(fmt.Errorf("run %s does not answer", run.ID), "devflock resume "+string(run.ID))
		case <-look.C:
		}
	}
	done()
	return a.Print(v.JSON, map[string]any{"run": run.ID, "detached": true}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Run %s goes on in the background.\nNext:\n  devflock status %s --watch\n  devflock stop %s\n", run.ID, run.ID, run.ID)
		return err
	})
}

// notNegative is the check of a cap.
func notNegative[T int64 | float64](v T) error {
	if !(v >= 0) {
		return errors.New("want 0 or more")
	}
	return nil
}

func (a *app) resume() *cli.Command {
	var v desk.ViewOptions
	var po desk.ProjectOptions
	var detach bool
	var caps engine.Caps
	return &cli.Command{
		Name: "resume", Usage: "go on with a run that was stopped or has crashed", ArgsUsage: "[RUN]", Description: `Nothing that was done is done again: accepted work is taken, workers that
are still alive are ended, interrupted tasks go on in their session.
Without RUN: the newest run of this project that has not ended. A run that
has stopped at a cap needs a higher one; 0 takes it away.

Examples:
  devflock resume
  devflock resume --token-cap 8000000
  devflock resume 20261130-221504-x7k2 --json

Exit codes: 0 every task is integrated, 1 error or stopped, 2 wrong use,
3 the run has ended without some of its tasks`,
		Flags: append([]cli.Flag{
			po.Flag(), &cli.BoolFlag{Name: "detach", Usage: "run in the background", Destination: &detach},
			&cli.Int64Flag{Name: "token-cap", Usage: "stop when all workers together have used `N` tokens since the run began", Destination: &caps.Tokens, HideDefault: true, Validator: notNegative[int64]},
			&cli.Float64Flag{Name: "money-cap", Usage: "stop when all workers together have cost `USD`", Destination: &caps.Money, HideDefault: true, Validator: notNegative[float64]},
		}, a.ViewFlags(&v)...),
		Action: func(ctx context.Context, c *cli.Command) error {
			caps.SetTokens, caps.SetMoney = c.IsSet("token-cap"), c.IsSet("money-cap")
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			run, err := a.Find(c, e, po, func(r orchestrator.Run) bool { return !r.State.Over() })
			switch {
			case err != nil:
				return err
			case run.State.Over():
				return frame.Hint(fmt.Errorf("run %s has ended: %s", run.ID, run.State), "devflock status "+string(run.ID))
			case run.State == orchestrator.RunQueued:
				return frame.Hint(fmt.Errorf("run %s has no plan yet", run.ID), "devflock run --queued "+string(run.ID))
			}
			if caps.SetTokens || caps.SetMoney {
				if err := e.Recap(run, caps); err != nil {
					return err
				}
			}
			switch {
			case detach:
				return a.detach(ctx, e, run, v)
			}
			return a.Drive(ctx, e, run.ID, v)
		},
	}
}
