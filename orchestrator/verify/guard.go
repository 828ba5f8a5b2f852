package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
)

// maxLink bounds the file that leads from a work tree to its repository, in bytes.
const maxLink = 64 << 10

// guard remembers the file .git of a linked work tree and gives what looks at it again: whoever changes it decides which repository
// git uses there, with our rights. bwrap keeps it from being written; landlock cannot, inside a folder that is writable. changed says
// that it had to be put back.
func guard(root string) (check func() (changed bool, err error), err error) {
	none := func() (bool, error) { return false, nil }
	repo, err := gitx.Find(root)
	if errors.Is(err, gitx.ErrNoRepo) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	path := filepath.Join(repo.Root, ".git")
	if !isFile(path) {
		return none, nil
	}
	before, err := regular.Read(path, maxLink)
	if err != nil {
		return none, fmt.Errorf("read %s: %w", path, err)
	}
	return func() (bool, error) {
		if isFile(path) {
			if now, err := regular.Read(path, maxLink); err == nil && bytes.Equal(now, before) {
				return false, nil
			}
		}
		err := os.RemoveAll(path)
		if err == nil {
			err = os.WriteFile(path, before, 0o644)
		}
		if err != nil {
			return true, fmt.Errorf("put %s back: %w", path, err)
		}
		return true, nil
	}, nil
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.FileMode(0)
}
