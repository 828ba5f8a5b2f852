package main

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	_ "github.com/mattn/go-sqlite3" // the floor's database is made with the same library

	"github.com/devflow-suite/devflow/internal/store"
)

// options of one run.
type options struct {
	bin     string
	rounds  int
	crowd   int
	session bool
	keep    bool
}

func run(args []string, out io.Writer) error {
	if ran, err := part(args, out); ran {
		return err
	}
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.bin, "bin", "bin", "folder of the built executables")
	flags.IntVar(&o.rounds, "rounds", 200, "counted rounds of the hook table")
	flags.IntVar(&o.crowd, "crowd", 12, "rounds with 64 hooks at once")
	flags.BoolVar(&o.session, "session", true, "measure a real Claude Code session too")
	flags.BoolVar(&o.keep, "keep", false, "keep the throw-away home")
	if err := flags.Parse(args); err != nil {
		return err
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "devflow-bench-")
	if err != nil {
		return err
	}
	if !o.keep {
		defer os.RemoveAll(dir)
	}
	fmt.Fprintf(out, "devflow bench: ratios of whole processes, alternated in one run; database with %d tasks\n", tasks)
	w, err := newWorld(dir, bin)
	if err != nil {
		return err
	}
	r := &report{out: out}
	parts := []func(*world, options, *report) error{hookTable, guardTable, crowdTable, instructionTable, stopTable, judgeTable, flockTable, gatewayTable}
	if o.session {
		parts = append(parts, sessionTable)
	}
	for _, part := range parts {
		if err := part(w, o, r); err != nil {
			return err
		}
	}
	r.summary()
	return nil
}

// floorDB runs statements on a fresh database that the C floor will write to.
func floorDB(path, statements string) error {
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		return err
	}
	_, err = db.Exec(statements)
	return errors.Join(err, db.Close())
}

// rows counts hook_runs, the proof that every counted run wrote.
func (w *world) rows() (n int64, err error) {
	db, err := store.Open(w.db(), store.Options{ReadOnly: true, Busy: 10 * time.Second})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.View(func(tx *store.Tx) error {
		_, err := tx.One("SELECT count(*) FROM hook_runs", nil, &n)
		return err
	})
	return n, err
}
