package harness

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/power/reach"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func forcedExit(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if f.After == nil || f.Lang == "" || !supports(f) {
			continue
		}
		now := exits(f.After)
		had := 0
		if f.Before != nil {
			had = len(exits(f.Before))
		}
		if len(now) <= had {
			continue
		}
		for _, i := range now {
			line := f.After.TokenLine(i)
			if !f.Touched(line, line) {
				continue
			}
			report(rule.Finding{
				Class: verdict.Hard, Path: f.Path, Line: line, Text: "the test run ends as if all was well", Evidence: pairs.Quote(f.After, line),
				Fix: "let the runner set the exit status", Unit: inside(f.After, i),
			})
			break
		}
	}
}

// inside names the innermost function around token i.
func inside(u *units.File, i int) string {
	if fn := innermost(u, i); fn != nil {
		return fn.Name
	}
	return ""
}

func innermost(u *units.File, i int) *units.Func {
	var best *units.Func
	for _, fn := range u.Funcs() {
		if fn.From <= i && i < fn.To && (best == nil || fn.From >= best.From) {
			best = fn
		}
	}
	return best
}

// supports reports whether a file holds tests, or what runs around them.
func supports(f *change.File) bool {
	if Setup(f.Path) {
		return true
	}
	if !f.IsTest() && f.Lang != source.Rust {
		return false
	}
	for _, u := range [...]*units.File{f.After, f.Before} {
		if u == nil {
			continue
		}
		if len(u.Tests()) > 0 {
			return true
		}
		for _, fn := range u.Funcs() {
			if hook(fn) {
				return true
			}
		}
	}
	return false
}

// Setup reports whether a path is that of a file that a test runner loads before the tests.
func Setup(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	stem := strings.ToLower(base)
	if i := strings.IndexByte(stem, '.'); i > 0 {
		stem = stem[:i]
	}
	switch stem {
	case "conftest", "sitecustomize", "setuptests", "setup-tests", "flutter_test_config", "spec_helper", "rails_helper", "test_helper", "testhelper", "test-helper":
		return true
	}
	for _, p := range [...]string{"jest.setup", "jest-setup", "vitest.setup", "vitest-setup", "setup.test", "test.setup", "test-setup", "mocha.setup", "setup-jest", "setup-vitest", "setup-mocha"} {
		if strings.HasPrefix(strings.ToLower(base), p) {
			return true
		}
	}
	return strings.HasPrefix(stem, "setup") && (strings.Contains(path, "test/") || strings.Contains(path, "tests/") || strings.Contains(path, "__tests__/"))
}

// hook reports whether a function is called by a test runner around tests.
func hook(fn *units.Func) bool {
	if fn.Test {
		return true
	}
	switch strings.ToLower(fn.Name) {
	case "testmain", "init", "setup", "teardown", "setupclass", "teardownclass", "setup_module", "teardown_module", "setup_class", "teardown_class", "setup_method", "teardown_method", "setupmodule",
		"teardownmodule", "setup_function", "teardown_function", "testexecutable", "setupall", "teardownall", "beforeall", "afterall", "beforeeach", "aftereach", "globalsetup", "globalteardown", "main":
		return true
	}
	if strings.HasPrefix(fn.Name, "pytest_") {
		return true
	}
	for _, a := range [...]string{"fixture", "BeforeAll", "AfterAll", "BeforeEach", "AfterEach", "@Before", "@After", "BeforeClass", "AfterClass", "ctor", "OneTimeTearDown", "TearDown", "SetUp"} {
		if strings.Contains(fn.Attrs, a) {
			return true
		}
	}
	return false
}

// exits lists the tokens at which a file ends the test run as if all was well.
func exits(u *units.File) []int {
	var out []int
	for i := range u.Tokens {
		if u.Kind(i) != source.Name {
			continue
		}
		switch {
		case reach.Exit(u, i):
		case u.Is(i, "_exit") && u.Is(i+1, ",") && u.Is(i+2, "0") && u.Is(i-3, "("): // atexit.register(os._exit, 0)
		case (u.Is(i, "exitCode") || u.Is(i, "exitstatus")) && u.Is(i-1, ".") && u.Is(i+1, "=") && u.Is(i+2, "0"):
		default:
			continue
		}
		if ends(u, i) {
			out = append(out, i)
		}
	}
	return out
}

// ends reports whether what is called at token i runs in the process of the tests: in a test, a hook or the file itself,
// and not in a program, a command or a callback that is tested.
func ends(u *units.File, i int) bool {
	fn := innermost(u, i)
	if fn != nil && !hook(fn) {
		return false
	}
	if fn != nil && u.Lang != source.JS && u.Lang != source.TS {
		for k := fn.From; k < fn.To && k < i; k++ {
			switch u.Text(k) {
			case "Getenv", "LookupEnv", "environ", "getenv": // the usual way to run a part of the test as a process of its own
				if fn.Name != "TestMain" {
					return false
				}
			}
		}
	}
	if fn == nil && u.Lang == source.Python {
		for k := i; k > 0; k-- {
			if u.Tokens[k].First && u.Tokens[k].Col == 0 {
				return !u.Is(k+1, "__name__") && !u.Is(k, "def") && !u.Is(k, "class") && !u.Is(k, "@")
			}
		}
	}
	return !callback(u, i)
}

// callback reports whether token i stands in a function that is passed to something else than a hook of the runner.
func callback(u *units.File, i int) bool {
	for k := i - 1; k >= 0 && k > i-4000; k-- {
		if !u.Is(k, "{") && !u.Is(k, "=>") && !(u.Is(k, "lambda")) {
			continue
		}
		if u.Is(k, "{") && u.Close(k) < i || u.Is(k, "=>") && (u.Is(k+1, "{") || u.Tokens[k].Line != u.Tokens[i].Line) {
			continue
		}
		if u.Is(k, "{") && !u.Is(k-1, "=>") && !u.Is(k-1, ")") && !u.Is(k-1, "async") && !u.Is(k-1, "|") {
			continue
		}
		// the call around the function
		open := k
		for open > 0 && !(u.Is(open, "(") && u.Close(open) > i) {
			if u.Is(open, "{") && u.Close(open) > i && open < k {
				break
			}
			open--
		}
		if !u.Is(open, "(") {
			continue
		}
		name := u.Text(open - 1)
		if u.Is(open-1, "if") || u.Is(open-1, "for") || u.Is(open-1, "while") || u.Is(open-1, "switch") {
			continue
		}
		switch name {
		case "it", "test", "describe", "context", "suite", "specify", "before", "after", "beforeAll", "afterAll", "beforeEach", "afterEach", "setUp", "tearDown", "setUpAll", "tearDownAll", "on", "once",
			"Run", "Cleanup", "group", "testWidgets", "forEach", "setTimeout", "setImmediate", "nextTick", "register", "addTearDown", "only", "then", "finally", "catch", "Box", "new", "at_exit", "func":
			k = open
			continue
		}
		return true
	}
	return false
}
