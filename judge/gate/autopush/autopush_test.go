package autopush_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/gate/autopush"
	"github.com/devflow-suite/devflow/judge/gate/check"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/telemetry"
	"go.uber.org/goleak"
)

// TestMain keeps the configuration of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	for k, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(k, v); err != nil {
			panic(err) // unreachable: the names are valid
		}
	}
	goleak.VerifyTestMain(m)
}

const session = "s1"

// world is a clone of a bare remote with a task that has passed, on branch feat/x with one new commit.
type world struct {
	testing.TB
	gitrepo.Repo
	origin string
	deps   check.Deps
	now    time.Time
}

func newWorld(t testing.TB, mode string) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	paths, err := config.ResolvePaths(func(name string) string {
		return map[string]string{"HOME": base, "DEVFLOW_HOME": filepath.Join(base, "devflow")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(paths.DB, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w := &world{TB: t, origin: filepath.Join(base, "origin.git"), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w.deps = check.Deps{DB: db, Paths: paths, Now: func() time.Time { return w.now }, Examiners: []judge.Examiner{evidence.First{}}, Environ: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + base, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
	}}
	bare := gitrepo.New(t, w.origin, "main")
	bare.Git("config", "core.bare", "true")
	w.Repo = gitrepo.New(t, filepath.Join(base, "own"), "main")
	w.configure(mode, "true")
	w.Write("README.md", "# demo\n")
	w.Commit("one")
	w.Git("remote", "add", "origin", w.origin)
	w.Git("push", "-q", "-u", "origin", "main")
	w.Git("checkout", "-q", "-b", "feat/x")
	w.begin()
	w.Write("src/a.py", "def f():\n    return 1\n")
	w.Write("tests/test_a.py", "from src.a import f\n\n\ndef test_f():\n    assert f() == 1\n")
	w.edited("src/a.py")
	w.tested(true)
	w.state(telemetry.Passed)
	w.Commit("two")
	return w
}

func (w *world) configure(mode, tests string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.deps.Paths.File), 0o755); err != nil {
		w.Fatal(err)
	}
	text := fmt.Sprintf("[gate]\nauto_push = %q\n[gate.tests]\n%q = %q\n", mode, w.Dir, tests)
	if err := os.WriteFile(w.deps.Paths.File, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	if _, problems := config.Load(w.deps.Paths, ""); len(problems) > 0 {
		w.Fatal(problems)
	}
}

func (w *world) record(event string, edit func(f *telemetry.Fact)) {
	w.Helper()
	w.now = w.now.Add(time.Second)
	f := telemetry.NewFact(w.now, session, event)
	f.Root = w.Dir
	edit(&f)
	w.update(func(tx *store.Tx) error {
		_, err := telemetry.Record(tx, nil, &f)
		return err
	})
}

func (w *world) begin() {
	w.Helper()
	repo, err := gitx.Find(w.Dir)
	if err != nil {
		w.Fatal(err)
	}
	w.record("UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt, f.Description = "p1", "work" })
	w.record("PreToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates = "Write", true
		f.Base = &telemetry.Base{Root: repo.Root, Branch: repo.Branch(), Commit: repo.Head(), Tree: strings.Repeat("1", 40)}
		f.Score = &telemetry.Score{Level: "standard", P: 300, I: 300, D: 300, R: 27}
	})
}

func (w *world) edited(path string) {
	w.Helper()
	w.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path = "Write", true, path
		f.Edits = []telemetry.Edit{{Path: path, Kind: "impl", Added: 3}}
	})
}

func (w *world) tested(green bool) {
	w.Helper()
	event := "PostToolUse"
	if !green {
		event = "PostToolUseFailure"
	}
	w.record(event, func(f *telemetry.Fact) { f.Tool, f.Runner, f.Class = "Bash", "pytest", "test" })
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.Helper()
	if err := w.deps.DB.Update(fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) state(s telemetry.State) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		_, err := telemetry.Change(tx, session, 1, func(t *telemetry.Task) error {
			t.State = s
			return nil
		})
		return err
	})
}

// after runs what follows a PASS, and gives what the person is told at the next prompt.
func (w *world) after() string {
	w.Helper()
	w.now = w.now.Add(time.Minute)
	if err := autopush.Run(context.Background(), w.deps, session, 1); err != nil {
		w.Fatal(err)
	}
	return w.untold()
}

func (w *world) untold() (line string) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		line, err = pushes.Untold(tx, session)
		return err
	})
	return line
}

// remote is what the remote has of a branch.
func (w *world) remote(branch string) string {
	w.Helper()
	res, err := proc.Run(context.Background(), proc.Cmd{Argv: []string{"git", "rev-parse", "--quiet", "--verify", "refs/heads/" + branch}, Dir: w.origin, Env: []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}})
	if err != nil {
		w.Fatal(err)
	}
	return strings.TrimSpace(string(res.Stdout))
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	const first = "[devflow:auto-push] All gates green (branch=feat/x). Publish it with: git push -u origin feat/x"
	for _, tt := range []struct {
		name string
		do   func(w *world)
		want string
	}{
		{"green", func(*world) {}, first},
		{"an upstream", func(w *world) {
			w.Git("push", "-q", "-u", "origin", "feat/x~1:refs/heads/feat/x")
			w.Git("branch", "-q", "-u", "origin/feat/x")
		}, strings.TrimSuffix(first, " -u origin feat/x")},
		{"the upstream is main", func(w *world) { w.Git("branch", "-q", "-u", "origin/main") }, first},
		{"another remote", func(w *world) { w.Git("remote", "rename", "origin", "server") }, strings.Replace(first, "origin", "server", 1)},
		{"no test run", func(w *world) {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Exec("UPDATE tool_log SET runner=''")
				return err
			})
		}, ""},
		{"a red test run", func(w *world) { w.tested(false) }, ""},
		{"an edit after the tests", func(w *world) {
			w.edited("src/a.py")
			w.state(telemetry.Passed)
		}, ""},
		{"uncommitted work that the tests saw", func(w *world) { w.Write("src/a.py", "def f():\n    return 2\n") }, ""},
		{"the task is not passed", func(w *world) { w.state(telemetry.Stale) }, ""},
		{"the project says off", func(w *world) {
			w.Write(".devflow.toml", "[gate]\nauto_push = \"off\"\n")
			w.Commit("off")
		}, ""},
		{"a protected branch", func(w *world) { w.Git("checkout", "-q", "-B", "main") }, ""},
		{"a protected branch by the project", func(w *world) {
			w.Write(".devflow.toml", "protected_branches = [\"main\", \"master\", \"release/*\", \"feat/*\"]\n")
		}, ""},
		{"it would go to a protected branch", func(w *world) {
			w.Git("branch", "-q", "-u", "origin/main")
			w.Git("config", "push.default", "upstream")
		}, ""},
		{"more would go", func(w *world) {
			w.Git("branch", "other")
			w.Git("config", "remote.origin.push", "refs/heads/*:refs/heads/*")
		}, ""},
		{"by force", func(w *world) {
			w.Git("push", "-q", "origin", "feat/x")
			w.Git("commit", "-q", "--amend", "-m", "other")
			w.Git("config", "remote.origin.push", "+refs/heads/feat/x:refs/heads/feat/x")
		}, ""},
		{"nothing to push", func(w *world) { w.Git("push", "-q", "-u", "origin", "feat/x") }, ""},
		{"a branch without a commit of its own", func(w *world) { w.Git("reset", "-q", "--hard", "main") }, ""},
		{"no remote", func(w *world) { w.Git("remote", "remove", "origin") }, ""},
		{"the repository itself", func(w *world) { w.Git("branch", "-q", "-u", "main") }, ""},
		{"no branch", func(w *world) { w.Git("checkout", "-q", "--detach") }, ""},
		{"a broken file", func(w *world) {
			w.Write("src/bad.py", "def f(:\n")
			w.Commit("bad")
		}, ""},
		{"no repository", func(w *world) {
			if err := os.RemoveAll(w.Path(".git")); err != nil {
				w.Fatal(err)
			}
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.AutoPushSuggest)
			w.configure(config.AutoPushSuggest, "echo started >&2; exit 1") // no test is started
			tt.do(w)
			was := w.remote("feat/x")
			if got := w.after(); got != tt.want {
				t.Errorf("told %q, want %q", got, tt.want)
			}
			if w.untold() != "" || w.remote("feat/x") != was {
				t.Error("told twice, or pushed")
			}
			if got := w.after(); got != "" {
				t.Errorf("the same again: %q", got)
			}
		})
	}
}

func TestASuggestionIsNoPassForGitsHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.AutoPushSuggest)
	w.after()
	ref := pushes.Ref{Remote: "origin", Name: "refs/heads/feat/x", New: w.Git("rev-parse", "HEAD"), Tree: w.Git("rev-parse", "HEAD^{tree}")}
	w.update(func(tx *store.Tx) error {
		passed, err := pushes.Passed(tx, w.Dir, ref, false, w.now)
		if passed {
			t.Error("the tests of the gate would not run any more")
		}
		return err
	})
	w.work()
	if got := w.after(); !strings.Contains(got, "Publish it") {
		t.Errorf("another commit: told %q", got)
	}
}

// work commits something else.
func (w *world) work() {
	w.Helper()
	w.Write("notes.md", "x\n")
	w.Commit("three")
}

func TestAuto(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.AutoPushAuto)
	w.Git("config", "branch.autoSetupMerge", "false")
	if got, want := w.after(), "[devflow:auto-push] All gates green (branch=feat/x): pushed with git push -u origin feat/x."; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if w.remote("feat/x") != w.Git("rev-parse", "HEAD") || w.Git("rev-parse", "--abbrev-ref", "@{u}") != "origin/feat/x" {
		t.Error("not pushed, or without an upstream")
	}
	if got := w.after(); got != "" {
		t.Errorf("nothing to push: %q", got)
	}
	w.work()
	w.Git("tag", "-a", "-m", "x", "v1")
	if got, want := w.after(), "[devflow:auto-push] All gates green (branch=feat/x): pushed with git push."; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if w.remote("feat/x") != w.Git("rev-parse", "HEAD") || w.remote("main") == w.Git("rev-parse", "HEAD") {
		t.Error("not pushed, or too much")
	}
	if w.Git("ls-remote", "--tags", "origin") != "" {
		t.Error("a tag was pushed")
	}
}

func TestAutoThatDoesNotPush(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tests string
		do          func(w *world)
		want        string
	}{
		{"red", "exit 1", func(*world) {}, "Not pushed (branch=feat/x). [devflow:push-gate] refused: origin feat/x: verdict pass (judged now), import_boundary ok, file_size ok, coverage_gate ok, compile_check ok, tests fail: exit 1 (exit 1)"},
		{"no tests", "", func(w *world) {
			if err := os.RemoveAll(w.Path("tests")); err != nil {
				w.Fatal(err)
			}
			w.Git("reset", "-q", "--hard", "main")
			w.work()
		}, "Not pushed (branch=feat/x): no test could be run."},
		{"a broken file", "true", func(w *world) {
			w.Write("src/bad.py", "def f(:\n")
			w.Commit("bad")
		}, "compile_check fail"},
		{"a protected branch", "true", func(w *world) { w.Git("checkout", "-q", "-B", "main") }, ""},
		{"a commit while the tests run", "git commit -q --allow-empty -m late", func(w *world) {
			w.Git("config", "user.name", "Dev")
			w.Git("config", "user.email", "dev@example.com")
		}, "the branch moved while it was judged"},
		{"another branch by then", "git checkout -q -b elsewhere", func(*world) {}, "ok"},
		{"the remote refuses", "true", func(w *world) { w.hook("echo no > /dev/stderr; exit 1") }, "All gates green (branch=feat/x), but git push failed: "},
		{"the remote has moved on", "true", func(w *world) {
			w.Git("push", "-q", "origin", "feat/x")
			w.Git("update-ref", "-d", "refs/remotes/origin/feat/x")
			w.Git("commit", "-q", "--amend", "-m", "other")
		}, "but git push failed: "},
		{"the remote says a secret", "true", func(w *world) { w.hook("echo token ghp_" + strings.Repeat("a1B2", 9) + " >&2; exit 1") }, "[redacted]"},
		{"the remote is gone", "true", func(w *world) {
			if err := os.RemoveAll(w.origin); err != nil {
				w.Fatal(err)
			}
		}, "but git push failed: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.AutoPushAuto)
			w.configure(config.AutoPushAuto, tt.tests)
			tt.do(w)
			gone := tt.name == "the remote is gone"
			was := ""
			if !gone {
				was = w.remote("feat/x") + w.remote("main")
			}
			got := w.after()
			switch {
			case tt.want == "ok":
				if !strings.HasSuffix(got, "pushed with git push -u origin feat/x.") && got != "" || w.remote("elsewhere") != "" {
					t.Errorf("told %q, pushed %q", got, w.remote("elsewhere"))
				}
				return
			case tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Contains(got, "\n") || strings.Contains(got, "ghp_"):
				t.Errorf("told %q, want %q", got, tt.want)
			case !gone && w.remote("feat/x")+w.remote("main") != was:
				t.Error("pushed all the same")
			}
			if again := w.after(); again != "" && tt.name != "a commit while the tests run" {
				t.Errorf("the same again: %q", again)
			}
		})
	}
}

// hook makes the remote refuse.
func (w *world) hook(script string) {
	w.Helper()
	file := filepath.Join(w.origin, ".git", "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		w.Fatal(err)
	}
}

func TestAutoRunsTheUsersHookAndGivesItNoKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.AutoPushAuto)
	trace := filepath.Join(w.deps.Paths.Home, "trace")
	if err := os.MkdirAll(w.Path(".git/hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.Path(".git/hooks/pre-push"), []byte("#!/bin/sh\necho \"$1 $ANTHROPIC_API_KEY$SSH_AUTH_SOCK\" > '"+trace+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.deps.Environ = append(w.deps.Environ, "ANTHROPIC_API_KEY=key", "SSH_AUTH_SOCK=/agent")
	w.after()
	if data, err := os.ReadFile(trace); string(data) != "origin /agent\n" {
		t.Errorf("the hook has seen %q, %v", data, err)
	}
}

func TestErrorsOfTheStoreAreErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.AutoPushAuto)
	if err := autopush.Run(t.Context(), w.deps, "nobody", 1); err != nil {
		t.Errorf("a task that is not there: %v", err)
	}
	if err := w.deps.DB.Close(); err != nil {
		t.Fatal(err)
	}
	if err := autopush.Run(t.Context(), w.deps, session, 1); err == nil {
		t.Error("no error")
	}
}
