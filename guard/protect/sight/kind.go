package sight

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/protect/change"
	"github.com/devflow-suite/devflow/internal/regular"
)

// Kind says what a target is to devflow.
func (e *Eyes) Kind(t Target) Kind {
	switch {
	case t.Path == "":
		return e.hinted(t.Text)
	case t.Glob:
		return e.matched(t.Path)
	}
	return e.kindOf(t.Path, !t.Bare)
}

// KindOf is Kind of a resolved path.
func (e *Eyes) KindOf(path string) Kind { return e.kindOf(path, true) }

func (e *Eyes) kindOf(path string, follow bool) Kind {
	e.mark()
	if e.root.name != "" && same(path, e.root.name) {
		return RootDir
	}
	if below(path, e.root.path) {
		return e.inRoot(path[len(e.root.path):])
	}
	for _, f := range e.files {
		if f.path == "" {
			continue
		}
		if same(path, f.path) || same(path, f.name) || f.kind == Database && e.besideDB(path, f.path) {
			return f.kind
		}
	}
	if e.bin.path != "" && below(path, e.bin.path) && (same(path, e.bin.path) || e.Ours(filepath.Base(path))) {
		return Binary
	}
	if k := e.named(path); k != Other {
		return k
	}
	if !follow {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink != 0 {
			return Other // only the link would go
		}
	}
	return e.secondName(path)
}

// inRoot is the kind of a path below the root.
func (e *Eyes) inRoot(rest string) Kind {
	rest = strings.TrimPrefix(rest, "/")
	s := e.Places.Session
	switch {
	case s != "" && rest == "state/"+s+"/active-spec.json":
		return OwnSpec
	case strings.HasPrefix(rest, "bin/"):
		return Binary
	}
	if e.Places.DB != "" {
		if db := e.files[0].path; db != "" && e.besideDB(e.root.path+"/"+rest, db) {
			return Database
		}
	}
	return RootDir
}

// besideDB reports whether path is the database or one of the files that SQLite keeps beside it.
func (e *Eyes) besideDB(path, db string) bool {
	if len(path) < len(db) || !same(path[:len(db)], db) {
		return false
	}
	switch path[len(db):] {
	case "", "-wal", "-shm", "-journal":
		return true
	}
	return false
}

// Ours reports whether a name is that of an installed program.
func (e *Eyes) Ours(name string) bool {
	name = ProgramName(name)
	return e.Places.IsHook(name) || name == "devflow" || name == "devflow-telemetry"
}

// named knows files by their names alone.
func (e *Eyes) named(p string) Kind {
	dir, name := filepath.Split(p)
	dir = strings.TrimSuffix(dir, "/")
	parent := filepath.Base(dir)
	lower := name
	if folded() {
		lower = strings.ToLower(name)
	}
	switch lower {
	case "settings.json", "settings.local.json", "managed-settings.json":
		if parent == ".claude" || parent == "claude-code" || parent == "ClaudeCode" {
			return SettingsFile
		}
	case ".devflow.toml":
		return ProjectFile
	case ".gitconfig", "config.worktree", "gitconfig":
		return GitConfig
	case "config":
		if parent == ".git" || parent == "git" || strings.HasSuffix(parent, ".git") || strings.Contains(dir, "/.git/") {
			return GitConfig
		}
	case ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".envrc", "config.fish", ".pam_environment", "bash.bashrc":
		return StartFile
	case "environment":
		if dir == "/etc" {
			return StartFile
		}
	case "hooks.json":
		if strings.Contains(dir, "/.claude/plugins/") {
			return SettingsFile
		}
	}
	if parent == "environment.d" || parent == "conf.d" && strings.Contains(dir, "/fish/") {
		return StartFile
	}
	if parent == "managed-settings.d" {
		return SettingsFile
	}
	if parent == "hooks" || lower == "pre-push" || lower == "pre-commit" || lower == "commit-msg" || lower == "pre-push.devflow-chained" {
		if e.OurHook(p) {
			return GitHook
		}
	}
	return Other
}

// OurHook reports whether a file is a git hook that calls devflow.
func (e *Eyes) OurHook(file string) bool {
	if strings.HasSuffix(file, ".devflow-chained") {
		return true
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return false
	}
	data, err := regular.Read(file, 64<<10)
	return err == nil && strings.Contains(string(data), "devflow") && strings.HasPrefix(string(data), "#!")
}

// secondName finds the protected places behind bind mounts, hard links and names that differ in case only.
func (e *Eyes) secondName(p string) Kind {
	if e.root.info != nil && e.insideRoot(parent(p)) {
		return RootDir
	}
	info, err := os.Stat(p)
	if err != nil {
		return Other
	}
	if e.root.info != nil && os.SameFile(info, e.root.info) {
		return RootDir
	}
	if e.bin.info != nil && os.SameFile(info, e.bin.info) {
		return Binary
	}
	for _, f := range e.files {
		if f.info != nil && os.SameFile(info, f.info) {
			return f.kind
		}
	}
	return Other
}

// insideRoot reports whether a folder is the root or lies in it, by the identity of files.
func (e *Eyes) insideRoot(dir string) bool {
	if in, ok := e.in[dir]; ok {
		return in
	}
	in := false
	if info, err := os.Stat(dir); err == nil && os.SameFile(info, e.root.info) {
		in = true
	} else if dir != "/" {
		in = e.insideRoot(parent(dir))
	}
	if e.in == nil || len(e.in) > maxMemory {
		e.in = map[string]bool{}
	}
	e.in[dir] = in
	return in
}

// parent is the folder of a resolved path.
func parent(path string) string {
	if cut := strings.LastIndexByte(path, '/'); cut > 0 {
		return path[:cut]
	}
	return "/"
}

// hinted reads a path that is known only at run time by what is written in it.
func (e *Eyes) hinted(text string) Kind {
	switch {
	case strings.Contains(text, ".claude/devflow"):
		if strings.Contains(text, "devflow.db") {
			return Database
		}
		return RootDir
	case strings.Contains(text, "devflow.db"):
		return Database
	case strings.Contains(text, ".claude") && (strings.Contains(text, "settings.json") || strings.Contains(text, "settings.local.json")):
		return SettingsFile
	case strings.Contains(text, ".claude") && strings.Contains(text, "devflow"):
		return RootDir
	case strings.HasSuffix(text, "/.devflow.toml"):
		return ProjectFile
	case strings.Contains(text, "CLAUDE_ENV_FILE"):
		return StartFile
	}
	if db := filepath.Base(e.Places.DB); len(db) > 6 && strings.HasSuffix(text, "/"+db) {
		return Database
	}
	return Other
}

// matched is the kind of the protected place that a pattern may stand for.
func (e *Eyes) matched(pattern string) Kind {
	e.mark()
	for _, f := range e.files {
		if f.path != "" && (covers(pattern, f.path) == whole || covers(pattern, f.name) == whole) {
			return f.kind
		}
	}
	if e.root.path != "" && (covers(pattern, e.root.path) == whole || covers(pattern, e.root.path) == within) {
		return RootDir
	}
	if e.bin.path != "" && covers(pattern, e.bin.path) == within {
		for _, b := range HookPrograms {
			if covers(pattern, filepath.Join(e.bin.path, b)) == whole {
				return Binary
			}
		}
	}
	return e.named(pattern)
}

// Holds is the kind of the first protected thing in a folder; names narrows it to files of those names.
func (e *Eyes) Holds(t Target, names []string) (Kind, string) {
	if t.Path == "" {
		return Other, ""
	}
	e.mark()
	inside := func(p string) bool {
		if p == "" {
			return false
		}
		if t.Glob {
			c := covers(t.Path, p)
			return c == whole || c == above
		}
		return below(p, t.Path)
	}
	for _, s := range append([]spot{e.root, e.bin}, e.files...) {
		if !inside(s.path) || !nameable(s, names) {
			continue
		}
		if s.info == nil && s.kind != RootDir {
			continue // nothing there
		}
		if s.kind == SettingsFile && len(change.Guarded(Read(s.path))) == 0 {
			continue
		}
		if s.kind == Binary && s.path == "" {
			continue
		}
		return s.kind, s.path
	}
	return Other, ""
}

// nameable reports whether find's name patterns fit anything of a protected place.
func nameable(s spot, names []string) bool {
	if len(names) == 0 {
		return true
	}
	parts := []string{filepath.Base(s.path)}
	if s.kind == RootDir || s.kind == Binary {
		parts = append(parts, "devflow.db", "devflow.db-wal", "config.toml", "install-manifest.json", "telemetry", "state", "devflow-stop", "devflow-pre-tool-use", "devflow")
	}
	for _, pattern := range names {
		for _, part := range parts {
			if ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(part)); ok || err != nil {
				return true
			}
		}
	}
	return false
}

// cover is how a pattern relates to a path.
type cover uint8

const (
	apart  cover = iota
	whole        // fits the path itself
	within       // fits something in it
	above        // fits a folder that it lies in
)

// covers compares a pattern with a path, component by component. As in shells, a pattern does not fit a leading dot.
func covers(pattern, p string) cover {
	a := strings.Split(strings.Trim(pattern, "/"), "/")
	b := strings.Split(strings.Trim(p, "/"), "/")
	for i := range min(len(a), len(b)) {
		if strings.HasPrefix(b[i], ".") && !strings.HasPrefix(a[i], ".") {
			return apart
		}
		if a[i] == "**" {
			return whole
		}
		if ok, err := path.Match(a[i], b[i]); err != nil || !ok {
			return apart
		}
	}
	switch {
	case len(a) == len(b):
		return whole
	case len(a) > len(b):
		return within
	}
	return above
}

// Read returns the content of a file, nil if there is none.
func Read(file string) []byte {
	data, err := regular.Read(file, maxRead)
	if err != nil {
		return nil
	}
	return data
}
