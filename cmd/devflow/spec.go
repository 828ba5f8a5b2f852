package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// errNoSession is what a spec command ends with outside of a session.
var errNoSession = errors.New("no session: CLAUDE_CODE_SESSION_ID is not set and --session was not given")

// spec shows, pauses and resumes the specification of a session. Giving it up is for a person who types /unspec: an agent
// can run this program too.
func (a *app) spec() *cli.Command {
	var session string
	var asJSON bool
	verb := func(name, usage string, e telemetry.SpecEvent) *cli.Command {
		return &cli.Command{Name: name, Usage: usage, Description: "Examples:\n  devflow spec " + name + "\n\n" + specCodes, Action: func(context.Context, *cli.Command) error { return a.moveSpec(session, e) }}
	}
	return &cli.Command{
		Name:  "spec",
		Usage: "show, pause or resume the specification of a session",
		Description: `A specification begins with /spec and is given up with /unspec, both typed
in the session. While one is at work, a turn does not end before it is done
or paused.

Examples:
  devflow spec
  devflow spec pause --session 0a1b2c3d-1111-4111-8111-111111111111

` + specCodes,
		Flags: []cli.Flag{a.sessionFlag("session `ID`, default $CLAUDE_CODE_SESSION_ID", &session), frame.JSONFlag(&asJSON)},
		Commands: []*cli.Command{
			verb("pause", "let turns end while the specification waits", telemetry.EventPause),
			verb("resume", "go on with a paused specification", telemetry.EventResume),
		},
		Action: func(context.Context, *cli.Command) error { return a.showSpec(session, asJSON) },
	}
}

const specCodes = "Exit codes: 0 done, 1 error or nothing to do, 2 wrong use"

// specState is what `devflow spec` shows.
type specState struct {
	Session  string               `json:"session_id"`
	Task     string               `json:"task_id"`
	Status   telemetry.SpecStatus `json:"status"`
	PlanPath string               `json:"plan_path"`
}

func (a *app) showSpec(session string, asJSON bool) error {
	session, err := a.session(session)
	if err != nil {
		return err
	}
	db, _, err := a.open()
	if err != nil {
		return err
	}
	defer db.Close()
	state := specState{Session: session, Status: telemetry.SpecNone}
	err = db.View(func(tx *store.Tx) error {
		t, err := telemetry.Current(tx, session)
		if err != nil {
			return err
		}
		if t == nil {
			return journal.UnknownSession(session)
		}
		state.Task, state.Status, state.PlanPath = t.ID(), cmp.Or(t.SpecStatus, telemetry.SpecNone), t.PlanPath
		return nil
	})
	if err != nil {
		return hinted(err)
	}
	return a.Print(asJSON, state, func(w io.Writer) error {
		line := fmt.Sprintf("session %s: specification %s", state.Session, state.Status)
		if state.PlanPath != "" {
			line += ", plan " + state.PlanPath
		}
		_, err := fmt.Fprintln(w, line)
		return err
	})
}

func (a *app) moveSpec(session string, e telemetry.SpecEvent) error {
	session, err := a.session(session)
	if err != nil {
		return err
	}
	db, paths, err := a.openWith(store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	before, t, err := journal.MoveSpec(db, session, e, a.Now())
	if err != nil {
		return hinted(err)
	}
	if err := exportSpec(paths, t); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "specification of session %s: %s → %s\n", session, before, t.SpecStatus)
	return err
}

// hinted adds what helps to an error about a specification; the store's own errors get theirs.
func hinted(err error) error {
	var refused *journal.SpecError
	if errors.As(err, &refused) {
		return frame.Hint(err, refused.Instead)
	}
	return explain(err)
}

// markerFile is the spec's marker in a session's state folder; the hooks write and read it too.
const markerFile = "active-spec.json"

// exportSpec writes the session's marker. The hooks read it at the end of a turn: one that still says the state from before
// would take the step back.
func exportSpec(paths config.Paths, t *telemetry.Task) error {
	data, err := journal.ExportSpec(t)
	if err != nil || data == nil {
		return err
	}
	dir := paths.SessionDir(t.SessionID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(dir, markerFile), data, 0o600)
}

func (a *app) session(given string) (string, error) {
	if given == "" {
		given = claude.SessionKey(claude.Input{}, a.Getenv)
	}
	if given == "" {
		return "", frame.Hint(errNoSession, "devflow spec --session ID")
	}
	return given, nil
}
