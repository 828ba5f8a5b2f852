package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/answer"
	"github.com/devflow-suite/devflow/judge/gate/autopush"
	"github.com/devflow-suite/devflow/judge/gate/check"
	"github.com/devflow-suite/devflow/judge/gate/prepush"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/devflow-suite/devflow/judge/gate/target"
	"github.com/devflow-suite/devflow/judge/mutation"
)

// gateLimit bounds one run of the gate. It lies below gate.Patience, so that the hook hears why.
const gateLimit = gate.Patience - 10*time.Second

// maxRequest bounds what the gate reads from stdin, in bytes.
const maxRequest = 8 << 20

// gate is the push gate for people and for the hooks.
func (a *app) gate() *cli.Command {
	return &cli.Command{
		Name:  "gate",
		Usage: "judge what a push would publish: verdict, four linters, the project's tests",
		Description: `An agent's git push goes through this gate by itself. Here you look without
pushing, and put the gate into git's own pre-push hook.

Examples:
  devflow gate push                  # what git push would publish
  devflow gate push origin HEAD:main
  devflow gate hook install          # also for pushes of people
  devflow gate log                   # what the gate has said here

Exit codes: those of each command`,
		Commands: []*cli.Command{a.gatePush(), a.gatePrePush(), a.gateHook(), a.gateLog(), a.gateAuto()},
	}
}

func (a *app) gatePush() *cli.Command {
	return &cli.Command{
		Name: "push", Usage: "judge what git push would publish, without pushing", ArgsUsage: "[--json] [ARGUMENTS OF GIT PUSH]", SkipFlagParsing: true,
		Description: `Nothing is sent. The tests run in the work tree when it equals the pushed
commit, otherwise in a copy of it. --json goes first; everything else is
what you would give to git push.

Examples:
  devflow gate push
  devflow gate push --json origin feat/x
  devflow gate push -u origin feat/x

Exit codes: 0 it may go out, 1 error, 2 wrong use, 3 refused`,
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if len(args) == 1 && args[0] == "--hook" {
				return a.gateForHook(ctx)
			}
			asJSON, help, rest := frame.Own(args)
			if help {
				return cli.ShowSubcommandHelp(c)
			}
			o, err := a.origin()
			if err != nil {
				return err
			}
			req := gate.Request{Root: o.Project, Cwd: o.Cwd, Home: o.Paths.Home, Agent: a.Getenv("CLAUDECODE") != "", Pushes: push.Typed(rest)}
			if done, err := a.unpushable(ctx, o, req, asJSON); done || err != nil {
				return err
			}
			res, err := a.judgePush(ctx, req, asJSON || frame.Columns(a.Stderr) == 0)
			if err != nil {
				return err
			}
			if res.Verdict == gate.Error && !asJSON {
				return frame.Hint(errors.New(strings.TrimPrefix(res.Line, "[devflow:gate-error] ")), "devflow doctor")
			}
			if err := a.Print(asJSON, res, func(w io.Writer) error { return answer.Write(w, req, res) }); err != nil {
				return err
			}
			return blocked(res)
		},
	}
}

// gateForHook answers the question of a hook: a request on stdin, the answer on stdout.
func (a *app) gateForHook(ctx context.Context) error {
	var req gate.Request
	if err := json.NewDecoder(io.LimitReader(a.Stdin, maxRequest)).Decode(&req); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	res, err := a.judgePush(ctx, req, true)
	if err != nil {
		return err
	}
	return a.Print(true, res, nil)
}

// unpushable says why git would push nothing: then there is nothing to judge. done is true when that was said.
func (a *app) unpushable(ctx context.Context, o guard.Origin, req gate.Request, asJSON bool) (done bool, err error) {
	if len(req.Pushes) != 1 {
		return false, frame.Usage(errors.New("these are no arguments of git push"))
	}
	p := req.Pushes[0]
	repo, err := target.Find(o.Cwd, o.Paths.Home, p)
	if err != nil {
		return false, frame.Hint(err, "change into a git repository")
	}
	updates, err := target.Resolve(ctx, repo, p, nil)
	if errors.Is(err, target.ErrRefused) {
		return false, frame.Hint(err, "devflow gate push -u origin "+cmp.Or(repo.Branch(), "HEAD:BRANCH"))
	}
	if err != nil {
		return false, err
	}
	for _, u := range updates {
		if !u.UpToDate() {
			return false, nil
		}
	}
	return true, a.Print(asJSON, gate.Result{Verdict: gate.Pass, Line: "nothing to push: the remote has it already"}, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "nothing to push: the remote has it already")
		return err
	})
}

// gateAuto publishes after a PASS, or suggests to; the boundary lane starts it.
func (a *app) gateAuto() *cli.Command {
	var session string
	var seq int64
	return &cli.Command{
		Name: "auto", Usage: "publish, or suggest to, what a task has left (started after a PASS)", Hidden: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Required: true, Destination: &session},
			&cli.Int64Flag{Name: "task", Required: true, Destination: &seq},
		},
		Action: func(ctx context.Context, _ *cli.Command) error {
			d, done, err := a.gateDeps()
			if err != nil {
				return err
			}
			defer done()
			ctx, cancel := context.WithTimeoutCause(ctx, gateLimit, fmt.Errorf("not done within %s", gateLimit))
			defer cancel()
			return autopush.Run(ctx, d, session, seq)
		},
	}
}

// gateDeps is what the gate works with; done closes it.
func (a *app) gateDeps() (d check.Deps, done func(), err error) {
	paths, err := config.ResolvePaths(a.Getenv)
	if err != nil {
		return d, nil, err
	}
	if info, err := os.Stat(os.TempDir()); err != nil || !info.IsDir() { // a TMPDIR that is not there must not refuse every push
		if err := os.Setenv("TMPDIR", "/tmp"); err != nil {
			return d, nil, err
		}
	}
	d = check.Deps{Paths: paths, Now: a.Now, Examiners: evidence.Session(), Environ: os.Environ(), Budget: suite.DefaultBudget}
	d.Mutate = func(budget time.Duration) judge.Examiner {
		return mutation.Check{Always: true, Budget: budget, Environ: d.Environ}
	}
	if d.DB, err = store.Open(paths.DB, store.Options{Busy: 30 * time.Second}); err != nil {
		return d, nil, explain(err)
	}
	return d, func() { _ = d.DB.Close() }, nil
}

// judgePush runs the gate in this process.
func (a *app) judgePush(ctx context.Context, req gate.Request, quiet bool) (gate.Result, error) {
	d, done, err := a.gateDeps()
	if err != nil {
		return gate.Failed(err), nil
	}
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, gateLimit, fmt.Errorf("not done within %s", gateLimit))
	defer cancel()
	if !quiet {
		d.Progress = func(step string) { fmt.Fprintln(a.Stderr, step+" …") }
	}
	return check.Run(ctx, d, req), nil
}

// blocked is the exit of a refusal.
func blocked(res gate.Result) error {
	if res.Refused() {
		return frame.Blocked(errors.New("refused"))
	}
	return nil
}

// gatePrePush is what git's pre-push hook runs.
func (a *app) gatePrePush() *cli.Command {
	return &cli.Command{
		Name: "pre-push", Usage: "judge a push that git is about to make (started by git's hook)", ArgsUsage: "REMOTE URL", Hidden: true,
		Action: func(ctx context.Context, c *cli.Command) error {
			lines, err := io.ReadAll(io.LimitReader(a.Stdin, maxRequest))
			if err != nil {
				return fmt.Errorf("read refs: %w", err)
			}
			o, err := a.origin()
			if err != nil {
				return err
			}
			req := gate.Request{Root: o.Project, Cwd: o.Cwd, Home: o.Paths.Home, PrePush: append(lines, '\n'), Remote: c.Args().First(), Agent: a.Getenv("CLAUDECODE") != ""}
			req.Session = a.Getenv("CLAUDE_CODE_SESSION_ID")
			res, err := a.judgePush(ctx, req, true)
			if err != nil {
				return err
			}
			for _, text := range [...]string{res.Text, res.Line} {
				if text != "" {
					fmt.Fprintln(a.Stderr, text)
					break
				}
			}
			if res.Refused() {
				fmt.Fprintln(a.Stderr, "A person may push past the gate with: git push --no-verify")
			}
			return blocked(res)
		},
	}
}

// gateHook puts the gate into git's own hook.
func (a *app) gateHook() *cli.Command {
	var asJSON bool
	action := func(do func(ctx context.Context, repo gitx.Repo) (prepush.State, error)) cli.ActionFunc {
		return func(ctx context.Context, _ *cli.Command) error {
			dir, err := a.WorkDir()
			if err != nil {
				return err
			}
			repo, err := gitx.Find(dir)
			if err != nil {
				return frame.Hint(err, "change into a git repository")
			}
			state, err := do(ctx, repo)
			if err != nil {
				return err
			}
			return a.Print(asJSON, state, func(w io.Writer) error {
				text := state.Text()
				if hint := state.Hint(); hint != "" {
					text += "\n" + hint
				}
				_, err := fmt.Fprintln(w, text)
				return err
			})
		}
	}
	return &cli.Command{
		Name: "hook", Usage: "run the gate from git's own pre-push hook of this repository",
		Description: `A hook that is there already stays and runs first. Hook managers overwrite
the file now and then: devflow doctor and gate hook status tell.

Examples:
  devflow gate hook install
  devflow gate hook status
  devflow gate hook remove

Exit codes: 0 done, 1 error, 2 wrong use`,
		Commands: []*cli.Command{
			{Name: "install", Usage: "put the gate into the pre-push hook", Description: "Examples:\n  devflow gate hook install\n\nExit codes: 0 done, 1 error, 2 wrong use", Flags: []cli.Flag{frame.JSONFlag(&asJSON)}, Action: action(func(ctx context.Context, repo gitx.Repo) (prepush.State, error) {
				return prepush.Install(ctx, repo, a.Exe)
			})},
			{Name: "remove", Usage: "take it out again, byte for byte", Description: "Examples:\n  devflow gate hook remove\n\nExit codes: 0 done, 1 error, 2 wrong use", Flags: []cli.Flag{frame.JSONFlag(&asJSON)}, Action: action(prepush.Remove)},
			{Name: "status", Usage: "tell whether git runs it", Description: "Examples:\n  devflow gate hook status\n\nExit codes: 0 done, 1 error, 2 wrong use", Flags: []cli.Flag{frame.JSONFlag(&asJSON)}, Action: action(prepush.Check)},
		},
	}
}

// maxLog bounds the list of gate log.
const maxLog = 20

// gateLog lists what the gate has said.
func (a *app) gateLog() *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name: "log", Usage: "list the newest answers of the gate about this project",
		Description: "Examples:\n  devflow gate log\n  devflow gate log --json | jq '.[0].steps'\n\nExit codes: 0 done, 1 error, 2 wrong use",
		Flags:       []cli.Flag{frame.JSONFlag(&asJSON)},
		Action: func(context.Context, *cli.Command) error {
			o, err := a.origin()
			if err != nil {
				return err
			}
			db, _, err := a.open()
			if err != nil {
				return err
			}
			defer db.Close()
			var list []pushes.Push
			if err := db.View(func(tx *store.Tx) (err error) {
				list, err = pushes.Recent(tx, o.Project, maxLog)
				return err
			}); err != nil {
				return explain(err)
			}
			return a.Print(asJSON, list, func(w io.Writer) error { return answer.Log(w, o.Project, list) })
		},
	}
}
