package guard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// What is written counts, and what was there before is no news. A test may build a made-up key from pieces, code may not.
func TestSecretsInFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	head, tail := "ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8"
	key := head + tail
	pieces := "token = \"" + head + "\" + \"" + tail + "\"\n"
	if err := os.WriteFile(filepath.Join(dir, "old.py"), []byte("T = '"+key+"'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	scene := guard.Scene{World: place.World{Home: "/home/dev", Project: dir, Cwd: dir}}
	for _, c := range []struct {
		name string
		file guard.File
		want verdict.Decision
	}{
		{"a key", guard.File{Path: "src/a.py", Content: "T = '" + key + "'\n", Whole: true}, verdict.Deny},
		{"a key in a test", guard.File{Path: "tests/test_a.py", Content: "T = '" + key + "'\n", Whole: true}, verdict.Deny},
		{"a key in a document", guard.File{Path: "docs/a.md", Content: "use " + key + "\n", Whole: true}, verdict.Deny},
		{"pieces", guard.File{Path: "src/a.py", Content: pieces, Whole: true}, verdict.Deny},
		{"pieces in a test", guard.File{Path: "tests/test_a.py", Content: pieces, Whole: true}, verdict.Pass},
		{"an edit that brings it", guard.File{Path: "src/a.py", Edits: []guard.Edit{{Old: "x", New: key}}}, verdict.Deny},
		{"an edit beside it", guard.File{Path: "src/a.py", Edits: []guard.Edit{{Old: "a = '" + key + "'", New: "b = '" + key + "'"}}}, verdict.Pass},
		{"a file that held it", guard.File{Path: "old.py", Content: "# moved\nT = '" + key + "'\n", Whole: true}, verdict.Pass},
		{"a documented key", guard.File{Path: "src/a.py", Content: "AWS = 'AKIA" + "IOSFODNN7EXAMPLE'\n", Whole: true}, verdict.Pass},
		{"prose", guard.File{Path: "a.md", Content: "Please review the password policy: update it\n", Whole: true}, verdict.Pass},
	} {
		c.file.Path = filepath.Join(dir, filepath.FromSlash(c.file.Path))
		found := c.file.Check(scene)
		if got := verdict.Worst(found); got != c.want {
			t.Errorf("%s: %v, want %v: %+v", c.name, got, c.want, found)
		}
	}
}
