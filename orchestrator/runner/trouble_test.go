package runner_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/runner/after"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

func shopSteps() map[string][]mockapi.Step {
	return map[string][]mockapi.Step{
		"prices": {mockapi.Turn(mockapi.Bash("echo 3 > prices.txt")), mockapi.Say("prices are kept")},
		"serve":  {mockapi.Turn(mockapi.Bash("cp ../core/prices.txt served.txt")), mockapi.Say("served")},
	}
}

func TestASwapHelpsARequestThatIsBeingTried(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop(), taskmodel.Model{Tasks: shopSteps()})
	alive := w.spec.Endpoints[0].URL
	w.spec.Endpoints[0].URL = "http://127.0.0.1:1" // nobody answers there
	var id orchestrator.RunID
	var once sync.Once
	observe := w.deps.Observe
	swapped := make(chan error, 1)
	w.deps.Observe = func(e schedule.Event) {
		observe(e)
		if e.Kind == "endpoint_"+schedule.EventKind(gateway.EventDead) {
			once.Do(func() {
				go func() {
					swapped <- runner.Swap(context.WithoutCancel(t.Context()), w.deps, id, gateway.Endpoint{Name: "main", URL: alive, Key: realKey})
				}()
			})
		}
	}
	run, err := runner.Prepare(w.deps, w.spec)
	if err != nil {
		t.Fatal(err)
	}
	id = run.ID
	sum, err := runner.Drive(t.Context(), w.deps, id)
	if err != nil || sum.State != orchestrator.RunDone {
		t.Fatalf("%+v, %v\n%s", sum, err, w.trouble(id))
	}
	if err := <-swapped; err != nil {
		t.Error(err)
	}
	v, err := runner.Status(t.Context(), w.deps, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range v.Attempts {
		if a.State != orchestrator.AttemptAccepted {
			t.Errorf("attempt %s-%d is %s: %s", a.Task, a.Number, a.State, a.Failure)
		}
	}
}

func TestAStoppedRunGoesOn(t *testing.T) {
	t.Parallel()
	var w *world
	var id orchestrator.RunID
	stopped := false
	w = newWorld(t, shop(), taskmodel.Model{Tasks: shopSteps(), Before: func(_ mockapi.Request, task string) (mockapi.Step, bool) {
		if task == "serve" && !stopped {
			stopped = true
			if err := runner.Stop(context.WithoutCancel(t.Context()), w.deps, id, "lunch"); err != nil {
				t.Error(err)
			}
		}
		return mockapi.Step{}, false
	}})
	run, err := runner.Prepare(w.deps, w.spec)
	if err != nil {
		t.Fatal(err)
	}
	id = run.ID
	sum, err := runner.Drive(t.Context(), w.deps, id)
	if err != nil || sum.State != orchestrator.RunStopped || !strings.Contains(sum.Reason, "lunch") || sum.Done != 1 {
		t.Fatalf("stopped: %+v, %v\n%s", sum, err, w.trouble(id))
	}
	if sum, err = runner.Drive(t.Context(), w.deps, id); err != nil || sum.State != orchestrator.RunDone || sum.Done != 2 {
		t.Fatalf("resumed: %+v, %v\n%s", sum, err, w.trouble(id))
	}
	if again, err := runner.Drive(t.Context(), w.deps, id); err != nil || again.State != orchestrator.RunDone || again.Done != 2 {
		t.Errorf("driven once more: %+v, %v", again, err)
	}
}

func TestRegionsAskAndRequest(t *testing.T) {
	t.Parallel()
	plan := shop()
	plan.Tasks = append(plan.Tasks, orchestrator.Task{ID: "show", Module: "api", Description: "show it all", DependsOn: []string{"serve"}, Acceptance: "test -s ../core/extra.txt"})
	steps := shopSteps()
	var mu sync.Mutex
	var asked string
	steps["serve"] = []mockapi.Step{
		mockapi.Turn(mockapi.Tool("mcp__devflow__ask_region", map[string]any{"region": "core", "question": "where are the prices?"})),
		{Do: func(r mockapi.Request) mockapi.Step {
			mu.Lock()
			asked = r.Last()
			mu.Unlock()
			return mockapi.Turn(mockapi.Tool("mcp__devflow__request_change", map[string]any{"region": "core", "description": "add a file with extra things", "acceptance_cmd": "test -s extra.txt", "wait": true}))
		}},
		mockapi.Turn(mockapi.Bash("cp ../core/prices.txt served.txt")), mockapi.Say("served"),
	}
	w := newWorld(t, plan, taskmodel.Model{Tasks: steps, Before: func(r mockapi.Request, task string) (mockapi.Step, bool) {
		if !strings.HasPrefix(task, "req-") {
			return mockapi.Step{}, false
		}
		if strings.Contains(r.Last(), "extra things") {
			return mockapi.Turn(mockapi.Bash("echo more > extra.txt")), true
		}
		return mockapi.Say("added"), true
	}})
	run, sum := w.run()
	if sum.State != orchestrator.RunDone || sum.Done != 4 {
		t.Fatalf("%+v\n%s", sum, w.trouble(run.ID))
	}
	for _, want := range []string{"core/prices.txt", "prices are kept"} {
		if !strings.Contains(asked, want) {
			t.Errorf("answer of ask_region lacks %q:\n%s", want, asked)
		}
	}
	first := w.srv.Requests()
	for _, r := range first {
		if r.Kind == mockapi.Talk && !r.HasTool("mcp__devflow__ask_region") {
			t.Errorf("request %d offers %v", r.N, r.Tools)
		}
	}
}

func TestADriverThatDiedBeforeItHadClearedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop(), taskmodel.Model{Tasks: shopSteps()})
	run, sum := w.run()
	if sum.State != orchestrator.RunDone {
		t.Fatal(w.trouble(run.ID))
	}
	p := place.Of(w.deps.Root, string(run.ID))
	left, err := trees.Open(t.Context(), trees.Options{Run: string(run.ID), Base: w.spec.Project.Head, Project: w.spec.Project, Dir: p.Trees()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := left.Region(t.Context(), "core", []string{"core"}); err != nil {
		t.Fatal(err)
	}
	w.repo.Git("update-ref", "refs/heads/devflock/"+string(run.ID)+"/integration", sum.Integration)
	w.repo.Git("update-ref", "-d", "refs/heads/"+trees.Final)
	again, err := runner.Drive(t.Context(), w.deps, run.ID)
	if err != nil || again.Branch != trees.Final || again.Done != 2 {
		t.Errorf("driven again: %+v, %v", again, err)
	}
	if got := w.repo.Git("rev-parse", trees.Final); got != sum.Integration {
		t.Errorf("final branch is at %s, want %s", got, sum.Integration)
	}
	if list := w.repo.Git("worktree", "list"); strings.Count(list, "\n") > 0 {
		t.Errorf("work trees are left:\n%s", list)
	}
}

// To name a run's result again changes nothing, also when later runs have named theirs, and when its files are gone.
func TestAnEndedRunIsIntegratedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop(), taskmodel.Model{Tasks: shopSteps()})
	run, sum := w.run()
	if sum.State != orchestrator.RunDone {
		t.Fatal(w.trouble(run.ID))
	}
	refs := w.repo.Git("for-each-ref")
	check := func(when string) {
		t.Helper()
		branch, err := after.Integrate(t.Context(), w.deps, run.ID)
		if got := w.repo.Git("rev-parse", trees.Final); err != nil || branch != trees.Final || got != sum.Integration {
			t.Errorf("%s: %s at %s, %v; want %s", when, branch, got, err, sum.Integration)
		}
	}
	check("at once")
	if after := w.repo.Git("for-each-ref"); after != refs {
		t.Errorf("refs are\n%s\nwere\n%s", after, refs)
	}
	w.repo.Git("update-ref", "refs/heads/"+trees.Final, w.spec.Project.Head)
	w.repo.Git("update-ref", "refs/devflock/kept/later", sum.Integration)
	check("after another run")
	if err := after.Remove(t.Context(), w.deps, run.ID); err != nil {
		t.Fatal(err)
	}
	check("after its files are gone")
}
