package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/planner"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/survey"
)

// A manager reads the project and not what git keeps there: the configuration may hold credentials, and what it reads goes to its
// endpoint. Nothing else of the person's can be read either.
func TestAManagerReadsTheProjectAndNoCredentials(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var w *world
			secret := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(secret, []byte("SECRET-OF-THE-PERSON"), 0o600); err != nil {
				t.Fatal(err)
			}
			answers := map[string]bool{}
			asked := 0
			w = newWorld(t, orchestrator.Plan{}, taskmodel.Model{Before: func(r mockapi.Request, _ string) (mockapi.Step, bool) {
				mu.Lock()
				defer mu.Unlock()
				answers[r.Last()] = true
				paths := []string{w.repo.Path("README.md"), w.repo.Path(".git/config"), w.repo.Path(".git/HEAD"), w.repo.Path("link"), secret, "/proc/self/environ", filepath.Join(w.deps.Root, "telemetry/devflow.db")}
				if asked == len(paths) {
					return mockapi.Turn(mockapi.Tool("StructuredOutput", map[string]any{
						"summary": "s", "modules": []any{map[string]any{"name": "m", "path": "m", "weight": 1, "depends_on": []string{}}},
						"tasks": []any{map[string]any{"id": "t", "module": "m", "description": "do what is to be done", "depends_on": []string{}, "acceptance_cmd": "test -f x"}},
					})), true
				}
				asked++
				return mockapi.Turn(mockapi.Read(paths[asked-1])), true
			}})
			w.repo.Git("config", "http.https://host.example/.extraheader", "AUTHORIZATION: basic U0VDUkVU")
			if err := os.Symlink(secret, w.repo.Path("link")); err != nil {
				t.Fatal(err)
			}
			settings := w.spec.Settings
			settings.Confine = string(kind)
			m, err := runner.NewManager(t.Context(), w.deps, runner.ManagerSpec{Project: w.spec.Project, Mode: orchestrator.ModeExisting, Tools: planner.Tools(planner.Ask{Mode: orchestrator.ModeExisting, Inventory: survey.Inventory{Files: 1}}), Endpoint: w.spec.Endpoints[0], Settings: settings})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Turn(t.Context(), "plan"); err != nil {
				t.Error(err)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			var all strings.Builder
			for text := range answers {
				all.WriteString(text + "\n")
			}
			if !strings.Contains(all.String(), "# shop") {
				t.Errorf("the project cannot be read: %s", all.String())
			}
			for _, bad := range []string{"U0VDUkVU", "refs/heads/main", "SECRET-OF-THE-PERSON", realKey, "SQLite format"} {
				if strings.Contains(all.String(), bad) {
					t.Errorf("%s was read: %s", bad, all.String())
				}
			}
		})
	}
}

// A manager without tools has none, not those of a worker.
func TestAManagerWithoutToolsCanDoNothing(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	offered := map[string]bool{}
	w := newWorld(t, orchestrator.Plan{}, taskmodel.Model{Before: func(r mockapi.Request, _ string) (mockapi.Step, bool) {
		mu.Lock()
		defer mu.Unlock()
		for _, tool := range r.Tools {
			offered[tool] = true
		}
		return mockapi.Say("done"), true
	}})
	m, err := runner.NewManager(t.Context(), w.deps, runner.ManagerSpec{Project: w.spec.Project, Mode: orchestrator.ModeIdea, Endpoint: w.spec.Endpoints[0], Settings: w.spec.Settings})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = m.Turn(t.Context(), "plan") // it gives no plan, which is an error
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for tool := range offered {
		if tool != "StructuredOutput" {
			t.Errorf("%s is offered", tool)
		}
	}
	if len(offered) == 0 {
		t.Error("nobody was asked")
	}
}
