package tdd_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/tdd"
)

func TestKeptIndexIsUsedWhileItIsFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("src/deep/user.py", "def name():\n    return 1\n")
	write("checks/tests/unit/test_user.py", "from src.deep.user import name\n\ndef test_name():\n    assert name() == 1\n")
	kept, loads, saves := "", 0, 0
	find := func() bool {
		f := tdd.NewFinder(dir)
		f.KeepIndex(func() string { loads++; return kept }, func(s string) { saves++; kept = s })
		_, ok, err := f.Find("src/deep/user.py")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !find() || saves != 1 {
		t.Fatalf("first search: %d saves, want the test found and 1 save", saves)
	}
	if !find() || saves != 1 || loads != 2 {
		t.Errorf("second search: %d loads, %d saves, want 2 and 1: the kept index is fresh", loads, saves)
	}
	write("checks/tests/unit/test_other.py", "def test_x():\n    assert 1 == 2\n")
	if !find() || saves != 2 {
		t.Errorf("after a new test file: %d saves, want 2: the kept index is stale", saves)
	}
	kept = "tdd-index 1 nonsense"
	if !find() || saves != 3 {
		t.Errorf("with a broken index: %d saves, want 3", saves)
	}
}
