package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/commandline"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/panel"
	"github.com/devflow-suite/devflow/judge/review"
)

const judgeHelp = `Judges a change on eleven axes by evidence: weakened tests, stubs, checks
that were switched off, names that lead nowhere, secrets and more. Without
arguments: the work tree against HEAD, in any git repository, with nothing
installed. Nothing is sent anywhere unless a backend is asked for.

Verdicts: PASS, WARN, FAIL, COULD_NOT_JUDGE (never a pass) and
NOTHING_TO_JUDGE. People accept findings in ` + "`.devflow-waivers.toml`" + `.

Examples:
  devflow judge                          # what I have not committed
  devflow judge --base origin/main       # what a branch brings
  devflow judge --diff change.patch      # a patch, without its repository
  git diff main | devflow judge --diff -
  devflow judge --json                   # for programs
  devflow judge --sarif > judge.sarif    # for code scanning
  devflow judge --pending                # what waits for a person's review
  devflow judge --rules                  # what it looks for

Exit codes: 0 PASS, WARN or nothing to judge, 1 could not judge,
2 wrong use, 3 FAIL`

// judge is the judge by hand.
func (a *app) judge() *cli.Command {
	var o review.Options
	var diff, backend string
	var asJSON, asSARIF, pending, rules bool
	return &cli.Command{
		Name: "judge", Usage: "judge a change by evidence", Description: judgeHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "compare the work tree with `REV` instead of HEAD", Destination: &o.Base, Validator: a.Required("base", "a revision")},
			&cli.StringFlag{Name: "diff", Usage: "judge the patch in `FILE`, - for standard input", Destination: &diff, Validator: a.Required("diff", "a file, or - for standard input")},
			&cli.StringFlag{Name: "task", Usage: "what the change should do, in a sentence (for a model)", Destination: &o.Task},
			&cli.StringFlag{Name: "backend", Usage: "ask a model too: auto, openai, claude or command", Destination: &backend, Value: config.BackendOff, Validator: func(s string) error {
				return a.Check(commandline.OneOf("backend", s, "auto", config.BackendOpenAI, config.BackendClaude, config.BackendCommand, config.BackendOff))
			}},
			&cli.BoolFlag{Name: "sarif", Usage: "print SARIF 2.1.0", Destination: &asSARIF},
			&cli.BoolFlag{Name: "pending", Usage: "list what waits for a person's review", Destination: &pending},
			&cli.BoolFlag{Name: "rules", Usage: "list the rules, as waivers name them", Destination: &rules},
			frame.JSONFlag(&asJSON),
		},
		Action: func(ctx context.Context, _ *cli.Command) (err error) {
			switch {
			case rules:
				return a.Print(asJSON, review.Rules(evidence.Rules()), func(w io.Writer) error { return review.WriteRules(w, evidence.Rules()) })
			case pending:
				return a.pending(asJSON)
			case asJSON && asSARIF:
				return frame.Usage(errors.New("--json and --sarif exclude each other"))
			case diff != "" && o.Base != "":
				return frame.Usage(errors.New("--diff and --base exclude each other"))
			}
			if o.Dir, err = a.WorkDir(); err != nil {
				return err
			}
			if diff != "" {
				if o.Patch, err = review.ReadPatch(diff, a.Stdin); err != nil {
					return err
				}
			}
			if o.Panel, err = a.panel(backend); err != nil {
				return err
			}
			done := a.Waiting("judging")
			report, err := review.Run(ctx, o)
			done()
			if err != nil {
				return frame.Hint(err, review.Hint(err))
			}
			switch {
			case asJSON:
				err = report.JSON(a.Stdout)
			case asSARIF:
				err = report.SARIF(a.Stdout, frame.Version(version), evidence.Rules())
			default:
				err = report.Text(a.Stdout, a.look())
			}
			switch {
			case err != nil:
				return fmt.Errorf("write verdict: %w", err)
			case report.Outcome == judge.Fail:
				return frame.Blocked(errors.New("FAIL"))
			case report.Outcome == judge.Error:
				return errors.New("could not judge: this is not a pass")
			}
			return nil
		},
	}
}

// look is how the verdict is shown on what standard output is.
func (a *app) look() review.Look {
	l := review.Look{Width: frame.Columns(a.Stdout)}
	if a.Coloured() {
		l.Colours = review.Terminal()
	}
	return l
}

// pending lists what waits for a person's review.
func (a *app) pending(asJSON bool) error {
	db, _, err := a.open()
	if err != nil {
		return err
	}
	defer db.Close()
	var list []judge.Waiting
	if err := db.View(func(tx *store.Tx) (err error) {
		list, err = judge.Pending(tx)
		return err
	}); err != nil {
		return explain(err)
	}
	return a.Print(asJSON, list, func(w io.Writer) error { return review.WritePending(w, list, a.look()) })
}

// panel is who judges by hand: the rules, and a model where one is asked for.
func (a *app) panel(backend string) (judge.Panel, error) {
	o := panel.Options{Config: config.Judge{Backend: backend}, Environ: os.Environ(), Waited: true}
	if backend != config.BackendOff {
		paths, err := config.ResolvePaths(a.Getenv)
		if err != nil {
			return judge.Panel{}, err
		}
		cfg, _ := config.Load(paths, "") // where code is sent is the user's alone
		if o.Config = cfg.Judge; backend != "auto" {
			o.Config.Backend = backend
		}
		if _, err := panel.Backend(o.Config, o.Environ); err != nil {
			return judge.Panel{}, frame.Hint(err, "set it up in "+paths.File+" (README, section The judge)")
		}
	}
	return panel.ByHand(o), nil
}
