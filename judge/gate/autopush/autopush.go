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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/internal/flock"
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
	unlock, err := flock.Lock(ctx, filepath.Join(d.Paths.SessionDir(session), "autopush.lock")) // two verdicts in a row would run the tests at once
	if err != nil {
		return fmt.Errorf("wait for another auto-push: %w", err)
	}
	defer unlock()
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
	a.repo, a.branch = repo, repo.Branch()
	if a.branch == "" || a.cfg.Protected(a.branch) {
		return nil
	}
	b, err := a.find(ctx)
	if err != nil || b == nil {
		return err
	}
	if a.cfg.Gate.AutoPush == config.AutoPushSuggest {
		return a.suggest(ctx, b)
	}
	return a.push(ctx, b)
}

// run is one run after one verdict.
type run struct {
	check.Deps
	session string
	task    *telemetry.Task
	cfg     config.Config
	repo    gitx.Repo
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

// bound is a branch with something to publish, and where to.
type bound struct {
	target.Update
	short []string // arguments of git push that a person would type
}

// find tells what of the branch can be published: to where git pushes it by itself, else to a branch of its name, which then
// becomes its upstream. nil means that there is nothing to publish, or nowhere, or that more than this branch would go.
func (a *run) find(ctx context.Context) (*bound, error) {
	ref := "refs/heads/" + a.branch
	updates, err := target.Resolve(ctx, a.repo, command(a.repo), a.cfg.Protected)
	upstream := true
	if errors.Is(err, target.ErrRefused) {
		p := command(a.repo)
		p.Refspecs = []shell.Word{{Text: ref + ":" + ref, Quoted: true}}
		upstream = false
		updates, err = target.Resolve(ctx, a.repo, p, a.cfg.Protected)
	}
	switch {
	case errors.Is(err, target.ErrRefused):
		return nil, nil
	case err != nil:
		return nil, err
	}
	updates = slices.DeleteFunc(updates, target.Update.UpToDate)
	if len(updates) != 1 {
		return nil, nil
	}
	b := &bound{Update: updates[0]}
	if b.Local != ref || b.Branch() == "" || b.Protected || b.Delete || b.Force || nowhere(b.Update) {
		return nil, nil
	}
	if !upstream {
		b.short = []string{"-u", b.Remote, a.branch}
	}
	base, tip, err := target.Range(ctx, a.repo, b.Update)
	if err != nil || base == tip {
		return nil, err
	}
	return b, nil
}

// nowhere is true for a remote that is not configured, and for the repository itself.
func nowhere(u target.Update) bool {
	return u.Remote == "." || u.URL == u.Remote && !strings.ContainsAny(u.URL, `/:\`)
}

// full are the arguments of git push that publish this commit and nothing else, whatever is checked out by then.
func (b *bound) full() []string {
	if len(b.short) > 0 { // an upstream is set for a branch only, not for a commit
		return []string{"-u", b.Remote, b.Local + ":" + b.RemoteRef}
	}
	return []string{b.Remote, b.LocalOID + ":" + b.RemoteRef}
}

// command is git push with arguments, in the repository.
func command(repo gitx.Repo, args ...string) push.Push {
	c := shell.Command{Name: "git", Args: append([]string{"push"}, args...), Words: []shell.Word{{Text: "git"}, {Text: "push"}}, Dir: shell.Dir{Path: repo.Root}, Text: line(args)}
	for _, a := range args {
		c.Words = append(c.Words, shell.Word{Text: a, Quoted: true})
	}
	return push.Find(nil, []shell.Command{c})[0]
}

func line(args []string) string { return strings.Join(append([]string{"git", "push"}, args...), " ") }

// judge asks the gate.
func (a *run) judge(ctx context.Context, b *bound) gate.Result {
	root := a.task.ProjectRoot
	return check.Run(ctx, a.Deps, gate.Request{Session: a.session, Root: root, Cwd: root, Home: a.Paths.Home, Agent: true, Pushes: []push.Push{command(a.repo, b.full()...)}})
}

// suggest says how to publish when everything is known to be green.
func (a *run) suggest(ctx context.Context, b *bound) error {
	a.TestsKnown, a.TestsGreen = true, a.green
	res := a.judge(ctx, b)
	if res.Refused() || res.Tests != pushes.TestsSession && !strings.HasPrefix(res.Tests, pushes.TestsGreen) {
		return nil
	}
	return a.tell(b, res, "All gates green (branch="+a.branch+"). Publish it with: "+line(b.short))
}

// push publishes when the gate lets it.
func (a *run) push(ctx context.Context, b *bound) error {
	res := a.judge(ctx, b)
	switch {
	case res.Refused():
		return a.tell(b, res, "Not pushed (branch="+a.branch+"). "+res.Line)
	case !strings.HasPrefix(res.Tests, pushes.TestsGreen):
		return a.tell(b, res, "Not pushed (branch="+a.branch+"): no test could be run. "+res.Line)
	}
	if now, err := a.find(ctx); err != nil || now == nil || now.LocalOID != b.LocalOID || now.RemoteRef != b.RemoteRef {
		return err // it went on while the tests ran: the next PASS publishes it
	}
	ctx, cancel := context.WithTimeoutCause(ctx, pushLimit, fmt.Errorf("not done within %s", pushLimit))
	defer cancel()
	env := append([]string{"GIT_TERMINAL_PROMPT=0"}, environ.Access(a.Environ)...)
	out, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{"git", "push"}, b.full()...), Dir: a.repo.Root, Env: env})
	green := "All gates green (branch=" + a.branch + ")"
	switch {
	case err != nil:
		return a.tell(b, res, green+", but git push failed: "+redact.Clip(err.Error(), maxError))
	case out.Exit != 0:
		return a.tell(b, res, green+", but git push failed: "+redact.Clip(complaint(string(out.Stderr)), maxError))
	}
	return a.tell(b, res, green+": pushed with "+line(b.short)+".")
}

// maxError bounds what git says about a failed push, in bytes.
const maxError = 200

// complaint is what git and the server say of a failure, without progress and advice.
func complaint(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		for _, start := range [...]string{"remote: ", "! ", "fatal: "} {
			if strings.HasPrefix(line, start) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return redact.Tail(strings.TrimSpace(stderr), maxError)
	}
	return strings.Join(lines, " ")
}

// stepName is that of the step that holds the line for the person.
const stepName = "auto-push"

// tell leaves a line for the next prompt, unless the same was said about the same commit before.
func (a *run) tell(b *bound, res gate.Result, text string) error {
	text = "[devflow:" + stepName + "] " + strings.Join(strings.Fields(redact.Clip(text, gate.MaxText)), " ")
	res.Steps = append(res.Steps, gate.Step{Name: stepName, Status: gate.OK, Text: text})
	return a.DB.Update(func(tx *store.Tx) error {
		if said, err := pushes.Said(tx, a.session, stepName, text, b.LocalOID); err != nil || said {
			return err
		}
		return pushes.Record(tx, a.session, a.task.ProjectRoot, res, false, a.Now())
	})
}
