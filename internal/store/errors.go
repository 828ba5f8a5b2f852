package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/devflow-suite/devflow/internal/store/disk"
)

// The classes of failure. Every error of this package that comes from SQLite or from the file system and belongs to one of
// them wraps it; all others are mistakes of the caller (a wrong statement, a broken constraint).
var (
	// ErrBusy says that another process held the database for longer than Options.Busy. Trying later may help.
	ErrBusy = errors.New("database is busy")
	// ErrFull says that the disk, the quota or the file size limit is used up.
	ErrFull = errors.New("no space left")
	// ErrReadOnly says that the file, its folder or its file system cannot be written.
	ErrReadOnly = errors.New("not writable")
	// ErrCorrupt says that the file is not a database or a damaged one. It is left as it is.
	ErrCorrupt = errors.New("not a sound database")
	// ErrNewer says that a newer devflow owns the database. It has not been touched.
	ErrNewer = errors.New("schema is newer than this program")
	// ErrOlder says that a database opened with Options.ReadOnly needs a migration first.
	ErrOlder = errors.New("schema is older than this program")
	// ErrForeign says that the file is a sound database of another program. It has not been changed.
	ErrForeign = errors.New("database belongs to another program")
	// ErrIO says that the disk failed to read or write.
	ErrIO = errors.New("disk failure")
	// ErrClosed says that the DB was closed or that a Tx was used after its function had returned.
	ErrClosed = errors.New("already closed")
)

// isFailure reports whether err is a failure of the store itself, not of the caller's statement.
func isFailure(err error) bool {
	for _, class := range [...]error{ErrBusy, ErrFull, ErrReadOnly, ErrCorrupt, ErrNewer, ErrOlder, ErrForeign, ErrIO, ErrClosed} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// classify wraps err in its class. It keeps nil and errors that already have a class.
func classify(err error) error {
	if err == nil || isFailure(err) {
		return err
	}
	class := classOfSQLite(err)
	if class == nil {
		class = classOfErrno(err)
	}
	if class == nil {
		return err
	}
	return fmt.Errorf("%w: %w", class, err)
}

// classOfErrno maps the errors of system calls.
func classOfErrno(err error) error {
	if errors.Is(err, disk.ErrBusy) {
		return ErrBusy
	}
	var no syscall.Errno
	if !errors.As(err, &no) {
		if errors.Is(err, fs.ErrPermission) {
			return ErrReadOnly
		}
		return nil
	}
	switch no {
	case syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG:
		return ErrFull
	case syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.ENOTDIR:
		return ErrReadOnly
	case syscall.EIO:
		return ErrIO
	case syscall.EAGAIN:
		return ErrBusy
	}
	return nil
}
