// Package bind binds what the command line needs to the libraries of the orchestrator.
//
// It owns no table: the rows are the ledger's, the folder of a run is the runner's.
package bind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/governor"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/panel"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/runner/after"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// LaunchCommand is the hidden command that confines itself and becomes another program.
const LaunchCommand = "sandbox"

// Launch is that command. It gives the exit status.
func Launch(args []string) int { return sandbox.Launch(args) }

// bound is the engine's state.
type bound struct {
	sys    engine.System
	paths  config.Paths
	flock  config.Flock // what the user's config.toml says
	ledger *orchestrator.Ledger
	judge  schedule.Judge
}

// Open gives the engine over the database and the root folder that the environment names. The caller closes it.
func Open(sys engine.System) (engine.Engine, error) {
	paths, err := config.ResolvePaths(sys.Getenv)
	if err != nil {
		return engine.Engine{}, err
	}
	cfg, _ := config.Load(paths, "") // what is wrong with it is the doctor's to tell
	db, err := store.Open(paths.DB, store.Options{})
	if err != nil {
		return engine.Engine{}, err
	}
	b := &bound{sys: sys, paths: paths, flock: cfg.Flock, ledger: orchestrator.Open(db, sys.Now)}
	b.judge = governor.Judge{Root: paths.Root, Panel: panel.ByHand(panel.Options{Config: cfg.Judge, Environ: sys.Environ})}
	return engine.Engine{
		Probe: probed, Examine: trees.Examine, Init: trees.Init, Plan: b.plan, DryRun: b.dryRun, Commit: Commit, Prepare: b.prepare, Drive: b.drive,
		Runs: b.ledger.Runs, View: b.view, Swap: b.swap, Integrate: b.integrate, Stop: b.stop, Remove: b.remove,
		Defaults: b.defaults, Workers: cfg.Flock.Workers, Endpoints: endpoints, Standing: place.Standing(paths.Root), Log: b.log, Recap: b.recap, Hold: b.hold, Fail: b.fail, Save: b.save, Close: db.Close,
	}, nil
}

// deps is what the runner needs of us.
func (b *bound) deps() runner.Deps {
	return runner.Deps{Ledger: b.ledger, Judge: b.judge, Root: b.paths.Root, Self: []string{b.sys.Exe, LaunchCommand}, Getenv: b.sys.Getenv, Now: b.sys.Now}
}

// errNoClient says that there is no claude program.
var errNoClient = errors.New("the claude program is not on PATH; name it with --client")

// defaults fills in the limits and the client's place: what no flag said is the user's configuration, then ours.
func (b *bound) defaults(s orchestrator.Settings) (orchestrator.Settings, error) {
	f := b.flock
	s.Client, s.Confine, s.Test = cmp.Or(s.Client, f.Client), cmp.Or(s.Confine, f.Confine), cmp.Or(s.Test, f.Test)
	s.Attempts, s.TaskTimeout = cmp.Or(s.Attempts, f.Attempts), cmp.Or(s.TaskTimeout, f.TaskTimeout)
	s.TokenCap, s.MoneyCap = cmp.Or(s.TokenCap, f.TokenCap), cmp.Or(s.MoneyCap, f.MoneyCap)
	s.Governed = s.Governed && f.Governed
	s.Expose, s.Share = slices.Concat(s.Expose, f.Expose), slices.Concat(s.Share, f.Share)
	s = runner.Defaults(s)
	var err error
	if s.Client, err = b.client(s.Client); err != nil {
		return s, err
	}
	for i, dir := range s.Expose {
		if s.Expose[i], err = filepath.Abs(dir); err != nil {
			return s, fmt.Errorf("find folder to read: %w", err)
		}
	}
	return s, nil
}

// client is the real path of the claude program: installers put a symbolic link on PATH, whose target a confined process would not
// find.
func (b *bound) client(named string) (string, error) {
	if named != "" {
		path, err := filepath.Abs(named)
		if err == nil && !executable(path) {
			err = fmt.Errorf("%s is no program", path)
		}
		if err != nil {
			return "", err
		}
		return filepath.EvalSymlinks(path)
	}
	for _, dir := range filepath.SplitList(b.sys.Getenv("PATH")) {
		if path := filepath.Join(dir, "claude"); filepath.IsAbs(path) && executable(path) {
			return filepath.EvalSymlinks(path)
		}
	}
	return "", errNoClient
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// prepare makes a run.
func (b *bound) prepare(_ context.Context, o engine.Order) (orchestrator.Run, error) {
	return runner.Prepare(b.deps(), runner.Spec{
		ID: o.Run, Project: o.Project, Base: o.Base, Mode: o.Mode, Request: o.Request, Session: o.Session, Plan: o.Plan, Regions: o.Regions, Endpoints: o.Endpoints,
		Assign: o.Assign, Settings: o.Settings,
	})
}

func (b *bound) swap(ctx context.Context, id orchestrator.RunID, e engine.Endpoint) error {
	return runner.Swap(ctx, b.deps(), id, e)
}

func (b *bound) integrate(ctx context.Context, id orchestrator.RunID) (engine.Integrated, error) {
	branch, err := after.Integrate(ctx, b.deps(), id)
	if err != nil {
		return engine.Integrated{}, err
	}
	run, err := b.ledger.Run(id)
	if err != nil {
		return engine.Integrated{}, err
	}
	tasks, err := b.ledger.Tasks(id)
	out := engine.Integrated{Branch: branch, Commit: run.Integration, Tasks: []string{}}
	for _, t := range tasks {
		if t.State == orchestrator.TaskDone {
			out.Tasks = append(out.Tasks, t.ID)
		}
	}
	return out, err
}

func (b *bound) stop(ctx context.Context, id orchestrator.RunID) error {
	return runner.Stop(ctx, b.deps(), id, "")
}

func (b *bound) remove(ctx context.Context, id orchestrator.RunID, dry bool) (engine.Removed, error) {
	run, err := b.ledger.Run(id)
	if err != nil {
		return engine.Removed{}, err
	}
	p := place.Of(b.paths.Root, string(id))
	out := engine.Removed{Run: id, State: string(run.State)}
	if _, err := os.Lstat(p.Dir); errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	out.Bytes = p.Size()
	if dry {
		return out, nil
	}
	return out, after.Remove(ctx, b.deps(), id)
}

func (b *bound) log(id orchestrator.RunID) (io.ReadCloser, error) {
	f, err := os.Open(place.Of(b.paths.Root, string(id)).Log())
	if err != nil {
		return nil, fmt.Errorf("read log of run %s: %w", id, err)
	}
	return f, nil
}

// recap changes the caps of a run; one that somebody drives is not touched, because its driver would not see it.
func (b *bound) recap(run orchestrator.Run, caps engine.Caps) error {
	release, err := runner.Hold(b.deps(), run.ID)
	if err != nil {
		return err
	}
	defer release()
	if caps.SetTokens {
		run.Settings.TokenCap = caps.Tokens
	}
	if caps.SetMoney {
		run.Settings.MoneyCap = caps.Money
	}
	return b.ledger.SetSettings(run.ID, run.Settings)
}

func (b *bound) hold(id orchestrator.RunID) (func(), error) { return runner.Hold(b.deps(), id) }

func (b *bound) fail(id orchestrator.RunID, reason string) error {
	return b.ledger.SetState(id, orchestrator.RunFailed, reason)
}

// save puts an endpoint into the file of those for runs that a session asks for.
func (b *bound) save(e engine.Endpoint) error {
	path := place.Standing(b.paths.Root)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("save endpoint: %w", err)
	}
	book, err := endpoint.OpenBook(path)
	if err != nil {
		return err
	}
	return book.Set(e)
}

// endpoints reads an endpoints file, by name.
func endpoints(path string) ([]engine.Endpoint, error) {
	book, err := endpoint.OpenBook(path)
	if err != nil {
		return nil, err
	}
	var list []engine.Endpoint
	for _, name := range book.Names() {
		if e, ok := book.Endpoint(name); ok {
			list = append(list, e)
		}
	}
	return list, nil
}
