package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/merge"
)

// text draws a file of few different lines, so that lines repeat.
func text(rt *rapid.T, base []string, label string) []string {
	out := slices.Clone(base)
	for range rapid.IntRange(0, 4).Draw(rt, "edits "+label) {
		at := rapid.IntRange(0, len(out)).Draw(rt, "at")
		switch rapid.IntRange(0, 2).Draw(rt, "how") {
		case 0:
			n := min(rapid.IntRange(1, 3).Draw(rt, "remove"), len(out)-at)
			out = slices.Delete(out, at, at+n)
		default:
			out = slices.Insert(out, at, rapid.SliceOfN(rapid.SampledFrom([]string{"}", "{", "a", "b", "", "return"}), 1, 3).Draw(rt, "insert")...)
		}
	}
	return out
}

// TestEveryCleanMergeIsProven: what git merges without a conflict is never called lossy, whatever lines repeat; and a result without
// one of its new lines always is.
func TestEveryCleanMergeIsProven(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, filepath.Join(t.TempDir(), "repo"), "main")
	s, err := merge.Open(merge.Options{Dir: filepath.Join(t.TempDir(), "objects.git"), CommonDir: r.Path(".git"), Format: "sha1", Identity: git.Own()})
	if err != nil {
		t.Fatal(err)
	}
	clean := 0
	rapid.Check(t, func(rt *rapid.T) {
		base := rapid.SliceOfN(rapid.SampledFrom([]string{"}", "{", "a", "b", "c", "d", "", "x", "y", "z"}), 0, 25).Draw(rt, "base")
		files := [3][]string{base, text(rt, base, "ours"), text(rt, base, "theirs")}
		var commits, blobs [3]string
		for i, lines := range files {
			blobs[i] = feed(t, r.Dir, strings.Join(lines, "\n"), "hash-object", "-w", "--stdin")
			tree := feed(t, r.Dir, "100644 blob "+blobs[i]+"\tf\n", "mktree")
			args := []string{"commit-tree", "-m", fmt.Sprint(i), tree}
			if i > 0 {
				args = append(args, "-p", commits[0])
			}
			commits[i] = feed(t, r.Dir, "", args...)
		}
		m, err := s.Merge(t.Context(), commits[1], []string{commits[2]})
		var conflict *merge.ConflictError
		if errors.As(err, &conflict) {
			return
		}
		if err != nil {
			rt.Fatalf("base %q, ours %q, theirs %q: %v", files[0], files[1], files[2], err)
		}
		clean++
		got := feed(t, r.Dir, "", "show", m.Tree+":f")
		var patches [2][]byte
		for i := range patches {
			patches[i] = []byte(feed(t, r.Dir, "", "diff", "--text", "--diff-algorithm=histogram", "--no-indent-heuristic", "-U1", blobs[0], blobs[i+1]))
		}
		lines := strings.Split(got, "\n")
		if got == "" {
			return
		}
		at := rapid.IntRange(0, len(lines)-1).Draw(rt, "dropped")
		less := strings.Join(slices.Delete(slices.Clone(lines), at, at+1), "\n")
		missing, err := merge.Lost([]byte(strings.Join(base, "\n")), patches[0], patches[1], []byte(less))
		if err != nil {
			rt.Fatal(err)
		}
		if len(missing) == 0 && len(files[1]) > 0 && len(files[2]) > 0 {
			rt.Fatalf("line %q of %q can go unseen: base %q, ours %q, theirs %q", lines[at], lines, files[0], files[1], files[2])
		}
	})
	if clean == 0 {
		t.Error("no merge was clean: nothing was shown")
	}
}

func feed(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a",
	}
	cmd.Stdin = strings.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && args[0] == "diff") {
		t.Fatalf("git %q: %v: %s", args, err, errs.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func TestKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a", "A", true}, {"caf\u00e9", "CAFE\u0301", true}, {"straße", "STRASSE", true}, {"ς", "Σ", true}, {"a", "b", false},
		{"\xff", "\xfe", false}, {"A\xff", "a\xff", true}, {"", "", true},
	} {
		if got := merge.Key(c.a) == merge.Key(c.b); got != c.same {
			t.Errorf("%q and %q: same = %v", c.a, c.b, got)
		}
	}
}

func FuzzParsers(f *testing.F) {
	f.Add([]byte("@@ -1,2 +1,3 @@\n a\n-b\n+c\n\\ No newline at end of file\n"))
	f.Add([]byte(":100644 000000 aaaa bbbb D\x00p\x00:100644 100644 a b R100\x00x\x00y\x00rest"))
	f.Add([]byte("100644 name\x0001234567890123456789"))
	f.Add([]byte("@@ -99999999999999999999 @@ x\n-\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := merge.ParseHunks(data); err == nil && n > len(data) {
			t.Errorf("%d hunks in %d bytes", n, len(data))
		}
		if n, rest, err := merge.ParseRaw(data); err == nil && (n > len(data) || !bytes.HasSuffix(data, rest)) {
			t.Errorf("%d entries, rest %q", n, rest)
		}
		for _, hash := range []int{20, 32} {
			if names, err := merge.TreeNames(data, hash); err == nil && len(names)*(hash+1) > len(data)+hash {
				t.Errorf("%d names in %d bytes", len(names), len(data))
			}
		}
		if _, err := merge.Lost(data, data, data, data); err != nil {
			return
		}
		merge.Key(string(data))
	})
}
