package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

const (
	// putAside is what a .git of a nested repository is renamed to, so that its content can be saved too.
	putAside = "dot-git"
	// filesOf is put behind the name of a submodule's folder that a worker filled.
	filesOf = ".files"
)

// Snapshot gives everything in the tree but ignored files as a tree object. Nested repositories come as plain files: their .git is
// renamed, so the tree should be reset afterwards. Two processes.
func (t Tree) Snapshot(ctx context.Context, left Left) (string, error) {
	if err := t.Settle(ctx, false); err != nil {
		return "", err
	}
	if err := t.expose(left); err != nil {
		return "", err
	}
	if err := t.shrink(left); err != nil {
		return "", fmt.Errorf("leave out large files: %w", err)
	}
	if err := copyIndex(t.Index(), t.scratch()); err != nil {
		return "", err
	}
	defer os.Remove(t.scratch())
	g := t.with(t.scratch())
	if err := t.addAll(ctx, g); err != nil {
		return "", err
	}
	return g.Line(ctx, "write-tree")
}

// addAll puts everything in an index. Files that git refuses (unreadable, or an encoding that it cannot convert) are made readable,
// and taken byte for byte.
func (t Tree) addAll(ctx context.Context, g git.Runner) error {
	add := git.Call{Args: []string{"add", "-A", "--ignore-errors", "."}}
	_, err := g.Run(ctx, add)
	var failed *git.Error
	if err == nil || !errors.As(err, &failed) {
		return err
	}
	if err := readable(t.Root); err != nil {
		return err
	}
	if _, err := g.Run(ctx, add); err == nil || !errors.As(err, &failed) {
		return err
	}
	res, err := g.Run(ctx, git.Call{Args: []string{"ls-files", "-z", "--modified", "--others", "--exclude-standard"}})
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(res.Stdout), "\x00"), "\x00") {
		if err := t.addRaw(ctx, g, name); err != nil {
			return err
		}
	}
	return nil
}

// addRaw puts one file in an index as it is on the disk. Two processes.
func (t Tree) addRaw(ctx context.Context, g git.Runner, name string) error {
	info, err := os.Lstat(filepath.Join(t.Root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil // deleted is no loss, and a link cannot be refused
	}
	if err != nil {
		return err
	}
	oid, err := g.Line(ctx, "hash-object", "-w", "--no-filters", "--", name)
	if err != nil {
		return err
	}
	_, err = g.Run(ctx, git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: []byte("100644 " + oid + "\t" + name + "\x00")})
	return err
}

// expose renames what hides files from git: the .git of nested repositories, and folders of submodules with files.
func (t Tree) expose(left Left) error {
	for _, name := range left.nested {
		full := filepath.Join(t.Root, filepath.FromSlash(name))
		if err := os.Rename(full, free(filepath.Join(filepath.Dir(full), putAside))); err != nil {
			return fmt.Errorf("put nested repository aside: %w", err)
		}
	}
	for _, name := range left.odd {
		full := filepath.Join(t.Root, filepath.FromSlash(name))
		if err := os.Rename(full, free(full+filesOf)); err != nil {
			return fmt.Errorf("put files of submodule aside: %w", err)
		}
	}
	return nil
}
