package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"

	"github.com/devflow-suite/devflow/internal/store/disk"
)

// WALBound is the size of the WAL file, in bytes, from which Update checkpoints. Every process that opens the database reads the
// whole WAL file (about 1.8 µs per 4 KiB page), so it must stay small.
const WALBound = 256 << 10

// walRetry is by how many bytes the WAL file must grow before a checkpoint that a reader blocked is tried again.
const walRetry = 64 << 10

// Update runs fn in one write transaction and returns nil only when its rows are on the disk. Without an error of fn or of the
// commit nothing is ever half written; with one everything is rolled back and the error is returned, wrapped. Errors wrap ErrBusy
// when another process held the write lock for longer than Options.Busy, ErrFull, ErrReadOnly, ErrIO or ErrCorrupt.
// An error after the commit (the flush failed) wraps ErrIO: the rows are there, but may be lost when the power goes.
func (db *DB) Update(fn func(*Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	// Taken under the write lock: of many processes at once, only the one whose commit passes the mark shall checkpoint.
	before := int64(0)
	err := db.run("BEGIN IMMEDIATE", func(tx *Tx) (err error) {
		if before, err = disk.Size(db.path + "-wal"); err != nil {
			return classify(err)
		}
		return fn(tx)
	})
	if err != nil {
		return err
	}
	size, err := disk.SyncFile(db.path + "-wal")
	if err != nil {
		return fmt.Errorf("flush store %s: %w: %w", db.path, ErrIO, err)
	}
	if size > WALBound && (before <= WALBound || size/walRetry != before/walRetry) {
		db.checkpoint()
	}
	return nil
}

// View runs fn on one unchanging snapshot of the database. Keep it short: a snapshot that is held blocks checkpoints, and every
// hook then pays for the growing WAL file.
func (db *DB) View(fn func(*Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.run("BEGIN", fn)
}

// Close checkpoints and closes the database. It is for programs that live long and for tests; a hook exits instead.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.conn == nil {
		return nil
	}
	err := db.conn.keepWAL()
	db.checkpoint()
	err = errors.Join(err, classify(db.conn.driver.Close()))
	db.conn = nil
	if err != nil {
		return fmt.Errorf("close store %s: %w", db.path, err)
	}
	return nil
}

// run executes fn between begin and COMMIT. Errors of fn come back as they are.
func (db *DB) run(begin string, fn func(*Tx) error) (err error) {
	if db.conn == nil {
		return fmt.Errorf("use store %s: %w", db.path, ErrClosed)
	}
	if err := db.conn.exec(begin); err != nil {
		return fmt.Errorf("begin in store %s: %w", db.path, err)
	}
	tx := &db.tx
	tx.db = db
	committed := false
	defer func() {
		tx.db = nil
		if !committed {
			_ = db.conn.exec("ROLLBACK") // after some failures SQLite has done it by itself
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if err := db.conn.exec("COMMIT"); err != nil {
		return fmt.Errorf("commit in store %s: %w", db.path, err)
	}
	committed = true
	return nil
}

// checkpoint moves the WAL into the main file and empties it, without waiting for anybody. It must be TRUNCATE: only an empty
// file tells the next lone process that there is nothing to recover. Its failure costs speed, not rows.
func (db *DB) checkpoint() {
	_ = db.conn.exec("PRAGMA busy_timeout=0")
	_, _ = db.conn.int("PRAGMA wal_checkpoint(PASSIVE)")
	_, _ = db.conn.int("PRAGMA wal_checkpoint(TRUNCATE)")
	_ = db.conn.exec("PRAGMA busy_timeout=" + strconv.FormatInt(db.busy.Milliseconds(), 10))
}

// query runs sql and hands its rows over.
func (db *DB) query(sql string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := db.conn.queryer.QueryContext(context.Background(), sql, args)
	if err != nil {
		return nil, classify(err)
	}
	return rows, nil
}
