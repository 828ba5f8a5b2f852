// Package cases finds the test cases in a source file and counts the assertions in each.
//
// It knows the usual test frameworks of the fifteen languages of package source by the names they use. It is lenient about what an
// assertion is (a helper called checkSorted counts) and strict about what is trivial (assertTrue(true) does not). It reads tokens,
// never comments or strings, owns no table and no file, and judges nothing: whether a test without an assertion matters is for its
// callers to say. All functions are pure and safe for concurrent use.
package cases

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Test is one test case.
type Test struct {
	Name    string
	Line    int
	Asserts int // assertion-like calls that can fail
	Trivial int // assertions of constants, or of a thing against itself
	At      int // token of its name, or of the word that a call of it begins with
	From    int // first token of the body
	To      int // token after the body
}

// Find lists the test cases of a file in order. A case inside another one (a subtest) is part of it.
func Find(f *source.File) []Test { return FindIn(f, f.Brackets(), f.Decls()) }

// FindIn is Find for callers that have what Brackets and Decls return.
func FindIn(f *source.File, match []int32, decls []source.Decl) []Test {
	s := scannerOf(f, match, decls)
	tests := s.list()
	for i := range tests {
		t := &tests[i]
		n, trivial := s.count(t.From, t.To)
		t.Asserts += n
		t.Trivial += trivial
	}
	return tests
}

// Any reports whether one of the test cases of a file holds an assertion that can fail. It reads no more of the file than it needs:
// its beginning mostly tells.
func Any(lang source.Lang, src []byte) bool {
	for n := 1 << 10; n < len(src)/2; n *= 4 {
		cut := bytes.LastIndexByte(src[:n], '\n') + 1
		if s := newScanner(source.Lex(lang, src[:cut])); s.any(len(s.f.Tokens) - 1) {
			return true
		}
	}
	return newScanner(source.Lex(lang, src)).any(math.MaxInt)
}

// any looks at the test cases that end before token to; one that was cut off may look other than it is.
func (s *scanner) any(to int) bool {
	for _, t := range s.list() {
		if t.To >= to {
			continue
		}
		if t.Asserts > 0 {
			return true
		}
		if n, _ := s.count(t.From, t.To); n > 0 {
			return true
		}
	}
	return false
}

// list finds the test cases without counting.
func (s *scanner) list() []Test {
	var out []Test
	end := 0
	add := func(t Test) {
		if t.From >= end {
			out = append(out, t)
			end = t.To
		}
	}
	calls := s.calls()
	for _, d := range s.decls {
		for len(calls) > 0 && calls[0].From <= d.At {
			add(calls[0])
			calls = calls[1:]
		}
		if t, ok := s.declared(d); ok {
			add(t)
		}
	}
	for _, t := range calls {
		add(t)
	}
	return out
}

// Asserts counts the assertions of a whole file, those outside test cases included.
func Asserts(f *source.File) (asserts, trivial int) {
	return newScanner(f).count(0, len(f.Tokens))
}

type scanner struct {
	f       *source.File
	match   []int32 // opening → closing
	opener  []int32 // closing → opening; filled when first asked for
	decls   []source.Decl
	heads   map[int]bool            // tokens that are the names of declarations; filled with helpers
	helpers map[string]*source.Decl // functions of the file that are no tests; filled when first asked for
	asserts map[string]bool         // which of them assert, as far as known
	depth   int                     // of helpers that call helpers
	testing map[string]bool         // Go: names of parameters of type *testing.T and kin
}

func newScanner(f *source.File) *scanner { return scannerOf(f, f.Brackets(), f.Decls()) }

func scannerOf(f *source.File, match []int32, decls []source.Decl) *scanner {
	s := &scanner{f: f, match: match, decls: decls}
	if f.Lang == source.Go {
		s.testing = map[string]bool{}
		for i := range f.Tokens {
			if f.Is(i, "testing") && f.Is(i+1, ".") && (f.Is(i+2, "T") || f.Is(i+2, "F") || f.Is(i+2, "TB")) {
				switch {
				case f.Is(i-1, "*") && f.Kind(i-2) == source.Name:
					s.testing[f.Text(i-2)] = true
				case f.Kind(i-1) == source.Name:
					s.testing[f.Text(i-1)] = true
				}
			}
		}
	}
	return s
}

// learn fills in what counting needs.
func (s *scanner) learn() {
	const most = 2000 // functions; more than that is no test file that a person wrote
	s.helpers, s.asserts, s.heads = map[string]*source.Decl{}, map[string]bool{}, map[int]bool{}
	for i := range s.decls[:min(len(s.decls), most)] {
		d := &s.decls[i]
		s.heads[d.At] = true
		if _, test := s.declared(*d); !test && !d.Type && d.To-d.From < 5000 {
			s.helpers[d.Name] = d
		}
	}
}

// helps reports whether a function of the file asserts, itself or through another one. declared says whether the file has it.
func (s *scanner) helps(name string) (asserts, declared bool) {
	const deepest = 2
	d := s.helpers[name]
	if d == nil {
		return false, false
	}
	known, ok := s.asserts[name]
	if ok || s.depth >= deepest {
		return known, true
	}
	s.asserts[name] = false // for functions that call themselves
	s.depth++
	n, _ := s.count(d.From, d.To)
	s.depth--
	s.asserts[name] = n > 0
	return n > 0, true
}

func (s *scanner) closing(i int) int {
	if i < 0 || i >= len(s.match) || s.match[i] == 0 {
		return i
	}
	return int(s.match[i])
}

// opening is the partner of the closing bracket at i.
func (s *scanner) opening(i int) int {
	if s.opener == nil {
		s.opener = make([]int32, len(s.f.Tokens))
		for k, m := range s.match {
			if m > 0 && int(m) < len(s.opener) {
				s.opener[m] = int32(k)
			}
		}
	}
	return int(s.opener[i])
}

// annotations returns the names in the annotations or attributes before a declaration whose name is at token i, and the token at
// which the declaration starts.
func (s *scanner) annotations(i int) (names []string, head int) {
	f := s.f
	head = i
	for n := 0; n < 200 && head > 0; n++ {
		p := head - 1
		switch {
		case f.Is(p, ")") || f.Is(p, "]"):
			open := s.opening(p)
			if f.Is(p, "]") {
				for k := open + 1; k < p; k++ {
					if f.Kind(k) == source.Name && (f.Is(k-1, "[") || f.Is(k-1, ",") || f.Is(k-1, "::") || f.Is(k-1, "\\") || f.Is(k-1, ".")) {
						names = append(names, f.Text(k))
					}
					k = max(k, s.closing(k))
				}
			}
			head = min(open, p)
		case f.Is(p, ";") || f.Is(p, "{") || f.Is(p, "}") || f.Kind(p) == source.String && f.Lang != source.Dart:
			return names, head
		default:
			if f.Kind(p) == source.Name && (f.Is(p-1, "@") || f.Is(p-1, ".")) {
				names = append(names, f.Text(p))
			}
			head = p
		}
	}
	return names, head
}

func anyOf(names []string, words ...string) bool {
	for _, n := range names {
		if slices.Contains(words, n) {
			return true
		}
	}
	return false
}

// declared reports whether a declaration is a test case.
func (s *scanner) declared(d source.Decl) (Test, bool) {
	f := s.f
	t := Test{Name: d.Name, Line: d.Line, At: d.At, From: d.From, To: d.To}
	if d.Type {
		return t, false
	}
	switch f.Lang {
	case source.Go:
		return s.golang(d, t)
	case source.Python:
		return t, strings.HasPrefix(d.Name, "test") && (len(d.Name) > 4 || d.To > d.From)
	case source.Ruby:
		return t, strings.HasPrefix(d.Name, "test_")
	case source.Java, source.Kotlin, source.Scala:
		names, head := s.annotations(d.At)
		if anyOf(names, "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Theory", "Example") {
			if s.mentions(head, d.At, "expected", "expectedExceptions") {
				t.Asserts++
			}
			return t, true
		}
		// JUnit 3; one with parameters is a helper.
		return t, f.Lang == source.Java && testName(d.Name) && s.mentions(d.At-3, d.At, "void") && f.Is(d.At+2, ")")
	case source.CSharp:
		names, _ := s.annotations(d.At)
		if anyOf(names, "ExpectedException") {
			t.Asserts++
		}
		return t, anyOf(names, "Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod", "FactAttribute", "Property", "UIFact")
	case source.Rust:
		return s.rust(d, t)
	case source.Swift:
		names, _ := s.annotations(d.At)
		return t, testName(d.Name) && f.Is(d.At-1, "func") || anyOf(names, "Test")
	case source.PHP:
		names, head := s.annotations(d.At)
		return t, testName(d.Name) || strings.HasPrefix(d.Name, "test_") || anyOf(names, "Test") || strings.Contains(s.comment(head), "@test")
	case source.C, source.CPP:
		return s.native(d, t)
	}
	return t, false
}

// testName is the custom of xUnit: testSomething.
func testName(name string) bool {
	rest, ok := strings.CutPrefix(name, "test")
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

// mentions reports whether one of the names is among tokens [from, to).
func (s *scanner) mentions(from, to int, names ...string) bool {
	for i := max(from, 0); i < min(to, len(s.f.Tokens)); i++ {
		for _, n := range names {
			if s.f.Is(i, n) {
				return true
			}
		}
	}
	return false
}

// comment returns the source between token i and the one before it.
func (s *scanner) comment(i int) string {
	if i <= 0 || i >= len(s.f.Tokens) {
		return ""
	}
	return s.f.Src[s.f.Tokens[i-1].End:s.f.Tokens[i].Pos]
}

func (s *scanner) golang(d source.Decl, t Test) (Test, bool) {
	for _, p := range [...]string{"Test", "Fuzz", "Example"} {
		rest, ok := strings.CutPrefix(d.Name, p)
		if !ok || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' || !s.f.Is(d.At-1, "func") {
			continue
		}
		if p == "Example" {
			if d.From < len(s.f.Tokens) && d.To < len(s.f.Tokens) && d.From > 0 {
				body := strings.ToLower(s.f.Src[s.f.Tokens[d.From-1].Pos:s.f.Tokens[d.To].Pos])
				if strings.Contains(body, "// output:") || strings.Contains(body, "// unordered output:") {
					t.Asserts++
				}
			}
			return t, true
		}
		return t, s.mentions(d.At, d.From, "T", "F")
	}
	// A method of a test suite: func (s *Suite) TestX().
	return t, s.f.Is(d.At-1, ")") && testName(strings.Replace(d.Name, "Test", "test", 1)) && strings.HasPrefix(d.Name, "Test") && s.f.Is(d.At+2, ")")
}

func (s *scanner) rust(d source.Decl, t Test) (Test, bool) {
	names, _ := s.annotations(d.At)
	if !anyOf(names, "test", "rstest", "test_case", "quickcheck", "proptest", "wasm_bindgen_test", "gtest", "apply", "googletest") {
		return t, false
	}
	if anyOf(names, "should_panic", "quickcheck") {
		t.Asserts++
	}
	if s.mentions(d.At, d.From, "Result") && s.mentions(d.From, d.To, "?") {
		t.Asserts++
	}
	return t, true
}

// native recognises the macros and customs of C and C++ frameworks.
func (s *scanner) native(d source.Decl, t Test) (Test, bool) {
	f := s.f
	switch d.Name {
	case "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "TEST_CASE", "SCENARIO", "BOOST_AUTO_TEST_CASE", "BOOST_FIXTURE_TEST_CASE", "Test", "CTEST",
		"TEST_CASE_METHOD", "TEST_CASE_FIXTURE", "DOCTEST_TEST_CASE", "CATCH_TEST_CASE", "START_TEST", "TEST_CASE_TEMPLATE", "TEMPLATE_TEST_CASE", "UTEST",
		"ParameterizedTest", "Theory", "TEST_METHOD", "MU_TEST", "TEST_FUNC":
		var parts []string
		for i := d.At + 2; i < s.closing(d.At+1) && len(parts) < 2; i++ {
			switch f.Kind(i) {
			case source.String:
				parts = append(parts, f.Unquote(i))
			case source.Name:
				parts = append(parts, f.Text(i))
			}
		}
		t.Name = strings.Join(parts, ".")
		return t, true
	}
	return t, strings.HasPrefix(d.Name, "test_") || testName(d.Name) && d.Name != "test"
}
