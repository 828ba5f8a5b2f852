package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/ask"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/wait"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/wizard"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator"
)

// wizard asks for everything, and runs.
func (a *app) wizard() *cli.Command {
	var po desk.ProjectOptions
	var accessible bool
	return &cli.Command{
		Name: "wizard", Usage: "ask for everything step by step (also: devflock without a command)", Description: `Endpoint, probe, what to do, plan, number of workers, their endpoints, then
the run. Nothing is started before the last question.

Examples:
  devflock
  devflock --project ~/src/shop
  devflock --accessible           # plain questions, for screen readers

Exit codes: 0 every task is integrated, 1 error, left or stopped, 2 wrong
use, 3 the run has ended without some of its tasks`,
		Flags: []cli.Flag{po.Flag(), &cli.BoolFlag{Name: "accessible", Usage: "ask in plain lines", Destination: &accessible}},
		Action: func(ctx context.Context, _ *cli.Command) error {
			if _, ok := a.Stdin.(*os.File); !ok || frame.Columns(a.Stdin) == 0 || frame.Columns(a.Stdout) == 0 {
				return frame.Usage(errors.New("the wizard needs a terminal; scripts use devflock run"))
			}
			dir, err := a.Folder(po.Dir)
			if err != nil {
				return err
			}
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			settings, err := e.Defaults(orchestrator.Settings{CrossRegion: true, Governed: true})
			if err != nil {
				return err
			}
			asker := a.Asker()
			asker.Plain = asker.Plain || accessible
			screen := &wait.Screen{W: a.Stdout, Redraw: !asker.Plain}
			w := wizard.Wizard{
				Ask: asker, Out: screen, Engine: e, Getenv: a.Getenv, Dir: dir, Limit: cmp.Or(e.Workers, advised), Waiting: screen.Start,
				Settings: settings,
				Say:      func(format string, args ...any) { fmt.Fprintf(io.Writer(screen), format+"\n", args...) },
			}
			order, err := w.Run(ctx)
			switch {
			case errors.Is(err, ask.ErrAborted):
				return fmt.Errorf("%w: %w", ask.ErrAborted, wizard.ErrLeft)
			case err != nil:
				return desk.Refused(err)
			}
			fmt.Fprintln(a.Stdout)
			return a.prepareAndDrive(ctx, e, order, startOptions{view: desk.ViewOptions{Plain: asker.Plain}}, func() {})
		},
	}
}
