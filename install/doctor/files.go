package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/install"
	"github.com/devflow-suite/devflow/install/binaries"
	"github.com/devflow-suite/devflow/install/settings"
)

// checkManifest reads the manifest, which also says where the executables are.
func (e *exam) checkManifest() {
	m, err := install.LoadManifest(e.Root)
	e.manifest = m
	e.bin = e.BinDir
	if e.bin == "" && m != nil && len(m.BinDirs) > 0 {
		e.bin = m.BinDirs[0]
	}
	if e.bin == "" {
		e.bin = e.Paths.Bin
	}
	e.owner = install.Owner(m, e.bin, e.Home)
	switch {
	case err != nil:
		e.add("manifest", Fail, "move it away, then: "+installHint, "%v", err)
	case m == nil:
		e.add("manifest", Warn, installHint, "there is none in %s: devflow is not installed, or was by hand", e.Root)
	default:
		e.checkManifestFiles(m)
	}
}

func (e *exam) checkManifestFiles(m *install.Manifest) {
	var stale, hints []string
	edited := 0
	lost := map[string]bool{} // command folders of settings files that are gone
	for _, s := range m.Settings {
		data, err := os.ReadFile(s.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && s.Scope != install.User:
			stale = append(stale, s.Path+" is gone")
			hints = append(hints, forget(s))
			lost[filepath.Join(filepath.Dir(s.Path), "commands")] = true
		case err != nil:
			stale = append(stale, s.Path+" cannot be read")
		case install.Sum(data) != s.After:
			edited++
		}
	}
	repair := len(stale) > len(hints)
	counts := map[string]int{}
	for _, f := range m.Files {
		counts[f.Kind]++
		if text := changed(f); text != "" && !(f.Kind == "command" && lost[filepath.Dir(f.Path)]) {
			stale = append(stale, text)
			repair = true
		}
	}
	if len(stale) > 0 {
		if repair {
			hints = append(hints, installHint)
		}
		e.add("manifest", Warn, strings.Join(hints, "; "), "the installation has changed since: %s", list(stale))
		return
	}
	note := ""
	if counts["binary"] == 0 {
		note = fmt.Sprintf(" (those in %s are used, but are not devflow's copies)", e.bin)
	}
	if edited > 0 {
		note += fmt.Sprintf(" (%d edited since the installation, which is fine)", edited)
	}
	e.add("manifest", OK, "", "%s, %s, %s%s", plural(counts["binary"], "executable"), plural(counts["command"], "command file"),
		plural(len(m.Settings), "settings file"), note)
}

// changed says what happened to an installed file, or nothing.
func changed(f install.ManifestFile) string {
	data, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.Path + " is gone"
	case err != nil:
		return err.Error()
	case install.Sum(data) != f.SHA256 && f.Kind == "binary":
		return f.Path + " is another build"
	}
	return ""
}

// forget is the command that takes a settings file out of the manifest. It has
// to run in the project's folder, which may be gone as well.
func forget(s install.Registered) string {
	dir := filepath.Dir(filepath.Dir(s.Path))
	command := fmt.Sprintf("cd %s && devflow uninstall --scope %s", settings.ShellWord(dir), s.Scope)
	if _, err := os.Stat(dir); err != nil {
		return fmt.Sprintf("mkdir -p %s && %s", settings.ShellWord(dir), command)
	}
	return command
}

// checkBinaries looks whether the executables are there and may be executed.
func (e *exam) checkBinaries() {
	var bad []string
	for _, name := range install.RequiredBinaries() {
		info, err := os.Stat(e.binary(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			bad = append(bad, name+" is missing")
			e.missing = true
		case err != nil:
			bad = append(bad, err.Error())
		case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
			bad = append(bad, name+" is not executable")
		}
	}
	if len(bad) > 0 {
		e.add("executables", Fail, rebuildHint, "in %s: %s", e.bin, list(bad))
		return
	}
	e.add("executables", OK, "", "%d in %s", e.installed(), e.bin)
}

// installed counts the executables as install does: with those that are not
// required, if they came along. Whose they are does not matter.
func (e *exam) installed() int {
	n := len(binaries.Required())
	for _, name := range binaries.Optional() {
		if info, err := os.Stat(e.binary(name)); err == nil && info.Mode().IsRegular() {
			n++
		}
	}
	return n
}

// list joins findings for a line of text; more than five are counted.
func list(items []string) string {
	const shown = 5
	if len(items) > shown {
		return strings.Join(items[:shown], "; ") + fmt.Sprintf("; and %d more", len(items)-shown)
	}
	return strings.Join(items, "; ")
}
