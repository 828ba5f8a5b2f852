package suite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/google/go-cmp/cmp"
)

func TestSame(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(p project)
		want   bool
	}{
		{"clean", func(project) {}, true},
		{"ignored file", func(p project) { p.Write("ignored.log", "x") }, true},
		{"touched", func(p project) { p.Write("a", "1") }, true},
		{"edited", func(p project) { p.Write("a", "2") }, false},
		{"staged", func(p project) { p.Write("a", "2"); p.Git("add", "a") }, false},
		{"new file", func(p project) { p.Write("b", "1") }, false},
		{"deleted", func(p project) { p.Git("rm", "-q", "a") }, false},
		{"edited and hidden from git", func(p project) { p.Git("update-index", "--assume-unchanged", "a"); p.Write("a", "2") }, false},
		{"too large to look at", func(p project) {
			if err := os.Truncate(p.Path("a"), gitx.MaxFile+1); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"another commit", func(p project) { p.Write("a", "2"); p.Commit("two") }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, files{"a": "1", ".gitignore": "*.log\n"})
			tree := p.tree()
			tt.change(p)
			snap, err := p.repo.Snap(t.Context(), gitx.ObjectDir(p.temp, p.repo.Root))
			if got := suite.Same(snap, tree); err != nil || got != tt.want {
				t.Errorf("Same = %t, %v, want %t", got, err, tt.want)
			}
		})
	}
}

// TestTheCopyIsThePushedTree runs tests of a commit whose result differs from that of the work tree.
func TestTheCopyIsThePushedTree(t *testing.T) {
	t.Parallel()
	p := newProject(t, files{"ok.sh": "exit 0\n", "sub/dir/x": ""})
	p.Write("ok.sh", "echo from the work tree; exit 1\n")
	p.Write("untracked", "")
	o := p.options(shell("test ! -e untracked && test -e sub/dir/x && sh ok.sh"))
	o.Clean = false
	before := listing(t, p.Dir)
	report := suite.Run(t.Context(), o)
	if diff := cmp.Diff([]string{"ok", "ok"}, outcome(report)); diff != "" || !report.Copied || len(report.Notes) != 0 {
		t.Errorf("outcome (-want +got):\n%s\n%+v", diff, report)
	}
	if diff := cmp.Diff(before, listing(t, p.Dir)); diff != "" {
		t.Errorf("the repository changed (-before +after):\n%s", diff)
	}

	p.Git("checkout", "-q", "ok.sh")
	p.Write("ok.sh", "pwd; exit 1\n")
	p.Commit("red")
	p.Write("ok.sh", "exit 0\n")
	o.Tree = p.Git("rev-parse", "HEAD") // a commit will do
	o.Commands[0].Argv[2] = "sh ok.sh"
	report = suite.Run(t.Context(), o)
	if diff := cmp.Diff([]string{"fail", "fail exit 1"}, outcome(report)); diff != "" || report.Results[0].Output != "." {
		t.Errorf("outcome (-want +got):\n%s\n%+v", diff, report)
	}

	o.Commands = []suite.Command{shell("mkdir -p ro/deep && touch ro/deep/f && chmod 500 ro ro/deep; ln -s / root; exit 0")}
	if report = suite.Run(t.Context(), o); report.Status != suite.OK {
		t.Error(report.Text())
	}
	o.Tree = strings.Repeat("1", 40)
	if report = suite.Run(t.Context(), o); report.Status != suite.Fail || !strings.Contains(report.Results[0].Text, "copy tree: git read-tree") {
		t.Errorf("a tree that is not there: %+v", report)
	}
	if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
		t.Errorf("copies left behind: %v, %v", left, err)
	}
}

// listing gives the files below dir, .git included, with their content.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTheCopyIsWhatACheckoutWrites(t *testing.T) {
	t.Parallel()
	p := newProject(t, files{
		".gitattributes": "*.bat eol=crlf\n*.bin filter=evil\n*.big filter=lfs\n*.odd filter=o=dd\n", "a.bat": "one\ntwo\n", "a.bin": "stored", "a.odd": "stored",
		"x.big": "version https://git-lfs.github.com/spec/v1\n", "y.big": "version https://git-lfs.github.com/spec/v1\n", "run.sh": "#!/bin/sh\n",
	})
	if err := os.Chmod(p.Path("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.bat", p.Path("link")); err != nil {
		t.Fatal(err)
	}
	p.Commit("modes")
	trap := filepath.Join(t.TempDir(), "ran")
	for _, kv := range [][2]string{
		{"filter.evil.smudge", "touch '" + trap + "'; cat"}, {"filter.evil.required", "true"}, {"filter.lfs.process", "touch '" + trap + "'"}, {"filter.lfs.required", "true"},
		{"filter.o=dd.smudge", "touch '" + trap + "'; cat"}, {"core.fsmonitor", "touch '" + trap + "'; false"}, {"core.sparseCheckout", "true"}, {"core.hooksPath", "hooks"},
	} {
		p.Git("config", kv[0], kv[1])
	}
	for _, hook := range []string{"post-index-change", "post-checkout"} {
		p.Write("hooks/"+hook, "#!/bin/sh\ntouch '"+trap+"'\n")
		if err := os.Chmod(p.Path("hooks/"+hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.Write(".git/info/sparse-checkout", "/none\n")
	p.Write(".gitattributes", "*.bat eol=lf\n") // not in the commit
	o := p.options(shell(`test "$(printf 'one\r\ntwo\r\n' | cksum)" = "$(cksum <a.bat)" && test "$(cat a.bin a.odd)" = storedstored && test -x run.sh && test -L link && grep -q lfs x.big`))
	o.Clean = false
	report := suite.Run(t.Context(), o)
	if report.Status != suite.OK {
		t.Error(report.Text())
	}
	if diff := cmp.Diff([]string{"2 files are git LFS pointers (x.big and others)"}, report.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program of the configuration ran")
	}
}

func TestTheCopyOfOddRepositories(t *testing.T) {
	t.Parallel()
	p := newProject(t, files{"a": "1"})
	linked := filepath.Join(t.TempDir(), "linked: it's")
	p.Git("worktree", "add", "-q", "-b", "side", linked)
	p.Write("a", "2")
	p.Commit("two")

	other := newProject(t, files{})
	if err := os.RemoveAll(other.Path(".git")); err != nil {
		t.Fatal(err)
	}
	other.Git("init", "-q", "--object-format=sha256")
	other.Write("a", "2")
	other.Write("-odd name\tü\n", "")
	other.Commit("sha256")
	other.Git("rm", "-q", "-r", "--cached", ".")

	for _, at := range []struct{ dir, tree string }{{linked, p.tree()}, {other.Dir, other.tree()}} {
		repo, err := gitx.Find(at.dir)
		if err != nil {
			t.Fatal(err)
		}
		o := suite.Options{Repo: repo, Tree: at.tree, Commands: []suite.Command{shell("test $(cat a) = 2")}, Temp: p.temp}
		if report := suite.Run(t.Context(), o); report.Status != suite.OK {
			t.Errorf("%s: %s", at.dir, report.Text())
		}
	}
}

func TestSubmodulesOfTheCopy(t *testing.T) {
	t.Parallel()
	lib := newProject(t, files{"lib.txt": "1"})
	p := newProject(t, files{"a": "1"})
	for _, name := range []string{"here", "moved", "gone"} {
		p.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.Dir, name)
	}
	p.Commit("submodules")
	p.Write("moved/new.txt", "")
	moved := project{Repo: p.Repo}
	moved.Dir = p.Path("moved")
	moved.Commit("elsewhere")
	p.Git("submodule", "--quiet", "deinit", "-f", "gone")
	o := p.options(shell("test -e here/lib.txt && test -d moved && test ! -e moved/new.txt && test ! -e gone/lib.txt"))
	o.Clean = false
	report := suite.Run(t.Context(), o)
	if report.Status != suite.OK {
		t.Error(report.Text())
	}
	if diff := cmp.Diff([]string{"submodule gone is empty", "submodule here is that of the work tree", "submodule moved is empty"}, report.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestDependenciesOfTheCopy(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tracked files // in the commit
		there   files // in the work tree only
		links   [][2]string
		script  string
	}{
		{
			"node, also in packages and scopes",
			files{".gitignore": "node_modules/\n", "package.json": "{}", "packages/a/package.json": "{}"},
			files{"node_modules/dep/index.js": "module.exports = 1", "node_modules/@scope/dep/index.js": "module.exports = 2", "packages/a/node_modules/own/index.js": "module.exports = 3", "node_modules/.cache/x": ""},
			nil,
			`node -e "require('dep'); require('@scope/dep')" && cd packages/a && node -e "require('own'); require('dep')" && test ! -e ../../node_modules/.cache`,
		},
		{
			"workspace links lead to the copy",
			files{".gitignore": "node_modules/\n", "package.json": "{}", "packages/a/index.js": "module.exports = 'committed'", "packages/b/index.js": "module.exports = 'committed'"},
			files{"packages/a/index.js": "module.exports = 'work tree'", "packages/b/index.js": "module.exports = 'work tree'", "node_modules/@x/none": ""},
			[][2]string{{"../packages/a", "node_modules/a"}, {"../../packages/b", "node_modules/@x/b"}},
			`test "$(node -p "require('a') + require('@x/b')")" = committedcommitted`,
		},
		{
			"virtual environment, and the copy's packages before an editable installation",
			files{".gitignore": ".venv\n", "src/app.py": "WHERE = 'committed'\n"},
			files{".venv/bin/python": "#!/bin/sh\nexec python3 \"$@\"\n", "src/app.py": "WHERE = 'work tree'\n"},
			nil,
			"",
		},
		{
			"composer's autoloader finds the copy",
			files{".gitignore": "/vendor\n", "composer.json": "{}"},
			files{"vendor/autoload.php": "x", "vendor/composer/ClassLoader.php": "x", "vendor/acme/lib/a.php": "x", "vendor/bin/tool": "x"},
			nil,
			`test ! -L vendor && test ! -L vendor/composer/ClassLoader.php && test -f vendor/composer/ClassLoader.php && test ! -L vendor/autoload.php && test ! -L vendor/bin/tool && test -L vendor/acme && test -e vendor/acme/lib/a.php`,
		},
		{
			"vendor of others",
			files{".gitignore": "vendor/\n", "go.mod": ""},
			files{"vendor/modules.txt": ""},
			nil,
			`test -L vendor && test -e vendor/modules.txt`,
		},
		{
			"what is tracked, not ignored, or build output, is not linked",
			files{".gitignore": "target/\nenv/\n", "vendor/lib.txt": "committed"},
			files{"vendor/lib.txt": "work tree", "target/x": "", "env/x": "", "venv/x": "", "dist/x": ""},
			nil,
			`test "$(cat vendor/lib.txt)" = committed && test ! -e target && test ! -e env && test ! -e venv && test ! -e dist`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, tt.tracked)
			for path, text := range tt.there {
				p.Write(path, text)
				if strings.HasPrefix(text, "#!") {
					if err := os.Chmod(p.Path(path), 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, l := range tt.links {
				if err := os.Symlink(l[0], p.Path(l[1])); err != nil {
					t.Fatal(err)
				}
			}
			o := p.options(shell(tt.script))
			if tt.script == "" {
				o.Commands = []suite.Command{{Toolchain: "python", Argv: []string{"python3", "-c", "import app, sys; print(app.__file__); sys.exit(app.WHERE != 'committed')"}}}
				o.Environ = append(os.Environ(), "PYTHONPATH="+p.Path("src")) // as an editable installation does it
			}
			o.Clean = false
			before := listing(t, p.Dir)
			if report := suite.Run(t.Context(), o); report.Status != suite.OK {
				t.Error(report.Text())
			}
			after := listing(t, p.Dir)
			for path := range after {
				if strings.Contains(path, "__pycache__") {
					delete(after, path)
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the work tree changed:\n%s", diff)
			}
			if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
				t.Errorf("copies left behind: %v, %v", left, err)
			}
		})
	}
}
