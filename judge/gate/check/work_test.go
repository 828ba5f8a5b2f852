package check_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/check"
	"github.com/devflow-suite/devflow/judge/gate/lint"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
)

// committed is a world with one good commit that is new.
func committed(t testing.TB) *world {
	w := newWorld(t)
	w.work("a")
	w.Commit("two")
	return w
}

const line = "git push origin feat/x"

func TestGreenTestsAreRememberedByTree(t *testing.T) {
	t.Parallel()
	w := committed(t)
	w.expect("first", w.ask(line), nil, "tests ok")
	w.expect("again", w.ask(line), nil, "green before on the same tree")
	w.Git("commit", "-q", "--amend", "-m", "other words")
	w.expect("the same tree", w.ask(line), nil, "green before")
	w.expect("another branch", w.ask("git push fork HEAD:y"), nil, "green before")
	if w.started() != 1 {
		t.Errorf("the tests were started %d times, want once", w.started())
	}
	w.configureTests("", "echo x >> '"+w.runs+"'; true")
	w.expect("another command", w.ask(line), nil, "tests ok")
	w.work("b")
	w.Commit("three")
	w.expect("another tree", w.ask(line), nil, "tests ok")
	if w.started() != 3 {
		t.Errorf("the tests were started %d times, want 3", w.started())
	}
	w.configureTests("", "exit 1")
	w.expect("red", w.ask(line), []string{gate.RuleTests}, "exit 1")
	w.expect("red is not remembered", w.ask(line), []string{gate.RuleTests}, "exit 1")
	want := []string{"pass green", "pass green", "pass green", "pass green", "pass green", "pass green", "deny red", "deny red"}
	if got := w.rows("verdict,substr(tests,1,5)"); !slices.Equal(trimmed(got), want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

func trimmed(list []string) (out []string) {
	for _, s := range list {
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

// What one range's tests said is no news about the tree of another.
func TestTestsCountForTheirOwnTreeOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.configureTests("", "")
	w.Write("docs.md", "x\n")
	w.Commit("docs")
	w.Git("branch", "docs")
	docs := w.Git("rev-parse", "docs^{tree}")
	w.Write("go.mod", "module x\n\ngo 1.21\n")
	w.Write("x.go", "package x\n\n// F is one.\nfunc F() int { return 1 }\n")
	w.Write("x_test.go", "package x\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fatal(\"F\")\n\t}\n}\n")
	w.Commit("code")
	w.deps.Environ = os.Environ()
	w.expect("both", w.ask("git push origin docs feat/x"), nil)
	for _, row := range w.rows("tree,tests") {
		if tree, tests, _ := strings.Cut(row, " "); (tests == pushes.TestsNone) != (tree == docs) {
			t.Errorf("tests of %s are %q", tree, tests)
		}
	}
}

// The line says everything once, and that nobody has run the tests where it cannot be missed.
func TestTheLineOfAPush(t *testing.T) {
	t.Parallel()
	const linters = ", import_boundary ok, file_size ok, coverage_gate ok, compile_check ok"
	goFiles := func(w *world) {
		w.Write("go.mod", "module x\n\ngo 1.21\n")
		w.Write("x_test.go", "package x\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif 1 != len(t.Name()[:1]) {\n\t\tt.Fatal()\n\t}\n}\n")
	}
	for _, tt := range []struct {
		name, tests string
		write       func(w *world)
		path        string // where the tests find programs; "" = everywhere
		want        string
		refused     []string
	}{
		{"green", "true", func(w *world) { w.Write("docs.md", "x\n") }, "", "green: origin feat/x: verdict pass (judged now)" + linters + ", tests ok (true)", nil},
		{"red", "false", func(w *world) { w.Write("docs.md", "x\n") }, "", "refused: origin feat/x: verdict pass (judged now)" + linters + ", tests fail: false (exit 1)", []string{gate.RuleTests}},
		{"cannot start", "no-such-tool", func(w *world) { w.Write("docs.md", "x\n") }, "",
			"refused: origin feat/x: verdict pass (judged now)" + linters + ", tests fail: no-such-tool (exit 127: the command of gate.tests cannot be started)", []string{gate.RuleTests}},
		{"no tests", "", func(w *world) { w.Write("docs.md", "x\n") }, "", "passed, tests not run: origin feat/x: verdict pass (judged now)" + linters + "; tests were NOT run: no test command found", nil},
		{"no tool", "", goFiles, "/nowhere", "passed, tests not run: origin feat/x: verdict pass (judged now)" + linters + "; tests were NOT run: go is not installed", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.configureTests("", tt.tests)
			if tt.write(w); tt.path != "" {
				w.deps.Environ = []string{"PATH=" + tt.path, "HOME=" + w.base}
			}
			w.Commit("two")
			res := w.ask(line)
			w.expect(tt.name, res, tt.refused)
			if want := "[devflow:push-gate] " + tt.want; res.Line != want {
				t.Errorf("line\n got %s\nwant %s", res.Line, want)
			}
		})
	}
}

func TestTestsThatMisbehave(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	for _, tt := range []struct{ name, command, words string }{
		{"red", "echo boom; exit 3", "boom"},
		{"hang", "sleep 1000 & wait", "stopped after"},
		{"flood", "yes 0123456789abcdef | head -c 5000000; exit 1", "exit 1"},
		{"secret", "echo token " + secret + "; exit 1", "token"},
		{"escapes", `printf '\033[31mred\000\n\302\205'; exit 1`, "exit 1"},
		{"killed", "kill -9 $$", "exit 137"},
		{"a long command", "true " + strings.Repeat("x", 3000) + "; echo the end; exit 1", "the end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := committed(t)
			w.configureTests("", tt.command)
			w.deps.Linters = quick()
			w.deps.Budget = 3 * time.Second
			if tt.name != "hang" {
				w.deps.Budget = time.Minute
			}
			res := w.ask(line)
			w.expect(tt.name, res, []string{gate.RuleTests}, tt.words)
			all := res.Text + res.Line + strings.Join(w.rows("steps,tests,remote,ref"), "")
			if strings.Contains(all, secret) || strings.ContainsAny(all, "\x1b\x00\u0085") {
				t.Errorf("not fit for people: %q", all)
			}
			w.expect("lifted", w.ask(line, func(r *gate.Request) { r.Lifted = []string{gate.RuleTests} }), nil, "allowed by a person")
		})
	}
}

func TestTheTestsSeeThePushedTree(t *testing.T) {
	t.Parallel()
	w := committed(t)
	w.configureTests("", "grep -q 'return 1' src/a.py && test ! -e wip.txt && test -z \"$GIT_DIR$DEVFLOW_HOME\"")
	w.deps.Environ = append(w.deps.Environ, "GIT_DIR=/nowhere")
	w.Write("src/a.py", "broken")
	w.Write("wip.txt", "x")
	w.expect("in a copy", w.ask(line), nil, "in a copy of the pushed tree")
	w.Git("stash", "-q", "-u")
	w.configureTests("", "grep -q 'return 1' src/a.py; exit $?")
	if res := w.ask(line); res.Refused() || strings.Contains(res.Line, "copy") {
		t.Errorf("in the work tree: %s", res.Line)
	}
	w.Write("src/a.py", "def f():\n    return 2\n")
	w.Write("tests/test_a.py", "from src.a import f\n\n\ndef test_f():\n    assert f() == 2\n")
	w.expect("a commit that is not made yet", w.ask("git commit -am x && git push origin feat/x"), []string{gate.RuleTests})
}

func TestLintersThatBreak(t *testing.T) {
	t.Parallel()
	w := committed(t)
	run := func(do func() error) []lint.Linter {
		return []lint.Linter{{Name: "odd", Run: func(context.Context, *lint.Input) ([]lint.Finding, []string, int, error) {
			return nil, []string{"tool: not installed"}, 0, do()
		}}}
	}
	w.deps.Linters = run(func() error { panic("at the disco") })
	w.expect("panic", w.ask(line), []string{gate.RuleLint}, "odd", "at the disco")
	w.deps.Linters = run(func() error { return errors.New("no luck") })
	w.expect("error", w.ask(line), []string{gate.RuleLint}, "no luck")
	if w.started() > 0 {
		t.Error("the tests were started though it is refused already")
	}
	w.deps.Linters = run(func() error { return nil })
	w.expect("a missing tool is shown", w.ask(line), nil, "odd skip (tool: not installed)")
	w.deps.Linters = nil
	for i := range 700 {
		w.Write("src/many/"+strings.Repeat("x", 1+i%150)+".py", "def f(:\n"+strings.Repeat("x = 1\n", i%5*300))
	}
	w.Commit("bad")
	w.expect("many findings", w.ask(line), []string{gate.RuleLint}, "file_size", "coverage_gate", "compile_check", "Repair this")
}

func TestTestsThatAreKnown(t *testing.T) {
	t.Parallel()
	w := committed(t)
	w.deps.TestsKnown = true
	for _, tt := range []struct {
		green bool
		dirty bool
		want  string
	}{{false, false, pushes.TestsUnrun}, {true, false, pushes.TestsSession}, {true, true, pushes.TestsUnrun}} {
		if w.deps.TestsGreen = tt.green; tt.dirty {
			w.Write("wip.txt", "x")
		}
		if res := w.ask(line); res.Refused() || res.Tests != tt.want {
			t.Errorf("%+v: %s, tests %q", tt, res.Line, res.Tests)
		}
	}
	if len(w.rows("id")) > 0 || w.started() > 0 {
		t.Errorf("rows %q, started %d", w.rows("id"), w.started())
	}
	w.deps.TestsKnown = false
	w.ask(line)
	w.deps.TestsKnown, w.deps.TestsGreen = true, false
	if res := w.ask(line); !strings.HasPrefix(res.Tests, pushes.TestsGreen) {
		t.Errorf("tests %q, want those of the run before", res.Tests)
	}
}

func TestWhatCannotBeLookedAtIsRefused(t *testing.T) {
	t.Parallel()
	errorRule := []string{gate.RuleError}
	lifted := func(r *gate.Request) { r.Lifted = errorRule }

	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("not done within 7m45s"))
	w := committed(t)
	req := w.req
	req.Pushes = w.pushes(line)
	if res := check.Run(ended, w.deps, req); !res.Refused() || !strings.Contains(res.Text, "not done within 7m45s") {
		t.Errorf("a context that has ended: %+v", res)
	}
	ending, end := context.WithCancelCause(t.Context())
	w.deps.Linters = []lint.Linter{{Name: "last", Run: func(context.Context, *lint.Input) ([]lint.Finding, []string, int, error) {
		end(errors.New("time is up"))
		return nil, nil, 1, nil
	}}}
	if res := check.Run(ending, w.deps, req); !res.Refused() || !strings.Contains(res.Text, "time is up") || w.started() > 0 {
		t.Errorf("a context that ends on the way: %+v", res)
	}
	w.deps.Linters = nil

	if err := os.RemoveAll(w.Path(".git/objects")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w.Path(".git/objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.expect("objects that are missing", w.ask(line), errorRule)
	w.expect("lifted", w.ask(line, lifted), nil, "not looked at", "allowed by a person")
	w.expect("a lifted error lifts nothing else", w.ask("git push origin feat/x:main", lifted), []string{gate.RuleProtected})

	w = committed(t)
	if err := w.deps.DB.Close(); err != nil {
		t.Fatal(err)
	}
	w.expect("a store that is gone", w.ask(line), errorRule)
	w.expect("lifted", w.ask(line, lifted), nil, "allowed by a person")

	w = committed(t)
	other, err := store.Open(w.deps.Paths.DB, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = other.Update(func(*store.Tx) error {
		w.expect("a locked store", w.ask(line), errorRule, "record the push")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestGitThatIsMissing(t *testing.T) {
	w := committed(t)
	t.Setenv("PATH", w.base)
	w.expect("no git", w.ask(line), []string{gate.RuleError}, "no git program")
}

func TestOtherPlaces(t *testing.T) {
	t.Parallel()
	w := committed(t)
	bare := filepath.Join(w.base, "mirror.git")
	w.run(w.base, "git", "clone", "-q", "--bare", w.Dir, bare)
	w.run(bare, "git", "remote", "set-url", "origin", filepath.Join(w.base, "origin.git"))
	w.expect("a bare repository", w.ask("git -C "+bare+" push origin feat/x"), nil, "pass (judged now)")
	w.expect("a bare repository by its folder", w.ask("git --git-dir="+bare+" push origin feat/x"), nil)
	w.expect("a commit into a bare repository", w.ask("git --git-dir="+bare+" --work-tree=. commit -m x && git --git-dir="+bare+" --work-tree=. push origin HEAD:y"), []string{gate.RuleError})

	linked := filepath.Join(w.base, "linked")
	w.Git("worktree", "add", "-q", "-b", "feat/l", linked)
	if err := os.WriteFile(filepath.Join(linked, "src", "l.py"), []byte("def f(:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run(linked, "git", "add", "-A")
	w.run(linked, "git", "commit", "-q", "-m", "l")
	w.expect("a linked work tree", w.ask("git push origin feat/l", func(r *gate.Request) { r.Cwd, r.Root = linked, linked }), []string{gate.RuleLint}, "src/l.py")
	w.expect("its branch from the main one", w.ask("git push origin feat/l"), []string{gate.RuleLint}, "src/l.py")

	w = worldOf(t, "sha256")
	w.work("a")
	w.expect("SHA-256, not committed yet", w.ask("git add -A; git commit -m x; git push origin feat/x"), nil, "tests ok")
	w.Commit("two")
	w.expect("SHA-256", w.ask(line), nil, "green before")
	tip, none := w.Git("rev-parse", "HEAD"), strings.Repeat("0", 64)
	w.expect("SHA-256, git's hook", w.hook("origin", tip, "refs/heads/feat/x", none), nil)
	w.expect("SHA-256, a deletion", w.hook("origin", none, "refs/heads/feat/x", tip), nil)
}

func TestAFirstCommit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		w := worldOf(t, format)
		w.Git("checkout", "-q", "--orphan", "feat/first")
		w.work("a")
		for _, name := range []string{"origin", "fork"} {
			w.expect(name, w.ask("git add -A && git commit -m one && git push -u "+name+" feat/first"), nil, "tests ok")
			w.configureTests("", "echo x >> '"+w.runs+"' # "+name)
		}
		w.Write("src/bad.py", "def f(:\n")
		w.expect("bad", w.ask("git add -A && git commit -m one && git push -u fork feat/first"), []string{gate.RuleLint}, "src/bad.py")
	}
}

func TestSubtrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("lib/long.py", strings.Repeat("x = 1\n", 700))
	w.Write("app/bad.py", "def f(:\n")
	w.Commit("old")
	w.Git("push", "-q", "origin", "feat/x")
	w.Write("lib/a.txt", "x\n")
	w.Write("app/worse.py", "def g(:\n")
	w.Commit("two")
	w.expect("good", w.ask("git subtree push --prefix=lib fork part"), nil, "fork part")
	w.expect("bad", w.ask("git subtree push --prefix app fork part"), []string{gate.RuleLint}, "app/worse.py")
	w.expect("protected", w.ask("git subtree push -P lib fork main"), []string{gate.RuleProtected})
	if rows := w.rows("'<'||new_oid||'>'"); rows[0] != "<>" {
		t.Errorf("rows %q: the commit that is sent is another", rows)
	}
}

func TestTagsOfOtherThings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Linters = nil
	w.Write("src/bad.py", "def f(:\n")
	w.Commit("two")
	w.Git("tag", "tree", "HEAD^{tree}")
	w.Git("tag", "blob", "HEAD:README.md")
	w.Git("tag", "-a", "-m", "x", "deep", "HEAD")
	w.Git("tag", "-a", "-m", "x", "deeper", "deep")
	w.expect("of a tree", w.ask("git push origin refs/tags/tree"), []string{gate.RuleLint}, "src/bad.py")
	w.expect("of a blob", w.ask("git push origin refs/tags/blob"), []string{gate.RuleError}, "tags/blob is no commit")
	w.expect("of a tag", w.ask("git push origin deeper"), []string{gate.RuleLint})
}
