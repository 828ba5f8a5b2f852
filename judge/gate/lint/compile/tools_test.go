package compile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakes of tools that need not be installed: each speaks as the real one does.
const (
	fakeRuby = "#!/bin/sh\ncase $1 in -v) echo 'ruby 2.6.10p210 (2022-04-12)'; exit;; esac\nfor f; do :; done\ngrep -q BROKEN $f || { echo 'Syntax OK'; exit; }\necho \"$f:2: syntax error, unexpected end-of-input\" >&2\nexit 1\n"
	fakePHP  = "#!/bin/sh\nfor f; do :; done\ncase $f in -v) echo 'PHP 8.1.2 (cli)'; exit;; esac\ngrep -q BROKEN $f || exit 0\necho \"PHP Parse error:  syntax error, unexpected end of file in $f on line 3\" >&2\necho \"Errors parsing $f\"\nexit 255\n"
	fakeDart = "#!/bin/sh\ngrep -ls BROKEN *.dart | while read f; do echo \"ERROR|SYNTACTIC_ERROR|EXPECTED_TOKEN|$PWD/$f|2|5|1|Expected to find ';'.\"; done\necho \"ERROR|COMPILE_TIME_ERROR|URI_DOES_NOT_EXIST|$PWD/f0.dart|1|1|1|Target of URI does not exist.\"\nexit 3\n"
	fakeTSC  = "#!/bin/sh\nfor f in $(grep -ls BROKEN f*.ts f*.tsx f*.jsx); do echo \"$f(2,5): error TS1005: ';' expected.\"; done\ngrep -q UNCLOSED f0.tsx 2>/dev/null && echo \"f0.tsx(1,11): error TS17008: JSX element 'div' has no corresponding closing tag.\"\necho \"f0.ts(1,1): error TS2307: Cannot find module 'x'.\"\nexit 2\n"
	fakeLib  = "exports.version = '5.9.1'; exports.ScriptTarget = {Latest: 99}; exports.flattenDiagnosticMessageText = m => m;\n" +
		"exports.createSourceFile = (n, s) => ({parseDiagnostics: s.includes('BROKEN') ? [{start: s.indexOf('BROKEN'), messageText: \"';' expected.\"}] : [], getLineAndCharacterOfPosition: p => ({line: s.slice(0, p).split('\\n').length - 1})});\n"
)

// It changes PATH, so it cannot run beside others.
func TestToolsThatAreInstalled(t *testing.T) {
	bin := t.TempDir()
	for name, text := range map[string]string{"ruby": fakeRuby, "php": fakePHP, "dart": fakeDart, "tsc": fakeTSC} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, tt := range []struct{ path, now, want, text string }{
		{"a.rb", "x\n", "ok", ""},
		{"a.rb", "\nBROKEN", "fail", "Line:2 Text:syntax error, unexpected end-of-input"},
		{"a.php", "x\n", "ok", ""},
		{"a.php", "\n\nBROKEN", "fail", "Line:3 Text:PHP Parse error"},
		{"a.dart", "import 'x';\n", "ok", ""}, // what cannot be resolved is no error of syntax
		{"a.dart", "\nBROKEN", "fail", "Line:2 Text:Expected to find"},
		{"a.ts", "import 'x'\n", "ok", ""},
		{"a.ts", "\nBROKEN", "fail", "Line:2 Text:';' expected."},
		{"a.tsx", "\nBROKEN", "fail", "Line:2"},
		{"a.tsx", "const a = <div>UNCLOSED", "fail", "Line:1 Text:JSX element"},
		{"a.jsx", "const x = <b>ok</b>\n", "ok", ""},
		{"a.js", "const x = <b>BROKEN</b>\n", "fail", "Line:2"},
	} {
		got, detail := outcome(t, "", nil, tt.path, "", tt.now)
		if got != tt.want || !strings.Contains(detail, tt.text) {
			t.Errorf("%s %q: %s %s, want %s %q", tt.path, tt.now, got, detail, tt.want, tt.text)
		}
	}
	for path, version := range map[string][2]string{"a.rb": {".ruby-version", "3.3.0\n"}, "a.php": {"composer.json", "{\n  \"require\": {\n    \"php\": \"^8.3\"\n  }\n}"}} {
		if got, detail := outcome(t, "", map[string]string{version[0]: version[1]}, path, "", "BROKEN"); got != "skip" || !strings.Contains(detail, "older than the project's") {
			t.Errorf("%s of a later version: %s %s, want skip", path, got, detail)
		}
	}
}

func TestTheProjectsOwnTypeScript(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	lib := filepath.Join(root, "node_modules", "typescript")
	if err := os.MkdirAll(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lib, "index.js"), []byte(fakeLib), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, now, want string }{
		{"a.ts", "let x: number = 1\n", "ok"},
		{"a.ts", "\n\nBROKEN", "fail"},
		{"a.d.ts", "declare const x: number\n", "ok"},
		{"a.jsx", "export default () => <b>x</b>\n", "ok"},
		{"a.js", "export default () => <b>BROKEN</b>\n", "fail"},
	} {
		got, detail := outcome(t, root, nil, tt.path, "", tt.now)
		if got != tt.want || tt.path == "a.ts" && got == "fail" && !strings.Contains(detail, "Line:3") {
			t.Errorf("%s %q: %s %s, want %s", tt.path, tt.now, got, detail, tt.want)
		}
	}
}
