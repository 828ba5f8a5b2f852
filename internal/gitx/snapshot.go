package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/regular"
)

// Bounds of one snapshot. A single large file is left out and said; more than the totals is ErrTooLarge, because a
// snapshot that leaves out at random would show changes that nobody made.
const (
	MaxFile  = 50 << 20  // bytes of one changed or new file
	MaxBytes = 512 << 20 // bytes of all changed or new files
	MaxFiles = 50_000    // changed or new files
	// maxRefused bounds the search for files that git refuses, in processes.
	maxRefused = 100
	// maxWarnings bounds what git says about folders it could not read, in lines.
	maxWarnings = 20

	unreadable = "cannot be read"
)

// Skip is something in the work tree that a snapshot did not look at.
type Skip struct {
	Path string // slash path; empty when git did not say which
	Why  string
}

// Snap is the state of a work tree as a tree object.
type Snap struct {
	Tree    string   // object name of the tree
	Skipped []Skip   // left out: the tree has what the index has of it, or nothing
	Hidden  []string // files that the index flags as assumed unchanged or not checked out, though they are there: looked at all the same
	Unseen  []string // watched files that are there, but git ignores them or another repository has them
}

// Snapshot gives the work tree as a tree object: tracked and new files as they are on disk, ignored files left out,
// nested repositories and submodules as links. New objects are written below objDir, which is created; the repository
// itself is only read. ErrNoGit and ErrTooLarge can be tested for; the end of ctx is its cause.
func (r Repo) Snapshot(ctx context.Context, objDir string) (string, error) {
	s, err := r.Snap(ctx, objDir)
	return s.Tree, err
}

// Snap is Snapshot with what was not looked at, among it those of the watched slash paths that git does not know. It
// starts three git processes, two when nothing differs from the index. What lies below the folder that holds all object
// folders (two levels up from objDir) is ours and never part of a snapshot, also when the work tree is a home folder.
func (r Repo) Snap(ctx context.Context, objDir string, watch ...string) (Snap, error) {
	if err := prepare(objDir); err != nil {
		return Snap{}, fmt.Errorf("snapshot %s: %w", r.Root, err)
	}
	work, err := os.MkdirTemp(objDir, "snap-")
	if err != nil {
		return Snap{}, fmt.Errorf("snapshot %s: %w", r.Root, err)
	}
	defer os.RemoveAll(work) // nothing of value is in it

	s := &snapshot{repo: r, objs: objDir, index: filepath.Join(work, "index"), links: map[string]bool{}, own: r.ownPrefix(objDir), watch: map[string]bool{}}
	for _, path := range watch {
		if info, err := os.Lstat(r.abs(path)); err == nil && !info.IsDir() {
			s.watch[path] = true
		}
	}
	if err := s.copyIndex(); err != nil {
		return Snap{}, fmt.Errorf("snapshot %s: %w", r.Root, err)
	}
	tree, err := s.take(ctx)
	if err != nil {
		return Snap{}, fmt.Errorf("snapshot %s: %w", r.Root, err)
	}
	return Snap{Tree: tree, Skipped: s.skipped, Hidden: s.hidden, Unseen: slices.Sorted(maps.Keys(s.watch))}, nil
}

// ownPrefix is the folder of ours, with a slash behind it, when it is inside the work tree; else empty.
func (r Repo) ownPrefix(objDir string) string {
	rel, ok := r.Rel(filepath.Dir(filepath.Dir(objDir)))
	if !ok || rel == "." {
		return ""
	}
	return rel + "/"
}

type snapshot struct {
	repo    Repo
	objs    string
	index   string
	folders []string // in the index, and a folder on disk
	changed []string // to be put in the index
	assumed []string // flagged assume-unchanged, present
	sparse  []string // flagged skip-worktree, present
	skipped []Skip
	hidden  []string
	bytes   int64
	refused int             // calls that git refused
	links   map[string]bool // folder → is a symbolic link
	own     string          // prefix of paths that are ours
	watch   map[string]bool // watched files that git has not named yet
}

// prepare makes the object folder and marks it as used now, for Prune.
func prepare(objDir string) error {
	if err := os.MkdirAll(objDir, 0o700); err != nil {
		return fmt.Errorf("make object folder: %w", err)
	}
	now := time.Now()
	if err := os.Chtimes(objDir, now, now); err != nil {
		return fmt.Errorf("mark object folder: %w", err)
	}
	return nil
}

// copyIndex keeps the time of the index: git reads a file again when it is not older than the index, and with a newer
// time on the copy it would miss an edit of the same size within the same second.
func (s *snapshot) copyIndex() error {
	src, err := regular.Open(filepath.Join(s.repo.GitDir, "index"))
	if missing(err) {
		return nil // nothing was added yet
	}
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	dst, err := os.OpenFile(s.index, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	_, err = io.Copy(dst, src)
	if closeErr := dst.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chtimes(s.index, info.ModTime(), info.ModTime())
	}
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return nil
}

func (s *snapshot) take(ctx context.Context) (string, error) {
	res, err := s.git(ctx, nil, "ls-files", "-v", "-z", "--cached", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(res.Stderr) { // a folder that cannot be read
		if s.skipped = append(s.skipped, Skip{Why: firstLine(line)}); len(s.skipped) == maxWarnings {
			break
		}
	}
	if err := s.sort(res.Stdout); err != nil {
		return "", err
	}
	if err := s.unhide(ctx); err != nil {
		return "", err
	}
	if err := s.update(ctx, append(s.folders, s.changed...)); err != nil {
		return "", err
	}
	res, err = s.git(ctx, nil, "write-tree", "--missing-ok")
	if err != nil {
		return "", err
	}
	tree := strings.TrimSpace(string(res.Stdout))
	if !isOID(tree) {
		return "", fmt.Errorf("git write-tree: unexpected answer %q", firstLine(res.Stdout))
	}
	return tree, nil
}

// sort reads the list of `ls-files -v`: a letter, a blank, a path. H is in the index, C differs on disk, M is not
// merged, ? is new, S is flagged skip-worktree; a lower letter is flagged assume-unchanged.
func (s *snapshot) sort(list []byte) error {
	seen := map[string]bool{}
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		if len(entry) < 3 {
			continue
		}
		tag, path := entry[0], strings.TrimSuffix(string(entry[2:]), "/")
		flagged := tag == 'S' || tag == 's' || tag >= 'a' && tag <= 'z'
		if len(s.watch) > 0 {
			delete(s.watch, path)
		}
		if tag == 'H' || seen[path] || s.own != "" && strings.HasPrefix(path, s.own) {
			continue
		}
		seen[path] = true
		info, err := os.Lstat(s.repo.abs(path))
		switch {
		case flagged && err != nil: // a sparse checkout: not there is as it should be
		case flagged:
			s.hidden = append(s.hidden, path)
			if tag == 'S' || tag == 's' {
				s.sparse = append(s.sparse, path)
			}
			if tag >= 'a' && tag <= 'z' {
				s.assumed = append(s.assumed, path)
			}
			s.consider(tag, path, info)
		case err != nil && (missing(err) || errors.Is(err, syscall.ENOTDIR)):
			s.changed = append(s.changed, path) // deleted
		case err != nil:
			s.skipped = append(s.skipped, Skip{Path: path, Why: unreadable})
		case tag != '?' && s.throughLink(path): // its folder became a link, which is listed as new and replaces it
		default:
			s.consider(tag, path, info)
		}
	}
	if len(s.changed) > MaxFiles || s.bytes > MaxBytes {
		return fmt.Errorf("%d changed files, %d bytes: %w", len(s.changed), s.bytes, ErrTooLarge)
	}
	return nil
}

// consider takes a file that exists, unless it cannot be looked at.
func (s *snapshot) consider(tag byte, path string, info os.FileInfo) {
	skip := func(why string) { s.skipped = append(s.skipped, Skip{Path: path, Why: why}) }
	switch mode := info.Mode(); {
	case mode.IsDir() && tag == '?':
		nested, ok := open(s.repo.abs(path))
		if !ok || nested.Head() == "" {
			skip("nested repository without a commit")
			return
		}
	case mode.IsDir(): // a submodule, or a file that became a folder: goes out before what is in the folder comes in
		s.folders = append(s.folders, path)
		return
	case mode.Type() == os.ModeSymlink:
	case !mode.IsRegular():
		skip("not a regular file")
		return
	case info.Size() > MaxFile:
		skip(fmt.Sprintf("larger than %d MB", MaxFile>>20))
		return
	default:
		f, err := os.Open(s.repo.abs(path))
		if err != nil {
			skip(unreadable)
			return
		}
		f.Close()
		s.bytes += info.Size()
	}
	s.changed = append(s.changed, path)
}

// throughLink is true when a folder on the way to path is a symbolic link.
func (s *snapshot) throughLink(path string) bool {
	for at := filepath.Dir(filepath.FromSlash(path)); at != "."; at = filepath.Dir(at) {
		link, known := s.links[at]
		if !known {
			info, err := os.Lstat(filepath.Join(s.repo.Root, at))
			link = err == nil && info.Mode()&os.ModeSymlink != 0
			s.links[at] = link
		}
		if link {
			return true
		}
	}
	return false
}

// unhide takes the two flags that make git believe the index instead of the disk off the copy.
func (s *snapshot) unhide(ctx context.Context) error {
	if len(s.assumed) > 0 {
		if _, err := s.git(ctx, list(s.assumed), "update-index", "--no-assume-unchanged", "-z", "--stdin"); err != nil {
			return err
		}
	}
	if len(s.sparse) > 0 {
		if _, err := s.git(ctx, list(s.sparse), "update-index", "--no-skip-worktree", "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// update puts paths in the copy. One that git refuses (an encoding it cannot convert, for example) must not hide the
// others: the list is halved until it is alone, then it is skipped.
func (s *snapshot) update(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := s.git(ctx, list(paths), "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrNoGit) || s.refused == maxRefused {
		return err
	}
	s.refused++
	if len(paths) == 1 {
		s.skipped = append(s.skipped, Skip{Path: paths[0], Why: err.Error()})
		return nil
	}
	half := len(paths) / 2
	if err := s.update(ctx, paths[:half]); err != nil {
		return err
	}
	return s.update(ctx, paths[half:])
}

func list(paths []string) []byte { return []byte(strings.Join(paths, "\x00") + "\x00") }

func (r Repo) abs(path string) string { return filepath.Join(r.Root, filepath.FromSlash(path)) }

func (s *snapshot) git(ctx context.Context, stdin []byte, args ...string) (proc.Result, error) {
	return s.repo.run(ctx, call{args: args, objs: s.objs, stdin: stdin, env: []string{"GIT_INDEX_FILE=" + s.index}, hide: s.index})
}
