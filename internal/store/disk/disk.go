// Package disk flushes files and folders and locks files, with as few system calls as that takes.
//
// It owns no file. Errors are *fs.PathError with the errno inside; those of locks wrap ErrBusy when the budget is used up.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// ErrBusy says that a lock could not be had within its budget.
var ErrBusy = errors.New("locked by another process")

// The functions here use system calls directly: os.Open would set up the network poller, which costs a hook four system calls.

// Size returns the size of a file in bytes.
func Size(path string) (int64, error) {
	var st syscall.Stat_t
	err := retry(func() error { return syscall.Stat(path, &st) })
	if err != nil {
		return 0, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return st.Size, nil
}

// IsLink reports whether a symbolic link is at path.
func IsLink(path string) bool {
	var st syscall.Stat_t
	err := retry(func() error { return syscall.Lstat(path, &st) })
	return err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFLNK
}

// SyncFile flushes a file that exists and returns its size in bytes.
func SyncFile(path string) (int64, error) {
	fd, err := openFD(path, syscall.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	err = retry(func() error { return syscall.Fstat(fd, &st) })
	if err == nil {
		err = retry(func() error { return syncFD(fd) })
	}
	if err != nil {
		return 0, &fs.PathError{Op: "sync", Path: path, Err: err}
	}
	return st.Size, nil
}

// SyncDir flushes the entries of a folder.
func SyncDir(path string) error {
	fd, err := openFD(path, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := retry(func() error { return syscall.Fsync(fd) }); err != nil {
		return &fs.PathError{Op: "sync", Path: path, Err: err}
	}
	return nil
}

// openFD opens an existing file.
func openFD(path string, flags int) (int, error) {
	fd := -1
	err := retry(func() (err error) {
		fd, err = syscall.Open(path, flags|syscall.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// Sync flushes an open file as far as its content needs.
func Sync(f *os.File) error { return retry(func() error { return syncFD(int(f.Fd())) }) }

// Unlock gives a lock back before its file is closed.
func Unlock(f *os.File) error {
	return retry(func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) })
}

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}

// LockFile takes an exclusive flock on path, which it creates (mode 0600), within a budget. Beyond it the error wraps ErrBusy.
// The file stays: removing it would let two holders in.
func LockFile(path string, budget time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := Lock(f, budget); err != nil {
		_ = f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { _ = f.Close() }, nil
}

// Lock waits for an exclusive flock on an open file. It polls, since a blocking flock has no time-out.
func Lock(f *os.File, budget time.Duration) error {
	const firstPause, longestPause = time.Millisecond, 20 * time.Millisecond
	pause := firstPause
	for waited := time.Duration(0); ; waited += pause {
		err := retry(func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) })
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if waited >= budget {
			return ErrBusy
		}
		pause = min(2*pause, longestPause)
		time.Sleep(pause)
	}
}
