// Package target is the file that install edits: read over symbolic links,
// locked, checked for changes of others, and replaced in one step.
//
// It owns the temporary names beside such a file and removes what killed
// processes left there. It leaves the format of the file to others, never
// follows a link into writing anything but its target, and is for Linux and
// macOS only.
package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/devflow-suite/devflow/internal/atomicfile"
)

// ErrChanged says that a file changed after it had been read. Nothing was
// written; running again is safe.
var ErrChanged = errors.New("file changed in the meantime")

// ErrLocked says that another install or uninstall is at work.
var ErrLocked = errors.New("another devflow install or uninstall is running")

// maxSettings bounds a settings file, in bytes. Those of people have a few KiB.
const maxSettings = 16 << 20

// lockWait is how long a second install waits for the first one.
const lockWait = 10 * time.Second

// Lock takes an exclusive flock on a folder until the returned function is
// called or the process ends, waiting up to ten seconds. It leaves no file
// behind. The error wraps ErrLocked if somebody else holds the lock.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			if !sameOpen(f, dir) { // an uninstall removed it while we waited
				return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, ErrLocked), f.Close())
			}
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, ErrLocked), f.Close())
		case <-tick.C:
		}
	}
}

func sameOpen(f *os.File, dir string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(dir)
	return err == nil && os.SameFile(open, now)
}

// LockBoth locks the root, for the manifest, and the folder of the settings
// file, unless that is missing: nobody can be at work on a file in it.
func LockBoth(ctx context.Context, root, dir string) (unlock func(), err error) {
	unlockRoot, err := Lock(ctx, root)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || SameDir(root, dir) {
		return unlockRoot, nil
	}
	unlockFile, err := Lock(ctx, dir)
	if err != nil {
		unlockRoot()
		return nil, err
	}
	return func() { unlockFile(); unlockRoot() }, nil
}

// File is a file as it was read.
type File struct {
	Path string
	Real string // Path after symbolic links
	Data []byte
	Info fs.FileInfo // nil if it was not there
}

// Load reads a settings file over symbolic links. Only a missing file is no
// error; whatever else cannot be read must not be taken for an empty one.
func Load(path string) (File, error) {
	s := File{Path: path}
	var err error
	if s.Real, err = follow(path); err != nil {
		return File{}, err
	}
	info, err := os.Stat(s.Real)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return File{}, err
	}
	if info.Size() > maxSettings {
		return File{}, fmt.Errorf("read %s: %d bytes are no settings file", path, info.Size())
	}
	s.Info = info
	s.Data, err = os.ReadFile(s.Real)
	return s, err
}

// Writable refuses what the owner has protected on purpose: rename would get
// round the mode of the file.
func (s File) Writable() error {
	if s.Info != nil && s.Info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("write %s: the file is read-only; allow it with: chmod u+w '%s'", s.Path, s.Real)
	}
	return nil
}

// Unchanged compares the file with what was read. The error wraps ErrChanged.
func (s File) Unchanged() error {
	now, err := Load(s.Path)
	if err != nil {
		return err
	}
	if now.Real != s.Real || (now.Info == nil) != (s.Info == nil) || !bytes.Equal(now.Data, s.Data) {
		return fmt.Errorf("write %s: %w; nothing was written, run the command again", s.Path, ErrChanged)
	}
	return nil
}

// Stage is the name of the new file before it takes its place. It is always the
// same, so that a process which was killed leaves one file at most, which the
// next one replaces.
func (s File) Stage() string {
	return filepath.Join(filepath.Dir(s.Real), "."+filepath.Base(s.Real)+".devflow-new")
}

// Replace writes data in place of the file behind s, which must still be as it
// was read. The new file is complete and flushed beside the old one before one
// rename puts it in place, because running sessions read it again at once.
func (s File) Replace(data []byte, mode fs.FileMode) error {
	stage := s.Stage()
	if s.Info != nil {
		mode = s.Info.Mode().Perm()
	}
	if err := atomicfile.WriteFile(stage, data, mode); err != nil {
		return err
	}
	err := s.swap(stage, data)
	if err != nil {
		return errors.Join(err, os.Remove(stage))
	}
	return syncDir(filepath.Dir(s.Real))
}

func (s File) swap(stage string, data []byte) error {
	written, err := os.ReadFile(stage)
	if err != nil {
		return err
	}
	if !bytes.Equal(written, data) {
		return fmt.Errorf("write %s: the disk gave other bytes back", s.Path)
	}
	if s.Info != nil {
		if st, ok := s.Info.Sys().(*syscall.Stat_t); ok {
			_ = os.Lchown(stage, int(st.Uid), int(st.Gid)) // only root can; for others it is theirs already
		}
	}
	if err := s.Unchanged(); err != nil {
		return err
	}
	return os.Rename(stage, s.Real)
}

// Diff shows for people what writing data, or with remove taking the file away,
// would change: with the header of patch, in which /dev/null stands for no file.
func (s File) Diff(data []byte, remove bool) string {
	from, to := s.Path, s.Path
	if s.Info == nil {
		from = "/dev/null"
	}
	if remove {
		to = "/dev/null"
	}
	_, text, _ := bytes.Cut(diff.Diff(from, s.Data, to, data), []byte("\n")) // the first line repeats the names
	return string(text)
}

// Remove takes the file away if it is still as it was read.
func (s File) Remove() error {
	if err := s.Unchanged(); err != nil {
		return err
	}
	if err := os.Remove(s.Real); err != nil {
		return err
	}
	return syncDir(filepath.Dir(s.Real))
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Sweep removes what killed processes left beside the given files: the unnamed
// new versions of package atomicfile, ".<name>.<digits>.tmp". The caller holds
// the lock, so nobody is writing one now.
func Sweep(paths []string) {
	names := map[string][]string{}
	for _, path := range paths {
		names[filepath.Dir(path)] = append(names[filepath.Dir(path)], "."+filepath.Base(path)+".")
	}
	for dir, prefixes := range names {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			rest, temp := strings.CutSuffix(entry.Name(), ".tmp")
			i := strings.LastIndexByte(rest, '.')
			if temp && i >= 0 && strings.Trim(rest[i+1:], "0123456789") == "" && slices.Contains(prefixes, rest[:i+1]) {
				_ = os.Remove(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

// MakeDirs makes dir and returns the folders that were missing, outermost first.
func MakeDirs(dir string, mode fs.FileMode) ([]string, error) {
	var made []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || filepath.Dir(d) == d {
			break
		}
		made = append([]string{d}, made...)
	}
	return made, os.MkdirAll(dir, mode)
}

// RemoveDirs removes folders that are empty, innermost first. A symbolic link to
// a folder stays, and so does that folder.
func RemoveDirs(dirs []string) error {
	var errs []error
	for _, dir := range slices.Backward(dirs) {
		switch err := syscall.Rmdir(dir); {
		case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST), errors.Is(err, syscall.ENOTEMPTY):
		default:
			errs = append(errs, &fs.PathError{Op: "remove", Path: dir, Err: err})
		}
	}
	return errors.Join(errs...)
}

// follow returns the file that path leads to over symbolic links; the file
// itself, but not its folder, may be missing at the end.
func follow(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if !info.Mode().IsRegular() {
				return "", fmt.Errorf("open %s: not a regular file", path)
			}
			return path, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			// The folder may itself be reached over a link: ".." counts from there.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", fmt.Errorf("open %s: too many symbolic links", path)
}

// SameDir reports whether two names mean one folder.
func SameDir(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
