package trees_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// sh runs a worker's commands in its tree, without any confinement.
func sh(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@w", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@w")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
}

func TestWhatIsOutsideOfARegion(t *testing.T) {
	t.Parallel()
	content := map[string]string{"m/x": "x\n", "m/sub/y": "y\n", "other/y": "y\n", "other/run": "#!/bin/sh\n", ".gitignore": "build/\n*.log\n"}
	for _, c := range []struct {
		name, script string
		want         []string // each a prefix
	}{
		{"work inside", "echo z >m/z; rm m/x; mkdir -p m/deep/er; echo d >m/deep/er/d; chmod +x m/sub/y", nil},
		{"ignored files", "mkdir -p build m/build; echo o >build/o; echo o >m/build/o; echo l >other/a.log", nil},
		{"new file", "echo n >other/new; echo n >top", []string{"other/new", "top"}},
		{"a name that only starts like the region's", "mkdir mm; echo n >mm/x", []string{"mm/x"}},
		{"changed", "echo n >other/y", []string{"other/y"}},
		{"deleted", "rm other/y", []string{"other/y"}},
		{"renamed", "mv other/y m/y", []string{"other/y"}},
		{"mode", "chmod +x other/y", []string{"other/y"}},
		{"type", "rm other/y; ln -s run other/y", []string{"other/y"}},
		{"same size, time put back", "touch -r other/y ../stamp; printf 'Y\\n' >other/y; touch -r ../stamp other/y", []string{"other/y"}},
		{"link to an absolute path", "ln -s /etc/passwd m/l", []string{"m/l (a symbolic link"}},
		{"link to the tree by its absolute path", "ln -s $PWD/m/x m/l", []string{"m/l (a symbolic link"}},
		{"link that climbs", "ln -s ../other/y m/l; ln -s ../../../etc m/sub/l", []string{"m/l (a symbolic link", "m/sub/l (a symbolic link"}},
		{"link within the region", "ln -s x m/l; ln -s ../x m/sub/l; ln -s nowhere m/d", nil},
		{"link through a link", "ln -s sub m/s; ln -s s/../../other m/t", []string{"m/t (a symbolic link"}},
		{"link made of a file", "rm m/x; ln -s ../other/y m/x", []string{"m/x (a symbolic link"}},
		{"the region's folder becomes a link", "mv m build; ln -s build m", []string{"m (the region's folder is no folder"}},
		{"the region's folder becomes a file", "rm -r m; echo f >m", []string{"m (the region's folder is no folder"}},
		{"repository in a new folder", "mkdir m/n; git init -q m/n; echo x >m/n/x", []string{"m/n", "m/n/.git (a repository"}},
		{"repository in an old folder", "git init -q m/sub", []string{"m/sub/.git (a repository"}},
		{"repository with a commit", "git init -q m/n; cd m/n; echo x >x; git add x; git commit -qm x", []string{"m/n", "m/n/.git (a repository"}},
		{"repository that is ignored", "mkdir m/build; git init -q m/build/dep", nil},
		{"name that is .git elsewhere", "mkdir m/.GIT; echo x >m/.GIT/config", []string{"m/.GIT (a repository", "m/.GIT/config (git keeps"}},
		{"name that is .git on macOS", "mkdir m/.g\u200cit; echo x >m/.g\u200cit/config", []string{"m/.g\u200cit (a repository", "m/.g\u200cit/config (git keeps"}},
		{"name that is .git on Windows", "echo x >'m/.git. '; echo x >m/.Git::INDEX_ALLOCATION", []string{"m/.Git::INDEX_ALLOCATION (a", "m/.Git::INDEX_ALLOCATION (git", "m/.git.  (a", "m/.git.  (git"}},
		{"names that only look like it", "echo x >m/.gitx; echo x >m/.gitignored; echo x >m/git; echo x >'m/.gi t'; echo x >m/..git", nil},
		{"ignore rules hide it", "echo hidden >other/.gitignore; echo x >other/hidden", []string{"other/.gitignore"}},
		{"flags of the index hide it", "git update-index --assume-unchanged other/y; git update-index --skip-worktree other/run; echo n >other/y; echo n >other/run", []string{"other/run", "other/y"}},
		{"its own commit hides it", "echo n >other/y; git commit -qam hide", []string{"other/y"}},
		{"its own index hides it", "echo n >other/y; git add -A; rm -f .git.x", []string{"other/y"}},
		{"the link of the tree", "echo gitdir: /nowhere >.git", []string{".git (the link"}},
		{"the link of the tree becomes a repository", "rm .git; git init -q .; git add -A", []string{".git (the link"}},
		{"clean filter", "echo '* filter=evil' >m/.gitattributes; git config filter.evil.clean 'touch ../ran' || true", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := files(t, content)
			tree := b.region("m", "m")
			b.begin("m")
			if c.name != "clean filter" {
				sh(t, tree.Root, c.script)
			} else {
				sh(t, tree.Root, strings.Split(c.script, ";")[0])
			}
			got := b.outside("m")
			ok := len(got) == len(c.want)
			for i := range c.want {
				ok = ok && strings.HasPrefix(got[i], c.want[i])
			}
			if !ok {
				t.Errorf("outside = %q, want %q", got, c.want)
			}
			// whatever a worker did: saved, and clean afterwards
			if _, err := b.tr.Discard(t.Context(), "m", "t1-1"); err != nil {
				t.Fatal(err)
			}
			if got := b.outside("m"); len(got) > 0 {
				t.Errorf("after discard: outside = %q", got)
			}
			for path, text := range content {
				if got := read(t, filepath.Join(tree.Dir, path)); got != text {
					t.Errorf("after discard: %s = %q", path, got)
				}
			}
			if got := exec.Command("git", "-C", tree.Root, "status", "--porcelain"); true {
				if out, err := got.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("after discard: status %q, %v", out, err)
				}
			}
			b.begin("m")
		})
	}
}

func TestOnlyTheRegionIsCommitted(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n", "other/y": "y\n"})
	tree := b.region("m", "m")
	start := b.begin("m")
	commit, changed, err := b.tr.Commit(t.Context(), "m", trees.Message{Subject: "nothing"})
	if err != nil || changed || commit != start {
		t.Errorf("nothing: %q, %v, %v", commit, changed, err)
	}
	sh(t, tree.Root, "echo 2 >m/x; echo 2 >other/y; echo n >other/n; echo 3 >m/n; rm -f m/gone")
	c1 := b.commit("m", "one", "Task: t1", "Attempt: 1")
	if got := b.repo.Git("diff", "--name-status", start, c1); got != "A\tm/n\nM\tm/x" {
		t.Errorf("changes = %q", got)
	}
	if got := b.repo.Git("rev-parse", c1+"^", "refs/heads/devflock/r1/m"); got != start+"\n"+c1 {
		t.Errorf("parent and branch = %q", got)
	}
	// a second commit of the same attempt replaces the first
	sh(t, tree.Root, "echo 4 >m/x")
	c2 := b.commit("m", "two", "Task: t1", "Attempt: 2")
	if got := b.repo.Git("show", "-s", "--format=%P%n%B", c2); !strings.HasPrefix(got, start+"\ntwo\n\nTask: t1\nAttempt: 2") {
		t.Errorf("second = %q", got)
	}
	if got := b.repo.Git("show", c2+":m/n"); got != "3" {
		t.Errorf("m/n = %q", got)
	}
	for trailer, want := range map[string]string{"Task: t1": c2, "Attempt: 2": c2, "Attempt: 1": c1, "Attempt: 3": ""} {
		got, found, err := b.tr.Attempted(t.Context(), "m", trailer)
		if err != nil || got != want || found != (want != "") {
			t.Errorf("attempted %q = %q, %v, %v", trailer, got, found, err)
		}
	}
	// taken back by hand: nothing has changed
	sh(t, tree.Root, "echo x >m/x; rm m/n")
	if commit, changed, err = b.tr.Commit(t.Context(), "m", trees.Message{}); err != nil || changed || commit != start {
		t.Errorf("taken back: %q, %v, %v", commit, changed, err)
	}
	if got := b.outside("m"); !slices.Equal(got, []string{"other/n", "other/y"}) {
		t.Errorf("outside = %q", got)
	}
	b.begin("m")
	wip := b.repo.Git("for-each-ref", "--format=%(refname)", "refs/devflock/wip")
	if wip != "refs/devflock/wip/r1/m-begin" || b.repo.Git("show", wip+":other/n") != "n" {
		t.Errorf("saved = %q", wip)
	}
}

func TestATrailerInTheBodyIsNoTrailer(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "x\n"})
	tree := b.region("m", "m")
	b.begin("m")
	sh(t, tree.Root, "echo 2 >m/x")
	_, _, err := b.tr.Commit(t.Context(), "m", trees.Message{Subject: "s\nTask: t9", Body: "text\n\nTask: t9", Trailers: []string{"Task: t1\nTask: t9"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, found, err := b.tr.Attempted(t.Context(), "m", "Task: t9"); found || err != nil {
		t.Errorf("found %q, %v", got, err)
	}
}

func TestAnEditWithinTheSameTickIsSeen(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"m/x": "a\n"})
	tree := b.region("m", "m")
	for i := range 20 {
		b.begin("m")
		want := string(rune('b'+i)) + "\n"
		path := filepath.Join(tree.Dir, "m/x")
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, want)
		if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
			t.Fatal(err)
		}
		commit := b.commit("m", "edit")
		if got := b.repo.Git("show", commit+":m/x") + "\n"; got != want {
			t.Fatalf("edit %d: %q, want %q", i, got, want)
		}
		b.land(commit)
	}
}
