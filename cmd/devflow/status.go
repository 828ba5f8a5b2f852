package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/commandline"
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
		Description: `Risk is p × i × d: the probability of a fault, its impact, and how hard it
is to notice (detectability), each 0 to 1. Work tokens are input, output
and cache writes; the guard, once armed, halts a task that spends too many
without a PASS. Cost is at API list price.

Examples:
  devflow status
  devflow status --json | jq .verdict

Exit codes: 0 done, 1 error or session not known, 2 wrong use`,
		Flags: []cli.Flag{frame.JSONFlag(&asJSON), a.sessionFlag("of this session `ID` instead of the newest one here", &session)},
		Action: func(context.Context, *cli.Command) error {
			q := report.StatusQuery{Session: session}
			if session == "" {
				dir, err := a.WorkDir()
				if err != nil {
					return err
				}
				q.Dir = dir
			}
			db, paths, err := a.open()
			if err != nil {
				return err
			}
			defer db.Close()
			q.Spool = paths.SpoolDirs()
			s, err := report.ReadStatus(db, q)
			if errors.Is(err, report.ErrNoSession) {
				return frame.Hint(err, "devflow status")
			}
			if err != nil {
				return explain(err)
			}
			return a.Print(asJSON, s, func(w io.Writer) error { return table.Status(w, s, a.Now()) })
		},
	}
}

// sessionFlag takes the name of a session and gives the key under which its facts are kept.
func (a *app) sessionFlag(usage string, to *string) cli.Flag {
	return &cli.StringFlag{Name: "session", Usage: usage, Validator: func(s string) error {
		if s == "" {
			return a.Check(&commandline.Mistake{Flag: "session", Value: s, Want: "the id of a session"})
		}
		*to = claude.SessionKey(claude.Input{SessionID: s}, a.Getenv)
		return nil
	}}
}

// open opens the existing database for reading.
func (a *app) open() (*store.DB, config.Paths, error) {
	return a.openWith(store.Options{ReadOnly: true})
}

// openWith opens the existing database. Without one there is nothing to show or to change: only hooks create it.
func (a *app) openWith(o store.Options) (*store.DB, config.Paths, error) {
	paths, err := config.ResolvePaths(a.Getenv)
	if err != nil {
		return nil, paths, err
	}
	if _, err := os.Stat(paths.DB); errors.Is(err, fs.ErrNotExist) {
		return nil, paths, frame.Hint(fmt.Errorf("nothing was recorded yet (no database at %s)", paths.DB), "start a Claude Code session, or check with: devflow doctor")
	}
	db, err := store.Open(paths.DB, o)
	return db, paths, explain(err)
}

// explain adds the command that helps to an error of the store.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNewer):
		return frame.Hint(err, "install the newer devflow again: make install")
	case errors.Is(err, store.ErrBusy):
		return frame.Hint(err, "another process holds it: try again")
	}
	return frame.Hint(err, "devflow doctor")
}
