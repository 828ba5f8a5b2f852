package accept_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/plan/accept"
)

// honest commands can fail and can succeed: what people use to accept work.
func honest() []string {
	return []string{
		"go test ./...", "go build ./... && go vet ./...", "npm test", "npm test --silent", "pytest -q", "python -m pytest tests/test_api.py", "python3 -m unittest", "cargo test", "make test",
		"make -s check", "./run-tests.sh", "bash test.sh", "sh ./check.sh", "node test.js", "node --test", "npx tsc --noEmit", "npx jest", "tsc --noEmit -p .", "ruff check .", "eslint .",
		"test -f README.md", "[ -f docs/api.md ]", "[[ -s out.json ]]", "[ -d src/api ]", "test -x bin/tool", "test -e a -a -e b", "[ -f a ] || [ -f b ]", "[ ! -f TODO ]", "! test -e old.txt",
		"grep -q 'func Add' add.go", "grep -rn Handler .", "! grep -rn TODO src", "test -f a.go && grep -q Add a.go", "grep -q ok < result.txt", "cat out.txt", "ls src/api.go", "head -1 VERSION",
		"test \"$(cat VERSION)\" = 1.2.3", "[ \"$(wc -l < f.txt)\" -ge 10 ]", "[ -n \"$(ls *.go)\" ]", "[ -z \"$(gofmt -l .)\" ]", "test $(grep -c x f) -gt 3", "[[ $(node index.js) == ok ]]",
		"go run . | grep -q hello", "cat out.json | grep -q '\"ok\": true'", "python app.py | diff - expected.txt", "diff a.txt b.txt", "cmp a b", "node -e 'require(\"./index\")'",
		"python3 -c 'import mypackage'", "python -c 'import app; assert app.add(1, 2) == 3'", "python3 - <<'E'\nimport app\nassert app.x\nE", "node -e \"const a = require('./a'); if (a() !== 1) process.exit(1)\"",
		"set -e; go build ./...; echo built", "set -o pipefail; go test ./... | tail -5", "go test ./... > log 2>&1 || { cat log; exit 1; }", "if go test ./...; then echo ok; else exit 1; fi",
		"for f in *.json; do jq . $f || exit 1; done", "cd sub && npm test", "cd ../other; go test .", "cd a && make && cd ../b && make", "go test ./... && echo all good", "CGO_ENABLED=0 go build ./...",
		"timeout 60 go test .", "env GOFLAGS=-mod=mod go test", "nice -n 5 make", "time make", "(cd x && go test)", "{ go vet; }", "test -f a; test -f b", "f() { go test; }; f", "bash -c 'go test'",
		"sh -c \"cd x && make\"", "xargs -a list.txt cat", "echo 1 | python app.py", "go test ./...; [ $? -eq 0 ]", "make; test $? = 0", "go test; exit $?", "go test & wait $!", "./tool --version", "./bin/app --help",
		"git diff --exit-code", "git diff --quiet HEAD -- gen", "git show HEAD:src/a.go", "find src -name '*.go' | grep .", "awk 'END { exit NR < 10 }' data.csv", "jq -e .ok out.json", "curl -fsS localhost:8080",
		"sqlite3 db 'select 1'", "exec go test ./...", "go test || exit 1", "go test || false", "trap 'rm -f tmp' EXIT; go test", "trap 'c=$?; rm tmp; exit $c' EXIT; go test", "wc -l report.txt", "node --check index.js",
		"bash -n script.sh", "[ \"$x\" = y ]", "(( $(wc -l < a) > 3 ))", "go vet ./... && ! grep -q panic main.go", "sha256sum -c sums.txt", ": > log; go test >> log; grep ok log", "go test > log; grep -q ok log", "echo x > in.txt; go run . < in.txt | grep y", "mkdir -p out && go build -o out/app && test -x out/app", "while read f; do test -f \"$f\"; done < list.txt", "npm run build --if-present && test -d dist",
	}
}

// hollow commands cannot fail.
func hollow() []string {
	return []string{
		"true", ":", "/bin/true", "/usr/bin/true", "true;", " true ", "exit 0", "exit", "echo ok", "echo 'all tests passed'", "printf ok", "# nothing to do", "true # go test", "\\true", "'true'", "t=true; $t", "command true", "builtin true",
		"go test || true", "go test || :", "go test || echo failed", "go test || exit 0", "go test; true", "go test; exit 0", "go test; echo done", "go test\ntrue", "(go test) || true", "{ go test; } || true", "go test ||\ntrue",
		"go test | cat", "go test | tee log", "go test | tail -5", "go test 2>&1 | head", "go test | tee log | grep -q ok | cat", "go test | true", "go test &", "go test & wait", "go test & sleep 1", "nohup go test &", "set +e; go test; echo $?",
		"set -e; go test || true", "set -e; set +e; go test; echo", "set -e; if go test; then :; fi", "if go test; then echo ok; fi", "if go test; then echo ok; else echo bad; fi", "if false; then go test; fi", "false && go test || true", "false || true",
		"while ! go test; do sleep 1; done", "until go test; do sleep 1; done", "while false; do go test; done", "! false", "test -n x", "test x", "[ 1 ]", "[ 0 ]", "[[ a ]]", "[ 1 = 1 ]", "[ 1 -eq 1 ]", "[[ a == a ]]", "[[ 1 -lt 2 ]]", "test a != b", "test 1 -lt 2",
		"[ -n \"x$y\" ]", "[ -n \"$HOME\" ]", "[ -d . ]", "[ -e / ]", "[ -d \"$PWD\" ]", "test -f /etc/passwd", "test -x /bin/sh", "[ -z '' ]", "[ ! 1 = 2 ]", "[ 1 = 2 -o 1 ]", "[ \"$x\" = \"$x\" ]", "[[ $x == * ]]", "[[ -n a && b ]]", "[ -n \"$(echo hi)\" ]", "[ \"$(echo a)\" = a ]",
		"((1))", "(( 1 + 1 ))", "let 1", "let 2+2", "expr 1 + 1", "ls", "ls -la", "ls .", "cat", "cat < /dev/null", "cat /etc/hostname", "cat <<E\nx\nE", "cat <<< ok", "echo ok | grep ok", "echo ok | grep -q ok", "printf 'a\\n' | wc -l", "grep -q root /etc/passwd",
		"pwd", "date", "whoami", "sleep 1", "cd .", "cd src", "mkdir -p out", "touch x", "rm -f x", "env", "set", "export A=1", "A=1", "x=$(echo hi)", "> out.txt", "which go", "command -v go", "type node", "go version", "node --version", "npm -v", "python3 --version", "make --version",
		"git status", "git log", "git log --oneline", "git diff", "git -C . status", "git add -A; git status", "find .", "find . -name '*.go'", "find . -name x -exec false {} \\;", "diff a a", "cmp x x", "python -c pass", "python3 -c 'print(\"ok\")'", "python3 -c 'import sys; sys.exit(0)'", "python3 -c 'assert True'",
		"python3 - <<'E'\nprint(1)\nE", "node -e ''", "node -e 'process.exit(0)'", "node -e 'console.log(1)'", "perl -e 1", "ruby -e 'puts 1'", "php -r 'echo 1;'", "awk 'BEGIN { exit 0 }'", "sed ''", "seq 3", "yes | head -1",
		"sh -c true", "bash -c 'exit 0'", "bash -c 'go test; true'", "eval true", "eval 'go test || true'", "env true", "timeout 5 true", "nice true", "sudo true", "time true", "xargs true", "echo x | xargs echo", "bash <<E\ntrue\nE", "echo true | sh", "sh -c \"sh -c 'echo ok'\"", "exec true", "exec echo ok; go test",
		"f() { true; }; f", "f() { go test; return 0; }; f", "f() { go test || true; }; f", "go test() { :; }; :", "trap 'exit 0' EXIT; go test", "trap 'exit 0' ERR; set -e; go test", "trap \"exit 0\" 0\ngo test", "case x in x) true;; esac", "for i in 1 2; do echo $i; done", "for i in 1 2; do go test || true; done", "for i in; do go test; done",
		"true && true", "echo a && echo b", "echo a; echo b", "echo a | cat | cat", "( true )", "{ true; }", "true && ( : )", "echo $(go test)", "x=1; echo $x", "go test > /dev/null; true", "coproc go test", "script -c 'go test' /dev/null", "go test; [ $? -ge 0 ]", "true; [ $? -eq 0 ]", "echo; test $? = 0",
		"go test && true || true", "go test || go vet || true", "go test && echo ok || echo bad", "false; true", "wait", "history", "break", "exit 0; go test", "return 0", "touch a && test -f a", "echo x > f; grep x f", "mkdir -p out && [ -d out ]", "printf ok | tee r.txt; grep -q ok r.txt", "cat > f <<E\nok\nE\ngrep ok f", "source /dev/null", "[ -d src/.. ]", "[ -e ./. ]",
	}
}

func TestHonestCommandsPass(t *testing.T) {
	t.Parallel()
	for _, c := range honest() {
		if got := accept.Lint(c); got != "" {
			t.Errorf("Lint(%q) = %q", c, got)
		}
	}
}

func TestHollowCommandsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range hollow() {
		got := accept.Lint(c)
		if !strings.Contains(got, "cannot fail") && !strings.Contains(got, "runs nothing") && !strings.Contains(got, "not readable") {
			t.Errorf("Lint(%q) = %q, want that it cannot fail", c, got)
		}
	}
}

func TestHopelessCommandsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"false", "exit 1", "! exit 1", "! true", "go test; exit 1", "go test && false", "[ 1 = 2 ]", "[ '' ]", "test", "[ -n '' ]", "[ ! -d . ]", "[[ a == b ]]", "! echo ok", "go test; false", "[ a -eq b ]", "[ 1"} {
		if got := accept.Lint(c); !strings.Contains(got, "cannot succeed") {
			t.Errorf("Lint(%q) = %q, want that it cannot succeed", c, got)
		}
	}
}

func TestWhatIsNoCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"", " \n\t", "if true", "go test |", "'", "go test)", "a\x00b", strings.Repeat("x", accept.MaxCommand+1), strings.Repeat("(", 1500)} {
		if accept.Lint(c) == "" {
			t.Errorf("%q was accepted", c)
		}
	}
}

// wrappers keep what a command proves.
func wrappers() []func(string) string {
	q := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	return []func(string) string{
		func(s string) string { return "(\n" + s + "\n)" },
		func(s string) string { return "{ " + s + "\n}" },
		func(s string) string { return "echo start; " + s },
		func(s string) string { return "echo start\n" + s },
		func(s string) string { return "cd src && {\n" + s + "\n}" },
		func(s string) string { return "true && (\n" + s + "\n)" },
		func(s string) string { return "bash -c " + q(s) },
		func(s string) string { return "env A=1 bash -c " + q(s) },
		func(s string) string { return "timeout 30 sh -c " + q(s) },
		func(s string) string { return "eval " + q(s) },
		func(s string) string { return "! (\n! (\n" + s + "\n)\n)" },
		func(s string) string { return "(\n" + s + "\n) && echo fine" },
		func(s string) string { return "(\n" + s + "\n) || exit 3" },
		func(s string) string { return "(\n" + s + "\n); exit $?" },
		func(s string) string { return "if (\n" + s + "\n); then :; else exit 1; fi" },
		func(s string) string { return "wrapped_() {\n" + s + "\n}; wrapped_" },
		func(s string) string { return "for once in 1; do (\n" + s + "\n) || exit 1; done" },
		func(s string) string { return "set -o pipefail; bash -c " + q(s) + " | cat" },
		func(s string) string { return "(\n" + s + "\n) > out.log 2>&1" },
		func(s string) string { return "(\n" + s + "\n) 2>/dev/null # quiet" },
	}
}

// blinders make any command unable to fail.
func blinders() []func(string) string {
	return []func(string) string{
		func(s string) string { return "(\n" + s + "\n) || true" },
		func(s string) string { return "(\n" + s + "\n); true" },
		func(s string) string { return "(\n" + s + "\n) | cat" },
		func(s string) string { return "(\n" + s + "\n) & " },
		func(s string) string { return "if (\n" + s + "\n); then echo yes; else echo no; fi" },
		func(s string) string { return "(\n" + s + "\n) && exit 0; exit 0" },
		func(s string) string { return "echo $(\n" + s + "\n)" },
	}
}

func TestWrappersChangeNothing(t *testing.T) {
	t.Parallel()
	good, bad, all, blind := honest(), hollow(), wrappers(), blinders()
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SampledFrom(append(append([]string{}, good...), bad...)).Draw(t, "command")
		if strings.HasPrefix(src, "#") || strings.Contains(src, "set -e") || strings.Contains(src, "exec ") || strings.Contains(src, "trap ") || strings.Contains(src, "go test()") || strings.HasPrefix(src, "return") {
			return // they act on the shell that they run in
		}
		want := accept.Lint(src) == ""
		text := src
		for range rapid.IntRange(1, 2).Draw(t, "depth") {
			text = rapid.SampledFrom(all).Draw(t, "wrapper")(text)
		}
		if got := accept.Lint(text); (got == "") != want {
			t.Fatalf("Lint(%q) = %q, want it as for %q: accepted %v", text, got, src, want)
		}
		if text := rapid.SampledFrom(blind).Draw(t, "blinder")(src); accept.Lint(text) == "" {
			t.Fatalf("%q was accepted", text)
		}
	})
}

func FuzzLint(f *testing.F) {
	for _, c := range append(honest(), hollow()...) {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, c string) {
		got := accept.Lint(c)
		if got != accept.Lint(c) {
			t.Errorf("two answers for %q", c)
		}
		if strings.ContainsAny(got, "\n\x00\x1b") {
			t.Errorf("Lint(%q) = %q", c, got)
		}
	})
}
