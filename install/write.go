package install

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

	"github.com/devflow-suite/devflow/internal/atomicfile"
)

// maxSettings bounds a settings file, in bytes. Those of people have a few KiB.
const maxSettings = 16 << 20

// lockWait is how long a second install waits for the first one.
const lockWait = 10 * time.Second

// lock takes an exclusive flock on a folder until the returned function is
// called or the process ends. It leaves no file behind.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
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

// lockBoth locks the root, for the manifest, and the folder of the settings
// file, unless that is missing: nobody can be at work on a file in it.
func lockBoth(ctx context.Context, root, dir string) (unlock func(), err error) {
	unlockRoot, err := lock(ctx, root)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || sameDir(root, dir) {
		return unlockRoot, nil
	}
	unlockFile, err := lock(ctx, dir)
	if err != nil {
		unlockRoot()
		return nil, err
	}
	return func() { unlockFile(); unlockRoot() }, nil
}

// source is a file as it was read.
type source struct {
	path, real string
	data       []byte
	info       fs.FileInfo // nil if it was not there
}

// load reads a settings file over symbolic links. Only a missing file is no
// error; whatever else cannot be read must not be taken for an empty one.
func load(path string) (source, error) {
	s := source{path: path}
	var err error
	if s.real, err = follow(path); err != nil {
		return source{}, err
	}
	info, err := os.Stat(s.real)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return source{}, err
	}
	if info.Size() > maxSettings {
		return source{}, fmt.Errorf("read %s: %d bytes are no settings file", path, info.Size())
	}
	s.info = info
	s.data, err = os.ReadFile(s.real)
	return s, err
}

// writable refuses what the owner has protected on purpose: rename would get
// round the mode of the file.
func (s source) writable() error {
	if s.info != nil && s.info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("write %s: the file is read-only; allow it with: chmod u+w '%s'", s.path, s.real)
	}
	return nil
}

func (s source) unchanged() error {
	now, err := load(s.path)
	if err != nil {
		return err
	}
	if now.real != s.real || (now.info == nil) != (s.info == nil) || !bytes.Equal(now.data, s.data) {
		return fmt.Errorf("write %s: %w; nothing was written, run the command again", s.path, ErrChanged)
	}
	return nil
}

// stage is the name of the new file before it takes its place. It is always the
// same, so that a process which was killed leaves one file at most, which the
// next one replaces.
func (s source) stage() string {
	return filepath.Join(filepath.Dir(s.real), "."+filepath.Base(s.real)+".devflow-new")
}

// replace writes data in place of the file behind s, which must still be as it
// was read. The new file is complete and flushed beside the old one before one
// rename puts it in place, because running sessions read it again at once.
func (s source) replace(data []byte, mode fs.FileMode) error {
	stage := s.stage()
	if s.info != nil {
		mode = s.info.Mode().Perm()
	}
	if err := atomicfile.WriteFile(stage, data, mode); err != nil {
		return err
	}
	err := s.swap(stage, data)
	if err != nil {
		return errors.Join(err, os.Remove(stage))
	}
	return syncDir(filepath.Dir(s.real))
}

func (s source) swap(stage string, data []byte) error {
	written, err := os.ReadFile(stage)
	if err != nil {
		return err
	}
	if !bytes.Equal(written, data) {
		return fmt.Errorf("write %s: the disk gave other bytes back", s.path)
	}
	if s.info != nil {
		if st, ok := s.info.Sys().(*syscall.Stat_t); ok {
			_ = os.Lchown(stage, int(st.Uid), int(st.Gid)) // only root can; for others it is theirs already
		}
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	return os.Rename(stage, s.real)
}

// remove takes the file away if it is still as it was read.
func (s source) remove() error {
	if err := s.unchanged(); err != nil {
		return err
	}
	if err := os.Remove(s.real); err != nil {
		return err
	}
	return syncDir(filepath.Dir(s.real))
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// sweep removes what killed processes left beside the given files: the unnamed
// new versions of package atomicfile, ".<name>.<digits>.tmp". The caller holds
// the lock, so nobody is writing one now.
func sweep(paths []string) {
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

// makeDirs makes dir and returns the folders that were missing, outermost first.
func makeDirs(dir string, mode fs.FileMode) ([]string, error) {
	var made []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || filepath.Dir(d) == d {
			break
		}
		made = append([]string{d}, made...)
	}
	return made, os.MkdirAll(dir, mode)
}

// removeDirs removes folders that are empty, innermost first.
func removeDirs(dirs []string) error {
	var errs []error
	for _, dir := range slices.Backward(dirs) {
		err := os.Remove(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
