package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/bind"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// fake is an engine over real rows and real git that starts no client. The environment tells it what to do:
//
//	FAKE_KEY=K       the key that the endpoint wants; another one fails the probe
//	FAKE_FAIL=t2     this task fails, and those after it are blocked
//	FAKE_HANG=t2     this task goes on until the run is stopped
//	FAKE_DEAF=1      … and does not stop when it is told to
//	FAKE_PLAN=bad    the manager has no plan
//	FAKE_SLOW=1      probing and planning wait for the file $FAKE_GO
type fake struct {
	sys    engine.System
	paths  config.Paths
	db     *store.DB
	ledger *orchestrator.Ledger
}

func openFake(sys engine.System) (engine.Engine, error) {
	paths, err := config.ResolvePaths(sys.Getenv)
	if err != nil {
		return engine.Engine{}, err
	}
	f := &fake{sys: sys, paths: paths}
	if f.db, err = store.Open(paths.DB, store.Options{}); err != nil {
		return engine.Engine{}, err
	}
	f.ledger = orchestrator.Open(f.db, sys.Now)
	return engine.Engine{
		Probe: f.probe, Examine: trees.Examine, Init: trees.Init, Plan: f.plan, DryRun: f.dryRun, Commit: bind.Commit, Prepare: f.prepare, Drive: f.drive, Runs: f.ledger.Runs,
		View: f.view, Swap: f.swap, Integrate: f.integrate, Stop: f.stop, Remove: f.remove, Defaults: f.defaults, Endpoints: f.endpoints, Log: f.log, Close: f.db.Close,
	}, nil
}

// gate waits for the file that a test makes.
func (f *fake) gate(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for f.sys.Getenv("FAKE_SLOW") != "" && ctx.Err() == nil {
		if _, err := os.Stat(f.sys.Getenv("FAKE_GO")); err == nil {
			return
		}
		<-tick.C
	}
}

func (f *fake) probe(ctx context.Context, r engine.ProbeRequest, each func(engine.Check)) (engine.Probed, error) {
	out := engine.Probed{Endpoint: r.Endpoint, OK: true}
	tell := func(c engine.Check) {
		out.Checks = append(out.Checks, c)
		each(c)
		out.OK = out.OK && c.Level != "FAIL"
	}
	tell(engine.Check{Check: "reach", Level: "PASS", Detail: "answers in 12 ms"})
	f.gate(ctx)
	if want := f.sys.Getenv("FAKE_KEY"); want != r.Endpoint.Key {
		tell(engine.Check{Check: "auth", Level: "FAIL", Detail: "the key was refused: HTTP 401", Advice: "check the key; x-api-key and bearer were tried"})
		return out, nil
	}
	tell(engine.Check{Check: "auth", Level: "PASS", Detail: "x-api-key"})
	tell(engine.Check{Check: "stream", Level: "PASS", Detail: "41 tokens per second"})
	tell(engine.Check{Check: "prefill", Level: "WARN", Detail: "16k tokens took 95 s", Advice: "near the 100 s limit of tunnels: use a faster server, or a direct connection"})
	if r.Big {
		tell(engine.Check{Check: "big", Level: "PASS", Detail: "100k tokens"})
	}
	out.Endpoint.Auth, out.Endpoint.API, out.Endpoint.Window, out.Endpoint.Parallel = "x-api-key", "anthropic", 200_000, 2
	out.Endpoint.Model = cmp.Or(r.Endpoint.Model, "qwen3-coder")
	return out, nil
}

// shop is the plan of every manager here.
func shop() orchestrator.Plan {
	return orchestrator.Plan{
		Summary: "A shop: a core with the contracts, an API and a user interface on top of it.",
		Modules: []orchestrator.Module{
			{Name: "core", Path: "core", Weight: 2},
			{Name: "api", Path: "srv/api", Weight: 3, DependsOn: []string{"core"}},
			{Name: "ui", Path: "ui", Weight: 3, DependsOn: []string{"core"}},
			{Name: "docs", Path: "docs", Weight: 1},
		},
		Tasks: []orchestrator.Task{
			{ID: "t1", Module: "core", Description: "Define the types of the shop.", Acceptance: "test -s types.txt"},
			{ID: "t2", Module: "api", Description: "Serve the catalogue over HTTP.", DependsOn: []string{"t1"}, Acceptance: "grep -q serve main.txt"},
			{ID: "t3", Module: "ui", Description: "Show the catalogue.", DependsOn: []string{"t1"}, Acceptance: "test -s index.html"},
			{ID: "t4", Module: "docs", Description: "Write the manual of the shop.", DependsOn: []string{"t2", "t3"}, Acceptance: "test -s manual.md"},
		},
	}
}

func (f *fake) plan(ctx context.Context, r engine.PlanRequest, say func(string)) (orchestrator.Plan, error) {
	say("The manager reads the project")
	f.gate(ctx)
	if f.sys.Getenv("FAKE_PLAN") == "bad" {
		return orchestrator.Plan{}, errors.New("no plan after 3 replies: check plan: 2 problems:\ntasks[0].id: twice\nmodules[1].path: inside another module\x1b[31m")
	}
	p := shop()
	if r.Request != "" {
		p.Summary += " Asked for: " + r.Request
	}
	return p, ctx.Err()
}

func (f *fake) dryRun(context.Context, trees.Project, string, orchestrator.Plan, orchestrator.Settings) ([]engine.Flag, error) {
	return []engine.Flag{{Task: "t4", Reason: "passes already, before any work: it cannot tell whether the task was done"}}, nil
}

func (f *fake) defaults(s orchestrator.Settings) (orchestrator.Settings, error) {
	s.Attempts, s.TaskTimeout = cmp.Or(s.Attempts, 3), cmp.Or(s.TaskTimeout, 20*time.Minute)
	s.Confine = cmp.Or(s.Confine, "auto")
	return s, nil
}

func (f *fake) folder(id orchestrator.RunID) string {
	return filepath.Join(f.paths.Root, "flock", string(id))
}

func (f *fake) prepare(_ context.Context, o engine.Order) (orchestrator.Run, error) {
	run := orchestrator.Run{ID: "20261130-120000-test", Project: o.Project.Dir, Base: o.Base, Mode: o.Mode, Request: o.Request, Plan: o.Plan, Settings: o.Settings}
	for n := 2; ; n++ {
		if _, err := f.ledger.Run(run.ID); err != nil {
			break
		}
		run.ID = orchestrator.RunID(fmt.Sprintf("20261130-120000-tes%d", n))
	}
	if err := os.MkdirAll(f.folder(run.ID), 0o700); err != nil {
		return run, err
	}
	var book strings.Builder
	for _, e := range o.Endpoints {
		fmt.Fprintf(&book, "[%s]\nurl = %q\nkey = %q\n", e.Name, e.URL, e.Key)
	}
	if err := os.WriteFile(filepath.Join(f.folder(run.ID), "endpoints.toml"), []byte(book.String()), 0o600); err != nil {
		return run, err
	}
	var regions []orchestrator.RegionState
	var tasks []orchestrator.TaskRow
	for _, r := range o.Regions {
		state := orchestrator.RegionState{Name: r.Name, Endpoint: o.Assign[r.Name]}
		for _, m := range r.Modules {
			state.Modules = append(state.Modules, m.Name)
		}
		regions = append(regions, state)
	}
	for _, t := range o.Plan.Tasks {
		i := slices.IndexFunc(regions, func(r orchestrator.RegionState) bool { return slices.Contains(r.Modules, t.Module) })
		tasks = append(tasks, orchestrator.TaskRow{Task: t, Region: regions[i].Name})
	}
	if err := f.ledger.Create(run, regions, tasks); err != nil {
		return run, err
	}
	return f.ledger.Run(run.ID)
}

func (f *fake) drive(ctx context.Context, id orchestrator.RunID, observe func(live.Event)) (live.Summary, error) {
	log, err := os.OpenFile(filepath.Join(f.folder(id), "log.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return live.Summary{}, err
	}
	defer log.Close()
	tell := func(e live.Event) {
		e.At = f.sys.Now()
		fmt.Fprintf(log, `{"at":%q,"kind":%q,"region":%q,"task":%q,"attempt":%d,"text":%q}`+"\n", e.At.Format(time.RFC3339), e.Kind, e.Region, e.Task, e.Attempt, e.Text)
		observe(e)
	}
	if err := f.ledger.SetState(id, orchestrator.RunRunning, ""); err != nil {
		return live.Summary{}, err
	}
	tell(live.Event{Kind: live.RunStarted})
	tasks, err := f.ledger.Tasks(id)
	if err != nil {
		return live.Summary{}, err
	}
	lost := map[string]bool{}
	for _, t := range tasks {
		if t.State.Over() {
			continue
		}
		if err := f.task(ctx, id, t, lost, tell); err != nil {
			return live.Summary{}, err
		}
		if ctx.Err() != nil {
			return f.summary(id, orchestrator.RunStopped, "stopped by a person")
		}
	}
	if len(lost) > 0 {
		return f.summary(id, orchestrator.RunFailed, "some tasks are not integrated")
	}
	return f.summary(id, orchestrator.RunDone, "")
}

func (f *fake) task(ctx context.Context, id orchestrator.RunID, t orchestrator.TaskRow, lost map[string]bool, tell func(live.Event)) error {
	for _, d := range t.DependsOn {
		if lost[d] {
			lost[t.ID] = true
			reason := "depends on " + d + ", which is not integrated"
			tell(live.Event{Kind: live.TaskBlocked, Region: t.Region, Task: t.ID, Text: reason})
			return f.ledger.Block(id, t.ID, reason)
		}
	}
	a, err := f.ledger.Claim(id, t.ID, orchestrator.AttemptWork)
	if err != nil {
		return err
	}
	e := live.Event{Region: t.Region, Task: t.ID, Attempt: a.Number}
	with := func(k live.Kind, text string, u orchestrator.Usage) live.Event {
		e := e
		e.Kind, e.Text, e.Usage = k, text, u
		return e
	}
	tell(with(live.TaskStarted, "", orchestrator.Usage{}))
	used := orchestrator.Usage{Input: 9000, Output: 1200, CacheRead: 30_000, Requests: 7}
	switch {
	case f.sys.Getenv("FAKE_HANG") == t.ID:
		if f.sys.Getenv("FAKE_DEAF") != "" {
			select {}
		}
		<-ctx.Done()
		tell(with(live.TaskInfra, "stopped", used))
		return f.ledger.Infra(a, "stopped", used, 0)
	case f.sys.Getenv("FAKE_FAIL") == t.ID:
		lost[t.ID] = true
		tell(with(live.TaskFailed, "grep -q serve main.txt: exit 1\nno line serves anything", used))
		return f.ledger.Reject(a, "grep -q serve main.txt: exit 1\nno line serves anything", true, used, 0)
	}
	tell(with(live.TaskVerified, "", used))
	if err := f.ledger.Accept(a, strings.Repeat("c", 40), used, 0); err != nil {
		return err
	}
	tell(with(live.TaskDone, "", orchestrator.Usage{}))
	return f.ledger.Land(id, []string{t.ID}, strings.Repeat("d", 40))
}

func (f *fake) summary(id orchestrator.RunID, state orchestrator.RunState, reason string) (live.Summary, error) {
	if err := f.ledger.SetState(id, state, reason); err != nil {
		return live.Summary{}, err
	}
	v, err := f.view(context.Background(), id)
	if err != nil {
		return live.Summary{}, err
	}
	s := live.NewModel(v.Rows, f.sys.Now()).Summary()
	s.Branch = "devflock/" + string(id) + "/integration"
	if state == orchestrator.RunDone {
		s.Branch = "devflock/integration"
	}
	return s, nil
}

func (f *fake) view(_ context.Context, id orchestrator.RunID) (v engine.View, err error) {
	v.Folder, v.Bytes = f.folder(id), 4096
	if v.Run, err = f.ledger.Run(id); err != nil {
		return v, err
	}
	if v.Regions, err = f.ledger.Regions(id); err != nil {
		return v, err
	}
	if v.Tasks, err = f.ledger.Tasks(id); err != nil {
		return v, err
	}
	v.Attempts, err = f.ledger.Attempts(id)
	return v, err
}

func (f *fake) swap(_ context.Context, id orchestrator.RunID, e engine.Endpoint) error {
	return os.WriteFile(filepath.Join(f.folder(id), "swapped"), []byte(e.Name+" "+e.URL+" "+e.Key+"\n"), 0o600)
}

func (f *fake) integrate(context.Context, orchestrator.RunID) (engine.Integrated, error) {
	return engine.Integrated{Branch: "devflock/integration", Commit: strings.Repeat("d", 40), Tasks: []string{"t1"}}, nil
}

func (f *fake) stop(context.Context, orchestrator.RunID) error {
	return errors.New("nobody drives the run")
}

func (f *fake) remove(_ context.Context, id orchestrator.RunID, dry bool) (engine.Removed, error) {
	run, err := f.ledger.Run(id)
	out := engine.Removed{Run: id, State: string(run.State)}
	if _, statErr := os.Stat(f.folder(id)); statErr == nil {
		out.Bytes = 5 << 20
	}
	if err == nil && !dry {
		err = os.RemoveAll(f.folder(id))
	}
	return out, err
}

func (f *fake) endpoints(path string) ([]engine.Endpoint, error) {
	var book map[string]engine.Endpoint
	if _, err := toml.DecodeFile(path, &book); err != nil {
		return nil, err
	}
	var list []engine.Endpoint
	for name, e := range book {
		e.Name = name
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b engine.Endpoint) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func (f *fake) log(id orchestrator.RunID) (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.folder(id), "log.jsonl"))
}
