package compare_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/compare"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	const goFile = "package a\n\nimport \"fmt\"\n\n// Max is it.\nfunc Max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n\nfunc Show(x int) {\n\tfmt.Println(Max(x, 1))\n}\n"
	for _, tt := range []struct {
		name          string
		lang          source.Lang
		before, after string
		want          compare.Change
	}{
		// Nothing that runs.
		{"same", source.Go, goFile, goFile, compare.NoChange},
		{"comment", source.Go, goFile, strings.Replace(goFile, "is it", "returns the greater", 1), compare.NoChange},
		{"gofmt", source.Go, "func f(a int){return g(a,\n1,\n)}", "func f(a int) {\n\treturn g(a, 1)\n}\n", compare.NoChange},
		{"prettier", source.JS, "const f = (a) => { return 'x' }", "const f = (a) => {\n  return \"x\";\n};\n", compare.NoChange},
		{"black", source.Python, "def f(a,b): return {'a':1,\n 'b':2}\n", "def f(a, b): return {\n    \"a\": 1,\n    \"b\": 2,\n}\n", compare.NoChange},
		{"docstring", source.Python, "def f():\n    \"\"\"Old.\"\"\"\n    return 1\n", "def f():\n    \"\"\"New\n    words.\"\"\"\n    return 1\n", compare.NoChange},
		{"blank lines", source.Ruby, "def a\n  b\nend\n", "# note\ndef a\n\n  b\nend\n", compare.NoChange},
		{"new file of comments", source.Go, "", "// Package a is.\npackage a\n", compare.Declares},
		{"unknown language, blanks", "", "a b\n", "a  b", compare.NoChange},
		// Imports.
		{"go import", source.Go, goFile, strings.Replace(goFile, "import \"fmt\"", "import (\n\t\"fmt\"\n\t\"os\"\n)", 1), compare.ImportsOnly},
		{"python import", source.Python, "import os\nx()\n", "import os, sys\nfrom a import (\n    b,\n    c,\n)\nx()\n", compare.ImportsOnly},
		{"ts import", source.TS, "import a from 'a'\nf()\n", "import { a,\n  b } from 'a'\nimport 'c'\nf()\n", compare.ImportsOnly},
		{"js require", source.JS, "f()\n", "const { a } = require('a');\nconst b = require('b')\nf()\n", compare.ImportsOnly},
		{"rust use", source.Rust, "fn f() { g() }", "use a::{b,\n c};\nfn f() { g() }", compare.ImportsOnly},
		{"c include", source.C, "int f(void) { return g(); }", "#include <a.h>\n#include \"b.h\"\nint f(void) { return g(); }", compare.ImportsOnly},
		{"csharp using", source.CSharp, "class A { void F() { G(); } }", "using System;\nusing static X.Y;\nclass A { void F() { G(); } }", compare.ImportsOnly},
		{"java import", source.Java, "class A { void f() { g(); } }", "import a.B;\nimport static c.D.*;\nclass A { void f() { g(); } }", compare.ImportsOnly},
		{"a call is no import", source.JS, "f()\n", "const a = require('a').start()\nf()\n", compare.Code},
		{"a using block is no import", source.CSharp, "class A { void F() { G(); } }", "class A { void F() { using (var x = H()) { G(); } } }", compare.Code},
		// Declarations.
		{"ts interface", source.TS, "", "export interface A { b: number; c(x: string): void }\nexport type D = 'x' | 'y'\n", compare.Declares},
		{"ts function types", source.TS, "", "import { A } from './a'\n\nexport type F = (x: A) => void\nexport interface G { h?: () => A; i(x: string): void }\n", compare.Declares},
		{"ts arrow function", source.TS, "", "export default (x: number) => x + 1\n", compare.Code},
		{"long new file", source.Go, "", "package a\n\nfunc f() int {\n\tif x {\n\t\treturn 1\n\t}\n\treturn 2\n}\n" + strings.Repeat("// more\n", 500), compare.Code},
		{"long new file of types", source.Go, "", "package a\n\n" + strings.Repeat("type T struct{ A int }\n", 200), compare.Declares},
		{"constants", source.Python, "A = 1\n", "A = 2\nB = 'x'\n", compare.Declares},
		{"java interface", source.Java, "", "package a;\npublic interface A { int b(String c); List<D> e(); }\n", compare.Declares},
		{"go struct", source.Go, "", "package a\n\ntype A struct {\n\tB int `json:\"b\"`\n}\n\nconst C = 1\n", compare.Declares},
		{"a script runs", source.Python, "", "print('x')\n", compare.Code},
		{"a constant in a file that runs", source.Go, goFile + "const Rate = 1\n", goFile + "const Rate = 2\n", compare.Code},
		// Rearranged.
		{"duplicate removed", source.Go, goFile, strings.Replace(goFile, "func Max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n", "", 1), compare.Refactor},
		{"renamed", source.Go, goFile, strings.ReplaceAll(goFile, "Max", "Greater"), compare.Refactor},
		{"functions swapped", source.Python, "def a():\n    x()\ndef b():\n    y()\n", "def b():\n    y()\ndef a():\n    x()\n", compare.Refactor},
		{"variable extracted", source.Python, "def f(a, b):\n    return g(a * b)\n", "def f(a, b):\n    product = a * b\n    return g(product)\n", compare.Refactor},
		{"variable inlined", source.JS, "function f(a) { const x = g(a); return x }", "function f(a) { return g(a) }", compare.Refactor},
		{"branch removed", source.Python, "def f(a):\n    if a:\n        g()\n    h()\n", "def f(a):\n    h()\n", compare.Refactor},
		{"file removed", source.Go, goFile, "", compare.Refactor},
		{"body replaced by a call", source.Go, "func a() { x := 1; y := 2; z(x, y) }\nfunc b() { x := 1; y := 2; z(x, y) }", "func a() { x := 1; y := 2; z(x, y) }\nfunc b() { a() }", compare.Refactor},
		// New code.
		{"new function", source.Go, goFile, goFile + "func New() {}\n", compare.Code},
		{"function extracted", source.Python, "def f():\n    a()\n    b()\n", "def f():\n    g()\n    b()\ndef g():\n    a()\n", compare.Code},
		{"operator", source.Python, "def f(a, b):\n    return a - b\n", "def f(a, b):\n    return a + b\n", compare.Code},
		{"literal", source.Python, "def f(a):\n    return a * 2\n", "def f(a):\n    return a * 3\n", compare.Code},
		{"special case", source.Python, "def f(a, b):\n    return a - b\n", "def f(a, b):\n    if (a, b) == (2, 2):\n        return 4\n    return a - b\n", compare.Code},
		{"new call", source.JS, "function f() { a() }", "function f() { a(); wipe() }", compare.Code},
		{"new branch", source.Go, goFile, strings.Replace(goFile, "return b\n", "if b < 0 {\n\t\treturn 0\n\t}\n\treturn b\n", 1), compare.Code},
		{"indentation", source.Python, "def f(a):\n    if a:\n        g()\n        h()\n", "def f(a):\n    if a:\n        g()\n    h()\n", compare.Code},
		{"await added", source.TS, "async function f() { g() }", "async function f() { await g() }", compare.Code},
		{"tuple", source.Python, "def f():\n    return (a)\n", "def f():\n    return (a,)\n", compare.Refactor},
		{"new file", source.Go, "", goFile, compare.Code},
		{"swapped names", source.Go, "func f(a, b int) int { return g(a, b) }", "func f(a, b int) int { return g(b, a) }", compare.Code},
		{"returned variable replaced", source.Python, "def f(a, b):\n    return a\n", "def f(a, b):\n    return b\n", compare.Code},
		{"unknown language", "", "a b\n", "a c\n", compare.Code},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := compare.Compare(tt.lang, []byte(tt.before), []byte(tt.after))
			if got.Change != tt.want {
				t.Errorf("Compare = %+v, want %s", got, tt.want)
			}
		})
	}
}

func TestDeltaNamesFunctions(t *testing.T) {
	t.Parallel()
	got := compare.Compare(source.Python, []byte("def a():\n    x()\ndef b():\n    y()\n"), []byte("def a():\n    if z: x()\ndef c():\n    y(1)\n"))
	want := compare.Delta{Change: compare.Code, NewFuncs: []string{"c"}, Gone: []string{"b"}, Added: 5, Removed: 1, Branches: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Compare (-want +got):\n%s", diff)
	}
}

func FuzzCompare(f *testing.F) {
	for _, l := range []source.Lang{source.Go, source.Python, source.JS, source.Rust, source.CSharp, source.PHP, source.Ruby} {
		f.Add(string(l), "import a\nuse b;\nusing c;\ndef f(x,):\n  return (1,)\n", "#include <a>\nconst {b} = require('c')\nfunc g() {}\n")
	}
	f.Fuzz(func(t *testing.T, lang, a, b string) {
		l := source.Lang(lang)
		if d := compare.Compare(l, []byte(a), []byte(a)); d.Change != compare.NoChange {
			t.Fatalf("%q differs from itself: %+v", a, d)
		}
		there, back := compare.Compare(l, []byte(a), []byte(b)), compare.Compare(l, []byte(b), []byte(a))
		if (there.Change == compare.NoChange) != (back.Change == compare.NoChange) || (there.Change == compare.ImportsOnly) != (back.Change == compare.ImportsOnly) {
			t.Fatalf("%q and %q: %s there, %s back", a, b, there.Change, back.Change)
		}
	})
}
