package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
)

func (e *exam) checkGit(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	res, err := e.Config.Run(ctx, proc.Cmd{Argv: []string{"git", "--version"}})
	if err != nil || res.Exit != 0 {
		e.add("git", Fail, "install git; without it no task can be judged", "git does not run: %v", errors.Join(err, statusError(res.Exit)))
		return
	}
	e.add("git", OK, "", "%s", bytes.TrimSpace(res.Stdout))
}

func statusError(status int) error {
	if status == 0 {
		return nil
	}
	return fmt.Errorf("status %d", status)
}

// checkDatabase opens the database for reading and lets SQLite look it over.
func (e *exam) checkDatabase() {
	const writable = 2 // W_OK of access(2)
	for _, dir := range []string{e.Root, filepath.Dir(e.DB)} {
		if err := syscall.Access(dir, writable); err != nil && !errors.Is(err, fs.ErrNotExist) {
			e.add("database", Fail, "make it writable for you, or set DEVFLOW_HOME", "%s cannot be written: %v", dir, err)
			return
		}
	}
	db, err := store.Open(e.DB, store.Options{ReadOnly: true})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add("database", OK, "", "not there yet; the first hook makes %s", e.DB)
	case errors.Is(err, store.ErrOlder):
		e.add("database", OK, "", "%s is of an older version; the next hook brings it up to date", e.DB)
	case errors.Is(err, store.ErrNewer):
		e.add("database", Fail, "install the newer devflow again", "%v", err)
	case errors.Is(err, store.ErrBusy):
		e.add("database", Warn, "look for a program that holds "+e.DB, "%v", err)
	case err != nil:
		e.add("database", Fail, "move the file away; the next hook makes a new one", "%v", err)
	default:
		defer func() { _ = db.Close() }() // opened for reading: there is nothing to lose
		e.quickCheck(db)
	}
}

func (e *exam) quickCheck(db *store.DB) {
	var verdict string
	var rows int64
	err := db.View(func(tx *store.Tx) error {
		if _, err := tx.One("PRAGMA quick_check(1)", nil, &verdict); err != nil {
			return err
		}
		_, err := tx.One("PRAGMA page_count", nil, &rows)
		return err
	})
	switch {
	case err != nil:
		e.add("database", Fail, "move the file away; the next hook makes a new one", "%v", err)
	case verdict != "ok":
		e.add("database", Fail, "save the file, then move it away; the next hook makes a new one", "%s is damaged: %s", e.DB, verdict)
	default:
		e.add("database", OK, "", "%s is sound, %s", e.DB, plural(int(rows), "page"))
	}
}

// checkSpool counts what waits outside of the database.
func (e *exam) checkSpool() {
	waiting, bad := 0, 0
	for _, dir := range e.SpoolDirs() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil || info.Size() == 0 {
				continue
			}
			switch filepath.Ext(entry.Name()) {
			case ".bad":
				bad++
			case ".spool", ".drain":
				waiting++
			}
		}
	}
	switch {
	case bad > 0:
		e.add("spool", Warn, "keep them for a bug report, or remove them", "records that could not be read lie in %s in %s", plural(bad, "file"), e.Spool)
	case waiting > 0:
		e.add("spool", Warn, "nothing to do: the next Stop stores them", "facts of %s wait for the database", plural(waiting, "session"))
	default:
		e.add("spool", OK, "", "nothing waits")
	}
}

// recent is how far back the log is looked at.
const recent = 24 * time.Hour

func (e *exam) checkLog() {
	var found []string
	for _, file := range e.LogFiles() {
		found = append(found, causes(file, e.Now().Add(-recent))...)
	}
	if len(found) == 0 {
		e.add("log", OK, "", "no hook complained in the last 24 hours")
		return
	}
	e.add("log", Warn, "read "+e.LogFiles()[0], "%s in the last 24 hours, the last one: %s", plural(len(found), "complaint"), found[len(found)-1])
}

// causes returns the reasons in the end of a hook log since a time.
func causes(file string, since time.Time) []string {
	data, err := tail(file)
	if err != nil {
		return nil
	}
	var found []string
	for line := range strings.Lines(string(data)) {
		var entry struct {
			At               time.Time `json:"ts"`
			Hook, Msg, Cause string
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.At.After(since) {
			found = append(found, fmt.Sprintf("%s: %s: %s", entry.Hook, entry.Msg, entry.Cause))
		}
	}
	return found
}

// tailBytes is how much of the end of a log or transcript is read.
const tailBytes = 256 << 10

// tailStart is the offset of the first whole line in the end of a file.
func tailStart(path string) (offset int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() <= tailBytes {
		return 0, err
	}
	at := info.Size() - tailBytes
	data, err := io.ReadAll(io.NewSectionReader(f, at, tailBytes))
	if err != nil {
		return 0, err
	}
	// No line end at all: one line is longer than the tail, and nothing is read.
	nl := bytes.IndexByte(data, '\n')
	if nl < 0 {
		return info.Size(), io.ErrUnexpectedEOF
	}
	return at + int64(nl) + 1, nil
}

// tail returns the whole lines in the end of a file.
func tail(path string) ([]byte, error) {
	at, err := tailStart(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.NewSectionReader(f, at, tailBytes))
}
