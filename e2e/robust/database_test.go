package robust_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
)

// sums gives the content of all files below a folder as hashes. It leaves out two that hold no data: the lock file, and the
// index of the WAL, in which every reader notes that it reads.
func sums(t testing.TB, dir string) map[string][32]byte {
	t.Helper()
	found := map[string][32]byte{}
	for _, name := range files(t, dir) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.IsDir() || strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-shm") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = sha256.Sum256(data)
	}
	return found
}

// copyTree copies a folder by another process: reading a database file that this one has open would drop its locks.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-rp", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy %s: %v: %s", from, err, out)
	}
}

// A database of a newer version is not ours to write: not a byte of it or of its WAL changes, whether it was closed or is in
// use. The facts wait in the spool until a program that knows the version drains it.
func TestADatabaseOfANewerVersion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		closed bool // checkpointed
		alone  bool // without the files beside it
	}{{"closed", true, true}, {"closed by hooks", true, false}, {"in use", false, false}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			old, w := newWorld(t), newWorld(t)
			old.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
			copyTree(t, filepath.Dir(old.database()), filepath.Join(w.dir, "kept"))

			db, err := store.Open(old.database(), store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			err = db.Update(func(tx *store.Tx) error {
				_, err := tx.Exec("PRAGMA user_version=1000")
				return err
			})
			if err == nil && tc.closed {
				err = db.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			copyTree(t, filepath.Dir(old.database()), filepath.Dir(w.database()))
			if !tc.closed {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if tc.alone {
				for _, name := range files(t, filepath.Dir(w.database())) {
					if name != filepath.Base(w.database()) {
						if err := os.Remove(filepath.Join(filepath.Dir(w.database()), name)); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			before := sums(t, filepath.Dir(w.database()))
			w.unusable(16)
			after := sums(t, filepath.Dir(w.database()))
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("files changed:\n%s", d)
			}
			if log := strings.Join(w.log(), ""); !strings.Contains(log, "newer") {
				t.Errorf("the log does not tell why: %.3000s", log)
			}
			if out := w.say("s2", "SessionStart", fields{"source": "startup"}); !strings.Contains(out, "newer") {
				t.Errorf("SessionStart says %s, want the version as the reason", out)
			}

			if err := os.RemoveAll(filepath.Dir(w.database())); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(w.dir, "kept"), filepath.Dir(w.database())); err != nil {
				t.Fatal(err)
			}
			w.drained(1 + 16 + 1)
		})
	}
}

// A damaged database is left to a person: no byte of it changes, and what happens meanwhile is kept.
func TestADamagedDatabase(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		damage func(data []byte) []byte
	}{
		{"text", func([]byte) []byte { return []byte(strings.Repeat("not a database\n", 1000)) }},
		{"two bytes", func([]byte) []byte { return []byte("SQ") }}, // one is an empty file to SQLite
		{"cut in the header", func(data []byte) []byte { return data[:50] }},
		{"zeros", func(data []byte) []byte { return make([]byte, len(data)) }},
		{"cut in the schema", func(data []byte) []byte { return data[:len(data)/2] }},
		{"zeros behind the first page", func(data []byte) []byte { return append(bytes.Clone(data[:4096]), make([]byte, len(data)-4096)...) }},
		{"noise behind the header", func(data []byte) []byte {
			return append(bytes.Clone(data[:100]), bytes.Repeat([]byte{0xa5}, len(data)-100)...)
		}},
		{"another program's", func(data []byte) []byte { return data }}, // made below
	} {
		for _, beside := range []string{"alone", "with the files beside it"} {
			t.Run(tc.name+" "+beside, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
				w.update(func(tx *store.Tx) error {
					if tc.name != "another program's" {
						return nil
					}
					_, err := tx.Exec("PRAGMA user_version=0")
					return err
				})
				data, err := os.ReadFile(w.database())
				if err != nil || len(data) < 8192 {
					t.Fatalf("read the database: %d bytes, %v", len(data), err)
				}
				if beside == "alone" {
					err = os.RemoveAll(filepath.Dir(w.database()))
				}
				if err == nil {
					err = os.MkdirAll(filepath.Dir(w.database()), 0o700)
				}
				damaged := tc.damage(data)
				if err == nil {
					err = os.WriteFile(w.database(), damaged, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				w.unusable(16)
				if now, err := os.ReadFile(w.database()); err != nil || !bytes.Equal(damaged, now) {
					t.Errorf("the damaged file was changed: %d bytes, were %d; %v", len(now), len(damaged), err)
				}
				if err := os.RemoveAll(filepath.Dir(w.database())); err != nil {
					t.Fatal(err)
				}
				w.drained(16)
			})
		}
	}
}
