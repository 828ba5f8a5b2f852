package install_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install"
)

func stateOf(r install.Report, path string) string {
	for _, f := range r.Files {
		if f.Path == path {
			return f.State
		}
	}
	return ""
}

func TestCommandFilesAreInstalledAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	for _, name := range []string{"spec", "pause", "unspec", "flock"} {
		text := w.read(w.command(name))
		if !strings.HasPrefix(text, "---\ndescription: ") || strings.Contains(text, "!`") {
			t.Errorf("%s.md has no description or runs something:\n%s", name, text)
		}
	}
	if !strings.Contains(w.read(w.command("spec")), "$ARGUMENTS") {
		t.Error("spec.md does not pass the specification on")
	}
	w.uninstall()
	if _, err := os.Stat(filepath.Dir(w.command("spec"))); err == nil {
		t.Error("the commands folder is left")
	}
}

// I6: the user's own commands are neither overwritten nor deleted.
func TestOwnCommandStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.command("spec"), "my own spec command", 0o644)
	r := w.install()
	if got := w.read(w.command("spec")); got != "my own spec command" {
		t.Errorf("spec.md is %q", got)
	}
	if stateOf(r, w.command("devflow-spec")) != "written" || !strings.Contains(strings.Join(r.Lines, "\n"), "/devflow-spec") {
		t.Errorf("report does not tell of /devflow-spec: %+v", r)
	}
	once := w.snapshot()
	w.install()
	if diff := cmp.Diff(once, w.snapshot()); diff != "" {
		t.Errorf("second install changed something:\n%s", diff)
	}
	if err := os.Remove(w.command("spec")); err != nil { // now the plain name is free
		t.Fatal(err)
	}
	w.install()
	if _, err := os.Stat(w.command("devflow-spec")); err == nil {
		t.Error("both names are installed")
	}
	w.write(w.command("spec"), "my own spec command", 0o644)
	w.uninstall()
	if got := w.read(w.command("spec")); got != "my own spec command" {
		t.Errorf("uninstall touched spec.md: %q", got)
	}
}

func TestEditedFilesStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	binary := filepath.Join(w.root(), "bin", "devflow-stop")
	w.write(w.command("pause"), "edited", 0o644)
	r := w.install()
	if w.read(w.command("pause")) != "edited" || stateOf(r, w.command("devflow-pause")) != "" {
		t.Errorf("install replaced or doubled an edited command: %+v", r.Files)
	}
	w.write(binary, "a build of my own", 0o755)
	r = w.uninstall()
	for _, path := range []string{w.command("pause"), binary} {
		if stateOf(r, path) != "kept" {
			t.Errorf("%s: state %q, want kept", path, stateOf(r, path))
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestNewBuildReplacesExecutables(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	target := filepath.Join(w.root(), "bin", "devflow-stop")
	before, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.from, "devflow-stop"), "#!/bin/sh\necho new\n", 0o755)
	r := w.install()
	after, err := os.Stat(target)
	if err != nil || os.SameFile(before, after) || after.Mode().Perm() != 0o755 {
		t.Errorf("the executable was not replaced by rename: %v, %v", after.Mode(), err)
	}
	if stateOf(r, target) != "written" || stateOf(r, filepath.Join(w.root(), "bin", "devflow")) != "unchanged" {
		t.Errorf("states: %+v", r.Files)
	}
	// The installed devflow may install itself again.
	w.opt.From = filepath.Join(w.root(), "bin")
	if r = w.install(); slices.ContainsFunc(r.Files, func(f install.FileReport) bool { return f.State == "written" }) {
		t.Errorf("installing from the own folder wrote something: %+v", r.Files)
	}
	w.uninstall()
	if _, err := os.Stat(w.root()); err == nil {
		t.Error("the root is left")
	}
}

func TestDataStaysUnlessPurged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	db := filepath.Join(w.root(), "telemetry", "devflow.db")
	data := []string{
		db, db + "-wal", filepath.Join(w.root(), "spool", "s.spool"), filepath.Join(w.root(), "config.toml"),
		filepath.Join(w.root(), "state", "s", "post-mortem.md"), filepath.Join(w.root(), "logs", "hooks.jsonl"),
	}
	for _, path := range data {
		w.write(path, "x", 0o600)
	}
	mine := filepath.Join(w.root(), "notes.txt")
	w.write(mine, "mine", 0o600)
	w.uninstall()
	for _, path := range data {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("plain uninstall removed %s", path)
		}
	}
	w.opt.Purge = true
	w.uninstall()
	for _, path := range data {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("purge left %s", path)
		}
	}
	if w.read(mine) != "mine" {
		t.Error("purge removed a file that is not devflow's")
	}
	w.env["DEVFLOW_HOME"] = filepath.Join(w.home, "project")
	w.write(filepath.Join(w.home, "project", "logs", "mine.log"), "mine", 0o600)
	if _, err := install.Uninstall(t.Context(), w.opt); err == nil {
		t.Error("purge of a folder without anything of devflow's was accepted")
	}
	if w.read(filepath.Join(w.home, "project", "logs", "mine.log")) != "mine" {
		t.Error("purge removed logs of somebody else")
	}
}
