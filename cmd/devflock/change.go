package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator"
)

// swapped is what swap has done, as JSON.
type swapped struct {
	Run      orchestrator.RunID `json:"run"`
	Endpoint engine.Endpoint    `json:"endpoint"`
	Regions  []string           `json:"regions"` // that use it
	Running  bool               `json:"running"` // a process drives the run and uses it from now on
}

func (a *app) swap() *cli.Command {
	var asJSON bool
	var po desk.ProjectOptions
	var o desk.EndpointOptions
	var worker, name, run string
	return &cli.Command{
		Name: "swap", Usage: "give a running worker another endpoint", Description: `Requests that wait for the old endpoint are sent to the new one; the
sessions of the workers go on. The new one is probed first. Workers that
share the endpoint move together. Editing the run's endpoints.toml does the
same.

Examples:
  devflock swap --worker api --url http://10.0.0.7:8080 --key-env KEY
  devflock swap --endpoint manager --url URL --no-probe
  devflock swap --run x7k2 --worker ui --url URL

Exit codes: 0 done, 1 error, 2 wrong use`,
		Flags: append(append([]cli.Flag{po.Flag(),
			&cli.StringFlag{Name: "run", Usage: "in the run `RUN` instead of the newest one here", Destination: &run, Validator: a.Required("run", "a run")},
			&cli.StringFlag{Name: "worker", Usage: "the endpoint of the region `NAME`", Destination: &worker, Validator: a.Required("worker", "a region")},
			&cli.StringFlag{Name: "endpoint", Usage: "the endpoint `NAME`", Destination: &name, Validator: a.Required("endpoint", "the name of an endpoint")},
			&cli.StringFlag{Name: "url", Usage: "`URL` of the new one", Destination: &o.URL, Validator: a.Required("url", "an address")}},
			a.KeyFlags(&o)...),
			&cli.BoolFlag{Name: "no-probe", Usage: "do not probe it", Destination: &o.Unprobed},
			frame.JSONFlag(&asJSON)),
		Action: func(ctx context.Context, _ *cli.Command) error {
			switch {
			case (worker == "") == (name == ""):
				return frame.Usage(errors.New("either --worker or --endpoint is needed"))
			case o.URL == "":
				return frame.Usage(errors.New("--url is needed"))
			}
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			found, err := a.FindRun(run, e, po, func(r orchestrator.Run) bool { return !r.State.Over() })
			if err != nil {
				return err
			}
			view, err := e.View(ctx, found.ID)
			if err != nil {
				return err
			}
			if name, err = endpointOf(view, worker, name); err != nil {
				return err
			}
			return a.swapTo(ctx, e, view, o, name, asJSON)
		},
	}
}

func (a *app) swapTo(ctx context.Context, e engine.Engine, view engine.View, o desk.EndpointOptions, name string, asJSON bool) error {
	list, err := a.Endpoints(ctx, e, o)
	if err != nil {
		return err
	}
	list[0].Name = name
	if err := e.Swap(ctx, view.Run.ID, list[0]); err != nil {
		return err
	}
	out := swapped{Run: view.Run.ID, Endpoint: list[0], Running: view.Live != nil}
	for _, r := range view.Regions {
		if r.Endpoint == name {
			out.Regions = append(out.Regions, r.Name)
		}
	}
	return a.Print(asJSON, out, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Endpoint %s is now %s, for: %s\n", name, engine.Shown(list[0]), cmp.Or(strings.Join(out.Regions, ", "), "no worker"))
		if err == nil && !out.Running {
			_, err = fmt.Fprintf(w, "Nobody drives the run now. Next: devflock resume %s\n", view.Run.ID)
		}
		return err
	})
}

// endpointOf is the name of the endpoint that a worker uses, or that was given.
func endpointOf(v engine.View, worker, name string) (string, error) {
	var regions, names []string
	for _, r := range v.Regions {
		if r.Name == worker {
			return r.Endpoint, nil
		}
		regions, names = append(regions, r.Name), append(names, r.Endpoint)
	}
	if worker != "" {
		return "", frame.Usage(fmt.Errorf("no worker %q in run %s; there are: %s", worker, v.Run.ID, strings.Join(regions, ", ")))
	}
	if name != desk.ManagerName && !slices.Contains(names, name) {
		slices.Sort(names)
		return "", frame.Usage(fmt.Errorf("no worker of run %s uses the endpoint %q; they use: %s", v.Run.ID, name, strings.Join(slices.Compact(names), ", ")))
	}
	return name, nil
}

func (a *app) integrate() *cli.Command {
	var asJSON bool
	var po desk.ProjectOptions
	return &cli.Command{
		Name: "integrate", Usage: "take what a run has integrated, though it has not ended well", ArgsUsage: "[RUN]", Description: `A run that has done everything gives devflock/integration its result by
itself. This does the same for a run that was stopped or has failed tasks:
the branch gets what was merged and tested so far. Your branch is not
touched. Accepted work that waits for its merge needs: devflock resume.

Examples:
  devflock integrate
  devflock integrate x7k2 --json

Exit codes: 0 done, 1 error, 2 wrong use`,
		Flags: []cli.Flag{po.Flag(), frame.JSONFlag(&asJSON)},
		Action: func(ctx context.Context, c *cli.Command) error {
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			run, err := a.Find(c, e, po, nil)
			if err != nil {
				return err
			}
			done := a.Waiting().Start("Integrating")
			got, err := e.Integrate(ctx, run.ID)
			done()
			if err != nil {
				return desk.Explained(err, run.ID)
			}
			return a.Print(asJSON, got, func(w io.Writer) error {
				fmt.Fprintf(w, "Integrated: %s\n", grid.Clean(strings.Join(got.Tasks, ", ")))
				_, err := fmt.Fprintf(w, "Branch: %s at %s\nNext:\n  git diff %s...%s\n", got.Branch, got.Commit[:min(12, len(got.Commit))], cmp.Or(run.Base[:min(12, len(run.Base))], "HEAD"), got.Branch)
				return err
			})
		},
	}
}

func (a *app) stop() *cli.Command {
	var asJSON bool
	var po desk.ProjectOptions
	return &cli.Command{
		Name: "stop", Usage: "stop a run so that it can go on later", ArgsUsage: "[RUN]", Description: `The process that drives it ends its workers and keeps what they have done.

Examples:
  devflock stop
  devflock stop x7k2

Exit codes: 0 done, 1 error or nobody drives the run, 2 wrong use`,
		Flags: []cli.Flag{po.Flag(), frame.JSONFlag(&asJSON)},
		Action: func(ctx context.Context, c *cli.Command) error {
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			run, err := a.Find(c, e, po, func(r orchestrator.Run) bool {
				return r.State == orchestrator.RunRunning || r.State == orchestrator.RunReady
			})
			if err != nil {
				return err
			}
			if err := e.Stop(ctx, run.ID); err != nil {
				return frame.Hint(err, "devflock status "+string(run.ID))
			}
			return a.Print(asJSON, map[string]any{"run": run.ID, "stopping": true}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "Run %s is stopping.\nNext: devflock resume %s\n", run.ID, run.ID)
				return err
			})
		},
	}
}

func (a *app) clean() *cli.Command {
	var asJSON, all, dry, force bool
	var po desk.ProjectOptions
	return &cli.Command{
		Name: "clean", Usage: "remove the work trees and files of ended runs", ArgsUsage: "[RUN]", Description: `Branches and what workers left behind stay in git (refs/devflock). A run
that can still go on is cleaned only when it is named, with --force.
Without RUN: every ended run of this project.

Examples:
  devflock clean --dry-run     # what would go, with sizes
  devflock clean
  devflock clean --all         # of every project
  devflock clean x7k2 --force  # also though it has not ended

Exit codes: 0 done, 1 error, 2 wrong use`,
		Flags: []cli.Flag{po.Flag(),
			&cli.BoolFlag{Name: "all", Usage: "of every project", Destination: &all},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would go", Destination: &dry},
			&cli.BoolFlag{Name: "force", Usage: "also a run that has not ended", Destination: &force},
			frame.JSONFlag(&asJSON)},
		Action: func(ctx context.Context, c *cli.Command) error {
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			runs, err := a.cleanable(c, e, po, all, force)
			if err != nil {
				return err
			}
			done := a.Waiting().Start("Cleaning")
			list := []engine.Removed{}
			for _, r := range runs {
				removed, err := e.Remove(ctx, r.ID, dry)
				if ctx.Err() != nil {
					done()
					return context.Cause(ctx)
				}
				if err != nil {
					removed = engine.Removed{Run: r.ID, State: string(r.State), Left: err.Error()}
				}
				if removed.Bytes > 0 || removed.Left != "" {
					list = append(list, removed)
				}
			}
			done()
			if err := a.Print(asJSON, list, func(w io.Writer) error { return show.Removed(w, list, dry, a.Width()) }); err != nil {
				return err
			}
			for _, r := range list {
				if r.Left != "" && !dry {
					return frame.Hint(fmt.Errorf("run %s was not cleaned: %s", r.Run, grid.Clean(r.Left)), "devflock status "+string(r.Run))
				}
			}
			return nil
		},
	}
}

// cleanable are the runs that clean is about.
func (a *app) cleanable(c *cli.Command, e engine.Engine, po desk.ProjectOptions, all, force bool) ([]orchestrator.Run, error) {
	if c.NArg() > 0 {
		run, err := a.Find(c, e, po, nil)
		if err == nil && !run.State.Over() && !force {
			err = frame.Hint(fmt.Errorf("run %s can still go on: it is %s", run.ID, run.State), "devflock resume "+string(run.ID)+", or clean it with --force")
		}
		return []orchestrator.Run{run}, err
	}
	runs, err := e.Runs(desk.Listed)
	if err != nil {
		return nil, err
	}
	dir, err := a.Folder(po.Dir)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(runs, func(r orchestrator.Run) bool {
		return !r.State.Over() || !all && !desk.Within(dir, r.Project)
	}), nil
}
