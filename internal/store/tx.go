package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/devflow-suite/devflow/internal/store/value"
)

// Tx is a running transaction. It lives until the function that received it returns and belongs to its goroutine.
type Tx struct {
	db   *DB
	args []driver.NamedValue // reused by every statement; the driver keeps none of it
}

// Exec runs one statement and returns how many rows it inserted, updated or deleted. Arguments may be nil, bool, any integer,
// float64, string, []byte, sql.Null of these, a type made from them, or a pointer to one (a nil pointer is NULL).
func (tx *Tx) Exec(sql string, args ...any) (changed int64, err error) {
	named, err := tx.bind(sql, args)
	if err != nil {
		return 0, err
	}
	res, err := tx.db.conn.execer.ExecContext(context.Background(), sql, named)
	if err != nil {
		return 0, fmt.Errorf("run %.60q: %w", sql, classify(err))
	}
	changed, _ = res.RowsAffected() // the driver never fails here
	return changed, nil
}

// Query runs sql and calls each for every row. The Row is valid only during the call. An error of each ends the query and comes
// back as it is.
func (tx *Tx) Query(sql string, args []any, each func(r *Row) error) error {
	rows, err := tx.start(sql, args)
	if err != nil {
		return err
	}
	r := Row{rows: rows, values: make([]driver.Value, width(rows))}
	for {
		err := rows.Next(r.values)
		if err == io.EOF {
			break
		}
		if err != nil {
			_ = rows.Close()
			return fmt.Errorf("read %.60q: %w", sql, classify(err))
		}
		if err := each(&r); err != nil {
			_ = rows.Close()
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return fmt.Errorf("close %.60q: %w", sql, classify(err))
	}
	return nil
}

// One runs sql and stores its first row. dest are pointers to int64, int, string, float64, bool, []byte or sql.Null of these, one
// for each column; NULL becomes the zero value. found is false, and dest unchanged, when there is no row.
func (tx *Tx) One(sql string, args []any, dest ...any) (found bool, err error) {
	rows, err := tx.start(sql, args)
	if err != nil {
		return false, err
	}
	n := width(rows)
	values := make([]driver.Value, n)
	err = rows.Next(values)
	cerr := rows.Close()
	switch {
	case err == io.EOF:
		return false, nil
	case err != nil || cerr != nil:
		return false, fmt.Errorf("read %.60q: %w", sql, classify(errors.Join(err, cerr)))
	case n != len(dest):
		return false, fmt.Errorf("read %.60q: %d columns for %d destinations", sql, n, len(dest))
	}
	for i, d := range dest {
		if err := value.Assign(d, values[i]); err != nil {
			return false, fmt.Errorf("read %.60q: column %d: %w", sql, i, err)
		}
	}
	return true, nil
}

// start begins a query.
func (tx *Tx) start(sql string, args []any) (driver.Rows, error) {
	named, err := tx.bind(sql, args)
	if err != nil {
		return nil, err
	}
	rows, err := tx.db.query(sql, named)
	if err != nil {
		return nil, fmt.Errorf("run %.60q: %w", sql, err)
	}
	return rows, nil
}

// bind converts args for the driver.
func (tx *Tx) bind(sql string, args []any) ([]driver.NamedValue, error) {
	if tx.db == nil {
		return nil, fmt.Errorf("run %.60q: %w", sql, ErrClosed)
	}
	tx.args = tx.args[:0]
	for i, a := range args {
		v, err := value.Of(a)
		if err != nil {
			return nil, fmt.Errorf("run %.60q: argument %d: %w", sql, i+1, err)
		}
		tx.args = append(tx.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return tx.args, nil
}

// width is the number of columns. The driver looks the declared types up for every row anyway, while names cost extra.
func width(rows driver.Rows) int {
	if r, ok := rows.(interface{ DeclTypes() []string }); ok {
		return len(r.DeclTypes())
	}
	return len(rows.Columns())
}

// Row is the present row of a Query. Reading a column of another type gives the zero value, as does NULL.
type Row struct {
	rows   driver.Rows
	values []driver.Value
}

// Columns returns the names of the columns.
func (r *Row) Columns() []string { return r.rows.Columns() }

// Null reports whether column i is NULL.
func (r *Row) Null(i int) bool { return r.values[i] == nil }

// Int returns column i as an integer.
func (r *Row) Int(i int) int64 {
	n, _ := r.values[i].(int64)
	return n
}

// Bool reports whether column i is an integer other than 0.
func (r *Row) Bool(i int) bool { return r.Int(i) != 0 }

// Float returns column i as a floating point number; integers are converted.
func (r *Row) Float(i int) float64 {
	switch v := r.values[i].(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return 0
}

// Text returns column i as text; bytes are converted.
func (r *Row) Text(i int) string {
	switch v := r.values[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// Blob returns column i as bytes, which belong to the caller; text is converted.
func (r *Row) Blob(i int) []byte {
	switch v := r.values[i].(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	}
	return nil
}

// Value returns column i as the driver read it: nil, int64, float64, string or []byte.
func (r *Row) Value(i int) any { return r.values[i] }
