package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/internal/commandline"
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

func (e usageError) Unwrap() error { return e.error }

// hintError carries the command that helps.
type hintError struct {
	error
	hint string
}

func (e hintError) Unwrap() error { return e.error }

// run executes one command line and returns the exit code.
func run(args []string, sys system) int {
	err := execute(args, sys)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(sys.stderr, "devflow-telemetry: %v\n", err)
	var usage usageError
	var hint hintError
	switch misused := errors.As(err, &usage); {
	case errors.As(err, &hint):
		fmt.Fprintln(sys.stderr, "hint: "+hint.hint)
	case misused:
		fmt.Fprintln(sys.stderr, "hint: devflow-telemetry help")
	}
	if usage.error != nil {
		return exitUsage
	}
	return exitError
}

func execute(args []string, sys system) error {
	help := &commandline.Fold{W: sys.stdout, Width: helpWidth}
	a := &app{sys: sys, args: args}
	err := newApp(a, help).Run(context.Background(), args)
	if err == nil && a.unknown != "" {
		err = usageError{fmt.Errorf("unknown command %q", a.unknown)}
	}
	return errors.Join(err, help.Flush())
}

// helpWidth is the width of help text, for a terminal of 80 columns.
const helpWidth = 78

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

func newApp(a *app, help io.Writer) *cli.Command {
	root := &cli.Command{
		Name:        "devflow-telemetry",
		Usage:       "show what devflow remembers of Claude Code sessions",
		Description: description,
		Version:     programVersion(),
		Writer:      help, // the commands themselves write to sys.stdout
		ErrWriter:   a.sys.stderr,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "db", Usage: "read this database `FILE`", Destination: &a.db, Validator: func(s string) error {
				if s == "" {
					return a.check(&commandline.Mistake{Flag: "db", Value: s, Want: "a file"})
				}
				return nil
			}},
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
		CommandNotFound: func(_ context.Context, _ *cli.Command, name string) { a.unknown = name }, // by "help NAME" and "-h NAME"
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},                             // run reports errors, once
	}
	a.strict(root)
	return root
}

// strict makes every wrong flag and surplus argument a usage error, without printing the whole help.
func (a *app) strict(c *cli.Command) {
	c.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		return misused(c, commandline.Reword(err, a.mistake, a.args))
	}
	for _, sub := range c.Commands {
		a.strict(sub)
		sub.HideHelpCommand = true
		action := sub.Action
		sub.Action = func(ctx context.Context, c *cli.Command) error {
			if c.NArg() > 0 {
				return misused(c, fmt.Errorf("%s takes no argument, got %s", c.Name, strings.Join(c.Args().Slice(), " ")))
			}
			err := action(ctx, c)
			var usage usageError
			if errors.As(err, &usage) {
				return misused(c, usage.error)
			}
			return err
		}
	}
}

// misused names the help of the command that was used in a wrong way.
func misused(c *cli.Command, err error) error {
	return hintError{usageError{err}, c.FullName() + " --help"}
}

// programVersion is the linker's, or that of the module.
func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
