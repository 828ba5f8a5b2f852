package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// system is everything outside the process that run may touch, besides the store.
type system struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
}

// usageError is a mistake on the command line.
type usageError struct{ error }

// hintError carries the command that helps.
type hintError struct {
	error
	hint string
}

func (e hintError) Unwrap() error { return e.error }

// run executes one command line and returns the exit code.
func run(args []string, sys system) int {
	err := newApp(sys).Run(context.Background(), args)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(sys.stderr, "devflow-telemetry: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintln(sys.stderr, "hint: devflow-telemetry help")
		return exitUsage
	}
	var hint hintError
	if errors.As(err, &hint) {
		fmt.Fprintln(sys.stderr, "hint: "+hint.hint)
	}
	return exitError
}

const description = `Every command reads the database once and prints a table, or JSON with --json.

Examples:
  devflow-telemetry recent --n 20
  devflow-telemetry stats --by-model --days 7
  devflow-telemetry health
  devflow-telemetry weekly --weeks 4 --json
  devflow-telemetry export --format csv > tasks.csv

Files:
  $DEVFLOW_DB, default $DEVFLOW_HOME/telemetry/devflow.db, default root ~/.claude/devflow

Exit codes:
  0  done
  1  the database is missing, newer, damaged or busy, or the output could not be written
  2  wrong use`

func newApp(sys system) *cli.Command {
	a := &app{sys: sys}
	root := &cli.Command{
		Name:        "devflow-telemetry",
		Usage:       "show what devflow remembers of Claude Code sessions",
		Description: description,
		Writer:      sys.stdout,
		ErrWriter:   sys.stderr,
		HideVersion: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "db", Usage: "read this database `FILE`", Destination: &a.db},
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of a table", Destination: &a.json},
		},
		Commands: []*cli.Command{
			a.recent(), a.tier1(), a.anxiety(), a.stats(), a.behavior(), a.health(), a.weekly(), a.export(),
		},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.NArg() > 0 {
				return usageError{fmt.Errorf("unknown command %q", c.Args().First())}
			}
			return cli.ShowRootCommandHelp(c)
		},
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // run reports errors, once
	}
	strict(root)
	return root
}

// strict makes every wrong flag and surplus argument a usage error, without printing the whole help.
func strict(c *cli.Command) {
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return usageError{err} }
	for _, sub := range c.Commands {
		strict(sub)
		sub.HideHelpCommand = true
		action := sub.Action
		sub.Action = func(ctx context.Context, c *cli.Command) error {
			if c.NArg() > 0 {
				return usageError{fmt.Errorf("%s takes no argument, got %s", c.Name, strings.Join(c.Args().Slice(), " "))}
			}
			return action(ctx, c)
		}
	}
}
