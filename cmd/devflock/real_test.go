package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/quiet"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
)

// twoModules is what the scripted manager answers: words depends on nothing, page on words.
func twoModules() map[string]any {
	return map[string]any{
		"summary": "Words and a page that shows them.",
		"modules": []any{
			map[string]any{"name": "words", "path": "words", "weight": 1, "depends_on": []any{}},
			map[string]any{"name": "page", "path": "page", "weight": 1, "depends_on": []any{"words"}},
		},
		"tasks": []any{
			map[string]any{"id": "t1", "module": "words", "description": "Write the words into words.txt.", "depends_on": []any{}, "acceptance_cmd": "grep -q hello words.txt"},
			map[string]any{"id": "t2", "module": "page", "description": "Write the page from the words.", "depends_on": []any{"t1"}, "acceptance_cmd": "grep -q hello page.txt"},
		},
	}
}

// bench is a project, a scripted model and the installed program.
type bench struct {
	t    *testing.T
	repo gitrepo.Repo
	srv  *mockapi.Server
	env  []string
}

// realKey is what nobody may ever see.
const realKey = "sk-real-0123456789abcdef"

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	quiet.Await(t, dir)
	b := &bench{t: t, repo: gitrepo.New(t, filepath.Join(dir, "shop"), "main")}
	b.repo.Write("README.md", "# shop\n")
	b.repo.Commit("start")
	b.srv = mockapi.New(t, taskmodel.Model{Plan: twoModules(), Tasks: map[string][]mockapi.Step{
		"t1": {mockapi.Turn(mockapi.Bash("echo hello > words.txt")), mockapi.Say("written")},
		"t2": {mockapi.Turn(mockapi.Bash("cp ../words/words.txt page.txt")), mockapi.Say("shown")},
	}}.Script())
	b.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "DEVFLOW_HOME=" + filepath.Join(dir, "root"), "DEVFLOW_DB=" + filepath.Join(dir, "db"), "API_KEY=" + realKey}
	return b
}

// devflock runs a command and gives its standard output.
func (b *bench) devflock(args ...string) (string, error) {
	b.t.Helper()
	program, err := exec.LookPath("devflock-real")
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), program, args...)
	cmd.Dir, cmd.Env = b.repo.Dir, b.env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	b.t.Logf("devflock %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	if strings.Contains(string(out)+stderr.String(), realKey) {
		b.t.Error("the key is in the output")
	}
	return string(out), err
}

// run is the command that makes the whole of it, with more flags.
func (b *bench) run(version string, more ...string) []string {
	b.t.Helper()
	client, err := claudecli.Find("../..", version)
	if err != nil {
		b.t.Fatal(err)
	}
	return append([]string{"run", "--url", b.srv.URL, "--key-env", "API_KEY", "--model", "m-1", "--no-probe", "--idea", "words and a page", "--workers", "2", "--yes", "--no-judge", "--client", client.Path}, more...)
}

// summary is the last line of JSON lines.
func (b *bench) summary(out string) live.Summary {
	b.t.Helper()
	out = strings.TrimSpace(out)
	var event live.Event
	if err := json.Unmarshal([]byte(out[strings.LastIndex(out, "\n")+1:]), &event); err != nil || event.Summary == nil {
		b.t.Fatalf("last line of %s: %v", out, err)
	}
	return *event.Summary
}

// The whole program with the real client: an idea becomes a branch, and the person's own things stay as they are.
func TestAnIdeaBecomesABranchWithTheRealClient(t *testing.T) {
	t.Parallel()
	for _, version := range claudecli.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			before := b.repo.Git("rev-parse", "HEAD")
			out, err := b.devflock(b.run(version, "--json")...)
			if err != nil {
				log, _ := b.devflock("logs")
				t.Fatalf("run: %v\n%s\n%s", err, out, log)
			}
			if s := b.summary(out); s.State != orchestrator.RunDone || s.Done != 2 || s.Branch != "devflock/integration" || s.Usage.Tokens() == 0 {
				t.Errorf("summary = %+v", s)
			}
			if got := b.repo.Git("show", "devflock/integration:page/page.txt"); strings.TrimSpace(got) != "hello" {
				t.Errorf("page.txt = %q", got)
			}
			if after := b.repo.Git("rev-parse", "HEAD"); after != before || b.repo.Git("status", "--porcelain") != "" {
				t.Errorf("the person's tree has moved: %s, was %s", after, before)
			}
			for _, args := range [][]string{{"status"}, {"status", "--json"}, {"logs", "--task", "t2"}, {"integrate"}, {"clean", "--dry-run"}, {"clean"}} {
				if out, err := b.devflock(args...); err != nil || out == "" {
					t.Errorf("%v: %v %q", args, err, out)
				}
			}
		})
	}
}

// A run in the background is watched from elsewhere.
func TestARunInTheBackgroundWithTheRealClient(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out, err := b.devflock(b.run(claudecli.Versions()[1], "--detach")...)
	if err != nil || !strings.Contains(out, "goes on in the background") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err = b.devflock("status", "--watch", "--json"); err != nil {
		t.Fatalf("watch: %v\n%s", err, out)
	}
	if s := b.summary(out); s.State != orchestrator.RunDone {
		t.Errorf("summary = %+v", s)
	}
}
