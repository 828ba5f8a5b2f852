package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflow/internal/handover"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/instinct"
	"github.com/devflow-suite/devflow/judge/panel"
	"github.com/devflow-suite/devflow/orchestrator/schedule/pool"
)

// boundaryLimit bounds one run. It lies inside the own deadline of the stop hook, which waits for it at high risk.
const boundaryLimit = 7 * time.Minute

// boundary is the boundary lane as a process, started by devflow-stop: it judges one task and prints the result as JSON.
func (a *app) boundary() *cli.Command {
	var session string
	var seq int64
	var newTurn, capture, waited bool
	return &cli.Command{
		Name:   "boundary",
		Usage:  "judge a task (started by the stop hook)",
		Hidden: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Required: true, Destination: &session},
			&cli.Int64Flag{Name: "task", Required: true, Destination: &seq},
			&cli.BoolFlag{Name: "capture", Usage: "only keep what the task has taught", Destination: &capture},
			&cli.BoolFlag{Name: "waited", Usage: "the end of the turn waits for the verdict", Destination: &waited},
			&cli.BoolFlag{Name: "new-turn", Usage: "the same diff as before is no attempt", Destination: &newTurn},
		},
		Action: func(ctx context.Context, _ *cli.Command) error {
			ctx, cancel := context.WithTimeoutCause(ctx, boundaryLimit, fmt.Errorf("not done within %s", boundaryLimit))
			defer cancel()
			paths, err := config.ResolvePaths(a.Getenv)
			if err != nil {
				return err
			}
			db, err := store.Open(paths.DB, store.Options{Busy: 30 * time.Second})
			if err != nil {
				return explain(err)
			}
			defer db.Close()
			if capture {
				return a.capture(ctx, paths, db, session, seq)
			}
			res, err := judge.Boundary(ctx, judge.Deps{
				DB: db, Paths: paths, Now: a.Now, NewTurn: newTurn, Panel: judges(waited), Log: slog.New(slog.NewJSONHandler(a.Stderr, nil)),
			}, session, seq)
			if err == nil && res.Verdict == judge.Pass && !res.AlreadyJudged {
				a.autoPush(paths, res)
				if err := handover.Queue(paths, db, res.Session, a.Now); err != nil {
					fmt.Fprintln(a.Stderr, "devflow: queue a run of devflock:", err)
				}
			}
			if err == nil && !res.AlreadyJudged && res.Verdict != judge.Error {
				a.later(paths, os.Environ(), "boundary", "--capture", "--session", res.Session, "--task", strconv.FormatInt(res.Seq, 10))
			}
			if encodeErr := json.NewEncoder(a.Stdout).Encode(res); err == nil {
				err = encodeErr
			}
			return err
		},
	}
}

// fanout is how many workers of the swarm look at once.
const fanout = 3

// judges is who judges the task of a session. While somebody waits, a model is asked fewer times.
func judges(waited bool) func(config.Config) judge.Panel {
	return func(cfg config.Config) judge.Panel {
		return panel.Session(panel.Options{Config: cfg.Judge, Environ: os.Environ(), Waited: waited, Fanout: pool.Pool{N: fanout}})
	}
}

// capture keeps what a task has taught. The hook that started the lane marks what it starts as a child; the session itself is none.
func (a *app) capture(ctx context.Context, paths config.Paths, db *store.DB, session string, seq int64) error {
	cfg, _ := config.Load(paths, "")
	getenv := func(name string) string {
		if name == proc.ChildMarker {
			return ""
		}
		return a.Getenv(name)
	}
	_, err := instinct.Capture(ctx, instinct.Deps{DB: db, Asker: panel.Learner(panel.Options{Config: cfg.Judge, Environ: os.Environ()}), Getenv: getenv, Now: a.Now}, session, seq)
	return err
}

// autoPush starts what follows a PASS.
func (a *app) autoPush(paths config.Paths, res judge.Result) {
	a.later(paths, environ.Access(os.Environ()), "gate", "auto", "--session", res.Session, "--task", strconv.FormatInt(res.Seq, 10))
}

// later runs a command of ours as a process of its own: the turn does not wait for tests, a network or a model. It sees env:
// what captures needs what this process was given for the model, what publishes runs the project's tests and sees less.
func (a *app) later(paths config.Paths, env []string, args ...string) {
	cmd := proc.Cmd{
		Argv: append([]string{a.Exe}, args...), Dir: paths.Root,
		Env: append(env, "DEVFLOW_HOME="+paths.Root, "DEVFLOW_DB="+paths.DB, "HOME="+paths.Home),
	}
	if err := proc.Detach(cmd); err != nil {
		fmt.Fprintln(a.Stderr, "devflow: start "+args[0]+":", err)
	}
}
