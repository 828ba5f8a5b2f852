package binaries_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install/binaries"
	"github.com/devflow-suite/devflow/install/target"
)

// build makes a folder with the given executables.
func build(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPlanNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := build(t, binaries.Required()[2:]...)
	_, err := binaries.Plan(dir, t.TempDir())
	var missing *binaries.MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("Plan = %v, want a MissingError", err)
	}
	if diff := cmp.Diff(&binaries.MissingError{Dir: dir, Names: binaries.Required()[:2]}, missing); diff != "" {
		t.Error(diff)
	}
}

func TestPlanSeesWhatIsThere(t *testing.T) {
	t.Parallel()
	from := build(t, binaries.All()...)
	link := filepath.Join(t.TempDir(), "link")
	mixed := build(t, "devflow", "devflow-stop", "devflock")
	err := errors.Join(os.Symlink(from, link), os.Chmod(filepath.Join(mixed, "devflock"), 0o644),
		os.WriteFile(filepath.Join(mixed, "devflow-stop"), []byte("other"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		to   string
		same int
	}{
		"one folder": {from, len(binaries.All())}, "over a link": {link, len(binaries.All())},
		"nothing": {filepath.Join(t.TempDir(), "new"), 0}, "equal, other bytes, not executable": {mixed, 1},
	} {
		steps, err := binaries.Plan(from, tt.to)
		if err != nil || len(steps) != len(binaries.All()) {
			t.Fatalf("%s: Plan = %d steps, %v", name, len(steps), err)
		}
		same := 0
		for _, s := range steps {
			if s.Same {
				same++
			}
		}
		if same != tt.same {
			t.Errorf("%s: %d are the same, want %d", name, same, tt.same)
		}
	}
}

func TestCopyWritesWhatPlanSaw(t *testing.T) {
	t.Parallel()
	from, to := build(t, binaries.Required()...), t.TempDir()
	steps, err := binaries.Plan(from, to)
	if err != nil {
		t.Fatal(err)
	}
	if err := steps[0].Copy(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(steps[0].To); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the copy: %v, %v", info, err)
	}
	if err := os.WriteFile(steps[1].From, []byte("rebuilt"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := steps[1].Copy(); !errors.Is(err, target.ErrChanged) {
		t.Errorf("Copy of another build = %v, want ErrChanged", err)
	}
	if _, err := os.Lstat(steps[1].To); err == nil {
		t.Error("another build was copied")
	}
}
