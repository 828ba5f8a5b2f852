package special

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// found is a question about the surroundings.
type found struct {
	word string // what it asks for
	weak bool   // continuous integration, which ordinary programs ask for, too
}

// probe reads a question that begins, or has its source, at token i.
func probe(u *units.File, i int) found {
	switch w := u.Text(i); w {
	case "cfg":
		if u.Lang == source.Rust && (u.Is(i+1, "!") && u.Is(i+2, "(") && mentions(u, i+3, u.Close(i+2), "test")) {
			return found{word: "cfg!(test)"}
		}
		if u.Lang == source.Rust && u.Is(i+1, "(") && u.Is(i-1, "[") && mentions(u, i+2, u.Close(i+1), "test") && !u.Is(u.Close(i+1)+2, "mod") {
			return found{word: "cfg(test)"}
		}
	case "testing":
		if u.Lang == source.Go && u.Is(i+1, ".") && u.Is(i+2, "Testing") {
			return found{word: "testing.Testing"}
		}
	case "meta":
		if u.Is(i-2, "import") && (u.Is(i+2, "vitest") || u.Is(i+2, "jest")) {
			return found{word: "import.meta." + u.Text(i+2)}
		}
	case "typeof":
		k := i + 1
		for u.Is(k, "(") {
			k++
		}
		for k < i+10 && k < len(u.Tokens) { // (globalThis as any).describe
			if runner(u.Text(k)) && !u.Is(k+1, ".") {
				return found{word: u.Text(k)}
			}
			if u.Kind(k) != source.Name && !u.Is(k, ".") && !u.Is(k, "?.") && !u.Is(k, ")") {
				break
			}
			k++
		}
	case "global", "globalThis", "window", "self", "globals":
		for k := i + 1; k < i+8 && k < len(u.Tokens) && !u.Is(k, ";"); k++ {
			if runner(u.Text(k)) && (u.Is(k-1, ".") || u.Is(k-1, "?.")) || u.Kind(k) == source.String && runner(u.Unquote(k)) && (u.Is(k-1, "[") || u.Is(k-1, "(")) {
				if w == "self" || w == "window" && u.Text(k) == "test" {
					return found{}
				}
				return found{word: u.Text(k)}
			}
		}
		if u.Is(i-1, "in") && u.Kind(i-2) == source.String && runner(u.Unquote(i-2)) {
			return found{word: u.Unquote(i - 2)}
		}
	case "kIsTest", "XCTestCase", "isInDebugTest", "IsTestMode":
		return found{word: w}
	case "defined":
		if u.Lang == source.Ruby || u.Lang == source.PHP {
			if t := near(u, i, true); t.word != "" {
				return t
			}
		}
	case "Rails":
		if u.Is(i+2, "env") && strings.HasPrefix(u.Text(i+4), "test") {
			return found{word: "Rails.env.test?"}
		}
	}
	switch strict, ok := ambient(u, i); {
	case ok:
		return near(u, i, strict)
	}
	return found{}
}

func mentions(u *units.File, from, to int, word string) bool {
	for i := from; i < to; i++ {
		if u.Is(i, word) {
			return true
		}
	}
	return false
}

// runner are names that test runners put in the global scope.
func runner(w string) bool {
	switch w {
	case "describe", "it", "jest", "mocha", "vi", "vitest", "jasmine", "beforeEach", "afterEach", "beforeAll", "expect", "__karma__", "__vitest_worker__", "__JEST__", "suite", "QUnit", "Cypress", "__TEST__":
		return true
	}
	return false
}

// ambient reports tokens that read what surrounds the program. strict: the program's own arguments, modules and stack,
// where only the names of test runners count.
func ambient(u *units.File, i int) (strict, ok bool) {
	prev := ""
	if u.Is(i-1, ".") || u.Is(i-1, "::") {
		prev = u.Text(i - 2)
	}
	switch u.Text(i) {
	case "environ", "getenv", "Getenv", "LookupEnv", "getenvb", "GetEnvironmentVariable", "option_env", "putenv", "ENV", "_ENV", "_SERVER":
		return false, true
	case "env":
		return false, prev == "process" || prev == "Deno" || prev == "Bun" || prev == "meta" || prev == "std" && u.Is(i+1, "::") || u.Is(i+1, "!") || u.Is(i+1, "::") && (u.Is(i+2, "var") || u.Is(i+2, "var_os"))
	case "environment":
		return false, prev == "Platform" || prev == "processInfo"
	case "getProperty", "getBoolean":
		return false, prev == "System" || prev == "Boolean"
	case "fromEnvironment", "hasEnvironment":
		return false, true
	case "modules", "argv", "_getframe", "executable", "orig_argv":
		return true, prev == "sys" || prev == "process"
	case "Args":
		return true, prev == "os"
	case "Lookup":
		return true, prev == "flag"
	case "args", "current_exe":
		return true, prev == "env"
	case "argv0", "execArgv":
		return true, true
	case "stack":
		return true, prev == "inspect" || prev != "" || u.Is(i-1, "?.") || u.Is(i+1, "(")
	case "extract_stack", "format_stack", "currentframe", "getStackTrace", "StackTrace", "Caller", "Callers", "CallersFrames", "FuncForPC", "Backtrace", "caller", "caller_locations", "currentThread":
		return true, true
	case "forName", "find_spec", "__import__", "resolve", "getLoadedModules", "NSClassFromString", "GetAssemblies", "class_exists":
		return true, true
	case "cache":
		return true, prev == "require" || prev == "" && u.Is(i-1, ".") && u.Is(i-2, "require")
	}
	return false, false
}

// near looks for words of testing in the statement around token i.
func near(u *units.File, i int, strict bool) found {
	from, to := i, i+1
	for n := 0; from > 0 && n < 10 && !ends(u, from-1); n++ {
		from--
		if u.Tokens[from].First && u.Tokens[from].Line != u.Tokens[i].Line && !u.Is(from, ".") {
			break
		}
	}
	for n := 0; to < len(u.Tokens) && n < 24 && !ends(u, to); n++ {
		to++
	}
	var out found
	for k := from; k < to; k++ {
		word := ""
		switch u.Kind(k) {
		case source.String:
			word = u.Unquote(k)
		case source.Name:
			if k > i && (u.Is(k-1, ".") || u.Is(k-1, "?.")) {
				word = u.Text(k)
			}
		}
		if word == "" || len(word) > 60 {
			continue
		}
		switch s := testing(word); {
		case s == strong, s == plain && !strict:
			return found{word: word}
		case s == weak && !strict:
			out = found{word: word, weak: true}
		}
	}
	return out
}

func ends(u *units.File, i int) bool { return u.Is(i, ";") || u.Is(i, "{") || u.Is(i, "}") }

type strength uint8

const (
	no strength = iota
	weak
	plain  // test: also an ordinary word
	strong // the name of a test runner
)

// testing tells how clearly a word speaks of tests.
func testing(word string) strength {
	best := no
	if strings.HasPrefix(word, "test.") || strings.HasSuffix(word, ".test") || strings.HasSuffix(word, "_test.go") || strings.HasSuffix(word, "_test") && !strings.ContainsAny(word, " ") || word == "testing.tRunner" || strings.HasSuffix(word, ".test.exe") {
		best = strong
	}
	for _, w := range segments(word) {
		switch w {
		case "pytest", "unittest", "jest", "vitest", "mocha", "jasmine", "karma", "junit", "surefire", "testng", "nose", "rspec", "minitest", "phpunit", "xctest", "xunit", "nunit", "mstest", "cypress",
			"playwright", "qunit", "doctest", "nextest", "hypothesis", "ava", "failsafe", "spock", "kotest", "scalatest", "trunner":
			best = strong
		case "test", "tests", "testing", "tested", "testmode", "istest", "istesting", "testrunner":
			best = max(best, plain)
		case "ci", "travis", "jenkins", "buildkite", "circleci", "appveyor", "gitlab", "codecov", "coverage":
			best = max(best, weak)
		}
		if w == "github" && strings.Contains(strings.ToLower(word), "actions") {
			best = max(best, weak)
		}
	}
	return best
}

// segments splits a word at everything but letters, and before capitals, in lower case.
func segments(word string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	var last rune
	for _, r := range word {
		switch {
		case (r < 'a' || r > 'z') && (r < 'A' || r > 'Z'):
			flush()
		case r >= 'A' && r <= 'Z' && last >= 'a' && last <= 'z':
			flush()
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	flush()
	return out
}
