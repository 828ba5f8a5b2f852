package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/internal/commandline"
	"github.com/devflow-suite/devflow/internal/config"
)

// Exit codes.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitBlocked = 3
)

// system is everything outside the process that run may touch.
type system struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	getwd          func() (string, error)
	now            func() time.Time
	exe            string // path of the running executable; its siblings are the other binaries
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

// blockedError ends with exit code 3 and without a message: the command has said it.
type blockedError struct{ error }

// run executes one command line and returns the exit code. An interrupt cancels what runs.
func run(args []string, sys system) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := execute(ctx, args, sys)
	var blocked blockedError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &blocked):
		return exitBlocked
	}
	fmt.Fprintf(sys.stderr, "devflow: %v\n", err)
	var usage usageError
	var hint hintError
	switch misused := errors.As(err, &usage); {
	case errors.Is(err, config.ErrNoHome):
		fmt.Fprintln(sys.stderr, "hint: set HOME or DEVFLOW_HOME")
	case errors.As(err, &hint):
		fmt.Fprintln(sys.stderr, "hint: "+hint.hint)
	case misused:
		fmt.Fprintln(sys.stderr, "hint: devflow help")
	}
	if usage.error != nil {
		return exitUsage
	}
	return exitError
}

// helpWidth is the width of help text, for a terminal of 80 columns.
const helpWidth = 78

func execute(ctx context.Context, args []string, sys system) error {
	help := &commandline.Fold{W: sys.stdout, Width: helpWidth}
	a := &app{sys: sys, args: args}
	err := newApp(a, help).Run(ctx, args)
	if err == nil && a.unknown != "" {
		err = usageError{fmt.Errorf("unknown command %q", a.unknown)}
	}
	return errors.Join(err, help.Flush())
}

const description = `devflow watches Claude Code sessions, remembers them in one SQLite file,
and judges at the end of a turn whether the work is what it claims to be.

Examples:
  devflow install                  # for every session of this user
  devflow install --scope project  # only for sessions in this folder
  devflow install --dry-run        # show what would change
  devflow doctor                   # is it installed, on, and answering?
  devflow status                   # where does the work here stand?
  devflow judge                    # is what I changed what it claims to be?
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

func newApp(a *app, help io.Writer) *cli.Command {
	root := &cli.Command{
		Name:        "devflow",
		Usage:       "a governance harness for Claude Code",
		Description: description,
		Version:     programVersion(),
		Writer:      help, // the commands themselves write to sys.stdout
		ErrWriter:   a.sys.stderr,
		Commands:    []*cli.Command{a.install(), a.uninstall(), a.doctor(), a.status(), a.spec(), a.judge(), a.learn(), a.governance(), a.mcp(), a.guard(), a.gate(), a.approve(), a.boundary()},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.NArg() > 0 {
				return usageError{fmt.Errorf("unknown command %q", c.Args().First())}
			}
			return cli.ShowRootCommandHelp(c)
		},
		CommandNotFound: func(_ context.Context, _ *cli.Command, name string) { a.unknown = name }, // by "help NAME" and "-h NAME"
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},                             // run reports errors, once
	}
	a.strict(root, true)
	return root
}

// strict makes every wrong flag and surplus argument a usage error, without printing the whole help.
func (a *app) strict(c *cli.Command, top bool) {
	c.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		return misused(c, commandline.Reword(err, a.mistake, a.args))
	}
	for _, sub := range c.Commands {
		a.strict(sub, false)
	}
	if top || c.SkipFlagParsing {
		return
	}
	c.HideHelpCommand = true
	action := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		switch {
		case c.NArg() > 0 && len(c.Commands) > 0:
			return misused(c, fmt.Errorf("%s: unknown command %q", strings.TrimPrefix(c.FullName(), "devflow "), c.Args().First()))
		case c.NArg() > 0 && c.ArgsUsage == "":
			return misused(c, fmt.Errorf("%s takes no argument, got %s", c.Name, strings.Join(c.Args().Slice(), " ")))
		case action == nil:
			return misused(c, fmt.Errorf("%s needs a command: %s", strings.TrimPrefix(c.FullName(), "devflow "), names(c.Commands)))
		}
		err := action(ctx, c)
		var usage usageError
		if errors.As(err, &usage) {
			return misused(c, usage.error)
		}
		return err
	}
}

// names lists commands for a person.
func names(list []*cli.Command) string {
	var visible []string
	for _, c := range list {
		if !c.Hidden {
			visible = append(visible, c.Name)
		}
	}
	return strings.Join(visible, ", ")
}

// own splits the arguments of a command that hands the rest on to another program: the leading --json and --help are ours, and a
// first -- ends them.
func own(args []string) (asJSON, help bool, rest []string) {
	for i, a := range args {
		switch a {
		case "--json":
			asJSON = true
		case "--help", "-h":
			help = true
		case "--":
			return asJSON, help, args[i+1:]
		default:
			return asJSON, help, args[i:]
		}
	}
	return asJSON, help, nil
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

// app holds what the commands share.
type app struct {
	sys     system
	args    []string             // as typed
	mistake *commandline.Mistake // what the check of a flag has found
	unknown string               // command that help was asked for
}

// check keeps the mistake that the check of a flag has found, because the parsing library passes on its text only.
func (a *app) check(err error) error {
	errors.As(err, &a.mistake)
	return err
}

// approve tells a person who types it into the wrong window where it belongs.
func (a *app) approve() *cli.Command {
	return &cli.Command{
		Name: "approve", Hidden: true, SkipFlagParsing: true, HideHelp: true,
		Usage: "go on after a halt (typed in the Claude Code session)",
		Action: func(context.Context, *cli.Command) error {
			return hintError{usageError{errors.New("approve is typed in the Claude Code session, not in a shell")}, "type it as a prompt in the session; the code stands in the refusal, that of a halt also in devflow status"}
		},
	}
}

// print writes a value as JSON, or calls text for people.
func (a *app) print(asJSON bool, value any, text func(io.Writer) error) error {
	if !asJSON {
		return text(a.sys.stdout)
	}
	enc := json.NewEncoder(a.sys.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// workDir is the absolute folder that the command was started in.
func (a *app) workDir() (string, error) {
	dir, err := a.sys.getwd()
	if err != nil {
		return "", hintError{fmt.Errorf("find working folder: %w", err), "change into a folder that exists"}
	}
	return filepath.Abs(dir)
}

func jsonFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON instead of text", Destination: to}
}
