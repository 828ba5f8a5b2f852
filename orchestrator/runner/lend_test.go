package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// TestWorkersUseWhatThePersonHasInstalled has node_modules from the start and vendor from the first attempt on.
func TestWorkersUseWhatThePersonHasInstalled(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"bwrap", "landlock"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			plan := shop()
			plan.Tasks[0].Acceptance = "../node_modules/.bin/hello && grep -q 'hello of x' said.txt && grep -q late late.txt"
			var w *world
			w = newWorld(t, plan, taskmodel.Model{Tasks: map[string][]mockapi.Step{
				"prices": {
					mockapi.Turn(mockapi.Bash("../node_modules/.bin/hello > said.txt; (echo evil > ../node_modules/x/words; rm -rf ../node_modules; touch ../node_modules/evil) 2>> refused.txt; ls .. > seen.txt; echo t > ../node_modules/.vite-temp/t && cat ../node_modules/.vite-temp/t > cached.txt; true")),
					{Do: func(mockapi.Request) mockapi.Step {
						w.repo.Write("vendor/late", "late\n")
						return mockapi.Say("done")
					}},
					mockapi.Turn(mockapi.Bash("cat ../vendor/late > late.txt; echo 3 > prices.txt")), mockapi.Say("repaired"),
				},
				"serve": shopSteps()["serve"],
			}})
			w.repo.Write(".gitignore", "node_modules\nvendor\n")
			w.repo.Commit("packages are ignored")
			w.repo.Write("node_modules/x/words", "hello of x\n")
			w.repo.Write("node_modules/.vite-temp/old", "")
			w.repo.Write("node_modules/.bin/hello", "#!/bin/sh\ncat \"$(dirname \"$0\")/../x/words\"\n")
			if err := os.Chmod(w.repo.Path("node_modules/.bin/hello"), 0o755); err != nil {
				t.Fatal(err)
			}
			var err error
			if w.spec.Project, err = trees.Examine(t.Context(), w.repo.Dir); err != nil {
				t.Fatal(err)
			}
			w.spec.Settings.Confine, w.spec.Settings.Test = kind, "node_modules/.bin/hello && test -e vendor/late"
			run, sum := w.run()
			if sum.State != orchestrator.RunDone || sum.Done != 2 || sum.Notes != nil {
				t.Fatalf("summary = %+v\n%s", sum, w.trouble(run.ID))
			}
			if refused := w.repo.Git("show", "devflock/integration:core/refused.txt"); strings.Count(refused, "\n") < 2 {
				t.Errorf("writes to node_modules were refused with:\n%s", refused)
			}
			if data, err := os.ReadFile(w.repo.Path("node_modules/x/words")); err != nil || string(data) != "hello of x\n" {
				t.Errorf("a worker has changed the person's folder: %q, %v", data, err)
			}
			if files := w.repo.Git("ls-tree", "-r", "--name-only", "devflock/integration"); strings.Contains(files, "node_modules") || strings.Contains(files, "vendor") {
				t.Errorf("integrated:\n%s", files)
			}
			if kind == "bwrap" && w.repo.Git("show", "devflock/integration:core/cached.txt") != "t" {
				t.Error("a worker has no cache of its own in node_modules")
			}
			if left, err := filepath.Glob(filepath.Join(w.deps.Root, "flock", "*", "trees", "*")); err != nil || len(left) > 0 {
				t.Errorf("left: %q, %v", left, err)
			}
			v := w.trouble(run.ID)
			if strings.Contains(v, "infra") {
				t.Errorf("attempts:\n%s", v)
			}
		})
	}
}
