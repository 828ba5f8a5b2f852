package matter_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/matter"
)

func verdictOf(c *judge.Case) (judge.Outcome, string) {
	v := judge.Evaluate(context.Background(), c, evidence.ByHand()...)
	var b strings.Builder
	for _, r := range v.Reasons {
		b.WriteString(r.String() + "\n")
	}
	return v.Outcome, b.String()
}

// A patch that does not show what went is no pass: nobody saw it.
func TestPatchWithoutContent(t *testing.T) {
	t.Parallel()
	const harmless = "diff --git a/notes.md b/notes.md\n--- a/notes.md\n+++ b/notes.md\n@@ -1 +1 @@\n-a\n+b\n"
	for name, tt := range map[string]struct {
		patch string
		want  judge.Outcome
	}{
		"a deleted test":            {"diff --git a/calc_test.go b/calc_test.go\ndeleted file mode 100644\nindex 1234567..0000000\n", judge.Error},
		"… beside something seen":   {"diff --git a/calc_test.go b/calc_test.go\ndeleted file mode 100644\nindex 1234567..0000000\n" + harmless, judge.Error},
		"a test under another name": {"diff --git a/calc_test.go b/calc_test.go.txt\nsimilarity index 100%\nrename from calc_test.go\nrename to calc_test.go.txt\n" + harmless, judge.Error},
		"code that became a link":   {"diff --git a/calc.go b/calc.go\nold mode 100644\nnew mode 120000\n", judge.Error},
		"an empty new file":         {"diff --git a/pkg/__init__.py b/pkg/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n" + harmless, judge.Pass},
	} {
		c, err := matter.OfPatch([]byte(tt.patch))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, text := verdictOf(c); got != tt.want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, tt.want, text)
		}
	}
}

// What git cannot give is no pass and no mere warning.
func TestBrokenRepositories(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		harm func(t *testing.T, r gitrepo.Repo)
	}{
		"the base's text is damaged": {func(t *testing.T, r gitrepo.Repo) {
			oid := r.Git("rev-parse", "HEAD:calc_test.py")
			file := filepath.Join(r.Dir, ".git", "objects", oid[:2], oid[2:])
			if err := os.Chmod(file, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("nothing of the kind"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		"the base's text is gone": {func(t *testing.T, r gitrepo.Repo) {
			oid := r.Git("rev-parse", "HEAD:calc_test.py")
			if err := os.Remove(filepath.Join(r.Dir, ".git", "objects", oid[:2], oid[2:])); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gitrepo.New(t, t.TempDir(), "main")
			r.Write("calc.py", "def add(a, b):\n    return a + b\n")
			r.Write("calc_test.py", "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")
			r.Commit("base")
			r.Write("calc_test.py", "from calc import add\n\n\ndef test_add():\n    add(1, 2)\n")
			tt.harm(t, r)
			repo, err := gitx.Find(r.Dir)
			if err != nil {
				t.Fatal(err)
			}
			c, err := matter.WorkTree(context.Background(), repo, t.TempDir(), repo.Head())
			if err != nil {
				return // said by the caller, exit 1
			}
			if got, text := verdictOf(c); got != judge.Error && got != judge.Fail {
				t.Errorf("%s:\n%s", got, text)
			}
		})
	}
}
