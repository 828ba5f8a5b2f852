package place_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/place"
)

func none(string) string { return "" }

func TestSocketsAreShortAndPrivate(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("x", 60)
	for _, runtime := range []string{"", long, "relative", "/run/user/1000"} {
		p := place.Of(strings.Repeat("/deep", 40), "20300101-000000-abcd")
		got := p.ControlSocket(func(string) string { return runtime })
		if len(got) > 100 {
			t.Errorf("XDG_RUNTIME_DIR=%q: %s has %d bytes", runtime, got, len(got))
		}
		if strings.HasPrefix(got, "/run/user/1000/") != (runtime == "/run/user/1000") {
			t.Errorf("XDG_RUNTIME_DIR=%q gives %s", runtime, got)
		}
	}
}

func TestMakeSocketsRefusesAFolderOfOthers(t *testing.T) {
	t.Parallel()
	base, err := os.MkdirTemp("", "df") // t.TempDir would be too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	runtime := func(string) string { return base }
	p := place.Of("/root", "r")
	dir, err := p.MakeSockets(runtime)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := p.MakeSockets(runtime); err != nil || again != dir {
		t.Errorf("again: %q, %v", again, err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := p.MakeSockets(runtime); !errors.Is(err, place.ErrUnsafe) {
		t.Errorf("folder that others may write: %v", err)
	}
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.MakeSockets(runtime); !errors.Is(err, place.ErrUnsafe) {
		t.Errorf("symbolic link: %v", err)
	}
}

func TestPlacesOfARun(t *testing.T) {
	t.Parallel()
	p := place.Of(t.TempDir(), "r")
	if err := p.Make(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range []string{p.Endpoints(), p.Lock(), p.Log(), p.Trees(), p.Home("a"), p.Home("b"), p.Checks(), p.Evidence(), p.Record("a"), p.Sockets(none)} {
		if seen[path] {
			t.Errorf("%s twice", path)
		}
		seen[path] = true
	}
}

// The client refuses to write below some folders, whatever it is allowed: the default root lies below one of them.
func TestTreesLieWhereTheClientWrites(t *testing.T) {
	t.Parallel()
	for root, want := range map[string]string{
		"/home/me/.claude/devflow":       "/home/me/.devflock/r",
		"/home/me/.Claude/devflow":       "/home/me/.devflock/r",
		"/home/me/app/.vscode/x/.git/df": "/home/me/app/.devflock/r",
		"/.claude/devflow":               "/.devflock/r",
		"/srv/devflow":                   "/srv/devflow/flock/r/trees",
		"/home/me/.claude2/devflow":      "/home/me/.claude2/devflow/flock/r/trees",
	} {
		if got := place.Of(root, "r").Trees(); got != want {
			t.Errorf("below %s: %s, want %s", root, got, want)
		}
	}
}

func TestClearLeavesNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p, other := place.Of(filepath.Join(home, ".claude", "devflow"), "r"), place.Of(filepath.Join(home, ".claude", "devflow"), "s")
	for _, dir := range []string{p.Checks(), p.Trees(), filepath.Join(other.Trees(), "core")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(other.Trees(), "core", "a"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := other.Size(); got != 5 {
		t.Errorf("size = %d, want that of the trees", got)
	}
	for _, p := range []place.Place{p, other} {
		if err := p.Clear(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(other.Trees(), "core", "a")); err != nil {
		t.Errorf("a tree that nobody removed is gone: %v", err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(other.Trees(), "core")), other.Clear()); err != nil {
		t.Error(err)
	}
	for _, gone := range []string{p.Dir, filepath.Dir(p.Trees())} {
		if _, err := os.Lstat(gone); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", gone, err)
		}
	}
}
