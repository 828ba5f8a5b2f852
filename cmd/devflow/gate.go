package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/autopush"
	"github.com/devflow-suite/devflow/judge/gate/check"
	"github.com/devflow-suite/devflow/judge/gate/prepush"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/judge/gate/suite"
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
  devflow gate log                   # what the gate has said here`,
		Commands: []*cli.Command{a.gatePush(), a.gatePrePush(), a.gateHook(), a.gateLog(), a.gateAuto()},
	}
}

func (a *app) gatePush() *cli.Command {
	var asJSON, hook bool
	return &cli.Command{
		Name: "push", Usage: "judge what git push would publish, without pushing", ArgsUsage: "[ARGUMENTS OF GIT PUSH]",
		Description: `Nothing is sent. The tests run in the work tree when it equals the pushed
commit, otherwise in a copy of it. Options of git push come after --.

Examples:
  devflow gate push
  devflow gate push --json origin feat/x
  devflow gate push -- --force-with-lease origin feat/x

Exit codes: 0 it may go out, 1 error, 2 wrong use, 3 refused`,
		Flags: []cli.Flag{
			jsonFlag(&asJSON),
			&cli.BoolFlag{Name: "hook", Usage: "read a request from stdin (started by the hook)", Hidden: true, Destination: &hook},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			var req gate.Request
			if hook {
				if err := json.NewDecoder(io.LimitReader(a.sys.stdin, maxRequest)).Decode(&req); err != nil {
					return fmt.Errorf("read request: %w", err)
				}
				asJSON = true
			} else {
				o, err := a.origin()
				if err != nil {
					return err
				}
				req = gate.Request{Root: o.Project, Cwd: o.Cwd, Home: o.Paths.Home, Pushes: typed(c.Args().Slice())}
			}
			res, err := a.judgePush(ctx, req, hook)
			if err != nil {
				return err
			}
			if err := a.print(asJSON, res, func(w io.Writer) error { return writeGate(w, res) }); err != nil || hook {
				return err
			}
			return blocked(res)
		},
	}
}

// typed is the push that `git push ARGS` makes.
func typed(args []string) []push.Push {
	cmd := shell.Command{Name: "git", Args: append([]string{"push"}, args...), Words: []shell.Word{{Text: "git"}, {Text: "push"}}, Text: strings.Join(append([]string{"git push"}, args...), " ")}
	for _, a := range args {
		cmd.Words = append(cmd.Words, shell.Word{Text: a, Quoted: true})
	}
	return push.Find(nil, []shell.Command{cmd})
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
	paths, err := config.ResolvePaths(a.sys.getenv)
	if err != nil {
		return d, nil, err
	}
	if _, err := os.Stat(os.TempDir()); err != nil { // a TMPDIR that is not there must not refuse every push
		if err := os.Setenv("TMPDIR", "/tmp"); err != nil {
			return d, nil, err
		}
	}
	d = check.Deps{Paths: paths, Now: a.sys.now, Examiners: []judge.Examiner{evidence.First{}}, Environ: os.Environ(), Budget: suite.DefaultBudget}
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
		d.Progress = func(step string) { fmt.Fprintln(a.sys.stderr, step+" …") }
	}
	return check.Run(ctx, d, req), nil
}

// blocked is the exit of a refusal.
func blocked(res gate.Result) error {
	if res.Refused() {
		return blockedError{errors.New("refused")}
	}
	return nil
}

// writeGate shows an answer to people.
func writeGate(w io.Writer, res gate.Result) error {
	for _, s := range res.Steps {
		if _, err := fmt.Fprintf(w, "%-16s %-5s %6d ms  %s\n", s.Name, s.Status, s.MS, s.Text); err != nil {
			return err
		}
	}
	line := res.Line
	if line == "" {
		line = "nothing to push"
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// gatePrePush is what git's pre-push hook runs.
func (a *app) gatePrePush() *cli.Command {
	return &cli.Command{
		Name: "pre-push", Usage: "judge a push that git is about to make (started by git's hook)", ArgsUsage: "REMOTE URL", Hidden: true,
		Action: func(ctx context.Context, c *cli.Command) error {
			lines, err := io.ReadAll(io.LimitReader(a.sys.stdin, maxRequest))
			if err != nil {
				return fmt.Errorf("read refs: %w", err)
			}
			o, err := a.origin()
			if err != nil {
				return err
			}
			req := gate.Request{Root: o.Project, Cwd: o.Cwd, Home: o.Paths.Home, PrePush: append(lines, '\n'), Remote: c.Args().First(), Agent: a.sys.getenv("CLAUDECODE") != ""}
			req.Session = a.sys.getenv("CLAUDE_CODE_SESSION_ID")
			res, err := a.judgePush(ctx, req, true)
			if err != nil {
				return err
			}
			for _, text := range [...]string{res.Text, res.Line} {
				if text != "" {
					fmt.Fprintln(a.sys.stderr, text)
					break
				}
			}
			if res.Refused() {
				fmt.Fprintln(a.sys.stderr, "A person may push past the gate with: git push --no-verify")
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
			dir, err := a.workDir()
			if err != nil {
				return err
			}
			repo, err := gitx.Find(dir)
			if err != nil {
				return hintError{err, "change into a git repository"}
			}
			state, err := do(ctx, repo)
			if err != nil {
				return err
			}
			return a.print(asJSON, state, func(w io.Writer) error {
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
  devflow gate hook remove`,
		Commands: []*cli.Command{
			{Name: "install", Usage: "put the gate into the pre-push hook", Flags: []cli.Flag{jsonFlag(&asJSON)}, Action: action(func(ctx context.Context, repo gitx.Repo) (prepush.State, error) {
				return prepush.Install(ctx, repo, a.sys.exe)
			})},
			{Name: "remove", Usage: "take it out again, byte for byte", Flags: []cli.Flag{jsonFlag(&asJSON)}, Action: action(prepush.Remove)},
			{Name: "status", Usage: "tell whether git runs it", Flags: []cli.Flag{jsonFlag(&asJSON)}, Action: action(prepush.Check)},
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
		Flags:       []cli.Flag{jsonFlag(&asJSON)},
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
			return a.print(asJSON, list, func(w io.Writer) error {
				if len(list) == 0 {
					_, err := fmt.Fprintln(w, "no push was looked at in "+o.Project)
					return err
				}
				for _, p := range list {
					tests, _, _ := strings.Cut(p.Tests, " ")
					if _, err := fmt.Fprintf(w, "%s  %-5s  %s %s  tests %s  %.1f s\n", p.At.Local().Format("2006-01-02 15:04"), p.Verdict, p.Remote, p.Ref, tests, float64(p.TookMS)/1000); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}
