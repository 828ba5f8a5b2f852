package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/devflow-suite/devflow/internal/store/disk"
	"github.com/devflow-suite/devflow/internal/store/frame"
)

// Names of the spool's files. Appending goes to <session>.spool; draining claims it by renaming it to
// <session>.<nanoseconds>-<pid>.drain, after which nobody appends to it; what cannot be read or applied goes to *.bad.
const (
	spoolExt = ".spool"
	drainExt = ".drain"
	badExt   = ".bad"
)

// appendBudget bounds the wait for another process that appends to the same file; it holds the lock for one write only.
const appendBudget = time.Second

// Spool takes records that the database could not take in time. It may be used by any number of processes and goroutines.
type Spool struct {
	// Dirs are tried in order; the first that can be written takes the record. Each is made with mode 0700 if it is missing
	// and used only if it belongs to this user and nobody else may write in it.
	Dirs []string

	step func(name string) error // tests stop here, as a dying process would
}

// Append stores record, durably, in the file of a session. Records of one session keep their order. The error joins those of all
// folders and wraps their classes (ErrFull, ErrReadOnly, ErrIO, ErrBusy).
func (s Spool) Append(session string, record []byte) error {
	name := spoolName(session)
	var errs []error
	for _, dir := range s.Dirs {
		err := s.appendIn(dir, name, record)
		if err == nil {
			return nil
		}
		errs = append(errs, classify(err))
	}
	if len(s.Dirs) == 0 {
		errs = append(errs, errors.New("no folder given"))
	}
	return fmt.Errorf("append to spool: %w", errors.Join(errs...))
}

// appendIn appends to one folder. A file that a drain claimed between open and lock is left alone and a new one is made.
func (s Spool) appendIn(dir, name string, record []byte) error {
	if err := secureDir(dir, true); err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return err
		}
		again, err := s.appendTo(f, path, record)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if !again {
			return err
		}
	}
}

// appendTo writes one frame with one write under the lock and flushes it after the lock is free. again tells that the file at
// path has changed hands.
func (s Spool) appendTo(f *os.File, path string, record []byte) (again bool, err error) {
	if err := disk.Lock(f, appendBudget); err != nil {
		return false, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	if !sameFile(f, path) {
		return true, nil
	}
	size, err := f.Seek(0, 2)
	if err != nil {
		return false, err
	}
	line := make([]byte, 0, len(record)+frame.Overhead+1)
	if size == 0 {
		// Before the first byte, so that whoever finds a file with content need not flush the folder.
		if err := disk.SyncDir(filepath.Dir(path)); err != nil {
			return false, err
		}
	} else {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return false, err
		}
		if last[0] != '\n' { // a writer died in its write: end its line, so that this frame is found
			line = append(line, '\n')
		}
	}
	line = frame.Append(line, record)
	if _, err := f.Write(line); err != nil {
		return false, errors.Join(err, f.Truncate(size))
	}
	if err := s.at("appended"); err != nil {
		return false, err
	}
	if err := disk.Unlock(f); err != nil {
		return false, err
	}
	return false, disk.Sync(f)
}

// at reports a step to a test.
func (s Spool) at(name string) error {
	if s.step == nil {
		return nil
	}
	return s.step(name)
}

// sameFile reports whether the open file is still the one at path.
func sameFile(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(open, there)
}

// secureDir checks that dir is a folder of this user that nobody else can write, and creates it if asked to.
func secureDir(dir string, create bool) error {
	if create {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !fi.IsDir() || !ok || int(st.Uid) != os.Geteuid() || fi.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("use folder %s: %w: it is not a folder that only this user can write", dir, ErrReadOnly)
	}
	return nil
}

// spoolName is the file name for a session: the session where it is harmless as a name, a hash of it otherwise.
func spoolName(session string) string {
	const longest = 128
	harmless := session != "" && len(session) <= longest && session[0] != '.'
	for i := 0; i < len(session) && harmless; i++ {
		c := session[i]
		harmless = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
	}
	if !harmless {
		h := fnv.New128a()
		h.Write([]byte(session))
		session = "x" + hex.EncodeToString(h.Sum(nil))
	}
	return session + spoolExt
}
