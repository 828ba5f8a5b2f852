package harness

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/reach"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

type fileOf = *units.File

const (
	fixOutcome = "leave the outcome to the runner"
	fixAssert  = "leave the assertion as the framework has it"
)

// tokens looks for what a few tokens tell.
func (l *looker) tokens() {
	u := l.u
	for i := range u.Tokens {
		if u.Kind(i) != source.Name {
			continue
		}
		w := u.Text(i)
		if (w == "extend" || w == "addMatchers") && u.Is(i+1, "(") && (u.Is(i-2, "expect") || u.Is(i-2, "jasmine")) {
			l.matchers(i + 1)
		}
		if !l.new(i) {
			continue
		}
		set := u.Is(i+1, "=") && i+2 < len(u.Tokens)
		switch {
		case set && u.Is(i-1, ".") && outcome(w) && !u.Is(i-2, "self") && l.python():
			l.say(verdict.Hard, i, "the outcome of tests is rewritten: `"+w+"` is set by hand", fixOutcome)
		case w == "force_result" && u.Is(i-1, ".") && u.Is(i+1, "("):
			l.say(verdict.Hard, i, "the outcome of tests is rewritten", fixOutcome)
		case w == "items" && l.python() && (u.Is(i+1, ".") && u.Is(i+2, "clear") || u.Norm(i+1, i+6) == "[ : ] = [" && u.Is(i+6, "]")):
			l.say(verdict.Hard, i, "all collected tests are thrown away", "leave the collected tests as they are")
		case w == "del" && l.python() && u.Is(i+1, "items") && u.Is(i+2, "["):
			if fn := innermost(u, i); fn != nil && fn.Name == "pytest_collection_modifyitems" {
				l.say(verdict.Hard, i, "collected tests are thrown away by where they stand in the list", "leave the collected tests as they are")
			}
		case w == "setattr" && u.Is(i+1, "("):
			l.setattr(i)
		case set && u.Is(i-1, ".") && assertionName(w) && assertionOwner(u, i-2) && !restores(u, i+2):
			l.say(verdict.Hard, i, "the assertion `"+w+"` is replaced", fixAssert)
		case set && u.Is(i-1, ".") && runnerName(w) && (u.Is(i-2, "global") || u.Is(i-2, "globalThis") || u.Is(i-2, "window")) && closure(u, i+2):
			l.say(verdict.Hard, i, "the runner's `"+w+"` is replaced", fixAssert)
		case set && (w == "AssertionError" || w == "failureException") && l.python():
			l.say(verdict.Hard, i, "`"+w+"` is replaced, so a failed assertion is none", fixAssert)
		case set && runnerName(w) && !u.Is(i-1, ".") && closure(u, i+2) && l.used(w):
			l.say(verdict.Hard, i, "`"+w+"` is replaced by a function of the file", fixAssert)
		case w == "mock" && u.Is(i-1, ".") && (u.Is(i-2, "jest") || u.Is(i-2, "vi")) && u.Is(i+1, "("):
			switch u.Unquote(i + 2) {
			case "expect", "assert", "node:assert", "chai", "vitest", "@jest/expect", "should":
				l.say(verdict.Hard, i, "the assertion library is mocked", fixAssert)
			}
		case (w == "on" || w == "once") && u.Is(i-2, "process") && (u.Unquote(i+2) == "uncaughtException" || u.Unquote(i+2) == "unhandledRejection") && l.noop(i+1):
			l.say(verdict.Hard, i, "errors that nobody caught are dropped", "let them fail the run")
		case set && w == "onError" && u.Is(i-2, "FlutterError") && l.noopFrom(i+2):
			l.say(verdict.Hard, i, "errors of the framework are dropped", "let them fail the run")
		case u.Lang == source.Rust && w == "macro_rules" && u.Is(i+1, "!") && macro(u.Text(i+2)):
			l.say(verdict.Hard, i, "the macro `"+u.Text(i+2)+"!` is replaced", fixAssert)
		case u.Lang == source.Go && l.fakeTesting(i):
			l.say(verdict.Hard, i, "`"+w+"` is another test than the one that runs", "report to the test that runs")
		case set && u.Is(i-1, ".") && clock(u.Text(i-2), w) && innermost(u, i) == nil && Setup(l.f.Path):
			l.say(verdict.Soft, i, "the clock is replaced for all tests", "replace it in the tests that need it, and put it back")
		}
	}
}

func (l *looker) python() bool { return l.u.Lang == source.Python }

func outcome(w string) bool {
	switch w {
	case "outcome", "wasxfail", "longrepr", "testsfailed", "exitstatus", "excinfo", "failures", "errors", "passed", "failed":
		return true
	}
	return false
}

// setattr finds setattr(report, "outcome", …) and setattr(TestCase, "assertEqual", …), pytest's monkeypatch included.
func (l *looker) setattr(i int) {
	u := l.u
	args := u.Args(i + 1)
	if len(args) < 2 {
		return
	}
	name := ""
	for k := args[0][0]; k < args[1][1]; k++ {
		if u.Kind(k) == source.String {
			name = u.Unquote(k)
		}
	}
	short := name[strings.LastIndexByte(name, '.')+1:]
	owner := u.Norm(args[0][0], args[0][1])
	switch {
	case (short == "outcome" || short == "wasxfail" || short == "longrepr" || short == "testsfailed") && len(args) > 2 && (strings.HasPrefix(owner, "rep") || strings.HasPrefix(owner, "session") || strings.HasPrefix(owner, "res")):
		l.say(verdict.Hard, i, "the outcome of tests is rewritten: `"+short+"` is set by hand", fixOutcome)
	case assertionName(short) && (strings.Contains(owner, "TestCase") || strings.HasPrefix(name, "unittest.")):
		l.say(verdict.Hard, i, "the assertion `"+short+"` is replaced", fixAssert)
	}
}

// assertionName knows the names that frameworks give their assertions.
func assertionName(w string) bool {
	if strings.HasPrefix(w, "assert") || strings.HasPrefix(w, "toBe") || strings.HasPrefix(w, "toEqual") {
		return true
	}
	switch w {
	case "raises", "warns", "approx", "fail", "equal", "strictEqual", "deepEqual", "deepStrictEqual", "notEqual", "ok", "throws", "rejects", "expect", "match", "same", "is", "strictSame", "toThrow", "toHaveLength", "toMatch", "toContain":
		return true
	}
	return false
}

// assertionOwner reports whether the name at token i is something that holds assertions of a framework.
func assertionOwner(u *units.File, i int) bool {
	switch u.Text(i) {
	case ")":
		return u.Lang != source.Python && u.Is(i-2, "(") && u.Is(i-3, "require") && strings.HasSuffix(u.Unquote(i-1), "assert")
	case "pytest":
		return u.Is(i+2, "raises") || u.Is(i+2, "warns") || u.Is(i+2, "fail") || u.Is(i+2, "approx")
	case "TestCase", "assert", "Assert", "Assertions", "expect", "chai", "jasmine", "should":
		return true
	case "prototype":
		return strings.Contains(u.Text(i-2), "Assertion") || u.Is(i-2, "Expect")
	case "global", "globalThis", "window":
		return u.Is(i+2, "expect") || u.Is(i+2, "assert")
	}
	return false
}

// restores reports whether what is assigned is a name that was saved, a library, or a wrapper that still asserts.
func restores(u *units.File, i int) bool {
	switch u.Text(i) {
	case "require", "import", "original", "orig", "saved", "chai", "real":
		return true
	}
	return !closure(u, i) && u.Kind(i) == source.Name && !u.Is(i, "noop") && !strings.HasPrefix(u.Text(i), "lambda") && !strings.Contains(strings.ToLower(u.Text(i)), "mock")
}

func runnerName(w string) bool {
	switch w {
	case "expect", "assert", "it", "test", "describe":
		return true
	}
	return false
}

// closure reports whether a function that asserts nothing begins at token i, or an object that answers everything.
func closure(u *units.File, i int) bool {
	end := i
	switch {
	case u.Is(i, "lambda"):
		return true
	case u.Is(i, "new") && u.Is(i+1, "Proxy"):
		return true
	case u.Is(i, "("):
		end = u.Close(i)
		if !u.Is(end+1, "=>") && !u.Is(end+1, "{") {
			return false
		}
	case u.Is(i, "function"), u.Is(i, "async"), u.Is(i+1, "=>"), u.Is(i, "func"):
	default:
		return false
	}
	stop := min(i+60, len(u.Tokens))
	for k := end; k < stop; k++ {
		if u.Is(k, "{") {
			stop = min(u.Close(k), len(u.Tokens))
			break
		}
	}
	return !fails(u, i, stop)
}

// fails reports whether tokens can fail a test.
func fails(u *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		switch u.Text(i) {
		case "throw", "raise", "panic", "Fatal", "Fatalf", "Error", "Errorf", "FailNow", "fail", "apply", "call", "original", "orig", "require", "real":
			return true
		}
		if u.Kind(i) == source.Name && i > from && (strings.HasPrefix(u.Text(i), "assert") || strings.HasPrefix(u.Text(i), "expect")) && (u.Is(i+1, "(") || u.Is(i+1, "!") || u.Is(i+1, ".") || u.Lang == source.Python && u.Is(i, "assert")) {
			return true
		}
	}
	return false
}

// used reports whether the file called a name before the change.
func (l *looker) used(name string) bool {
	if l.f.Before == nil {
		return false
	}
	b := l.f.Before
	for i := range b.Tokens {
		if b.Is(i, name) && (b.Is(i+1, "(") || b.Is(i+1, ".") || b.Is(i+1, "!")) && b.Kind(i) == source.Name && !b.Is(i-1, ".") {
			return true
		}
	}
	return false
}

// matchers looks at the matchers that are given to a framework: one that passes always is found.
func (l *looker) matchers(open int) {
	u := l.u
	end := min(u.Close(open), len(u.Tokens))
	for i := open; i < end; i++ {
		if !u.Is(i, "pass") || !u.Is(i+1, ":") || !u.Is(i+2, "true") || !l.new(i) {
			continue
		}
		// the matcher around it: the second brace from outside
		k := open
		for depth := 0; k < i; k++ {
			if u.Is(k, "{") && u.Close(k) > i {
				if depth++; depth == 2 {
					break
				}
			}
		}
		stop := min(u.Close(k), end)
		only := true
		for j := k; j < stop; j++ {
			if u.Is(j, "pass") && j != i && !(u.Is(j+1, ":") && u.Is(j+2, "true")) || u.Is(j, "throw") {
				only = false
			}
		}
		if only {
			l.say(verdict.Hard, i, "a matcher passes whatever it is given", "let the matcher look at what it is given")
		}
	}
}

// noop reports whether the last argument in the parentheses that open at token i is a function that does nothing.
func (l *looker) noop(open int) bool {
	args := l.u.Args(open)
	return len(args) > 1 && l.noopFrom(args[len(args)-1][0])
}

func (l *looker) noopFrom(i int) bool {
	u := l.u
	for k := i; k < min(i+12, len(u.Tokens)); k++ {
		if u.Is(k, "{") {
			return reach.Harmless(u, k+1, u.Close(k))
		}
	}
	return false
}

func macro(w string) bool {
	switch w {
	case "assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne", "panic", "unreachable", "assert_matches":
		return true
	}
	return false
}

// fakeTesting finds `t := &testing.T{}` and `t = new(testing.T)` where t is the test that runs.
func (l *looker) fakeTesting(i int) bool {
	u := l.u
	if !u.Is(i+1, ":=") && !u.Is(i+1, "=") {
		return false
	}
	text := u.Norm(i+2, i+8)
	if !strings.HasPrefix(text, "& testing . T {") && !strings.HasPrefix(text, "new ( testing . T )") {
		return false
	}
	fn := innermost(u, i)
	if fn == nil {
		return false
	}
	for _, p := range fn.Params {
		if p.Name == u.Text(i) {
			return true
		}
	}
	return false
}

func clock(owner, name string) bool {
	switch owner + "." + name {
	case "time.time", "time.perf_counter", "time.monotonic", "time.sleep", "time.process_time", "Date.now", "performance.now":
		return true
	}
	return false
}
