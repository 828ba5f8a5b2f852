package program

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// testPrograms reports whether a program does nothing but run tests.
func testPrograms(name string) bool {
	switch name {
	case "pytest", "tox", "nox", "nosetests", "nose2", "trial", "behave", "robot", "stestr", // Python
		"jest", "vitest", "mocha", "ava", "tap", "tape", "jasmine", "uvu", "karma", "wtr", "web-test-runner", "cypress", "playwright", "wdio",
		"testcafe", "nightwatch", "react-scripts", "qunit", "nyc", "c8", "jasmine-ts", "ts-mocha", "vue-cli-service", "bats", "shellspec",
		"gotestsum", "richgo", "ginkgo", // Go
		"rspec", "cucumber", "minitest", "parallel_rspec", // Ruby
		"phpunit", "pest", "paratest", "codecept", "phpspec", "behat", "simple-phpunit", // PHP
		"ctest", "prove", "cargo-nextest", "melos", "very_good", "patrol", "testem":
		return true
	}
	return false
}

// Test reports whether c runs tests, with which runner, and where. The runner is the name by which people know it: "pytest",
// "go test", "npm test", "vitest". Listing, collecting and compiling tests without running them is not a test run.
func Test(c *shell.Command) (runner string, dir shell.Dir, ok bool) {
	call, ok := Resolve(c)
	if !ok || call.dry() {
		return "", shell.Dir{}, false
	}
	runner = call.test()
	return runner, call.Dir, runner != ""
}

// dry reports whether an option keeps the program from running anything.
func (c *Call) dry() bool {
	for _, a := range c.Args {
		switch a {
		case "--":
			return c.Name == "cargo" && c.Has("--list")
		case "--version", "--help", "--collect-only", "--co", "--list-tests", "--listTests", "--no-run", "--dry-run", "--fixtures",
			"--setup-plan", "--setup-only", "--show-config", "--showConfig", "--clear-cache", "--clearCache", "--init", "--markers", "--list":
			return true
		case "-h", "-V":
			return c.Name != "python" && c.Name != "ctest" && c.Name != "go"
		case "-n":
			return c.Name == "make" || c.Name == "rake" || c.Name == "just" || c.Name == "ninja"
		}
	}
	return false
}

func (c *Call) test() string {
	sub := c.Sub("--color", "--package-path", "--scratch-path", "-C", "-c", "--config", "-p", "-f", "--file", "--project-dir", "--build-path")
	switch c.Name {
	case "go":
		return c.goTest()
	case "cargo":
		return c.cargoTest()
	case "npm", "pnpm", "yarn", "bun", "composer", "hatch", "rye", "pdm", "mise":
		if testTask(c.Task) {
			return c.Name + " test"
		}
	case "make", "just", "task", "invoke", "inv", "poe", "doit", "grunt", "gulp", "turbo", "lerna", "moon", "earthly", "ng", "nx", "rake", "ninja",
		"cmake", "mage":
		if testTask(c.Task) || isCheck(c.Name, c.Task) {
			return c.Name + " test"
		}
	case "rails":
		if c.Task == "t" || testTask(c.Task) {
			return "rails test"
		}
	case "php":
		if c.Task == "test" {
			return "artisan test"
		}
		return c.testFile()
	case "python":
		switch c.Task {
		case "unittest", "doctest":
			return c.Task
		case "test":
			return "django test"
		}
		return c.testFile()
	case "node":
		if c.Has("--test") {
			return "node --test"
		}
		return c.testFile()
	case "ruby", "tsx", "ts-node":
		return c.testFile()
	case "deno":
		if sub == "test" || testTask(c.Task) {
			return "deno test"
		}
	case "dart", "flutter", "swift", "dotnet", "bazel", "bazelisk", "buck2", "meson", "mix", "scala-cli", "zig", "gleam", "stack", "cabal":
		if sub == "test" || c.Name == "dotnet" && sub == "vstest" || c.Name == "bazel" && sub == "coverage" {
			return c.Name + " test"
		}
	case "xcodebuild":
		if c.Has("test", "test-without-building") {
			return "xcodebuild test"
		}
	case "mvn", "gradle", "sbt", "mill", "lein":
		return c.jvmTest()
	case "coverage": // coverage run -m pytest
		if sub == "run" {
			return "coverage run"
		}
	case "playwright", "react-scripts", "vue-cli-service", "melos", "very_good", "patrol":
		if sub == "test" || strings.HasPrefix(sub, "test:") {
			return c.Name + " test"
		}
	case "cypress", "codecept", "wdio":
		if sub == "run" || c.Name == "wdio" {
			return c.Name
		}
	case "karma":
		if sub == "start" || sub == "run" {
			return c.Name
		}
	case "vitest":
		if sub != "list" && sub != "init" && sub != "bench" && sub != "benchmark" {
			return c.Name
		}
	case "nyc", "c8": // wrap another program
		inner := *c
		if inner.become(split(c.Args, "-r", "--reporter")) {
			for range maxRunners {
				if !inner.step() {
					break
				}
			}
			return inner.test()
		}
	default:
		if testPrograms(c.Name) {
			return c.Name
		}
		return c.ownFile()
	}
	return ""
}

func (c *Call) goTest() string {
	if sub := c.Sub("-C"); sub != "test" {
		return ""
	}
	for i, a := range c.Args {
		switch a = strings.Replace(a, "--", "-", 1); {
		case a == "-args":
			return "go test"
		case a == "-c", a == "-n", a == "-list", strings.HasPrefix(a, "-list="), a == "-run=^$", a == "-run" && i+1 < len(c.Args) && c.Args[i+1] == "^$":
			return ""
		}
	}
	return "go test"
}

func (c *Call) cargoTest() string {
	sub, rest := split(c.Args, "--manifest-path", "-C", "--config", "--color", "-Z")
	if strings.HasPrefix(sub, "+") { // toolchain
		sub, rest = split(rest)
	}
	switch sub {
	case "test", "t", "tarpaulin", "llvm-cov", "miri":
		if sub == "miri" && (len(rest) == 0 || rest[0] != "test") {
			return ""
		}
		return "cargo test"
	case "nextest":
		if next, _ := split(rest, "--manifest-path"); next == "run" || next == "r" {
			return "cargo nextest"
		}
	case "xtask", "make":
		if next, _ := split(rest); testTask(next) {
			return "cargo test"
		}
	}
	return ""
}

func (c *Call) jvmTest() string {
	skip := false
	for _, a := range c.Args {
		switch {
		case strings.HasPrefix(a, "-DskipTests") && a != "-DskipTests=false", a == "-Dmaven.test.skip", a == "-Dmaven.test.skip=true":
			skip = true
		}
	}
	if v, ok := option(c.Args, "-x", "--exclude-task"); ok && v == "test" {
		skip = true
	}
	if skip {
		return ""
	}
	for _, a := range positional(c.Args, "-f", "--file", "-p", "--project-dir", "-x", "--exclude-task", "-pl", "--projects", "-P", "-s", "--tests", "-D") {
		for task := range strings.FieldsSeq(a) {
			task = task[strings.LastIndexAny(task, ":/.")+1:] // :app:test, core/test, foo.test
			switch strings.TrimSuffix(task, ";") {
			case "test", "testOnly", "testQuick", "verify", "integration-test", "integrationTest", "check", "cleanTest", "allTests", "connectedAndroidTest",
				"connectedCheck", "jvmTest", "nativeTest", "jsTest", "midje":
				if task == "cleanTest" {
					continue
				}
				return c.Name + " test"
			}
			// testDebugUnitTest and the like
			if c.Name == "gradle" && strings.HasPrefix(task, "test") && strings.HasSuffix(task, "Test") {
				return "gradle test"
			}
		}
	}
	return ""
}

// testFile recognises an interpreter that is given a test file: `python tests/test_x.py`, `ruby -Itest test/x_test.rb`.
func (c *Call) testFile() string {
	files := positional(c.Args, "-r", "--require", "-I", "-d", "-W", "-X", "--import", "--loader", "-e", "-c", "--eval")
	if len(files) == 0 || c.Has("-c", "-e", "--eval") {
		return ""
	}
	stem, ext, found := strings.Cut(path.Base(files[0]), ".") // the others are arguments of the first
	if found && (strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") ||
		strings.HasPrefix(ext, "test.") || strings.HasPrefix(ext, "spec.")) {
		return c.Name + " file"
	}
	return ""
}

// ownFile recognises a project's own test script: ./run_tests.sh, scripts/test.sh, bin/test.
func (c *Call) ownFile() string {
	file := c.Name
	if c.Name == "sh" || c.Name == "bash" || c.Name == "zsh" {
		file, _ = split(c.Args, "-o")
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".sh"), ".bash")
	switch stem {
	case "run_tests", "run-tests", "runtests", "run_test", "run-test", "test-all", "test_all", "test-unit":
		return stem
	case "test":
		if strings.HasSuffix(file, ".sh") || strings.HasSuffix(file, ".bash") {
			return stem
		}
	}
	return ""
}

func isTestWord(w string) bool {
	switch w {
	case "test", "tests", "spec", "specs", "e2e", "vitest", "jest", "mocha", "pytest", "rspec", "cypress", "playwright", "unittest", "unittests":
		return true
	}
	return false
}

// isCheck recognises targets that run tests by the custom of one tool.
func isCheck(tool, task string) bool {
	return tool == "make" && task == "check" || tool == "rake" && task == "default"
}

// testTask reports whether a script or target runs tests by its name: test, test:unit, unit-test, test_all. A longer word that only
// begins so (testimonials) is not one, nor is a name that ends in a word for something else (test:types, test-server).
func testTask(task string) bool {
	words := taskWords(task)
	switch {
	case len(words) == 0:
		return false
	case !isTestWord(words[0]) && !(words[0] == "unit" && len(words) > 1 && isTestWord(words[1])):
		return false
	}
	switch words[len(words)-1] {
	case "types", "lint", "typecheck", "format", "data", "server", "db", "build", "install", "deps", "setup", "fixtures", "clean", "prepare":
		return false
	}
	return true
}

func taskWords(task string) []string {
	return strings.FieldsFunc(strings.ToLower(task), func(r rune) bool { return strings.ContainsRune(":-_./", r) })
}
