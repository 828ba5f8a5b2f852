package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
)

func TestUnwritableFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "")
	readOnly := readOnlyDir(t, nil)
	withDB := readOnlyDir(t, func(dir string) {
		if err := open(t, filepath.Join(dir, "devflow.db")).Close(); err != nil {
			t.Fatal(err)
		}
	})
	for _, c := range []struct {
		name, path string
	}{
		{"below a file", filepath.Join(dir, "file", "devflow.db")},
		{"in a read-only folder", filepath.Join(readOnly, "devflow.db")},
		{"below a read-only folder", filepath.Join(readOnly, "new", "devflow.db")},
		{"an existing database in a read-only folder", filepath.Join(withDB, "devflow.db")},
	} {
		db, err := store.Open(c.path, store.Options{})
		if err == nil {
			err = db.Update(func(tx *store.Tx) error { return insert(tx, 1, "") })
		}
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: got %v, want ErrReadOnly", c.name, err)
		}
	}
	db, err := store.Open(filepath.Join(withDB, "devflow.db"), store.Options{ReadOnly: true})
	if err != nil {
		t.Fatalf("open for reading in a read-only folder: %v", err)
	}
	if n := one[int](t, db, "SELECT count(*) FROM hook_runs"); n != 0 {
		t.Errorf("%d rows", n)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// readOnlyDir makes a folder that cannot be written: by its mode or, since root ignores modes, by a read-only mount.
func readOnlyDir(t *testing.T, fill func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() != 0 {
		if fill != nil {
			fill(dir)
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		return dir
	}
	if fill != nil {
		fill(dir)
	}
	// A mount of its own on the same folder: nobody has written through it, so that a descriptor which a child of a
	// parallel test inherited between fork and exec cannot keep it from turning read-only.
	for _, flags := range []uintptr{syscall.MS_BIND, syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY} {
		if err := syscall.Mount(dir, dir, "", flags, ""); err != nil {
			t.Fatalf("mount %s read-only: %v", dir, err)
		}
		if flags == syscall.MS_BIND {
			unmount(t, dir)
		}
	}
	return dir
}

// mount puts a tmpfs on dir until the test ends.
func mount(t *testing.T, dir, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Fatalf("mount a tmpfs: %v (a container needs the capability SYS_ADMIN for this test; other users run it without mounts)", err)
	}
	unmount(t, dir)
}

// unmount takes the mount on dir away when the test ends.
func unmount(t *testing.T, dir string) {
	t.Helper()
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // TestFileSizeLimitIsFull covers other users, who cannot mount
	}
	disk := t.TempDir()
	mount(t, disk, "size=1m")
	path := filepath.Join(disk, "devflow.db")
	ballast := filepath.Join(disk, "ballast")
	write(t, ballast, strings.Repeat("x", 200<<10))
	db := open(t, path)
	acked, err := fill(db)
	if !errors.Is(err, store.ErrFull) {
		t.Fatalf("after %d rows: got %v, want ErrFull", acked, err)
	}
	reader := open(t, path)
	checkSound(t, reader, nil)

	elsewhere := t.TempDir()
	spool := store.Spool{Dirs: []string{filepath.Join(disk, "spool"), filepath.Join(elsewhere, "spool")}}
	big := strings.Repeat("y", 400<<10)
	if err := spool.Append("s", []byte(big)); err != nil {
		t.Fatalf("append with a full first folder: %v", err)
	}
	if err := (store.Spool{Dirs: spool.Dirs[:1]}).Append("s", []byte(big)); !errors.Is(err, store.ErrFull) {
		t.Errorf("append to a full disk: got %v, want ErrFull", err)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	checkFilled(t, db, strconv.FormatInt(acked, 10))
	var got []string
	n, err := spool.Drain(db, func(_ *store.Tx, record []byte) error {
		got = append(got, string(record))
		return nil
	})
	if n != 1 || err != nil || got[0] != big {
		t.Errorf("drain: %d records, %v", n, err)
	}
}
