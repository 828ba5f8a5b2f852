package coverage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/lint/coverage"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

func run(t *testing.T, before, after pushed.Memory, config pushed.Config) (string, []pushed.Finding) {
	t.Helper()
	in := pushed.Input{Before: before, After: after, Changes: pushed.Between(before, after), Config: config}
	found, _, _, err := coverage.Check(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	out := "ok"
	for _, f := range found {
		if f.Fail {
			return "fail", found
		}
		out = "note"
	}
	return out, found
}

const (
	goCode = "package p\n\nfunc Pay(x int) int {\n\tif x > 0 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n"
	goTest = "package p\n\nimport \"testing\"\n\nfunc TestPay(t *testing.T) {\n\tif Pay(1) != 1 {\n\t\tt.Error(1)\n\t}\n}\n"
	pyCode = "def pay(x):\n    if x:\n        return 1\n    return 2\n"
	pyTest = "from pay import pay\n\ndef test_pay():\n    assert pay(1) == 1\n"
	tsCode = "export function pay(x: number) { return x > 0 ? 1 : 2 }\n"
	tsTest = "import { pay } from './pay'\nit('pays', () => { expect(pay(1)).toBe(1) })\n"
)

func TestChangedCodeNeedsATest(t *testing.T) {
	t.Parallel()
	type tree = pushed.Memory
	for _, tt := range []struct {
		name          string
		before, after tree
		config        pushed.Config
		want          string
	}{
		{"Go without a test", tree{}, tree{"p/pay.go": goCode}, pushed.Config{}, "fail"},
		{"Go with a test", tree{}, tree{"p/pay.go": goCode, "p/pay_test.go": goTest}, pushed.Config{}, "ok"},
		{"Go, a test of another name in the package", tree{}, tree{"p/pay.go": goCode, "p/all_test.go": goTest}, pushed.Config{}, "ok"},
		{"Go, a test elsewhere", tree{}, tree{"p/pay.go": goCode, "q/pay_test.go": goTest}, pushed.Config{}, "fail"},
		{"Go, a stub", tree{}, tree{"p/pay.go": goCode, "p/pay_test.go": "package p\n\nimport \"testing\"\n\nfunc TestPay(t *testing.T) {}\n"}, pushed.Config{}, "fail"},
		{"Python without a test", tree{}, tree{"src/pay.py": pyCode}, pushed.Config{}, "fail"},
		{"Python mirrored", tree{}, tree{"src/pay.py": pyCode, "tests/test_pay.py": pyTest}, pushed.Config{}, "ok"},
		{"Python, a test that imports it under another name", tree{}, tree{"src/pay.py": pyCode, "tests/test_money.py": pyTest}, pushed.Config{}, "ok"},
		{"Python, an unrelated test", tree{}, tree{"src/pay.py": pyCode, "tests/test_other.py": "def test_x():\n    assert f() == 1\n"}, pushed.Config{}, "fail"},
		{"TypeScript beside", tree{}, tree{"src/pay.ts": tsCode, "src/pay.test.ts": tsTest}, pushed.Config{}, "ok"},
		{"TypeScript without", tree{}, tree{"src/pay.ts": tsCode}, pushed.Config{}, "fail"},
		{"TypeScript in __tests__", tree{}, tree{"src/pay.ts": tsCode, "src/__tests__/pay.ts": tsTest}, pushed.Config{}, "ok"},
		{"a monorepo package", tree{}, tree{"packages/a/src/pay.ts": tsCode, "packages/a/test/pay.test.ts": strings.ReplaceAll(tsTest, "./pay", "../src/pay")}, pushed.Config{}, "ok"},
		{"Dart feature", tree{}, tree{"lib/features/x/pay.dart": "int pay(int x) { if (x > 0) { return 1; } return 2; }"}, pushed.Config{}, "fail"},
		{"Dart feature with a test", tree{}, tree{"lib/features/x/pay.dart": "int pay(int x) { if (x > 0) { return 1; } return 2; }", "test/features/x/pay_test.dart": "void main() { test('p', () { expect(pay(1), 1); }); }"}, pushed.Config{}, "ok"},
		{"Rust with tests inside", tree{}, tree{"src/pay.rs": "pub fn pay(x: i32) -> i32 { if x > 0 { 1 } else { 2 } }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn pays() { assert_eq!(super::pay(1), 1); }\n}\n"}, pushed.Config{}, "ok"},
		{"Rust without", tree{}, tree{"src/pay.rs": "pub fn pay(x: i32) -> i32 { if x > 0 { 1 } else { 2 } }\n"}, pushed.Config{}, "fail"},
		{"Java", tree{}, tree{"src/main/java/p/Pay.java": "class Pay { int pay(int x) { if (x > 0) return 1; return 2; } }", "src/test/java/p/PayTest.java": "class PayTest { @Test void pays() { assertEquals(1, new Pay().pay(1)); } }"}, pushed.Config{}, "ok"},
		{"Kotlin without", tree{}, tree{"src/main/kotlin/p/Pay.kt": "class Pay { fun pay(x: Int): Int { if (x > 0) return 1; return 2 } }"}, pushed.Config{}, "fail"},

		{"a comment", tree{"src/pay.py": pyCode}, tree{"src/pay.py": "# why\n" + pyCode}, pushed.Config{}, "ok"},
		{"formatting", tree{"src/pay.ts": tsCode}, tree{"src/pay.ts": strings.ReplaceAll(tsCode, " { ", " {\n  ")}, pushed.Config{}, "ok"},
		{"imports", tree{"src/pay.py": pyCode}, tree{"src/pay.py": "import os\n" + pyCode}, pushed.Config{}, "ok"},
		{"types only", tree{}, tree{"src/types.ts": "export interface A { x: number }\nexport type B = string\n"}, pushed.Config{}, "ok"},
		{"something removed", tree{"src/pay.py": pyCode + "def old():\n    return 3\n"}, tree{"src/pay.py": pyCode}, pushed.Config{}, "note"},
		{"documents only", tree{}, tree{"README.md": "x", "docs/a.py": pyCode}, pushed.Config{}, "ok"},
		{"deletion only", tree{"src/pay.py": pyCode}, tree{}, pushed.Config{}, "ok"},
		{"configuration", tree{}, tree{"package.json": "{}", "vite.config.ts": tsCode, "Makefile": "x:"}, pushed.Config{}, "ok"},
		{"generated", tree{}, tree{"p/x.pb.go": goCode, "p/mock.go": "// Code generated by mockgen. DO NOT EDIT.\n" + goCode}, pushed.Config{}, "ok"},
		{"vendored", tree{}, tree{"vendor/x/pay.go": goCode, "third_party/y/pay.py": pyCode}, pushed.Config{}, "ok"},
		{"out of scope", tree{}, tree{"tools/pay.py": pyCode}, pushed.Config{SourceDirs: []string{"src"}}, "ok"},
		{"in scope", tree{}, tree{"src/pay.py": pyCode}, pushed.Config{SourceDirs: []string{"src"}}, "fail"},
		{"rule switched off", tree{}, tree{"src/pay.py": pyCode}, pushed.Config{TestsOptional: true}, "note"},
		{"renamed with its test", tree{"src/pay.py": pyCode, "tests/test_pay.py": pyTest}, tree{"src/money.py": pyCode, "tests/test_money.py": strings.ReplaceAll(pyTest, "from pay", "from money")}, pushed.Config{}, "ok"},
		{"a test taken away", tree{"src/pay.py": pyCode, "tests/test_pay.py": pyTest}, tree{"src/pay.py": pyCode + "def more(x):\n    return x + 1\n"}, pushed.Config{}, "fail"},
		{"Latin-1", tree{}, tree{"src/pay.py": "# caf\xe9\n" + pyCode, "tests/test_pay.py": pyTest + "# \xe9\n"}, pushed.Config{}, "ok"},
		{"reached through its caller", tree{}, tree{
			"src/helper.py": "def helper(x):\n    if x:\n        return 1\n    return 2\n", "src/pay.py": "from helper import helper\n\ndef pay(x):\n    return helper(x) + 1\n", "tests/test_pay.py": pyTest}, pushed.Config{}, "note"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, found := run(t, tt.before, tt.after, tt.config); got != tt.want {
				t.Errorf("%s %+v, want %s", got, found, tt.want)
			}
		})
	}
}

func TestTheMessageSaysWhereTheTestBelongs(t *testing.T) {
	t.Parallel()
	_, found := run(t, nil, pushed.Memory{"src/pay.py": pyCode}, pushed.Config{})
	if len(found) != 1 || found[0].File != "src/pay.py" || !strings.Contains(found[0].Text, "tests/test_pay.py") {
		t.Errorf("found %+v, want the path of the test", found)
	}
}

// A large push is judged, and once enough is wrong the rest need not be looked at.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	after := pushed.Memory{}
	for i := range 1500 {
		name := fmt.Sprintf("pay%04d", i)
		after["src/"+name+".py"] = strings.ReplaceAll(pyCode, "pay", name)
		after["tests/test_"+name+".py"] = strings.ReplaceAll(pyTest, "pay", name)
	}
	if got, found := run(t, nil, after, pushed.Config{}); got != "ok" {
		t.Errorf("all with tests: %s, %d findings such as %+v", got, len(found), found[0])
	}
	for i := range 1000 {
		delete(after, fmt.Sprintf("tests/test_pay%04d.py", i))
	}
	if got, found := run(t, nil, after, pushed.Config{}); got != "fail" || len(found) > 110 {
		t.Errorf("a thousand without: %s, %d findings", got, len(found))
	}
}
