package store

import (
	"embed"
	"fmt"
	"strings"
)

// Schema is the schema version that this program reads and writes (PRAGMA user_version). It equals the number of files in
// migrations/; they are append-only.
const Schema = 4

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings a database from version from to Schema in one transaction. The caller holds the creation lock.
func migrate(c *conn, from int64) error {
	if err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := apply(c, from)
	if err == nil {
		err = c.exec("COMMIT")
	}
	if err != nil {
		_ = c.exec("ROLLBACK")
	}
	return err
}

// apply runs the numbered files after version from.
func apply(c *conn, from int64) error {
	for v := from + 1; v <= Schema; v++ {
		text, err := migrations.ReadFile(fmt.Sprintf("migrations/%04d.sql", v))
		if err != nil {
			return fmt.Errorf("read migration %d: %w", v, err)
		}
		if err := c.exec(compact(string(text))); err != nil {
			return fmt.Errorf("apply migration %d: %w", v, err)
		}
	}
	return c.exec(fmt.Sprintf("PRAGMA user_version=%d", Schema))
}

// compact removes comments and needless blanks, since SQLite keeps the text of a CREATE and every open parses it again.
// The migrations hold no "--" and no double blanks inside string literals.
func compact(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		b.WriteString(line)
		b.WriteByte(' ')
	}
	out := strings.Join(strings.Fields(b.String()), " ")
	return strings.NewReplacer(", ", ",", "( ", "(", " )", ")", " (", "(", "; ", ";").Replace(out)
}
