// Package object finds the assertions of the languages whose libraries are used as methods and macros with telling names:
// Java, Kotlin, C#, Scala, Swift, PHP, Ruby, C and C++.
//
// It is part of package assertion, which finds those of the others. It owns no table and no file and judges nothing.
package object

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/claim"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// Finder finds assertions; it belongs to one goroutine.
type Finder struct{ *claim.Reader }

// Find finds the assertions of Java, Kotlin, C#, Scala, Swift and PHP, whose libraries use calls with telling names.
func (x Finder) Find(i int) (claim.Assert, bool) {
	f := x.F
	w := f.Text(i)
	open := x.Generic(i + 1)
	if f.Lang == source.Scala && f.Is(open, "[") {
		open = x.Closing(open) + 1
	}
	switch f.Text(i - 1) {
	case "fun", "func", "def", "function", "void", "new", "class", "import":
		return claim.Assert{}, false
	}
	if w == "assert" && !f.Is(open, "(") && f.Lang == source.Java && !f.Is(i-1, ".") && !f.Is(i+1, "=") {
		return x.javaAssert(i), true
	}
	if a, ok := x.infix(i, w); ok {
		return a, true
	}
	block := f.Is(open, "{") && (f.Lang == source.Kotlin || f.Lang == source.Swift || f.Lang == source.Scala)
	if !f.Is(open, "(") && !block {
		return claim.Assert{}, false
	}
	if !x.asserts(i, w) {
		return claim.Assert{}, false
	}
	from, awaited := x.Start(i)
	a := claim.Assert{From: from, At: i, Awaited: awaited, Callee: x.qualified(i)}
	if f.Is(i-1, "#") {
		a.From, a.Callee = i-1, "#"+w
	}
	var args [][2]int
	end := x.Closing(open) + 1
	if block {
		args = [][2]int{{open + 1, min(x.Closing(open), len(f.Tokens))}}
	} else {
		args = x.Args(open)
		if f.Is(end, "{") && (f.Lang == source.Kotlin || f.Lang == source.Swift || f.Lang == source.Scala) {
			args = append(args, [2]int{end + 1, min(x.Closing(end), len(f.Tokens))})
			end = x.Closing(end) + 1
		}
	}
	if f.Is(i+1, "<") && open > i+2 || f.Is(i+1, "[") && f.Lang == source.Scala { // assertThrows<E> { … }
		a.Wanted = [2]int{i + 2, open - 1}
	}
	links, end := x.Chain(end)
	a.To = x.Semicolon(end)
	x.objectFill(&a, i, w, args, links)
	return a, true
}

// qualified is Assert.Equal, this.assertX, Mockito.verify or the plain name.
func (x Finder) qualified(i int) string {
	f := x.F
	if (f.Is(i-1, ".") || f.Is(i-1, "::") || f.Is(i-1, "->") && f.Lang == source.PHP) && f.Kind(i-2) == source.Name {
		return f.Text(i-2) + f.Text(i-1) + f.Text(i)
	}
	return f.Text(i)
}

// asserts reports whether the call of a name is an assertion.
func (x Finder) asserts(i int, w string) bool {
	f := x.F
	member := f.Is(i-1, ".") || f.Is(i-1, "::") || f.Is(i-1, "->")
	recv := ""
	if member {
		recv = f.Text(i - 2)
	}
	switch {
	case strings.HasPrefix(w, "assert") && (len(w) == 6 || w[6] < 'a' || w[6] > 'z' || f.Lang == source.PHP):
		return w != "assertionError" && !(w == "assert" && f.Lang == source.PHP && f.Is(i-1, "@"))
	case strings.HasSuffix(recv, "Assert") || recv == "Assertions" || recv == "StringAssert" || recv == "CollectionAssert":
		return w != "Pass" && w != "Ignore" && w != "Inconclusive" && w != "Warn"
	case f.Lang == source.Swift && strings.HasPrefix(w, "Assert") && !member:
		return true
	case f.Lang == source.Swift && strings.HasPrefix(w, "XCT"):
		return !strings.HasPrefix(w, "XCTSkip") && w != "XCTestExpectation" && w != "XCTestCase" && !strings.HasPrefix(w, "XCTMeasure")
	case f.Lang == source.Swift && f.Is(i-1, "#"):
		return w == "expect" || w == "require"
	case f.Lang == source.CSharp && member && (w == "Should" || strings.HasPrefix(w, "Should") && w[6] < 'a' || w == "Verify" || w == "Received" || w == "DidNotReceive" || w == "VerifyAll" || w == "VerifyNoOtherCalls"):
		return true
	case f.Lang == source.PHP && (strings.HasPrefix(w, "expectException") || w == "shouldReceive" || w == "shouldHaveReceived" || w == "expectOutputString" || w == "expectOutputRegex" || w == "expects"):
		return true
	case f.Lang == source.Java && (w == "andExpect" || w == "untilAsserted"):
		return true
	case f.Lang == source.Java && w == "expect" && (recv == "thrown" || recv == "exception" || recv == "expectedException"), w == "expectMessage" && member:
		return true
	case f.Lang == source.Scala && (w == "intercept" || w == "interceptMessage" || w == "expectResult"):
		return true
	case w == "fail" && (!member || recv == "Assert" || recv == "Assertions" || recv == "self" || recv == "this" || recv == "$this" || recv == "TestCase"):
		return true
	case w == "verify" || w == "verifyNoMoreInteractions" || w == "verifyNoInteractions" || w == "verifyZeroInteractions" || w == "coVerify" || w == "verifyAll" || w == "verifyOrder" || w == "verifySequence" || w == "inOrder_":
		return (!member || recv == "Mockito" || recv == "inOrder" || recv == "order" || recv == "BDDMockito") && (f.Is(i+1, "(") && (f.Lang != source.Java || f.Is(x.Closing(i+1)+1, ".") || len(w) > 6) || f.Lang == source.Kotlin)
	case w == "expect" || w == "expectThat" || w == "expectThrows" || w == "expectThatCode" || w == "expectCatching":
		return !member || w != "expect"
	case w == "then" && (f.Lang == source.Java || f.Lang == source.Kotlin) && !member && f.Is(x.Closing(i+1)+1, "."):
		return true
	case w == "shouldThrow" || w == "shouldThrowExactly" || w == "shouldThrowAny" || w == "shouldNotThrowAny" || w == "shouldThrowWithMessage":
		return true
	case f.Lang == source.Kotlin && member && strings.HasPrefix(w, "should") && len(w) > 6 && w[6] < 'a':
		return true
	}
	if strings.HasPrefix(w, "check") || strings.HasPrefix(w, "verify") || strings.HasPrefix(w, "expect") {
		return !member && claim.Helper(w) && w != "check" && w != "checkNotNull" && w != "verify"
	}
	return false
}

func (x Finder) objectFill(a *claim.Assert, i int, w string, args [][2]int, links []expr.Link) {
	f := x.F
	args = x.Positional(args)
	switch {
	case w == "Should" || strings.HasPrefix(w, "Should") && f.Lang == source.CSharp || f.Lang == source.Kotlin && strings.HasPrefix(w, "should") && f.Is(i-1, "."):
		x.receiver(a, i)
		if w == "Should" {
			x.Links(a, links)
			return
		}
		a.Matcher = w
		x.Claim(a, strings.TrimPrefix(strings.TrimPrefix(w, "Should"), "should"), args, false)
	case w == "Verify" || w == "Received" || w == "DidNotReceive" || strings.HasPrefix(w, "verify") || w == "coVerify" || w == "shouldReceive" || w == "shouldHaveReceived" || w == "expects":
		x.mocked(a, i, w, args, links)
	case strings.HasPrefix(w, "expectException") || w == "expect" && f.Is(i-1, ".") || w == "expectMessage" || strings.HasPrefix(w, "expectOutput"):
		a.Strength = claim.Exact
		if len(args) > 0 {
			a.Wanted = args[0]
			if x.AnyFailure(args[0]) {
				a.Strength = claim.Presence
			}
		}
	case w == "andExpect" || w == "untilAsserted":
		a.From, a.Strength = i-1, claim.Exact
		a.To = min(x.Closing(i+1)+1, len(f.Tokens))
		if len(args) > 0 {
			a.Wanted = args[0]
		}
	case w == "fail" || w == "Fail" || w == "XCTFail":
		a.Strength = claim.Unknown
	case strings.HasPrefix(w, "assertThat") || w == "expect" || w == "expectThat" || w == "then" || w == "That" || w == "assertWithMessage" || w == "assertThatCode" || w == "expectThrows" && len(links) > 0:
		x.that(a, args, links)
	case w == "require" || w == "expect" || w == "assert" && f.Lang != source.PHP:
		if len(args) > 0 {
			x.Condition(a, args[0], true)
		}
	default:
		wanted := a.Wanted
		name := w
		if f.Lang == source.Swift {
			name = strings.TrimPrefix(w, "XCT")
		}
		if name == "Throws" || name == "ThrowsAsync" || name == "intercept" || name == "shouldThrow" || strings.HasPrefix(name, "shouldThrow") || name == "assertFailsWith" || name == "assertFails" || name == "expectCatching" {
			name = "throws"
		}
		x.Fill(a, name, x.message(args, name), true)
		if wanted[1] > wanted[0] {
			a.Wanted = wanted
			if claim.Fails(name) && !x.AnyFailure(wanted) {
				a.Strength = claim.Exact
			}
		}
	}
}

// message takes the message of JUnit 3 and 4 off the front: assertEquals("why", 1, x).
func (x Finder) message(args [][2]int, name string) [][2]int {
	f := x.F
	text := func(p [2]int) bool {
		return p[1] > p[0] && f.Kind(p[0]) == source.String && (p[1]-p[0] == 1 || f.Is(p[0]+1, "+"))
	}
	if f.Lang != source.Java && f.Lang != source.Kotlin || len(args) < 2 || !text(args[0]) {
		return args
	}
	operands := claim.Operands(name)
	switch {
	case operands == 2 && (len(args) == 4 || len(args) == 3 && !text(args[2]) && f.Kind(args[2][0]) != source.Number || len(args) == 3 && f.Kind(args[1][0]) != source.String && !text(args[2]) && f.Lang == source.Java):
		return args[1:]
	case operands == 1 && len(args) == 2 && !text(args[1]):
		return args[1:]
	}
	return args
}

// receiver sets what a chain in front of token i looks at.
func (x Finder) receiver(a *claim.Assert, i int) {
	f := x.F
	k := a.From
	for f.Is(k, "await") || f.Is(k, "return") {
		k++
	}
	if i-1 > k && i-1-k < expr.Longest {
		a.Looked = [2]int{k, i - 1}
	}
}

// that reads assertThat(x).isEqualTo(y), assertThat(x, is(y)) and Assert.That(x, Is.EqualTo(y)).
func (x Finder) that(a *claim.Assert, args [][2]int, links []expr.Link) {
	f := x.F
	if len(args) > 0 {
		a.Looked = args[0]
	}
	if len(args) == 3 && f.Kind(args[0][0]) == source.String { // a reason first
		args = args[1:]
		a.Looked = args[0]
	}
	if len(links) == 0 {
		switch {
		case len(args) > 1 && (f.Lang == source.CSharp && f.Is(args[1][0]+1, ".")):
			x.constraint(a, args[1])
		case len(args) > 1:
			x.Matcher(a, args[1], false)
		case len(args) == 1:
			x.Condition(a, args[0], true)
		}
		return
	}
	var names []string
	looked, claimed := a.Looked, false
	for _, l := range links {
		name := f.Text(l.At)
		switch name {
		case "as", "describedAs", "withFailMessage", "overridingErrorMessage", "usingRecursiveComparison", "isNotSameAs_", "usingElementComparator", "withMessage", "asString", "asList", "asInstanceOf", "because", "and", "And",
			"that", "extracting", "extractingResultOf", "first", "last", "element", "flatExtracting", "map", "filteredOn", "usingComparator", "inOrder", "about", "to", "be", "ignoringFields", "ignoringOrder", "returns_":
			if name == "that" && l.Open >= 0 {
				if args := x.Args(l.Open); len(args) > 0 {
					looked = args[0]
				}
			}
			continue
		case "not":
			if l.Open < 0 {
				names = append(names, "not")
				continue
			}
		}
		names = append(names, name)
		var args [][2]int
		if l.Open >= 0 {
			args = x.Args(l.Open)
		}
		a.Looked = looked
		trivial := a.Trivial
		w := name
		if f.Lang == source.PHP {
			w = strings.TrimPrefix(name, "toBe")
			if w == "" {
				w = "toBe"
			}
		}
		x.Claim(a, w, args, len(names) > 1 && names[len(names)-2] == "not")
		a.Trivial = a.Trivial && (trivial || !claimed)
		claimed = true
	}
	a.Matcher = strings.Join(names, ".")
	if rest, ok := strings.CutPrefix(a.Matcher, "not."); ok && f.Lang != source.PHP {
		a.Matcher = "not." + rest
	}
}

// constraint reads NUnit's Is.Not.EqualTo(y), Has.Count.EqualTo(1), Throws.TypeOf<E>().
func (x Finder) constraint(a *claim.Assert, s [2]int) {
	f := x.F
	links, _ := x.Chain(s[0] + 1)
	not := false
	var names []string
	for _, l := range links {
		name := f.Text(l.At)
		if name == "Not" {
			not = true
			continue
		}
		names = append(names, name)
		var args [][2]int
		if l.Open >= 0 {
			args = x.Args(l.Open)
		}
		x.Claim(a, name, args, not)
	}
	a.Matcher = f.Text(s[0]) + "." + strings.Join(names, ".")
	if not {
		a.Matcher = "not." + a.Matcher
	}
}

// mocked reads the verification of a mock.
func (x Finder) mocked(a *claim.Assert, i int, w string, args [][2]int, links []expr.Link) {
	f := x.F
	a.Strength = claim.Presence
	if len(args) > 0 {
		a.Looked = args[0]
	}
	if len(args) > 1 {
		a.Wanted = args[1]
		a.Strength = claim.Exact
	}
	if w == "Verify" || w == "Received" || w == "DidNotReceive" || strings.HasPrefix(w, "should") || w == "expects" {
		x.receiver(a, i)
		if len(args) > 0 {
			a.Wanted = [2]int{args[0][0], args[len(args)-1][1]}
			a.Strength = claim.Exact
		}
	}
	if strings.Contains(w, "No") || w == "DidNotReceive" {
		a.Strength = claim.Exact
	}
	for _, l := range links {
		if l.Open >= 0 {
			a.Matcher = f.Text(l.At)
			if list := x.Args(l.Open); len(list) > 0 && a.Wanted[1] == 0 {
				a.Wanted = [2]int{list[0][0], list[len(list)-1][1]}
			}
			a.Strength = claim.Exact
		}
	}
}

// javaAssert reads `assert x : "why";`.
func (x Finder) javaAssert(i int) claim.Assert {
	f := x.F
	end, colon := i+1, -1
	for end < min(len(f.Tokens), i+expr.Longest) && !f.Is(end, ";") && !f.Is(end, "}") {
		if f.Is(end, ":") && colon < 0 {
			colon = end
		}
		end = max(end, min(x.Closing(end), len(f.Tokens)-1)) + 1
	}
	a := claim.Assert{From: i, At: i, To: x.Semicolon(min(end, len(f.Tokens))), Callee: "assert"}
	s := [2]int{i + 1, min(end, len(f.Tokens))}
	if colon > 0 {
		s[1] = colon
	}
	x.Condition(&a, s, true)
	return a
}

// infix reads `x shouldBe y` of Kotlin and Scala.
func (x Finder) infix(i int, w string) (claim.Assert, bool) {
	f := x.F
	if f.Lang != source.Kotlin && f.Lang != source.Scala || f.Is(i-1, ".") || f.Tokens[i].First || f.Is(i+1, ":") {
		return claim.Assert{}, false
	}
	if !(strings.HasPrefix(w, "should") || f.Lang == source.Scala && strings.HasPrefix(w, "must")) || f.Kind(i-1) == source.Op && !x.Closes(i-1) || f.Kind(i+1) == 0 || f.Is(i+1, ".") {
		return claim.Assert{}, false
	}
	if f.Is(i+1, "{") || f.Kind(i+1) == source.String && f.Is(i+2, "in") || f.Kind(i-1) == source.String && f.Is(i+2, "{") { // "it" should "add" in { … }
		return claim.Assert{}, false
	}
	from := i
	for from > 0 && !f.Tokens[from].First && !f.Is(from-1, "{") && !f.Is(from-1, ";") && !f.Is(from-1, "->") && !f.Is(from-1, "=>") && !f.Is(from-1, "(") {
		from--
		if x.Closes(from) {
			from = x.Opening(from)
		}
	}
	end := i + 1
	for end < min(len(f.Tokens), i+expr.Longest) && !f.Is(end, ";") && !x.Closes(end) && !(f.Tokens[end].First && end > i+1 && !f.Is(end, ".")) {
		end = max(end, min(x.Closing(end), len(f.Tokens)-1)) + 1
	}
	end = min(end, len(f.Tokens))
	a := claim.Assert{From: from, At: i, To: x.Semicolon(end), Callee: w, Looked: [2]int{from, i}}
	a.Wanted = [2]int{i + 1, end}
	if from >= i || end <= i+1 {
		return a, false
	}
	if w == "should" || w == "must" || w == "shouldNot" {
		not := w == "shouldNot"
		s := a.Wanted
		if f.Is(s[0], "not") {
			not, s[0] = true, s[0]+1
		}
		name := f.Text(s[0])
		rest := x.Trim([2]int{s[0] + 1, s[1]})
		if f.Is(s[0]+1, "(") {
			x.Matcher(&a, s, not)
			return a, true
		}
		a.Wanted = rest
		x.Named(&a, name, [][2]int{rest}, not)
		return a, true
	}
	name := strings.TrimPrefix(strings.TrimPrefix(w, "should"), "must")
	if name == "Be" || name == "NotBe" {
		name += "Equal"
		name = strings.Replace(strings.Replace(name, "BeEqual", "Equal", 1), "NotEqual", "notEqual", 1)
	}
	a.Matcher = w
	x.Claim(&a, name, [][2]int{a.Wanted}, false)
	return a, true
}
