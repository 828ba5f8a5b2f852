package debris_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/safety/debris"
)

func TestDebris(t *testing.T) {
	t.Parallel()
	const py, golang, ts = "def f(x):\n    return x\n", "package a\n\nfunc F() int {\n\treturn 1\n}\n", "export function f() {\n  return 1\n}\n"
	tests := []struct{ name, path, before, after, want string }{
		{"python print", "src/a.py", py, "def f(x):\n    print(x)\n    return x\n", "debug-leftover:2 soft"},
		{"python breakpoint", "scripts/a.py", py, "def f(x):\n    breakpoint()\n    return x\n", "debug-leftover:2 soft"},
		{"python script", "scripts/a.py", py, "def f(x):\n    print(x)\n    return x\n", ""},
		{"python report", "src/a.py", py, py + "\n\ndef print_total(x):\n    print(x)\n", ""},
		{"go", "a.go", golang, "package a\n\nfunc F() int {\n\tfmt.Println(\"here\")\n\treturn 1\n}\n", "debug-leftover:4 soft"},
		{"go writer", "a.go", golang, "package a\n\nfunc F() int {\n\tfmt.Fprintln(w, \"x\")\n\treturn 1\n}\n", ""},
		{"ts", "src/a.ts", ts, "export function f() {\n  console.log('>>>', 1)\n  return 1\n}\n", "debug-leftover:2 soft"},
		{"ts warning", "src/a.ts", ts, "export function f() {\n  console.warn('deprecated')\n  return 1\n}\n", ""},
		{"java", "src/main/java/A.java", "class A {\n  int f() {\n    return 1;\n  }\n}\n", "class A {\n  int f() {\n    System.out.println(\"x\");\n    return 1;\n  }\n}\n", "debug-leftover:3 soft"},
		{"dart", "lib/a.dart", "int f() {\n  return 1;\n}\n", "int f() {\n  debugPrint('x');\n  return 1;\n}\n", "debug-leftover:2 soft"},
		{"a test", "tests/test_a.py", py, "def f(x):\n    print(x)\n    return x\n", ""},
		{"ts comment", "src/a.ts", ts, "export function f() {\n  // const a = g()\n  // if (a) {\n  //   return h(a)\n  // }\n  return 1\n}\n", "commented-code:2 soft"},
		{"ts block", "src/a.ts", ts, "export function f() {\n  /*\n  const a = g();\n  if (a) {\n    return h(a);\n  }\n  */\n  return 1\n}\n", "commented-code:3 soft"},
		{"java comment", "src/main/java/A.java", "class A {\n  int f() {\n    return 1;\n  }\n}\n", "class A {\n  int f() {\n    // List<String> all = new ArrayList<>();\n    // all.add(name);\n    // return all.size();\n    return 1;\n  }\n}\n", "commented-code:3 soft"},
		{"rust comment", "src/a.rs", "fn f() -> i32 {\n    1\n}\n", "fn f() -> i32 {\n    // let mut a = vec![];\n    // a.push(1);\n    // return a.len();\n    1\n}\n", "commented-code:2 soft"},
		{"dart comment", "lib/a.dart", "int f() {\n  return 1;\n}\n", "int f() {\n  // final a = g();\n  // await a.close();\n  // return a.total;\n  return 1;\n}\n", "commented-code:2 soft"},
		{"python comment", "src/a.py", py, "def f(x):\n    # y = g(x)\n    # if y is None:\n    #     raise ValueError(x)\n    return x\n", "commented-code:2 soft"},
		{"two lines", "src/a.py", py, "def f(x):\n    # y = g(x)\n    # h(y)\n    return x\n", ""},
		{"go documentation", "a.go", golang, golang + "\n// G adds.\n//\n//\tr := G()\n//\tr.Add(1)\n//\tr.Close()\nfunc G() {}\n", ""},
		{"documentation", "src/a.rs", "fn f() {}\n", "/// let a = f();\n/// a.push(1);\n/// a.close();\nfn f() {}\n", ""},
		{"a list", "src/a.py", py, "# Rules of the name:\n# - it begins with a letter\n# - it has at most 20 characters\n# - it is not taken (see check_name)\n" + py, ""},
		{"a licence", "src/a.go", golang, "// Copyright 2024 the authors.\n// Use of this source code is governed by the licence;\n// see LICENSE for more (MIT).\n" + golang, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := rulecase.Of(map[string][]byte{tt.path: []byte(tt.before)}, map[string][]byte{tt.path: []byte(tt.after)}, nil)
			var got []string
			for _, r := range debris.Rules() {
				for _, f := range rulecase.Findings(r, c) {
					got = append(got, r.ID+":"+strings.TrimPrefix(f, tt.path+":"))
				}
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("found %q, want %q in\n%s", s, tt.want, tt.after)
			}
		})
	}
}
