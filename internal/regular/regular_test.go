package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/regular"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"good": "file", "bad": "pipe", "out": "/etc/hosts"} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]error{"file": nil, "good": nil, "pipe": regular.ErrNotRegular, "bad": regular.ErrNotRegular, ".": regular.ErrNotRegular, "none": fs.ErrNotExist} {
		for kind, read := range map[string]func() ([]byte, error){
			"path": func() ([]byte, error) { return regular.Read(at(name), 7) },
			"root": func() ([]byte, error) { return regular.ReadIn(root, name, 7) },
		} {
			data, err := read()
			if !errors.Is(err, want) || want == nil && (err != nil || string(data) != "content") {
				t.Errorf("%s, %s: %q, %v; want %v", name, kind, data, err, want)
			}
		}
	}
	if _, err := regular.Read(at("file"), 6); err == nil {
		t.Error("a file above the limit was read")
	}
	if _, err := regular.ReadIn(root, "out", 1<<20); err == nil {
		t.Error("a link out of the root was followed")
	}
}
