package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/destructive"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/commandline"
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
			asJSON, help, words := own(c.Args().Slice())
			if help {
				return cli.ShowSubcommandHelp(c)
			}
			l, found, err := a.ask(c, words)
			if err != nil {
				return err
			}
			report := newReport(l, found)
			if err := a.print(asJSON, report, report.text); err != nil {
				return err
			}
			if len(found) > 0 {
				return blockedError{errors.New("refused")}
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
			asJSON, help, words := own(c.Args().Slice())
			if help {
				return cli.ShowSubcommandHelp(c)
			}
			l, found, err := a.ask(c, words)
			if err != nil {
				return err
			}
			report := explainReport{guardReport: newReport(l, found)}
			report.read(l)
			return a.print(asJSON, report, report.text)
		},
	}
}

func (a *app) guardRules() *cli.Command {
	var asJSON bool
	type rule struct {
		ID       string `json:"id"`
		Decision string `json:"decision"`
		What     string `json:"what"`
		Why      string `json:"why"`
		Instead  string `json:"instead,omitempty"`
	}
	return &cli.Command{
		Name: "rules", Usage: "list the destructive rules",
		Description: `A user may lift rules in config.toml: [guard] allow = ["git.stash-drop"]

Examples:
  devflow guard rules
  devflow guard rules --json | jq -r '.[].id'

Exit codes: 0 done, 1 error, 2 wrong use`,
		Flags: []cli.Flag{jsonFlag(&asJSON)},
		Action: func(context.Context, *cli.Command) error {
			var list []rule
			for _, r := range destructive.Rules() {
				list = append(list, rule{r.ID, r.Decision.String(), r.What, strings.ReplaceAll(r.Why, "%", "it"), r.Instead})
			}
			return a.print(asJSON, list, func(w io.Writer) error {
				for _, r := range list {
					if _, err := fmt.Fprintf(w, "%s (%s)\n", r.ID, r.Decision); err != nil {
						return err
					}
					for _, text := range [...]string{r.What + ": " + r.Why, "instead: " + r.Instead} {
						fold := &commandline.Fold{W: w, Width: helpWidth}
						if _, err := fmt.Fprintln(fold, "  "+text); err != nil {
							return err
						}
						if err := fold.Flush(); err != nil {
							return err
						}
					}
				}
				return nil
			})
		},
	}
}

// ask reads the command line of an invocation and what the guard says to it in the present folder.
func (a *app) ask(c *cli.Command, words []string) (line.Line, []verdict.Finding, error) {
	text := strings.Join(words, " ")
	if len(words) == 0 {
		data, err := io.ReadAll(io.LimitReader(a.sys.stdin, maxCommandLine))
		if err != nil {
			return line.Line{}, nil, fmt.Errorf("read command line: %w", err)
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return line.Line{}, nil, misused(c, errors.New("no command line"))
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
	dir, err := a.workDir()
	if err != nil {
		return guard.Origin{}, err
	}
	paths, err := config.ResolvePaths(a.sys.getenv)
	if err != nil {
		return guard.Origin{}, err
	}
	o := guard.Origin{Paths: paths, Project: dir, Cwd: dir, Exe: a.sys.exe, Getenv: a.sys.getenv}
	if repo, err := gitx.Find(dir); err == nil {
		o.Repo, o.HasRepo, o.Project = repo, true, repo.Root
	}
	o.Config, _ = config.Load(paths, o.Project) // doctor tells of problems
	return o, nil
}

// segments are the parts of a line that the push gate would look at.
func segments(l line.Line) (list []string) {
	for _, p := range l.Pushes {
		if !p.DryRun {
			list = append(list, p.Segment)
		}
	}
	return list
}

// guardReport is the answer of guard test.
type guardReport struct {
	Decision string            `json:"decision"` // pass ask deny
	Unread   string            `json:"unread,omitempty"`
	Findings []verdict.Finding `json:"findings,omitempty"`
	Push     []string          `json:"push,omitempty"`
}

func newReport(l line.Line, found []verdict.Finding) guardReport {
	r := guardReport{Decision: verdict.Worst(found).String(), Findings: found, Push: segments(l)}
	if l.Err != nil {
		r.Unread = l.Err.Error()
	}
	return r
}

func (r guardReport) text(w io.Writer) error {
	fold := &commandline.Fold{W: w, Width: helpWidth}
	for _, f := range r.Findings {
		fmt.Fprintln(fold, guard.Text([]verdict.Finding{f}, ""))
	}
	switch {
	case len(r.Findings) > 0:
	case r.Unread != "":
		fmt.Fprintln(fold, "pass: it is no command line that a shell can read ("+r.Unread+")")
	case len(r.Push) > 0:
		fmt.Fprintln(fold, "pass: the guard lets it run; the push gate decides")
	default:
		fmt.Fprintln(fold, "pass: nothing speaks against it")
	}
	for _, p := range r.Push {
		fmt.Fprintln(fold, "push: `"+p+"` goes through the push gate (devflow gate push)")
	}
	return fold.Flush()
}

// explainReport is the answer of guard explain.
type explainReport struct {
	guardReport
	Commands []explainedCall `json:"commands"`
	Writes   []explainedFile `json:"writes,omitempty"`
}

type explainedCall struct {
	Words  []string `json:"words"`
	Sets   []string `json:"sets,omitempty"`   // an assignment by itself
	Behind []string `json:"behind,omitempty"` // wrappers, outermost first
	Dir    string   `json:"dir,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

type explainedFile struct {
	Path string `json:"path"`
	How  string `json:"how"`
	Via  string `json:"via"`
}

func (r *explainReport) read(l line.Line) {
	r.Commands = []explainedCall{}
	for i := range l.Expanded.Commands {
		c := &l.Expanded.Commands[i]
		e := explainedCall{Words: c.Args, Sets: c.Assign, Behind: c.Wrappers, Dir: c.Dir.Path}
		if len(c.Words) > 0 {
			e.Words, e.Sets = append([]string{c.Words[0].Text}, c.Args...), nil
		}
		for _, note := range [...]struct {
			holds bool
			text  string
		}{
			{c.Unreadable, "the program is known only at run time"}, {c.Opaque, "a part of it cannot be read"},
			{c.Remote, "runs on another machine or in a container"}, {c.Dir.Unknown, "the folder is known only at run time"},
		} {
			if note.holds {
				e.Notes = append(e.Notes, note.text)
			}
		}
		r.Commands = append(r.Commands, e)
	}
	for _, w := range l.Writes {
		r.Writes = append(r.Writes, explainedFile{w.Path.Text, how(w), w.Via})
	}
}

func how(w write.Write) string {
	switch {
	case w.Delete && w.Tree:
		return "delete tree"
	case w.Delete:
		return "delete"
	case w.Append:
		return "append"
	case w.Partial:
		return "edit"
	}
	return "write"
}

func (r explainReport) text(w io.Writer) error {
	if r.Unread != "" {
		fmt.Fprintln(w, "not read to its end: "+r.Unread)
	}
	for _, c := range r.Commands {
		notes := c.Notes
		if len(c.Behind) > 0 {
			notes = append([]string{"behind " + strings.Join(c.Behind, " ")}, notes...)
		}
		if c.Dir != "" {
			notes = append(notes, "in "+c.Dir)
		}
		line := "runs: " + strings.Join(c.Words, " ")
		if len(c.Words) == 0 {
			line = "sets: " + strings.Join(c.Sets, " ")
		}
		if len(notes) > 0 {
			line += "  (" + strings.Join(notes, "; ") + ")"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	for _, f := range r.Writes {
		fmt.Fprintf(w, "%s: %s (%s)\n", f.How, f.Path, f.Via)
	}
	return r.guardReport.text(w)
}
