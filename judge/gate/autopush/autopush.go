// Package autopush publishes a branch after a PASS, or says that it could be published. It never touches a protected branch, and
// what goes out went through the same gate as any other push.
//
// Mode suggest starts no test: it speaks only when the session's own test run was green after the last edit, or the gate has
// seen the same tree green. Mode auto runs the whole gate and then git push, with the user's hooks and credentials. What came
// of it is told at the next prompt. The package owns no table; it is linked by the command line program only.
package autopush

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/check"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/judge/gate/target"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// pushLimit bounds git push itself, which waits for a network.
const pushLimit = 2 * time.Minute

// Run publishes, or suggests to, what a task that has passed left on its branch. Without something to publish it does nothing.
func Run(ctx context.Context, d check.Deps, session string, seq int64) error {
	a := &run{Deps: d, session: session}
	if err := d.DB.View(func(tx *store.Tx) error { return a.load(tx, seq) }); err != nil {
		return err
	}
	if a.task == nil || a.task.State != telemetry.Passed {
		return nil
	}
	a.cfg, _ = config.Load(d.Paths, a.task.ProjectRoot)
	repo, err := gitx.Find(a.task.ProjectRoot)
	if err != nil || a.cfg.Gate.AutoPush == config.AutoPushOff {
		return nil // nothing can be published, or the user does not want it
	}
	a.branch = repo.Branch()
	if a.branch == "" || a.cfg.Protected(a.branch) {
		return nil
	}
	args, err := a.arguments(ctx, repo)
	if err != nil || args == nil {
		return err
	}
	if a.cfg.Gate.AutoPush == config.AutoPushSuggest {
		return a.suggest(ctx, args)
	}
	return a.push(ctx, repo, args)
}

// run is one run after one verdict.
type run struct {
	check.Deps
	session string
	task    *telemetry.Task
	cfg     config.Config
	branch  string
	green   bool // the session's newest test run was green, after the last edit
}

func (a *run) load(tx *store.Tx, seq int64) error {
	t, err := telemetry.Find(tx, a.session, seq)
	if err != nil || t == nil {
		return err
	}
	a.task = t
	last, err := journal.LastTest(tx, t, false)
	if err != nil || last == nil || !last.OK {
		return err
	}
	facts, err := journal.TaskFacts(tx, t)
	if err != nil {
		return err
	}
	a.green = true
	for _, f := range facts.Files {
		a.green = a.green && f.LastMS <= last.MS
	}
	return nil
}

// arguments are those of git push that publish the branch: none where git knows by itself, else with an upstream. nil means
// that there is nothing to publish, or nowhere.
func (a *run) arguments(ctx context.Context, repo gitx.Repo) ([]string, error) {
	for _, args := range [...][]string{{}, {"-u", "origin", a.branch}} {
		updates, err := target.Resolve(ctx, repo, command(repo, args), a.cfg.Protected)
		if errors.Is(err, target.ErrRefused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, u := range updates {
			if u.Protected || u.Delete || u.Force || u.Tag {
				return nil, nil // configured to do more than publish this branch
			}
			if !u.UpToDate() {
				return args, nil
			}
		}
		return nil, nil
	}
	return nil, nil
}

// command is git push with arguments, in the repository.
func command(repo gitx.Repo, args []string) push.Push {
	c := shell.Command{Name: "git", Args: append([]string{"push"}, args...), Words: []shell.Word{{Text: "git"}, {Text: "push"}}, Dir: shell.Dir{Path: repo.Root}, Text: line(args)}
	for _, a := range args {
		c.Words = append(c.Words, shell.Word{Text: a, Quoted: true})
	}
	return push.Find(nil, []shell.Command{c})[0]
}

func line(args []string) string { return strings.Join(append([]string{"git", "push"}, args...), " ") }

// judge asks the gate.
func (a *run) judge(ctx context.Context, args []string) gate.Result {
	root := a.task.ProjectRoot
	repo, err := gitx.Find(root)
	if err != nil {
		return gate.Failed(err)
	}
	return check.Run(ctx, a.Deps, gate.Request{Session: a.session, Root: root, Cwd: root, Home: a.Paths.Home, Agent: true, Pushes: []push.Push{command(repo, args)}})
}

// suggest says how to publish when everything is known to be green.
func (a *run) suggest(ctx context.Context, args []string) error {
	a.TestsKnown, a.TestsGreen = true, a.green
	res := a.judge(ctx, args)
	if res.Refused() || !strings.HasPrefix(res.Tests, pushes.TestsGreen) {
		return nil
	}
	return a.tell(res, "[devflow:auto-push] All gates green (branch="+a.branch+"). Publish it with: "+line(args))
}

// push publishes when the gate lets it.
func (a *run) push(ctx context.Context, repo gitx.Repo, args []string) error {
	res := a.judge(ctx, args)
	if res.Refused() {
		return a.tell(res, "[devflow:auto-push] Not pushed (branch="+a.branch+"). "+res.Line)
	}
	if !strings.HasPrefix(res.Tests, pushes.TestsGreen) {
		return a.tell(res, "[devflow:auto-push] Not pushed (branch="+a.branch+"): no test could be run. "+res.Line)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, pushLimit, fmt.Errorf("not done within %s", pushLimit))
	defer cancel()
	env := append([]string{"GIT_TERMINAL_PROMPT=0"}, agent(a.Environ)...)
	out, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{"git", "push"}, args...), Dir: repo.Root, Env: env})
	switch {
	case err != nil:
		return a.tell(res, "[devflow:auto-push] All gates green (branch="+a.branch+"), but git push failed: "+redact.Clip(err.Error(), 200))
	case out.Exit != 0:
		return a.tell(res, "[devflow:auto-push] All gates green (branch="+a.branch+"), but git push failed: "+redact.Tail(strings.TrimSpace(string(out.Stderr)), 200))
	}
	return a.tell(res, "[devflow:auto-push] All gates green (branch="+a.branch+"): pushed with "+line(args)+".")
}

// agent is what git needs to sign in as the user: it goes to git alone.
func agent(environ []string) (env []string) {
	for _, kv := range environ {
		if strings.HasPrefix(kv, "SSH_AUTH_SOCK=") {
			env = append(env, kv)
		}
	}
	return env
}

// tell leaves a line for the next prompt.
func (a *run) tell(res gate.Result, text string) error {
	res.Steps = append(res.Steps, gate.Step{Name: "auto-push", Status: gate.OK, Text: text})
	return a.DB.Update(func(tx *store.Tx) error {
		return pushes.Record(tx, a.session, a.task.ProjectRoot, res, false, a.Now())
	})
}
