// Package installed tells whether a project knows a module of Python.
//
// It reads imports and manifests of the present tree; it owns no table and judges nothing.
package installed

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
)

// Known reports whether the project knows a module of Python: it is part of it, another file imports it, or a manifest
// names it. Without the project nothing can be said, and it is taken for known.
func Known(c *change.Change, f *change.File, module string) bool {
	if c.Now == nil || f.Before == nil {
		return true
	}
	top, _, _ := strings.Cut(module, ".")
	switch top {
	case "fcntl", "resource", "curses", "tkinter", "readline", "termios", "pwd", "grp", "winreg", "msvcrt", "sqlite3", "lzma", "bz2", "zlib", "ssl", "tomllib", "zoneinfo", "ctypes", "asyncio", "dbm", "compression",
		"multiprocessing", "syslog", "pty", "tty", "crypt", "nis", "spwd", "audioop", "distutils", "imp", "turtle", "idlelib", "ensurepip", "venv", "xxlimited":
		return true
	}
	const most = 200
	spelled := strings.ReplaceAll(strings.ToLower(top), "_", "-")
	words := append(change.Words(top), change.Words(strings.ReplaceAll(spelled, "-", " "))...)
	for _, places := range c.Now.Grep(words, most) {
		for _, p := range places {
			line := strings.TrimSpace(p.Text)
			code := strings.HasSuffix(p.Path, ".py") || strings.HasSuffix(p.Path, ".pyi") || strings.HasSuffix(p.Path, ".pyx")
			switch {
			case p.Path == f.Path && strings.Contains(line, "importorskip"):
			case code && path.Base(p.Path) != "setup.py" && path.Base(p.Path) != "noxfile.py":
				if (strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ") || strings.Contains(line, "import_module") || strings.Contains(line, "importorskip")) && strings.Contains(line, top) {
					return true
				}
			case !strings.HasPrefix(line, "#") && manifest(p.Path) && strings.Contains(strings.ReplaceAll(strings.ToLower(line), "_", "-"), spelled):
				return true
			}
		}
	}
	for _, p := range c.Now.Paths() {
		if strings.HasSuffix("/"+p, "/"+top+".py") || strings.Contains("/"+p, "/"+top+"/__init__.py") {
			return true
		}
	}
	return false
}

// manifest reports whether a file says what must be installed.
func manifest(p string) bool {
	base := strings.ToLower(path.Base(p))
	for _, w := range [...]string{"pyproject", "setup.", "tox.", "noxfile", "pipfile", "environment", "poetry", "uv.lock", "pixi", "conda", "meta.y", "pdm"} {
		if strings.HasPrefix(base, w) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(p), "requirements") || strings.HasPrefix(p, ".github/") || base == "dockerfile" || base == ".gitlab-ci.yml" || base == "makefile"
}
