package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/wizard"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/pack"
	"github.com/devflow-suite/devflow/orchestrator/plan"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// advised is how many workers are recommended at most (recommend_n of the published DevFlock).
const advised = 12

// planned is a plan as `plan --json` prints it.
type planned struct {
	Plan        orchestrator.Plan `json:"plan"`
	Problems    []string          `json:"problems"`
	Flags       []engine.Flag     `json:"flags"`
	Recommended int               `json:"recommended_workers"`
	Width       int               `json:"width"`
	Curve       []point           `json:"curve"`
	File        string            `json:"file,omitempty"`
}

type point struct {
	Workers  int     `json:"workers"`
	Makespan float64 `json:"makespan"`
}

func newPlanned(p orchestrator.Plan, flags []engine.Flag, most int) planned {
	advice := pack.Recommend(p, cmp.Or(most, advised))
	out := planned{Plan: p, Problems: []string{}, Flags: append([]engine.Flag{}, flags...), Recommended: advice.N, Width: advice.Width, Curve: []point{}}
	for _, c := range advice.Curve {
		out.Curve = append(out.Curve, point{c.N, c.Makespan})
	}
	return out
}

func (a *app) plan() *cli.Command {
	var asJSON, force bool
	var po desk.ProjectOptions
	var eo desk.EndpointOptions
	var wo desk.WorkOptions
	var s orchestrator.Settings
	var out, check string
	return &cli.Command{
		Name: "plan", Usage: "let a manager plan, or check a plan", Description: `The manager reads the project, or the idea, and proposes modules and tasks.
Nothing is started and nothing in the project changes. A plan file may be
edited; --check tells what is wrong with it. Acceptance commands that
cannot fail, or pass before the work, are named.

Examples:
  devflock plan --url URL --request 'add an API' -o plan.json
  devflock plan --url URL --key-env KEY --idea-file idea.md --project new
  devflock plan --check plan.json
  devflock plan --check plan.json --json | jq .recommended_workers

Exit codes: 0 done, 1 error, 2 wrong use, 3 the plan has mistakes`,
		Flags: append(append(append([]cli.Flag{po.Flag()}, a.EndpointFlags(&eo)...), a.WorkFlags(&wo)...),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the plan to `FILE`", Destination: &out, Validator: a.Required("out", "a file")},
			&cli.BoolFlag{Name: "force", Usage: "replace that file", Destination: &force},
			&cli.StringFlag{Name: "check", Usage: "check the plan in `FILE`", Destination: &check, Validator: a.Required("check", "a file")},
			&cli.BoolFlag{Name: "init", Usage: "make a git repository when there is none", Destination: &po.Init},
			&cli.StringFlag{Name: "client", Usage: "the claude program at `PATH`; default: the one on PATH", Destination: &s.Client},
			&cli.StringFlag{Name: "confine", Usage: "`KIND` of the manager's confinement: auto (the default), bwrap, landlock or none", Destination: &s.Confine, Validator: a.Confinement},
			frame.JSONFlag(&asJSON)),
		Action: func(ctx context.Context, _ *cli.Command) error {
			if check != "" {
				return a.checkPlan(check, asJSON)
			}
			mode, request, err := a.Work(wo)
			if err != nil {
				return err
			}
			if out != "" && !force {
				if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
					return frame.Hint(fmt.Errorf("%s is there already", out), "give another file, or --force")
				}
			}
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			po.Base = "HEAD" // what is not committed is not part of a plan either, and does no harm here
			project, _, err := a.Examined(ctx, e, po)
			if err != nil {
				return err
			}
			list, err := a.Endpoints(ctx, e, eo)
			if err != nil {
				return err
			}
			if s, err = e.Defaults(s); err != nil {
				return err
			}
			p, flags, err := a.makePlan(ctx, e, engine.PlanRequest{Project: project, Endpoint: list[0], Mode: mode, Request: request, Workers: wo.Workers, Settings: s}, project.Head)
			if err != nil {
				return err
			}
			return a.printPlan(p, flags, e.Workers, written{out, eo}, asJSON)
		},
	}
}

// makePlan asks the manager, and tries the acceptance commands.
func (a *app) makePlan(ctx context.Context, e engine.Engine, r engine.PlanRequest, base string) (orchestrator.Plan, []engine.Flag, error) {
	screen := a.Waiting()
	done := screen.Start("The manager plans")
	p, err := e.Plan(ctx, r, func(text string) { fmt.Fprintln(screen, grid.Clean(text)) })
	done()
	if err != nil {
		if ctx.Err() != nil {
			return p, nil, context.Cause(ctx)
		}
		var mistakes plan.Problems
		hint := "devflock probe " + r.Endpoint.URL
		if errors.As(err, &mistakes) {
			hint = "a stronger model, a narrower --request, or a plan of your own: devflock plan --check FILE"
		}
		return p, nil, frame.Hint(err, hint)
	}
	flags, err := a.flags(ctx, e, r.Project, base, p, r.Settings)
	return p, flags, err
}

// flags is what a person should look at in the acceptance commands.
func (a *app) flags(ctx context.Context, e engine.Engine, project trees.Project, base string, p orchestrator.Plan, s orchestrator.Settings) ([]engine.Flag, error) {
	done := a.Waiting().Start("Trying the acceptance commands")
	flags, err := wizard.Flags(ctx, p, func() ([]engine.Flag, error) { return e.DryRun(ctx, project, base, p, s) })
	done()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		a.Warn("the acceptance commands were not tried: " + grid.Clean(err.Error()))
	}
	return flags, nil
}

// written is where a plan goes, and the endpoint that made it.
type written struct {
	file string // as it was given; "" = nowhere
	by   desk.EndpointOptions
}

// start is the command that starts the plan.
func (to written) start() string {
	words := []string{"devflock", "run", "--plan", quoted(to.file)}
	for _, flag := range [...][2]string{{"--url", to.by.URL}, {"--endpoints", to.by.File}, {"--key-env", to.by.KeyEnv}, {"--key-file", to.by.KeyFile}, {"--model", to.by.Model}} {
		if flag[1] != "" {
			words = append(words, flag[0], quoted(flag[1]))
		}
	}
	return grid.Clean(strings.Join(words, " "))
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if strings.ContainsAny(word, " \t\"'`$&|;<>()*?[]#~!\\") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

func (a *app) printPlan(p orchestrator.Plan, flags []engine.Flag, most int, to written, asJSON bool) error {
	result := newPlanned(p, flags, most)
	if to.file != "" {
		file, err := filepath.Abs(to.file)
		if err != nil {
			return err
		}
		if err := plan.Write(file, p); err != nil {
			return err
		}
		result.File = file
	}
	return a.Print(asJSON, result, func(w io.Writer) error {
		if err := show.Plan(w, p, flags, a.Width()); err != nil {
			return err
		}
		fmt.Fprintln(w)
		if err := show.Curve(w, pack.Recommend(p, cmp.Or(most, advised))); err != nil {
			return err
		}
		if result.File != "" {
			_, err := fmt.Fprintf(w, "\nWritten to %s\nNext:\n  %s\n", result.File, to.start())
			return err
		}
		return nil
	})
}

// checkPlan says everything that is wrong with a plan file.
func (a *app) checkPlan(file string, asJSON bool) error {
	p, err := plan.Load(file)
	var problems plan.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	if err == nil {
		problems = plan.Check(p)
	}
	flags, err := wizard.Flags(context.Background(), p, nil)
	if err != nil {
		return err
	}
	result := planned{Plan: p, Problems: []string{}, Flags: append([]engine.Flag{}, flags...), Curve: []point{}}
	for _, problem := range problems {
		result.Problems = append(result.Problems, problem.String())
	}
	if len(problems) == 0 {
		result = newPlanned(p, flags, 0)
	}
	if err := a.Print(asJSON, result, func(w io.Writer) error {
		if len(problems) == 0 {
			if err := show.Plan(w, p, flags, a.Width()); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w, "\nThe plan is right. Recommended: %s.\n", grid.Plural(result.Recommended, "worker"))
			return err
		}
		for _, problem := range result.Problems {
			fmt.Fprintln(w, "- "+grid.Clean(problem))
		}
		_, err := fmt.Fprintf(w, "%s in %s\n", grid.Plural(len(problems), "mistake"), file)
		return err
	}); err != nil {
		return err
	}
	if len(problems) > 0 {
		return frame.Blocked(errors.New("the plan has mistakes"))
	}
	return nil
}
