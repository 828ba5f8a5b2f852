package install_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/install"
)

// world is a home folder of its own with built executables beside it.
type world struct {
	t    testing.TB
	home string
	from string
	env  map[string]string
	opt  install.Options
}

func newWorld(t testing.TB) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, home: filepath.Join(base, "my home"), from: filepath.Join(base, "built")}
	w.env = map[string]string{"HOME": w.home, "TMPDIR": filepath.Join(base, "tmp")}
	w.mkdir(w.home)
	for _, name := range append(install.RequiredBinaries(), "devflow-telemetry") {
		w.write(filepath.Join(w.from, name), "#!/bin/sh\necho "+name+"\n", 0o755)
	}
	w.opt = install.Options{
		From: w.from, Version: "1.2.3", Getenv: func(k string) string { return w.env[k] },
		Now: func() time.Time { return time.UnixMilli(1_700_000_000_000) },
	}
	return w
}

func (w *world) settings() string { return filepath.Join(w.home, ".claude", "settings.json") }
func (w *world) root() string     { return filepath.Join(w.home, ".claude", "devflow") }
func (w *world) command(name string) string {
	return filepath.Join(w.home, ".claude", "commands", name+".md")
}

func (w *world) mkdir(dir string) {
	w.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(path, text string, mode fs.FileMode) {
	w.t.Helper()
	w.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *world) install() install.Report {
	w.t.Helper()
	r, err := install.Install(w.t.Context(), w.opt)
	if err != nil {
		w.t.Fatalf("Install: %v\n%s", err, strings.Join(r.Lines, "\n"))
	}
	return r
}

func (w *world) uninstall() install.Report {
	w.t.Helper()
	r, err := install.Uninstall(w.t.Context(), w.opt)
	if err != nil {
		w.t.Fatalf("Uninstall: %v\n%s", err, strings.Join(r.Lines, "\n"))
	}
	return r
}

// snapshot is every path below home with mode and content.
func (w *world) snapshot() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.home, path)
		all[rel] = info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			all[rel] += " " + string(data)
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[rel] += " " + target
			return err
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

const settingsText = `{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/mine/stop.sh && true",
            "timeout": 7
          }
        ]
      }
    ]
  },
  "big": 12345678901234567890
}
`
