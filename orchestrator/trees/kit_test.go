package trees_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// TestMain gives git a home of its own: nothing of who runs the tests plays a part.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if op := os.Getenv("TREES_CHILD"); op != "" {
		return child(op)
	}
	home, err := os.MkdirTemp("", "trees-home-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(k, v); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// bench is a repository of a person with the trees of one run.
type bench struct {
	t    *testing.T
	repo gitrepo.Repo
	dir  string // of the work trees
	p    trees.Project
	tr   *trees.Trees
}

// files makes a bench whose base commit has these files.
func files(t *testing.T, content map[string]string) *bench {
	t.Helper()
	r := gitrepo.New(t, filepath.Join(t.TempDir(), "repo"), "main")
	for path, text := range content {
		r.Write(path, text)
	}
	r.Commit("base")
	return open(t, r, r.Dir)
}

// open opens the trees of a run in a repository.
func open(t *testing.T, r gitrepo.Repo, project string) *bench {
	t.Helper()
	b := &bench{t: t, repo: r, dir: filepath.Join(t.TempDir(), "trees")}
	var err error
	if b.p, err = trees.Examine(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	return b
}

func (b *bench) reopen() {
	b.t.Helper()
	tr, err := trees.Open(b.t.Context(), trees.Options{Run: "r1", Project: b.p, Dir: b.dir})
	if err != nil {
		b.t.Fatal(err)
	}
	b.tr = tr
}

func (b *bench) region(name string, paths ...string) trees.Tree {
	b.t.Helper()
	tree, err := b.tr.Region(b.t.Context(), name, paths)
	if err != nil {
		b.t.Fatal(err)
	}
	return tree
}

func (b *bench) begin(name string) string {
	b.t.Helper()
	start, err := b.tr.Begin(b.t.Context(), name)
	if err != nil {
		b.t.Fatal(err)
	}
	return start
}

func (b *bench) commit(name, subject string, trailers ...string) string {
	b.t.Helper()
	commit, changed, err := b.tr.Commit(b.t.Context(), name, trees.Message{Subject: subject, Trailers: trailers})
	if err != nil {
		b.t.Fatal(err)
	}
	if !changed {
		b.t.Fatalf("commit %q: nothing has changed", subject)
	}
	return commit
}

// land merges commits and advances the integration branch.
func (b *bench) land(commits ...string) trees.Merged {
	b.t.Helper()
	tip := b.tip()
	m, err := b.tr.Merge(b.t.Context(), tip, commits)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.tr.Advance(b.t.Context(), tip, m.Commit); err != nil {
		b.t.Fatal(err)
	}
	return m
}

func (b *bench) tip() string {
	b.t.Helper()
	tip, err := b.tr.Tip(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return tip
}

func (b *bench) outside(name string) []string {
	b.t.Helper()
	found, err := b.tr.Outside(b.t.Context(), name)
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// write writes a file of any path.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	var r *trees.RefusedError
	if !errors.As(err, &r) {
		t.Fatalf("error = %v, want a RefusedError", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error = %q, want %q in it", err, w)
		}
	}
}

// photo is everything of a person's repository that devflock must not change: work tree and .git with modes, contents, links, the time
// of the index, but not the object store, work tree entries and devflock's own refs.
type photo map[string]string

func shoot(t *testing.T, root string) photo {
	t.Helper()
	p := photo{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if ours(name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += " -> " + target
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(text)
			line += " " + hex.EncodeToString(sum[:8])
		}
		if !d.IsDir() {
			line += " " + info.ModTime().String()
		}
		p[name] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ours tells what devflock may write in a repository, by path below its work tree.
func ours(name string) bool {
	for _, dir := range [...]string{".git/objects", ".git/worktrees", ".git/refs/devflock", ".git/refs/heads/devflock"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// same compares with a photo of now.
func (p photo) same(t *testing.T, root string) {
	t.Helper()
	now := shoot(t, root)
	var bad []string
	for name, was := range p {
		if now[name] != was {
			bad = append(bad, fmt.Sprintf("%s: %s, was %s", name, now[name], was))
		}
	}
	for name, is := range now {
		if p[name] == "" {
			bad = append(bad, fmt.Sprintf("%s: %s, was not there", name, is))
		}
	}
	slices.Sort(bad)
	for _, line := range bad {
		t.Error(line)
	}
}
