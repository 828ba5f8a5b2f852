// Package place says where a path of a command line lies: the root, the system, the home folder, keys, a device, the
// project, its build folders, a temporary folder. It owns no table and no file, judges nothing, and asks the file system
// only through Disk.
//
// It reads text: a path that goes through a symbolic link is taken as it is written. What is known only at run time is
// marked, never guessed to be harmless.
package place

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// World is what a command line is relative to. All paths are absolute slash paths; "" means not known. The zero World
// knows only the places that every machine has. It is a value and safe for concurrent use if Disk is.
type World struct {
	Home    string
	Project string // top of the work tree, "" for none
	Cwd     string // where the command line starts
	Temp    string // the value of TMPDIR; /tmp and the like are known anyway
	Linked  bool   // Cwd is in a linked work tree (git worktree add)
	Disk    Disk   // may be nil: then nothing is known of the files
}

// Disk answers from the file system. Paths are slash paths relative to World.Project. Implementations look lazily; where
// they cannot look they give the answer that lets less pass: not ignored, tracked, changed.
type Disk interface {
	Ignored(rel string) bool // git ignores it
	Tracked(rel string) bool // git tracks it or something below it
	Changed(rel string) bool // a tracked file that differs from what git has staged, or that nobody could compare
	Missing(p string) bool   // nothing is at the absolute path
	Keeps(rel string) bool   // without it, and all that is below it, nothing would be lost: git has it unchanged, makes it again, or nothing is there
}

// Zone is a kind of place.
type Zone uint8

// The zones.
const (
	Unknown     Zone = iota // known only at run time
	Root                    // the root folder or everything in it
	System                  // belongs to the operating system
	Home                    // the home folder, everything in it, a parent of it, or another user's
	HomeTop                 // a folder or file directly in the home folder, or a configuration folder there
	Keys                    // keys and passwords
	Device                  // a disk or another device that holds data
	ProjectRoot             // the project, everything in it, or a parent of it
	GitDir                  // git's own files
	Project                 // a part of the project
	Build                   // a build or cache folder, or what git ignores
	TempTop                 // a whole temporary folder
	Temp                    // something in a temporary folder
	Outside                 // anywhere else
)

// Set is a set of zones.
type Set uint32

// Of makes a set.
func (z Zone) Of() Set { return 1 << z }

// Has reports whether the zone belongs to the set.
func (s Set) Has(z Zone) bool { return s&(1<<z) != 0 }

// Target is a path after resolution.
type Target struct {
	Path    string // absolute and cleaned; "" if it is not known where it starts. Globs stay as written
	Zone    Zone
	Glob    bool   // some part is a pattern
	Dynamic bool   // some part is known only at run time
	Unset   bool   // a variable in it that is empty or not set would make it a much worse place
	Key     bool   // named like a key, wherever it lies
	Raw     string // as written, after quote removal
}

// unknownPart stands for a part of a path that is known only at run time and is not empty.
const unknownPart = "\x01"

// maxText is the longest word that is read as a path, in bytes: twice PATH_MAX of Linux. Longer ones are Unknown.
const maxText = 8 << 10

// maxParts bounds how many components of a path are looked at, so that a path of a megabyte costs what a long one costs.
const maxParts = 256

// Resolve says where a word of a command that runs in d leads.
func (w World) Resolve(d shell.Dir, x shell.Word) Target {
	t, text, parts := w.locate(d, x)
	if len(x.Text) > maxText {
		return t
	}
	if t.Path == "" {
		t.Zone = w.floating(text, t.Dynamic)
		t.Key = keyName(path.Base(text))
	} else {
		t.Zone = w.classify(parts)
		if len(parts) > 0 {
			t.Key = keyName(parts[len(parts)-1])
		}
		if t.Key && t.Zone == Outside || t.Key && t.Zone == HomeTop {
			t.Zone = Keys
		}
	}
	if t.Dynamic {
		t.Unset = w.worseWhenEmpty(d, text)
	}
	return t
}

// Locate is Resolve without the zone and what belongs to it (Key, Unset): it costs half and never asks Disk.
func (w World) Locate(d shell.Dir, x shell.Word) Target {
	t, _, _ := w.locate(d, x)
	return t
}

// locate finds the path of a word, which also is its parts, and the text that remains after substitution.
func (w World) locate(d shell.Dir, x shell.Word) (t Target, text string, parts []string) {
	t = Target{Raw: x.Text, Glob: x.Glob}
	if len(x.Text) > maxText {
		t.Dynamic = true
		return t, "", nil
	}
	text = x.Text
	if strings.ContainsAny(text, "$`<>") && x.Dynamic {
		text, t.Dynamic = w.substitute(text)
	}
	if abs, known := w.absolute(d, text); known {
		parts = split(abs)
		t.Path = "/" + strings.ReplaceAll(strings.Join(parts, "/"), unknownPart, "*")
	}
	return t, text, parts
}

// floating classifies a path of which it is not known where it starts.
func (w World) floating(text string, dynamic bool) Zone {
	parts := split(strings.TrimPrefix(text, unknownPart+"/"))
	for _, p := range parts {
		if p == ".git" {
			return GitDir
		}
		if buildName(p) {
			return Build
		}
	}
	if n := len(parts); n > 0 && !dynamic && keyName(parts[n-1]) {
		return Keys
	}
	return Unknown
}

// worseWhenEmpty reports whether the path leads somewhere terrible once its unknown parts are empty.
func (w World) worseWhenEmpty(d shell.Dir, text string) bool {
	empty := strings.ReplaceAll(text, unknownPart, "")
	if empty == "" {
		return false // no argument at all
	}
	abs, known := w.absolute(d, empty)
	if !known {
		return false
	}
	switch w.classify(split(abs)) {
	case Root, System, Home, HomeTop, ProjectRoot:
		return true
	}
	parts := split(empty)
	return strings.HasPrefix(text, unknownPart+"/") && len(parts) == 1 && (!buildName(parts[0]) || w.classify(parts) != Outside)
}

// absolute puts a relative path below the folder of the command. It reports false if that is not known.
func (w World) absolute(d shell.Dir, text string) (string, bool) {
	switch {
	case strings.HasPrefix(text, "/"):
		return text, true
	case strings.HasPrefix(text, unknownPart), text == "~-", strings.HasPrefix(text, "~-/"):
		return "", false
	case text == "~" || strings.HasPrefix(text, "~/"):
		return w.home() + text[1:], true
	case text == "~+" || strings.HasPrefix(text, "~+/"):
		return w.absolute(d, "./"+strings.TrimPrefix(text[2:], "/"))
	case strings.HasPrefix(text, "~"):
		user, rest, _ := strings.Cut(text[1:], "/")
		switch {
		case user == "root":
			return "/root/" + rest, true
		case user == path.Base(w.home()):
			return w.home() + "/" + rest, true
		case strings.HasPrefix(w.home(), "/Users/"):
			return "/Users/" + user + "/" + rest, true
		}
		return "/home/" + user + "/" + rest, true
	case d.Unknown:
		from, dynamic := w.substitute(d.From)
		if d.From == "" || dynamic || !strings.HasPrefix(from, "/") {
			return "", false
		}
		return from + "/" + text, true
	}
	base := d.Path
	switch {
	case base == "~" || strings.HasPrefix(base, "~/"):
		base = w.home() + base[1:]
	case !strings.HasPrefix(base, "/"):
		if w.Cwd == "" {
			return "", false
		}
		base = w.Cwd + "/" + base
	}
	if strings.ContainsAny(base, "$`") {
		sub, dynamic := w.substitute(base)
		if dynamic || !strings.HasPrefix(sub, "/") {
			return "", false
		}
		base = sub
	}
	return base + "/" + text, true
}

// home is the home folder, or one that stands for it.
func (w World) home() string {
	if w.Home != "" {
		return strings.TrimSuffix(w.Home, "/")
	}
	return "/home/user"
}

// split cleans an absolute path into components.
func split(p string) []string {
	parts := make([]string, 0, 8)
	for p != "" && len(parts) < maxParts {
		var c string
		c, p, _ = strings.Cut(p, "/")
		switch c {
		case "", ".":
		case "..":
			if len(parts) > 0 {
				parts = parts[:len(parts)-1]
			}
		default:
			parts = append(parts, c)
		}
	}
	if len(parts) > 2 && parts[0] == "proc" && parts[2] == "root" { // /proc/self/root is the root folder
		return parts[3:]
	}
	return parts
}

// Rel gives the path below the project, false if it is not in it.
func (w World) Rel(t Target) (string, bool) {
	if w.Project == "" || t.Path == "" {
		return "", false
	}
	root := strings.TrimSuffix(w.Project, "/")
	if t.Path == root {
		return ".", true
	}
	return strings.CutPrefix(t.Path, root+"/")
}
