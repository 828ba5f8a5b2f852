package install_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install"
)

// copyBuild puts the built executables into dir as well.
func (w *world) copyBuild(dir string) {
	w.t.Helper()
	entries, err := os.ReadDir(w.from)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range entries {
		w.write(filepath.Join(dir, e.Name()), w.read(filepath.Join(w.from, e.Name())), 0o755)
	}
}

// tells looks for a part of a line of the report.
func tells(t *testing.T, r install.Report, part string) {
	t.Helper()
	if text := strings.Join(r.Lines, "\n"); !strings.Contains(text, part) {
		t.Errorf("no %q in:\n%s", part, text)
	}
}

func (w *world) link(target, path string) {
	w.t.Helper()
	w.mkdir(filepath.Dir(path))
	if err := os.Symlink(target, path); err != nil {
		w.t.Fatal(err)
	}
}

// owned counts the files of one kind in the manifest.
func (w *world) owned(kind string) int {
	w.t.Helper()
	var m install.Manifest
	if err := json.Unmarshal([]byte(w.read(filepath.Join(w.root(), install.ManifestName))), &m); err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, f := range m.Files {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// Executables that were there before the first installation are there after the
// last one, byte for byte, whatever name leads to them.
func TestExecutablesOfOthersStay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		build func(w *world)
		says  string // in the report of the installation
	}{
		{"the build folder is the bin folder", func(w *world) {
			w.copyBuild(w.at("mybuild"))
			w.opt.From, w.opt.BinDir = w.at("mybuild"), w.at("mybuild")
		}, "used where they are"},
		{"the same under another name", func(w *world) {
			w.copyBuild(w.at("mybuild"))
			w.link(w.home, filepath.Join(filepath.Dir(w.home), "alias"))
			w.opt.From, w.opt.BinDir = filepath.Join(filepath.Dir(w.home), "alias", "mybuild"), w.at("mybuild")
		}, "used where they are"},
		{"bin is a link to the build folder", func(w *world) {
			w.copyBuild(w.at("mybuild"))
			w.link(w.at("mybuild"), filepath.Join(w.root(), "bin"))
			w.opt.From = w.at("mybuild")
		}, "used where they are"},
		{"bin is a link and the program runs from there", func(w *world) {
			w.copyBuild(w.at("mybuild"))
			w.link(w.at("mybuild"), filepath.Join(w.root(), "bin"))
			w.opt.From = filepath.Join(w.root(), "bin")
		}, "used where they are"},
		{"executables in the build folder are links", func(w *world) {
			w.mkdir(w.at("mybuild"))
			for _, name := range install.RequiredBinaries() {
				w.link(filepath.Join(w.from, name), w.at("mybuild", name))
			}
			w.opt.From, w.opt.BinDir = w.at("mybuild"), w.at("mybuild")
		}, "used where they are"},
		{"equal copies", func(w *world) {
			w.copyBuild(w.at("mybuild"))
			w.opt.BinDir = w.at("mybuild")
		}, "copied 0 of 9"},
		{"bin is a link to equal copies", func(w *world) {
			w.copyBuild(w.at("mybuild"))
			w.link(w.at("mybuild"), filepath.Join(w.root(), "bin"))
		}, "copied 0 of 9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(w.settings(), settingsText, 0o644)
			tt.build(w)
			before := w.snapshot()
			tells(t, w.install(), tt.says)
			if n := w.owned("binary"); n != 0 {
				t.Errorf("%d executables are listed, want none", n)
			}
			w.install() // again changes nothing of that
			if n := w.owned("binary"); n != 0 {
				t.Errorf("%d executables are listed after the second installation, want none", n)
			}
			w.opt.DryRun = true
			if r := w.uninstall(); strings.Contains(strings.Join(r.Lines, "\n"), "mybuild/") {
				t.Errorf("dry run: %s", strings.Join(r.Lines, "\n"))
			}
			w.opt.DryRun = false
			tells(t, w.uninstall(), "are not devflow's copies and stay")
			after := w.snapshot()
			delete(after, filepath.Join(".claude", "settings.json.devflow-backup"))
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("not as before:\n%s", diff)
			}
		})
	}
}

// In a folder with some equal executables only the others are devflow's.
func TestOnlyWrittenExecutablesAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := w.at("tools", "devflow-stop")
	w.write(mine, w.read(filepath.Join(w.from, "devflow-stop")), 0o755)
	before := w.snapshot()
	w.opt.BinDir = w.at("tools")
	tells(t, w.install(), "copied 8 of 9")
	w.install()
	if n := w.owned("binary"); n != 8 {
		t.Errorf("%d executables are listed, want 8", n)
	}
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("not as before:\n%s", diff)
	}
}

// Our own copies stay ours over any number of installations, from any folder.
func TestOwnCopiesStayOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.snapshot()
	w.install()
	w.install()
	w.opt.From = filepath.Join(w.root(), "bin")
	w.install()
	if n := w.owned("binary"); n != 9 {
		t.Errorf("%d executables are listed, want 9", n)
	}
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("something is left:\n%s", diff)
	}
}

// A person put a build of their own over our copies and installed it from there.
func TestReplacedCopiesAreNotOursAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	mine := filepath.Join(w.root(), "bin", "devflow-stop")
	w.write(mine, "#!/bin/sh\necho mine\n", 0o755)
	w.opt.From = filepath.Join(w.root(), "bin")
	w.install()
	w.uninstall()
	if w.read(mine) != "#!/bin/sh\necho mine\n" {
		t.Error("the person's build is gone")
	}
	if left, _ := os.ReadDir(filepath.Dir(mine)); len(left) != 1 {
		t.Errorf("%d files are left, want 1", len(left))
	}
}

// Nothing behind a link is deleted, even if it holds the very bytes that were
// installed; nor is the link.
func TestUninstallStopsAtALinkedBin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	bin := filepath.Join(w.root(), "bin")
	if err := os.Rename(bin, w.at("elsewhere")); err != nil {
		t.Fatal(err)
	}
	w.link(w.at("elsewhere"), bin)
	r := w.uninstall()
	if state := stateOf(r, filepath.Join(bin, "devflow")); state != "kept" {
		t.Errorf("state %q, want kept", state)
	}
	tells(t, r, "behind a symbolic link")
	if left, err := os.ReadDir(bin); err != nil || len(left) != 9 {
		t.Errorf("%d executables are left behind the link, want 9: %v", len(left), err)
	}
}

// A command file that came with the project, with the same text, is the project's.
func TestEqualCommandOfTheProjectStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	text := w.read(w.command("spec"))
	w.uninstall()
	w.write(w.command("spec"), text, 0o644)
	before := w.snapshot()
	w.install()
	w.install()
	if n := w.owned("command"); n != 3 {
		t.Errorf("%d command files are listed, want 3", n)
	}
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("not as before:\n%s", diff)
	}
}

// Files are listed before they are written: what a killed install leaves is
// taken for devflow's by the next one.
func TestKilledInstallLeavesNoOrphans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.snapshot()
	var listed string
	calls := 0
	w.opt.Probe = func(context.Context, string) error {
		if calls++; calls == 2 { // the executables are copied, no command file yet
			listed = w.read(filepath.Join(w.root(), install.ManifestName))
		}
		return nil
	}
	w.install()
	if n := strings.Count(listed, `"kind": "binary"`); n != 9 {
		t.Fatalf("%d executables were listed in time, want 9", n)
	}
	w.write(filepath.Join(w.root(), install.ManifestName), listed, 0o600) // as it was at the kill
	if err := os.Remove(w.settings()); err != nil {
		t.Fatal(err)
	}
	w.opt.Probe = nil
	w.install()
	w.uninstall()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("something is left:\n%s", diff)
	}
}
