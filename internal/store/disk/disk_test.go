package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store/disk"
)

func TestLockExcludesAndComesBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := disk.LockFile(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := disk.LockFile(path, 5*time.Millisecond); !errors.Is(err, disk.ErrBusy) {
		t.Errorf("second lock: got %v, want ErrBusy", err)
	}
	got := make(chan error)
	go func() {
		again, err := disk.LockFile(path, time.Minute)
		if err == nil {
			again()
		}
		got <- err
	}()
	unlock()
	if err := <-got; err != nil {
		t.Errorf("lock after unlock: %v", err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode() != 0o600 {
		t.Errorf("lock file: %v, %v", fi, err)
	}
}

func TestFilesAreSeenAndFlushed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if n, err := disk.Size(name); n != 5 || err != nil {
			t.Errorf("Size(%s) = %d, %v", name, n, err)
		}
		if n, err := disk.SyncFile(name); n != 5 || err != nil {
			t.Errorf("SyncFile(%s) = %d, %v", name, n, err)
		}
	}
	if disk.IsLink(path) || !disk.IsLink(link) || disk.IsLink(filepath.Join(dir, "none")) {
		t.Error("IsLink is wrong")
	}
	if err := disk.SyncDir(dir); err != nil {
		t.Error(err)
	}
	none := filepath.Join(dir, "none")
	_, sizeErr := disk.Size(none)
	_, syncErr := disk.SyncFile(none)
	for _, err := range []error{sizeErr, syncErr, disk.SyncDir(none)} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want fs.ErrNotExist", err)
		}
	}
	if err := disk.SyncDir(path); err == nil {
		t.Error("SyncDir took a file")
	}
}
