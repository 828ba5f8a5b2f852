package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/devflow-suite/devflow/internal/gitx/index"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/orchestrator/trees/audit"
)

// maxDepth bounds how deep the folder is looked for that is removed with what lies too deep in it.
const maxDepth = 20

// TooDeep is what of some folders git cannot look at, in words for who works there.
func (t Tree) TooDeep(ctx context.Context, folders []string) []string {
	if ctx.Err() != nil {
		return nil
	}
	found := t.overlong(folders)
	for i := range found {
		found[i] += " (paths in it are too long)"
	}
	return found
}

// overlong gives the entries of some folders (slash paths below the tree, "" is the tree) in which a path is too long for the system to
// name it in one call. git cannot look at them, and nobody can commit them. No process.
func (t Tree) overlong(folders []string) (found []string) {
	for _, folder := range folders {
		at := filepath.Join(t.Root, filepath.FromSlash(folder))
		entries, err := os.ReadDir(at)
		if err != nil {
			continue
		}
		for _, e := range entries {
			err := filepath.WalkDir(filepath.Join(at, e.Name()), func(_ string, _ fs.DirEntry, err error) error {
				if errors.Is(err, syscall.ENAMETOOLONG) {
					return err
				}
				return nil // other errors are told by whoever works there
			})
			if err != nil {
				found = append(found, path.Join(folder, e.Name()))
			}
		}
	}
	return found
}

// cutOverlong removes what cannot even be saved, and as little else as can be. It reports whether there was anything.
func (t Tree) cutOverlong() (bool, error) {
	found := t.overlong([]string{""})
	for _, name := range found {
		for strings.Count(name, "/") < maxDepth {
			deeper := t.overlong([]string{name})
			if len(deeper) != 1 {
				break
			}
			name = deeper[0]
		}
		t.Log.Warn("files with too long paths removed", "region", t.Name, "path", name)
		if err := RemoveAll(filepath.Join(t.Root, filepath.FromSlash(name))); err != nil {
			return true, err
		}
	}
	return len(found) > 0, nil
}

// shrink puts a line in the place of changed files that are too large, together or alone, for git to save them in a bearable time: a
// file may say that it has many terabytes. What git ignores is not saved, and what stands as it was is not read: both stay.
func (t Tree) shrink(left Left) error {
	skip := map[string]bool{}
	for _, name := range left.ignored {
		skip[strings.TrimSuffix(name, "/")] = true
	}
	same := sync.OnceValues(func() (map[string]bool, error) { return t.unchanged(left) }) // not before there is a large file
	var sum int64
	return filepath.WalkDir(t.Root, func(full string, d fs.DirEntry, err error) error {
		if d == nil || err != nil {
			return nil // git will report it
		}
		rel, err := filepath.Rel(t.Root, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if skip[name] {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() < audit.Notable {
			return nil
		}
		if list, err := same(); err != nil || list[name] {
			return err
		}
		if sum+info.Size() <= audit.MaxChange {
			sum += info.Size()
			return nil
		}
		t.Log.Warn("file too large to be saved", "region", t.Name, "path", name, "bytes", info.Size())
		if err := os.Remove(full); err != nil {
			return err
		}
		return os.WriteFile(full, fmt.Appendf(nil, "A file of %d bytes was here, too large to be saved.\n", info.Size()), 0o644)
	})
}

// unchanged are the files of our index that have not changed.
func (t Tree) unchanged(left Left) (map[string]bool, error) {
	text, err := regular.Read(t.Index(), maxIndex)
	if err != nil {
		return nil, fmt.Errorf("read index of %s: %w", t.Name, err)
	}
	x, err := index.Parse(text, t.Project.Format == "sha256")
	if err != nil {
		return nil, fmt.Errorf("read index of %s: %w", t.Name, err)
	}
	same := make(map[string]bool, len(x.Entries))
	for _, e := range x.Entries {
		same[e.Path] = true
	}
	for _, c := range left.Changes {
		delete(same, c.Path)
	}
	return same, nil
}
