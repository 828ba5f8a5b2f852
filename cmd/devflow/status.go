package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/report"
	"github.com/devflow-suite/devflow/telemetry/report/table"
)

// status shows where the newest task of this project stands.
func (a *app) status() *cli.Command {
	var asJSON bool
	var session string
	return &cli.Command{
		Name:  "status",
		Usage: "show task, risk, verdict, open signals, halt, tokens and cost of this project",
		Flags: []cli.Flag{jsonFlag(&asJSON), &cli.StringFlag{Name: "session", Usage: "of this session `ID` instead of the newest one", Destination: &session}},
		Action: func(context.Context, *cli.Command) error {
			dir, err := a.workDir()
			if err != nil {
				return err
			}
			db, paths, err := a.open()
			if err != nil {
				return err
			}
			defer db.Close()
			s, err := report.ReadStatus(db, report.StatusQuery{Session: session, Dir: dir, Spool: paths.SpoolDirs()})
			if err != nil {
				return err
			}
			return a.print(asJSON, s, func(w io.Writer) error { return table.Status(w, s, a.sys.now()) })
		},
	}
}

// open opens the existing database for reading.
func (a *app) open() (*store.DB, config.Paths, error) {
	paths, err := config.ResolvePaths(a.sys.getenv)
	if err != nil {
		return nil, paths, err
	}
	db, err := store.Open(paths.DB, store.Options{ReadOnly: true})
	return db, paths, explain(err)
}

// explain adds the command that helps to an error of the store.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return hintError{fmt.Errorf("%w: nothing was recorded yet", err), "devflow install"}
	case errors.Is(err, store.ErrNewer):
		return hintError{err, "install the newer devflow again: make install"}
	}
	return hintError{err, "devflow doctor"}
}
