package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
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
	want := []string{"manifest", "executables", "self-test", "settings", "enabled", "registered", "once", "config", "git", "database", "spool", "log", "silent", "confinement"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	if s := find(r, "silent"); !strings.Contains(s.Text, "in the 1 session since") {
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
		{"spool waits", func(w *world) { w.write(filepath.Join(w.root(), "spool", "s.spool"), "x", 0o600) }, "spool", doctor.Warn, "facts of 1 session wait"},
		{"bad spool", func(w *world) { w.write(filepath.Join(w.root(), "spool", "s.bad"), "x", 0o600) }, "spool", doctor.Warn, "could not be read"},
		{"complaint in the log", func(w *world) {
			w.write(filepath.Join(w.root(), "logs", "hooks.jsonl"), "garbage\n"+`{"ts":"2026-02-01T00:00:00Z","hook":"h","msg":"old","cause":"old"}`+"\n"+
				`{"ts":"2026-03-01T12:30:00Z","hook":"devflow-stop","msg":"drain","cause":"no space left"}`+"\n", 0o600)
		}, "log", doctor.Warn, "1 complaint in the last 24 hours, the last one: devflow-stop: drain: no space left"},
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

// What is wrong in the configuration files is told as hooks tell it, also below the project's root.
func TestConfigurationIsExamined(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, user, project string
		status              doctor.Status
		text                []string
	}{
		{"none", "", "", doctor.OK, []string{"no configuration file"}},
		{"both fine", "max_retries = 2", "max_retries = 1", doctor.OK, []string{"config.toml, ", ".devflow.toml"}},
		{"unknown key", "max_retry = 2", "", doctor.Warn, []string{`config.toml: unknown key "max_retry", the nearest known one is max_retries`}},
		{"wrong type", `max_retries = "x"`, "", doctor.Fail, []string{"max_retries is a text, want a whole number", "the defaults hold"}},
		{"project loosens", "", "max_retries = 5\ncolour = 1", doctor.Warn, []string{"max_retries would loosen", "\n", `unknown key "colour"`}},
		{"both broken", "a = [", "b = [", doctor.Fail, []string{"config.toml: not valid TOML", ".devflow.toml: not valid TOML"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(filepath.Join(w.opt.Project, ".git", "HEAD"), "ref: refs/heads/main\n", 0o644)
			w.write(filepath.Join(w.opt.Project, ".git", "objects", "x"), "", 0o644)
			w.write(filepath.Join(w.opt.Project, ".git", "refs", "x"), "", 0o644)
			w.write(filepath.Join(w.opt.Project, "sub", "x"), "", 0o644)
			w.cfg.Project = filepath.Join(w.opt.Project, "sub")
			if tt.user != "" {
				w.write(filepath.Join(w.root(), "config.toml"), tt.user, 0o600)
			}
			if tt.project != "" {
				w.write(filepath.Join(w.opt.Project, ".devflow.toml"), tt.project, 0o600)
			}
			r := doctor.Run(t.Context(), w.cfg)
			c := find(r, "config")
			if c.Status != tt.status || (c.Status != doctor.OK && c.Hint != "correct that line; until then the defaults hold") {
				t.Errorf("check config = %+v, want %s", c, tt.status)
			}
			for _, text := range tt.text {
				if !strings.Contains(c.Text, text) {
					t.Errorf("text %q lacks %q", c.Text, text)
				}
			}
			for _, line := range r.Lines() {
				if strings.Contains(line, "\n") {
					t.Errorf("line of the report holds two: %q", line)
				}
			}
		})
	}
}

func TestFreshInstallationIsNotSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Seen = nil // there is no database to read
	r := doctor.Run(t.Context(), w.cfg)
	if c := find(r, "silent"); c.Status != doctor.OK || c.Text != "no session since the installation" {
		t.Errorf("silent = %+v, want ok", c)
	}
	if r.Status() != doctor.OK {
		t.Errorf("a fresh installation has findings:\n%s", strings.Join(r.Lines(), "\n"))
	}
	w.transcript("s1", installedAt().Add(5*time.Minute)) // it worked, and no hook made a database
	if c := find(doctor.Run(t.Context(), w.cfg), "silent"); c.Status != doctor.Warn || !strings.Contains(c.Text, "1 of 1 session went on") {
		t.Errorf("silent = %+v, want the session that no hook saw", c)
	}
	w.write(filepath.Join(w.root(), "telemetry", "devflow.db"), "no database", 0o600)
	if c := find(doctor.Run(t.Context(), w.cfg), "silent"); c.Status != doctor.Warn || c.Hint == "devflow install" {
		t.Errorf("silent = %+v, want a warning that names the database", c)
	}
	bare := newWorld(t)
	bare.cfg.Seen = nil
	if _, err := install.Uninstall(t.Context(), bare.opt); err != nil {
		t.Fatal(err)
	}
	if c := find(doctor.Run(t.Context(), bare.cfg), "silent"); c.Status != doctor.OK {
		t.Errorf("silent without an installation = %+v, want ok", c)
	}
}

// A project whose settings were deleted is forgotten by the very command of the hint.
func TestHintForDeletedSettingsHelps(t *testing.T) {
	t.Parallel()
	for _, scope := range []install.Scope{install.Project, install.Local} {
		for name, lost := range map[string]func(w *world) string{
			"the file":    func(w *world) string { return w.project("settings*.json") },
			"the folder":  func(w *world) string { return filepath.Join(w.opt.Project, ".claude") },
			"the project": func(w *world) string { return w.opt.Project },
		} {
			t.Run(string(scope)+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.opt.Scope = scope
				w.opt.Project = filepath.Join(w.home, "my proj")
				if _, err := install.Install(t.Context(), w.opt); err != nil {
					t.Fatal(err)
				}
				gone, err := filepath.Glob(lost(w))
				if err != nil || len(gone) != 1 {
					t.Fatalf("to delete: %v, %v", gone, err)
				}
				if err := os.RemoveAll(gone[0]); err != nil {
					t.Fatal(err)
				}
				c := find(doctor.Run(t.Context(), w.cfg), "manifest")
				hint := "cd '" + w.opt.Project + "' && devflow uninstall --scope " + string(scope)
				if name == "the project" {
					hint = "mkdir -p '" + w.opt.Project + "' && " + hint
				}
				if c.Status != doctor.Warn || c.Hint != hint || strings.Contains(c.Text, "commands") {
					t.Errorf("manifest = %+v, want the hint %s", c, hint)
				}
				if _, err := install.Uninstall(t.Context(), w.opt); err != nil {
					t.Fatal(err)
				}
				if c := find(doctor.Run(t.Context(), w.cfg), "manifest"); c.Status != doctor.OK {
					t.Errorf("after the hint: %+v, want ok", c)
				}
				if left, _ := filepath.Glob(filepath.Join(w.opt.Project, ".claude", "commands", "*")); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}

func TestMissingExecutablesAreToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.Remove(w.bin("devflow-stop")); err != nil {
		t.Fatal(err)
	}
	r := doctor.Run(t.Context(), w.cfg)
	c, hint := find(r, "self-test"), "devflow install, or make install from the source"
	if c.Text != "skipped: executables are missing" || c.Status != doctor.Fail || c.Hint != hint || find(r, "executables").Hint != hint {
		t.Errorf("self-test = %+v, executables = %+v", c, find(r, "executables"))
	}
}

func TestCountsAreThoseOfInstall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(filepath.Join(w.opt.From, "devflow-telemetry"), healthy, 0o755)
	report, err := install.Install(t.Context(), w.opt)
	if err != nil {
		t.Fatal(err)
	}
	r := doctor.Run(t.Context(), w.cfg)
	n := strconv.Itoa(len(install.RequiredBinaries()) + 1)
	if text := strings.Join(report.Lines, "\n"); !strings.Contains(text, "copied 1 of "+n+" executables to ") {
		t.Errorf("install says %s", text)
	}
	if c := find(r, "executables"); !strings.HasPrefix(c.Text, n+" in ") {
		t.Errorf("executables = %q, want %s", c.Text, n)
	}
	if c := find(r, "manifest"); c.Text != n+" executables, 4 command files, 1 settings file" {
		t.Errorf("manifest = %q", c.Text)
	}
	if c := find(r, "registered"); c.Text != "all "+strconv.Itoa(len(settings.Registrations()))+" entries are there" {
		t.Errorf("registered = %q", c.Text)
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

// Executables that are used where they were built are checked like copies.
func TestForeignExecutablesAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := install.Uninstall(t.Context(), w.opt); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.opt.From, "devflow-telemetry"), healthy, 0o755)
	w.opt.BinDir = w.opt.From
	if _, err := install.Install(t.Context(), w.opt); err != nil {
		t.Fatal(err)
	}
	r := doctor.Run(t.Context(), w.cfg)
	if r.Status() != doctor.OK {
		t.Errorf("findings:\n%s", strings.Join(r.Lines(), "\n"))
	}
	n := strconv.Itoa(len(install.RequiredBinaries()) + 1)
	if c := find(r, "executables"); c.Text != n+" in "+w.opt.From {
		t.Errorf("executables = %q, want %s in %s", c.Text, n, w.opt.From)
	}
	want := "0 executables, 4 command files, 1 settings file (those in " + w.opt.From + " are used, but are not devflow's copies)"
	if c := find(r, "manifest"); c.Text != want {
		t.Errorf("manifest = %q, want %q", c.Text, want)
	}
	w.write(filepath.Join(w.opt.From, "devflow-pre-tool-use"), "#!/bin/sh\nexit 1\n", 0o755)
	if c := find(doctor.Run(t.Context(), w.cfg), "self-test"); c.Status != doctor.Fail {
		t.Errorf("self-test = %+v, want the broken build", c)
	}
	if err := os.Remove(filepath.Join(w.opt.From, "devflow-stop")); err != nil {
		t.Fatal(err)
	}
	r = doctor.Run(t.Context(), w.cfg)
	for _, id := range []string{"executables", "registered"} {
		if c := find(r, id); c.Status != doctor.Fail || !strings.Contains(c.Text, "devflow-stop") {
			t.Errorf("%s = %+v, want the missing executable", id, c)
		}
	}
}
