package handover_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/cmd/devflow/internal/handover"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator"
)

const two = `{"summary":"a shop","modules":[{"name":"core","path":"core","weight":1,"depends_on":[]},{"name":"api","path":"api","weight":1,"depends_on":["core"]}],
"tasks":[{"id":"t1","module":"core","description":"keep the prices","depends_on":[],"acceptance_cmd":"grep -q 3 prices.txt"},
{"id":"t2","module":"api","description":"serve the prices","depends_on":["t1"],"acceptance_cmd":"grep -q 3 served.txt"}]}`

const one = `{"summary":"a shop","modules":[{"name":"core","path":"core","weight":1,"depends_on":[]}],
"tasks":[{"id":"t1","module":"core","description":"keep the prices","depends_on":[],"acceptance_cmd":"grep -q 3 prices.txt"}]}`

func TestAFinishedSpecificationQueuesItsPlanOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, status, plan string
		runs               int
		wrong              string // reason of a run that has failed
	}{
		{"two regions", "COMPLETED", "# Plan\n\n```devflock\n" + two + "\n```\n", 1, ""},
		{"line ends of Windows", "COMPLETED", "# Plan\r\n\r\n```devflock\r\n" + strings.ReplaceAll(two, "\n", "\r\n") + "\r\n```\r\n", 1, ""},
		{"longer fence behind other blocks", "COMPLETED", "```sh\nls\n```\n  ````  devflock \n" + two + "\n  ````\n", 1, ""},
		{"one region", "COMPLETED", "# Plan\n\n```devflock\n" + one + "\n```\n", 0, ""},
		{"not finished", "IMPLEMENTING", "```devflock\n" + two + "\n```\n", 0, ""},
		{"no plan for devflock", "COMPLETED", "# Plan\n```json\n" + two + "\n```\n", 0, ""},
		{"an example of one", "COMPLETED", "````md\n```devflock\n" + two + "\n```\n````\n", 0, ""},
		{"block without end", "COMPLETED", "```devflock\n" + two, 0, ""},
		{"broken plan", "COMPLETED", "```devflock\n{\"summary\":1}\n```\n", 1, "the plan in docs/plan.md is wrong: "},
		{"wrong plan", "COMPLETED", "```devflock\n" + strings.ReplaceAll(two, `["t1"]`, `["t9"]`) + "\n```\n", 1, "t9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			repo := gitrepo.New(t, filepath.Join(dir, "proj"), "main")
			repo.Write("docs/plan.md", c.plan)
			paths, err := config.ResolvePaths(func(name string) string {
				return map[string]string{"HOME": dir, "DEVFLOW_HOME": filepath.Join(dir, "root")}[name]
			})
			if err != nil {
				t.Fatal(err)
			}
			db, err := store.Open(paths.DB, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			if err := handover.Queue(paths, db, "s-1", time.Now); err != nil {
				t.Errorf("without a marker: %v", err)
			}
			marker, err := json.Marshal(map[string]any{"status": c.status, "plan_path": "docs/plan.md", "cwd": repo.Dir, "started_at": 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(paths.SessionDir("s-1"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(paths.SessionDir("s-1"), "active-spec.json"), marker, 0o600); err != nil {
				t.Fatal(err)
			}
			ledger := orchestrator.Open(db, time.Now)
			for range 3 {
				if err := handover.Queue(paths, db, "s-1", time.Now); err != nil {
					t.Errorf("queue: %v", err)
				}
				if runs, err := ledger.Runs(10); err == nil && len(runs) == 1 && c.wrong == "" { // it ends, and the marker stays
					if err := ledger.SetState(runs[0].ID, orchestrator.RunDone, ""); err != nil && !errors.Is(err, orchestrator.ErrState) {
						t.Fatal(err)
					}
				}
			}
			runs, err := ledger.Runs(10)
			if err != nil || len(runs) != c.runs {
				t.Fatalf("%d runs, %v; want %d", len(runs), err, c.runs)
			}
			if c.wrong != "" {
				if r := runs[0]; r.State != orchestrator.RunFailed || !strings.Contains(r.Reason, c.wrong) || r.Session != "s-1" {
					t.Errorf("run = %+v, want one that has failed with %q", r, c.wrong)
				}
			} else if c.runs == 1 {
				if r := runs[0]; r.State != orchestrator.RunDone || r.Session != "s-1" || r.Project != repo.Dir || len(r.Plan.Tasks) != 2 || r.Mode != orchestrator.ModeFixed {
					t.Errorf("run = %+v", r)
				}
			}
		})
	}
}
