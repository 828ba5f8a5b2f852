package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/governance"
)

// governance says for scripts whether the work of a task may be pushed, as the MCP tool apply_devflow_governance does.
func (a *app) governance() *cli.Command {
	var asJSON bool
	var args governance.Args
	return &cli.Command{
		Name:  "governance",
		Usage: "say whether the newest task here is ready to push",
		Description: `The verdict counts for the present work tree only: after an edit it is
"stale". Nothing is judged and no signal is used up.

Examples:
  devflow governance
  devflow governance --project ~/shop --json | jq -r .status

Exit codes: 0 ready to push, 1 error, 2 wrong use, 3 not ready`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "project", Usage: "of the project in `DIR` instead of here", Value: ".", Destination: &args.ProjectRoot},
			a.sessionFlag("of the newest task of session `ID`", &args.SessionID), frame.JSONFlag(&asJSON),
		},
		Action: func(ctx context.Context, _ *cli.Command) error {
			paths, err := config.ResolvePaths(a.Getenv)
			if err != nil {
				return err
			}
			answer, err := governance.Apply(ctx, a.governed(paths), args)
			if errors.Is(err, governance.ErrArgs) {
				return frame.Usage(err)
			} else if err != nil {
				return explain(err)
			}
			bridge := answer.Bridge()
			if err := a.Print(asJSON, bridge, func(w io.Writer) error { return bridge.Write(w) }); err != nil || bridge.Status == governance.StatusReady {
				return err
			}
			return frame.Blocked(errors.New(bridge.Status))
		},
	}
}

// governed is what answers about tasks come from.
func (a *app) governed(paths config.Paths) governance.Deps {
	return governance.Deps{Paths: paths, Log: slog.New(slog.NewJSONHandler(a.Stderr, nil)), Open: func() (*store.DB, error) {
		if _, err := os.Stat(paths.DB); err != nil {
			return nil, err
		}
		return store.Open(paths.DB, store.Options{ReadOnly: true})
	}}
}
