// Package survey takes an inventory of a project: which folders there are, how large, in which languages, with which build files and
// entry points, and which folder imports which.
//
// It is deterministic and made by reading files: git says which files belong to the project (tracked, or new and not ignored), and
// their text is scanned. Everything is bounded, symbolic links are not followed, and names are treated as foreign text. It owns no
// table, writes nothing, and asks no model. Imports are read by the package imports.
package survey

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Bounds of a survey. What lies beyond them is left out and said in Notes.
const (
	MaxFiles = 100_000   // files that are looked at, the first in order of their paths
	MaxFile  = 1 << 20   // bytes of one file that is read
	MaxRead  = 512 << 20 // bytes that are read in all
	maxList  = 64 << 20  // bytes of git's list
	maxNotes = 20
)

// Inventory is what a project holds. The zero value is an empty project.
type Inventory struct {
	Files     int        `json:"files"` // that count: what Skipped says is not among them
	Lines     int        `json:"lines"` // of program text
	Tests     int        `json:"tests"` // files
	Languages []Language `json:"languages"`
	Folders   []Folder   `json:"folders"` // that hold counted files themselves, in order of their paths
	Builds    []string   `json:"builds"`  // paths of build files
	Entries   []string   `json:"entries"` // paths of files that a program starts in
	Edges     []Edge     `json:"edges"`   // imports from one folder to another
	Modules   []Module   `json:"modules"` // natural modules, the largest first
	Skipped   Skipped    `json:"skipped"`
	Notes     []string   `json:"notes"` // what could not be looked at, in words
}

// Language is how much there is of one.
type Language struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Lines int    `json:"lines"`
}

// Folder is what lies directly in a folder.
type Folder struct {
	Path      string     `json:"path"` // slash path, "." for the project's own
	Files     int        `json:"files"`
	Lines     int        `json:"lines"`
	Tests     int        `json:"tests"`
	Languages []Language `json:"languages"`
}

// Edge says that files in one folder import another.
type Edge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int    `json:"count"` // importing files
}

// Module is a folder that could have an owner. No module lies inside another.
type Module struct {
	Name   string   `json:"name"` // fit for a plan, unique
	Path   string   `json:"path"`
	Files  int      `json:"files"`
	Lines  int      `json:"lines"`
	Tests  int      `json:"tests"`
	Main   string   `json:"main"` // language with the most lines, "" for none
	Weight float64  `json:"weight"`
	Uses   []string `json:"uses"` // names of modules that it imports, most used first
}

// Skipped counts files that were left out.
type Skipped struct {
	Binary    int `json:"binary"`
	Generated int `json:"generated"`
	Vendored  int `json:"vendored"`
	Links     int `json:"links"` // symbolic links and other things that are no regular files
	Large     int `json:"large"` // counted, but their lines were not
	Odd       int `json:"odd"`   // names that are not UTF-8 or hold control characters, and files that cannot be read
}

// Take surveys the folder dir. Below a git repository it takes the files that git knows or would add; elsewhere all but those in
// hidden and vendored folders. The error is one sentence: the folder or git could not be read, or ctx ended.
func Take(ctx context.Context, dir string) (Inventory, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Inventory{}, fmt.Errorf("survey project: %w", err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return Inventory{}, fmt.Errorf("survey project: %w", err)
	}
	defer root.Close()
	t := &taker{root: root}
	paths, err := t.list(ctx, abs)
	if err != nil {
		return Inventory{}, fmt.Errorf("survey %s: %w", dir, err)
	}
	t.sort(paths)
	if err := t.stat(ctx); err != nil {
		return Inventory{}, fmt.Errorf("survey %s: %w", dir, err)
	}
	if err := t.read(ctx); err != nil {
		return Inventory{}, fmt.Errorf("survey %s: %w", dir, err)
	}
	t.count()
	t.connect()
	t.suggest()
	return t.inv, nil
}

// taker is a survey at work.
type taker struct {
	root  *os.Root
	files []file // in order of their paths
	inv   Inventory
}

// file is one file of the project.
type file struct {
	path  string
	size  int64
	kind  kind
	lines int
	main  bool     // a program starts in it
	specs []string // imports as written
	head  string   // text of a manifest that names a package
}

// kind says what becomes of a file.
type kind uint8

const (
	counted kind = iota
	binary
	generated
	link
	large
	odd
	gone // git knows it, and it is not there
)

func (t *taker) note(format string, args ...any) {
	if len(t.inv.Notes) < maxNotes {
		t.inv.Notes = append(t.inv.Notes, fmt.Sprintf(format, args...))
	}
}
