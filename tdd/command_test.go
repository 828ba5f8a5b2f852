package tdd_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/tdd"
)

func TestTestCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, runner, dirs, proves string }{
		{"pytest -q", "pytest", "", "both"},
		{"cargo test", "cargo test", "", "both"},
		{"cd packages/a && npx vitest run", "vitest", "packages/a", "both"},
		{"cd /srv/app; source venv/bin/activate && python -m unittest", "unittest", "/srv/app", "both"},
		{"FOO=1 timeout 60 npm run test", "npm test", "", "both"},
		{"sudo -u x env A=1 sh -c 'cd a && make test'", "make test", "a", "both"},
		{"(cd a && npm test) && (cd b && npm test)", "npm test", "a b", "both"},
		{"go test ./... 2>&1", "go test", "", "both"},
		{"set -o pipefail; go test ./... | tee log", "go test", "", "both"},
		{"npm run build && npm test", "npm test", "", "green"},
		{"pytest && git push", "pytest", "", "green"},
		{"pytest | tail -5", "pytest", "", ""},
		{"pytest || true", "pytest", "", ""},
		{"pytest; echo done", "pytest", "", ""},
		{"pytest &", "pytest", "", ""},
		{"echo $(pytest)", "pytest", "", ""},
		{"cat pytest.ini", "", "", ""},
		{"echo jest", "", "", ""},
		{"go vet ./...", "", "", ""},
		{"npm run testimonials", "", "", ""},
		{"", "", "", ""},
	} {
		s, err := shell.Parse(tt.src)
		if err != nil {
			t.Fatalf("Parse(%q): %v", tt.src, err)
		}
		run, ok := tdd.TestCommand(s)
		var dirs []string
		for _, d := range run.Dirs {
			dirs = append(dirs, d.Path)
		}
		proves := map[[2]bool]string{{true, true}: "both", {true, false}: "green", {false, true}: "red"}[[2]bool{run.Green, run.Red}]
		if ok != (tt.runner != "") || run.Runner != tt.runner || strings.Join(dirs, " ") != tt.dirs || proves != tt.proves || ok && run.Masked == run.Green {
			t.Errorf("TestCommand(%q) = %+v, %v; want %s in %q, proving %q", tt.src, run, ok, tt.runner, tt.dirs, tt.proves)
		}
	}
}

// The status decides, whatever the output says (example 19).
func TestOutcome(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][2]tdd.LastRun{
		"cargo test": {tdd.RunGreen, tdd.RunRed}, "make && cargo test": {tdd.RunGreen, tdd.RunUnknown}, "cargo test | cat": {tdd.RunUnknown, tdd.RunUnknown},
	} {
		s, _ := shell.Parse(src)
		run, _ := tdd.TestCommand(s)
		if got := [2]tdd.LastRun{run.Outcome(true), run.Outcome(false)}; got != want {
			t.Errorf("outcomes of %q = %v, want %v", src, got, want)
		}
	}
}

func TestCompileCommand(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{"cd a && go vet ./...": "go vet", "npx tsc --noEmit | head": "tsc", "ls": "", "echo tsc": "", "pytest": ""} {
		s, _ := shell.Parse(src)
		if got, _ := tdd.CompileCommand(s); got != want {
			t.Errorf("CompileCommand(%q) = %q, want %q", src, got, want)
		}
	}
}

func TestCountDiagnostics(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, output string
		want         int
	}{
		{"go build", "# example.test/a\n./a.go:3:5: undefined: b\n./a.go:3:5: undefined: b\nc/d.go:7:2: missing return\n", 2},
		{"go test", "--- FAIL: TestA (0.00s)\n    a_test.go:12: got 1\nFAIL\nFAIL\texample.test/a\t0.01s\n", 0},
		{"rustc", "error[E0425]: cannot find value `x`\n --> src/a.rs:3:5\nwarning: unused\n --> src/a.rs:4:5\nerror: aborting due to 1 previous error\nerror: could not compile `a`\n", 1},
		{"tsc", "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\nsrc/b.tsx:7:2 - error TS2322: Type\n\nFound 2 errors.\n", 2},
		{"tsc in colour", "\x1b[96msrc/a.ts\x1b[0m:\x1b[93m3\x1b[0m:\x1b[93m5\x1b[0m - \x1b[91merror\x1b[0m TS2304: x\n", 1},
		{"gcc", "a.c: In function 'f':\na.c:3:5: error: 'x' undeclared\na.c:4:5: warning: unused\na.c:3:5: note: each\n", 1},
		{"javac", "A.java:5: error: ';' expected\n        foo()\n             ^\n1 error\n", 1},
		{"maven", "[INFO] x\n[ERROR] /p/A.java:[5,3] cannot find symbol\n[ERROR] /p/A.java:[6,3] cannot find symbol\n[WARNING] /p/B.java:[1,1] x\n", 2},
		{"dotnet", "Program.cs(5,3): error CS1002: ; expected [/p/a.csproj]\nProgram.cs(6,3): warning CS0168: x\n", 1},
		{"mypy", "src/a.py:3: error: Incompatible types\nsrc/a.py:4: note: see\nFound 1 error\n", 1},
		{"kotlinc", "e: file:///p/A.kt:3:5 Unresolved reference: x\nw: file:///p/A.kt:4:5 unused\n", 1},
		{"dart", "  error • Undefined name 'x' • lib/a.dart:3:5 • undefined\n", 1},
		{"none", "ok\nAll good at 12:30:11\nsee https://example.test:8080/a.py\n", 0},
		{"pytest", "tests/test_a.py:3: AssertionError\n", 0},
		{"nothing", "", 0},
	} {
		if got := tdd.CountDiagnostics(tt.output); got != tt.want {
			t.Errorf("%s: %d diagnostics, want %d", tt.name, got, tt.want)
		}
	}
}
