package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/install/doctor"
	"github.com/devflow-suite/devflow/telemetry/report"
)

// doctor checks an installation.
func (a *app) doctor() *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name:  "doctor",
		Usage: "run every executable on a canned event and find what keeps hooks silent",
		Description: `Examples:
  devflow doctor
  devflow doctor --json

Exit codes: 0 fine or worth a look, 1 error, 2 wrong use, 3 a check failed`,
		Flags: []cli.Flag{frame.JSONFlag(&asJSON)},
		Action: func(ctx context.Context, _ *cli.Command) error {
			dir, err := a.WorkDir()
			if err != nil {
				return err
			}
			c := doctor.Config{Getenv: a.Getenv, Now: a.Now, Project: dir}
			if db, _, err := a.open(); err == nil { // what is wrong with the database is a check of its own
				defer db.Close()
				if seen, err := report.ReadSessions(db); err == nil {
					c.Seen = seen
				}
			}
			r := doctor.Run(ctx, c)
			err = a.Print(asJSON, r, func(w io.Writer) error { return frame.Lines(w, r.Lines()) })
			if err == nil && r.Status() == doctor.Fail {
				err = frame.Blocked(errors.New("a check failed"))
			}
			return err
		},
	}
}
