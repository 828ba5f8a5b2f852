package install_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install"
)

func (w *world) at(parts ...string) string {
	return filepath.Join(append([]string{w.home}, parts...)...)
}

func has(t *testing.T, r install.Report, want string) {
	t.Helper()
	if !slices.Contains(r.Lines, want) {
		t.Errorf("no line %q in:\n%s", want, strings.Join(r.Lines, "\n"))
	}
}

// A scope that goes takes its command files along, and only its own.
func TestUninstallOfOneScope(t *testing.T) {
	t.Parallel()
	for _, scope := range []install.Scope{install.Project, install.Local} {
		t.Run(string(scope), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(w.settings(), settingsText, 0o644)
			w.write(w.at("proj", "mine"), "", 0o644)
			w.install()
			before := w.snapshot()
			w.opt.Project, w.opt.Scope = w.at("proj"), scope
			w.install()
			w.opt.DryRun = true
			if r := w.uninstall(); stateOf(r, w.at("proj", ".claude", "commands", "spec.md")) != "would_remove" || stateOf(r, w.command("spec")) != "" {
				t.Errorf("dry run: %+v", r.Files)
			}
			w.opt.DryRun = false
			r := w.uninstall()
			if diff := cmp.Diff(before, w.snapshot()); diff != "" {
				t.Errorf("the project is not as before (-want +got):\n%s", diff)
			}
			has(t, r, "removed 4 files")
			has(t, r, "executables stay: "+w.settings()+" is still registered")
		})
	}
}

func TestScopesOfOneFolderShareTheCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.Project = w.at("proj")
	w.mkdir(w.opt.Project)
	before := w.snapshot()
	for _, w.opt.Scope = range []install.Scope{install.Project, install.Local} {
		w.install()
	}
	w.opt.Scope = install.Project
	w.uninstall()
	if _, err := os.Stat(w.at("proj", ".claude", "commands", "spec.md")); err != nil {
		t.Errorf("the commands of the local scope went: %v", err)
	}
	w.opt.Scope = install.Local
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("uninstall left a difference:\n%s", diff)
	}
}

func TestEditedCommandOfAScopeStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	w.opt.Project, w.opt.Scope = w.at("proj"), install.Project
	w.mkdir(w.opt.Project)
	w.install()
	mine := w.at("proj", ".claude", "commands", "pause.md")
	w.write(mine, "edited", 0o644)
	r := w.uninstall()
	if w.read(mine) != "edited" || stateOf(r, mine) != "kept" {
		t.Errorf("an edited command: %+v", r.Files)
	}
	has(t, r, mine+" was changed after the installation and stays")
}

func TestPlainUninstallTellsTheScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	w.opt.Project, w.opt.Scope = w.at("proj"), install.Local
	w.mkdir(w.opt.Project)
	w.install()
	w.opt.Scope, w.opt.Project = "", ""
	r := w.uninstall()
	has(t, r, "took devflow out of every scope that it was installed in: user, local")
	if r = w.uninstall(); strings.Contains(strings.Join(r.Lines, "\n"), "every scope") {
		t.Errorf("nothing was there: %q", r.Lines)
	}
}

func TestPurgeAndTheBackup(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(w *world)
		stays bool
	}{
		{"exact", func(*world) {}, false},
		{"after a plain uninstall", func(w *world) { w.opt.Purge = false; w.uninstall(); w.opt.Purge = true }, false},
		{"edited since", func(w *world) {
			w.write(w.settings(), strings.Replace(w.read(w.settings()), "opus", "sonnet", 1), 0o644)
		}, true},
		{"backup of an earlier state", func(w *world) {
			w.opt.Purge = false
			w.uninstall()
			w.write(w.settings(), "{}", 0o644)
			w.install()
			w.opt.Purge = true
		}, true},
		{"only a plan", func(w *world) { w.opt.DryRun = true }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(w.settings(), settingsText, 0o644)
			w.install()
			w.write(filepath.Join(w.root(), "telemetry", "devflow.db"), "x", 0o600)
			w.opt.Purge = true
			tt.spoil(w)
			r := w.uninstall()
			backup := w.settings() + ".devflow-backup"
			_, err := os.Stat(backup)
			if (err == nil) != tt.stays {
				t.Errorf("backup: %v, want it to stay: %v", err, tt.stays)
			}
			switch {
			case w.opt.DryRun:
				if stateOf(r, backup) != "would_remove" {
					t.Errorf("states: %+v", r.Files)
				}
			case tt.stays:
				has(t, r, "the backup stays: "+backup)
			default:
				if stateOf(r, backup) != "removed" {
					t.Errorf("states: %+v", r.Files)
				}
			}
		})
	}
}

// Nothing that a dry run reports sounds as if it was done.
func TestDryRunSaysWould(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.DryRun = true
	check := func(r install.Report, want string) {
		t.Helper()
		data, err := json.Marshal(r.Files)
		if err != nil {
			t.Fatal(err)
		}
		if s := string(data); strings.Contains(s, `"written"`) || strings.Contains(s, `"removed"`) || !strings.Contains(s, `"`+want+`"`) {
			t.Errorf("states: %s, want %s", s, want)
		}
		for _, line := range r.Lines {
			if strings.HasPrefix(line, "wrote") || strings.HasPrefix(line, "removed") || strings.Contains(line, "from now on") {
				t.Errorf("dry run says %q", line)
			}
		}
	}
	r := w.install()
	check(r, "would_write")
	has(t, r, "would write "+w.command("spec"))
	w.opt.DryRun = false
	w.write(w.command("spec"), "mine", 0o644)
	w.install() // makes /devflow-spec, which goes when the plain name is free
	if err := os.Remove(w.command("spec")); err != nil {
		t.Fatal(err)
	}
	w.opt.DryRun = true
	r = w.install()
	check(r, "would_write")
	if stateOf(r, w.command("devflow-spec")) != "would_remove" {
		t.Errorf("states: %+v", r.Files)
	}
	w.write(w.command("pause"), "edited", 0o644)
	r = w.uninstall()
	check(r, "would_remove")
	if stateOf(r, w.command("pause")) != "kept" {
		t.Errorf("states: %+v", r.Files)
	}
}

func TestInstallTellsFilesAndTheNextStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.install()
	for _, name := range []string{"spec", "pause", "unspec", "flock"} {
		has(t, r, "wrote "+w.command(name))
	}
	next := "; check with: '" + filepath.Join(w.root(), "bin", "devflow") + "' doctor" // the home has a blank
	has(t, r, "new sessions are watched from now on"+next)
	if r = w.install(); strings.Contains(strings.Join(r.Lines, "\n"), "wrote") {
		t.Errorf("the second run wrote something: %q", r.Lines)
	}
	w.opt.Project, w.opt.Scope = w.at("proj"), install.Project
	w.write(w.at("proj", ".claude", "settings.json"), `{"disableAllHooks": true}`, 0o644)
	has(t, w.install(), "no session is watched while hooks are switched off"+next)
	w.opt.Scope = install.Local
	has(t, w.install(), "new sessions are watched from now on if they start in "+w.opt.Project+next)
}

func TestHeaderOfTheDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.DryRun = true
	header := func(r install.Report, old, changed string) {
		t.Helper()
		if got, want := r.Settings[0].Diff, "--- "+old+"\n+++ "+changed+"\n@@ "; !strings.HasPrefix(got, want) {
			t.Errorf("diff begins %.200q, want %q", got, want)
		}
	}
	header(w.install(), "/dev/null", w.settings())
	w.opt.DryRun = false
	w.install()
	w.opt.DryRun = true
	header(w.uninstall(), w.settings(), "/dev/null")
	w.opt.DryRun = false
	w.uninstall()
	w.write(w.settings(), settingsText, 0o644)
	w.opt.DryRun = true
	header(w.install(), w.settings(), w.settings())
	w.opt.DryRun = false
	w.install()
	w.opt.DryRun = true
	header(w.uninstall(), w.settings(), w.settings())
}

func TestHints(t *testing.T) {
	t.Parallel()
	denied := func(path string) func(*world) error {
		return func(w *world) error {
			return fmt.Errorf("make folder: %w", &fs.PathError{Op: "mkdir", Path: w.at(path), Err: syscall.EACCES})
		}
	}
	broken := func(w *world) error {
		for _, path := range []string{w.settings(), w.at("proj", ".claude", "settings.json")} {
			w.write(path, "{,", 0o644)
		}
		_, err := install.Install(w.t.Context(), w.opt)
		return err
	}
	tests := []struct {
		name  string
		scope install.Scope
		env   map[string]string
		err   func(w *world) error
		want  string
	}{
		{"broken file of the user", "", nil, broken, "then run: devflow install"},
		{"broken file of a project", install.Project, nil, broken, "then run: devflow install --scope project"},
		{"nothing built", "", nil, func(w *world) error {
			w.opt.From = "/nonexist"
			_, err := install.Install(w.t.Context(), w.opt)
			if text := fmt.Sprint(err); !strings.HasPrefix(text, "find executables in /nonexist: missing devflow-session-start, ") || strings.ContainsAny(text, "[]") {
				w.t.Errorf("Install = %v", err)
			}
			return err
		}, "make build"},
		{"home not writable", "", nil, denied(".claude"), "make ~/.claude writable, or set DEVFLOW_HOME"},
		{"root not writable", "", nil, denied(".claude/devflow/bin"), "make ~/.claude writable, or set DEVFLOW_HOME"},
		{"another Claude folder", "", map[string]string{"CLAUDE_CONFIG_DIR": "/cfg"}, func(*world) error {
			return &fs.PathError{Op: "open", Path: "/cfg/settings.json", Err: syscall.EROFS}
		}, "make /cfg writable, or set DEVFLOW_HOME"},
		{"project not writable", install.Project, nil, func(*world) error {
			return &fs.PathError{Op: "open", Path: "/proj/.claude/settings.json", Err: syscall.EACCES}
		}, "make /proj/.claude writable"},
		{"relative root", "", map[string]string{"DEVFLOW_HOME": "rel"}, func(w *world) error {
			_, err := install.Install(w.t.Context(), w.opt)
			return err
		}, "or leave the last two unset"},
		{"anything else", "", nil, func(*world) error { return fs.ErrInvalid }, "devflow doctor"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.opt.Scope, w.opt.Project = tt.scope, w.at("proj")
			for k, v := range tt.env {
				w.env[k] = v
			}
			err := tt.err(w)
			if err == nil {
				t.Fatal("want an error")
			}
			if got := install.Hint(err, "install", w.opt); !strings.HasSuffix(got, tt.want) {
				t.Errorf("hint for %v = %q, want %q", err, got, tt.want)
			}
		})
	}
}

func TestCountsReadWell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.settings(), settingsText, 0o644)
	w.install()
	lost := strings.Replace(w.read(w.settings()), `"PreCompact"`, `"Notification"`, 1)
	w.write(w.settings(), lost, 0o644)
	has(t, w.install(), "changed "+w.settings()+": 1 entry added, 0 renewed, 1 removed")
}
