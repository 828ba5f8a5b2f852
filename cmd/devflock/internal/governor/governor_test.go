package governor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/governor"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/panel"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

func TestAWorkerThatTakesATestAwayIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	trees := place.Of(root, "r1").Trees()
	if err := os.MkdirAll(trees, 0o700); err != nil {
		t.Fatal(err)
	}
	repo := gitrepo.New(t, filepath.Join(trees, "api"), "devflock/r1/api")
	repo.Write("api/app.py", "def add(a, b):\n    return a + b\n")
	repo.Write("api/test_app.py", "from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n")
	repo.Commit("start")
	base := repo.Git("rev-parse", "HEAD")
	g := governor.Judge{Root: root, Panel: panel.ByHand(panel.Options{Config: config.Judge{Backend: config.BackendOff}})}
	rule := func(commit string) schedule.Ruling {
		t.Helper()
		r, err := g.Judge(t.Context(), schedule.Change{Run: "r1", Task: orchestrator.TaskRow{Task: orchestrator.Task{ID: "t1", Description: "add things"}, Region: "api"}, Base: base, Commit: commit})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	repo.Write("api/app.py", "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n")
	repo.Write("api/test_app.py", "from app import add, sub\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n\n\ndef test_sub():\n    assert sub(3, 1) == 2\n")
	repo.Commit("honest")
	if r := rule(repo.Git("rev-parse", "HEAD")); !r.OK {
		t.Errorf("honest work is refused: %s", r.Failure)
	}
	repo.Write("api/test_app.py", "from app import add, sub\n\n\ndef test_sub():\n    assert sub(3, 1) == 2\n")
	repo.Commit("fewer tests")
	if r := rule(repo.Git("rev-parse", "HEAD")); r.OK || !strings.Contains(r.Failure, "test_app.py") || !strings.Contains(r.Failure, "test_zero") {
		t.Errorf("tests were taken away: %+v", r)
	}
	if _, err := g.Judge(t.Context(), schedule.Change{Run: "r2", Task: orchestrator.TaskRow{Region: "api"}, Base: base}); err == nil {
		t.Error("a tree that is not there was judged")
	}
}
