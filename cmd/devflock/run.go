package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/bind"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// app is one run of the program; its methods are the commands.
type app struct{ *desk.App }

// run executes one command line and returns the exit code. The first interrupt ends what goes on in an orderly way, the second at once.
func run(args []string, sys frame.System, environ []string, open desk.Opener) int {
	if len(args) > 1 && args[1] == bind.LaunchCommand { // how workers are confined where there is no bubblewrap: not for people
		return bind.Launch(args[2:])
	}
	shared, ctx := desk.New(withWizard(args), sys, environ, open)
	a := &app{shared}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	go func() {
		for range signals {
			a.Interrupt()
		}
	}()
	return a.Run(ctx, "devflock", a.root)
}

// withWizard makes the bare program the wizard: the library runs a command only when it is named.
func withWizard(args []string) []string {
	if len(args) > 1 {
		switch first, _, _ := strings.Cut(args[1], "="); first {
		case "--project", "-project", "--accessible", "-accessible":
		default:
			return args
		}
	}
	if len(args) == 0 {
		args = []string{"devflock"}
	}
	return append([]string{args[0], "wizard"}, args[1:]...)
}

const description = `devflock splits a project in regions, gives each to one Claude Code worker
that can write nowhere else, verifies and repairs what they do, and
integrates it on the branch devflock/integration. Your own branch, index
and files are never touched. Without a command: the wizard.

Examples:
  devflock                               # asks for everything
  devflock probe http://127.0.0.1:8080   # is this endpoint good enough?
  devflock plan --url URL --request 'add tests' -o plan.json
  devflock run --url URL --key-env KEY --plan plan.json --yes
  devflock status --watch                # where does the run stand?
  devflock resume                        # go on after a stop or a crash
  devflock swap --worker api --url URL   # another endpoint, at once
  devflock logs --task t3                # what happened to a task?

Files:
  root      $DEVFLOW_HOME, default ~/.claude/devflow
  run       <root>/flock/RUN: endpoints, logs, evidence
  trees     <root>/flock/RUN/trees; with the default root ~/.devflock/RUN
  database  $DEVFLOW_DB, default <root>/telemetry/devflow.db

Colours: off with NO_COLOR. Plain questions: --accessible, ACCESSIBLE=1 or
TERM=dumb.

Errors:
  one line and a hint on stderr, as text also with --json

Exit codes:
  0  done
  1  error, or stopped before the end
  2  wrong use
  3  a check failed, or a run has ended without some of its tasks`

func (a *app) root() *cli.Command {
	return &cli.Command{
		Name:        "devflock",
		Usage:       "parallel Claude Code workers, one confined region each",
		Description: description,
		Version:     frame.Version(version),
		Commands: []*cli.Command{
			a.wizard(), a.probe(), a.plan(), a.start(), a.resume(), a.status(), a.swap(), a.integrate(), a.logs(), a.stop(), a.clean(),
		},
	}
}
