package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/told"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/shell"
)

// maxCommandLine bounds a command line read from stdin, in bytes; the guard asks about anything longer than the shell reader takes.
const maxCommandLine = shell.MaxSource + 1

// guard shows what the guard says to a command line, without a session and without running it.
func (a *app) guard() *cli.Command {
	return &cli.Command{
		Name:  "guard",
		Usage: "ask the guard about a command line, without running it",
		Description: `The guard refuses commands that destroy work, write secrets or switch
devflow off. It is a speed bump for an honest agent, not a sandbox.

Examples:
  devflow guard test 'rm -rf build'      # would it run?
  devflow guard explain 'g=git; $g push -f'
  devflow guard rules                    # every rule and its alternative

Exit codes: those of each command`,
		Commands: []*cli.Command{a.guardTest(), a.guardExplain(), a.guardRules()},
	}
}

func (a *app) guardTest() *cli.Command {
	return &cli.Command{
		Name: "test", Usage: "say whether a command line would run", ArgsUsage: "[--json] 'COMMAND'", SkipFlagParsing: true,
		Description: `Without COMMAND the line is read from stdin. A push is only recognised
here; devflow gate push judges it.

Examples:
  devflow guard test 'git reset --hard'
  devflow guard test < script.sh

Exit codes: 0 it runs, 1 error, 2 wrong use, 3 it is refused or asked about`,
		Action: func(_ context.Context, c *cli.Command) error {
			asJSON, help, words := frame.Own(c.Args().Slice())
			if help {
				return cli.ShowSubcommandHelp(c)
			}
			l, found, err := a.ask(c, words)
			if err != nil {
				return err
			}
			report := told.New(l, found)
			if err := a.Print(asJSON, report, report.Text); err != nil {
				return err
			}
			if len(found) > 0 {
				return frame.Blocked(errors.New("refused"))
			}
			return nil
		},
	}
}

func (a *app) guardExplain() *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "show how a command line is read, and what speaks against it", ArgsUsage: "[--json] 'COMMAND'", SkipFlagParsing: true,
		Description: `Lists the commands that would really run (behind wrappers, variables,
aliases, nested shells and interpreter code), the files that they write,
and the findings.

Examples:
  devflow guard explain 'sudo env X=1 sh -c "rm -rf /var/tmp/x"'
  devflow guard explain --json 'git push origin HEAD:main'

Exit codes: 0 done, 1 error, 2 wrong use`,
		Action: func(_ context.Context, c *cli.Command) error {
			asJSON, help, words := frame.Own(c.Args().Slice())
			if help {
				return cli.ShowSubcommandHelp(c)
			}
			l, found, err := a.ask(c, words)
			if err != nil {
				return err
			}
			report := told.Read(l, found)
			return a.Print(asJSON, report, report.Text)
		},
	}
}

func (a *app) guardRules() *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name: "rules", Usage: "list the destructive rules",
		Description: `A user may lift rules in config.toml: [guard] allow = ["git.stash-drop"]

Examples:
  devflow guard rules
  devflow guard rules --json | jq -r '.[].id'

Exit codes: 0 done, 1 error, 2 wrong use`,
		Flags: []cli.Flag{frame.JSONFlag(&asJSON)},
		Action: func(context.Context, *cli.Command) error {
			list := told.Rules()
			return a.Print(asJSON, list, func(w io.Writer) error { return told.WriteRules(w, list) })
		},
	}
}

// ask reads the command line of an invocation and what the guard says to it in the present folder.
func (a *app) ask(c *cli.Command, words []string) (line.Line, []verdict.Finding, error) {
	text := strings.Join(words, " ")
	if len(words) == 0 {
		data, err := io.ReadAll(io.LimitReader(a.Stdin, maxCommandLine))
		if err != nil {
			return line.Line{}, nil, fmt.Errorf("read command line: %w", err)
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return line.Line{}, nil, frame.Misused(c, errors.New("no command line"))
	}
	o, err := a.origin()
	if err != nil {
		return line.Line{}, nil, err
	}
	l := line.Read(text, o.Around())
	return l, guard.Check(&l, o.Scene()), nil
}

// origin is the present folder as a place that calls come from.
func (a *app) origin() (guard.Origin, error) {
	dir, err := a.WorkDir()
	if err != nil {
		return guard.Origin{}, err
	}
	paths, err := config.ResolvePaths(a.Getenv)
	if err != nil {
		return guard.Origin{}, err
	}
	o := guard.Origin{Paths: paths, Project: dir, Cwd: dir, Exe: a.Exe, Getenv: a.Getenv}
	if repo, err := gitx.Find(dir); err == nil {
		o.Repo, o.HasRepo, o.Project = repo, true, repo.Root
	}
	o.Config, _ = config.Load(paths, o.Project) // doctor tells of problems
	return o, nil
}
