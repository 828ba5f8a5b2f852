package tdd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
)

// Bounds of an index. A project beyond them gets a partial one: the finder then knows the customary places only for the rest.
const (
	maxIndexDirs  = 5000
	maxIndexTests = 20000
	maxDirEntries = 20000 // of one directory
)

// Index lists the test files of a project with the directories that were looked at. Build it once, keep its Encode, and use it as
// long as it is Fresh.
type Index struct {
	Tests   []string // slash paths relative to the root, in order
	Partial bool     // a bound was met
	dirs    []stamp
}

type stamp struct {
	dir   string
	mtime int64 // nanoseconds
}

// BuildIndex walks the tree below root. Directories that hold nothing written by hand are left out, symbolic links are not followed.
func BuildIndex(root *os.Root) (Index, error) {
	var ix Index
	queue := []string{"."}
	for len(queue) > 0 {
		dir := queue[0]
		queue = queue[1:]
		if len(ix.dirs) == maxIndexDirs {
			ix.Partial = true
			break
		}
		info, err := root.Lstat(dir)
		if err != nil {
			if dir == "." {
				return Index{}, fmt.Errorf("index tests: %w", err)
			}
			continue
		}
		entries, err := readDir(root, dir)
		if err != nil {
			continue
		}
		ix.dirs = append(ix.dirs, stamp{dir, info.ModTime().UnixNano()})
		for _, e := range entries {
			rel := path.Join(dir, e.Name())
			switch {
			case e.IsDir():
				if e.Name()[0] != '.' && !layout.Skipped(strings.Split(rel, "/")) {
					queue = append(queue, rel)
				}
			case e.Type().IsRegular() && layout.IsTest(rel):
				if len(ix.Tests) == maxIndexTests {
					ix.Partial = true
					break
				}
				ix.Tests = append(ix.Tests, rel)
			}
		}
	}
	slices.Sort(ix.Tests)
	return ix, nil
}

// readDir lists a directory, at most maxDirEntries of it, sorted by name.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	d, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(maxDirEntries)
	if len(entries) == 0 && err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Fresh reports whether every directory still has the time that it had when the index was built, so that no test file came or went.
func (ix *Index) Fresh(root *os.Root) bool {
	for _, d := range ix.dirs {
		info, err := root.Lstat(d.dir)
		if err != nil || info.ModTime().UnixNano() != d.mtime {
			return false
		}
	}
	return len(ix.dirs) > 0
}

const indexHeader = "tdd-index 1"

// errIndex is what is wrong with an encoded index; the remedy is to build a new one.
var errIndex = errors.New("not an index")

// Encode returns the index as text for DecodeIndex.
func (ix *Index) Encode() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %d %v\n", indexHeader, len(ix.dirs), len(ix.Tests), ix.Partial)
	for _, d := range ix.dirs {
		b.WriteString(strconv.FormatInt(d.mtime, 36) + " " + strconv.Quote(d.dir) + "\n")
	}
	for _, t := range ix.Tests {
		b.WriteString(strconv.Quote(t) + "\n")
	}
	return b.String()
}

// DecodeIndex reads what Encode wrote.
func DecodeIndex(text string) (Index, error) {
	head, rest, _ := strings.Cut(text, "\n")
	f := strings.Fields(strings.TrimPrefix(head, indexHeader))
	if !strings.HasPrefix(head, indexHeader) || len(f) != 3 {
		return Index{}, fmt.Errorf("decode test index: %w", errIndex)
	}
	dirs, err1 := strconv.Atoi(f[0])
	tests, err2 := strconv.Atoi(f[1])
	lines := strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
	if rest == "" {
		lines = nil
	}
	if err1 != nil || err2 != nil || dirs < 0 || tests < 0 || dirs > maxIndexDirs || tests > maxIndexTests || len(lines) != dirs+tests {
		return Index{}, fmt.Errorf("decode test index: %w", errIndex)
	}
	ix := Index{Partial: f[2] == "true"}
	for i, line := range lines {
		var d stamp
		if i < dirs {
			at, name, _ := strings.Cut(line, " ")
			mtime, err := strconv.ParseInt(at, 36, 64)
			if err != nil {
				return Index{}, fmt.Errorf("decode test index: %w", errIndex)
			}
			d.mtime, line = mtime, name
		}
		name, err := strconv.Unquote(line)
		if err != nil {
			return Index{}, fmt.Errorf("decode test index: %w", errIndex)
		}
		if i < dirs {
			d.dir = name
			ix.dirs = append(ix.dirs, d)
		} else {
			ix.Tests = append(ix.Tests, name)
		}
	}
	return ix, nil
}
