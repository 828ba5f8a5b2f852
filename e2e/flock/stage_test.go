package flock_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/quiet"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
)

// realKey is what nobody but the endpoint may ever see.
const realKey = "sk-real-5d41402abc4b2a76b9719d911017c592"

// shape is how the person's project looks when a run starts.
type shape string

const (
	plain     shape = "plain"     // a clean repository
	empty     shape = "empty"     // no commit yet
	dirty     shape = "dirty"     // changed, staged, stashed and untracked files; starts from --base HEAD
	subfolder shape = "subfolder" // the project is a folder of the repository
	linked    shape = "linked"    // the project is a linked work tree, detached
	detached  shape = "detached"  // HEAD is at a commit, dirty besides
)

// stage is a person with a project, a place for devflow's files, and a scripted model.
type stage struct {
	*testing.T
	client  claudecli.Client
	dir     string // everything of the stage
	home    string // the person's
	root    string // devflow's
	gates   string // FIFOs, which workers and checks can read
	project string
	repo    gitrepo.Repo // the main work tree
	shape   shape
	srv     *mockapi.Server
	url     string // that devflock is told
	before  string // the person's own things
}

func newStage(t *testing.T, c claudecli.Client, s shape, script mockapi.Script) *stage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	quiet.Await(t, dir)
	st := &stage{T: t, client: c, dir: dir, home: filepath.Join(dir, "home"), root: filepath.Join(dir, "devflow"), gates: filepath.Join(dir, "gates"), shape: s}
	st.srv = mockapi.New(t, script)
	st.url = st.srv.URL
	st.repo = gitrepo.New(t, filepath.Join(dir, "proj"), "main")
	st.project = st.repo.Dir
	if err := os.Mkdir(st.gates, 0o755); err != nil {
		t.Fatal(err)
	}
	st.furnish()
	st.lay()
	st.before = st.own()
	return st
}

// furnish puts into the person's home what no worker may read or run.
func (s *stage) furnish() {
	s.Helper()
	for path, text := range map[string]string{
		".ssh/id_ed25519": "PERSONAL-NOTE key\n", ".netrc": "PERSONAL-NOTE password\n", ".claude/CLAUDE.md": "PERSONAL-NOTE memory\n", ".claude/.credentials.json": `{"token":"PERSONAL-NOTE"}`,
		".claude/settings.json": `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch ` + filepath.Join(s.dir, "hooked") + `"}]}]},"env":{"PERSONAL":"PERSONAL-NOTE"}}`,
		".gitconfig":            "[user]\n\tname = A Person\n\temail = person@example.com\n[core]\n\thooksPath = " + s.repo.Path(".git/hooks") + "\n",
	} {
		s.write(filepath.Join(s.home, path), text)
	}
}

// lay makes the project as its shape says.
func (s *stage) lay() {
	s.Helper()
	r := s.repo
	if s.shape != empty {
		r.Write("README.md", "# shop\n")
		r.Write("shared/theirs.txt", "theirs\n")
		r.Write("CLAUDE.md", "GUIDE-OF-THE-PROJECT\n")
		if s.shape == subfolder {
			r.Write("apps/shop/README.md", "# the shop itself\n")
			s.project = r.Path("apps/shop")
		}
		r.Commit("start")
		r.Git("tag", "v1")
		r.Git("branch", "devflocks/mine") // close to our names, and not ours
	}
	switch s.shape {
	case dirty, detached:
		r.Write("README.md", "# shop, stashed\n")
		r.Git("stash")
		if s.shape == detached {
			r.Git("checkout", "-q", "--detach")
		}
		r.Write("shared/theirs.txt", "changed by the person\n")
		r.Write("shared/staged.txt", "staged\n")
		r.Git("add", "shared/staged.txt")
		r.Write("untracked/note.txt", "mine\n")
	case linked:
		s.project = filepath.Join(s.dir, "linked")
		r.Git("worktree", "add", "-q", "--detach", s.project, "HEAD")
	}
	for _, hook := range []string{"pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-merge-commit", "reference-transaction", "post-rewrite", "pre-push"} {
		s.write(r.Path(".git/hooks/"+hook), "#!/bin/sh\ntouch "+filepath.Join(s.dir, "hooked")+"\n")
		s.executable(r.Path(".git/hooks/" + hook))
	}
}

func (s *stage) write(path, text string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) executable(path string) {
	s.Helper()
	if err := os.Chmod(path, 0o755); err != nil {
		s.Fatal(err)
	}
}

// environ is the person's environment.
func (s *stage) environ() []string {
	return []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + s.home, "DEVFLOW_HOME=" + s.root, "LANG=C.UTF-8", "TERM=dumb", "API_KEY=" + realKey,
		"ANTHROPIC_API_KEY=" + realKey, "ANTHROPIC_AUTH_TOKEN=" + realKey, "GIT_AUTHOR_NAME=PERSONAL-NOTE", "NODE_OPTIONS=--no-warnings",
	}
}

// flags are those of every run.
func (s *stage) flags(more ...string) []string {
	list := []string{"run", "--url", s.url, "--key-env", "API_KEY", "--model", "m-1", "--no-probe", "--no-judge", "--yes", "--json", "--client", s.client.Path, "--expose", s.gates}
	if s.project != s.repo.Dir {
		list = append(list, "--project", s.project)
	}
	if s.shape == dirty || s.shape == detached {
		list = append(list, "--base", "HEAD")
	}
	return append(list, more...)
}

// plan writes a plan file and gives the flags that name it.
func (s *stage) plan(p orchestrator.Plan) []string {
	s.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		s.Fatal(err)
	}
	file := filepath.Join(s.dir, "plan.json")
	s.write(file, string(data))
	return []string{"--plan", file, "--workers", fmt.Sprint(len(p.Modules))}
}

// rows are what the database says about the newest run.
type rows struct {
	run      orchestrator.Run
	regions  []orchestrator.RegionState
	tasks    map[string]orchestrator.TaskRow
	attempts []orchestrator.Attempt
}

func (s *stage) rows() (r rows) {
	s.Helper()
	db, err := store.Open(filepath.Join(s.root, "telemetry", "devflow.db"), store.Options{ReadOnly: true})
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	l := orchestrator.Open(db, time.Now)
	runs, err := l.Runs(1)
	if err != nil || len(runs) == 0 {
		s.Fatalf("rows of runs: %v, %v", runs, err)
	}
	r.run = runs[0]
	if r.regions, err = l.Regions(r.run.ID); err != nil {
		s.Fatal(err)
	}
	list, err := l.Tasks(r.run.ID)
	if err != nil {
		s.Fatal(err)
	}
	r.tasks = map[string]orchestrator.TaskRow{}
	for _, t := range list {
		r.tasks[t.ID] = t
	}
	if r.attempts, err = l.Attempts(r.run.ID); err != nil {
		s.Fatal(err)
	}
	return r
}

// of are the attempts at a task.
func (r rows) of(task string) (list []orchestrator.Attempt) {
	for _, a := range r.attempts {
		if a.Task == task {
			list = append(list, a)
		}
	}
	return list
}

func (r rows) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s: %s %s\n", r.run.ID, r.run.State, r.run.Reason)
	for _, t := range r.tasks {
		fmt.Fprintf(&b, "task %s %s %d: %s\n", t.ID, t.State, t.Attempts, t.Reason)
	}
	for _, a := range r.attempts {
		fmt.Fprintf(&b, "attempt %s-%d %s %s session %s: %s\n", a.Task, a.Number, a.Kind, a.State, a.Session, a.Failure)
	}
	return b.String()
}

// folder is that of the newest run.
func (s *stage) folder() string {
	s.Helper()
	return filepath.Join(s.root, "flock", string(s.rows().run.ID))
}

// trouble is what helps to see why a test failed.
func (s *stage) trouble() string {
	s.Helper()
	if found, _ := filepath.Glob(filepath.Join(s.root, "flock", "*", "log.jsonl")); len(found) == 0 {
		return "no run was made"
	}
	log, _ := os.ReadFile(filepath.Join(s.folder(), "log.jsonl"))
	return s.rows().String() + string(log)
}

// show is a file of the integrated branch.
func (s *stage) show(path string) string {
	s.Helper()
	if s.shape == subfolder {
		path = "apps/shop/" + path
	}
	return s.repo.Git("show", "devflock/integration:"+path)
}

// treeIn finds the work tree of a region in the rules that its worker was given.
var treeIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/[^\s"']*/flock/[^/\s]+/trees/[a-z0-9_-]+`) })

// does is a task that is done by one command, however often its worker is interrupted: the command is given until it was seen to
// have ended well.
func does(command string) []mockapi.Step {
	step := mockapi.Step{Do: func(r mockapi.Request) mockapi.Step {
		if strings.Contains(r.Last(), "work-finished") {
			return mockapi.Say("I have run: " + command)
		}
		return mockapi.Turn(mockapi.Bash(command + " && echo work-$(echo finished)"))
	}}
	return []mockapi.Step{step, step, step, step, step, step}
}

// bounded ends what a broken program would never end.
func bounded(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), 90*time.Second)
}

func script(tasks map[string][]mockapi.Step) mockapi.Script {
	return taskmodel.Model{Tasks: tasks}.Script()
}
