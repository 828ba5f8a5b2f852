package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install"
	"github.com/devflow-suite/devflow/install/doctor"
	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
)

// healthy is a hook that does what doctor wants to see: it runs only without
// the marker of children, stores something in its own root and answers.
const healthy = `#!/bin/sh
[ -z "$DEVFLOW_CHILD" ] || exit 3
[ "$DEVFLOW_HOME" != "" ] && [ -z "$DEVFLOW_DB" ] || exit 4
grep -q '"hook_event_name"' || exit 5
mkdir -p "$DEVFLOW_HOME/telemetry" && : > "$DEVFLOW_HOME/telemetry/devflow.db"
echo '{"systemMessage": "hello"}'
`

func installedAt() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// world is an installation in a home of its own.
type world struct {
	t    testing.TB
	home string
	env  map[string]string
	opt  install.Options
	cfg  doctor.Config
	seen seen
}

type seen map[string]time.Time

func (s seen) LastSeen(id string) (time.Time, bool, error) {
	if id == "broken" {
		return time.Time{}, false, errors.New("disk failure")
	}
	at, ok := s[id]
	return at, ok, nil
}

func newWorld(t testing.TB) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, home: filepath.Join(base, "home"), seen: seen{}}
	w.env = map[string]string{"HOME": w.home, "TMPDIR": base}
	getenv := func(k string) string { return w.env[k] }
	for _, name := range install.RequiredBinaries() {
		w.write(filepath.Join(base, "built", name), healthy, 0o755)
	}
	w.opt = install.Options{From: filepath.Join(base, "built"), Getenv: getenv, Now: installedAt, Project: filepath.Join(w.home, "proj")}
	w.cfg = doctor.Config{
		Getenv: getenv, Project: w.opt.Project, Managed: filepath.Join(base, "managed.json"), Seen: w.seen, Temp: filepath.Join(base, "tmp"),
		Now: func() time.Time { return installedAt().Add(time.Hour) },
	}
	if err := os.Mkdir(w.cfg.Temp, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := install.Install(t.Context(), w.opt); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) write(path, text string, mode os.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) root() string               { return filepath.Join(w.home, ".claude", "devflow") }
func (w *world) bin(name string) string     { return filepath.Join(w.root(), "bin", name) }
func (w *world) user() string               { return filepath.Join(w.home, ".claude", "settings.json") }
func (w *world) project(name string) string { return filepath.Join(w.opt.Project, ".claude", name) }

func (w *world) edit(path, old, text string) {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		w.t.Fatalf("%s does not hold %q", path, old)
	}
	w.write(path, strings.ReplaceAll(string(data), old, text), 0o644)
}

// transcript writes a session whose newest answer of the model is at a time.
func (w *world) transcript(id string, at time.Time) {
	w.t.Helper()
	stamp := at.Format(time.RFC3339Nano)
	path := filepath.Join(w.home, ".claude", "projects", "-home-proj", id+".jsonl")
	w.write(path, strings.Repeat("{\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n", 20_000)+
		`{"type":"assistant","timestamp":"`+stamp+`","message":{"id":"m","model":"claude-opus-4-8","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":1,"output_tokens":1}}}`+"\n"+
		`{"type":"assistant","timestamp":"2027-01-01T00:00:00Z","message":{"id":"n","model":"<synthetic>","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}`+"\n", 0o600)
	if err := os.Chtimes(path, time.Time{}, at.Add(time.Second)); err != nil {
		w.t.Fatal(err)
	}
}

func find(r doctor.Report, id string) doctor.Check {
	for _, c := range r.Checks {
		if c.ID == id {
			return c
		}
	}
	return doctor.Check{}
}

func TestAHealthyInstallationHasNoFinding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db, err := store.Open(filepath.Join(w.root(), "telemetry", "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w.transcript("s1", installedAt().Add(30*time.Minute))
	w.transcript("s0", installedAt().Add(-30*time.Minute)) // before the installation
	w.seen["s1"] = installedAt().Add(29 * time.Minute)
	r := doctor.Run(t.Context(), w.cfg)
	if r.Status() != doctor.OK {
		t.Errorf("findings:\n%s", strings.Join(r.Lines(), "\n"))
	}
	var ids []string
	for _, c := range r.Checks {
		ids = append(ids, c.ID)
	}
	want := []string{"manifest", "executables", "self-test", "settings", "enabled", "registered", "once", "git", "database", "spool", "log", "silent"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	if s := find(r, "silent"); !strings.Contains(s.Text, "all 1 sessions") {
		t.Errorf("silent: %q", s.Text)
	}
	if entries, err := os.ReadDir(w.cfg.Temp); err != nil || len(entries) > 0 {
		t.Errorf("the temporary folders are left: %v, %v", entries, err)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	minute := func(n int) time.Time { return installedAt().Add(time.Duration(n) * time.Minute) }
	tests := []struct {
		name   string
		spoil  func(w *world)
		id     string
		status doctor.Status
		text   string
	}{
		{"executable missing", func(w *world) { _ = os.Remove(w.bin("devflow-stop")) }, "executables", doctor.Fail, "devflow-stop is missing"},
		{"its entry then points at nothing", func(w *world) { _ = os.Remove(w.bin("devflow-stop")) }, "registered", doctor.Fail, "which is not there"},
		{"executable without x", func(w *world) { w.write(w.bin("devflow-stop"), healthy, 0o644) }, "executables", doctor.Fail, "devflow-stop is not executable"},
		{"another build", func(w *world) { w.write(w.bin("devflow-stop"), healthy+"#\n", 0o755) }, "manifest", doctor.Warn, "another build"},
		{"hook exits 2", func(w *world) { w.write(w.bin("devflow-stop"), "#!/bin/sh\necho 'panic: x' >&2\nexit 2\n", 0o755) }, "self-test", doctor.Fail, "devflow-stop on Stop: status 2, want 0: panic: x"},
		{"hook prints text", func(w *world) { w.write(w.bin("devflow-stop"), "#!/bin/sh\necho hi\n", 0o755) }, "self-test", doctor.Fail, "neither empty nor one JSON object"},
		{"hook prints two objects", func(w *world) { w.write(w.bin("devflow-stop"), "#!/bin/sh\necho '{}{}'\n", 0o755) }, "self-test", doctor.Fail, "neither empty nor one JSON object"},
		{"hooks store nothing", func(w *world) {
			for _, name := range settings.Binaries() {
				w.write(w.bin(name), "#!/bin/sh\nexit 0\n", 0o755)
			}
		}, "self-test", doctor.Fail, "made no database"},
		{"hook complains in its log", func(w *world) {
			w.write(w.bin("devflow-stop"), healthy+`mkdir -p "$DEVFLOW_HOME/logs"; echo '{"ts":"2026-03-01T12:00:00Z","hook":"devflow-stop","msg":"open store","cause":"disk full"}' >> "$DEVFLOW_HOME/logs/hooks.jsonl"`+"\n", 0o755)
		}, "self-test", doctor.Warn, "devflow-stop: open store: disk full"},
		{"no manifest", func(w *world) { _ = os.Remove(filepath.Join(w.root(), install.ManifestName)) }, "manifest", doctor.Warn, "there is none"},
		{"broken manifest", func(w *world) { w.write(filepath.Join(w.root(), install.ManifestName), "{", 0o600) }, "manifest", doctor.Fail, "not usable"},
		{"settings edited is fine", func(w *world) { w.edit(w.user(), "{\n  \"hooks\"", "{\n  \"model\": \"x\",\n  \"hooks\"") }, "manifest", doctor.OK, "1 edited since"},
		{"settings truncated", func(w *world) { w.edit(w.user(), "}\n", "\n") }, "settings", doctor.Fail, "settings.json: line "},
		{"settings empty", func(w *world) { w.write(w.user(), "", 0o644) }, "settings", doctor.Fail, "the file is empty"},
		{"timeout of another hook is a string", func(w *world) {
			w.write(w.project("settings.json"), `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}]}}`, 0o644)
		}, "settings", doctor.Warn, "settings.json:1:71"},
		{"switch of a wrong type", func(w *world) { w.write(w.project("settings.json"), `{"disableAllHooks": "no"}`, 0o644) }, "settings", doctor.Fail, "settings.json:1:21"},
		{"unknown event", func(w *world) { w.write(w.project("settings.json"), `{"hooks":{"Stopp":[]}}`, 0o644) }, "settings", doctor.Warn, "hooks.Stopp"},
		{"hook removed", func(w *world) { w.edit(w.user(), `"PreCompact"`, `"Notification"`) }, "registered", doctor.Fail, "missing: PreCompact"},
		{"all removed", func(w *world) { w.write(w.user(), "{}", 0o644) }, "registered", doctor.Fail, "no hook of devflow"},
		{"milliseconds", func(w *world) { w.edit(w.user(), "600", "600000") }, "registered", doctor.Warn, "600000 s, want 600"},
		{"disabled by the user", func(w *world) { w.edit(w.user(), "{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\"") }, "enabled", doctor.Fail, "settings.json switches all hooks off"},
		{"disabled by the project", func(w *world) { w.write(w.project("settings.json"), `{"disableAllHooks": true}`, 0o644) }, "enabled", doctor.Fail, "proj/.claude/settings.json switches"},
		{"enabled again by local", func(w *world) {
			w.write(w.project("settings.json"), `{"disableAllHooks": true}`, 0o644)
			w.write(w.project("settings.local.json"), `{"disableAllHooks": false}`, 0o644)
		}, "enabled", doctor.OK, ""},
		{"managed hooks only", func(w *world) { w.write(w.cfg.Managed, `{"allowManagedHooksOnly": true}`, 0o644) }, "enabled", doctor.Fail, "allowManagedHooksOnly"},
		{"managed off", func(w *world) { w.write(w.cfg.Managed, `{"disableAllHooks": true}`, 0o644) }, "enabled", doctor.Fail, "managed.json"},
		{"safe mode", func(w *world) { w.env["CLAUDE_CODE_SAFE_MODE"] = "1" }, "enabled", doctor.Fail, "CLAUDE_CODE_SAFE_MODE"},
		{"two scopes with the same command run once", func(w *world) {
			w.opt.Scope = install.Local
			if _, err := install.Install(w.t.Context(), w.opt); err != nil {
				w.t.Fatal(err)
			}
		}, "once", doctor.OK, ""},
		{"two generations", func(w *world) {
			w.write(w.project("settings.json"), `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/old clone/bin/devflow-stop"},{"type":"command","command":"'/old clone/bin/devflow-stop' || exit 0","timeout":600}]}]}}`, 0o644)
		}, "once", doctor.Fail, "2 generations of devflow run side by side: Stop at "},
		{"stray entry", func(w *world) {
			w.write(w.project("settings.json"), `{"hooks":{"Notification":[{"hooks":[{"type":"command","command":"/x/devflow-stop"}]}]}}`, 0o644)
		}, "once", doctor.Warn, "devflow-stop on Notification"},
		{"python version", func(w *world) {
			w.write(w.project("settings.json"), `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"python3 /c/devflow/hooks/spec_stop_guard.py"}]}]}}`, 0o644)
		}, "python-version", doctor.Warn, "spec_stop_guard.py"},
		{"database of somebody else", func(w *world) {
			w.write(filepath.Join(w.root(), "telemetry", "devflow.db"), "not a database at all, but long enough to be read as one", 0o600)
		}, "database", doctor.Fail, "devflow.db"},
		{"spool waits", func(w *world) { w.write(filepath.Join(w.root(), "spool", "s.spool"), "x", 0o600) }, "spool", doctor.Warn, "1 sessions"},
		{"bad spool", func(w *world) { w.write(filepath.Join(w.root(), "spool", "s.bad"), "x", 0o600) }, "spool", doctor.Warn, "could not be read"},
		{"complaint in the log", func(w *world) {
			w.write(filepath.Join(w.root(), "logs", "hooks.jsonl"), "garbage\n"+`{"ts":"2026-02-01T00:00:00Z","hook":"h","msg":"old","cause":"old"}`+"\n"+
				`{"ts":"2026-03-01T12:30:00Z","hook":"devflow-stop","msg":"drain","cause":"no space left"}`+"\n", 0o600)
		}, "log", doctor.Warn, "1 complaints in the last 24 hours, the last one: devflow-stop: drain: no space left"},
		{"session never seen", func(w *world) { w.transcript("s9", minute(5)) }, "silent", doctor.Warn, "s9 (no hook ever ran"},
		{"session went silent", func(w *world) { w.transcript("s9", minute(30)); w.seen["s9"] = minute(10) }, "silent", doctor.Warn, "s9 (no hook since"},
		{"session may wait for its user", func(w *world) { w.transcript("s9", minute(30)); w.seen["s9"] = minute(25) }, "silent", doctor.OK, ""},
		{"store cannot tell", func(w *world) { w.transcript("broken", minute(30)) }, "silent", doctor.Fail, "disk failure"},
		{"no git", func(w *world) {
			w.cfg.Run = func(ctx context.Context, c proc.Cmd) (proc.Result, error) {
				if c.Argv[0] == "git" {
					return proc.Result{Exit: -1}, proc.ErrNotFound
				}
				return proc.Run(ctx, c)
			}
		}, "git", doctor.Fail, "program not found"},
		{"slow hook", func(w *world) {
			w.cfg.Run = func(ctx context.Context, c proc.Cmd) (proc.Result, error) {
				res, err := proc.Run(ctx, c)
				if strings.HasSuffix(c.Argv[len(c.Argv)-1], "devflow-stop") {
					res.Elapsed += 3 * time.Second
				}
				return res, err
			}
		}, "self-test", doctor.Warn, "devflow-stop on Stop took 3"},
		{"no home", func(w *world) { w.env["HOME"] = "" }, "places", doctor.Fail, "HOME"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.spoil(w)
			r := doctor.Run(t.Context(), w.cfg)
			c := find(r, tt.id)
			if c.Status != tt.status || !strings.Contains(c.Text, tt.text) {
				t.Errorf("check %s = %s %q, want %s with %q\n%s", tt.id, c.Status, c.Text, tt.status, tt.text, strings.Join(r.Lines(), "\n"))
			}
			if (c.Status == doctor.OK) != (c.Hint == "") {
				t.Errorf("check %s is %s with hint %q", tt.id, c.Status, c.Hint)
			}
		})
	}
}

func TestProbeSuitsInstall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := doctor.Probe(t.Context(), w.opt.From); err != nil {
		t.Errorf("Probe = %v, want nil", err)
	}
	w.write(filepath.Join(w.opt.From, "devflow-pre-tool-use"), "#!/bin/sh\nexit 1\n", 0o755)
	w.opt.Probe = doctor.Probe
	before, err := os.ReadFile(w.bin("devflow-pre-tool-use"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := install.Install(t.Context(), w.opt); err == nil || !strings.Contains(err.Error(), "devflow-pre-tool-use on PreToolUse: status 1") {
		t.Errorf("Install = %v, want the probe's finding", err)
	}
	after, err := os.ReadFile(w.bin("devflow-pre-tool-use"))
	if err != nil || string(after) != string(before) {
		t.Errorf("a broken build replaced the working one: %v", err)
	}
}
