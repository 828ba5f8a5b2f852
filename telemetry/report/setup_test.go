package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// now is when every test looks at the store.
var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func openDB(tb testing.TB) *store.DB {
	tb.Helper()
	db, err := store.Open(filepath.Join(tb.TempDir(), "devflow.db"), store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// seeded is a store with the small project of testdata/seed.sql.
func seeded(tb testing.TB) *store.DB {
	tb.Helper()
	text, err := os.ReadFile("testdata/seed.sql")
	if err != nil {
		tb.Fatal(err)
	}
	db := openDB(tb)
	var statements []string
	for part := range strings.SplitSeq(string(text), ";\n") {
		if part = strings.TrimSpace(part); part != "" {
			statements = append(statements, part)
		}
	}
	exec(tb, db, statements...)
	return db
}

func exec(tb testing.TB, db *store.DB, statements ...string) {
	tb.Helper()
	err := db.Update(func(tx *store.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}
