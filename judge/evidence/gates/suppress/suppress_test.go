package suppress_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/gates/suppress"
)

func TestSilencedWarnings(t *testing.T) {
	t.Parallel()
	const py, golang, ts = "def f(x):\n    return g(x)\n", "package a\n\nfunc F() {}\n", "export function f() {\n  return g()\n}\n"
	const java, rust, dart = "class A {\n  void f() {}\n}\n", "fn f() {}\n", "void f() {}\n"
	tests := []struct{ name, path, before, after, want string }{
		{"python file", "src/a.py", py, "# mypy: ignore-errors\n" + py, "1 soft"},
		{"python ruff", "src/a.py", py, "# ruff: noqa\n" + py, "1 soft"},
		{"python line", "src/a.py", py, "def f(x):\n    return g(x)  # type: ignore\n", "2 soft"},
		{"python named", "src/a.py", py, "def f(x):\n    return g(x)  # noqa: E501\n", "2 soft"},
		{"python explained", "src/a.py", py, "def f(x):\n    return g(x)  # type: ignore[arg-type]  # stubs of g are wrong\n", ""},
		{"python new line", "src/a.py", py, py + "\n\ndef h(x):\n    return g(x)  # type: ignore[arg-type]\n", ""},
		{"go all", "a.go", golang, "package a\n\n//nolint\nfunc F() {}\n", "3 soft"},
		{"go named", "a.go", golang, "package a\n\n//nolint:errcheck,staticcheck\nfunc F() {}\n", "3 soft"},
		{"go named with a reason", "a.go", golang, "package a\n\n//nolint:errcheck // closing a reader cannot fail\nfunc F() {}\n", ""},
		{"ts file", "src/a.ts", ts, "// @ts-nocheck\n" + ts, "1 soft"},
		{"ts eslint", "src/a.ts", ts, "/* eslint-disable */\n" + ts, "1 soft"},
		{"ts line", "src/a.ts", ts, "export function f() {\n  // @ts-expect-error\n  return g()\n}\n", "2 soft"},
		{"ts new line", "src/a.ts", ts, ts + "// @ts-expect-error g is not typed\ng(1)\n", ""},
		{"java all", "src/A.java", java, "class A {\n  @SuppressWarnings(\"all\")\n  void f() {}\n}\n", "2 soft"},
		{"java new", "src/A.java", java, "class A {\n  void f() {}\n\n  @SuppressWarnings(\"unchecked\")\n  void h() {}\n}\n", ""},
		{"rust", "src/a.rs", rust, "#[allow(warnings)]\n" + rust, "1 soft"},
		{"rust new", "src/a.rs", rust, rust + "\n#[allow(clippy::too_many_arguments)]\nfn g() {}\n", ""},
		{"dart file", "lib/a.dart", dart, "// ignore_for_file: type=lint\n" + dart, "1 soft"},
		{"dart line", "lib/a.dart", dart, "// ignore: unused_element, avoid_print\n" + dart, "1 soft"},
		{"moved", "src/a.py", "x = 1  # type: ignore\ny = 2\n", "y = 2\nx = 1  # type: ignore\n", ""},
		{"a test", "tests/test_a.py", py, "# mypy: ignore-errors\n" + py, ""},
		{"settings", "mypy.ini", "[mypy]\n", "[mypy]\nignore_errors = true\n", "2 soft"},
		{"in a string", "src/a.py", py, py + "X = 'noqa'\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := rulecase.Of(map[string][]byte{tt.path: []byte(tt.before)}, map[string][]byte{tt.path: []byte(tt.after)}, nil)
			var got []string
			for _, f := range rulecase.Findings(suppress.Rules()[0], c) {
				got = append(got, strings.TrimPrefix(f, tt.path+":"))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("found %q, want %q in\n%s", s, tt.want, tt.after)
			}
		})
	}
}
