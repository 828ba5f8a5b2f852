// Package assertion finds the statements of a test that can make it fail and says what each looks at, what with, and how
// closely.
//
// It knows the usual assertion libraries of the languages of package source by their names and shapes. It reads tokens,
// never comments or strings, and its cost is linear in them. It owns no table and no file and judges nothing.
package assertion

import (
	"github.com/devflow-suite/devflow/internal/source"
)

// Assert is one statement of a test that can make it fail.
type Assert struct {
	From, To  int // tokens of the statement: the whole chain with its semicolon; of a link of a chain, the link
	At        int // token of the last name of the callee
	Line, End int
	Callee    string // assert.Equal, self.assertEqual, expect, assert, assert_eq!, if (Go's `if got != want { t.Errorf }`)
	Matcher   string // of chains: toBe, to.equal, isEqualTo, hasSize …; with "not." in front when negated
	Actual    string // what is looked at, normalised; "" when unknown
	Expected  string // what it is compared with, normalised; "" when there is none
	Op        string // == != < … of a plain comparison, as the assertion claims it: `if got != want { t.Error }` claims ==
	Strength  Strength
	Trivial   bool // cannot fail: constants, or a thing against itself
	Oracle    bool // the expected value is computed by the same call as the actual one
	Awaited   bool // awaited or returned

	Looked [2]int // tokens of Actual, both 0 when unknown
	Wanted [2]int // tokens of Expected
}

// Strength orders assertions by what they pin down.
type Strength uint8

// Strengths in rising order.
const (
	Unknown   Strength = iota
	Presence           // not nil, defined, truthy, of some type, does not throw
	Tolerance          // within a delta, a range, contains, matches a pattern, greater than
	Exact              // equal to a value, throws a particular error, snapshot
)

// Find lists the assertions among tokens [from, to) of a file in order. match is what Brackets returned; helper says
// which functions of the file assert.
func Find(f *source.File, match []int32, helper func(string) bool, from, to int) []Assert {
	x := &finder{f: f, match: match, helper: helper, from: max(from, 0), to: min(to, len(f.Tokens))}
	x.scan(x.from, x.to, 0)
	return x.out
}

type finder struct {
	f        *source.File
	match    []int32
	helper   func(string) bool
	opener   []int32 // closing → opening; filled when first asked for
	from, to int
	out      []Assert
	locals   map[string]local // filled when first asked for
	testing  map[string]bool  // Go: names of *testing.T and kin
	direct   map[int]bool     // Go: failing calls that belong to an if
}

// deepest bounds how deeply assertions inside the arguments of assertions are looked for.
const deepest = 4

// longest is how many tokens of one operand are looked at.
const longest = 400

func (x *finder) scan(from, to, depth int) {
	f := x.f
	for i := from; i < to; i++ {
		k := f.Tokens[i].Kind
		if k != source.Name {
			continue
		}
		a, ok := x.find(i, to)
		if !ok {
			if a, ok = x.follow(i); !ok {
				continue
			}
		}
		if a.To <= i {
			a.To = i + 1
		}
		a.To = min(a.To, len(f.Tokens))
		if depth < deepest && x.nests(&a) {
			n := len(x.out)
			x.scan(max(a.At+1, i+1), min(a.To, to), depth+1)
			if len(x.out) > n {
				i = max(i, a.To-1)
				continue
			}
		}
		x.finish(&a)
		x.out = append(x.out, a)
		if a.Callee != "if" {
			i = max(i, a.To-1)
		}
	}
}

// nests reports whether an assertion may only gather others: a helper with a block among its arguments.
func (x *finder) nests(a *Assert) bool {
	if a.Strength != Unknown || a.Callee == "if" {
		return false
	}
	for i := a.At; i < a.To; i++ {
		if x.f.Is(i, "{") || x.f.Is(i, "=>") || x.f.Is(i, "->") {
			return true
		}
	}
	return false
}

// follow reads the call of a function of the file that asserts.
func (x *finder) follow(i int) (Assert, bool) {
	f := x.f
	if !f.Is(i+1, "(") || f.Is(i-1, ".") && !f.Is(i-2, "self") && !f.Is(i-2, "this") || f.Is(i-1, "->") && !f.Is(i-2, "$this") || x.helper == nil || !x.helper(f.Text(i)) {
		return Assert{}, false
	}
	switch f.Text(i - 1) {
	case "def", "func", "fn", "fun", "function", "void", "new":
		return Assert{}, false
	}
	if f.Is(x.closing(i+1)+1, "{") && f.Lang != source.Kotlin && f.Lang != source.Swift && f.Lang != source.Scala && f.Lang != source.Ruby { // declares it
		return Assert{}, false
	}
	from, awaited := x.start(i)
	a := Assert{From: from, At: i, Awaited: awaited, Callee: f.Text(i)}
	_, end := x.chain(x.closing(i+1) + 1)
	a.To = x.semicolon(end)
	args := x.args(i + 1)
	if len(args) > 0 && args[0][1]-args[0][0] == 1 && x.testing[f.Text(args[0][0])] {
		args = args[1:]
	}
	if len(args) > 0 {
		a.Looked = args[0]
	}
	if len(args) > 1 {
		a.Wanted = args[1]
	}
	return a, true
}

func (x *finder) find(i, to int) (Assert, bool) {
	switch x.f.Lang {
	case source.Go:
		return x.golang(i, to)
	case source.Python:
		return x.python(i)
	case source.JS, source.TS:
		return x.script(i)
	case source.Rust:
		return x.rust(i)
	case source.Dart:
		return x.dart(i)
	case source.Ruby:
		return x.ruby(i, to)
	case source.C, source.CPP:
		return x.native(i)
	case "":
		return Assert{}, false
	}
	return x.object(i)
}

// finish fills in what follows from the rest.
func (x *finder) finish(a *Assert) {
	f := x.f
	if a.Looked[1] > a.Looked[0] {
		a.Actual = x.norm(a.Looked)
	}
	if a.Wanted[1] > a.Wanted[0] && a.Expected == "" {
		a.Expected = x.norm(a.Wanted)
	}
	if a.From < len(f.Tokens) {
		a.Line = int(f.Tokens[a.From].Line)
	}
	a.End = a.Line
	if a.To > a.From {
		t := &f.Tokens[a.To-1]
		a.End = int(t.Line)
		if t.Kind == source.String {
			for _, c := range f.Src[t.Pos:t.End] {
				if c == '\n' {
					a.End++
				}
			}
		}
	}
	if !a.Trivial && a.Looked[1] > a.Looked[0] && a.Wanted[1] > a.Wanted[0] {
		x.compare(a)
	}
}

func (x *finder) closing(i int) int {
	if i < 0 || i >= len(x.match) || x.match[i] == 0 {
		return i
	}
	return min(int(x.match[i]), len(x.f.Tokens))
}

// opening is the partner of the closing bracket at i, i itself when it has none.
func (x *finder) opening(i int) int {
	if x.opener == nil {
		x.opener = make([]int32, len(x.match))
		for k, m := range x.match {
			if m > 0 && int(m) < len(x.opener) {
				x.opener[m] = int32(k)
			}
		}
	}
	if i < 0 || i >= len(x.opener) || int(x.opener[i]) >= i || !x.closes(i) {
		return i
	}
	if x.opener[i] == 0 && x.closing(0) != i {
		return i
	}
	return int(x.opener[i])
}

func (x *finder) closes(i int) bool { return x.f.Is(i, ")") || x.f.Is(i, "]") || x.f.Is(i, "}") }

// norm is the text of the tokens with single blanks.
func (x *finder) norm(s [2]int) string {
	f := x.f
	n := 0
	for i := s[0]; i < s[1]; i++ {
		n += int(f.Tokens[i].End-f.Tokens[i].Pos) + 1
	}
	b := make([]byte, 0, n)
	for i := s[0]; i < s[1]; i++ {
		if i > s[0] {
			b = append(b, ' ')
		}
		b = append(b, f.Src[f.Tokens[i].Pos:f.Tokens[i].End]...)
	}
	return string(b)
}

// args splits the arguments of the call whose parenthesis is token open.
func (x *finder) args(open int) [][2]int {
	f := x.f
	end := min(x.closing(open), len(f.Tokens))
	var out [][2]int
	from := open + 1
	for i := open + 1; i < end; i++ {
		if f.Is(i, ",") {
			if i > from {
				out = append(out, [2]int{from, i})
			}
			from = i + 1
			continue
		}
		if f.Is(i, "<") {
			if k := x.generic(i); k > i {
				i = k - 1
				continue
			}
		}
		i = max(i, min(x.closing(i), end))
	}
	if from < end {
		out = append(out, [2]int{from, end})
	}
	return out
}

// generic is the token after the type arguments that open at token i, i when there are none.
func (x *finder) generic(i int) int {
	f := x.f
	if !f.Is(i, "<") || f.Kind(i-1) != source.Name && !f.Is(i-1, "::") && f.Lang != source.Dart { // Dart: <int>[]
		return i
	}
	depth := 0
	for k := i; k < min(i+60, len(f.Tokens)); k++ {
		switch f.Text(k) {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				switch f.Text(k + 1) {
				case "(", "{", "[", "::", ".", ")", ",", ">":
					return k + 1
				}
				return i
			}
		case ",", ".", "?", "::", "&", "[", "]", "|", "*", "(", ")", "->", "=>":
		default:
			if f.Kind(k) != source.Name && f.Kind(k) != source.String {
				return i
			}
		}
	}
	return i
}

// link is one part of a chain: .name or .name(…).
type link struct {
	at   int // token of the name
	open int // its parenthesis, -1 when it is not called
}

// chain reads the links behind token i, which ends an operand, and returns the token after them.
func (x *finder) chain(i int) (links []link, end int) {
	f := x.f
	j := i
	for j < len(f.Tokens) {
		switch {
		case (f.Is(j, ".") || f.Is(j, "?.") || f.Is(j, "->") && f.Lang == source.PHP || f.Is(j, "..") && f.Lang == source.Dart) && f.Kind(j+1) == source.Name:
			l := link{at: j + 1, open: -1}
			j += 2
			if f.Is(j, "<") {
				j = x.generic(j)
			} else if f.Is(j, "::") && f.Is(j+1, "<") {
				j = x.generic(j + 1)
			}
			switch {
			case f.Is(j, "("):
				l.open = j
				j = x.closing(j) + 1
			case f.Is(j, "{") && (f.Lang == source.Kotlin || f.Lang == source.Swift || f.Lang == source.Scala):
				l.open = j
				j = x.closing(j) + 1
			}
			links = append(links, l)
		case (f.Is(j, "!") || f.Is(j, "?") || f.Is(j, "!!")) && f.Glued(j) && (f.Is(j+1, ".") || f.Is(j+1, "(")):
			j++
		case f.Is(j, "[") && f.Glued(j):
			j = x.closing(j) + 1
		default:
			return links, min(j, len(f.Tokens))
		}
	}
	return links, len(f.Tokens)
}

// semicolon is the token after the one at j if that is a semicolon, else j.
func (x *finder) semicolon(j int) int {
	if x.f.Is(j, ";") {
		return j + 1
	}
	return min(j, len(x.f.Tokens))
}

// start goes back from the first token of a call over its receiver and over await and return.
func (x *finder) start(i int) (from int, awaited bool) {
	f := x.f
	for n := 0; n < longest; n++ {
		if f.Is(i-1, ".") || f.Is(i-1, "?.") || f.Is(i-1, "::") || f.Is(i-1, "->") && (f.Lang == source.PHP || f.Lang == source.CPP || f.Lang == source.C) {
			j := i - 2
			for x.closes(j) && x.opening(j) < j {
				j = x.opening(j)
				if f.Kind(j-1) == source.Name || x.closes(j-1) {
					j--
				}
			}
			if j < 0 || f.Kind(j) != source.Name && f.Kind(j) != source.String {
				break
			}
			i = j
			continue
		}
		break
	}
	for f.Is(i-1, "await") || f.Is(i-1, "return") || f.Is(i-1, "yield") || f.Is(i-1, "void") && (f.Lang == source.JS || f.Lang == source.TS) || f.Is(i-1, "try") && f.Lang == source.Swift ||
		f.Is(i-1, "unawaited") {
		awaited = awaited || f.Is(i-1, "await") || f.Is(i-1, "return")
		i--
	}
	return max(i, 0), awaited
}
