package protect

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
)

// kind says what a target is to devflow.
func (e *eyes) kind(t target) kind {
	switch {
	case t.path == "":
		return e.hinted(t.text)
	case t.glob:
		return e.matched(t.path)
	}
	return e.kindOf(t.path)
}

// kindOf is kind of a resolved path.
func (e *eyes) kindOf(path string) kind {
	e.mark()
	if below(path, e.root.path) {
		return e.inRoot(path[len(e.root.path):])
	}
	for _, f := range e.files {
		if f.path == "" {
			continue
		}
		if same(path, f.path) || f.kind == database && e.besideDB(path, f.path) {
			return f.kind
		}
	}
	if e.bin.path != "" && below(path, e.bin.path) && (same(path, e.bin.path) || e.ours(filepath.Base(path))) {
		return binary
	}
	if k := e.named(path); k != other {
		return k
	}
	return e.secondName(path)
}

// inRoot is the kind of a path below the root.
func (e *eyes) inRoot(rest string) kind {
	rest = strings.TrimPrefix(rest, "/")
	s := e.p.Session
	switch {
	case s != "" && rest == "state/"+s+"/active-spec.json":
		return ownSpec
	case strings.HasPrefix(rest, "bin/"):
		return binary
	}
	if e.p.DB != "" {
		if db := e.files[0].path; db != "" && e.besideDB(e.root.path+"/"+rest, db) {
			return database
		}
	}
	return rootDir
}

// besideDB reports whether path is the database or one of the files that SQLite keeps beside it.
func (e *eyes) besideDB(path, db string) bool {
	if len(path) < len(db) || !same(path[:len(db)], db) {
		return false
	}
	switch path[len(db):] {
	case "", "-wal", "-shm", "-journal":
		return true
	}
	return false
}

// ours reports whether a name is that of an installed program.
func (e *eyes) ours(name string) bool {
	name = programName(name)
	return e.p.isHook(name) || name == "devflow" || name == "devflow-telemetry"
}

// named knows files by their names alone.
func (e *eyes) named(p string) kind {
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
			return settingsFile
		}
	case ".devflow.toml":
		return projectFile
	case ".gitconfig", "config.worktree", "gitconfig":
		return gitConfig
	case "config":
		if parent == ".git" || parent == "git" || strings.HasSuffix(parent, ".git") || strings.Contains(dir, "/.git/") {
			return gitConfig
		}
	case ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".envrc", "config.fish", ".pam_environment", "environment", "bash.bashrc":
		return startFile
	case "hooks.json":
		if strings.Contains(dir, "/.claude/plugins/") {
			return settingsFile
		}
	}
	if parent == "managed-settings.d" {
		return settingsFile
	}
	if parent == "hooks" || lower == "pre-push" || lower == "pre-commit" || lower == "commit-msg" || lower == "pre-push.devflow-chained" {
		if e.ourHook(p) {
			return gitHook
		}
	}
	return other
}

// ourHook reports whether a file is a git hook that calls devflow.
func (e *eyes) ourHook(file string) bool {
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
func (e *eyes) secondName(p string) kind {
	if e.root.info != nil && e.insideRoot(filepath.Dir(p)) {
		return rootDir
	}
	info, err := os.Stat(p)
	if err != nil {
		return other
	}
	if e.root.info != nil && os.SameFile(info, e.root.info) {
		return rootDir
	}
	if e.bin.info != nil && os.SameFile(info, e.bin.info) {
		return binary
	}
	for _, f := range e.files {
		if f.info != nil && os.SameFile(info, f.info) {
			return f.kind
		}
	}
	return other
}

// insideRoot reports whether a folder is the root or lies in it, by the identity of files.
func (e *eyes) insideRoot(dir string) bool {
	if in, ok := e.in[dir]; ok {
		return in
	}
	in := false
	if info, err := os.Stat(dir); err == nil && os.SameFile(info, e.root.info) {
		in = true
	} else if up := filepath.Dir(dir); up != dir {
		in = e.insideRoot(up)
	}
	if e.in == nil || len(e.in) > maxMemory {
		e.in = map[string]bool{}
	}
	e.in[dir] = in
	return in
}

// hinted reads a path that is known only at run time by what is written in it.
func (e *eyes) hinted(text string) kind {
	switch {
	case strings.Contains(text, ".claude/devflow"):
		if strings.Contains(text, "devflow.db") {
			return database
		}
		return rootDir
	case strings.Contains(text, "devflow.db"):
		return database
	case strings.HasSuffix(text, ".claude/settings.json"), strings.HasSuffix(text, ".claude/settings.local.json"):
		return settingsFile
	case strings.HasSuffix(text, "/.devflow.toml"):
		return projectFile
	case strings.Contains(text, "CLAUDE_ENV_FILE"):
		return startFile
	}
	if db := filepath.Base(e.p.DB); len(db) > 6 && strings.HasSuffix(text, "/"+db) {
		return database
	}
	return other
}

// matched is the kind of the protected place that a pattern may stand for.
func (e *eyes) matched(pattern string) kind {
	e.mark()
	if e.root.path != "" && (covers(pattern, e.root.path) == whole || covers(pattern, e.root.path) == within) {
		return rootDir
	}
	for _, f := range e.files {
		if f.path != "" && covers(pattern, f.path) == whole {
			return f.kind
		}
	}
	if e.bin.path != "" && covers(pattern, e.bin.path) == within {
		for _, b := range hookPrograms {
			if covers(pattern, filepath.Join(e.bin.path, b)) == whole {
				return binary
			}
		}
	}
	return e.named(pattern)
}

// holds is the kind of the first protected thing in a folder; names narrows it to files of those names.
func (e *eyes) holds(t target, names []string) (kind, string) {
	if t.path == "" {
		return other, ""
	}
	e.mark()
	inside := func(p string) bool {
		if p == "" {
			return false
		}
		if t.glob {
			c := covers(t.path, p)
			return c == whole || c == above
		}
		return below(p, t.path)
	}
	for _, s := range append([]spot{e.root, e.bin}, e.files...) {
		if !inside(s.path) || !nameable(s, names) {
			continue
		}
		if s.info == nil && s.kind != rootDir {
			continue // nothing there
		}
		if s.kind == settingsFile && len(guarded(read(s.path))) == 0 {
			continue
		}
		if s.kind == binary && s.path == "" {
			continue
		}
		return s.kind, s.path
	}
	return other, ""
}

// nameable reports whether find's name patterns fit anything of a protected place.
func nameable(s spot, names []string) bool {
	if len(names) == 0 {
		return true
	}
	parts := []string{filepath.Base(s.path)}
	if s.kind == rootDir || s.kind == binary {
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

// read returns the content of a file, nil if there is none.
func read(file string) []byte {
	data, err := regular.Read(file, maxRead)
	if err != nil {
		return nil
	}
	return data
}
