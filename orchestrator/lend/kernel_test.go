package lend_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/lend"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
	"github.com/devflow-suite/devflow/orchestrator/verify"
)

// region is a work tree with the person's folders in it.
type region struct {
	trees *trees.Trees
	tree  trees.Tree
	shelf *lend.Shelf
	loan  lend.Loan
}

func (p project) region(t *testing.T, kind sandbox.Kind) region {
	t.Helper()
	e := p.examine("")
	all, err := trees.Open(t.Context(), trees.Options{Run: "r1", Project: e, Dir: filepath.Join(t.TempDir(), "trees")})
	if err != nil {
		t.Fatal(err)
	}
	r := region{trees: all, shelf: lend.New(lend.Options{Project: e, Modules: []string{"api", "ui"}, Kind: kind})}
	if r.tree, err = all.Region(t.Context(), "api", []string{"api"}); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Begin(t.Context(), "api"); err != nil {
		t.Fatal(err)
	}
	if r.loan, err = r.shelf.Show(t.Context(), r.tree.Dir, ""); err != nil {
		t.Fatal(err)
	}
	return r
}

// verifier runs commands with what is lent.
func (p project) verifier(t *testing.T, kind sandbox.Kind) (*verify.Verifier, *lend.Shelf) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.Find(t.Context(), kind, []string{self, "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	e := p.examine("")
	s := lend.New(lend.Options{Project: e, Modules: []string{"api", "ui"}, Kind: kind})
	return verify.New(box, verify.Options{
		Home: filepath.Join(t.TempDir(), "checks"), Timeout: time.Minute, CommonDir: e.CommonDir, Lend: s.Lend,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
	}), s
}

// content is everything below a folder, links not followed.
func content(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s", path, info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// withPackages is a project with packages that somebody has installed.
func withPackages(t *testing.T) project {
	t.Helper()
	p := newProject(t)
	script(t, p.repo.Path("node_modules/.bin/hello"), `cat "$(dirname "$0")/../x/words"`)
	p.repo.Write("node_modules/x/words", "hello of x\n")
	p.repo.Write("node_modules/x/package.json", `{"name":"x","main":"index.js"}`)
	p.repo.Write("node_modules/x/index.js", `module.exports = "required"`)
	p.repo.Write("node_modules/.vite-temp/old", "old\n")
	p.link("../ui", "node_modules/ui") // a workspace
	p.repo.Write("api/.venv/pyvenv.cfg", "")
	script(t, p.repo.Path("api/.venv/bin/python"), `echo "python of $0"; shift; exec cat "$@"`)
	script(t, p.repo.Path("api/.venv/bin/tool"), `exec `+p.repo.Path("api/.venv/bin/python")+` x `+p.repo.Path("api/main.js")) // as pip writes it
	return p
}

var confined = [...]sandbox.Kind{sandbox.Bwrap, sandbox.Landlock}

func TestChecksUseTheFoldersAndCannotWriteThem(t *testing.T) {
	t.Parallel()
	for _, kind := range confined {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := withPackages(t)
			before := content(t, p.repo.Path("node_modules")) + content(t, p.repo.Path("api/.venv"))
			r := p.region(t, kind)
			v, _ := p.verifier(t, kind)
			run := func(command, want string) {
				t.Helper()
				got, err := v.Verify(t.Context(), schedule.Check{Region: "api", Root: r.tree.Dir, Dir: filepath.Join(r.tree.Dir, "api"), Command: command})
				if err != nil || !got.OK || !strings.Contains(got.Output, want) {
					t.Errorf("%s: %v, %v\n%s", command, got.OK, err, got.Output)
				}
			}
			run("../node_modules/.bin/hello", "hello of x")
			run(`node -e "console.log(require('x'))"`, "required")
			run(".venv/bin/python x ../node_modules/x/words", "python of .venv/bin/python\nhello of x")
			for _, at := range []string{"../node_modules", p.repo.Path("node_modules"), ".venv", p.repo.Path("api/.venv")} {
				for _, command := range []string{"touch AT/evil", "mkdir AT/evil", "rm -rf AT/* AT/.??*", "mv AT/pyvenv.cfg AT/y", "mv AT/x AT/y", "ln -s /etc AT/evil", "cp /dev/null AT/x/words", "chmod -R a-r AT/"} {
					run("! "+strings.ReplaceAll(command, "AT", at)+" && ! test -e "+at+"/evil && test -e "+at, "")
				}
			}
			run("cd .. && "+p.repo.Path("node_modules/.bin/hello"), "hello of x")
			if after := content(t, p.repo.Path("node_modules")) + content(t, p.repo.Path("api/.venv")); after != before {
				t.Errorf("the person's folders have changed:\n%s\nwas\n%s", after, before)
			}
			if got, err := r.trees.Outside(t.Context(), "api"); err != nil || len(got) > 0 {
				t.Errorf("outside: %q, %v", got, err)
			}
			if kind != sandbox.Bwrap {
				return
			}
			if err := os.WriteFile(filepath.Join(r.tree.Dir, "api", "main.js"), []byte("the worker's\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			run(".venv/bin/tool", "python of "+p.repo.Path("api/.venv/bin/python")+"\nthe worker's")
			run("cat ../node_modules/ui/main.js && ! ls "+p.repo.Path("ui/main.js")+"x", "base")
			run("! test -e ../node_modules/.vite-temp/old && echo new > ../node_modules/.vite-temp/new", "")
			run("cat ../node_modules/.vite-temp/new", "new")
			if after := content(t, p.repo.Path("node_modules")); !strings.HasPrefix(before, after) {
				t.Errorf("a private cache is the person's:\n%s", after)
			}
		})
	}
}

func TestMergedTreesAndDryRunsHaveThem(t *testing.T) {
	t.Parallel()
	for _, kind := range [...]sandbox.Kind{sandbox.Bwrap, sandbox.Landlock, sandbox.None} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := withPackages(t)
			before := content(t, p.repo.Path("node_modules"))
			v, s := p.verifier(t, kind)
			r := p.region(t, kind)
			tip, err := r.trees.Tip(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			dir, done, err := r.trees.Checkout(t.Context(), tip)
			if err != nil {
				t.Fatal(err)
			}
			got, err := v.Verify(t.Context(), schedule.Check{Root: dir, Dir: dir, Command: "node_modules/.bin/hello && test -z \"$(git status --porcelain 2>/dev/null)\""})
			if err != nil || !got.OK {
				t.Errorf("merged tree: %+v, %v, %q", got, err, s.Notes())
			}
			if err := done(); err != nil {
				t.Error(err)
			}
			plan := orchestrator.Plan{Modules: []orchestrator.Module{{Name: "api", Path: "api"}}, Tasks: []orchestrator.Task{{ID: "a", Module: "api", Acceptance: "../node_modules/.bin/hello"}}}
			flags, err := verify.DryRun(t.Context(), v, verify.Dry{Plan: plan, Tree: verify.Base(p.repo.Dir, "", tip, t.TempDir())})
			if err != nil || len(flags) != 1 || flags[0].Kind != verify.AlreadyTrue {
				t.Errorf("dry run: %v, %v", flags, err)
			}
			if after := content(t, p.repo.Path("node_modules")); after != before {
				t.Errorf("removing a tree has removed through it:\n%s", after)
			}
		})
	}
}

// TestTreesGoOnWithThem takes a region through everything that is done with its tree.
func TestTreesGoOnWithThem(t *testing.T) {
	t.Parallel()
	for _, kind := range [...]sandbox.Kind{sandbox.Bwrap, sandbox.Landlock, sandbox.None} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := withPackages(t)
			before := content(t, p.repo.Path("node_modules")) + content(t, p.repo.Path("api/.venv"))
			r := p.region(t, kind)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			work := func() {
				t.Helper()
				must(os.WriteFile(filepath.Join(r.tree.Dir, "api", "new.js"), []byte("new\n"), 0o600))
			}
			still := func(when string) {
				t.Helper()
				l, err := r.shelf.Show(t.Context(), r.tree.Dir, "")
				if err != nil || l.Made || len(l.ReadOnly) != len(r.loan.ReadOnly) || len(l.ReadOnly) < 2 {
					t.Errorf("%s: %+v, %v, %q", when, l, err, r.shelf.Notes())
				}
			}
			work()
			_, err := r.trees.Discard(t.Context(), "api", "a-1")
			must(err)
			still("after Discard")
			work()
			if got, err := r.trees.Outside(t.Context(), "api"); err != nil || len(got) > 0 {
				t.Errorf("outside: %q, %v", got, err)
			}
			commit, changed, err := r.trees.Commit(t.Context(), "api", trees.Message{Subject: "work"})
			if err != nil || !changed {
				t.Fatal(changed, err)
			}
			tip, err := r.trees.Tip(t.Context())
			must(err)
			merged, err := r.trees.Merge(t.Context(), tip, []string{commit})
			must(err)
			must(r.trees.Advance(t.Context(), tip, merged.Commit))
			if files := p.repo.Git("ls-tree", "-r", "--name-only", merged.Commit); files != ".gitignore\napi/main.js\napi/new.js\nui/main.js" {
				t.Errorf("merged:\n%s", files)
			}
			_, err = r.trees.Begin(t.Context(), "api")
			must(err)
			still("after Begin")
			must(r.trees.Remove(t.Context()))
			if after := content(t, p.repo.Path("node_modules")) + content(t, p.repo.Path("api/.venv")); after != before {
				t.Errorf("the person's folders have changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

// A merge that tracks files at a place where a link stands must not write them through it.
func TestFilesThatComeToStandWhereALinkIs(t *testing.T) {
	t.Parallel()
	for _, kind := range [...]sandbox.Kind{sandbox.Bwrap, sandbox.None} {
		p := withPackages(t)
		before := content(t, p.repo.Path("node_modules"))
		r := p.region(t, kind)
		tip, err := r.trees.Tip(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(t.TempDir(), "other")
		p.repo.Git("worktree", "add", "-q", "--detach", other, tip)
		for _, file := range []string{"node_modules/x/words", "node_modules/evil"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(other, file)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(other, file), []byte("evil\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p.repo.Git("-C", other, "add", "-f", "node_modules")
		p.repo.Git("-C", other, "commit", "-q", "-m", "evil")
		if err := r.trees.Advance(t.Context(), tip, p.repo.Git("-C", other, "rev-parse", "HEAD")); err != nil {
			t.Fatal(err)
		}
		if _, err := r.trees.Begin(t.Context(), "api"); err != nil {
			t.Fatal(err)
		}
		if after := content(t, p.repo.Path("node_modules")); after != before {
			t.Errorf("%s: the person's folder has changed:\n%s", kind, after)
		}
		l, err := r.shelf.Show(t.Context(), r.tree.Dir, "")
		for _, b := range l.ReadOnly {
			if strings.HasSuffix(b.From, "node_modules") {
				t.Errorf("%s: files of the tree are covered: %v, %v", kind, l, err)
			}
		}
		if data, err := os.ReadFile(filepath.Join(r.tree.Root, "node_modules", "evil")); err != nil || string(data) != "evil\n" {
			t.Errorf("%s: the tree has %q, %v", kind, data, err)
		}
	}
}

func TestFoldersMayComeAndGo(t *testing.T) {
	t.Parallel()
	for _, kind := range confined {
		p := newProject(t)
		v, _ := p.verifier(t, kind)
		r := p.region(t, kind)
		ok := func(want bool) {
			t.Helper()
			got, err := v.Verify(t.Context(), schedule.Check{Region: "api", Root: r.tree.Dir, Dir: filepath.Join(r.tree.Dir, "api"), Command: "test -e ../node_modules/x"})
			if err != nil || got.OK != want {
				t.Errorf("%s: %+v, %v, want %v", kind, got, err, want)
			}
		}
		ok(false)
		p.repo.Write("node_modules/x", "")
		ok(true)
		if err := os.RemoveAll(p.repo.Path("node_modules")); err != nil {
			t.Fatal(err)
		}
		ok(false)
		p.repo.Write("node_modules/x", "")
		ok(true)
		if got, err := r.trees.Outside(t.Context(), "api"); err != nil || len(got) > 0 {
			t.Errorf("%s: outside: %q, %v", kind, got, err)
		}
	}
}
