// Package frame is what the programs in cmd have in common: the process around a command line, its exit codes, and how a
// mistake is said: one line on stderr, then a hint.
//
// It owns no table and no command. Words of wrong use come from internal/commandline.
package frame

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/internal/commandline"
	"github.com/devflow-suite/devflow/internal/config"
)

// Exit codes.
const (
	ExitOK      = 0
	ExitError   = 1
	ExitUsage   = 2
	ExitBlocked = 3
)

// HelpWidth is the width of help text, for a terminal of 80 columns.
const HelpWidth = 78

// System is everything outside of the process that a command may touch, besides files.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Getwd          func() (string, error)
	Now            func() time.Time
	Exe            string // path of the running executable; its siblings are the other binaries
}

// App is one run of a program. Commands are methods of a type that embeds it.
type App struct {
	System
	args    []string             // as typed
	mistake *commandline.Mistake // what the check of a flag has found
	unknown string               // command that help was asked for
}

// New is a run of the program that was called with args; the first names it.
func New(args []string, sys System) App { return App{System: sys, args: args} }

// Run executes the command line and returns the exit code. program is the name for messages, root makes its
// commands.
func (a *App) Run(ctx context.Context, program string, root func() *cli.Command) int {
	err := a.execute(ctx, root)
	var blocked blockedError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &blocked):
		return ExitBlocked
	}
	fmt.Fprintf(a.Stderr, "%s: %v\n", program, err)
	var usage usageError
	var hint hintError
	switch misused := errors.As(err, &usage); {
	case errors.As(err, &hint):
		fmt.Fprintln(a.Stderr, "hint: "+hint.hint)
	case errors.Is(err, config.ErrNoHome):
		fmt.Fprintln(a.Stderr, "hint: set HOME or DEVFLOW_HOME")
	case misused:
		fmt.Fprintln(a.Stderr, "hint: "+program+" help")
	}
	if usage.error != nil {
		return ExitUsage
	}
	return ExitError
}

func (a *App) execute(ctx context.Context, root func() *cli.Command) error {
	help := &commandline.Fold{W: a.Stdout, Width: HelpWidth}
	err := a.complete(root(), help).Run(ctx, a.args)
	if err == nil && a.unknown != "" {
		err = Usage(fmt.Errorf("unknown command %q", a.unknown))
	}
	return errors.Join(err, help.Flush())
}

// complete gives the root command what every program has.
func (a *App) complete(root *cli.Command, help io.Writer) *cli.Command {
	root.Writer, root.ErrWriter = help, a.Stderr // the commands themselves write to Stdout
	root.Action = func(_ context.Context, c *cli.Command) error {
		if c.NArg() > 0 {
			return Usage(fmt.Errorf("unknown command %q", c.Args().First()))
		}
		return cli.ShowRootCommandHelp(c)
	}
	root.CommandNotFound = func(_ context.Context, _ *cli.Command, name string) { a.unknown = name } // by "help NAME" and "-h NAME"
	root.ExitErrHandler = func(context.Context, *cli.Command, error) {}                              // Run reports errors, once
	a.strict(root, root)
	return root
}

// strict makes every wrong flag and surplus argument a usage error, without printing the whole help.
func (a *App) strict(root, c *cli.Command) {
	c.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		return Misused(c, commandline.Reword(err, a.mistake, a.args))
	}
	for _, sub := range c.Commands {
		a.strict(root, sub)
	}
	if c == root || c.SkipFlagParsing {
		return
	}
	c.HideHelpCommand = true
	action := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		within := strings.TrimPrefix(c.FullName(), root.Name+" ")
		switch {
		case c.NArg() > 0 && len(c.Commands) > 0:
			return Misused(c, fmt.Errorf("%s: unknown command %q", within, c.Args().First()))
		case c.NArg() > 0 && c.ArgsUsage == "":
			return Misused(c, fmt.Errorf("%s takes no argument, got %s", c.Name, strings.Join(c.Args().Slice(), " ")))
		case action == nil:
			return Misused(c, fmt.Errorf("%s needs a command: %s", within, names(c.Commands)))
		}
		err := action(ctx, c)
		var usage usageError
		if errors.As(err, &usage) {
			return Misused(c, usage.error)
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

// Check keeps the mistake that the check of a flag has found, because the parsing library passes on its text only.
func (a *App) Check(err error) error {
	errors.As(err, &a.mistake)
	return err
}

// Required refuses a flag whose value is empty: an unset variable in a script must not mean something else.
func (a *App) Required(flag, want string) func(string) error {
	return func(s string) error {
		if s == "" {
			return a.Check(&commandline.Mistake{Flag: flag, Value: s, Want: want})
		}
		return nil
	}
}

// Lines writes one line after the other.
func Lines(w io.Writer, list []string) error {
	for _, line := range list {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Print writes a value as JSON, or calls text for people.
func (a *App) Print(asJSON bool, value any, text func(io.Writer) error) error {
	if !asJSON {
		return text(a.Stdout)
	}
	enc := json.NewEncoder(a.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// WorkDir is the absolute folder that the command was started in.
func (a *App) WorkDir() (string, error) {
	dir, err := a.Getwd()
	if err != nil {
		return "", Hint(fmt.Errorf("find working folder: %w", err), "change into a folder that exists")
	}
	return filepath.Abs(dir)
}

// JSONFlag is --json of a single command.
func JSONFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON instead of text", Destination: to}
}

// Own splits the arguments of a command that hands the rest on to another program: the leading --json and --help are ours, and a
// first -- ends them.
func Own(args []string) (asJSON, help bool, rest []string) {
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

// Version is the linker's, or that of the module.
func Version(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// Unbroken lists the lines of descriptions that the help would have to break, which cannot join lines afterwards.
func Unbroken(c *cli.Command) []string {
	const indent = 3
	var list []string
	for line := range strings.Lines(c.Description) {
		if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > HelpWidth-indent {
			list = append(list, c.Name+": "+line)
		}
	}
	for _, sub := range c.Commands {
		list = append(list, Unbroken(sub)...)
	}
	return list
}
