// Package atomicfile replaces files so that a reader, or the next boot, finds either the old content or the new, whole.
//
// It owns no file of its own. It does not follow symbolic links: who wants to write through one resolves it first. It does not
// lock; of two writers at once the last one wins. Extended attributes and access lists of the old file are not carried over.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNotRegular says that a folder, a symbolic link, a pipe or a device is in the place of the file. It was left alone.
var ErrNotRegular = errors.New("not a regular file")

// longestBase keeps temporary names within the 255 bytes that file systems allow.
const longestBase = 200

// newMode is the mode of a new file when the caller names none.
const newMode fs.FileMode = 0o600

// WriteFile replaces the content of path, or creates it in a folder that exists. mode holds the permission bits; 0 keeps those of
// the old file, or means 0600 for a new one. Owner and group of the old file are kept where the system permits it. When
// WriteFile returns nil, content and name are on the disk; when it returns an error, path is unchanged, except that after a
// failed flush of the folder (the last step) the new content is there but may not survive a power cut.
func WriteFile(path string, data []byte, mode fs.FileMode) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return err
	case !old.Mode().IsRegular():
		return ErrNotRegular
	}
	if mode == 0 {
		mode = newMode
		if old != nil {
			mode = old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
		}
	}
	dir := filepath.Dir(path)
	temp, err := writeTemp(dir, filepath.Base(path), data, mode, old)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(dir)
}

// writeTemp makes a complete, flushed file beside the target. On failure nothing stays behind.
func writeTemp(dir, base string, data []byte, mode fs.FileMode, old fs.FileInfo) (name string, err error) {
	f, err := os.CreateTemp(dir, "."+base[:min(len(base), longestBase)]+".*.tmp")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	keepOwner(f, old)
	if err := f.Chmod(mode); err != nil { // after chown, which clears set-id bits
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// keepOwner gives f the owner of the old file. Only root and members of the group can; for others the file becomes theirs.
func keepOwner(f *os.File, old fs.FileInfo) {
	if old == nil {
		return
	}
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid() {
		return
	}
	_ = f.Chown(int(st.Uid), int(st.Gid))
}

// syncDir flushes the entries of a folder.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
