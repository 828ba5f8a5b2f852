package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/google/go-cmp/cmp"
)

// open opens a database that is closed at the end of the test.
func open(tb testing.TB, path string) *store.DB {
	tb.Helper()
	db, err := store.Open(path, store.Options{})
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

// update runs fn in a transaction that must succeed.
func update(tb testing.TB, db *store.DB, fn func(tx *store.Tx) error) {
	tb.Helper()
	if err := db.Update(fn); err != nil {
		tb.Fatal(err)
	}
}

// one reads one value with a query that must find a row.
func one[T any](tb testing.TB, db *store.DB, query string, args ...any) (v T) {
	tb.Helper()
	err := db.View(func(tx *store.Tx) error {
		found, err := tx.One(query, args, &v)
		if err == nil && !found {
			tb.Errorf("%s found no row", query)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestValuesComeBackAsStored(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "new", "devflow.db"))
	type name string
	n, text := int64(7), "x"
	var none *string
	for _, c := range []struct {
		what string
		in   any
		want any
	}{
		{"nil", nil, nil},
		{"int64", int64(-1 << 63), int64(-1 << 63)},
		{"int", 42, int64(42)},
		{"uint64 keeps its bits", uint64(1<<64 - 1), int64(-1)},
		{"bool", true, int64(1)},
		{"float", 1.5, 1.5},
		{"text", "a\x00é", "a\x00é"},
		{"empty text", "", ""},
		{"bytes", []byte{0, 1}, []byte{0, 1}},
		{"empty bytes", []byte{}, []byte{}},
		{"named text", name("n"), "n"},
		{"pointer to integer", &n, int64(7)},
		{"pointer to text", &text, "x"},
		{"nil pointer", none, nil},
		{"valid null type", sql.Null[string]{V: "v", Valid: true}, "v"},
		{"invalid null type", sql.Null[int64]{}, nil},
	} {
		update(t, db, func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO kv(k,v) VALUES(?,?)", c.what, c.in)
			return err
		})
		if got := one[any](t, db, "SELECT v FROM kv WHERE k=?", c.what); !cmp.Equal(got, c.want) {
			t.Errorf("%s: stored %v, got %v, want %v", c.what, c.in, got, c.want)
		}
	}
}

func TestUpdateRollsBack(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "devflow.db"))
	cause := errors.New("no")
	err := db.Update(func(tx *store.Tx) error {
		if _, err := tx.Exec("INSERT INTO kv(k,v) VALUES('a',1)"); err != nil {
			return err
		}
		return cause
	})
	if err != cause {
		t.Errorf("got %v, want the error of the function", err)
	}
	if n := one[int](t, db, "SELECT count(*) FROM kv"); n != 0 {
		t.Errorf("%d rows after a rollback", n)
	}
}
