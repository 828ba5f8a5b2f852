package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/runner"
)

// Workers and checks are in control groups of their own with both limits, where the machine lets us make them: something that forks or
// takes memory without end must not take the machine along.
func TestWorkersAndChecksAreLimited(t *testing.T) {
	t.Parallel()
	if procs, memory := runner.Limits(); procs <= 0 || memory < 0 {
		t.Errorf("limits %d, %d", procs, memory)
	}
	const tell = "grep -o -E '(pids|memory|0):.*devflock' /proc/self/cgroup; true"
	plan := orchestrator.Plan{
		Summary: "s", Modules: []orchestrator.Module{{Name: "m", Path: "m", Weight: 1}},
		Tasks: []orchestrator.Task{{ID: "t1", Module: "m", Description: "tell the groups", Acceptance: tell + "; test -f groups.txt"}},
	}
	w := newWorld(t, plan, taskmodel.Model{Tasks: map[string][]mockapi.Step{"t1": {mockapi.Turn(mockapi.Bash("{ " + tell + "; } > groups.txt"))}}})
	w.spec.Settings.Confine = string(sandbox.Landlock) // bwrap has a namespace of groups
	box, err := sandbox.Find(t.Context(), sandbox.Landlock, w.deps.Self)
	if err != nil {
		t.Fatal(err)
	}
	lacks := strings.Join(box.Lacks(), "; ")
	run, _ := w.run()
	evidence, err := filepath.Glob(filepath.Join(w.deps.Root, "flock", string(run.ID), "evidence", "*"))
	if err != nil || len(evidence) == 0 {
		t.Fatalf("evidence %q, %v", evidence, err)
	}
	checked, err := os.ReadFile(evidence[0])
	if err != nil {
		t.Fatal(err)
	}
	for who, text := range map[string]string{"worker": w.repo.Git("show", "devflock/integration:m/groups.txt"), "check": string(checked)} {
		for kind, missing := range map[string]string{"pids": "processes", "memory": "memory"} {
			if grouped := strings.Contains(text, kind+":") || strings.Contains(text, "0:"); !grouped && !strings.Contains(lacks, missing) {
				t.Errorf("the %s is in no group for %s: %s", who, kind, text)
			}
		}
	}
}
