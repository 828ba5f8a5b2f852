package target_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/gate/target"
	"github.com/google/go-cmp/cmp"
)

// history is one commit on main at origin, then branches.
func history(t *testing.T, format string) (world, string) {
	t.Helper()
	base := t.TempDir()
	origin := filepath.Join(base, "o.git")
	git(t, base, "init", "-q", "--bare", "--object-format="+format, "-b", "main", origin)
	own := filepath.Join(base, "own")
	git(t, base, "init", "-q", "--object-format="+format, "-b", "main", own)
	w := world{Repo: gitrepo.New(t, own, "main"), base: base}
	w.Git("remote", "add", "origin", origin)
	w.Write("one", "1\n")
	root := w.Commit("one")
	w.find(t)
	return w, root
}

// span checks Range and Paths of the first update of a push.
func (w *world) span(t *testing.T, line, base, tip string, paths ...string) {
	t.Helper()
	got, err := w.resolve(t, line)
	if err != nil || len(got) == 0 {
		t.Fatalf("%s: %v, %v", line, got, err)
	}
	b, e, err := target.Range(t.Context(), w.repo, got[0])
	if b != base || e != tip || err != nil {
		t.Errorf("%s: range %.8s..%.8s, %v, want %.8s..%.8s", line, b, e, err, base, tip)
	}
	list, err := target.Paths(t.Context(), w.repo, got[0])
	slices.Sort(list)
	if diff := cmp.Diff(paths, list); diff != "" || err != nil {
		t.Errorf("%s: paths %v (-want +got):\n%s", line, err, diff)
	}
}

// base1 is the one of two independent commits that git names first.
func (w *world) base1(t *testing.T, a, b string) string {
	t.Helper()
	first, _, _ := strings.Cut(w.Git("merge-base", "--independent", a, b), "\n")
	return first
}

func TestRange(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w, root := history(t, format)
			empty := gitx.EmptyTree(root)
			w.span(t, "git push origin main", empty, root, "one") // an empty remote
			w.Git("push", "-q", "-u", "origin", "main")
			w.span(t, "git push", root, root) // nothing new

			w.Git("checkout", "-q", "-b", "feat/ä")
			w.Write("two", "2\n")
			two := w.Commit("two")
			w.Write("three\nx", "3\n")
			three := w.Commit("three")
			w.span(t, "git push origin HEAD", root, three, "three\nx", "two")      // a new branch
			w.span(t, "git push origin HEAD~1:refs/heads/x", root, two, "two")     // a commit
			w.span(t, "git push origin HEAD:main", root, three, "three\nx", "two") // onto the default branch
			w.span(t, "git push https://example.test/x HEAD", root, three, "three\nx", "two")
			w.Git("tag", "-a", "-m", "t", "v1")
			w.span(t, "git push origin v1", root, three, "three\nx", "two")
			w.Git("push", "-q", "origin", "HEAD")
			w.span(t, "git push origin HEAD:refs/heads/copy", three, three) // known from another branch
			w.span(t, "git push origin v1", three, three)
			w.span(t, "git push origin HEAD:main", three, three) // main is behind, but nothing is new for the remote

			// Another one's work comes in by a merge: only the merge itself is new.
			w.Git("checkout", "-q", "main")
			w.Write("theirs", "4\n")
			theirs := w.Commit("theirs")
			w.Git("push", "-q", "origin", "main")
			w.Git("checkout", "-q", "-")
			w.Git("merge", "-q", "-m", "merge", "main")
			merge := w.Git("rev-parse", "HEAD")
			w.span(t, "git push origin HEAD", three, merge)
			w.Write("five", "5\n")
			five := w.Commit("five")
			w.span(t, "git push origin HEAD", three, five, "five")
			w.span(t, "git push origin HEAD:refs/heads/other", w.base1(t, theirs, three), five, "five")

			// Rebased and forced: what main has is not new.
			w.Git("checkout", "-q", "-B", "redo", "main")
			w.Write("six", "6\n")
			six := w.Commit("six")
			w.span(t, "git push -f origin HEAD:"+w.Git("rev-parse", "--abbrev-ref", "@{-1}"), theirs, six, "six")

			w.Git("checkout", "-q", "--orphan", "pages")
			w.Git("rm", "-rfq", ".")
			w.Write("index", "7\n")
			w.span(t, "git push origin pages", gitx.EmptyTree(root), w.Commit("pages"), "index")
			w.Git("tag", "blob", w.Git("rev-parse", "HEAD:index"))
			w.span(t, "git push origin blob", gitx.EmptyTree(root), w.Git("rev-parse", "blob"))
		})
	}
}

func TestRangeOfDeletionAndOfWhatIsMissing(t *testing.T) {
	t.Parallel()
	w, root := history(t, "sha1")
	if b, e, err := target.Range(t.Context(), w.repo, target.Update{Delete: true, RemoteRef: "refs/heads/x", RemoteOID: root}); b != "" || e != "" || err != nil {
		t.Errorf("deletion: %q %q %v", b, e, err)
	}
	if p, err := target.Paths(t.Context(), w.repo, target.Update{Delete: true, RemoteRef: "refs/heads/x"}); p != nil || err != nil {
		t.Errorf("deletion: %q %v", p, err)
	}
	none := strings.Repeat("1", 40)
	if _, _, err := target.Range(t.Context(), w.repo, target.Update{RemoteRef: "refs/heads/x", LocalOID: none}); err == nil {
		t.Error("a missing object has a range")
	}
	if b, e, err := target.Range(t.Context(), w.repo, target.Update{RemoteRef: "refs/heads/x", LocalOID: root, RemoteOID: none}); b != gitx.EmptyTree("") || e != root || err != nil {
		t.Errorf("remote commit not here: %q %q %v", b, e, err)
	}
}

func TestRangeOfManyBranches(t *testing.T) {
	t.Parallel()
	w, root := history(t, "sha1")
	w.Git("push", "-q", "origin", "main")
	var in strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&in, "%s refs/remotes/origin/b%d\n", root, i)
	}
	w.Write("new", "x")
	tip := w.Commit("new")
	packed := "# pack-refs with: peeled fully-peeled sorted \n" + in.String()
	w.Write(".git/packed-refs", packed)
	w.span(t, "git push origin HEAD:refs/heads/n", root, tip, "new")
}

func TestRewrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sha1")
	for line, want := range map[string]bool{
		"git push origin main":            false,
		"git push origin feat/b":          false,
		"git push origin tracked":         false,
		"git push origin :gone":           true,
		"git push origin feat/a:main":     false, // main is behind both
		"git push fork feat/a:on-fork -f": false,
		"git push origin tracked:tracked": false,
	} {
		got, err := w.resolve(t, line)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := target.Rewrites(t.Context(), w.repo, got[0]); r != want || err != nil {
			t.Errorf("%s: %t %v", line, r, err)
		}
	}
	w.Git("push", "-q", "origin", "main")
	got, err := w.resolve(t, "git push -f origin feat/a:main")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := target.Rewrites(t.Context(), w.repo, got[0]); !r || err != nil {
		t.Errorf("diverged: %t %v", r, err)
	}
	if r, _ := target.Rewrites(t.Context(), w.repo, target.Update{LocalOID: got[0].LocalOID, RemoteOID: strings.Repeat("1", 40)}); !r {
		t.Error("unknown remote commit: nothing is lost?")
	}
}
