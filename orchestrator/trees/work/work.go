// Package work handles one linked work tree of devflock: its link to the repository, its files, and an index of ours that says what
// its files are compared with. What a worker does to the link, to HEAD or to the index of the work tree decides nothing.
//
// It owns, for every tree of a Place, the entry in .git/worktrees and the files <State>/<name>.index, .save, .reset and .absent. It
// moves no ref of a branch, makes no commit, and takes no lock: its caller does.
package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
)

// Place is where the work trees of a run are, and of which repository. It is a value.
type Place struct {
	Project shape.Project
	State   string                                                            // folder of our files
	Folded  bool                                                              // letter case does not count on that disk
	Partial bool                                                              // a partial clone
	Missing func(ctx context.Context, commit string) (map[string]bool, error) // objects that a partial clone does not have
	Log     *slog.Logger
}

// Repo runs git on the repository, without a work tree.
func (p Place) Repo() git.Runner {
	q := p.Project
	filters := gitx.Repo{Root: q.Top, GitDir: q.GitDir, CommonDir: q.CommonDir}.FilterNames()
	return git.Runner{Dir: p.State, GitDir: q.CommonDir, Filters: filters, Mark: filepath.Join(p.State, "repository")}
}

// File is one of our files for a tree.
func (p Place) File(name, kind string) string { return filepath.Join(p.State, name+"."+kind) }

// Tree is a work tree. It is a value; nothing of it need exist.
type Tree struct {
	Place
	Name   string
	Root   string
	GitDir string // entry in .git/worktrees; "" = not known, Link finds it
}

// Mark is on every git that runs in the tree.
func (t Tree) Mark() string { return filepath.Join(t.State, t.Name) }

// Index is our own index of the tree.
func (t Tree) Index() string { return t.File(t.Name, "index") }

// scratch is a copy of it, to work on.
func (t Tree) scratch() string { return t.File(t.Name, "save") }

// Git runs git in the tree, with our index.
func (t Tree) Git() git.Runner { return t.with(t.Index()) }

func (t Tree) with(index string) git.Runner {
	g := t.Repo()
	g.Dir, g.GitDir, g.WorkTree, g.Index, g.Mark = t.Root, t.GitDir, t.Root, index, t.Mark()
	if g.GitDir == "" { // its link is gone
		g.GitDir = t.Project.CommonDir
	}
	g.Settings = append(g.Settings, [2]string{"core.ignoreCase", fmt.Sprint(t.Folded)}, [2]string{"core.bare", "false"})
	return g
}

// Half tells whether a reset of the tree was begun and has not ended: what is in it then was saved before, or never was anybody's.
func (t Tree) Half() bool { return Exists(t.File(t.Name, "reset")) }

// SetHalf begins a reset.
func (t Tree) SetHalf() error { return os.WriteFile(t.File(t.Name, "reset"), nil, 0o600) }

// ClearHalf ends it.
func (t Tree) ClearHalf() error { return RemoveIf(t.File(t.Name, "reset")) }

// Settle waits for a git of an orchestrator that died, and removes the lock files that one left on our own indexes. No process.
func (t Tree) Settle(ctx context.Context, always bool) error {
	locks := [...]string{t.Index() + ".lock", t.scratch() + ".lock"}
	if !always && !Exists(locks[0]) && !Exists(locks[1]) {
		return nil
	}
	if err := git.Settle(ctx, t.Mark()); err != nil {
		return err
	}
	for _, lock := range locks {
		if Exists(lock) {
			t.Log.Warn("lock of a dead git removed", "path", lock)
		}
		if err := RemoveIf(lock); err != nil {
			return err
		}
	}
	return nil
}

// Exists tells whether something has that path, a symbolic link that leads nowhere too.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// RemoveIf removes a file that may be gone already.
func RemoveIf(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// RemoveAll removes a folder, also with folders in it that may not be written.
func RemoveAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	if err := readable(dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// readable gives the owner access to everything in a folder.
func readable(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d == nil {
			return err
		}
		info, infoErr := os.Lstat(path)
		if infoErr != nil || !info.IsDir() && !info.Mode().IsRegular() {
			return nil // gone, or nothing to be read
		}
		want := fs.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm()&want == want {
			return nil
		}
		if err := os.Chmod(path, info.Mode().Perm()|want); err != nil {
			return err
		}
		if info.IsDir() && err != nil { // it could not be listed before
			return readable(path)
		}
		return nil
	})
}

// free gives a path that nothing has.
func free(path string) string {
	for Exists(path) {
		path += "_"
	}
	return path
}
