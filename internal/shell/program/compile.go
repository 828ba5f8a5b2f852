package program

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// compilers reports whether a program does nothing but compile, type-check or lint what it is given.
func compilers(name string) bool {
	switch name {
	case "tsc", "vue-tsc", "tsgo", "eslint", "biome", "oxlint", "webpack", "rollup", "esbuild", "swc", "babel", "parcel", "tsup",
		"mypy", "pyright", "basedpyright", "pylint", "flake8", "ruff", "pyre", "pytype",
		"gcc", "g++", "cc", "c++", "clang", "clang++", "javac", "kotlinc", "scalac", "rustc", "swiftc", "dmd", "ghc",
		"golangci-lint", "staticcheck", "gopls", "revive", "detekt", "ktlint", "checkstyle", "swiftlint", "rubocop", "phpstan", "psalm", "phpcs",
		"shellcheck", "clang-tidy", "cppcheck":
		return true
	}
	return false
}

// Compile reports whether c compiles, type-checks, vets or lints, and with what: "go vet", "tsc", "npm run build". Test runs are
// not counted here, although they compile, too.
func Compile(c *shell.Command) (tool string, dir shell.Dir, ok bool) {
	call, ok := Resolve(c)
	if !ok || call.Has("--version", "--help") {
		return "", shell.Dir{}, false
	}
	tool = call.compile()
	return tool, call.Dir, tool != ""
}

func (c *Call) compile() string {
	sub := c.Sub("--color", "--package-path", "-C", "-f", "--file", "-p", "--project-dir", "--manifest-path")
	two := c.Name + " " + sub
	switch c.Name {
	case "go":
		if sub == "build" || sub == "vet" || sub == "install" && !strings.Contains(strings.Join(c.Args, " "), "@") {
			return two
		}
	case "cargo":
		if strings.HasPrefix(sub, "+") {
			_, rest := split(c.Args)
			sub, _ = split(rest)
			two = c.Name + " " + sub
		}
		switch sub {
		case "build", "b", "check", "c", "clippy", "rustc", "doc":
			return two
		}
	case "npm", "pnpm", "yarn", "bun", "composer", "make", "just", "task", "turbo", "lerna", "nx", "ng", "poe", "rake", "ninja", "cmake", "gulp", "grunt",
		"hatch", "invoke", "inv", "mage":
		if words := taskWords(c.Task); len(words) > 0 && isBuildWord(words[0]) {
			return c.Name + " " + c.Task
		}
		if c.Task == "" && (c.Name == "make" || c.Name == "ninja" || c.Name == "cmake" && c.Has("--build")) && !c.Has("-n", "--dry-run") {
			return c.Name
		}
	case "dart", "flutter", "swift", "dotnet", "bazel", "bazelisk", "mix", "scala-cli", "deno", "zig", "hugo", "next", "vite", "nuxt", "astro", "expo",
		"react-scripts", "vue-cli-service":
		switch sub {
		case "build", "compile", "analyze", "publish", "msbuild", "check", "lint", "type-check", "typecheck", "prepare":
			if c.Name == "dotnet" && sub == "publish" {
				return "" // deployment is somebody else's word
			}
			return two
		}
	case "xcodebuild":
		if !c.Has("test") && !c.Has("-list", "-version", "clean") {
			return c.Name
		}
	case "mvn", "gradle", "sbt", "mill":
		for _, a := range positional(c.Args, "-f", "--file", "-p", "--project-dir", "-x", "-pl", "-P") {
			task := a[strings.LastIndexAny(a, ":/.")+1:]
			switch {
			case task == "compile", task == "package", task == "install", task == "build", task == "assemble", task == "classes", task == "lint",
				strings.HasPrefix(task, "compile"), strings.HasPrefix(task, "assemble"), strings.HasPrefix(task, "test-compile"):
				return c.Name + " " + task
			}
		}
	case "python":
		if c.Task == "compileall" || c.Task == "py_compile" {
			return c.Task
		}
	case "php":
		if c.Has("-l") {
			return "php -l"
		}
	case "ruby":
		if c.Has("-c") {
			return "ruby -c"
		}
	case "node":
		if c.Has("--check", "-c") {
			return "node --check"
		}
	case "bash", "sh", "zsh":
		if c.Has("-n") {
			return c.Name + " -n"
		}
	case "ruff":
		if sub == "format" {
			return ""
		}
		return "ruff"
	default:
		if compilers(c.Name) {
			return c.Name
		}
	}
	return ""
}

func isBuildWord(w string) bool {
	switch w {
	case "build", "compile", "typecheck", "type", "types", "tsc", "check", "lint", "vet", "all", "analyze", "analyse":
		return true
	}
	return false
}

// Prepares reports whether a command is there to set the stage for the next one (cd, export, source, mkdir, echo …). Whoever asks
// what a failure of a whole line means takes it to succeed.
func Prepares(c *shell.Command) bool {
	if c.Unreadable || c.Opaque {
		return false
	}
	switch c.Name {
	case "", "cd", "pushd", "popd", "export", "declare", "local", "typeset", "readonly", "unset", "alias", "source", ".", "mkdir", "echo", "printf",
		"sleep", "date", "pwd", "clear", "ulimit", "touch", "nvm", "fnm", "conda", "module", "sdk", "time", "tee", "cat":
		return c.Name != "conda" || len(c.Args) > 0 && c.Args[0] == "activate"
	}
	return false
}
