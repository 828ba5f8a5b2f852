package tdd_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/tdd"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	real := tdd.Found{Path: "tests/test_x.py", Via: tdd.ViaMirror}
	stub := tdd.Found{Path: "tests/test_x.py", Via: tdd.ViaMirror, Stub: true}
	code := tdd.Delta{Change: tdd.Code, NewFuncs: []string{"f"}}
	for _, tt := range []struct {
		name string
		edit tdd.Edit
		want tdd.Outcome
	}{
		{"documents", tdd.Edit{Rel: "README.md", Delta: code}, tdd.Pass},
		{"configuration", tdd.Edit{Rel: "package.json", Delta: code}, tdd.Pass},
		{"generated", tdd.Edit{Rel: "a.pb.go", Delta: code}, tdd.Pass},
		{"a test itself, on green", tdd.Edit{Rel: "tests/test_x.py", Delta: code, LastRun: tdd.RunGreen}, tdd.Pass},
		{"comments", tdd.Edit{Rel: "src/x.py", Delta: tdd.Delta{Change: tdd.NoChange}}, tdd.Pass},
		{"imports", tdd.Edit{Rel: "src/x.py", Delta: tdd.Delta{Change: tdd.ImportsOnly}}, tdd.Pass},
		{"types", tdd.Edit{Rel: "src/x.ts", Delta: tdd.Delta{Change: tdd.Declares}}, tdd.Pass},
		{"new code, no test, no run", tdd.Edit{Rel: "src/x.py", Delta: code, LastRun: tdd.RunUnknown}, tdd.Violation},
		{"new code, no test, green", tdd.Edit{Rel: "src/x.py", Delta: code, LastRun: tdd.RunGreen}, tdd.Violation},
		{"new code, no test, red", tdd.Edit{Rel: "src/x.py", Delta: code, LastRun: tdd.RunRed}, tdd.Violation},
		{"new code, stub", tdd.Edit{Rel: "src/x.py", Delta: code, Test: stub, HasTest: true}, tdd.Violation},
		{"new code, test", tdd.Edit{Rel: "src/x.py", Delta: code, Test: real, HasTest: true}, tdd.Pass},
		{"new function that no test names", tdd.Edit{Rel: "src/x.py", Delta: code, Test: real, HasTest: true, Untested: []string{"f"}, LastRun: tdd.RunGreen}, tdd.Warn},
		{"the same with the test changed", tdd.Edit{Rel: "src/x.py", Delta: code, Test: real, HasTest: true, TestChanged: true, Untested: []string{"f"}}, tdd.Pass},
		{"the same while a test fails", tdd.Edit{Rel: "src/x.py", Delta: code, Test: real, HasTest: true, Untested: []string{"f"}, LastRun: tdd.RunRed}, tdd.Pass},
		{"refactor on green", tdd.Edit{Rel: "src/x.py", Delta: tdd.Delta{Change: tdd.Refactor}, LastRun: tdd.RunGreen}, tdd.Pass},
		{"refactor, no run seen", tdd.Edit{Rel: "src/x.py", Delta: tdd.Delta{Change: tdd.Refactor}, LastRun: tdd.RunUnknown}, tdd.Warn},
		{"refactor on red", tdd.Edit{Rel: "src/x.py", Delta: tdd.Delta{Change: tdd.Refactor}, LastRun: tdd.RunRed}, tdd.Warn},
	} {
		if got := tdd.Judge(tt.edit); got.Outcome != tt.want || got.Why == "" {
			t.Errorf("%s: Judge = %+v, want %s", tt.name, got, tt.want)
		}
	}
}

// judge walks one edit through finder, comparison and rule, as a hook does.
func judge(t *testing.T, files map[string]string, rel, before, after string, run tdd.LastRun) tdd.Decision {
	t.Helper()
	if after != "" {
		files[rel] = after
	}
	found, has := find(t, tree(t, files), rel)
	return tdd.Judge(tdd.Edit{Rel: rel, Delta: tdd.Compare(tdd.LanguageOf(rel), []byte(before), []byte(after)), Test: found, HasTest: has, LastRun: run})
}

// Complaints about comparable tools, by their number in the handed list.
func TestHandedCases(t *testing.T) {
	t.Parallel()
	dup := "package h\n\nfunc max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n\nfunc h() int { return 1 }\n"
	noDup := "package h\n\nfunc h() int { return 1 }\n"
	if d := judge(t, map[string]string{}, "handlers.go", dup, noDup, tdd.RunGreen); d.Outcome != tdd.Pass {
		t.Errorf("C1, a duplicate removed on green: %+v", d)
	}
	// The failing run of another directory: see TestTestCommand. Its test is found beside the new file.
	if d := judge(t, map[string]string{"packages/a/src/x.test.ts": jsTest}, "packages/a/src/x.ts", "", "export const x = () => 1\n", tdd.RunRed); d.Outcome != tdd.Pass {
		t.Errorf("C3, a new file under a failing test: %+v", d)
	}
	if d := judge(t, map[string]string{"src/x.test.js": jsTest}, "src/x.js", "", "exports.x = () => 1\n", tdd.RunUnknown); d.Outcome != tdd.Pass {
		t.Errorf("C5, no run ever seen, but a test exists: %+v", d)
	}
	if d := judge(t, map[string]string{}, "tests/test_a.py", pyTest, pyTest+"def test_new():\n    assert g() == 2\n", tdd.RunGreen); d.Outcome != tdd.Pass {
		t.Errorf("C7, a test added on green: %+v", d)
	}
	if d := judge(t, map[string]string{}, "a.go", "package a\nfunc f(){ g( 1 ) }\n", "package a\n\n// f calls g.\nfunc f() { g(1) }\n", tdd.RunUnknown); d.Outcome != tdd.Pass {
		t.Errorf("C13, comments and gofmt: %+v", d)
	}
}

// Example 5 of the acceptance list: the signal opens, a stub leaves it open, an assertion resolves it.
func TestStubDoesNotResolve(t *testing.T) {
	t.Parallel()
	src := "def f():\n    return 1\n"
	for test, want := range map[string]tdd.Outcome{"": tdd.Violation, "import a\n": tdd.Violation, "def test_a():\n    assert True\n": tdd.Violation, pyTest: tdd.Pass} {
		if d := judge(t, map[string]string{"tests/test_a.py": test}, "src/a.py", "", src, tdd.RunUnknown); d.Outcome != want {
			t.Errorf("with the test %q: %+v, want %s", test, d, want)
		}
	}
	if d := judge(t, map[string]string{}, "src/a.py", "", src, tdd.RunUnknown); d.Outcome != tdd.Violation {
		t.Errorf("without a test: %+v", d)
	}
}

func TestUnmentioned(t *testing.T) {
	t.Parallel()
	f := tdd.NewFinder(tree(t, map[string]string{"tests/test_a.py": "from a import one  # two\n" + pyTest + "    assert one() and 'three'\n"}))
	defer f.Close()
	got := f.Unmentioned("tests/test_a.py", []string{"one", "two", "three"})
	if strings.Join(got, " ") != "two three" {
		t.Errorf("Unmentioned = %v, want two and three", got)
	}
}

func TestMessageIsShort(t *testing.T) {
	t.Parallel()
	long := "src/" + strings.Repeat("ünterordner/", 80) + "x.py"
	for _, rel := range []string{"src/x.py", "a.go", "x.unknown", long} {
		for _, found := range []tdd.Found{{}, {Path: "tests/test_x.py", Stub: true}, {Path: "tests/" + long, Stub: true}} {
			m := tdd.Message(rel, found, found.Path != "")
			if len(m) > 400 || !strings.HasPrefix(m, "[devflow:tdd] ") || !strings.Contains(m, "FAIL") {
				t.Errorf("Message(%.40q, %.60v) has %d bytes: %s", rel, found, len(m), m)
			}
		}
	}
	if m := tdd.Message("src/x.py", tdd.Found{}, false); !strings.Contains(m, "src/x.py") || !strings.Contains(m, "tests/test_x.py") {
		t.Errorf("Message = %s", m)
	}
}
