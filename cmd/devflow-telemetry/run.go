package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// run executes one command line and returns the exit code.
func run(args []string, sys frame.System) int {
	a := &app{App: frame.New(args, sys)}
	return a.Run(context.Background(), "devflow-telemetry", a.root)
}

const description = `Every command reads the database once and prints a table, or JSON with
--json. Errors are one line and a hint on stderr, as text also with --json.

Examples:
  devflow-telemetry recent --n 20
  devflow-telemetry stats --by-model --days 7
  devflow-telemetry health
  devflow-telemetry weekly --weeks 4 --json
  devflow-telemetry export --format csv > tasks.csv

Files:
  root      $DEVFLOW_HOME, default ~/.claude/devflow
  database  $DEVFLOW_DB, default <root>/telemetry/devflow.db

Exit codes:
  0  done
  1  the database is missing, newer, damaged or busy, or nothing could be
     written
  2  wrong use`

func (a *app) root() *cli.Command {
	return &cli.Command{
		Name:        "devflow-telemetry",
		Usage:       "show what devflow remembers of Claude Code sessions",
		Description: description,
		Version:     frame.Version(version),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "db", Usage: "read this database `FILE`", Destination: &a.db, Validator: a.Required("db", "a file")},
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of a table", Destination: &a.json},
		},
		Commands: []*cli.Command{
			a.recent(), a.tier1(), a.anxiety(), a.stats(), a.behavior(), a.health(), a.weekly(), a.export(),
		},
	}
}
