package trees_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// An acceptance check may write the whole tree. When it has put something in the place of a region's folder, or of one above it, that
// is seen, nothing is committed through it, and both Begin and a new process put it right, with what was there saved.
func TestFoldersThatACheckHasMoved(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"link out of the tree":         "mv a/m moved; ln -s $MINE a/m",
		"link to another region":       "mv a/m moved; ln -s ../other a/m",
		"link in the place of another": "mv a moved; ln -s $MINE a",
		"file":                         "mv a/m moved; echo x >a/m",
		"pipe":                         "mv a/m moved; mkfifo a/m",
		"gone":                         "mv a moved",
	} {
		for _, again := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := files(t, map[string]string{"a/m/x": "x\n", "other/y": "y\n"})
				mine := t.TempDir()
				if err := errors.Join(os.Mkdir(filepath.Join(mine, "m"), 0o755), os.WriteFile(filepath.Join(mine, "m", "x"), []byte("mine"), 0o644), os.WriteFile(filepath.Join(mine, "x"), []byte("mine"), 0o644)); err != nil {
					t.Fatal(err)
				}
				tree := b.region("r", "a/m")
				start := b.begin("r")
				sh(t, tree.Root, "echo work >a/m/work")
				if ok, err := b.tr.Stands("r"); err != nil || !ok {
					t.Fatalf("good tree stands: %v, %v", ok, err)
				}
				sh(t, tree.Root, "MINE="+mine+"; "+script)
				if ok, err := b.tr.Stands("r"); err != nil || ok {
					t.Errorf("stands: %v, %v", ok, err)
				}
				if name != "gone" {
					var refused *trees.RefusedError
					if commit, _, err := b.tr.Commit(t.Context(), "r", trees.Message{Subject: "s"}); !errors.As(err, &refused) {
						t.Errorf("committed as %s, %v", commit, err)
					}
				}
				if again {
					b.reopen()
					b.region("r", "a/m")
				}
				if got := b.begin("r"); got != start {
					t.Errorf("begins at %s, want %s", got, start)
				}
				if ok, err := b.tr.Stands("r"); err != nil || !ok {
					t.Errorf("after Begin it stands: %v, %v", ok, err)
				}
				if out := b.outside("r"); len(out) > 0 {
					t.Errorf("outside: %q", out)
				}
				saved := b.repo.Git("for-each-ref", "--format=%(refname)", "refs/devflock/wip")
				if saved == "" || !strings.Contains(b.repo.Git("log", "-p", "--format=%s", strings.Fields(saved)[0]), "+work") {
					t.Errorf("the work is not saved: %q", saved)
				}
				for _, path := range []string{"x", "m/x"} {
					if text, err := os.ReadFile(filepath.Join(mine, path)); err != nil || string(text) != "mine" {
						t.Errorf("the person's %s holds %q, %v", path, text, err)
					}
				}
				if left, err := filepath.Glob(filepath.Join(mine, "*")); err != nil || len(left) != 2 {
					t.Errorf("the person's folder holds %q, %v", left, err)
				}
			})
		}
	}
}
