package trees_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a worker leaves in its folder, the tree can be looked at, what is left over saved, and the next task begun; the worker is
// told what cannot be committed.
func TestFilesThatGitCannotTake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, want string }{
		"of terabytes":                     {"truncate -s 4T m/big; echo w >m/work", "m/big (the largest changed file, of 4398046511104 bytes"},
		"large together":                   {"for i in 1 2 3 4 5; do truncate -s 500M m/big$i; done; echo w >m/work", "m/big"},
		"large in a repository":            {"git init -q m/n; truncate -s 4T m/n/big; echo w >m/work", "m/n"},
		"deeper than a path can be":        {`echo w >m/work; cd m; for i in $(seq 300); do mkdir dddddddddddddddddd; cd -P dddddddddddddddddd; done; echo x >leaf`, "m/dddddddddddddddddd (paths in it are too long)"},
		"deeper, beside others":            {`mkdir m/o; echo w >m/o/work; cd m/o; for i in $(seq 300); do mkdir dddddddddddddddddd; cd -P dddddddddddddddddd; done; echo x >leaf`, "m/o (paths in it are too long)"},
		"deep and a change of what was it": {`echo w >>m/x; mkdir m/o; cd m/o; for i in $(seq 300); do mkdir dddddddddddddddddd; cd -P dddddddddddddddddd; done`, "m/o (paths in it are too long)"},
	} {
		for _, again := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := files(t, map[string]string{"m/x": "x\n", "other/y": "y\n"})
				tree := b.region("r", "m")
				start := b.begin("r")
				sh(t, tree.Root, c.script)
				if out := b.outside("r"); len(out) == 0 || !strings.HasPrefix(out[0], c.want) {
					t.Errorf("outside: %q, want %q", out, c.want)
				}
				if again {
					b.reopen()
					b.region("r", "m")
				}
				if got := b.begin("r"); got != start {
					t.Errorf("begins at %s, want %s", got, start)
				}
				if out := b.outside("r"); len(out) > 0 {
					t.Errorf("after Begin outside is %q", out)
				}
				if left, err := filepath.Glob(filepath.Join(tree.Root, "m", "*")); err != nil || len(left) != 1 {
					t.Errorf("after Begin the folder holds %q, %v", left, err)
				}
				saved := strings.Fields(b.repo.Git("for-each-ref", "--format=%(refname)", "refs/devflock/wip"))
				if len(saved) != 1 || !strings.Contains(b.repo.Git("log", "-p", "--format=%s", saved[0]), "+w") {
					t.Errorf("saved: %q", saved)
				}
				if err := b.tr.Remove(t.Context()); err != nil {
					t.Error(err)
				}
				if _, err := os.Lstat(tree.Root); err == nil {
					t.Error("the tree is still there")
				}
			})
		}
	}
}

// A large file of the project itself is none of the worker's: it stays as it is when leftovers are saved.
func TestLargeFilesOfTheProjectStay(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n", "big": strings.Repeat("0123456789abcdef", 1<<17)})
	tree := b.region("r", "m")
	b.begin("r")
	sh(t, tree.Root, "for i in 1 2; do truncate -s 1500M m/big$i; done; head -c 3000000 /dev/zero >m/small")
	ref, err := b.tr.Discard(t.Context(), "r", "left")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.repo.Git("diff", "--name-status", "main", ref); got != "A\tm/big1\nA\tm/big2\nA\tm/small" {
		t.Errorf("saved: %s", got)
	}
	if got := b.repo.Git("cat-file", "-p", ref+":m/big2"); got != "A file of 1572864000 bytes was here, too large to be saved." {
		t.Errorf("in its place: %.100q", got)
	}
	if got := b.repo.Git("cat-file", "-s", ref+":m/small"); got != "3000000" {
		t.Errorf("the small one has %s bytes", got)
	}
}
