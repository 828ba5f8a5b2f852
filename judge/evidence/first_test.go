package evidence_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
	"github.com/google/go-cmp/cmp"
)

// change is a file before and after, without git: a line that was not there before is added.
func change(path, before, after string) judge.File {
	f := judge.File{Kind: tdd.Classify(path), Lang: tdd.LanguageOf(path)}
	f.Change = gitx.Change{Status: 'M', Path: path, OldMode: "100644", NewMode: "100644"}
	f.Before, f.After = []byte(before), []byte(after)
	f.Lines = diff.File{Old: path, New: path, Status: diff.Modified}
	if before == "" {
		f.Status, f.Lines.Status = 'A', diff.Added
	}
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i, l := range now {
		if !contains(old, l) {
			f.Lines.Added = append(f.Lines.Added, diff.Line{N: i + 1, Text: l})
		}
	}
	for i, l := range old {
		if !contains(now, l) {
			f.Lines.Removed = append(f.Lines.Removed, diff.Line{N: i + 1, Text: l})
		}
	}
	return f
}

func contains(lines []string, line string) bool {
	for _, l := range lines {
		if l == line {
			return true
		}
	}
	return false
}

func TestFirst(t *testing.T) {
	t.Parallel()
	const good = "def test_a():\n    assert f() == 1\n"
	red := &journal.TestRun{Runner: "pytest", Detail: "pytest -q tests\ncollected 3 items\nE   AssertionError: 1 != 2\nmore\n"}
	tests := []struct {
		name   string
		disk   map[string]string // what the work tree holds besides the changed files
		files  []judge.File
		level  string
		scope  []string
		run    *journal.TestRun
		stale  bool
		want   []string // "class [prefix] text"
		detail string   // file:line: evidence of the first
	}{
		{
			name: "source without a test", files: []judge.File{change("src/a.py", "", "\n\ndef f():\n    return 1\n")},
			want: []string{"hard [tdd] Missing Test Coverage: src/a.py"}, detail: "src/a.py:3: def f():",
		},
		{
			name: "source with a test that was there before", disk: map[string]string{"tests/test_a.py": good},
			files: []judge.File{change("src/a.py", "def f():\n    return 1\n", "def f():\n    return 2\n")},
		},
		{
			name: "source whose test asserts nothing", disk: map[string]string{"tests/test_a.py": "def test_a():\n    f()\n"},
			files: []judge.File{change("src/a.py", "", "def f():\n    return 1\n")},
			want:  []string{"hard [tdd] Missing Test Coverage: src/a.py"}, detail: "src/a.py:1: its only test, tests/test_a.py, asserts nothing",
		},
		{name: "at level vibe tests are optional", level: "vibe", files: []judge.File{change("src/a.py", "", "def f():\n    return 1\n")}, want: []string{"note [tdd] Missing Test Coverage: src/a.py"}},
		{name: "outside of the folders that are watched", scope: []string{"lib"}, files: []judge.File{change("src/a.py", "", "def f():\n    return 1\n")}},
		{name: "inside of them", scope: []string{"lib/"}, files: []judge.File{change("lib/a.py", "", "def f():\n    return 1\n")}, want: []string{"hard [tdd] Missing Test Coverage: lib/a.py"}},
		{name: "comments only", files: []judge.File{change("src/a.py", "def f():\n    return 1\n", "# about f\ndef f():\n    return 1  # one\n")}},
		{name: "documents and settings", files: []judge.File{change("README.md", "", "text\n"), change("setup.toml", "", "a = 1\n")}},
		{
			name: "Go: the test of a change only logs", disk: map[string]string{"go.mod": "module x\n"},
			files: []judge.File{
				change("auth/token.go", "package auth\n", "package auth\n\nfunc Issue(u string) string { return u }\n"),
				change("auth/token_test.go", "", "package auth\n\nimport \"testing\"\n\nfunc TestIssue(t *testing.T) {\n\tt.Log(Issue(\"a\"))\n}\n"),
			},
			want: []string{"hard [tdd] Missing Test Coverage: auth/token.go"},
		},
		{
			name: "the last test run is red", run: red, files: []judge.File{change("README.md", "", "x\n")},
			want: []string{"hard [test] the last test run failed: pytest -q tests"}, detail: ":0: E   AssertionError: 1 != 2",
		},
		{name: "red, and edited since", run: red, stale: true, files: []judge.File{change("README.md", "", "x\n")}, want: []string{"soft [test] the last test run failed and was not repeated after the last edit: pytest -q tests"}},
		{name: "green", run: &journal.TestRun{OK: true}, files: []judge.File{change("README.md", "", "x\n")}},
		{
			name: "conflict markers", disk: map[string]string{"tests/test_a.py": good},
			files: []judge.File{change("src/a.py", "a = 1\n", "a = 1\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> side\n")},
			want:  []string{"hard [conflict] conflict markers left in src/a.py"}, detail: "src/a.py:2: <<<<<<< HEAD",
		},
		{name: "markers in a text may be meant", files: []judge.File{change("doc.md", "", "<<<<<<< HEAD\n>>>>>>> side\n")}, want: []string{"soft [judge] conflict markers left in doc.md"}},
		{name: "one marker alone", files: []judge.File{change("doc.md", "", ">>>>>>> quoted mail\n=======\n")}},
		{name: "a picture", files: []judge.File{{Kind: tdd.Other, File: changeset.File{Change: gitx.Change{Status: 'A', Path: "logo.png", NewMode: "100644"}, Lines: diff.File{New: "logo.png", Binary: true}}}}, want: []string{"note [judge] not looked at: logo.png: binary"}},
		{name: "deleted source", files: []judge.File{{Kind: tdd.Impl, File: changeset.File{Change: gitx.Change{Status: 'D', Path: "src/a.py"}, Before: []byte("a = 1\n")}}}},
		{name: "a symbolic link", files: []judge.File{{Kind: tdd.Impl, File: changeset.File{Change: gitx.Change{Status: 'A', Path: "src/a.py", NewMode: "120000"}, After: []byte("b.py")}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for _, f := range tt.files {
				if f.After != nil {
					write(t, filepath.Join(root, f.Path), string(f.After))
				}
			}
			for path, text := range tt.disk {
				write(t, filepath.Join(root, path), text)
			}
			level := tt.level
			if level == "" {
				level = "strict"
			}
			c := &judge.Case{Task: telemetry.Task{Oversight: level}, Root: root, DiffSHA: "x", Files: tt.files, LastTest: tt.run, TestIsStale: tt.stale, SourceDirs: tt.scope}
			reasons, err := evidence.First{}.Examine(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range reasons {
				got = append(got, string(r.Weight())+" "+r.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Fatalf("reasons (-want +got):\n%s", diff)
			}
			if tt.detail == "" {
				return
			}
			r := reasons[0]
			if where := r.File + ":" + strconv.Itoa(r.Line) + ": " + r.Evidence; where != tt.detail || r.Fix == "" {
				t.Errorf("evidence %q, want %q; fix %q", where, tt.detail, r.Fix)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
