package cases

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// sort of a token with regard to assertions.
type sort uint8

const (
	none     sort = iota
	compares      // may be trivial: looks at its arguments
	fails         // fails when reached, or is a helper: never trivial
)

// longest is how many tokens of an assertion's arguments are looked at; nested calls stay linear by it.
const longest = 1000

// count counts the assertions among tokens [from, to).
func (s *scanner) count(from, to int) (asserts, trivial int) {
	if s.helpers == nil {
		s.learn()
	}
	for i := max(from, 0); i < min(to, len(s.f.Tokens)); i++ {
		k := s.f.Kind(i)
		if k == source.Op && s.operator(i) {
			asserts++
			continue
		}
		if k != source.Name {
			continue
		}
		switch s.sort(i, to) {
		case fails:
			asserts++
		case compares:
			if s.plain(i) && s.trivial(i, to) {
				trivial++
			} else {
				asserts++
			}
		}
	}
	return asserts, trivial
}

// plain reports whether the assertion at token i is one of a framework that looks at nothing but its arguments. A helper called with
// constants (checkUser(1)) or a method of the thing itself (response.assertStatus(200)) is not.
func (s *scanner) plain(i int) bool {
	f := s.f
	switch {
	case f.Is(i-1, "->"):
		if !f.Is(i-2, "$this") {
			return false
		}
	case f.Is(i-1, "."):
		switch f.Text(i - 2) {
		case "self", "cls", "this", "assert", "Assert", "Assertions", "require", "is", "c", "s", "suite", "a", "r", "qt", "t", "tap", "test", "chai", "np", "pytest":
		default:
			return false
		}
	}
	w := f.Text(i)
	if w == strings.ToUpper(w) || strings.HasPrefix(w, "XCTAssert") || strings.HasSuffix(w, "Assert") {
		return true
	}
	w = strings.ToLower(strings.ReplaceAll(w, "_", ""))
	for _, p := range [...]string{"debug", "prop", "assert", "g"} {
		w = strings.TrimPrefix(w, p)
	}
	switch w {
	case "", "expect", "check", "true", "false", "equal", "equals", "same", "eq", "ne", "neq", "notequal", "notequals", "notsame", "that", "nil", "notnil", "null", "notnull",
		"isnone", "isnotnone", "is", "isnot", "in", "notin", "greater", "less", "ge", "le", "gt", "lt", "truthy", "falsy", "deepequal", "deepequals", "almostequal",
		"strictequal", "deepstrictequal", "ok", "not", "instanceof", "isinstance", "isnull", "isnotnull", "empty", "notempty", "predicate", "noerror", "contains", "len",
		"inequal", "equalvalues", "exactly", "like", "match", "intequal", "stringequal":
		return true
	}
	return false
}

// operator recognises utest's ==>.
func (s *scanner) operator(i int) bool {
	return s.f.Lang == source.Scala && s.f.Is(i, "==") && s.f.Is(i+1, ">") && s.f.Glued(i+1)
}

// sort classifies the name at token i.
func (s *scanner) sort(i, to int) sort {
	f := s.f
	w := f.Text(i)
	call := f.Is(i+1, "(")
	if s.heads[i] {
		return none
	}
	if call && !f.Is(i-1, ".") {
		if yes, _ := s.helps(w); yes {
			return fails
		}
	}
	switch f.Lang {
	case source.Go:
		return s.sortGo(i, w, call)
	case source.Python:
		return s.sortPython(i, w, call)
	case source.JS, source.TS:
		return s.sortJS(i, w, call)
	case source.Rust:
		return s.sortRust(i, w, call)
	case source.Ruby:
		return s.sortRuby(i, w)
	case source.C, source.CPP:
		return s.sortNative(w, call)
	}
	return s.sortOther(i, w, call)
}

// helper reports whether a name says that its function asserts: it begins with a word such as assert or check.
func helper(w string) bool {
	w = strings.TrimLeft(w, "_$")
	for _, p := range [...]string{"assert", "expect", "verify", "check", "ensure", "should", "refute"} {
		if len(w) < len(p) || !strings.EqualFold(w[:len(p)], p) {
			continue
		}
		rest := w[len(p):]
		if rest == "" || p == "assert" || rest[0] < 'a' || rest[0] > 'z' {
			return true
		}
	}
	return false
}

// ordinary reports whether a helper's name is as likely the name of what is tested: a test that calls verify(token) has not
// looked at anything. A helper of that name in the same file is followed anyway.
func ordinary(w string) bool {
	switch strings.ToLower(w) {
	case "verify", "check", "ensure":
		return true
	}
	return false
}

func (s *scanner) sortGo(i int, w string, call bool) sort {
	f := s.f
	if !call {
		return none
	}
	recv := ""
	if f.Is(i-1, ".") {
		recv = f.Text(i - 2)
	}
	switch {
	case s.testing[recv]:
		switch w {
		case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
			return fails
		}
		return none
	case w == "Expect" || w == "Ω" || w == "Eventually" || w == "Consistently":
		return compares
	case s.testing[f.Text(i+2)] && (f.Is(i+3, ",") || f.Is(i+3, ")")):
		if f.Is(i-1, "func") || s.mentions(i+2, min(s.closing(i+1), i+longest), "func") || prepares(w) {
			return none
		}
		if yes, declared := s.helps(w); declared && !yes && recv == "" {
			return none
		}
		return compares
	}
	switch recv {
	case "assert", "require", "is", "c", "qt", "s", "suite", "a", "r":
		for _, m := range [...]string{"Equal", "NotEqual", "NoErr", "NoError", "True", "False", "Error", "ErrorIs", "Nil", "NotNil", "Assert", "Check", "Contains", "Len",
			"Empty", "NotEmpty", "Zero", "Panics", "ElementsMatch", "EqualValues", "Exactly", "JSONEq", "InDelta", "Greater", "Less", "Fail", "FailNow"} {
			if w == m {
				return compares
			}
		}
	}
	return none
}

// prepares reports whether the name of a helper that is given t says that it sets things up.
func prepares(w string) bool {
	l := strings.ToLower(w)
	for _, p := range [...]string{"setup", "new", "make", "start", "init", "create", "temp", "tmp", "open", "load", "read", "build", "with", "mock", "fake", "stub", "skip",
		"helper", "cleanup", "prepare", "seed", "fixture", "write", "mkdir", "chdir", "setenv", "get", "parallel", "connect", "dial", "log", "default", "context"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	return false
}

func (s *scanner) sortPython(i int, w string, call bool) sort {
	f := s.f
	switch {
	case w == "assert" && !f.Is(i-1, "."):
		return compares
	case f.Is(i-1, "def") || !call:
		return none
	case w == "raises" || w == "warns" || w == "deprecated_call" || w == "fail":
		return fails
	case helper(w) && !ordinary(w):
		return compares
	}
	return none
}

func (s *scanner) sortJS(i int, w string, call bool) sort {
	f := s.f
	switch w {
	case "expect":
		switch {
		case f.Is(i-1, ".") && call: // supertest
			return fails
		case call && f.Is(s.closing(i+1)+1, "."):
			return compares
		case f.Is(i+1, ".") && (f.Is(i+2, "soft") || f.Is(i+2, "poll") || f.Is(i+2, "fail")):
			return fails
		}
		return none
	case "assert":
		if call || f.Is(i+1, ".") {
			return compares
		}
		return none
	case "should":
		if f.Is(i-1, ".") || call {
			return fails
		}
		return none
	case "strictEqual", "deepStrictEqual", "deepEqual", "notStrictEqual", "notDepEqual", "equal", "ok", "throws", "rejects", "doesNotThrow":
		if call && !f.Is(i-1, ".") {
			return compares
		}
	case "expectTypeOf", "assertType", "expectType", "expectError":
		return fails
	}
	if call && f.Is(i-1, ".") && (f.Is(i-2, "t") || f.Is(i-2, "tap") || f.Is(i-2, "test")) {
		switch w {
		case "is", "not", "deepEqual", "notDeepEqual", "like", "throws", "throwsAsync", "notThrows", "notThrowsAsync", "true", "false", "truthy", "falsy", "regex",
			"snapshot", "assert", "fail", "equal", "equals", "same", "ok", "notOk", "strictSame", "match", "error", "deepEquals", "rejects", "resolves", "type", "has":
			return compares
		}
	}
	if call && helper(w) && !f.Is(i-1, "function") && (!ordinary(w) || f.Is(s.closing(i+1)+1, ".")) { // verify(mock.x()).called()
		return compares
	}
	return none
}

func (s *scanner) sortRust(i int, w string, call bool) sort {
	f := s.f
	if f.Is(i+1, "!") && !f.Is(i+2, "=") {
		switch {
		case w == "panic" || w == "unreachable":
			return fails
		case helper(strings.TrimPrefix(strings.TrimPrefix(w, "debug_"), "prop_")):
			return compares
		}
		return none
	}
	if !call || f.Is(i-1, "fn") {
		return none
	}
	switch {
	case w == "compile_fail" || w == "quickcheck":
		return fails
	case f.Is(i-1, ".") && (w == "expect" || w == "expect_err" || strings.HasPrefix(w, "check")):
		return none // unwraps
	case helper(w):
		return compares
	}
	return none
}

func (s *scanner) sortRuby(i int, w string) sort {
	f := s.f
	if f.Is(i-1, "def") {
		return none
	}
	switch w {
	case "expect":
		if f.Is(i+1, "(") || f.Is(i+1, "{") || f.Is(i+1, "do") {
			return compares
		}
		return none
	case "is_expected", "flunk", "should", "should_not", "are_expected":
		if w == "should" && f.Kind(i+1) == source.String && f.Tokens[i].First {
			return none // shoulda: a test of its own
		}
		return fails
	case "expects", "have_received":
		return fails
	case "assert", "refute":
		return compares
	}
	if strings.HasPrefix(w, "must_") || strings.HasPrefix(w, "wont_") {
		return fails
	}
	if strings.HasPrefix(w, "assert_") || strings.HasPrefix(w, "refute_") {
		return compares
	}
	if helper(w) && (f.Is(i+1, "(") || f.Kind(i+1) == source.Name) && !f.Is(i-1, ".") {
		return fails
	}
	return none
}

func (s *scanner) sortNative(w string, call bool) sort {
	if !call {
		return none
	}
	u := strings.ToUpper(w)
	for _, p := range [...]string{"DOCTEST_", "CATCH_", "BOOST_", "TEST_", "STATIC_", "CR_", "CK_", "G_", "MU_", "MUNIT_"} {
		u = strings.TrimPrefix(u, p)
	}
	switch {
	case u == "FAIL" || u == "ADD_FAILURE" || u == "GTEST_FAIL" || u == "FAIL_CHECK" || w == "TEST_FAIL_MESSAGE" || w == "BOOST_TEST" || w == "BOOST_ERROR":
		return fails
	case strings.HasPrefix(u, "REQUIRE") || helper(u) && w == strings.ToUpper(w) || helper(w) || u != strings.ToUpper(w) && helper(u):
		return compares
	}
	return none
}

// sortOther serves the languages whose frameworks use methods with telling names.
func (s *scanner) sortOther(i int, w string, call bool) sort {
	f := s.f
	generic := f.Is(i+1, "<") || f.Is(i+1, "[") && f.Lang == source.Scala // assertFailsWith<E> {…}, intercept[E]
	block := f.Is(i+1, "{")
	if f.Is(i-1, "fun") || f.Is(i-1, "func") || f.Is(i-1, "def") || f.Is(i-1, "function") || f.Is(i-1, "void") {
		return none
	}
	switch f.Lang {
	case source.Swift:
		if call && strings.HasPrefix(w, "XCT") && w != "XCTSkip" && w != "XCTSkipIf" && w != "XCTSkipUnless" && w != "XCTestExpectation" {
			if w == "XCTFail" || w == "XCTUnwrap" {
				return fails
			}
			return compares
		}
		if f.Is(i-1, "#") && (w == "expect" || w == "require") {
			return compares
		}
	case source.Kotlin, source.Scala:
		if strings.HasPrefix(w, "should") && helper(w) && !f.Is(i+1, "(") && f.Kind(i+1) != 0 && !f.Tokens[i].First {
			return fails // x shouldBe y
		}
		if f.Lang == source.Scala && (w == "must" || strings.HasPrefix(w, "mustBe") || w == "mustEqual" || w == "intercept" || w == "forAll" || w == "expectResult") {
			return fails
		}
	case source.Java:
		if w == "assert" && !call {
			return compares
		}
		if w == "untilAsserted" || w == "andExpect" {
			return fails
		}
	case source.Dart:
		if w == "expect" && f.Is(i+1, ":") { // blocTest
			return fails
		}
	case source.CSharp:
		switch {
		case strings.HasSuffix(w, "Assert") && f.Is(i+1, "."):
			return s.sharpAssert(i)
		case w == "Received" || w == "DidNotReceive" || w == "VerifyAll" || w == "VerifyNoOtherCalls":
			return fails
		case f.Is(i-1, ".") && strings.HasSuffix(f.Text(i-2), "Assert"):
			return none // counted at its receiver
		}
	case source.PHP:
		if call && (w == "expectException" || strings.HasPrefix(w, "expectException") || w == "shouldReceive" || w == "shouldHaveReceived" || w == "expects" ||
			strings.HasPrefix(w, "see") && len(w) > 3 && w[3] < 'a') {
			return fails
		}
		if w == "assert" && f.Is(i-1, "@") {
			return none
		}
	}
	if w == "fail" && call {
		return fails
	}
	if (call || generic || block) && helper(w) {
		if generic || block {
			return fails
		}
		return compares
	}
	return none
}

// sharpAssert classifies C#'s Assert.Xxx(…).
func (s *scanner) sharpAssert(i int) sort {
	switch s.f.Text(i + 2) {
	case "Fail", "Throws", "ThrowsAsync", "ThrowsAny", "ThrowsException", "Multiple":
		return fails
	case "Pass", "Ignore", "Inconclusive", "Warn":
		return none
	}
	return compares
}
