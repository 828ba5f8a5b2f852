package suite_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// project is a repository with one commit of some files.
type project struct {
	gitrepo.Repo
	repo gitx.Repo
	temp string // where copies are made
}

func newProject(t *testing.T, content files) project {
	t.Helper()
	p := project{Repo: gitrepo.New(t, filepath.Join(t.TempDir(), "the project"), "main"), temp: t.TempDir()}
	for path, text := range content {
		p.Write(path, text)
	}
	p.Commit("one")
	repo, err := gitx.Find(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p.repo = repo
	return p
}

func (p project) tree() string { return p.Git("rev-parse", "HEAD^{tree}") }

// options run commands in the work tree.
func (p project) options(commands ...suite.Command) suite.Options {
	return suite.Options{Repo: p.repo, Tree: p.tree(), Clean: true, Commands: commands, Temp: p.temp}
}

// shell is a command as the user writes one.
func shell(script string) suite.Command {
	return suite.Command{Toolchain: suite.Override, Argv: []string{"sh", "-c", script}}
}

// planned plans for all files of the project and runs that in the work tree.
func planned(t *testing.T, content files) suite.Report {
	t.Helper()
	p := newProject(t, content)
	commands, err := suite.Plan(t.Context(), content, content.Files(), "")
	if err != nil {
		t.Fatal(err)
	}
	return suite.Run(t.Context(), p.options(commands...))
}

// outcome is a report without times, tail and copy.
func outcome(r suite.Report) []string {
	lines := []string{string(r.Status)}
	for _, res := range r.Results {
		lines = append(lines, strings.TrimSpace(string(res.Status)+" "+res.Text))
	}
	return lines
}

// A command that the user wrote is wanted: that it cannot be started is no reason to let a push go untested.
func TestACommandOfTheUserThatCannotStartFails(t *testing.T) {
	t.Parallel()
	p := newProject(t, files{"plain.txt": "no program"})
	for script, want := range map[string]string{
		"no-such-tool --check":              "fail exit 127: the command of gate.tests cannot be started",
		"./gone.sh":                         "fail exit 127: the command of gate.tests cannot be started",
		"./plain.txt":                       "fail exit 126: the command of gate.tests cannot be started",
		"echo x: command not found; exit 1": "fail exit 1",
		"true":                              "ok",
	} {
		got := outcome(suite.Run(t.Context(), p.options(shell(script))))
		if status, _, _ := strings.Cut(want, " "); len(got) != 2 || got[0] != status || got[1] != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

func TestRunOfRealToolchains(t *testing.T) {
	t.Parallel()
	const goMod = "module example.com/x\n\ngo 1.21\n"
	failing := strings.Replace(unitPython, "pass", "self.assertEqual(1, 2, 'sums differ')", 1)
	tests := []struct {
		name   string
		tree   files
		want   []string
		output string
	}{
		{"unittest passes", files{"setup.py": "", "tests/test_a.py": unitPython}, []string{"ok", "ok"}, ""},
		{"unittest fails", files{"setup.py": "", "tests/test_a.py": failing}, []string{"fail", "fail exit 1"}, "sums differ"},
		{"unittest imports the project", files{"setup.py": "", "app.py": "X = 1\n", "tests/test_a.py": "import app\n" + unitPython}, []string{"ok", "ok"}, ""},
		{"unittest that finds nothing", files{"setup.py": "", "tests/test_a.py": "import unittest\n"}, []string{"fail", "fail no tests were found"}, "Ran 0 tests"},
		{"npm passes", files{"package.json": `{"scripts":{"test":"node --test"}}`, "a.test.js": "require('node:test')('adds', () => {})\n"}, []string{"ok", "ok"}, ""},
		{"npm fails", files{"package.json": `{"scripts":{"test":"node a.js"}}`, "a.js": "console.error('sums differ'); process.exit(4)\n"}, []string{"fail", "fail exit 4"}, "sums differ"},
		{"npm without the tool", files{"package.json": `{"scripts":{"test":"devflow-no-such-runner --all"}}`}, []string{"skip", "skip devflow-no-such-runner: not installed"}, ""},
		{"npm without dependencies", files{"package.json": `{"scripts":{"test":"node a.js"},"devDependencies":{"left-pad":"1"}}`, "a.js": "require('left-pad')\n"}, []string{"skip", "skip node_modules: not installed"}, ""},
		{"npm needs no dependencies", files{"package.json": `{"scripts":{"test":"node a.js"},"devDependencies":{"left-pad":"1"}}`, "a.js": ""}, []string{"ok", "ok"}, ""},
		{"npm and a script that the project lacks", files{"package.json": `{"scripts":{"test":"./scripts/none.sh"}}`}, []string{"fail", "fail exit 127"}, "none.sh"},
		{"go passes", files{"go.mod": goMod, "a_test.go": "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"}, []string{"ok", "ok"}, ""},
		{"go fails", files{"go.mod": goMod, "a_test.go": "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Error(\"sums differ\") }\n"}, []string{"fail", "fail exit 1"}, "sums differ"},
		{"go does not compile", files{"go.mod": goMod, "a.go": "package x\n\nvar a int = \"\"\n"}, []string{"fail", "fail exit 1"}, "cannot use"},
		{"make passes", files{"Makefile": "test:\n\ttrue\n", "a.c": ""}, []string{"ok", "ok"}, ""},
		{"make fails", files{"Makefile": "test:\n\techo sums differ; false\n", "a.c": ""}, []string{"fail", "fail exit 2"}, "sums differ"},
		{"make without the tool", files{"Makefile": "test:\n\tdevflow-no-such-tool\n", "a.c": ""}, []string{"skip", "skip devflow-no-such-tool: not installed"}, ""},
		{"toolchain is missing", files{"mix.exs": "", "test/a_test.exs": ""}, []string{"skip", "skip mix: not installed"}, ""},
		{"wrapper without its mode", files{"gradlew": "#!/bin/sh\necho \"$1\"; exit 9\n", "build.gradle": ""}, []string{"fail", "fail exit 9"}, "test"},
		{"nothing to run", files{"a.txt": ""}, []string{"skip"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := planned(t, tt.tree)
			if diff := cmp.Diff(tt.want, outcome(report)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s\n%s", diff, report.Text())
			}
			if len(report.Results) > 0 && !strings.Contains(report.Results[0].Output, tt.output) {
				t.Errorf("output %q, want %q in it", report.Results[0].Output, tt.output)
			}
		})
	}
}

func TestPythonWithoutPytest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, python string
		want         []string
	}{
		{"not installed", "echo \"$0: No module named pytest\" >&2; exit 1", []string{"skip", "skip pytest: not installed"}},
		{"a module of the project is missing", "echo \"E: No module named requests\" >&2; exit 1", []string{"fail", "fail exit 1"}},
		{"a test says so", "printf 'a failure\\nx: No module named pytest\\n' >&2; exit 1", []string{"fail", "fail exit 1"}},
		{"nothing collected", "echo no tests ran; exit 5", []string{"fail", "fail exit 5: no tests were found"}},
		{"passes", "test \"$*\" = '-m pytest -q'", []string{"ok", "ok"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, files{"pytest.ini": ""})
			p.Write(".venv/bin/python", "#!/bin/sh\n"+tt.python+"\n") // the environment of the project comes first
			if err := os.Chmod(p.Path(".venv/bin/python"), 0o755); err != nil {
				t.Fatal(err)
			}
			report := suite.Run(t.Context(), p.options(suite.Command{Toolchain: "python", Argv: []string{"python3", "-m", "pytest", "-q"}}))
			if diff := cmp.Diff(tt.want, outcome(report)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s\n%s", diff, report.Text())
			}
		})
	}
}

func TestFirstFailureStops(t *testing.T) {
	t.Parallel()
	p := newProject(t, files{"a": ""})
	report := suite.Run(t.Context(), p.options(shell("true"), suite.Command{Toolchain: "x", Argv: []string{"devflow-no-such"}}, shell("exit 3"), shell("touch ran")))
	if diff := cmp.Diff([]string{"fail", "ok", "skip devflow-no-such: not installed", "fail exit 3"}, outcome(report)); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(p.Path("ran")); err == nil {
		t.Error("a command behind the failure ran")
	}
	if want := "tests: true: ok; devflow-no-such: skip (devflow-no-such: not installed); exit 3: fail (exit 3)"; report.Text() != want {
		t.Errorf("Text() = %q, want %q", report.Text(), want)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	p := newProject(t, files{"a": ""})
	o := p.options(shell("echo begun; trap '' TERM; while :; do sleep 1; done"))
	o.Budget, o.Grace = 100*time.Millisecond, 50*time.Millisecond
	report := suite.Run(t.Context(), o)
	if diff := cmp.Diff([]string{"fail", "fail stopped after 100ms"}, outcome(report)); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}

	o.Clean, o.Budget = false, time.Nanosecond
	if report := suite.Run(t.Context(), o); report.Status != suite.Fail || !strings.HasPrefix(report.Results[0].Text, "stopped after 1ns") {
		t.Errorf("budget spent before the copy: %+v", report)
	}
}

// TestNothingOutlivesTheRun ends a run whose test hangs in a child of a child that is deaf to TERM.
func TestNothingOutlivesTheRun(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script string }{
		{"hangs", `trap '' TERM; sh -c 'trap "" TERM; sh -c "trap \"\" TERM; echo \$\$ > \"$0\"; while :; do sleep 1; done" "$0"; :' "$FIFO"; :`},
		{"daemon stays behind", `(trap '' TERM; sh -c 'echo $PPID > "$0"; exec sleep 1000' "$FIFO") & sleep 1000`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, files{"a": ""})
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			o := p.options(shell("FIFO='" + fifo + "'; " + tt.script))
			o.Grace = 50 * time.Millisecond
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan suite.Report, 1)
			go func() { done <- suite.Run(ctx, o) }()
			data, err := os.ReadFile(fifo)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			cancel(errors.New("enough"))
			report := <-done
			if diff := cmp.Diff([]string{"fail", "fail stopped: enough"}, outcome(report)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if !gone(pid) {
				t.Errorf("process %d of the tests is still there", pid)
			}
		})
	}
}

func gone(pid int) bool {
	for range 2000 { // a killed process is out of the table a moment after the kill
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		if s := strings.TrimSpace(string(out)); s == "" || strings.HasPrefix(s, "Z") {
			return true
		}
	}
	return false
}

func TestOutput(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE5", 6)
	tests := []struct {
		name, script string
		want         string
	}{
		{"both streams in order", "echo one; echo two >&2; echo three; exit 1", "one\ntwo\nthree"},
		{"colours and control characters", `printf '\033[31mred\033[0m \033]8;;http://x\033\\link\a\001\n50%%\r100%%\r\n'; exit 1`, "red link\n50%\n100%"},
		{"secret", "echo token " + key + " end; exit 1", "token [redacted] end"},
		{"secret between colours", "printf 'key \\033[1m" + key[:12] + "\\033[0m" + key[12:] + "\\n'; exit 1", "key [redacted]"},
		{"password in an address", "echo connect postgres://app:hunter2@db/x; exit 1", "connect postgres://app:[redacted]@db/x"},
		{"no UTF-8", `printf 'caf\351\n'; exit 1`, "caf?"},
		{"lines that say nothing", `printf 'ok  \texample.com/a\t0.1s\n--- FAIL: TestB\n?   \texample.com/c\t[no test files]\nnpm ERR! code 1\n\n'; exit 1`, "--- FAIL: TestB"},
		{"none", "exit 1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, files{"a": ""})
			report := suite.Run(t.Context(), p.options(shell(tt.script)))
			if got := report.Results[0].Output; got != tt.want {
				t.Errorf("output %q, want %q", got, tt.want)
			}
		})
	}
	p := newProject(t, files{"a": ""})
	report := suite.Run(t.Context(), p.options(shell("yes 'a line of the flood' | head -c 30000000; echo the end; exit 1")))
	got := report.Results[0].Output
	if len(got) > suite.MaxOutput || !strings.HasSuffix(got, "the end") || !strings.HasPrefix(got, "a line of the flood\n") {
		t.Errorf("flood: %d bytes %q", len(got), got)
	}
}
