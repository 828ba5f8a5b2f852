package main

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// app is one run; its methods are the commands.
type app struct{ frame.App }

// run executes one command line and returns the exit code. An interrupt cancels what runs.
func run(args []string, sys frame.System) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := &app{frame.New(args, sys)}
	return a.Run(ctx, "devflow", a.root)
}

const description = `devflow watches Claude Code sessions, remembers them in one SQLite file,
and judges at the end of a turn whether the work is what it claims to be.

Examples:
  devflow install                  # for every session of this user
  devflow install --scope project  # only for sessions in this folder
  devflow install --dry-run        # show what would change
  devflow doctor                   # is it installed, on, and answering?
  devflow status                   # where does the work here stand?
  devflow judge                    # what speaks against my change?
  devflow guard test 'rm -rf src'  # would the guard let it run?
  devflow gate push                # may this be pushed?
  devflow uninstall                # take it out again, byte for byte

Files:
  root      $DEVFLOW_HOME, default ~/.claude/devflow
  database  $DEVFLOW_DB, default <root>/telemetry/devflow.db

Errors:
  one line and a hint on stderr, as text also with --json

Exit codes:
  0  done
  1  error
  2  wrong use
  3  blocked by a verdict, the guard or the gate, or doctor found a failure`

func (a *app) root() *cli.Command {
	return &cli.Command{
		Name:        "devflow",
		Usage:       "a governance harness for Claude Code",
		Description: description,
		Version:     frame.Version(version),
		Commands: []*cli.Command{
			a.install(), a.uninstall(), a.doctor(), a.status(), a.spec(), a.judge(), a.learn(), a.governance(), a.mcp(), a.guard(), a.gate(),
			a.approve(), a.boundary(),
		},
	}
}

// approve tells a person who types it into the wrong window where it belongs.
func (a *app) approve() *cli.Command {
	return &cli.Command{
		Name: "approve", Hidden: true, SkipFlagParsing: true, HideHelp: true,
		Usage: "go on after a halt (typed in the Claude Code session)",
		Action: func(context.Context, *cli.Command) error {
			return frame.Hint(frame.Usage(errors.New("approve is typed in the Claude Code session, not in a shell")), "type it as a prompt in the session; the code stands in the refusal, that of a halt also in devflow status")
		},
	}
}
