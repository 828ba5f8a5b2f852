package trees_test

import (
	"path/filepath"
	"testing"
)

func TestTwoRegionsAreIntegratedAndThePersonSeesNothing(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"api/a.go": "a\n", "ui/u.js": "u\n", "README": "r\n", ".gitignore": "dist/\n"})
	before := shoot(t, b.repo.Dir)
	api, ui := b.region("api", "api"), b.region("ui", "ui")
	b.begin("api")
	b.begin("ui")
	write(t, filepath.Join(api.Dir, "api/new.go"), "n\n")
	write(t, filepath.Join(ui.Dir, "ui/u.js"), "u\nv\n")
	write(t, filepath.Join(ui.Dir, "dist/x"), "built\n")
	if got := b.outside("api"); len(got) > 0 {
		t.Errorf("outside = %q", got)
	}
	c1 := b.commit("api", "add new", "Task: t1")
	c2 := b.commit("ui", "add v", "Task: t2")
	b.land(c1)
	m := b.land(c2)
	if start := b.begin("api"); start != m.Commit {
		t.Errorf("start = %s, want %s", start, m.Commit)
	}
	if got := read(t, filepath.Join(api.Dir, "ui/u.js")); got != "u\nv\n" {
		t.Errorf("api sees %q of ui", got)
	}
	b.begin("ui")
	if !exists(filepath.Join(ui.Dir, "dist/x")) {
		t.Error("ignored file is gone")
	}
	branch, err := b.tr.Finish(t.Context())
	if err != nil || branch != "devflock/integration" {
		t.Errorf("finish = %q, %v", branch, err)
	}
	before.same(t, b.repo.Dir)
	if err := b.tr.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	before.same(t, b.repo.Dir)
	if exists(b.dir) || exists(b.repo.Path(".git/worktrees")) {
		t.Error("something is left")
	}
	if got := b.repo.Git("for-each-ref", "--format=%(refname)"); got != "refs/heads/devflock/integration\nrefs/heads/main" {
		t.Errorf("refs = %q", got)
	}
	b.repo.Git("fsck", "--strict")
}
