package integrity

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/off"
)

// installed reports whether the project knows a module of Python: it is part of it, another file imports it, or a manifest
// names it. Without the project nothing can be said, and it is taken for known.
func (s *survey) installed(f *change.File, module string) bool {
	if s.c.Now == nil || f.Before == nil {
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
	for _, places := range s.c.Now.Grep(words, most) {
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
	for _, p := range s.c.Now.Paths() {
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
	return strings.Contains(strings.ToLower(p), "requirements") || recipe(p) && base != "conftest.py"
}

// renamed reports a test that is called now by a name which stands for a runner's function or for its silent form.
func (s *survey) renamed(p change.TestPair) {
	f := s.c.File(p.Old.OldPath)
	if f == nil || f.After == nil {
		return
	}
	for _, sw := range s.off(f.After) {
		if sw.Title == "" || sw.Title != p.Before.Name || sw.Kind != off.Skip || sw.Guard == off.Platform {
			continue
		}
		had := len(s.found)
		now := p
		now.New, now.After = f, p.Before
		s.report(now, sw, 1)
		if len(s.found) > had {
			s.found[had].After = clip(f.After.Span(sw.From, sw.To))
		}
		return
	}
}
