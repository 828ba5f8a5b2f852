package flock_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator"
)

// moment is a place in a run where its driver is killed.
type moment string

// The moments, in the order of a run.
const (
	beforePrompt moment = "before the first prompt"
	inBash       moment = "while a command runs"
	inCheck      moment = "while the work is checked"
	committed    moment = "between commit and integration"
	integrating  moment = "during integration"
)

var moments = [...]moment{beforePrompt, inBash, inCheck, committed, integrating}

// gated is a run of two independent regions and one that needs both, with a gate at every moment that was asked for.
type gated struct {
	*stage
	held map[moment]*gate
	args []string
}

// finalTree is what every run of the gated plan ends in: a tree of git does not depend on how it came about.
const finalTree = "api/served.txt core/prices.txt ui/page.txt"

func newGated(t *testing.T, c claudecli.Client, at ...moment) *gated {
	t.Helper()
	g := &gated{held: map[moment]*gate{}}
	var s *stage
	pass := func(m moment) string { // a command that waits at the gate of a moment, if there is one
		if g.held[m] == nil {
			return "true"
		}
		return "cat " + g.held[m].path
	}
	// A command is killed when it has done a half of its work. Nobody gets past a moment before the driver is killed there.
	steps := map[string][]mockapi.Step{"serve": does("cat ../core/prices.txt ../ui/page.txt > served.txt")}
	for task, file := range map[string]string{"prices": "prices.txt", "paint": "page.txt"} {
		step := mockapi.Step{Do: func(r mockapi.Request) mockapi.Step {
			return does("rm -f half.txt; echo half >> half.txt; " + pass(inBash) + "; echo 3 >> half.txt; mv half.txt " + file)[0].Do(r)
		}}
		for range 6 {
			steps[task] = append(steps[task], step)
		}
	}
	s = newStage(t, c, dirty, script(steps))
	g.stage = s
	for _, m := range at {
		g.held[m] = s.newGate(strings.ReplaceAll(string(m), " ", "-"))
	}
	if g.held[beforePrompt] != nil { // a client that does not get ready
		s.client.Path = filepath.Join(s.gates, "client")
		s.write(s.client.Path, "#!/bin/sh\n"+pass(beforePrompt)+"\nexec "+c.Path+" \"$@\"\n")
		s.executable(s.client.Path)
	}
	plan := orchestrator.Plan{
		Summary: "two and one",
		Modules: []orchestrator.Module{{Name: "core", Path: "core", Weight: 1}, {Name: "ui", Path: "ui", Weight: 1}, {Name: "api", Path: "api", Weight: 1, DependsOn: []string{"core", "ui"}}},
		Tasks: []orchestrator.Task{
			{ID: "prices", Module: "core", Description: "keep the prices", Acceptance: "test -s prices.txt && " + pass(inCheck) + " && grep -q 3 prices.txt"},
			{ID: "paint", Module: "ui", Description: "paint the page", Acceptance: "test -s page.txt && " + pass(inCheck) + " && grep -q 3 page.txt"},
			{ID: "serve", Module: "api", Description: "serve it all", DependsOn: []string{"prices", "paint"}, Acceptance: "test -s served.txt"},
		},
	}
	g.args = s.flags(append(s.plan(plan), "--expose", nodeModules(c), "--test", pass(committed)+"; "+pass(integrating)+"; test -d core -o -d ui")...)
	return g
}

// at waits for a moment, kills the driver there, and clears the gate.
func (g *gated) at(m moment, p *process) {
	g.Helper()
	g.held[m].reached(p)
	if m == committed { // one task is held by the test of its merge; the other was accepted and waits for its turn
		p.await("both are accepted", 2, func(e event) bool { return e.Kind == "task_verified" || e.Kind == "task_adopted" })
	}
	p.kill()
	g.held[m].release(g.stage)
}

// sound wants what an undisturbed run leaves, each task done once, and nothing running.
func (g *gated) sound() {
	g.Helper()
	if got := strings.ReplaceAll(g.repo.Git("ls-tree", "-r", "--name-only", "devflock/integration", "core", "ui", "api"), "\n", " "); got != finalTree {
		g.Errorf("branch holds %s", got)
	}
	for path, want := range map[string]string{"core/prices.txt": "half\n3", "ui/page.txt": "half\n3", "api/served.txt": "half\n3\nhalf\n3"} {
		if got := g.show(path); got != want {
			g.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	r := g.rows()
	for id, t := range r.tasks {
		accepted := 0
		for _, a := range r.of(id) {
			switch a.State {
			case orchestrator.AttemptAccepted:
				accepted++
			case orchestrator.AttemptLost: // also the one whose commit was adopted
			default:
				g.Errorf("attempt %s-%d is %s: %s", id, a.Number, a.State, a.Failure)
			}
		}
		commits := g.repo.Git("log", "--format=%H", "--grep", "Devflock-Task: "+id+"$", "devflock/integration")
		if accepted > 1 || t.State != orchestrator.TaskDone || t.Attempts > 1 || strings.Contains(commits, "\n") {
			g.Errorf("task %s is %s, accepted %d times, counted %d times, in the commits %q", id, t.State, accepted, t.Attempts, commits)
		}
	}
	g.gone("")
	g.untouched()
	g.keyless()
	if g.Failed() {
		g.Log(g.trouble())
	}
}

// treeOf is the id of the tree that a run has made.
func (g *gated) tree() string { return g.repo.Git("rev-parse", "devflock/integration^{tree}") }

// A driver that is killed with SIGKILL, wherever it stands, leaves a run that goes on to the same tree.
func TestKilledAndResumed(t *testing.T) {
	t.Parallel()
	versions := claudecli.Versions()
	still := newGated(t, client(t, versions[0]))
	undisturbed := still.start(still.args...)
	t.Run("one by one", func(t *testing.T) {
		for i, m := range moments {
			t.Run(string(m), func(t *testing.T) {
				t.Parallel()
				g := newGated(t, client(t, versions[(i+1)%2]), m)
				g.at(m, g.start(g.args...))
				g.start("resume", "--json").well()
				g.sound()
				if <-undisturbed.done; g.tree() != still.tree() {
					t.Errorf("tree %s, want %s", g.tree(), still.tree())
				}
			})
		}
		for _, v := range versions {
			t.Run("all of them "+v, func(t *testing.T) {
				t.Parallel()
				g := newGated(t, client(t, v), moments[:]...)
				args := g.args
				for _, m := range moments {
					g.at(m, g.start(args...))
					args = []string{"resume", "--json"}
				}
				g.start(args...).well()
				g.sound()
				if <-undisturbed.done; g.tree() != still.tree() {
					t.Errorf("tree %s, want %s", g.tree(), still.tree())
				}
			})
		}
	})
	undisturbed.well()
	still.sound()
}
