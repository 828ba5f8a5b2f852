// Package sight knows where devflow's things lie and whether a path leads to one of them: through links, bind mounts, second names,
// patterns, and names that differ in case only. It owns no table and no file, decides nothing, and looks at the file system with os
// only.
package sight

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Eyes follow paths through the file system as it is now, and through the links that the command line itself makes. They
// remember folders, so that a line with many paths costs one look at each. Not for concurrent use.
type Eyes struct {
	Places Places
	World  place.World

	links map[string]string // links that the line makes: path → target
	dirs  map[string]string // folder as written → as it is
	in    map[string]bool   // folder → is the root, or lies in it, whatever its name

	marked bool // the places below are filled in
	root   spot
	bin    spot
	files  []spot // the database and the settings files
}

// spot is a protected place: its path as it is, and the file behind it if there is one.
type spot struct {
	name string // the path whose last part may be a link
	path string
	info fs.FileInfo
	kind Kind
}

// Kind is what a path is to devflow.
type Kind uint8

// The kinds of paths.
const (
	Other   Kind = iota
	OwnSpec      // the session's own active-spec.json, which may be written
	RootDir
	Database
	Binary
	SettingsFile
	ProjectFile
	GitHook
	GitConfig
	StartFile // read by shells when they start, or by the client before each command
)

// maxLinks bounds the links of one path, as the kernel does.
const maxLinks = 40

// maxMemory bounds the folders that are remembered.
const maxMemory = 4096

// New makes eyes for one command line.
func New(p Places, w place.World) *Eyes { return &Eyes{Places: p, World: w} }

// mark looks at the protected places once.
func (e *Eyes) mark() {
	if e.marked {
		return
	}
	e.marked = true
	at := func(path string, k Kind) spot {
		if path == "" {
			return spot{kind: k}
		}
		s := spot{name: e.itself(path), path: e.Real(path), kind: k}
		s.info, _ = os.Stat(s.path) // what is not there has no second name
		return s
	}
	e.root, e.bin = at(e.Places.Root, RootDir), at(e.Places.Bin, Binary)
	e.files = append(e.files, at(e.Places.DB, Database))
	for _, f := range e.Places.Settings {
		e.files = append(e.files, at(f, SettingsFile))
	}
}

// Real resolves every link of an absolute path, existing or not, in the order in which the kernel does: ".." goes up from where a
// link leads.
func (e *Eyes) Real(path string) string {
	path = e.process(path)
	dir, name := filepath.Split(strings.TrimRight(path, "/"))
	if name == ".." || name == "." {
		return e.walk(path)
	}
	return e.walkFrom(e.folder(strings.TrimRight(dir, "/")), name)
}

// folder resolves a folder, each only once: those above it are remembered too, since the places of one line share them.
func (e *Eyes) folder(dir string) string {
	if dir == "" {
		return "/"
	}
	if known, ok := e.dirs[dir]; ok {
		return known
	}
	up, name := filepath.Split(dir)
	known := ""
	if plain(dir) && strings.Count(dir, "/") <= maxLinks { // ".." goes up from where a link leads: the path as a whole tells
		known = e.walkFrom(e.folder(strings.TrimRight(up, "/")), name)
	} else {
		known = e.walk(dir)
	}
	if e.dirs == nil || len(e.dirs) > maxMemory {
		e.dirs = map[string]string{}
	}
	e.dirs[dir] = known
	return known
}

// plain reports whether a path has no "." and ".." and no empty part.
func plain(path string) bool {
	return !strings.Contains(path, "/.") && !strings.Contains(path, "//") || path == filepath.Clean(path)
}

// child is a name in a folder, both without anything to clean.
func child(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

// itself resolves the folder of an absolute path but not its last part, as programs do that remove or rename.
func (e *Eyes) itself(path string) string {
	dir, name := filepath.Split(strings.TrimRight(path, "/"))
	if name == "" || name == "." || name == ".." {
		return e.Real(path)
	}
	return child(e.folder(strings.TrimRight(e.process(dir), "/")), name)
}

func (e *Eyes) walk(path string) string { return e.walkFrom("/", path) }

func (e *Eyes) walkFrom(cur, rest string) string {
	links := 0
	for steps := 0; rest != "" && steps < 4096; steps++ {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			cur = filepath.Dir(cur)
			continue
		}
		next := child(cur, part)
		Target, ok := e.links[next]
		if !ok {
			if info, err := os.Lstat(next); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				Target, err = os.Readlink(next)
				ok = err == nil
			}
		}
		if links++; ok && links <= maxLinks {
			if strings.HasPrefix(Target, "/") {
				cur = "/"
			}
			rest = strings.TrimSuffix(Target+"/"+rest, "/")
			rest = e.process(rest)
			continue
		}
		links-- // only links count
		cur = next
	}
	return cur
}

// process replaces the names that /proc has for the root folder and for the folder of the running process.
func (e *Eyes) process(path string) string {
	rest, ok := strings.CutPrefix(path, "/proc/")
	if !ok {
		return path
	}
	who, rest, _ := strings.Cut(rest, "/")
	if who == "" || who != "self" && who != "thread-self" && strings.Trim(who, "0123456789$") != "" {
		return path
	}
	if what, tail, _ := strings.Cut(rest, "/"); what == "root" {
		return "/" + tail
	} else if what == "cwd" && e.World.Cwd != "" {
		return e.World.Cwd + "/" + tail
	}
	return path
}

// Target is where a word of a command leads.
type Target struct {
	Path string // as it is; "" if not known
	Glob bool   // holds patterns
	Bare bool   // the last part was not followed if it is a link
	Text string // as written, if Path is not known or a pattern
}

// Targets resolves a word. Brace lists give several.
func (e *Eyes) Targets(d shell.Dir, x shell.Word) []Target {
	words := []string{x.Text}
	if x.Glob && strings.Contains(x.Text, "{") {
		words = braces(x.Text)
	}
	out := make([]Target, 0, len(words))
	for _, text := range words {
		y := x
		y.Text = text
		out = append(out, e.Target(d, y))
	}
	return out
}

// Bare resolves a word like Targets, save that a link in the end is not followed: what is removed or renamed is the link.
func (e *Eyes) Bare(d shell.Dir, x shell.Word) []Target {
	list := e.Targets(d, x)
	for i := range list {
		t := &list[i]
		if t.Path == "" || t.Glob || strings.HasSuffix(x.Text, "/") || strings.Contains(x.Text, "..") || len(list) > 1 {
			continue
		}
		y := x
		if y.Dynamic {
			y.Text = e.variables(y.Text)
		}
		if r := e.World.Locate(d, y); r.Path != "" {
			t.Path, t.Bare = e.itself(r.Path), true
		}
	}
	return list
}

// Target resolves one word without brace lists.
func (e *Eyes) Target(d shell.Dir, x shell.Word) Target {
	text := x.Text
	if x.Dynamic {
		x.Text = e.variables(x.Text)
	}
	if x.Quoted && strings.HasPrefix(x.Text, "~") {
		x.Text = "./" + x.Text // quoted: no home folder
		if strings.HasPrefix(x.Text, "./~/.claude") {
			x.Text = x.Text[2:] // nobody has a folder of that name; programs that expand it themselves do
		}
	}
	t := e.World.Locate(d, x)
	if t.Path == "" {
		return Target{Text: text}
	}
	path := t.Path
	if up := strings.Index(x.Text, "/.."); up > 0 && !t.Glob && !t.Dynamic {
		y := x
		y.Text = x.Text[:up]
		if head := e.World.Locate(d, y); head.Path != "" {
			path = e.Real(head.Path) + x.Text[up:]
		}
	}
	if t.Glob || t.Dynamic {
		if cut := strings.IndexAny(path, "*?["); cut >= 0 {
			dir := path[:strings.LastIndexByte(path[:cut], '/')+1]
			return Target{Path: strings.TrimRight(e.Real(dir), "/") + "/" + path[len(dir):], Glob: true, Text: text}
		}
	}
	return Target{Path: e.Real(path), Text: text}
}

// variables replaces the variables that name devflow's places and Claude Code's folder.
func (e *Eyes) variables(text string) string {
	for _, v := range [...]struct{ name, value string }{{"DEVFLOW_HOME", e.Places.Root}, {"DEVFLOW_DB", e.Places.DB}, {"CLAUDE_CONFIG_DIR", e.ClaudeDir()}} {
		if v.value == "" || !strings.Contains(text, v.name) {
			continue
		}
		text = strings.ReplaceAll(text, "${"+v.name+"}", v.value)
		for {
			from := strings.Index(text, "${"+v.name+":")
			if from < 0 {
				break
			}
			to, depth := from+2, 1
			for ; to < len(text) && depth > 0; to++ {
				switch text[to] {
				case '{':
					depth++
				case '}':
					depth--
				}
			}
			text = text[:from] + v.value + text[to:]
		}
		text = strings.ReplaceAll(text, "$"+v.name, v.value)
	}
	return text
}

// ClaudeDir is the user's folder of Claude Code, as far as the settings files tell.
func (e *Eyes) ClaudeDir() string {
	if len(e.Places.Settings) > 0 {
		return filepath.Dir(e.Places.Settings[0])
	}
	return filepath.Join(e.Places.home(e.World), ".claude")
}

// maxBraces bounds the words that one brace list gives.
const maxBraces = 64

// braces expands {a,b} lists.
func braces(text string) []string {
	list := []string{text}
	for i := 0; i < len(list) && len(list) < maxBraces; {
		open := strings.IndexByte(list[i], '{')
		if open < 0 {
			i++
			continue
		}
		shut := open + 1
		depth := 1
		for ; shut < len(list[i]) && depth > 0; shut++ {
			switch list[i][shut] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		if depth > 0 {
			i++
			continue
		}
		inner := list[i][open+1 : shut-1]
		if open > 0 && list[i][open-1] == '$' || !strings.Contains(inner, ",") {
			i++
			continue
		}
		head, tail := list[i][:open], list[i][shut:]
		list = append(list[:i], list[i+1:]...)
		for _, part := range splitTop(inner) {
			list = append(list, head+part+tail)
		}
	}
	return list
}

// splitTop splits at the commas that stand in no inner braces.
func splitTop(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

// folded reports whether the file systems of this system usually ignore case.
func folded() bool { return runtime.GOOS == "darwin" || runtime.GOOS == "windows" }

// same compares two paths as the file system does.
func same(a, b string) bool { return a == b || folded() && strings.EqualFold(a, b) }

// below reports whether path is dir or lies in it.
func below(path, dir string) bool {
	if dir == "" || len(path) < len(dir) || !same(path[:len(dir)], dir) {
		return false
	}
	return len(path) == len(dir) || path[len(dir)] == '/' || dir == "/"
}

// Link notes a link that the line makes before it goes on.
func (e *Eyes) Link(at, to string) {
	if e.links[at] == to {
		return
	}
	if e.links == nil {
		e.links = map[string]string{}
	}
	e.links[at] = to
	for dir, real := range e.dirs { // those that were resolved through the new link
		if below(dir, at) || below(real, at) {
			delete(e.dirs, dir)
		}
	}
}

// Links is how many were noted.
func (e *Eyes) Links() int { return len(e.links) }
