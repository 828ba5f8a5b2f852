package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/lint/compile"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// outcome is "ok", "note", "fail" or "skip" of a push that writes one file.
func outcome(t *testing.T, root string, others map[string]string, path, before, now string) (string, string) {
	t.Helper()
	old, after := pushed.Memory{}, pushed.Memory{}
	for p, s := range others {
		old[p], after[p] = s, s
	}
	if before != "" {
		old[path] = before
	}
	after[path] = now
	in := pushed.Input{Before: old, After: after, Changes: pushed.Between(old, after), Root: root}
	found, skipped, _, err := compile.Check(t.Context(), &in)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	detail := fmt.Sprintf("%+v skipped %q", found, skipped)
	switch {
	case len(found) > 0 && found[0].Fail:
		return "fail", detail
	case len(found) > 0:
		return "note", detail
	case len(skipped) > 0:
		return "skip", detail
	}
	return "ok", detail
}

func TestEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ path, now, want string }{
		{"a.go", "package a\n\nfunc f() { x := 1 }\n", "ok"},
		{"a.go", "\xef\xbb\xbfpackage a\r\n\r\nfunc f[T any](x T) {}\r\n", "ok"},
		{"a.go", "package a\n\nfunc f( {\n", "fail"},
		{"a.go", "", "fail"},
		{"a.go", "package a\n// caf\xe9\n", "fail"}, // the compiler refuses it too
		{"testdata/bad.go", "package", "ok"},
		{"internal/x/_templates/a.go", "package {{ .Name }}", "ok"},
		{"templates/a.go", "package {{ .Name }}", "skip"},
		{"vendor/x/a.go", "package", "ok"},

		{"a.json", "{\"a\": [1, 2]}", "ok"},
		{"a.json", "\xef\xbb\xbf{}\r\n", "ok"},
		{"a.json", "{\"a\": [1, 2}", "fail"},
		{"a.json", "{\"a\": 1}}", "fail"},
		{"a.json", "{\"a\": \"caf\xe9\"}", "ok"},
		{"a.json", "// note\n{\"a\": 1,}", "note"},
		{"a.json", "{\"a\": 1}\n{\"a\": 2}\n", "note"},
		{"a.json", "", "note"},
		{"a.json", "<<<<<<< HEAD\n{}\n=======\n", "fail"},
		{"package.json", "{\"a\": 1,}", "fail"},
		{"package.json", "", "fail"},
		{"tsconfig.json", "{\n  // why\n  \"a\": \"http://x/*\", /* b\n */\n  \"c\": [1,],\n}", "ok"},
		{"web/tsconfig.build.json", "{ /* x */ }", "ok"},
		{"tsconfig.json", "{ // x\n \"a\": }", "fail"},
		{".vscode/settings.json", "// x\n{}", "ok"},
		{"x.jsonc", "// x\n{}", "ok"},
		{"a.ipynb", "{", "fail"},
		{"fixtures/bad.json", "{", "ok"},
		{"a.json", "\xff\xfe{\x00}\x00", "skip"},
		{"a.json", strings.Repeat("[", 1<<20), "fail"},

		{"a.toml", "[a]\nb = 1\n", "ok"},
		{"a.toml", "\xef\xbb\xbf[a]\r\nb = \"\"\"x\r\n\"\"\"\r\n", "ok"},
		{"a.toml", "[a\nb = 1\n", "fail"},
		{"a.toml", "a = 1\na = 2\n", "fail"},
		{"a.toml", "a = " + strings.Repeat("[", 1<<20), "fail"},

		{"a.yaml", "a: 1\n---\na: 2\n", "ok"},
		{"a.yml", "a: 1\na: 2\n", "fail"},
		{"a.yml", "a:\n\tb: 1\n", "fail"},
		{"chart/templates/x.yaml", "{{- if .Values.x }}\n\ta: 1\n{{- end }}\n", "skip"},
		{"x.yaml", "name: {{ .Release.Name }}\nname: b\n", "skip"},
		{"a.yaml", "a: \"caf\xe9\"\n", "ok"},

		{"a.py", "def f():\n    return 1\n", "ok"},
		{"a.py", "\xef\xbb\xbfdef f():\r\n    return 1\r\n", "ok"},
		{"a.py", "def f(:\n", "fail"},
		{"a.py", "# -*- coding: latin-1 -*-\ns = 'caf\xe9'\n", "ok"},
		{"a.py", "s = 'caf\xe9'\n", "fail"}, // Python refuses it too
		{"a.py", "x = 1\x00\n", "fail"},
		{"a.py", "", "ok"},
		{"a.py", "x = \"\\d\"\n", "ok"}, // a warning only
		{"a.pyi", "def f() -> int: ...\n", "ok"},
		{"a.py", "#!/usr/bin/env python2\nprint 'x'\n", "ok"},
		{"a.py", "print 'x'\n", "fail"},
		{"a.py", strings.Repeat("(", 1<<20), "fail"},
		{"{{cookiecutter.name}}/a.py", "import {{ cookiecutter.name }}", "ok"},
		{"a.py", "raise SystemExit(3)\nimport os; os._exit(3)\n", "ok"}, // nothing of it runs

		{"a.js", "const f = () => 1;\n", "ok"},
		{"a.js", "const f = ( => 1;\n", "fail"},
		{"a.js", "import x from './x.js';\nexport default x;\nawait x();\n", "ok"},
		{"a.js", "import x from './x.js';\nexport default {;\n", "fail"},
		{"a.js", "#!/usr/bin/env node\nmodule.exports = 1; return;\n", "ok"},
		{"a.js", "\xef\xbb\xbf'use strict';\r\nvar x = 010 + 1 < 2;\r\n", "fail"},
		{"a.js", "with (x) { y = 010 }\n", "ok"},
		{"a.cjs", "import x from 'x'\n", "fail"},
		{"a.mjs", "export const x = await 1\n", "ok"},
		{"a.mjs", "with (x) {}\n", "fail"},
		{"a.jsx", "export default () => <b>it's</b>;\n", "skip"},
		{"a.js", "export default function App() { return <><b a={1}>x</b></>; }\n", "skip"},
		{"a.js", "const s = '<b></b>'; const f = ( => 1;\n", "fail"},
		{"a.js", "// @flow\nexport type A = {| x: number |};\n", "skip"},
		{"a.js", "@dec\nclass A {}\n", "skip"},
		{"a.js", "const s = 'caf\xe9';\n", "ok"},
		{"a.js", "process.exit(3)\n", "ok"},
		{"a.js", strings.Repeat("(", 1<<20), "fail"},
		{"a.min.js", "var a=1", "ok"},

		{"a.sh", "if true; then echo x; fi\n", "ok"},
		{"a.sh", "if true; then echo x\n", "fail"},
		{"a.sh", "#!/bin/bash\nshopt -s extglob\nrm !(a|b)\ncase $x in @(a|b)) ;; esac\n", "ok"},
		{"a.sh", "#!/bin/sh\r\nif true; then\r\n  echo x\r\nfi\r\n", "note"},
		{"a.sh", "#!/bin/zsh\nfor x (a b) { print $x }\n", "ok"},
		{"a.sh", "#!/usr/bin/env python3\nprint((\n", "fail"},
		{"bin/tool", "#!/usr/bin/env bash\nif x; then\n", "fail"},
		{"bin/tool", "#!/bin/sh\necho x\n", "ok"},
		{"bin/tool", "#!/usr/bin/env -S python3 -u\ndef f(:\n", "fail"},
		{"bin/tool", "#!/usr/bin/env node\nlet x = ;\n", "fail"},
		{"bin/tool", "#!/usr/bin/awk -f\n{ print }\n", "ok"},
		{"LICENSE", "if true; then\n", "ok"},
		{"a.sh", "cat <<E\n(((\nE\n", "ok"},

		{"README.md", "# {[(", "ok"},
		{"a.sql", "select (", "ok"},
		{"a.kt", "fun (", "ok"},
	} {
		if got, detail := outcome(t, "", nil, tt.path, "", tt.now); got != tt.want {
			t.Errorf("%s %.60q: %s %s, want %s", tt.path, tt.now, got, detail, tt.want)
		}
	}
}

func TestMissingToolsAreSaid(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"a.rb": "ruby: not installed", "a.php": "php: not installed", "a.dart": "dart: not installed", "a.ts": "tsc: not installed", "b.tsx": "tsc: not installed"} {
		got, detail := outcome(t, "", nil, path, "", "x")
		if got != "skip" || !strings.Contains(detail, want) {
			t.Errorf("%s: %s %s, want skip %q", path, got, detail, want)
		}
	}
}

func TestWhatWasBrokenBeforeIsANote(t *testing.T) {
	t.Parallel()
	for path, bad := range map[string]string{"a.py": "print 'x'\n", "a.go": "package {{x}}\n", "a.yml": "a: 1\na: 2\n", "a.js": "let x = ;\n", "a.sh": "if\n", "a.json": "{\n"} {
		if got, detail := outcome(t, "", nil, path, bad, bad+"\n"); got != "note" {
			t.Errorf("%s broken before: %s %s, want a note", path, got, detail)
		}
		if got, detail := outcome(t, "", nil, path, "\n", bad); path != "a.json" && path != "a.go" && got != "fail" {
			t.Errorf("%s broken now: %s %s, want fail", path, got, detail)
		}
	}
}

func TestAProjectOfALaterPython(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, text, want string }{
		{"wants a later one", "pyproject.toml", "[project]\nrequires-python = \">=3.99\"\n", "skip"},
		{"wants a later one, by version file", ".python-version", "3.99.1\n", "skip"},
		{"wants an earlier one", "pyproject.toml", "[project]\nrequires-python = \">=3.8\"\n", "fail"},
		{"Python 2", "setup.py", "setup(\n    python_requires='>=2.7,<3',\n)\n", "skip"},
		{"says nothing", "pyproject.toml", "[project]\n", "fail"},
	} {
		if got, detail := outcome(t, "", map[string]string{tt.file: tt.text}, "src/deep/a.py", "", "def f(:\n"); got != tt.want {
			t.Errorf("%s: %s %s, want %s", tt.name, got, detail, tt.want)
		}
	}
}

func TestManyFilesOfOneLanguage(t *testing.T) {
	t.Parallel()
	after := pushed.Memory{}
	for i := range 1500 {
		after[fmt.Sprintf("p/a%04d.py", i)] = "x = 1\n"
		after[fmt.Sprintf("j/a%04d.js", i)] = "let x = 1;\n"
	}
	after["p/a1234.py"], after["j/a1235.js"] = "x = (\n", "\n\nlet x = ;\n"
	in := pushed.Input{Before: pushed.Memory{}, After: after, Changes: pushed.Between(nil, after)}
	found, skipped, looked, err := compile.Check(t.Context(), &in)
	if err != nil || len(found) != 2 || len(skipped) != 0 || looked != 3000 {
		t.Fatalf("found %+v, skipped %q, looked at %d, error %v; want two of 3000", found, skipped, looked, err)
	}
	if found[0].File != "p/a1234.py" || found[0].Line != 1 || found[1].File != "j/a1235.js" || found[1].Line != 3 {
		t.Errorf("found %+v", found)
	}
}
