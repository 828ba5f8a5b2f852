package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/store/disk"
)

// DefaultBusy is how long a hook waits for the write lock. It is far below the shortest registered hook time-out (10 s).
const DefaultBusy = 2 * time.Second

// Options says how to open a database. The zero value suits a hook.
type Options struct {
	// Busy bounds each wait for a lock of another process; 0 means DefaultBusy. Open and Update may each wait once.
	Busy time.Duration
	// ReadOnly opens an existing database for View only. It creates and migrates nothing.
	ReadOnly bool
}

// DB is one connection to the database. Its methods may be called from several goroutines; they run one after the other.
// Calling a method of the DB inside a function given to Update or View blocks for ever: use the Tx.
type DB struct {
	mu   sync.Mutex
	path string
	conn *conn
	busy time.Duration
	tx   Tx
}

// Open opens the database at path. A missing one is created with its folder (modes 0600 and 0700) and an older one is migrated,
// both under an flock on <path>.lock. Errors wrap ErrNewer, ErrOlder, ErrForeign, ErrBusy, ErrFull, ErrReadOnly, ErrCorrupt or
// ErrIO; a missing database with Options.ReadOnly wraps fs.ErrNotExist. After ErrNewer the connection stays open until the
// process ends, because closing it could checkpoint, and so change, a database that is not ours.
func Open(path string, o Options) (*DB, error) {
	if o.Busy == 0 {
		o.Busy = DefaultBusy
	}
	db, err := open(path, o)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, classify(explain(path, err)))
	}
	return db, nil
}

// open takes the short way where a WAL file exists, which is nearly always, and the locked one otherwise.
func open(path string, o Options) (*DB, error) {
	if disk.IsLink(path) { // SQLite keeps the WAL file beside the real one
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, err
		}
		path = real
	}
	size, err := disk.Size(path + "-wal")
	if err == nil {
		db, err := attach(path, o)
		if err == nil && size == 0 {
			err = disk.SyncDir(filepath.Dir(path))
		}
		if err == nil || o.ReadOnly || !errors.Is(err, ErrOlder) && !errors.Is(err, fs.ErrNotExist) {
			return db, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if o.ReadOnly {
		return openReadOnly(path, o)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	unlock, err := disk.LockFile(path+".lock", o.Busy)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return create(path, o)
}

// attach connects to a database that has a WAL file and checks its version.
func attach(path string, o Options) (*DB, error) {
	mode := modeRW
	if o.ReadOnly {
		mode = modeRO
	}
	c, err := connect(path, mode, o.Busy)
	if err != nil {
		if _, serr := disk.Size(path); errors.Is(serr, fs.ErrNotExist) {
			return nil, serr
		}
		return nil, err
	}
	v, err := c.int("PRAGMA user_version")
	if err == nil {
		err = checkVersion(v)
	}
	if err == nil && !o.ReadOnly {
		err = c.exec("PRAGMA wal_autocheckpoint=0")
	}
	if err != nil {
		if !errors.Is(err, ErrNewer) {
			_ = c.driver.Close()
		}
		return nil, err
	}
	return newDB(path, c, o), nil
}

// newDB makes the DB round a checked connection.
func newDB(path string, c *conn, o Options) *DB {
	return &DB{path: path, conn: c, busy: o.Busy}
}

// checkVersion compares a stored schema version with ours.
func checkVersion(v int64) error {
	switch {
	case v > Schema:
		return fmt.Errorf("read version %d, this program knows %d: %w", v, Schema, ErrNewer)
	case v < Schema:
		return fmt.Errorf("read version %d, this program needs %d: %w", v, Schema, ErrOlder)
	}
	return nil
}

// create makes or migrates the database. The caller holds the lock file.
func create(path string, o Options) (*DB, error) {
	_, err := disk.Size(path + "-wal")
	alone := errors.Is(err, fs.ErrNotExist)
	if err != nil && !alone {
		return nil, err
	}
	if _, err := disk.Size(path); alone || errors.Is(err, fs.ErrNotExist) {
		if err := prepareFile(path); err != nil {
			return nil, err
		}
	}
	c, err := connect(path, modeRW, o.Busy)
	if err != nil {
		return nil, err
	}
	if err := upgrade(c); err != nil {
		if !errors.Is(err, ErrNewer) {
			_ = c.driver.Close()
		}
		return nil, err
	}
	if err := disk.SyncDir(filepath.Dir(path)); err != nil {
		_ = c.driver.Close()
		return nil, err
	}
	return newDB(path, c, o), nil
}

// upgrade brings an open database to our schema and settings.
func upgrade(c *conn) error {
	v, err := c.int("PRAGMA user_version")
	if err != nil {
		return err
	}
	if err := checkVersion(v); errors.Is(err, ErrNewer) {
		return err
	}
	if v == 0 {
		if err := checkOurs(c); err != nil {
			return err
		}
	}
	mode, err := c.value("PRAGMA journal_mode=WAL")
	if err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("set journal mode: got %v, want wal (is the file on a network file system?)", mode)
	}
	if err := c.exec("PRAGMA wal_autocheckpoint=0"); err != nil {
		return err
	}
	if v < Schema {
		if err := migrate(c, v); err != nil {
			return err
		}
		// The version must be readable from the main file, where the next program looks before it touches anything.
		if _, err := c.int("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
	}
	return nil
}

// checkOurs refuses a database without version that already holds tables.
func checkOurs(c *conn) error {
	n, err := c.int("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("read version 0 with %d tables: %w", n, ErrForeign)
	}
	return nil
}

// prepareFile makes an empty file where none is and checks the header of one that has no WAL file, before SQLite opens it and
// thereby creates a WAL file.
//
// Opening and closing a database file by hand drops the locks that SQLite holds on it in this process (POSIX locks belong to the
// process). It is safe here only because a connection that holds locks in WAL mode also has a WAL file, and there is none, and
// because connections without one are made under the lock file.
func prepareFile(path string) error {
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		return notAFile(fi)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := headerVersion(f)
	if err != nil {
		return err
	}
	if err := checkVersion(v); errors.Is(err, ErrNewer) {
		return err
	}
	return nil
}

// The header of a database file: https://www.sqlite.org/fileformat2.html#the_database_header
const (
	headerMagic   = "SQLite format 3\x00"
	headerSize    = 100
	versionOffset = 60 // user_version, 4 bytes big endian
)

// headerVersion reads the schema version out of the main file. An empty file has version 0.
func headerVersion(r io.Reader) (int64, error) {
	var head [headerSize]byte
	n, err := io.ReadFull(r, head[:])
	switch {
	case err == io.EOF:
		return 0, nil
	case err == io.ErrUnexpectedEOF:
		return 0, fmt.Errorf("read header: %d bytes: %w", n, ErrCorrupt)
	case err != nil:
		return 0, err
	case string(head[:len(headerMagic)]) != headerMagic:
		return 0, fmt.Errorf("read header: %w", ErrCorrupt)
	}
	return int64(int32(binary.BigEndian.Uint32(head[versionOffset:]))), nil
}

// openReadOnly opens a database without a WAL file for reading.
func openReadOnly(path string, o Options) (*DB, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, notAFile(fi)
	}
	mode := modeRO
	if unlock, err := disk.LockFile(path+".lock", o.Busy); err == nil {
		defer unlock()
		if err := prepareFile(path); err != nil && !errors.Is(err, ErrReadOnly) {
			return nil, err
		}
	} else if errors.Is(classify(err), ErrReadOnly) {
		mode = modeImmutable
	} else {
		return nil, err
	}
	c, err := connect(path, mode, o.Busy)
	if err != nil {
		return nil, err
	}
	v, err := c.int("PRAGMA user_version")
	if err == nil {
		err = checkVersion(v)
	}
	if err != nil {
		_ = c.driver.Close()
		return nil, err
	}
	return newDB(path, c, o), nil
}

// notAFile is the error for a folder, a pipe or a device in place of the database.
func notAFile(fi fs.FileInfo) error {
	return fmt.Errorf("find a %s in place of a file: %w", kind(fi.Mode()), ErrCorrupt)
}

// kind names a file type for people.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "folder"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	}
	return "special file"
}

// explain replaces SQLite's "unable to open database file" by its cause where a look at the path tells it.
func explain(path string, err error) error {
	if fi, serr := os.Stat(path); serr == nil && !fi.Mode().IsRegular() && !errors.Is(err, ErrCorrupt) {
		return notAFile(fi)
	}
	return err
}
