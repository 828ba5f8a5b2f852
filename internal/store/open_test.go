package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/google/go-cmp/cmp"
)

func TestOpenCreatesPrivateFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "devflow.db")
	db := open(t, path)
	update(t, db, func(tx *store.Tx) error { return insert(tx, 1, "") })
	for name, want := range map[string]fs.FileMode{
		dir: fs.ModeDir | 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600,
	} {
		fi, err := os.Stat(name)
		if err != nil {
			t.Error(err)
		} else if fi.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, fi.Mode(), want)
		}
	}
}

// GH mksglu/context-mode/issues/642: the time-out was dropped on the way to SQLite.
func TestSettingsReadBackAsSet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "devflow.db")
	for _, c := range []struct {
		busy time.Duration
		want int
	}{{0, 2000}, {1234 * time.Millisecond, 1234}, {5 * time.Second, 5000}} {
		db, err := store.Open(path, store.Options{Busy: c.busy})
		if err != nil {
			t.Fatal(err)
		}
		read := func() map[string]int {
			got := map[string]int{}
			for _, name := range []string{"busy_timeout", "synchronous", "wal_autocheckpoint", "user_version"} {
				got[name] = one[int](t, db, "PRAGMA "+name)
			}
			return got
		}
		want := map[string]int{"busy_timeout": c.want, "synchronous": 1, "wal_autocheckpoint": 0, "user_version": store.Schema}
		if diff := cmp.Diff(want, read()); diff != "" {
			t.Errorf("Busy %v (-want +got):\n%s", c.busy, diff)
		}
		// A checkpoint changes the time-out for a moment.
		for id := range int64(100) {
			update(t, db, func(tx *store.Tx) error {
				_, err := tx.Exec("INSERT INTO hook_runs(modules) VALUES(?)", strings.Repeat("x", 4096+int(id)))
				return err
			})
		}
		if diff := cmp.Diff(want, read()); diff != "" {
			t.Errorf("Busy %v after checkpoints (-want +got):\n%s", c.busy, diff)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestStrangePathsReachTheirFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "q?mode=memory", "h#x", "p%41%", "é", "semi;colon&amp=1", ":memory:"} {
		path := filepath.Join(t.TempDir(), name, name+".db")
		db := open(t, path)
		update(t, db, func(tx *store.Tx) error { return insert(tx, 1, "") })
		if fi, err := os.Stat(path); err != nil || fi.Size() == 0 {
			t.Errorf("%q: no database there: %v", name, err)
		}
	}
}

// plain makes a database with the bare driver.
func plain(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// snapshot reads every file of a folder but the lock file, which carries nothing.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), ".lock") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

func TestUnusableDatabasesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	newer := fmt.Sprintf("PRAGMA user_version=%d", store.Schema+1)
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"newer, rollback journal", func(t *testing.T, path string) { plain(t, path, "CREATE TABLE t(a)", newer) }, store.ErrNewer},
		{"newer, WAL closed", func(t *testing.T, path string) { plain(t, path, "PRAGMA journal_mode=WAL", "CREATE TABLE t(a)", newer) }, store.ErrNewer},
		{"newer, version only in the WAL file", func(t *testing.T, path string) {
			db := open(t, path)
			update(t, db, func(tx *store.Tx) error {
				_, err := tx.Exec(newer)
				return err
			})
		}, store.ErrNewer},
		{"another program's", func(t *testing.T, path string) { plain(t, path, "CREATE TABLE t(a)") }, store.ErrForeign},
		{"noise", func(t *testing.T, path string) { write(t, path, strings.Repeat("noise ", 1000)) }, store.ErrCorrupt},
		{"cut off in the header", func(t *testing.T, path string) { write(t, path, "SQLite format 3\x00") }, store.ErrCorrupt},
		{"noise with a WAL file", func(t *testing.T, path string) {
			write(t, path, strings.Repeat("noise ", 1000))
			write(t, path+"-wal", "")
		}, store.ErrCorrupt},
		{"damaged pages", func(t *testing.T, path string) {
			if err := open(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 100; i < 4096; i++ { // the schema's page, behind the header
				data[i] = 0xff
			}
			write(t, path, string(data))
		}, store.ErrCorrupt},
		{"a folder", func(t *testing.T, path string) { mkdir(t, path) }, store.ErrCorrupt},
		{"a pipe", func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(path) }) // or the snapshot would wait for a writer
		}, store.ErrCorrupt},
	} {
		for _, o := range []store.Options{{}, {ReadOnly: true}} {
			t.Run(fmt.Sprintf("%s, read only %v", c.name, o.ReadOnly), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := filepath.Join(dir, "devflow.db")
				c.make(t, path)
				var before map[string]string
				fi, err := os.Lstat(path)
				if err == nil && fi.Mode().IsRegular() {
					before = snapshot(t, dir)
				}
				_, err = store.Open(path, o)
				want := c.want
				if o.ReadOnly && want == store.ErrForeign {
					want = store.ErrOlder
				}
				if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
					t.Errorf("got %v, want %v with the path", err, want)
				}
				if before == nil {
					return
				}
				after := snapshot(t, dir)
				for _, files := range []map[string]string{before, after} {
					delete(files, "devflow.db-shm") // only the index of the WAL file, rebuilt by every reader
					if files["devflow.db-wal"] == "" {
						delete(files, "devflow.db-wal") // an empty one goes with the last close
					}
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("files changed (-before +after):\n%s", diff)
				}
			})
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "devflow.db")
	if _, err := store.Open(path, store.Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing database: got %v, want fs.ErrNotExist", err)
	}
	if files := snapshot(t, dir); len(files) > 0 {
		t.Errorf("reading a missing database made %v", files)
	}
	w := open(t, path)
	update(t, w, func(tx *store.Tx) error { return insert(tx, 1, "") })
	r, err := store.Open(path, store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, r, "SELECT count(*) FROM hook_runs"); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	if err := r.Update(func(tx *store.Tx) error { return insert(tx, 2, "") }); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("write: got %v, want ErrReadOnly", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	// After a clean end of all writers nothing but the database may be there, as in a copy that somebody sends.
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "copy.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, alone, string(data))
	c, err := store.Open(alone, store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, c, "SELECT count(*) FROM hook_runs"); n != 1 {
		t.Errorf("copy: %d rows, want 1", n)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenGoesOnFromHalfMadeDatabases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(path string)
	}{
		{"an empty file", func(path string) { write(t, path, "") }},
		{"WAL mode without tables", func(path string) { plain(t, path, "PRAGMA journal_mode=WAL") }},
		{"a WAL file without a database", func(path string) { write(t, path+"-wal", strings.Repeat("x", 5000)) }},
		{"ours, switched to a rollback journal", func(path string) {
			if err := open(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			plain(t, path, "PRAGMA journal_mode=DELETE")
		}},
		{"a symbolic link to a database", func(path string) {
			real := filepath.Join(t.TempDir(), "real.db")
			if err := open(t, real).Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(real, path); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		path := filepath.Join(t.TempDir(), "devflow.db")
		c.make(path)
		db := open(t, path)
		update(t, db, func(tx *store.Tx) error { return insert(tx, 1, "") })
		if mode := one[string](t, db, "PRAGMA journal_mode"); mode != "wal" {
			t.Errorf("%s: journal mode %s", c.name, mode)
		}
		checkSound(t, db, []int64{1})
	}
}

func TestClosedThingsSaySo(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "devflow.db"))
	var kept *store.Tx
	update(t, db, func(tx *store.Tx) error {
		kept = tx
		return nil
	})
	if _, err := kept.Exec("DELETE FROM kv"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("statement after its transaction: got %v, want ErrClosed", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.View(func(*store.Tx) error { return nil }); !errors.Is(err, store.ErrClosed) {
		t.Errorf("view after close: got %v, want ErrClosed", err)
	}
}
