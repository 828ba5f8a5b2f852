package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// Base gives a Dry.Tree: trees of a commit of the repository whose work tree is top, below the folder parent. prefix is the project's
// folder below top, "" for top itself. An empty commit stands for a project without one: an empty folder. The person's own tree and
// index are not touched; a tree that Base makes is no repository.
func Base(top, prefix, commit, parent string) func(context.Context) (string, func() error, error) {
	return func(ctx context.Context) (dir string, done func() error, err error) {
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return "", nil, fmt.Errorf("make tree of base: %w", err)
		}
		at, err := os.MkdirTemp(parent, "base-")
		if err != nil {
			return "", nil, fmt.Errorf("make tree of base: %w", err)
		}
		done = func() error { return remove(at) }
		if commit != "" {
			err = export(ctx, top, commit, at)
		}
		dir = filepath.Join(at, "tree", filepath.FromSlash(prefix))
		if err == nil {
			err = os.MkdirAll(dir, 0o755)
		}
		if err != nil {
			return "", nil, fmt.Errorf("make tree of base: %w", errors.Join(err, done()))
		}
		return dir, done, nil
	}
}

// export writes a commit's files below at/tree, by an index of its own.
func export(ctx context.Context, top, commit, at string) error {
	repo, err := gitx.Find(top)
	if err != nil {
		return err
	}
	r := git.Runner{Dir: repo.Root, GitDir: repo.GitDir, WorkTree: repo.Root, Index: filepath.Join(at, "index"), Filters: repo.FilterNames(), Env: []string{"GIT_LFS_SKIP_SMUDGE=1"}}
	if _, err := r.Run(ctx, git.Call{Args: []string{"read-tree", commit + "^{tree}"}}); err != nil {
		return err
	}
	_, err = r.Run(ctx, git.Call{Args: []string{"checkout-index", "--all", "--force", "--quiet", "--prefix=" + filepath.Join(at, "tree") + "/"}})
	return err
}

// remove removes a folder in which commands may have taken away their own rights to write (Go's module cache does).
func remove(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // RemoveAll says what is still in the way
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove tree: %w", err)
	}
	return nil
}
