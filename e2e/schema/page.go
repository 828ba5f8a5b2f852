package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
)

// run writes docs/schema.md: for each table its writer, taken from the migration files, and its columns, taken from the database.
func run(out io.Writer) error {
	dir, err := os.MkdirTemp("", "devflow-schema-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(filepath.Join(dir, "devflow.db"), store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	owners, err := writers("internal/store/migrations")
	if err != nil {
		return err
	}
	fmt.Fprint(out, "# Schema\n\nMade by `make schema` from a fresh database. Times are unix milliseconds, booleans 0 or 1, NULL means unknown.\n")
	return db.View(func(tx *store.Tx) error {
		var version int64
		if _, err := tx.One("PRAGMA user_version", nil, &version); err != nil {
			return err
		}
		fmt.Fprintf(out, "Schema version: %d.\n", version)
		var tables []string
		err := tx.Query("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid", nil, func(r *store.Row) error {
			tables = append(tables, r.Text(0))
			return nil
		})
		if err != nil {
			return err
		}
		for _, table := range tables {
			fmt.Fprintf(out, "\n## %s\nWriter: `%s`.\n\n| column | type | key |\n|---|---|---|\n", table, owners[table])
			err := tx.Query("SELECT name, type, pk FROM pragma_table_info(?)", []any{table}, func(r *store.Row) error {
				key := ""
				if r.Int(2) > 0 {
					key = fmt.Sprint(r.Int(2))
				}
				fmt.Fprintf(out, "| %s | %s | %s |\n", r.Text(0), r.Text(1), key)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func writers(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil {
		return nil, err
	}
	owner := regexp.MustCompile(`(?m)^--\s*writer:\s*(\S+)\s*\n(?:--.*\n)*CREATE TABLE (\w+)`)
	found := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range owner.FindAllStringSubmatch(string(data), -1) {
			found[strings.TrimSpace(m[2])] = m[1]
		}
	}
	return found, nil
}
