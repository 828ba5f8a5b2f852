// Package expr reads the expressions of a source file as far as tokens alone tell: operands, chains and arguments, what
// is constant, what two operands have in common, and what a local stands for.
//
// It never fails, owns no table and no file and judges nothing. A Reader belongs to one goroutine.
package expr

import (
	"github.com/devflow-suite/devflow/internal/source"
)

// Longest is how many tokens of one operand are looked at.
const Longest = 400

// Reader reads the expressions of one file. Scope narrows it to the tokens of one function for what it says about
// locals.
type Reader struct {
	F        *source.File
	Match    []int32 // opening bracket → closing
	opener   []int32 // closing → opening; filled when first asked for
	from, to int
	locals   map[string]local // filled when first asked for
}

// New makes a Reader. match is what Brackets returned.
func New(f *source.File, match []int32) *Reader {
	return &Reader{F: f, Match: match, to: len(f.Tokens)}
}

// Scope sets the function that locals are looked up in: tokens [from, to).
func (x *Reader) Scope(from, to int) {
	x.from, x.to, x.locals = max(from, 0), min(to, len(x.F.Tokens)), nil
}

func (x *Reader) Closing(i int) int {
	if i < 0 || i >= len(x.Match) || x.Match[i] == 0 {
		return i
	}
	return min(int(x.Match[i]), len(x.F.Tokens))
}

// Opening is the partner of the closing bracket at i, i itself when it has none.
func (x *Reader) Opening(i int) int {
	if x.opener == nil {
		x.opener = make([]int32, len(x.Match))
		for k, m := range x.Match {
			if m > 0 && int(m) < len(x.opener) {
				x.opener[m] = int32(k)
			}
		}
	}
	if i < 0 || i >= len(x.opener) || int(x.opener[i]) >= i || !x.Closes(i) {
		return i
	}
	if x.opener[i] == 0 && x.Closing(0) != i {
		return i
	}
	return int(x.opener[i])
}

func (x *Reader) Closes(i int) bool { return x.F.Is(i, ")") || x.F.Is(i, "]") || x.F.Is(i, "}") }

// Norm is the text of the tokens with single blanks.
func (x *Reader) Norm(s [2]int) string {
	f := x.F
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

// Args splits the arguments of the call whose parenthesis is token open.
func (x *Reader) Args(open int) [][2]int {
	f := x.F
	end := min(x.Closing(open), len(f.Tokens))
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
			if k := x.Generic(i); k > i {
				i = k - 1
				continue
			}
		}
		i = max(i, min(x.Closing(i), end))
	}
	if from < end {
		out = append(out, [2]int{from, end})
	}
	return out
}

// Generic is the token after the type arguments that open at token i, i when there are none.
func (x *Reader) Generic(i int) int {
	f := x.F
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

// Link is one part of a chain: .name or .name(…).
type Link struct {
	At   int // token of the name
	Open int // its parenthesis, -1 when it is not called
}

// Chain reads the links behind token i, which ends an operand, and returns the token after them.
func (x *Reader) Chain(i int) (links []Link, end int) {
	f := x.F
	j := i
	for j < len(f.Tokens) {
		switch {
		case (f.Is(j, ".") || f.Is(j, "?.") || f.Is(j, "->") && f.Lang == source.PHP || f.Is(j, "..") && f.Lang == source.Dart) && f.Kind(j+1) == source.Name:
			l := Link{At: j + 1, Open: -1}
			j += 2
			if f.Is(j, "<") {
				j = x.Generic(j)
			} else if f.Is(j, "::") && f.Is(j+1, "<") {
				j = x.Generic(j + 1)
			}
			switch {
			case f.Is(j, "("):
				l.Open = j
				j = x.Closing(j) + 1
			case f.Is(j, "{") && (f.Lang == source.Kotlin || f.Lang == source.Swift || f.Lang == source.Scala):
				l.Open = j
				j = x.Closing(j) + 1
			}
			links = append(links, l)
		case (f.Is(j, "!") || f.Is(j, "?") || f.Is(j, "!!")) && f.Glued(j) && (f.Is(j+1, ".") || f.Is(j+1, "(")):
			j++
		case f.Is(j, "[") && f.Glued(j):
			j = x.Closing(j) + 1
		default:
			return links, min(j, len(f.Tokens))
		}
	}
	return links, len(f.Tokens)
}

// Semicolon is the token after the one at j if that is a semicolon, else j.
func (x *Reader) Semicolon(j int) int {
	if x.F.Is(j, ";") {
		return j + 1
	}
	return min(j, len(x.F.Tokens))
}

// Start goes back from the first token of a call over its receiver and over await and return.
func (x *Reader) Start(i int) (from int, awaited bool) {
	f := x.F
	for n := 0; n < Longest; n++ {
		if f.Is(i-1, ".") || f.Is(i-1, "?.") || f.Is(i-1, "::") || f.Is(i-1, "->") && (f.Lang == source.PHP || f.Lang == source.CPP || f.Lang == source.C) {
			j := i - 2
			for x.Closes(j) && x.Opening(j) < j {
				j = x.Opening(j)
				if f.Kind(j-1) == source.Name || x.Closes(j-1) {
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

// Block reports whether an argument is a function.
func (x *Reader) Block(s [2]int) bool {
	f := x.F
	for i := s[0]; i < min(s[1], s[0]+Longest); i++ {
		if f.Is(i, "->") || f.Is(i, "=>") || f.Is(i, "function") || f.Is(i, "lambda") || f.Is(i, "func") || f.Is(i, "{") && i > s[0] {
			return true
		}
	}
	return false
}
