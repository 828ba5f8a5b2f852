package trees_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// sides makes two commits on one base with shell scripts, and gives a bench with ours as its tip.
func sides(t *testing.T, base map[string]string, ours, theirs string) (b *bench, our, their string) {
	t.Helper()
	r := gitrepo.New(t, filepath.Join(t.TempDir(), "repo"), "main")
	r.Write("keep", "keep\n")
	for path, text := range base {
		r.Write(path, text)
	}
	r.Commit("base")
	commit := func(branch, script string) string {
		r.Git("checkout", "-q", "-B", branch, "main")
		sh(t, r.Dir, script)
		return r.Commit(branch)
	}
	our, their = commit("ours", ours), commit("theirs", theirs)
	r.Git("checkout", "-q", "main")
	return open(t, r, r.Dir), our, their
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestMergesThatFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, ours, theirs string
		want               map[string]string // path → content; "" = gone
	}{
		{"different files", "echo a >a", "echo b >b", map[string]string{"a": "a", "b": "b"}},
		{"different ends of one file", "sed -i '1i top' f", "echo end >>f", map[string]string{"f": "top\n" + lines(20) + "end"}},
		{"the same change twice", "sed -i 's/line 3/LINE 3/' f", "sed -i 's/line 3/LINE 3/; s/line 15/LINE 15/' f", nil},
		{"the same new line at two places", "sed -i '1i }' f", "sed -i '15i }' f", nil},
		{"renamed here, changed there", "git mv f moved", "echo end >>f", map[string]string{"f": "", "moved": lines(20) + "end"}},
		{"changed here, renamed there", "echo end >>f", "mkdir d; git mv f d/f", map[string]string{"f": "", "d/f": lines(20) + "end"}},
		{"folder renamed here, new file there", "git mv dir dir2", "echo n >dir/n", map[string]string{"dir/n": "n", "dir2/x": lines(9)}},
		{"deleted here, untouched there", "rm f", "echo b >b", map[string]string{"f": "", "b": "b"}},
		{"mode here, text there", "chmod +x f", "echo end >>f", map[string]string{"f": lines(20) + "end"}},
		{"the same new file", "echo n >n", "echo n >n", map[string]string{"n": "n"}},
		{"no end of line", "printf 'top\\n' | cat - f >g; mv g f", "printf end >>f", nil},
		{"the same lines removed, and more", "sed -i '/line 3$/d' f", "sed -i '/line 3$/d; /line 12$/d' f", nil},
		{"carriage returns", "sed -i '1i top\\r' f", "printf 'end\\r\\n' >>f", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, our, their := sides(t, map[string]string{"f": lines(20), "dir/x": lines(9)}, c.ours, c.theirs)
			before := shoot(t, b.repo.Dir)
			m, err := b.tr.Merge(t.Context(), our, []string{their})
			if err != nil {
				t.Fatal(err)
			}
			other, err := b.tr.Merge(t.Context(), their, []string{our})
			if err != nil || other.Tree != m.Tree {
				t.Errorf("the other way round: %+v, %v, want tree %s", other, err, m.Tree)
			}
			if got := b.repo.Git("rev-parse", m.Commit+"^1", m.Commit+"^2", m.Commit+"^{tree}"); got != our+"\n"+their+"\n"+m.Tree {
				t.Errorf("parents and tree = %q", got)
			}
			for path, want := range c.want {
				if want == "" {
					if got := b.repo.Git("ls-tree", m.Tree, path); got != "" {
						t.Errorf("%s is there", path)
					}
				} else if got := b.repo.Git("show", m.Tree+":"+path); got != strings.TrimSuffix(want, "\n") {
					t.Errorf("%s = %q, want %q", path, got, want)
				}
			}
			before.same(t, b.repo.Dir)
		})
	}
}

func TestMergesThatDoNotFit(t *testing.T) {
	t.Parallel()
	attributes := "*.lock -merge\n*.gen merge=ours\n"
	for _, c := range []struct {
		name, ours, theirs string
		paths              []string
		text               string
	}{
		{"two blocks after the same line", "sed -i '/line 3$/a ours' f", "sed -i '/line 3$/a theirs' f", []string{"f"}, "CONFLICT"},
		{"changed and deleted", "echo end >>f", "rm f", []string{"f"}, "CONFLICT"},
		{"renamed to two names", "git mv f g", "git mv f h", []string{"f", "g", "h"}, "CONFLICT"},
		{"new here and there", "echo a >n", "echo b >n", []string{"n"}, "CONFLICT"},
		{"file here, folder there", "echo a >n", "mkdir n; echo b >n/x", nil, "CONFLICT"},
		{"binary", "printf 'a\\0' >bin", "printf 'b\\0' >bin", []string{"bin"}, "CONFLICT"},
		{"link and file", "rm f; ln -s keep f", "echo end >>f", nil, "CONFLICT"},
		{"marked as not mergeable", "sed -i '1i top' p.lock", "echo end >>p.lock", []string{"p.lock"}, "attributes"},
		{"a merge driver", "sed -i '1i top' p.gen", "echo end >>p.gen", []string{"p.gen"}, `driver "ours"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, our, their := sides(t, map[string]string{"f": lines(20), "bin": "x\x00y", "p.lock": lines(20), "p.gen": lines(20), ".gitattributes": attributes}, c.ours, c.theirs)
			b.repo.Git("config", "merge.ours.driver", "true")
			_, err := b.tr.Merge(t.Context(), our, []string{their})
			var conflict *trees.ConflictError
			if !errors.As(err, &conflict) {
				t.Fatalf("err = %v, want a conflict", err)
			}
			slices.Sort(conflict.Paths)
			if conflict.Commit != their || c.paths != nil && !slices.Equal(conflict.Paths, c.paths) || len(conflict.Paths) == 0 || !strings.Contains(conflict.Text, c.text) {
				t.Errorf("conflict = %+v", conflict)
			}
		})
	}
}

func TestPathsThatAreOneElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, ours, theirs, a, b string }{
		{"letter case of a file", "mkdir docs; echo a >docs/AGENTS.md", "mkdir docs; echo b >docs/agents.md", "docs/AGENTS.md", "docs/agents.md"},
		{"letter case of a folder", "mkdir Docs; echo a >Docs/a", "mkdir docs; echo b >docs/b", "Docs", "docs"},
		{"letter case beyond ASCII", "echo a >STRASSE", "echo b >straße", "STRASSE", "straße"},
		{"Unicode form", "echo a >$(printf 'caf\\303\\251')", "echo b >$(printf 'cafe\\314\\201')", "caf\u00e9", "cafe\u0301"},
		{"file and folder", "echo a >NAME", "mkdir name; echo b >name/x", "NAME", "name"},
		{"with the base", "echo a >other", "echo b >Keep", "keep", "Keep"},
		{"both from one side", "true", "echo a >x; echo b >X", "X", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, our, their := sides(t, nil, c.ours, c.theirs)
			_, err := b.tr.Merge(t.Context(), our, []string{their})
			var collision *trees.CollisionError
			if !errors.As(err, &collision) || collision.A != c.a || collision.B != c.b || collision.Commit != their {
				t.Errorf("err = %v, want %q and %q", err, c.a, c.b)
			}
		})
	}
	// what a project has already is its own business, and names that are no text differ
	b, our, their := sides(t, map[string]string{"x": "1\n", "X": "2\n", "\xff": "3\n"}, "echo a >a", "echo b >b; echo c >$(printf '\\376'); echo 2 >>X")
	if _, err := b.tr.Merge(t.Context(), our, []string{their}); err != nil {
		t.Error(err)
	}
	// a commit that stands on the tip is looked at too
	if _, err := b.tr.Merge(t.Context(), b.tr.Base(), []string{commitOf(b, "echo k >KEEP")}); err == nil {
		t.Error("a collision on top of the tip was not found")
	}
}

func commitOf(b *bench, script string) string {
	b.t.Helper()
	b.repo.Git("checkout", "-q", "--detach", "main")
	sh(b.t, b.repo.Dir, script)
	c := b.repo.Commit("more")
	b.repo.Git("checkout", "-q", "main")
	return c
}

func TestACommitThatIsThereAlreadyIsPassedOver(t *testing.T) {
	t.Parallel()
	b, our, their := sides(t, nil, "echo a >a", "echo b >b")
	base := b.tr.Base()
	m, err := b.tr.Merge(t.Context(), base, []string{our})
	if err != nil || m.Commit != our {
		t.Errorf("on top of the tip: %+v, %v", m, err)
	}
	if m, err = b.tr.Merge(t.Context(), our, []string{their, base, our, their}); err != nil {
		t.Fatal(err)
	}
	again, err := b.tr.Merge(t.Context(), m.Commit, []string{our, their})
	if err != nil || again != m {
		t.Errorf("again: %+v, %v, want %+v", again, err, m)
	}
	child := commitOf(b, "git reset -q --hard "+their+"; echo c >c")
	if m, err = b.tr.Merge(t.Context(), our, []string{child, their}); err != nil || b.repo.Git("rev-list", "--count", "--merges", m.Commit) != "1" {
		t.Errorf("a commit and its parent: %+v, %v", m, err)
	}
	orphan := b.repo.Git("commit-tree", "-m", "alone", m.Tree)
	var conflict *trees.ConflictError
	if _, err := b.tr.Merge(t.Context(), our, []string{orphan}); !errors.As(err, &conflict) || !strings.Contains(conflict.Text, "no history in common") {
		t.Errorf("unrelated: %v", err)
	}
	if held, err := b.tr.Contains(t.Context(), m.Commit, their); err != nil || !held {
		t.Errorf("contains = %v, %v", held, err)
	}
	if held, err := b.tr.Contains(t.Context(), our, their); err != nil || held {
		t.Errorf("contains = %v, %v", held, err)
	}
	patch, err := b.tr.Diff(t.Context(), our, m.Commit)
	if err != nil || !strings.Contains(string(patch), "+++ b/c\n") {
		t.Errorf("diff = %q, %v", patch, err)
	}
}

// TestAMergeThatLosesALineIsRefused has a git whose merge takes one side only, as `-X theirs` would.
func TestAMergeThatLosesALineIsRefused(t *testing.T) {
	t.Parallel()
	const lossy = `#!/bin/sh
for last; do :; done
case "$*" in
*merge-tree*) printf '%s\0' "$(GIT rev-parse "$last^{tree}")" ;;
*) exec GIT "$@" ;;
esac
`
	for _, c := range []struct{ name, ours, theirs, want string }{
		{"a file of the other side", "echo a >a", "echo b >b", `"a": the merged file is not what`},
		{"a change of the other side", "echo end >>f", "echo b >b", `"f": the merged file is not what`},
		{"a line in a file of both", "echo end >>f", "sed -i '1i top' f", `"f": 1 lines would be lost`},
		{"one brace of two", "sed -i '1i }' f", "echo } >>f", `"f": 1 lines would be lost`},
		{"a mode", "chmod +x f; echo end >>f", "sed -i '1i top' f", `"f": the merged file has mode`},
		{"a change of a renamed file", "echo end >>f", "git mv f g", `"g": the merged file is not what`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, our, their := sides(t, map[string]string{"f": lines(20)}, c.ours, c.theirs)
			said := drivenBy(t, lossy, b.repo.Dir, "TREES_MERGE="+our+" "+their)
			if !strings.Contains(said, "LostError") || !strings.Contains(said, c.want) {
				t.Errorf("said %q, want %q", said, c.want)
			}
		})
	}
}

func TestAdvanceComparesAndSwaps(t *testing.T) {
	t.Parallel()
	b, our, their := sides(t, nil, "echo a >a", "echo b >b")
	base := b.tip()
	if err := b.tr.Advance(t.Context(), base, our); err != nil {
		t.Fatal(err)
	}
	if err := b.tr.Advance(t.Context(), base, our); err != nil {
		t.Errorf("a repeated one: %v", err)
	}
	if err := b.tr.Advance(t.Context(), base, their); !errors.Is(err, trees.ErrMoved) {
		t.Errorf("err = %v, want ErrMoved", err)
	}
	if b.tip() != our {
		t.Error("the tip has moved")
	}
	elsewhere := filepath.Join(t.TempDir(), "look")
	b.repo.Git("worktree", "add", "-q", elsewhere, "devflock/r1/integration")
	err := b.tr.Advance(t.Context(), our, their)
	refused(t, err, "checked out in "+elsewhere, "switch --detach")
	b.repo.Git("-C", elsewhere, "switch", "-q", "--detach")
	if err := b.tr.Advance(t.Context(), our, their); err != nil {
		t.Error(err)
	}
	b.repo.Git("update-ref", "-d", "refs/heads/devflock/r1/integration")
	if err := b.tr.Advance(t.Context(), their, our); !errors.Is(err, trees.ErrMoved) {
		t.Errorf("err = %v, want ErrMoved", err)
	}
}

func TestFinishLeavesAPersonsCheckoutAlone(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n"})
	b.repo.Git("branch", trees.Final)
	b.repo.Git("checkout", "-q", trees.Final)
	b.repo.Write("m/y", "the person's own\n")
	own := b.repo.Commit("own")
	tree := b.region("m", "m")
	b.begin("m")
	write(t, filepath.Join(tree.Dir, "m/z"), "z\n")
	b.land(b.commit("m", "z"))
	before := shoot(t, b.repo.Dir)
	branch, err := b.tr.Finish(t.Context())
	if err != nil || branch != "devflock/r1/integration" {
		t.Errorf("finish = %q, %v", branch, err)
	}
	before.same(t, b.repo.Dir)
	if got := b.repo.Git("rev-parse", trees.Final); got != own {
		t.Error("the branch that a person has checked out has moved")
	}
	b.repo.Git("checkout", "-q", "main")
	if branch, err = b.tr.Finish(t.Context()); err != nil || branch != trees.Final {
		t.Errorf("finish = %q, %v", branch, err)
	}
	if got := b.repo.Git("for-each-ref", "--contains", own, "--format=%(refname)"); !strings.HasPrefix(got, "refs/devflock/kept/r1/integration/") {
		t.Errorf("what the final branch left is held by %q", got)
	}
	if branch, err = b.tr.Finish(t.Context()); err != nil || branch != trees.Final {
		t.Errorf("again = %q, %v", branch, err)
	}
}

func TestRemoveKeepsWhatWasNotIntegrated(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n", "o/y": "y\n"})
	m, o := b.region("m", "m"), b.region("o", "o")
	b.begin("m")
	b.begin("o")
	write(t, filepath.Join(m.Dir, "m/z"), "z\n")
	b.land(b.commit("m", "landed"))
	write(t, filepath.Join(o.Dir, "o/z"), "z\n")
	waiting := b.commit("o", "not landed")
	write(t, filepath.Join(o.Dir, "o/loose"), "l\n")
	if n, err := b.tr.Size(t.Context()); err != nil || n < 6 {
		t.Errorf("size = %d, %v", n, err)
	}
	if err := b.tr.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(b.repo.Git("for-each-ref", "--format=%(refname)"), "\n")
	want := []string{
		"refs/devflock/kept/r1/o/" + waiting, "refs/devflock/wip/r1/o-removed",
		"refs/heads/devflock/r1/integration", // no final branch holds it
		"refs/heads/main",
	}
	if !slices.Equal(got, want) {
		t.Errorf("refs = %q, want %q", got, want)
	}
	if got := b.repo.Git("show", "refs/devflock/wip/r1/o-removed:o/loose"); got != "l" {
		t.Errorf("saved = %q", got)
	}
	b.reopen() // a run can go on after its trees are gone
	b.region("m", "m")
	if start := b.begin("m"); start != b.repo.Git("rev-parse", "devflock/r1/integration") {
		t.Error("the tree does not stand at the tip")
	}
}

func TestThrowAwayTreesOfTheDeadGoAndOfTheLivingStay(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n"})
	live, done, err := b.tr.Checkout(t.Context(), b.tip())
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(b.dir, ".state/checkout-dead")
	b.repo.Git("worktree", "add", "-q", "--detach", dead)
	write(t, filepath.Join(b.dir, ".state/trash-1/tree/x"), "")
	b.reopen()
	if !exists(filepath.Join(live, "m/x")) {
		t.Error("a live tree is gone")
	}
	if exists(dead) || exists(filepath.Join(b.dir, ".state/trash-1")) || strings.Contains(b.repo.Git("worktree", "list"), "dead") {
		t.Error("a dead tree is still there")
	}
	sh(t, live, "test -z \"$(git status --porcelain)\"; echo o >untracked")
	if err := done(); err != nil || exists(live) {
		t.Errorf("done: %v", err)
	}
}

// TestTheOrderOfMergesDoesNotMatter: whatever disjoint regions do, every order of merging them gives the same tree, which has every
// line of every one of them.
func TestTheOrderOfMergesDoesNotMatter(t *testing.T) {
	t.Parallel()
	content := map[string]string{}
	for r := range 4 {
		for f := range 3 {
			content[fmt.Sprintf("r%d/f%d", r, f)] = lines(5)
		}
	}
	b := files(t, content)
	before := shoot(t, b.repo.Dir)
	roots := map[string]string{}
	for r := range 4 {
		name := fmt.Sprintf("r%d", r)
		roots[name] = b.region(name, name).Dir
	}
	rapid.Check(t, func(rt *rapid.T) {
		var commits []string
		want := map[string]string{}
		for path, text := range content {
			want[path] = text
		}
		for name, root := range roots {
			if _, err := b.tr.Begin(t.Context(), name); err != nil {
				rt.Fatal(err)
			}
			for range rapid.IntRange(0, 4).Draw(rt, "edits "+name) {
				path := name + "/" + rapid.SampledFrom([]string{"f0", "f1", "f2", "new", "sub/deep", "F9", "é"}).Draw(rt, "file")
				full := filepath.Join(root, filepath.FromSlash(path))
				if rapid.IntRange(0, 4).Draw(rt, "how") == 0 {
					delete(want, path)
					if err := os.RemoveAll(full); err != nil {
						rt.Fatal(err)
					}
					continue
				}
				want[path] = lines(rapid.IntRange(0, 8).Draw(rt, "lines")) + rapid.StringMatching(`[a-c}]{0,3}`).Draw(rt, "end") + "\n"
				if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
					rt.Fatal(err)
				}
				if err := os.WriteFile(full, []byte(want[path]), 0o644); err != nil {
					rt.Fatal(err)
				}
			}
			commit, changed, err := b.tr.Commit(t.Context(), name, trees.Message{Subject: name})
			if err != nil {
				rt.Fatal(err)
			}
			if changed {
				commits = append(commits, commit)
			}
		}
		slices.Sort(commits)
		tree := ""
		for range 3 {
			m, err := b.tr.Merge(t.Context(), b.tr.Base(), rapid.Permutation(commits).Draw(rt, "order"))
			if err != nil {
				rt.Fatal(err)
			}
			if tree == "" {
				tree = m.Tree
			}
			if m.Tree != tree {
				rt.Fatalf("trees %s and %s", tree, m.Tree)
			}
		}
		listed := strings.Split(b.repo.Git("-c", "core.quotepath=off", "ls-tree", "-r", "--name-only", tree), "\n")
		if len(listed) != len(want) {
			rt.Fatalf("files %q, want %d", listed, len(want))
		}
		for path, text := range want {
			if got := b.repo.Git("show", tree+":"+path); got != strings.TrimSuffix(text, "\n") {
				rt.Fatalf("%s = %q, want %q", path, got, text)
			}
		}
	})
	before.same(t, b.repo.Dir)
}
