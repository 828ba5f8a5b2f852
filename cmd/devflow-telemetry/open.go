package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// open opens the database that the flags and the environment name. It never creates one. What waits in the spool is stored
// first, unless another database than the installed one was asked for. The store is not closed: the process ends.
func (a *app) open() (*store.DB, error) {
	paths, err := config.ResolvePaths(a.Getenv)
	if err != nil && a.db == "" {
		return nil, frame.Hint(err, "set HOME or DEVFLOW_HOME, or name the database with --db FILE")
	}
	path := paths.DB
	if a.db != "" {
		if path, err = filepath.Abs(a.db); err != nil {
			return nil, frame.Hint(fmt.Errorf("find working folder: %w", err), "change into a folder that exists, or give --db a whole path")
		}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, frame.Hint(fmt.Errorf("nothing was recorded yet (no database at %s)", path), a.hint("start a Claude Code session, or check with: devflow doctor"))
	case err != nil:
		return nil, fmt.Errorf("open database: %w", err)
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil, frame.Hint(fmt.Errorf("%s is no database", path), a.hint("devflow doctor"))
	}
	db, err := store.Open(path, store.Options{})
	if errors.Is(err, store.ErrReadOnly) {
		db, err = store.Open(path, store.Options{ReadOnly: true})
		return db, explain(err)
	}
	if err != nil {
		return nil, explain(err)
	}
	if path == paths.DB {
		a.drain(db, paths.SpoolDirs())
	}
	return db, nil
}

// hint is what helps when the database that was opened is not as it should be.
func (a *app) hint(installed string) string {
	if a.db != "" {
		return "check the path given to --db"
	}
	return installed
}

// drain stores what hooks had to leave in the spool. What cannot be stored is said and does not keep the report from being read.
func (a *app) drain(db *store.DB, dirs []string) {
	_, err := store.Spool{Dirs: dirs}.Drain(db, telemetry.Replay)
	if err != nil {
		fmt.Fprintf(a.Stderr, "devflow-telemetry: warning: %v\n", err)
	}
}

// explain adds what a person can do about a failure of the store.
func explain(err error) error {
	for _, known := range [...]struct {
		class error
		hint  string
	}{
		{store.ErrNewer, "a newer devflow wrote it: use that version's devflow-telemetry"},
		{store.ErrOlder, "an older devflow wrote it, and it cannot be migrated while it is not writable"},
		{store.ErrForeign, "--db names the database of another program"},
		{store.ErrCorrupt, "devflow doctor"},
		{store.ErrBusy, "another process holds it: try again"},
		{store.ErrFull, "free some space and try again"},
	} {
		if errors.Is(err, known.class) {
			return frame.Hint(err, known.hint)
		}
	}
	return err
}
