package atomicfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/google/go-cmp/cmp"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		oldMode fs.FileMode // 0: there is no file yet
		mode    fs.FileMode
		want    fs.FileMode
	}{
		{"a new file is private", 0, 0, 0o600},
		{"a new file with a mode", 0, 0o644, 0o644},
		{"the mode is kept", 0o640, 0, 0o640},
		{"an odd mode is kept", 0o751 | fs.ModeSetgid, 0, 0o751 | fs.ModeSetgid},
		{"a read-only file is replaced and stays so", 0o400, 0, 0o400},
		{"an explicit mode wins", 0o644, 0o600, 0o600},
		{"the umask does not matter", 0, 0o666, 0o666},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "settings.json")
			if c.oldMode != 0 {
				if err := os.WriteFile(path, []byte("old and longer"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, c.oldMode); err != nil {
					t.Fatal(err)
				}
			}
			if err := atomicfile.WriteFile(path, []byte("new"), c.mode); err != nil {
				t.Fatal(err)
			}
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if fi.Mode() != c.want {
				t.Errorf("mode %v, want %v", fi.Mode(), c.want)
			}
			if got := read(t, path); got != "new" {
				t.Errorf("content %q", got)
			}
			checkAlone(t, dir, "settings.json")
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkAlone checks that no temporary file stayed behind.
func checkAlone(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("files in the folder (-want +got):\n%s", diff)
	}
}

func TestOwnerIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 { // only root can give files away; for others the owner is the same anyway
		uid, gid = 12345, 54321
		if err := os.Chown(path, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.WriteFile(path, []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	st := fi.Sys().(*syscall.Stat_t)
	if int(st.Uid) != uid || int(st.Gid) != gid || fi.Mode().Perm() != 0o644 {
		t.Errorf("owner %d:%d mode %v, want %d:%d -rw-r--r--", st.Uid, st.Gid, fi.Mode(), uid, gid)
	}
}

func TestOtherThingsAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	link, dangling, folder, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "folder"), filepath.Join(dir, "pipe")
	for _, err := range []error{
		os.WriteFile(target, []byte("mine"), 0o600), os.Symlink(target, link), os.Symlink("nowhere", dangling), os.Mkdir(folder, 0o700), syscall.Mkfifo(pipe, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{link, dangling, folder, pipe} {
		if err := atomicfile.WriteFile(path, []byte("x"), 0); !errors.Is(err, atomicfile.ErrNotRegular) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want ErrNotRegular with the path", path, err)
		}
	}
	if got := read(t, target); got != "mine" {
		t.Errorf("the target of a link was written: %q", got)
	}
	checkAlone(t, dir, "dangling", "folder", "link", "pipe", "target")
}

func TestFailuresChangeNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       error
	}{
		{"no folder", filepath.Join(dir, "none", "f"), fs.ErrNotExist},
		{"a file as folder", filepath.Join(path, "f"), syscall.ENOTDIR},
		{"too long a name", filepath.Join(dir, strings.Repeat("n", 300)), syscall.ENAMETOOLONG},
	} {
		if err := atomicfile.WriteFile(c.path, []byte("x"), 0); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	checkAlone(t, dir, "f")
	longest := filepath.Join(dir, strings.Repeat("n", 255))
	if err := atomicfile.WriteFile(longest, []byte("x"), 0); err != nil {
		t.Errorf("the longest name that the file system allows: %v", err)
	}
}

// A reader during any number of writes sees one of the contents, whole.
func TestReadersSeeWholeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	content := func(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%04d", i), 5000) }
	if err := atomicfile.WriteFile(path, content(0), 0); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			for i := range 30 {
				if err := atomicfile.WriteFile(path, content(2*i+w), 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		writers.Wait()
	}()
	for {
		got := read(t, path)
		if want := strings.Repeat(got[:min(4, len(got))], 5000); got != want {
			t.Fatalf("read a mixture of %d bytes", len(got))
		}
		select {
		case <-done:
			checkAlone(t, dir, "f")
			return
		default:
		}
	}
}
