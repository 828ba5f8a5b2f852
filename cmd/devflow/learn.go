package main

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/lineage"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/instinct"
	"github.com/devflow-suite/devflow/judge/instinct/review"
)

// learn shows what the work on this project has taught, and lets a person decide what later sessions are told.
func (a *app) learn() *cli.Command {
	var r review.Request
	return &cli.Command{
		Name:  "learn",
		Usage: "show what the work here has taught, and decide what sessions are told",
		Description: `What was promoted is written into .claude/rules/devflow-learned.md and told
to new sessions. What was dismissed does not come back. Deciding is for
people: the agent's own calls are refused.

Examples:
  devflow learn
  devflow learn --interactive
  devflow learn --promote 1f0c22aa

Exit codes: 0 done, 1 error or not known, 2 wrong use`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "promote", Usage: "let sessions know `ID`", Destination: &r.Promote},
			&cli.StringFlag{Name: "dismiss", Usage: "never show `ID`", Destination: &r.Dismiss},
			&cli.BoolFlag{Name: "promote-all", Usage: "promote what has a confidence of 0.85 or more", Destination: &r.All},
			&cli.BoolFlag{Name: "interactive", Usage: "ask about one after the other", Destination: &r.Interactive}, frame.JSONFlag(&r.JSON),
		},
		Action: func(context.Context, *cli.Command) (err error) {
			r.Agent, r.Terminal = a.Getenv("CLAUDECODE") != "" || lineage.OfClient(lineage.Ancestors()), review.Terminal(a.Stdin)
			if err := r.Validate(); errors.Is(err, review.ErrAgent) {
				return frame.Hint(err, "run it in a terminal of your own, outside of the session")
			} else if err != nil {
				return frame.Usage(err)
			}
			if r.Root, err = a.WorkDir(); err != nil {
				return err
			}
			if repo, err := gitx.Find(r.Root); err == nil {
				r.Root = repo.Root
			}
			db, _, err := a.openWith(store.Options{Busy: 5 * time.Second})
			if err != nil {
				return err
			}
			defer db.Close()
			err = review.Run(db, r, a.Stdin, a.Stdout, a.Now())
			if errors.Is(err, instinct.ErrUnknown) || errors.Is(err, instinct.ErrAmbiguous) {
				return frame.Hint(err, "devflow learn")
			}
			return err
		},
	}
}
