package gitx

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Prune removes what no snapshot has used since before, from the object folders directly below parent, and the folders
// that are empty then. A snapshot marks every object it needs as used; the base tree of a task that is older is lost, and
// the judge says so. It gives the number of files removed and goes on behind an error, of which it returns the first.
// Symbolic links are not followed.
func Prune(parent string, before time.Time) (int, error) {
	folders, err := os.ReadDir(parent)
	if missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("prune %s: %w", parent, err)
	}
	p := &pruner{before: before}
	for _, folder := range folders {
		if folder.IsDir() {
			p.folder(filepath.Join(parent, folder.Name()), folder)
		}
	}
	if p.first != nil {
		return p.removed, fmt.Errorf("prune %s: %w", parent, p.first)
	}
	return p.removed, nil
}

type pruner struct {
	before  time.Time
	removed int
	first   error
}

// folder removes old files below an object folder, and then every folder that is old and empty.
func (p *pruner) folder(path string, entry fs.DirEntry) {
	unused := p.old(entry)
	entries, err := os.ReadDir(path)
	p.note(err)
	left := len(entries)
	for _, e := range entries {
		child := filepath.Join(path, e.Name())
		switch {
		case e.IsDir():
			p.folder(child, e)
			if _, err := os.Lstat(child); missing(err) {
				left--
			}
		case p.old(e):
			if err := os.Remove(child); err != nil && !missing(err) {
				p.note(err)
				continue
			}
			p.removed++
			left--
		}
	}
	if unused && left == 0 {
		if err := os.Remove(path); err != nil && !missing(err) {
			p.note(err)
		}
	}
}

func (p *pruner) old(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && info.ModTime().Before(p.before)
}

func (p *pruner) note(err error) {
	if p.first == nil && err != nil && !missing(err) {
		p.first = err
	}
}
