package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/quiet"
	"github.com/devflow-suite/devflow/internal/testkit/terminal"
)

// world is a home folder with devflow installed for the user, and a small Python project on the branch feat/demo.
type world struct {
	t      *testing.T
	client claudecli.Client
	root   string
	home   claudecli.Home
	repo   gitrepo.Repo
	srv    *mockapi.Server
	bin    string
	before []byte // settings.json as it was before the installation
}

// place says where the parts of a world are, below a folder of its own. The zero place has plain names.
type place struct{ home, repo, bin string }

func newWorld(t *testing.T, c claudecli.Client, script func(path func(string) string) mockapi.Script) *world {
	t.Helper()
	return newWorldAt(t, c, place{home: "home", repo: "proj"}, script)
}

func newWorldAt(t *testing.T, c claudecli.Client, p place, script func(path func(string) string) mockapi.Script) *world {
	t.Helper()
	bin, err := product()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	quiet.Await(t, root)
	w := &world{t: t, client: c, root: root, home: claudecli.Home{Dir: filepath.Join(root, p.home)}, bin: bin}
	if p.bin != "" {
		w.bin = filepath.Join(root, p.bin)
		copyPrograms(t, bin, w.bin)
	}
	w.repo = gitrepo.New(t, filepath.Join(root, p.repo), "feat/demo")
	w.repo.Write("README.md", "# shop\n")
	w.repo.Write("src/app.py", "def add(a, b):\n    return a + b\n")
	w.repo.Write("tests/test_app.py", "from src.app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")
	w.repo.Commit("start")
	w.srv = mockapi.New(t, script(w.repo.Path))
	if err := w.home.Prepare(w.repo.Dir); err != nil {
		t.Fatal(err)
	}
	w.before = []byte(`{
    "env": {"KEEP": "1"}, "cleanupPeriodDays":   30,
    "skipDangerousModePermissionPrompt":true
}
`)
	if err := os.WriteFile(w.home.Settings(), w.before, 0o640); err != nil {
		t.Fatal(err)
	}
	w.devflow("install")
	return w
}

// copyPrograms copies through a process of its own: a program that this process had open for writing could be busy when it is started.
func copyPrograms(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-r", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy programs: %v: %s", err, out)
	}
}

// devflow runs a devflow program ("install" is `devflow install`, "telemetry:recent" is `devflow-telemetry recent`, "flock:probe" is
// `devflock probe`) as this home's user and gives what it prints; an error ends the test.
func (w *world) devflow(args ...string) string {
	w.t.Helper()
	name := "devflow"
	if rest, ok := strings.CutPrefix(args[0], "telemetry:"); ok {
		name, args = "devflow-telemetry", append([]string{rest}, args[1:]...)
	} else if rest, ok := strings.CutPrefix(args[0], "flock:"); ok {
		name, args = "devflock", append([]string{rest}, args[1:]...)
	}
	ctx, cancel := contextFor(w.t)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, name), args...)
	cmd.Dir, cmd.Env = w.repo.Dir, claudecli.Environ(w.home.Dir, w.srv.URL)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s %v: %v\n%s%s", name, args, err, out.String(), errs.String())
	}
	return out.String()
}

// run drives one headless client to the end of its prompts.
func (w *world) run(o claudecli.Options) claudecli.Result {
	w.t.Helper()
	o.Home, o.Dir, o.URL = w.home.Dir, w.repo.Dir, w.srv.URL
	return runClient(w.t, w.client, o)
}

// say runs prompts in a new session.
func (w *world) say(prompts ...string) claudecli.Result {
	w.t.Helper()
	return w.run(claudecli.Options{Prompts: prompts})
}

// goOn runs prompts in the newest session.
func (w *world) goOn(prompts ...string) claudecli.Result {
	w.t.Helper()
	return w.run(claudecli.Options{Prompts: prompts, Continue: true})
}

func (w *world) terminal(args ...string) *terminal.Terminal {
	w.t.Helper()
	return terminal.Start(w.t, w.repo.Dir, claudecli.Environ(w.home.Dir, w.srv.URL), append([]string{w.client.Path}, args...))
}

func (w *world) database() string {
	return filepath.Join(w.home.Dir, ".claude", "devflow", "telemetry", "devflow.db")
}

// rows runs a query on the store and gives each row as its columns joined with "|", NULL as "-". No store is no rows.
func (w *world) rows(sql string, args ...any) []string {
	w.t.Helper()
	if _, err := os.Stat(w.database()); os.IsNotExist(err) {
		return nil
	}
	db, err := store.Open(w.database(), store.Options{ReadOnly: true})
	if errors.Is(err, store.ErrOlder) {
		return nil // a hook is making it right now
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	var out []string
	err = db.View(func(tx *store.Tx) error {
		return tx.Query(sql, args, func(r *store.Row) error {
			var cols []string
			for i := range r.Columns() {
				if r.Null(i) {
					cols = append(cols, "-")
				} else {
					cols = append(cols, fmt.Sprint(r.Value(i)))
				}
			}
			out = append(out, strings.Join(cols, "|"))
			return nil
		})
	})
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

// one is the single row of a query.
func (w *world) one(sql string, args ...any) string {
	w.t.Helper()
	rows := w.rows(sql, args...)
	if len(rows) != 1 {
		w.t.Fatalf("%s: %d rows %q, want one; %s", sql, len(rows), rows, w.trouble())
	}
	return rows[0]
}

// eventually polls until ok, up to a bound that only a broken run reaches. It is for what a detached process does.
func (w *world) eventually(what string, ok func() bool) {
	w.t.Helper()
	ctx, cancel := contextFor(w.t)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			w.t.Fatalf("wait for %s: nothing came; %s", what, w.trouble())
		}
	}
}

// trouble is what helps to see why a test failed: the log of the hooks and the newest rows.
func (w *world) trouble() string {
	log, _ := os.ReadFile(filepath.Join(w.home.Dir, ".claude", "devflow", "logs", "hooks.jsonl"))
	return fmt.Sprintf("hook log: %s\nhook rows: %q", log, w.rows("SELECT event, tool, outcome, modules FROM hook_runs ORDER BY id DESC LIMIT 12"))
}

// conversation is all text of the requests of the main conversation.
func (w *world) conversation() string {
	var b strings.Builder
	for _, r := range w.srv.Talk("") {
		b.WriteString(r.Text())
	}
	return b.String()
}

// holds checks which texts are in another one.
func holds(t *testing.T, what, text string, present bool, want ...string) {
	t.Helper()
	for _, s := range want {
		if strings.Contains(text, s) != present {
			t.Errorf("%s holds %q: %v, want %v; it is:\n%.6000s", what, s, !present, present, text)
		}
	}
}
