package runner_test

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/quiet"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/pack"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" {
		os.Exit(sandbox.Launch(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// world is a repository, a place for devflow's files, and a scripted model.
type world struct {
	t    *testing.T
	repo gitrepo.Repo
	srv  *mockapi.Server
	deps runner.Deps
	spec runner.Spec
}

// realKey is what no worker may ever see.
const realKey = "sk-real-0123456789abcdef"

func newWorld(t *testing.T, plan orchestrator.Plan, m taskmodel.Model) *world {
	t.Helper()
	client, err := claudecli.Find("../..", claudecli.Versions()[1])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	quiet.Await(t, dir)
	w := &world{t: t, repo: gitrepo.New(t, filepath.Join(dir, "proj"), "main")}
	w.repo.Write("README.md", "# shop\n")
	w.repo.Commit("start")
	w.srv = mockapi.New(t, m.Script())
	root := filepath.Join(dir, ".claude", "devflow") // as the default one, where the client guards what it writes
	db, err := store.Open(filepath.Join(root, "telemetry", "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.deps = runner.Deps{
		Ledger: orchestrator.Open(db, time.Now), Root: root, Self: []string{exe, "sandbox"}, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin"}[name] },
		Log:    slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		Observe: func(e schedule.Event) {
			t.Logf("%s %s %s %d %s", e.Kind, e.Region, e.Task, e.Attempt, e.Text)
		},
	}
	project, err := trees.Examine(t.Context(), w.repo.Dir)
	if err != nil {
		t.Fatal(err)
	}
	w.spec = runner.Spec{
		Project: project, Mode: orchestrator.ModeIdea, Request: "a shop", Plan: plan, Regions: pack.Pack(plan, len(plan.Modules)),
		Endpoints: []gateway.Endpoint{{Name: "main", URL: w.srv.URL, Key: realKey, Model: "m-1"}},
		Settings:  orchestrator.Settings{Confine: "auto", CrossRegion: true, Client: client.Path},
	}
	return w
}

func (w *world) run() (orchestrator.Run, runner.Summary) {
	w.t.Helper()
	run, err := runner.Prepare(w.deps, w.spec)
	if err != nil {
		w.t.Fatal(err)
	}
	sum, err := runner.Drive(w.t.Context(), w.deps, run.ID)
	if err != nil {
		w.t.Fatalf("drive: %v\n%s", err, w.trouble(run.ID))
	}
	return run, sum
}

func (w *world) trouble(id orchestrator.RunID) string {
	v, err := runner.Status(w.t.Context(), w.deps, id)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "run %s: %s\n", v.Run.State, v.Run.Reason)
	for _, t := range v.Tasks {
		fmt.Fprintf(&b, "%s %s %d: %s\n", t.ID, t.State, t.Attempts, t.Reason)
	}
	for _, a := range v.Attempts {
		fmt.Fprintf(&b, "%s-%d %s %s: %s\n", a.Task, a.Number, a.Kind, a.State, a.Failure)
	}
	return b.String()
}

// own is what belongs to the person: refs, HEAD, index and work tree, configuration.
func (w *world) own() string {
	var b strings.Builder
	for ref := range strings.Lines(w.repo.Git("for-each-ref") + "\n") {
		if !strings.Contains(ref, "devflock/") {
			b.WriteString(ref)
		}
	}
	for _, file := range []string{"HEAD", "index", "config", "info/exclude"} {
		data, err := os.ReadFile(filepath.Join(w.repo.Dir, ".git", file))
		fmt.Fprintf(&b, "%s %v %x\n", file, err, sha256.Sum256(data))
	}
	return b.String() + w.repo.Git("status", "--porcelain")
}

func shop() orchestrator.Plan {
	module := func(name string, deps ...string) orchestrator.Module {
		return orchestrator.Module{Name: name, Path: name, Weight: 1, DependsOn: deps}
	}
	return orchestrator.Plan{
		Summary: "a shop", Modules: []orchestrator.Module{module("core"), module("api", "core")},
		Tasks: []orchestrator.Task{
			{ID: "prices", Module: "core", Description: "keep the prices", Acceptance: "grep -q 3 prices.txt"},
			{ID: "serve", Module: "api", Description: "serve the prices", DependsOn: []string{"prices"}, Acceptance: "cmp served.txt ../core/prices.txt"},
		},
	}
}

func TestARunWithTheRealClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop(), taskmodel.Model{Tasks: map[string][]mockapi.Step{
		"prices": {mockapi.Turn(mockapi.Bash("echo 2 > prices.txt")), mockapi.Say("done"), mockapi.Turn(mockapi.Bash("echo 3 > prices.txt; env > env.txt")), mockapi.Say("repaired")},
		"serve":  {mockapi.Turn(mockapi.Bash("cp ../core/prices.txt served.txt")), mockapi.Say("served")},
	}})
	before := w.own()
	run, sum := w.run()
	if sum.State != orchestrator.RunDone || sum.Done != 2 || sum.Branch != "devflock/integration" {
		t.Errorf("summary = %+v\n%s", sum, w.trouble(run.ID))
	}
	if got := w.repo.Git("show", "devflock/integration:api/served.txt"); got != "3" {
		t.Errorf("served = %q, want what the other region made", got)
	}
	if env := w.repo.Git("show", "devflock/integration:core/env.txt"); strings.Contains(env, realKey) || !strings.Contains(env, "DEVFLOW_WORKER=1") {
		t.Errorf("environment of a worker:\n%s", env)
	}
	if after := w.own(); after != before {
		t.Errorf("the person's repository has changed:\n%s\nwas\n%s", after, before)
	}
	if sum.Usage.Requests < 6 {
		t.Errorf("usage = %+v, want that of six requests and more", sum.Usage)
	}
}
