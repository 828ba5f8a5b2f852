package robust_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/quiet"
)

// programs are the hook executables and the events that each is registered for.
var programs = [...]struct {
	name   string
	events []string
}{
	{"devflow-session-start", []string{"SessionStart"}},
	{"devflow-user-prompt-submit", []string{"UserPromptSubmit", "UserPromptExpansion"}},
	{"devflow-pre-tool-use", []string{"PreToolUse"}},
	{"devflow-post-tool-use", []string{"PostToolUse", "PostToolUseFailure", "SubagentStart", "CwdChanged"}},
	{"devflow-pre-compact", []string{"PreCompact", "PostCompact"}},
	{"devflow-stop", []string{"Stop", "StopFailure", "SubagentStop"}},
	{"devflow-session-end", []string{"SessionEnd"}},
}

// program is the executable that is registered for an event.
func program(event string) string {
	for _, p := range programs {
		for _, e := range p.events {
			if e == event {
				return p.name
			}
		}
	}
	return ""
}

// world is a home folder, a root and a project, and the programs that run in it.
type world struct {
	t    testing.TB
	dir  string
	bin  string   // folder of the programs
	root string   // $DEVFLOW_HOME
	tmp  string   // $TMPDIR
	repo string   // the project
	env  []string // of every process
}

// newWorld makes a world whose project is an empty folder and where no boundary lane runs.
func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	quiet.Await(t, dir)
	return worldAt(t, dir)
}

func worldAt(t testing.TB, dir string) *world {
	t.Helper()
	w := &world{
		t: t, dir: dir, bin: built.lone, root: filepath.Join(dir, "home", "root"), tmp: filepath.Join(dir, "tmp"), repo: filepath.Join(dir, "proj"),
	}
	for _, d := range []string{filepath.Join(dir, "home"), w.tmp, w.repo} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "DEVFLOW_HOME=" + w.root, "TMPDIR=" + w.tmp}
	return w
}

// withRepo makes the project a repository with one commit.
func (w *world) withRepo() *world {
	w.t.Helper()
	r := gitrepo.New(w.t, w.repo, "feat/demo")
	r.Write("README.md", "# demo\n")
	r.Write("a.py", "def f():\n    return 2\n")
	r.Commit("start")
	return w
}

// result is how one process ended.
type result struct {
	stdout, stderr []byte
	err            error // nil for exit status 0
}

// exec runs a program to its end.
func (w *world) exec(argv []string, stdin []byte, vars ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env = w.repo, append(w.env[:len(w.env):len(w.env)], vars...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	err := cmd.Run()
	return result{out.Bytes(), errs.Bytes(), err}
}

// raw runs a hook on any bytes; vars are put on top of the environment.
func (w *world) raw(name string, stdin []byte, vars ...string) result {
	return w.exec([]string{filepath.Join(w.bin, name)}, stdin, vars...)
}

// ok runs a hook on bytes and gives what it printed; anything but exit status 0 and a silent stderr is an error.
func (w *world) ok(name string, stdin []byte, vars ...string) string {
	w.t.Helper()
	r := w.raw(name, stdin, vars...)
	if r.err != nil || len(r.stderr) > 0 {
		w.t.Errorf("%s on %.300q: %v, stderr %.2000s", name, stdin, r.err, r.stderr)
	}
	return string(r.stdout)
}

// fields are the members of a hook input.
type fields map[string]any

// event builds the input of an event of a session.
func (w *world) event(session, event string, more fields) []byte {
	w.t.Helper()
	in := fields{"session_id": session, "transcript_path": filepath.Join(w.dir, session+".jsonl"), "cwd": w.repo, "permission_mode": "default", "hook_event_name": event}
	for k, v := range more {
		in[k] = v
	}
	data, err := json.Marshal(in)
	if err != nil {
		w.t.Fatal(err)
	}
	return data
}

// say runs the hook that is registered for an event and gives what it printed, which must be a valid answer.
func (w *world) say(session, event string, more fields) string {
	w.t.Helper()
	out := w.ok(program(event), w.event(session, event, more))
	if err := valid(event, []byte(out)); err != nil {
		w.t.Errorf("answer to %s: %v: %s", event, err, out)
	}
	return out
}

func (w *world) database() string { return filepath.Join(w.root, "telemetry", "devflow.db") }

// rows runs a query on the store and gives each row as its columns joined by "|", NULL as "-". No store is no rows.
func (w *world) rows(sql string, args ...any) []string {
	w.t.Helper()
	if _, err := os.Stat(w.database()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := store.Open(w.database(), store.Options{ReadOnly: true})
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

// count is the number that a query gives; 0 without a store.
func (w *world) count(sql string, args ...any) int {
	w.t.Helper()
	rows := w.rows(sql, args...)
	if len(rows) == 0 {
		return 0
	}
	n, err := strconv.Atoi(rows[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// update writes to the store as devflow does.
func (w *world) update(fn func(tx *store.Tx) error) {
	w.t.Helper()
	db, err := store.Open(w.database(), store.Options{})
	if err == nil {
		err = errors.Join(db.Update(fn), db.Close())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// logFiles are the places of the hooks' log, the preferred one first.
func (w *world) logFiles() []string {
	return []string{filepath.Join(w.root, "logs", "hooks.jsonl"), filepath.Join(w.fallback(), "hooks.jsonl")}
}

// fallback is devflow's folder in the temporary directory.
func (w *world) fallback() string {
	w.t.Helper()
	p, err := config.ResolvePaths(func(name string) string { return map[string]string{"DEVFLOW_HOME": w.root, "TMPDIR": w.tmp}[name] })
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Fallback
}

// log gives the lines of the hooks' log, wherever it was written.
func (w *world) log() []string {
	w.t.Helper()
	var lines []string
	for _, name := range w.logFiles() {
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue // none, or something odd in its place
		}
		data, err := os.ReadFile(name)
		if err != nil {
			w.t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if !json.Valid([]byte(line)) {
				w.t.Errorf("%s: a line is not JSON: %.300q", name, line)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// spooled counts the files of both spools by their ending.
func (w *world) spooled(ext string) int {
	w.t.Helper()
	n := 0
	for _, dir := range []string{filepath.Join(w.root, "spool"), filepath.Join(w.fallback(), "spool")} {
		found, err := filepath.Glob(filepath.Join(dir, "*"+ext))
		if err != nil {
			w.t.Fatal(err)
		}
		n += len(found)
	}
	return n
}

// files lists everything below a folder; a missing one holds nothing.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			found = append(found, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}
