package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/check"
	"github.com/devflow-suite/devflow/judge/gate/lint"
	"go.uber.org/goleak"
)

// TestMain keeps the configuration of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	for k, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "PWD": "."} {
		if err := os.Setenv(k, v); err != nil {
			panic(err) // unreachable: the names are valid
		}
	}
	goleak.VerifyTestMain(m)
}

const session = "s1"

// world is a clone of a bare remote on branch feat/x, a second remote, and a store.
type world struct {
	testing.TB
	gitrepo.Repo
	base  string
	deps  check.Deps
	now   time.Time
	req   gate.Request // what each request begins with
	runs  string       // file that grows by each start of the project's tests
	seq   int64
	judge *counter
}

// counter counts how often it is asked.
type counter struct {
	judge.Examiner
	asked int
}

func (c *counter) Examine(ctx context.Context, k *judge.Case) ([]judge.Reason, error) {
	c.asked++
	return c.Examiner.Examine(ctx, k)
}

// everybody is all examiners of a session as one.
type everybody struct{}

func (everybody) Name() string { return "session" }

func (everybody) Examine(ctx context.Context, k *judge.Case) (all []judge.Reason, err error) {
	for _, e := range evidence.Session() {
		found, failed := e.Examine(ctx, k)
		all, err = append(all, found...), errors.Join(err, failed)
	}
	return all, err
}

func newWorld(t testing.TB) *world { return worldOf(t, "sha1") }

func worldOf(t testing.TB, format string) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, base: base, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), runs: filepath.Join(base, "runs"), judge: &counter{Examiner: everybody{}}}
	for _, name := range []string{"origin.git", "fork.git", "own"} {
		dir := filepath.Join(base, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		args := []string{"init", "-q", "--object-format=" + format, "-b", "main"}
		if strings.HasSuffix(name, ".git") {
			args = append(args, "--bare")
		}
		w.run(dir, append([]string{"git"}, args...)...)
	}
	w.Repo = gitrepo.New(t, filepath.Join(base, "own"), "main")
	paths, err := config.ResolvePaths(func(name string) string {
		return map[string]string{"HOME": base, "DEVFLOW_HOME": filepath.Join(base, "devflow")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(paths.DB, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w.deps = check.Deps{DB: db, Paths: paths, Now: func() time.Time { return w.now }, Examiners: []judge.Examiner{w.judge}, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base}}
	w.req = gate.Request{Session: session, Root: w.Dir, Cwd: w.Dir, Home: base, Agent: true}
	w.configure("")
	w.Write("README.md", "# demo\n")
	w.Commit("one")
	w.Git("remote", "add", "origin", filepath.Join(base, "origin.git"))
	w.Git("remote", "add", "fork", filepath.Join(base, "fork.git"))
	w.Git("push", "-q", "-u", "origin", "main")
	w.Git("checkout", "-q", "-b", "feat/x")
	return w
}

// configure writes the user's configuration; the project's tests leave a trace when they start.
func (w *world) configure(text string) { w.configureTests(text, "echo x >> '"+w.runs+"'") }

func (w *world) configureTests(text, command string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.deps.Paths.File), 0o755); err != nil {
		w.Fatal(err)
	}
	text = fmt.Sprintf("%s\n[gate.tests]\n%q = %q\n", text, w.Dir, command)
	if err := os.WriteFile(w.deps.Paths.File, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	if _, problems := config.Load(w.deps.Paths, ""); len(problems) > 0 {
		w.Fatal(problems)
	}
}

// started tells how often the project's tests were started.
func (w *world) started() int {
	data, _ := os.ReadFile(w.runs)
	return strings.Count(string(data), "\n")
}

// run starts a program and gives its output; it must end well.
func (w *world) run(dir string, argv ...string) string {
	w.Helper()
	res, err := proc.Run(context.Background(), proc.Cmd{Argv: argv, Dir: dir, Env: []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
	}})
	if err != nil || res.Exit != 0 {
		w.Fatalf("%q: exit %d, %v: %s%s", argv, res.Exit, err, res.Stdout, res.Stderr)
	}
	return strings.TrimRight(string(res.Stdout), "\n")
}

// pushes reads a command line.
func (w *world) pushes(line string) []push.Push {
	w.Helper()
	s, err := shell.Parse(line)
	if err != nil {
		w.Fatalf("%q: %v", line, err)
	}
	var cmds []shell.Command
	for i := range s.Commands {
		cmds = append(cmds, gitcmd.Expand(&s.Commands[i], nil)...)
	}
	list := push.Find(&s, cmds)
	if len(list) == 0 {
		w.Fatalf("%q: no push", line)
	}
	return list
}

// ask asks about a command line.
func (w *world) ask(line string, edit ...func(*gate.Request)) gate.Result {
	w.Helper()
	req := w.req
	req.Pushes = w.pushes(line)
	for _, e := range edit {
		e(&req)
	}
	return w.send(req)
}

// send asks, and holds every answer to what all answers promise.
func (w *world) send(req gate.Request) gate.Result {
	w.Helper()
	w.now = w.now.Add(time.Second)
	res := check.Run(context.Background(), w.deps, req)
	if len(res.Text) > gate.MaxText || len(res.Line) > gate.MaxText || strings.Contains(res.Line, "\n") {
		w.Errorf("line of %d bytes, text of %d bytes: %q %q", len(res.Line), len(res.Text), res.Line, res.Text)
	}
	if res.Refused() && (len(res.Rules) == 0 || res.Text == "" || res.Line == "") || !res.Refused() && len(res.Rules) > 0 {
		w.Errorf("%s with rules %q, line %q, text %q", res.Verdict, res.Rules, res.Line, res.Text)
	}
	return res
}

// hook asks as git's pre-push hook does, about one ref.
func (w *world) hook(remote, local, ref, there string, edit ...func(*gate.Request)) gate.Result {
	w.Helper()
	req := w.req
	req.Session, req.Remote = "", remote
	req.PrePush = fmt.Appendf(nil, "%s %s %s %s\n", "refs/heads/any", local, ref, there)
	for _, e := range edit {
		e(&req)
	}
	return w.send(req)
}

// expect compares verdict, rules, and words of what is said.
func (w *world) expect(what string, res gate.Result, rules []string, words ...string) {
	w.Helper()
	if !slices.Equal(res.Rules, rules) {
		w.Errorf("%s: rules %q, want %q: %s", what, res.Rules, rules, res.Text+res.Line)
	}
	for _, word := range words {
		if !strings.Contains(res.Line+"\n"+res.Text, word) {
			w.Errorf("%s: nothing of %q in %q", what, word, res.Line+"\n"+res.Text)
		}
	}
}

// judged records a verdict about the work tree as it is.
func (w *world) judged(outcome judge.Outcome, level string, reasons string) string {
	w.Helper()
	repo, err := gitx.Find(w.Dir)
	if err != nil {
		w.Fatal(err)
	}
	tree, err := repo.Snapshot(context.Background(), gitx.ObjectDir(w.deps.Paths.Objects, repo.Root))
	if err != nil {
		w.Fatal(err)
	}
	if reasons == "" {
		reasons = "[]"
	}
	w.seq++
	w.now = w.now.Add(time.Second)
	err = w.deps.DB.Update(func(tx *store.Tx) error {
		if _, err := tx.Exec("INSERT INTO tasks(session_id,seq,project_root) VALUES(?,?,?)", session, 100+w.seq, w.Dir); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO judge_runs(session_id,seq,n,oversight,started_ms,verdict,reasons,told,tree) VALUES(?,?,1,?,?,?,?,0,?)",
			session, 100+w.seq, level, w.now.UnixMilli(), string(outcome), reasons, tree)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return tree
}

// rows gives columns of table pushes, the oldest first.
func (w *world) rows(columns string) (list []string) {
	w.Helper()
	err := w.deps.DB.View(func(tx *store.Tx) error {
		return tx.Query("SELECT concat_ws(' ',"+columns+") FROM pushes ORDER BY id", nil, func(r *store.Row) error {
			list = append(list, r.Text(0))
			return nil
		})
	})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// work is a file with its test, that every linter likes.
func (w *world) work(name string) {
	w.Helper()
	w.Write("src/"+name+".py", "def f():\n    return 1\n")
	w.Write("tests/test_"+name+".py", "from src."+name+" import f\n\n\ndef test_f():\n    assert f() == 1\n")
}

// quick are linters that pass at once, for tests about something else.
func quick() []lint.Linter {
	return []lint.Linter{{Name: "quick", Run: func(context.Context, *lint.Input) ([]lint.Finding, []string, int, error) { return nil, nil, 1, nil }}}
}

const zeros = "0000000000000000000000000000000000000000"
