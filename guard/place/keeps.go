package place

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Bounds of Keeps: how many paths a pattern may stand for, and how many files and folders are looked at in all. Beyond them it says no.
const (
	maxMatches = 200
	maxWalk    = 10000
)

// errLost ends a walk at the first thing that could not be brought back.
var errLost = errors.New("something would be lost")

// Keeps implements Disk. rel may be a pattern of the shell.
func (d *disk) Keeps(rel string) bool {
	if strings.Contains(rel, unknownPart) {
		return false
	}
	list := []string{rel}
	if strings.ContainsAny(rel, "*?[") {
		var err error
		if list, err = fs.Glob(os.DirFS(d.root), strings.ReplaceAll(rel, "[!", "[^")); err != nil || len(list) > maxMatches {
			return false
		}
	}
	for _, p := range list {
		if !d.keeps(p) {
			return false
		}
	}
	return true
}

// NewPlainDisk answers for a project without git: everything in it counts as tracked and changed, and only where nothing is can
// nothing be lost.
func NewPlainDisk(root string) Disk { return plainDisk(root) }

type plainDisk string

func (d plainDisk) Ignored(string) bool { return false }
func (d plainDisk) Tracked(rel string) bool {
	_, err := os.Lstat(filepath.Join(string(d), filepath.FromSlash(rel)))
	return err == nil && !buildName(path.Base(rel))
}
func (d plainDisk) Changed(string) bool { return true }
func (d plainDisk) Keeps(rel string) bool {
	if strings.ContainsAny(rel, unknownPart+"*?[") {
		return false
	}
	_, err := os.Lstat(filepath.Join(string(d), filepath.FromSlash(rel)))
	return errors.Is(err, fs.ErrNotExist)
}
func (d plainDisk) Missing(p string) bool { return missing(p) }

// Missing implements Disk.
func (d *disk) Missing(p string) bool { return missing(p) }

func missing(p string) bool {
	_, err := os.Lstat(p)
	return errors.Is(err, fs.ErrNotExist)
}

func (d *disk) keeps(rel string) bool {
	full := filepath.Join(d.root, filepath.FromSlash(rel))
	switch dir, err := filepath.EvalSymlinks(filepath.Dir(full)); {
	case errors.Is(err, fs.ErrNotExist):
		return true // nothing is there
	case err != nil || dir != filepath.Dir(full):
		return false // it leads through a link
	}
	err := filepath.WalkDir(full, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p == full {
			return nil
		}
		if err != nil || d.walked.Add(1) > maxWalk || e.Name() == ".git" {
			return errLost
		}
		below, err := filepath.Rel(d.root, p)
		if err != nil {
			return errLost
		}
		below = filepath.ToSlash(below)
		switch {
		case e.IsDir() && below != "." && d.ignore.Ignored(below, true) && !d.Tracked(below) && buildName(path.Base(below)):
			return fs.SkipDir
		case e.IsDir():
			return nil
		case d.Tracked(below):
			if d.Changed(below) {
				return errLost
			}
		case !d.ignore.Ignored(below, false) || precious(e.Name()):
			return errLost
		}
		return nil
	})
	return err == nil
}

// precious recognises files that people let git ignore although nothing makes them again: settings, keys, databases.
func precious(name string) bool {
	if keyName(name) || strings.HasPrefix(name, ".env") {
		return true
	}
	switch path.Ext(name) {
	case ".db", ".sqlite", ".sqlite3", ".local", ".tfstate", ".tfvars", ".key":
		return true
	}
	return false
}
