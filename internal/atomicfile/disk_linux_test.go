package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/atomicfile"
)

func TestFullDiskKeepsTheOldContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if os.Geteuid() != 0 {
		// Only root can mount a small disk. A file size limit would hit the whole test process.
		return
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatalf("mount a tmpfs: %v (a container needs the capability SYS_ADMIN for this test)", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(dir, "f")
	if err := atomicfile.WriteFile(path, []byte("old"), 0); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteFile(path, make([]byte, 100<<10), 0); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want ENOSPC", err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("content %q", got)
	}
	checkAlone(t, dir, "f")
}
