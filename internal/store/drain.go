package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/store/disk"
	"github.com/devflow-suite/devflow/internal/store/frame"
)

// One transaction of Drain takes at most this much, so that hooks can write in between.
const (
	batchRecords = 256
	batchBytes   = 1 << 20
)

// BadError tells that parts of the spool were moved aside because they could not be read (a torn or damaged frame) or because
// apply refused them. All other records have been applied.
type BadError struct {
	Pieces int      // damaged stretches and refused records
	Files  []string // where they are now
	Cause  error    // the first refusal, nil if there were only damaged frames
}

// Error implements error.
func (e *BadError) Error() string {
	text := fmt.Sprintf("drain spool: %d pieces moved aside to %s", e.Pieces, strings.Join(e.Files, ", "))
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the first refusal.
func (e *BadError) Unwrap() error { return e.Cause }

// Drain applies every record of the spool to the database, once, also when processes die at any moment: the position in a file
// is stored in kv in the transaction that applies its records. apply must not keep record and must do nothing but use tx, since
// it runs again when its transaction has to be repeated. n is the number of records applied. The error is a *BadError when all
// that could be applied was; otherwise the database failed, and a later Drain goes on from there.
func (s Spool) Drain(db *DB, apply func(tx *Tx, record []byte) error) (n int, err error) {
	d := drain{spool: s, db: db, apply: apply, all: true}
	for _, dir := range s.Dirs {
		if err := secureDir(dir, false); err != nil {
			d.all = d.all && errors.Is(err, fs.ErrNotExist)
			continue // missing, or not ours to believe
		}
		if err := d.folder(dir); err != nil {
			return d.applied, fmt.Errorf("drain spool %s: %w", dir, classify(err))
		}
	}
	if d.emptied > 0 {
		if err := d.forget(); err != nil {
			return d.applied, fmt.Errorf("drain spool: %w", classify(err))
		}
	}
	if d.bad.Pieces > 0 {
		return d.applied, &d.bad
	}
	return d.applied, nil
}

// drain is one run of Drain.
type drain struct {
	spool   Spool
	db      *DB
	apply   func(tx *Tx, record []byte) error
	applied int
	emptied int  // files
	all     bool // every folder could be looked at
	bad     BadError
}

// folder claims and empties the files of one folder, oldest first within a session.
func (d *drain) folder(dir string) error {
	names, err := list(dir)
	if err != nil {
		return err
	}
	claimed := false
	for _, name := range names {
		if strings.HasSuffix(name, spoolExt) {
			if err := d.claim(dir, name); err != nil {
				return err
			}
			claimed = true
		}
	}
	if claimed {
		// The claimed name is the identity under which positions are stored: it must not be undone by a power cut.
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
		if err := d.spool.at("claimed"); err != nil {
			return err
		}
		if names, err = list(dir); err != nil {
			return err
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, drainExt) {
			if err := d.file(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// list returns the sorted names in a folder.
func list(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// claim renames a file that is being appended to, under its lock.
func (d *drain) claim(dir, name string) error {
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another drain was faster
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := disk.Lock(f, appendBudget); err != nil {
		return &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	if !sameFile(f, path) {
		return nil
	}
	id := fmt.Sprintf(".%020d-%d", time.Now().UnixNano(), os.Getpid())
	return os.Rename(path, strings.TrimSuffix(path, spoolExt)+id+drainExt)
}

// file applies a claimed file and removes it. Another drain that works on it is left alone.
func (d *drain) file(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if disk.Lock(f, 0) != nil || !sameFile(f, path) {
		return nil
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	key := positionKey(filepath.Base(path))
	refused := map[int64]error{}
	for at := int64(0); at < int64(len(data)); {
		if at, err = d.batch(path, key, data, refused); err != nil {
			return err
		}
		if err := d.spool.at("batch"); err != nil {
			return err
		}
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	d.emptied++
	return d.spool.at("removed")
}

// forget drops the positions of files that are gone, for good: a position must outlive its file also when the power fails.
func (d *drain) forget() error {
	left := map[string]bool{}
	for _, dir := range d.spool.Dirs {
		if secureDir(dir, false) != nil {
			continue
		}
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
		names, err := list(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			left[positionKey(name)] = true
		}
	}
	if !d.all {
		return nil
	}
	return d.db.Update(func(tx *Tx) error {
		var gone []string
		err := tx.Query("SELECT k FROM kv WHERE k>='spool:' AND k<'spool;'", nil, func(r *Row) error {
			if !left[r.Text(0)] {
				gone = append(gone, r.Text(0))
			}
			return nil
		})
		for _, key := range gone {
			if _, derr := tx.Exec("DELETE FROM kv WHERE k=?", key); err == nil {
				err = derr
			}
		}
		return err
	})
}

// positionKey is the key in kv of the position in a claimed file.
func positionKey(name string) string { return "spool:" + name }

// batch applies the next records of data in one transaction and returns the position after them. refused holds the positions of
// records that apply did not take.
func (d *drain) batch(path, key string, data []byte, refused map[int64]error) (next int64, err error) {
	for {
		var step batchStep
		err := d.db.Update(func(tx *Tx) error {
			step = batchStep{}
			return step.run(d, tx, path, key, data, refused)
		})
		if step.refusal != nil && !isFailure(step.refusal) {
			refused[step.at] = step.refusal
			continue
		}
		if err != nil {
			return step.at, err
		}
		d.applied += step.count
		for _, f := range step.aside {
			d.bad.Pieces++
			d.bad.Files = append(d.bad.Files, f)
		}
		if d.bad.Cause == nil {
			d.bad.Cause = step.cause
		}
		return step.at, nil
	}
}

// batchStep is one try of a batch.
type batchStep struct {
	at      int64    // position in the file
	count   int      // records applied
	aside   []string // files that pieces were moved to
	cause   error    // why the first of them was refused
	refusal error    // what apply returned for the record at at
}

// run applies records until the batch is full.
func (b *batchStep) run(d *drain, tx *Tx, path, key string, data []byte, refused map[int64]error) error {
	if _, err := tx.One("SELECT v FROM kv WHERE k=?", []any{key}, &b.at); err != nil {
		return err
	}
	start := b.at
	for b.at < int64(len(data)) && b.count < batchRecords && b.at-start < batchBytes {
		record, size, ok := frame.At(data[b.at:])
		cause := refused[b.at]
		if !ok {
			size = frame.Skip(data[b.at:])
		}
		if !ok || cause != nil {
			if err := b.moveAside(path, data[b.at:b.at+int64(size)], cause); err != nil {
				return err
			}
		} else if err := d.apply(tx, record); err != nil {
			b.refusal = err
			return err
		} else {
			b.count++
		}
		b.at += int64(size)
	}
	_, err := tx.Exec("INSERT INTO kv(k,v) VALUES(?,?) ON CONFLICT DO UPDATE SET v=excluded.v", key, b.at)
	return err
}

// moveAside keeps a piece in a file of its own, whose name depends on nothing but the piece, so that a repetition changes nothing.
func (b *batchStep) moveAside(path string, piece []byte, cause error) error {
	name := strings.TrimSuffix(path, drainExt) + "." + strconv.FormatInt(b.at, 10) + badExt
	if err := atomicfile.WriteFile(name, piece, 0o600); err != nil {
		return err
	}
	b.aside = append(b.aside, name)
	if b.cause == nil {
		b.cause = cause
	}
	return nil
}
