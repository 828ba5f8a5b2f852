package install_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install"
	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/install/target"
)

// Bug case E11: the table of twelve files on which released installers failed.
func TestTwelveSettingsFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		text    string
		refused string // place in the error, "" = accepted
	}{
		{"normal", settingsText, ""},
		{"empty", "", ""},
		{"byte-order mark", "\xef\xbb\xbf" + settingsText, ""},
		{"crlf", strings.ReplaceAll(settingsText, "\n", "\r\n"), ""},
		{"comment and trailing comma", "{\n  // mine\n  \"a\": 1,\n}\n", "line 2, column 3"},
		{"trailing comma", "{\n  \"a\": 1,\n}\n", "line 2, column 9"},
		{"truncated", settingsText[:40], "line 4, column 5"},
		{"hooks null", "{\"hooks\": null}", ""},
		{"PreToolUse an object", "{\"hooks\": {\"PreToolUse\": {\"a\": 1}}}", "line 1, column 26"},
		{"top-level array", "[1]", "line 1, column 1"},
		{"one line, no final newline", `{"model":"opus","x":"a && b"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(w.settings(), tt.text, 0o640)
			before := w.snapshot()
			if tt.refused != "" {
				_, err := install.Install(t.Context(), w.opt)
				if err == nil || !strings.Contains(err.Error(), tt.refused) || !strings.Contains(err.Error(), w.settings()) {
					t.Errorf("Install = %v, want a refusal with %s and the path", err, tt.refused)
				}
				if diff := cmp.Diff(before, w.snapshot()); diff != "" {
					t.Errorf("a refused install wrote something:\n%s", diff)
				}
				return
			}
			w.install()
			once := w.snapshot()
			w.install()
			if diff := cmp.Diff(once, w.snapshot()); diff != "" {
				t.Errorf("the second install changed something:\n%s", diff)
			}
			if info, err := os.Stat(w.settings()); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v, want 0640", info.Mode(), err)
			}
			if got := w.read(w.settings() + ".devflow-backup"); got != tt.text {
				t.Errorf("backup is %q, want the text from before", got)
			}
			r := w.uninstall()
			if !r.Settings[0].Exact {
				t.Errorf("uninstall says it is not exact: %q", r.Lines)
			}
			after := w.snapshot()
			delete(after, filepath.Join(".claude", "settings.json.devflow-backup"))
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("uninstall left a difference:\n%s", diff)
			}
		})
	}
}

func TestAbsentFilesAndFoldersAreGoneAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.snapshot()
	w.install()
	if info, err := os.Stat(w.settings()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("new settings file: %v, %v, want mode 0600", info, err)
	}
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("uninstall left a difference:\n%s", diff)
	}
	if r := w.uninstall(); len(r.Settings) != 1 || r.Settings[0].Changed {
		t.Errorf("second uninstall reports %+v", r.Settings)
	}
}

func TestSymbolicLinkStaysALink(t *testing.T) {
	t.Parallel()
	for name, exists := range map[string]bool{"to a file": true, "to nothing yet": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			target := filepath.Join(w.home, "dotfiles", "claude.json")
			w.mkdir(filepath.Dir(target))
			w.mkdir(filepath.Dir(w.settings()))
			if exists {
				w.write(target, settingsText, 0o644)
			}
			if err := os.Symlink("../dotfiles/claude.json", w.settings()); err != nil {
				t.Fatal(err)
			}
			before := w.snapshot()
			r := w.install()
			if got, err := os.Readlink(w.settings()); err != nil || got != "../dotfiles/claude.json" || r.Settings[0].Real != target {
				t.Errorf("link is %q, %v; report says %q, want %q", got, err, r.Settings[0].Real, target)
			}
			if !strings.Contains(w.read(target), "devflow-stop") {
				t.Errorf("target was not changed")
			}
			w.uninstall()
			after := w.snapshot()
			delete(after, filepath.Join(".claude", "settings.json.devflow-backup"))
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("uninstall left a difference:\n%s", diff)
			}
		})
	}
}

func TestUninstallAfterTheUserEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.install()
	edited := strings.Replace(w.read(w.settings()), `"model": "opus"`, "\"model\":  \"sonnet\",\n  \"mine\": [1,2]", 1)
	w.write(w.settings(), edited, 0o644)
	r := w.uninstall()
	want := strings.Replace(settingsText, `"model": "opus"`, "\"model\":  \"sonnet\",\n  \"mine\": [1,2]", 1)
	if diff := cmp.Diff(want, w.read(w.settings())); diff != "" {
		t.Errorf("more than our bytes went (-want +got):\n%s", diff)
	}
	if r.Settings[0].Exact || r.Settings[0].Removed != len(settings.Registrations()) {
		t.Errorf("report: %+v", r.Settings[0])
	}
}

// The client itself rewrites the whole file when a setting is changed in it.
func TestUninstallAfterTheClientReformatted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), "{\"model\": \"opus\"}", 0o644)
	w.install()
	var v struct {
		Model string         `json:"model"`
		Hooks map[string]any `json:"hooks"`
	}
	if err := json.Unmarshal([]byte(w.read(w.settings())), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	w.write(w.settings(), string(out), 0o644)
	w.install() // nothing to do, and what is recorded still holds
	if got := w.read(w.settings()); got != string(out) {
		t.Errorf("install changed a file that was up to date:\n%s", cmp.Diff(string(out), got))
	}
	w.uninstall()
	if got, want := w.read(w.settings()), "{\n  \"model\": \"opus\"\n}"; got != want {
		t.Errorf("uninstall gives %q, want %q", got, want)
	}
}

func TestInstallFromAnotherFolderReplacesInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.install()
	w.opt.BinDir = filepath.Join(w.home, `other "bin"`)
	r := w.install()
	text := w.read(w.settings())
	if strings.Contains(text, filepath.Join(w.root(), "bin")) || strings.Count(text, "/devflow-stop'") != 3 {
		t.Errorf("old entries are left or doubled:\n%s", text)
	}
	if r.Settings[0].Backup != "" || w.read(w.settings()+".devflow-backup") != settingsText {
		t.Errorf("the backup was written again")
	}
	w.uninstall()
	if got := w.read(w.settings()); got != settingsText {
		t.Errorf("uninstall: %s", cmp.Diff(settingsText, got))
	}
}

// I5: two roots never run side by side; the second takes the entries over.
func TestSecondRootTakesOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.install()
	w.env["DEVFLOW_HOME"] = filepath.Join(w.home, "second root")
	w.install()
	text := w.read(w.settings())
	if strings.Contains(text, w.root()) || strings.Count(text, "second root") != len(settings.Registrations()) {
		t.Errorf("two generations side by side:\n%s", text)
	}
	w.uninstall()
	if strings.Contains(w.read(w.settings()), "devflow-") {
		t.Errorf("entries are left:\n%s", w.read(w.settings()))
	}
}

func TestProbeFailureRegistersNothing(t *testing.T) {
	t.Parallel()
	cause := errors.New("devflow-stop does not answer")
	for _, where := range []string{"built", "bin"} {
		w := newWorld(t)
		w.write(w.settings(), settingsText, 0o644)
		before := w.snapshot()
		w.opt.Probe = func(_ context.Context, dir string) error {
			if got := w.read(filepath.Join(dir, "devflow-stop")); !strings.Contains(got, "devflow-stop") {
				t.Errorf("probe runs before the executables are there")
			}
			if filepath.Base(dir) == where {
				return cause
			}
			return nil
		}
		if _, err := install.Install(t.Context(), w.opt); !errors.Is(err, cause) {
			t.Errorf("%s: Install = %v, want the probe's error", where, err)
		}
		if got := w.read(w.settings()); got != settingsText {
			t.Errorf("%s: settings were changed: %s", where, got)
		}
		if where == "bin" {
			w.uninstall() // knows what was copied
		}
		if diff := cmp.Diff(before, w.snapshot()); diff != "" {
			t.Errorf("%s: a failed installation left something:\n%s", where, diff)
		}
	}
}

func TestChangeBetweenReadAndWriteIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.opt.Probe = func(context.Context, string) error {
		w.write(w.settings(), `{"model": "changed by somebody"}`, 0o644)
		return nil
	}
	if _, err := install.Install(t.Context(), w.opt); !errors.Is(err, target.ErrChanged) {
		t.Errorf("Install = %v, want ErrChanged", err)
	}
	if got := w.read(w.settings()); got != `{"model": "changed by somebody"}` {
		t.Errorf("the other change is lost: %s", got)
	}
	m, err := install.LoadManifest(w.root())
	if err != nil || len(m.Settings) != 0 {
		t.Errorf("manifest claims %v, %v, want no settings file", m.Settings, err)
	}
	w.opt.Probe = nil
	w.install()
	w.uninstall()
	if got := w.read(w.settings()); got != `{"model": "changed by somebody"}` {
		t.Errorf("uninstall gives %s", got)
	}
}

// A crash between manifest and settings leaves a manifest that claims too much.
func TestManifestAheadOfSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.install()
	w.write(w.settings(), settingsText, 0o644) // as if the last rename had not happened
	w.uninstall()
	if got := w.read(w.settings()); got != settingsText {
		t.Errorf("uninstall changed a file without our entries: %s", got)
	}
}

// Killed between the complete new file and its rename.
func TestLeftoverOfAKilledInstallGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	before := w.snapshot()
	leave := func() {
		dir := filepath.Dir(w.settings())
		for _, path := range []string{
			filepath.Join(dir, ".settings.json.devflow-new"), filepath.Join(dir, "..settings.json.devflow-new.123.tmp"),
			filepath.Join(dir, "commands", ".spec.md.4.tmp"), filepath.Join(w.root(), "bin", ".devflow-stop.56.tmp"),
		} {
			w.write(path, "{", 0o600)
		}
	}
	w.install()
	leave()
	w.install()
	leave()
	w.uninstall()
	after := w.snapshot()
	delete(after, filepath.Join(".claude", "settings.json.devflow-backup"))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("something is left:\n%s", diff)
	}
}

func TestTheSameHomeUnderAnotherName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.install()
	alias := filepath.Join(filepath.Dir(w.home), "alias")
	if err := os.Symlink(w.home, alias); err != nil {
		t.Fatal(err)
	}
	w.env["HOME"] = alias
	w.install()
	if n := strings.Count(w.read(w.settings()), "|| exit 0"); n != len(settings.Registrations()) {
		t.Errorf("%d entries, want %d", n, len(settings.Registrations()))
	}
	w.uninstall()
	if got := w.read(w.settings()); strings.Contains(got, "devflow") {
		t.Errorf("entries are left: %s", got)
	}
}

func TestLostManifest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.install()
	if err := os.Remove(filepath.Join(w.root(), install.ManifestName)); err != nil {
		t.Fatal(err)
	}
	text := w.read(w.settings())
	w.install()
	if got := w.read(w.settings()); got != text {
		t.Errorf("install without manifest changed the file: %s", cmp.Diff(text, got))
	}
	w.uninstall()
	if got := w.read(w.settings()); strings.Contains(got, "devflow-") || !strings.Contains(got, "/mine/stop.sh && true") {
		t.Errorf("uninstall without the first manifest gives %s", got)
	}
}

func TestUnusableManifestIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", `{"format": 99}`, `{}`, "[]"} {
		w := newWorld(t)
		w.write(filepath.Join(w.root(), install.ManifestName), text, 0o600)
		before := w.snapshot()
		if _, err := install.Install(t.Context(), w.opt); !errors.Is(err, install.ErrManifest) {
			t.Errorf("Install with manifest %q = %v, want ErrManifest", text, err)
		}
		if _, err := install.Uninstall(t.Context(), w.opt); !errors.Is(err, install.ErrManifest) {
			t.Errorf("Uninstall with manifest %q = %v, want ErrManifest", text, err)
		}
		if diff := cmp.Diff(before, w.snapshot()); diff != "" {
			t.Errorf("something was written:\n%s", diff)
		}
	}
}

func TestDryRunWritesNothingAndShowsTheDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	before := w.snapshot()
	w.opt.DryRun = true
	r := w.install()
	if !strings.Contains(r.Settings[0].Diff, "+            \"command\": \"'"+w.root()+"/bin/devflow-stop' || exit 0\"") || strings.Contains(r.Settings[0].Diff, "\n-  ") {
		t.Errorf("diff:\n%s", r.Settings[0].Diff)
	}
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("dry run wrote something:\n%s", diff)
	}
	w.opt.DryRun = false
	w.install()
	before = w.snapshot()
	w.opt.DryRun, w.opt.Purge = true, true
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("dry uninstall wrote something:\n%s", diff)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env["CLAUDE_CONFIG_DIR"] = filepath.Join(w.home, "config dir")
	w.opt.Project = filepath.Join(w.home, "proj")
	w.mkdir(w.opt.Project)
	before := w.snapshot()
	paths := map[install.Scope]string{
		install.User:    filepath.Join(w.home, "config dir", "settings.json"),
		install.Project: filepath.Join(w.opt.Project, ".claude", "settings.json"),
		install.Local:   filepath.Join(w.opt.Project, ".claude", "settings.local.json"),
	}
	for scope, path := range paths {
		w.opt.Scope = scope
		w.install()
		if !strings.Contains(w.read(path), "devflow-stop") {
			t.Errorf("%s: %s holds no entry", scope, path)
		}
	}
	w.opt.Scope = install.Local
	w.uninstall()
	if _, err := os.Stat(paths[install.Local]); err == nil {
		t.Errorf("the created local file is still there")
	}
	if _, err := os.Stat(filepath.Join(w.root(), "bin", "devflow-stop")); err != nil {
		t.Errorf("executables went although two files still use them: %v", err)
	}
	w.opt.Scope = ""
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("uninstall left a difference:\n%s", diff)
	}
	for _, bad := range []install.Options{{Scope: "global"}, {Scope: install.Local}, {Scope: install.Project, Project: "rel"}} {
		bad.Getenv, bad.From = w.opt.Getenv, w.from
		if _, err := install.Install(t.Context(), bad); err == nil {
			t.Errorf("Install(%q, %q) was accepted", bad.Scope, bad.Project)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(w *world)
		want  string
	}{
		{"executable missing", func(w *world) { _ = os.Remove(filepath.Join(w.from, "devflow-stop")) }, "devflow-stop"},
		{"executable not executable", func(w *world) { _ = os.Chmod(filepath.Join(w.from, "devflow-stop"), 0o644) }, "not executable"},
		{"settings read-only", func(w *world) { w.write(w.settings(), "{}", 0o444) }, "chmod u+w"},
		{"settings a folder", func(w *world) { w.mkdir(w.settings()) }, "not a regular file"},
		{"settings a loop of links", func(w *world) {
			w.mkdir(filepath.Dir(w.settings()))
			_ = os.Symlink("settings.json", w.settings())
		}, "too many symbolic links"},
		{"root is the home", func(w *world) { w.env["DEVFLOW_HOME"] = w.home }, "DEVFLOW_HOME"},
		{"no home", func(w *world) { w.env["HOME"] = "" }, "HOME"},
		{"invalid hook elsewhere", func(w *world) {
			w.write(w.settings(), `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}]}}`, 0o644)
		}, "line 1, column"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.spoil(w)
			before := w.snapshot()
			_, err := install.Install(t.Context(), w.opt)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Install = %v, want an error with %q", err, tt.want)
			}
			if diff := cmp.Diff(before, w.snapshot()); diff != "" {
				t.Errorf("a refused install wrote something:\n%s", diff)
			}
		})
	}
}

func TestForceInstallsBesideAFaultyHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const text = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}]}}`
	w.write(w.settings(), text, 0o644)
	w.opt.Force = true
	r := w.install()
	if !strings.Contains(strings.Join(r.Lines, "\n"), w.settings()+":1:") {
		t.Errorf("the report does not name the fault: %q", r.Lines)
	}
	w.uninstall()
	if got := w.read(w.settings()); got != text {
		t.Errorf("uninstall gives %s", got)
	}
}

func TestBrokenSettingsStopUninstallBeforeAnythingGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	w.write(w.settings(), w.read(w.settings())[:300], 0o600)
	before := w.snapshot()
	if _, err := install.Uninstall(t.Context(), w.opt); err == nil || !strings.Contains(err.Error(), "line ") {
		t.Errorf("Uninstall = %v, want a refusal with a place", err)
	}
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("something was removed:\n%s", diff)
	}
}

func TestParallelInstallsEndInOneInstallation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	var group sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		group.Go(func() { _, errs[i] = install.Install(t.Context(), w.opt) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(w.read(w.settings()), "|| exit 0"); n != len(settings.Registrations()) {
		t.Errorf("%d entries, want %d", n, len(settings.Registrations()))
	}
	w.uninstall()
	if got := w.read(w.settings()); got != settingsText {
		t.Errorf("uninstall: %s", cmp.Diff(settingsText, got))
	}
}

func TestMigratePythonThenUninstall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := strings.Replace(settingsText, `/mine/stop.sh && true`, `python3 /c/devflow/hooks/spec_stop_guard.py`, 1)
	text = strings.Replace(text, `"Stop": [`, "\"Notification\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/mine/bell\"}]}],\n    \"Stop\": [", 1)
	w.write(w.settings(), text, 0o644)
	w.opt.MigratePython = true
	r := w.install()
	if got := w.read(w.settings()); strings.Contains(got, "python3") || !strings.Contains(got, "/mine/bell") {
		t.Errorf("after migration: %s", got)
	}
	if !strings.Contains(strings.Join(r.Lines, "\n"), "spec_stop_guard.py") {
		t.Errorf("the report does not say what went: %q", r.Lines)
	}
	once := w.read(w.settings())
	w.install()
	if got := w.read(w.settings()); got != once {
		t.Errorf("second migration changed the file: %s", cmp.Diff(once, got))
	}
	w.uninstall()
	const want = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Notification\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/mine/bell\"}]}]\n  },\n  \"big\": 12345678901234567890\n}\n"
	if diff := cmp.Diff(want, w.read(w.settings())); diff != "" {
		t.Errorf("uninstall after migration (-want +got):\n%s", diff)
	}
	if w.read(w.settings()+".devflow-backup") != text {
		t.Errorf("the backup is not the file from before the migration")
	}
}
