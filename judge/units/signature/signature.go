// Package signature reads what stands around the name of a declaration: annotations, modifiers, parameters and result.
//
// It looks at tokens of package source only and never fails; what it cannot read stays empty. It owns no table and no
// file and judges nothing. A Reader belongs to one goroutine.
package signature

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Param is one parameter of a function.
type Param struct {
	Name     string // "" in a list of types alone; the pattern as written where it is taken apart
	Type     string // as written, "" when there is none
	Default  string // as written, "" when there is none
	Optional bool   // callers may leave it out
}

// Signature is what was read.
type Signature struct {
	Head   int    // first token, annotations and modifiers included
	Start  int    // first token that belongs to no annotation
	Attrs  string // annotations, decorators and attributes as written, one per line
	Owner  string // Go receiver type, object of `Foo.prototype.bar = …`
	Params []Param
	Result string
}

// Reader reads the declarations of one file.
type Reader struct {
	f      *source.File
	match  []int32
	opener []int32
}

// New makes a Reader. match is what Brackets returned.
func New(f *source.File, match []int32) *Reader {
	r := &Reader{f: f, match: match, opener: make([]int32, len(match))}
	for i, m := range match {
		if m > 0 && int(m) < len(match) {
			r.opener[m] = int32(i)
		}
	}
	return r
}

// Read reads the declaration whose name is token at and whose body begins at token from.
func (r *Reader) Read(at, from int) Signature {
	s := Signature{Head: r.Head(at)}
	var attrs []string
	s.Start = s.Head
	rest := make([]int, 0, 8) // tokens between the head and the name that are of no annotation
	for i := s.Head; i < at; {
		if to := r.annotation(i, at); to > i {
			attrs = append(attrs, r.text(i, to))
			if len(rest) == 0 {
				s.Start = min(to, at)
			}
			i = to
			continue
		}
		rest = append(rest, i)
		i++
	}
	s.Attrs = strings.Join(attrs, "\n")
	open, single := r.list(at, from)
	switch {
	case single >= 0: // x => …
		s.Params = []Param{{Name: r.f.Text(single)}}
	case open >= 0:
		s.Params = r.params(open+1, r.closing(open))
	}
	s.Owner = r.owner(at, s.Head)
	s.Result = r.result(at, open, from, rest)
	return s
}

func (r *Reader) closing(i int) int {
	if i < 0 || i >= len(r.match) || r.match[i] == 0 {
		return i
	}
	return int(r.match[i])
}

// text is the source of tokens [from, to) with single blanks.
func (r *Reader) text(from, to int) string {
	f := r.f
	from, to = max(from, 0), min(to, len(f.Tokens))
	if from >= to {
		return ""
	}
	s := f.Src[f.Tokens[from].Pos:f.Tokens[to-1].End]
	if !strings.ContainsAny(s, "\n\t") && !strings.Contains(s, "  ") {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// Span is the source of tokens [from, to) on one line.
func (r *Reader) Span(from, to int) string { return r.text(from, to) }

// list finds the parameters: the bracket that opens them, or the only one of an arrow function without brackets.
func (r *Reader) list(at, from int) (open, single int) {
	f := r.f
	i := at + 1
	if (f.Lang == source.JS || f.Lang == source.TS) && !f.Is(i, "(") && !f.Is(i, "<") {
		for i < from && !f.Is(i, "=") && (i > at+1 || !f.Is(i, ":") || f.Is(at-1, "const")) {
			i = max(i, r.closing(i)) + 1
		}
		for i++; i < from && (f.Is(i, "async") || f.Is(i, "function") || f.Is(i, "*") || f.Kind(i) == source.Name && f.Is(i+1, "(")); {
			i++
		}
		if f.Kind(i) == source.Name && f.Is(i+1, "=>") {
			return -1, i
		}
	}
	if f.Is(i, "?") { // method?()
		i++
	}
	i = r.generics(i, from)
	if f.Is(i, "(") {
		return i, -1
	}
	return -1, -1
}

// generics skips type parameters at token i.
func (r *Reader) generics(i, to int) int {
	f := r.f
	if f.Is(i, "[") {
		return r.closing(i) + 1
	}
	if !f.Is(i, "<") {
		return i
	}
	for depth := 0; i < min(to, len(f.Tokens)); i++ {
		switch {
		case f.Is(i, "<"):
			depth++
		case f.Is(i, ">"):
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i = max(i, min(r.closing(i), to))
	}
	return i
}

// owner is the type that a name is attached to from outside.
func (r *Reader) owner(at, head int) string {
	f := r.f
	switch f.Lang {
	case source.Go:
		if !f.Is(head+1, "(") || !f.Is(head, "func") || head+1 >= at {
			return ""
		}
		for i := r.closing(head+1) - 1; i > head+1; i-- {
			if f.Is(i, "]") {
				i = int(r.opener[i])
				continue
			}
			if f.Kind(i) == source.Name {
				return f.Text(i)
			}
		}
	case source.JS, source.TS:
		if f.Is(at-1, ".") && f.Is(at-2, "prototype") && f.Is(at-3, ".") {
			return f.Text(at - 4)
		}
	}
	return ""
}

// result is the declared result.
func (r *Reader) result(at, open, from int, rest []int) string {
	f := r.f
	if prefixed(f.Lang) {
		for len(rest) > 0 && modifier(f.Lang, f.Text(rest[0])) {
			rest = rest[1:]
		}
		if len(rest) > 0 && f.Is(rest[0], "<") { // <T> T name()
			if i := r.generics(rest[0], at); i > rest[0] {
				for len(rest) > 0 && rest[0] < i {
					rest = rest[1:]
				}
			}
		}
		if len(rest) == 0 {
			return ""
		}
		return r.text(rest[0], at)
	}
	if open < 0 {
		return ""
	}
	i := r.closing(open) + 1
	end := from - 1
	if f.Lang == source.Python {
		end = from
		for end > i && !f.Is(end, ":") {
			end--
		}
	}
	switch f.Lang {
	case source.Go:
		return r.text(i, end)
	case source.Python, source.Rust:
		if !f.Is(i, "->") {
			return ""
		}
		for k := i + 1; k < end; k++ {
			if f.Is(k, "where") && f.Lang == source.Rust {
				end = k
			}
		}
		return r.text(i+1, end)
	case source.Swift:
		for k := i; k < min(end, i+4); k++ {
			if f.Is(k, "->") {
				return r.text(k+1, end)
			}
		}
	case source.TS, source.JS, source.Kotlin, source.Scala, source.PHP:
		if !f.Is(i, ":") {
			return ""
		}
		if f.Is(end-1, "=>") && f.Is(end, "{") {
			end--
		}
		return r.text(i+1, end)
	}
	return ""
}
