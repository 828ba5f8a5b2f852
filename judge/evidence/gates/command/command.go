// Package command reads lines of build files and scripts as commands: which of them check the code (tests, linters, type
// checkers), and whether their result still decides anything.
//
// It knows shells only as far as a line goes; it owns no table, starts nothing, and all functions are pure.
package command

import (
	"path"
	"strings"
)

// Class is what a command is for.
type Class uint8

// Classes of commands.
const (
	None Class = iota
	Lint
	Test
)

// Part is one command of a line, with the operator in front of it.
type Part struct {
	Op   string // "", &&, ||, ;, |, &
	Text string
}

// Split cuts a line at the operators of a shell that stand outside of quotes, brackets and ${{ }}.
func Split(line string) []Part {
	var out []Part
	op, start, depth := "", 0, 0
	quote := byte(0)
	add := func(end int, next string, skip int) {
		out = append(out, Part{op, strings.TrimSpace(line[start:end])})
		op, start = next, end+skip
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == quote && (i == 0 || line[i-1] != '\\') {
				quote = 0
			}
		case c == '\'' && i > 0 && isLetter(line[i-1]) && i+1 < len(line) && isLetter(line[i+1]): // don't
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case depth > 0:
		case strings.HasPrefix(line[i:], "&&"):
			add(i, "&&", 2)
			i++
		case strings.HasPrefix(line[i:], "||"):
			add(i, "||", 2)
			i++
		case c == '#' && i > 0 && (line[i-1] == ' ' || line[i-1] == '\t'):
			line = line[:i]
		case c == ';':
			add(i, ";", 1)
		case c == '|':
			n := 1
			if i+1 < len(line) && line[i+1] == '&' {
				n = 2
			}
			add(i, "|", n)
			i += n - 1
		case c == '&' && (i == 0 || line[i-1] != '>' && line[i-1] != '<') && (i+1 >= len(line) || line[i+1] != '>' && (line[i+1] < '0' || line[i+1] > '9')):
			add(i, "&", 1)
		}
	}
	if start <= len(line) {
		out = append(out, Part{op, strings.TrimSpace(line[start:])})
	}
	return out
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Words splits a command at blanks and takes quotes off.
func Words(text string) []string {
	fields := strings.Fields(text)
	for i, w := range fields {
		fields[i] = strings.Trim(w, "\"'`,")
	}
	return fields
}

// ClassOf tells what a single command checks, and a short name for it that stays when arguments change.
func ClassOf(text string) (class Class, core string) {
	words := strip(Words(strings.TrimLeft(text, "!({ ")))
	if len(words) == 0 {
		return None, ""
	}
	head := strings.ToLower(path.Base(strings.TrimSuffix(words[0], ".exe")))
	if strings.HasPrefix(words[0], "$") { // $(GO) test, ${{ env.CARGO }} test
		head = variable(words[0])
	}
	rest := words[1:]
	arg := ""
	for _, w := range rest {
		if !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") && !strings.Contains(w, "=") {
			arg = strings.ToLower(w)
			break
		}
	}
	return classify(head, arg, rest)
}

func variable(w string) string {
	w = strings.ToLower(strings.Trim(w, "${}() "))
	if i := strings.LastIndexAny(w, "._"); i >= 0 {
		w = w[i+1:]
	}
	return strings.Trim(w, "}) ")
}

// strip takes off what stands in front of the command itself: variables, wrappers, runners of environments.
func strip(w []string) []string {
	for len(w) > 0 {
		switch {
		case strings.Contains(w[0], "=") && !strings.HasPrefix(w[0], "-") && !strings.HasPrefix(w[0], "$("):
			w = w[1:]
			continue
		case strings.HasPrefix(w[0], "${{") && !strings.HasSuffix(w[0], "}}"): // ${{ env.X }} test
			k := 0
			for k < len(w) && !strings.HasSuffix(w[k], "}}") {
				k++
			}
			if k >= len(w) || k < 1 {
				return w
			}
			w = append([]string{"$" + w[1]}, w[k+1:]...)
			continue
		}
		n := wrapper(w)
		if n == 0 {
			return w
		}
		w = w[n:]
	}
	return w
}

// wrapper counts the words in front of a command that only say how it is run.
func wrapper(w []string) int {
	two := ""
	if len(w) > 1 {
		two = w[1]
	}
	switch strings.ToLower(path.Base(w[0])) {
	case "sudo", "time", "npx", "uvx", "exec", "command", "env", "nice", "bunx", "fvm", "then", "do", "else", "if", "eval", "travis_retry", "cross-env", "dotenv", "xvfb-run", "catchsegv", "wine", "doas":
		n := 1
		for n < len(w) && strings.HasPrefix(w[n], "-") {
			n++
		}
		return n
	case "timeout", "retry":
		n := 1
		for n < len(w) && (strings.HasPrefix(w[n], "-") || w[n][0] >= '0' && w[n][0] <= '9') {
			n++
		}
		return n
	case "poetry", "pipenv", "uv", "pdm", "hatch", "rye", "pixi", "conda", "mamba":
		if two == "run" {
			n := 2
			for n < len(w) && strings.HasPrefix(w[n], "-") {
				n++
				if n < len(w) && (w[n-1] == "--with" || w[n-1] == "--group" || w[n-1] == "--extra" || w[n-1] == "-p" || w[n-1] == "--python" || w[n-1] == "-n") {
					n++
				}
			}
			return n
		}
	case "bundle", "pnpm", "yarn", "npm":
		if two == "exec" || two == "dlx" {
			n := 2
			for n < len(w) && strings.HasPrefix(w[n], "-") {
				n++
			}
			return n
		}
	case "python", "python3", "py", "pypy", "coverage":
		if two == "-m" && len(w) > 2 {
			return 2
		}
		if w[0] == "coverage" && two == "run" {
			n := 2
			for n < len(w) && (strings.HasPrefix(w[n], "-") && w[n] != "-m") {
				n++
			}
			if n < len(w) && w[n] == "-m" {
				return n + 1
			}
			return n
		}
		if strings.HasPrefix(two, "-") && len(w) > 3 && w[2] == "-m" { // python -W error -m pytest
			return 3
		}
	case "bash", "sh":
		if two == "-c" || strings.HasPrefix(two, "-") && strings.HasSuffix(two, "c") {
			return 2
		}
	case "dart", "flutter":
		if two == "run" || two == "pub" {
			n := 2
			for n < len(w) && (w[n] == "run" || w[n] == "global") {
				n++
			}
			return n
		}
	}
	return 0
}

// classify knows the programs that check code.
func classify(head, arg string, rest []string) (Class, string) {
	all := strings.ToLower(strings.Join(rest, " "))
	switch head {
	case "pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "tap", "karma", "cypress", "playwright", "rspec", "phpunit", "pest", "ctest", "bats", "unittest", "nosetests", "trial", "jasmine", "nyc", "c8", "gotestsum", "ginkgo", "minitest", "cucumber", "behave", "very_good", "wtr", "tape", "lab", "stestr", "busted", "prove", "expresso", "runtests", "uvu":
		if head == "playwright" && (arg == "install" || arg == "install-deps") || arg == "install" || head == "very_good" && arg != "test" {
			return None, ""
		}
		return Test, head
	case "go":
		switch arg {
		case "test":
			return Test, "go test"
		case "vet":
			return Lint, "go vet"
		}
	case "cargo", "cross":
		switch arg {
		case "test", "nextest", "miri", "t", "tarpaulin", "llvm-cov":
			return Test, "cargo test"
		case "clippy", "check", "fmt", "deny", "audit":
			return Lint, "cargo " + arg
		}
	case "npm", "yarn", "pnpm", "bun", "deno", "lerna", "nx", "turbo", "wireit", "rushx", "melos", "task", "just", "make", "gmake", "mage", "composer", "rake", "invoke", "poe", "hatch", "grunt", "gulp", "pdm", "doit", "moon", "mise", "nmake", "ninja", "dune", "script", "earthly":
		for _, w := range rest {
			if strings.HasPrefix(w, "-") || strings.Contains(w, "=") {
				continue
			}
			if c := byName(strings.ToLower(w)); c != None {
				return c, head + " " + strings.ToLower(w)
			}
			if w != "run" && w != "run-script" && w != "workspaces" && w != "foreach" && !strings.HasPrefix(w, "$") {
				if head == "npm" && w == "t" {
					return Test, "npm test"
				}
				break
			}
		}
		if head == "npm" && (arg == "t" || arg == "tst") {
			return Test, "npm test"
		}
	case "mvn", "mvnw", "gradle", "gradlew", "sbt", "bazel", "bazelisk", "xcodebuild", "swift", "dotnet", "dart", "flutter", "mix", "stack", "cabal", "zig", "lein", "ant", "meson", "pants", "buck2", "fvm", "forge":
		for _, w := range rest {
			w = strings.ToLower(w)
			if strings.HasPrefix(w, "-") {
				continue
			}
			w = w[strings.LastIndexByte(w, ':')+1:]
			switch {
			case w == "analyze", w == "format" && strings.Contains(all, "exit-if-changed"), strings.Contains(w, "lint"), strings.Contains(w, "spotless"), w == "checkstyle", w == "detekt":
				return Lint, head + " " + w
			case w == "test" || w == "check" || w == "verify" || strings.HasSuffix(w, "test") || strings.HasSuffix(w, "tests") || w == "install" && strings.HasPrefix(head, "mvn") || w == "package" && strings.HasPrefix(head, "mvn") || w == "build" && strings.HasPrefix(head, "gradle"):
				return Test, strings.TrimSuffix(head, "w") + " test"
			}
		}
	case "golangci-lint", "staticcheck", "eslint", "tsc", "flake8", "ruff", "mypy", "pylint", "pyright", "rubocop", "shellcheck", "pre-commit", "stylelint", "biome", "xo", "standard", "oxlint", "tslint", "govulncheck", "gosec", "bandit", "hadolint", "actionlint", "detekt", "ktlint", "swiftlint", "phpstan", "psalm", "phpcs", "clippy-driver", "semgrep", "credo", "dialyzer", "buf", "revive", "errcheck", "pyre", "basedpyright", "vulture", "yamllint", "markdownlint", "cspell", "tsd", "knip", "attw", "publint", "cargo-deny", "ty":
		if arg == "install" || head == "pre-commit" && arg != "run" || head == "golangci-lint" && arg != "" && arg != "run" {
			return None, ""
		}
		return Lint, head
	case "black", "isort", "prettier", "gofmt", "rustfmt", "dprint", "clang-format", "autopep8", "goimports", "gofumpt", "yapf", "shfmt":
		if strings.Contains(all, "check") || strings.Contains(all, "--diff") || strings.Contains(all, "-l") || strings.Contains(all, "-d") {
			return Lint, head
		}
	case "node", "python", "python3", "bash", "sh", "ruby", "php", "perl", "deno.exe", "tsx", "ts-node", "source", ".":
		if arg != "" {
			if c := script(arg); c != None {
				return c, path.Base(arg)
			}
		}
		if head == "node" && strings.Contains(all, "--test") {
			return Test, "node --test"
		}
	}
	if strings.ContainsAny(head, "._-") || strings.HasPrefix(head, "run") || strings.HasPrefix(head, "test") {
		if c := script(head); c != None && head != "test" {
			return c, head
		}
	}
	return None, ""
}

// byName tells what a target, a task or a script is for by its name.
func byName(name string) Class {
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '.' || r == '/' }) {
		switch w {
		case "test", "tests", "spec", "specs", "e2e", "unit", "integration", "coverage", "jest", "vitest", "mocha", "ci", "verify", "testall", "t":
			return Test
		case "lint", "check", "typecheck", "types", "eslint", "analyze", "tsc", "clippy", "vet", "validate", "audit", "mypy", "flake8", "standard":
			return Lint
		}
	}
	if strings.HasPrefix(name, "test") || strings.HasSuffix(name, "test") || strings.HasSuffix(name, "tests") {
		return Test
	}
	if strings.Contains(name, "lint") {
		return Lint
	}
	return None
}

// script tells what a script file checks by its name.
func script(name string) Class {
	base := path.Base(name)
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		switch base[i:] {
		case ".sh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".php", ".pl", ".bash":
			base = base[:i]
		default:
			return None
		}
	} else if !strings.ContainsAny(name, "/") && !strings.ContainsAny(base, "-_") {
		return None
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(base), func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		switch w {
		case "test", "tests", "runtests", "spec":
			return Test
		case "lint", "check", "typecheck", "verify":
			return Lint
		}
	}
	return None
}

// Name tells what a script of a manifest is for by its key.
func Name(key string) Class { return byName(strings.ToLower(key)) }

// Hollow reports whether a line does nothing, or says something and succeeds.
func Hollow(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" {
		return true
	}
	for _, p := range Split(line) {
		w := Words(p.Text)
		if len(w) == 0 {
			continue
		}
		switch w[0] {
		case "echo", "true", ":", "printf", "@echo", "@true", "sleep", "/bin/true", "@:", "exit", "date", "pwd", "ls", "print", "return", "cat", "exit(0)":
			if (w[0] == "exit" || w[0] == "return") && len(w) > 1 && w[1] != "0" {
				return false
			}
		default:
			return false
		}
	}
	return true
}
