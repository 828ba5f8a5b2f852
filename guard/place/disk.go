package place

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/devflow-suite/devflow/internal/gitx/ignore"
	"github.com/devflow-suite/devflow/internal/gitx/index"
	"github.com/devflow-suite/devflow/internal/regular"
)

// maxCompare bounds how many files Changed looks at; more count as changed.
const maxCompare = 2000

// maxConfig bounds what is read of the repository's configuration, in bytes.
const maxConfig = 1 << 20

// NewDisk answers from the work tree at root, whose git folders are gitDir (its own) and commonDir (shared with linked
// work trees). excludes are further files of ignore patterns: core.excludesFile, by default ~/.config/git/ignore. Nothing is
// read before the first question, each file at most once. It is safe for concurrent use.
func NewDisk(root, gitDir, commonDir string, excludes ...string) Disk {
	d := &disk{root: root, ignore: ignore.New(root, append([]string{filepath.Join(commonDir, "info", "exclude")}, excludes...)...)}
	d.index = sync.OnceValues(func() (*index.Index, error) { return index.Read(gitDir, sha256(commonDir)) })
	return d
}

type disk struct {
	root   string
	ignore *ignore.Tree
	index  func() (*index.Index, error)
	walked atomic.Int64 // files and folders that Keeps has looked at
}

// sha256 reports whether the repository names its objects by SHA-256 (extensions.objectFormat).
func sha256(commonDir string) bool {
	data, err := regular.Read(filepath.Join(commonDir, "config"), maxConfig)
	if err != nil {
		return false
	}
	for line := range strings.Lines(strings.ToLower(string(data))) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "objectformat" {
			return strings.Trim(strings.TrimSpace(value), `"`) == "sha256"
		}
	}
	return false
}

// Ignored implements Disk. What does not exist is taken for a folder.
func (d *disk) Ignored(rel string) bool {
	info, err := os.Lstat(filepath.Join(d.root, filepath.FromSlash(rel)))
	return d.ignore.Ignored(rel, err != nil || info.IsDir())
}

// Tracked implements Disk.
func (d *disk) Tracked(rel string) bool {
	x, err := d.index()
	return err != nil || len(x.Below(rel)) > 0
}

// Changed implements Disk: it compares what git itself compares first, size and time of modification.
func (d *disk) Changed(rel string) bool {
	x, err := d.index()
	if err != nil {
		return true
	}
	list := x.Below(rel)
	if len(list) > maxCompare {
		return true
	}
	for _, e := range list {
		info, err := os.Lstat(filepath.Join(d.root, filepath.FromSlash(e.Path)))
		switch {
		case os.IsNotExist(err): // git would bring it back
		case err != nil || uint32(info.Size()) != e.Size || !info.ModTime().Equal(e.MTime) || !e.MTime.Before(x.WrittenAt):
			return true
		}
	}
	return false
}
