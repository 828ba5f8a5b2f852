// Package audit says what in a region's work tree is not for that region to change: the last of the four write barriers. It trusts
// what git compares with an index of ours, and what it sees on the disk itself; nothing that a worker can write decides.
//
// It owns nothing and starts nothing.
package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

const (
	// MaxChange is how much the changed files of a region may hold, together, in bytes: git reads all of it more than once, and hosting
	// services refuse far less.
	MaxChange = 2 << 30
	// Notable is the size from which on a file counts as a large one, in bytes.
	Notable = 1 << 20
)

// Case is one work tree to look at. Paths are slash paths below Root.
type Case struct {
	Root       string            // of the work tree
	Inside     []string          // the region's folders
	Changes    []git.Change      // against the index
	Ignored    []string          // as git.State
	Submodules []string          // of the index
	Absent     []string          // files of a partial clone that are not there
	Filters    map[string]string // changed path → filter that would have to run on it
}

// Outside gives what is not allowed, sorted, each a path below Root; where the path alone does not say why, a reason in parentheses
// follows it.
func Outside(c Case) ([]string, error) {
	var found []string
	add := func(name, why string) {
		if why != "" {
			name += " (" + why + ")"
		}
		found = append(found, name)
	}
	var sum, most int64
	largest := ""
	for _, change := range c.Changes {
		if why, bad := c.judge(change); bad {
			add(strings.TrimSuffix(change.Path, "/"), why)
		} else if info, err := os.Lstat(c.full(change.Path)); err == nil && change.Work != '.' && info.Mode().IsRegular() {
			if sum += info.Size(); info.Size() > most {
				most, largest = info.Size(), change.Path
			}
		}
		if sum < 0 {
			sum = MaxChange + 1 // more than can be counted
		}
	}
	if sum > MaxChange {
		add(largest, fmt.Sprintf("the largest changed file, of %d bytes: all changes together may have %d; what is built belongs in .gitignore", most, int64(MaxChange)))
	}
	for _, name := range c.Submodules {
		if full := c.full(name); !empty(full) {
			add(name, "a submodule: what is in it cannot be integrated")
		}
	}
	for _, name := range c.Absent {
		if _, err := os.Lstat(c.full(name)); err == nil {
			add(name, "its content is not in this partial clone")
		}
	}
	nested, err := Nested(c.Root, c.Inside, c.Ignored)
	if err != nil {
		return nil, err
	}
	for _, name := range nested {
		add(name, "a repository inside the project")
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func (c Case) full(name string) string { return filepath.Join(c.Root, filepath.FromSlash(name)) }

// judge looks at one change.
func (c Case) judge(change git.Change) (why string, bad bool) {
	if change.Work == '.' {
		return "", false
	}
	name := strings.TrimSuffix(change.Path, "/")
	if slices.Contains(c.Inside, name) && change.Path == name {
		if change.Work == 'D' {
			return "", false
		}
		return "the region's folder is no folder any more", true
	}
	if !Inside(name, c.Inside) {
		return "", true
	}
	switch info, err := os.Lstat(c.full(name)); {
	case change.Path != name:
		return "a repository inside the project", true
	case change.Submodule:
		return "a submodule: what is in it cannot be integrated", true
	case dotGit(name):
		return "git keeps its own files under such a name", true
	case c.Filters[name] != "":
		return fmt.Sprintf("the filter %q would have to run on it, and does not", c.Filters[name]), true
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return c.link(name)
	}
	return "", false
}

// Inside tells whether a path is in one of the folders.
func Inside(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return name == f || strings.HasPrefix(name, f+"/") })
}

// dotGit finds the names that stand for .git on some system.
func dotGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if isDotGit(part) {
			return true
		}
	}
	return false
}

// isDotGit compares as the file systems do which see less in a name: letter case, characters that macOS leaves out (the list of git's
// utf8.c), and what Windows cuts off at the end, a stream's name included.
func isDotGit(part string) bool {
	part, _, _ = strings.Cut(part, ":")
	part = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, part)
	part = strings.TrimRight(part, ". ")
	return strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1")
}

// link follows a symbolic link: by its text, and by the disk as far as what it names exists.
func (c Case) link(name string) (why string, bad bool) {
	target, err := os.Readlink(c.full(name))
	if err != nil {
		return "a symbolic link that cannot be read", true
	}
	why = fmt.Sprintf("a symbolic link that leads out of the region, to %s", target)
	if filepath.IsAbs(target) {
		return why, true
	}
	if !Inside(path.Join(path.Dir(name), filepath.ToSlash(target)), c.Inside) {
		return why, true
	}
	real, err := filepath.EvalSymlinks(c.full(name))
	if err != nil {
		return "", false // leads nowhere yet
	}
	root, err := filepath.EvalSymlinks(c.Root)
	if err != nil {
		return why, true
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !Inside(filepath.ToSlash(rel), c.Inside) {
		return why, true
	}
	return "", false
}

// Nested finds entries named .git below some folders of a work tree ("" is the whole of it, without its own), but not in what git
// ignores.
func Nested(root string, folders, ignored []string) ([]string, error) {
	skip := map[string]bool{}
	for _, name := range ignored {
		skip[strings.TrimSuffix(name, "/")] = true
	}
	var found []string
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(full string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("look into %s: %w", full, err)
			}
			rel, err := filepath.Rel(root, full)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(rel)
			switch {
			case name == ".git":
			case isDotGit(d.Name()):
				found = append(found, name)
			case !skip[name]:
				return nil
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || len(entries) == 0
}
