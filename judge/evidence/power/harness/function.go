package harness

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/reach"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// functions looks at functions that runners and frameworks call, and at those named as an assertion.
func (l *looker) functions() {
	before := map[string]string{}
	if l.f.Before != nil {
		for _, fn := range l.f.Before.Funcs() {
			before[fn.Class+"\x00"+fn.Name] = fn.Body()
		}
	}
	for _, fn := range l.u.Funcs() {
		if fn.Test || !l.f.Touched(fn.First, fn.End) {
			continue
		}
		old, had := before[fn.Class+"\x00"+fn.Name]
		if had && old == fn.Body() {
			continue
		}
		l.function(fn, old, had)
	}
}

func (l *looker) function(fn *units.Func, old string, had bool) {
	u := l.u
	body := " " + fn.Body() + " "
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(body, " "+w+" ") {
				return true
			}
		}
		return false
	}
	switch {
	case fn.Name == "TestMain" && u.Lang == source.Go && !has("Run") && !l.handsOn(fn):
		l.say(verdict.Hard, fn.At, "TestMain runs no test", "call m.Run and exit with what it returns")
	case fn.Name == "TestMain" && u.Lang == source.Go && l.dropped(fn):
		l.say(verdict.Hard, fn.At, "TestMain does not exit with what the tests returned", "call os.Exit with what m.Run returned")
	case fn.Name == "testExecutable" && u.Lang == source.Dart && !has("testMain"):
		l.say(verdict.Hard, fn.At, "testExecutable runs no test", "call testMain")
	case takesOver(fn.Name) && u.Lang == source.Python && !has("yield", "runtestprotocol", "obj", "testfunction", "runtest", "get_result") && has("True", "pass"):
		l.say(verdict.Hard, fn.At, fn.Name+" takes the place of running the test", "leave running the tests to the runner")
	case fn.Name == "pytest_ignore_collect" && only(u, fn, "return True"):
		l.say(verdict.Hard, fn.At, "no test file is collected any more", "ignore only what is no test")
	case fn.Name == "pytest_collection_modifyitems" && has("add_marker") && has("skip", "xfail") && !has("if"):
		l.say(verdict.Hard, fn.At, "every collected test is marked to be skipped or to fail", "mark only the tests that cannot run here")
	case matches(fn.Name) && (only(u, fn, "return true") || only(u, fn, "return True") || only(u, fn, "true") || only(u, fn, "return true , nil")):
		class := verdict.Soft
		if had {
			class = verdict.Hard
		}
		l.say(class, fn.At, "the matcher "+fn.Name+" matches whatever it is given", "let the matcher look at what it is given")
	case !had && shadow(fn.Name) && (fn.Class == "" || u.Lang == source.Java && reach.Harmless(u, fn.From, fn.To)) && l.used(fn.Name) && !fails(u, fn.From, fn.To):
		l.say(verdict.Hard, fn.At, "`"+fn.Name+"` is now a function of the file that cannot fail", fixAssert)
	case fn.Name == "handleTestExecutionException" && reach.Harmless(u, fn.From, fn.To):
		l.say(verdict.Hard, fn.At, "failures of tests are dropped", "throw the failure again")
	case has("evaluate", "proceed", "interceptTestMethod") && l.swallows(fn) && !strings.Contains(old, "catch"):
		l.say(verdict.Hard, fn.At, fn.Name+" drops the failures of the tests that it runs", "throw the failure again")
	}
}

// handsOn reports whether a function gives its first parameter to another one, which then runs the tests.
func (l *looker) handsOn(fn *units.Func) bool {
	if len(fn.Params) == 0 {
		return false
	}
	for i := fn.From; i < fn.To; i++ {
		if l.u.Is(i, fn.Params[0].Name) && (l.u.Is(i-1, "(") || l.u.Is(i-1, ",")) && (l.u.Is(i+1, ")") || l.u.Is(i+1, ",")) {
			return true
		}
	}
	return false
}

// dropped reports whether TestMain ends with another status than what m.Run returned.
func (l *looker) dropped(fn *units.Func) bool {
	u := l.u
	for i := fn.From; i < fn.To; i++ {
		if u.Is(i, "Exit") && u.Is(i+1, "(") {
			arg := u.Norm(i+2, u.Close(i+1))
			if strings.Contains(arg, "Run (") && !strings.HasSuffix(arg, "Run ( )") {
				return true
			}
			if name := u.Text(i + 2); u.Close(i+1) == i+3 && u.Kind(i+2) == source.Name {
				for k := fn.From; k < i; k++ {
					if u.Is(k, name) && u.Is(k+1, "=") && u.Is(k+2, "0") {
						return true
					}
				}
			}
		}
	}
	return false
}

// takesOver knows the hooks of pytest that may run a test in their own way.
func takesOver(name string) bool {
	switch name {
	case "pytest_runtest_call", "pytest_pyfunc_call", "pytest_runtest_protocol", "pytest_runtestloop":
		return true
	}
	return false
}

// only reports whether a function is one statement, and which.
func only(u *units.File, fn *units.Func, text string) bool {
	all := stmt.Split(u, fn.From, fn.To)
	return len(all) == 1 && strings.TrimSuffix(u.Norm(all[0].From, all[0].To), " ;") == text
}

func matches(name string) bool {
	switch name {
	case "matches", "matchesSafely", "matchesSafelyDiagnosingly", "Match", "Matches", "_matches", "matches?":
		return true
	}
	return false
}

// shadow knows the names of assertions that a file usually has from its framework.
func shadow(name string) bool {
	switch name {
	case "expect", "assert", "expectLater", "fail", "verify", "equal", "strictEqual", "deepEqual", "deepStrictEqual", "ok", "is":
		return true
	}
	return strings.HasPrefix(name, "assert") && len(name) > 6 && (name[6] == '_' || name[6] >= 'A' && name[6] <= 'Z')
}

// swallows reports whether a try in a function has a handler that drops everything.
func (l *looker) swallows(fn *units.Func) bool {
	u := l.u
	for i := fn.From; i < fn.To; i++ {
		if !u.Is(i, "try") {
			continue
		}
		blocks := stmt.Blocks(u, stmt.Stmt{From: i, To: stmt.End(u, i, fn.To)})
		for _, b := range blocks {
			if (b.Word == "catch" || b.Word == "except") && reach.Harmless(u, b.From, b.To) {
				return true
			}
		}
	}
	return false
}
