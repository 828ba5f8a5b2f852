package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/devflow-suite/devflow/install"
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
	var stale []string
	for _, f := range m.Files {
		data, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			stale = append(stale, f.Path+" is gone")
		case err != nil:
			stale = append(stale, err.Error())
		case install.Sum(data) != f.SHA256 && f.Kind == "binary":
			stale = append(stale, f.Path+" is another build")
		}
	}
	edited := 0
	for _, s := range m.Settings {
		data, err := os.ReadFile(s.Path)
		switch {
		case err != nil:
			stale = append(stale, s.Path+" cannot be read")
		case install.Sum(data) != s.After:
			edited++
		}
	}
	if len(stale) > 0 {
		e.add("manifest", Warn, installHint, "the installation has changed since: %s", list(stale))
		return
	}
	note := ""
	if edited > 0 {
		note = fmt.Sprintf(" (%d edited since the installation, which is fine)", edited)
	}
	e.add("manifest", OK, "", "%d files, %d settings files%s", len(m.Files), len(m.Settings), note)
}

// checkBinaries looks whether the executables are there and may be executed.
func (e *exam) checkBinaries() {
	var bad []string
	for _, name := range install.RequiredBinaries() {
		info, err := os.Stat(e.binary(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			bad = append(bad, name+" is missing")
		case err != nil:
			bad = append(bad, err.Error())
		case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
			bad = append(bad, name+" is not executable")
		}
	}
	if len(bad) > 0 {
		e.add("executables", Fail, installHint, "in %s: %s", e.bin, list(bad))
		return
	}
	e.add("executables", OK, "", "%d in %s", len(install.RequiredBinaries()), e.bin)
}

// list joins findings for a line of text; more than five are counted.
func list(items []string) string {
	const shown = 5
	if len(items) > shown {
		return strings.Join(items[:shown], "; ") + fmt.Sprintf("; and %d more", len(items)-shown)
	}
	return strings.Join(items, "; ")
}
