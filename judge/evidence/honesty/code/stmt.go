package code

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Kind is what a statement does.
type Kind uint8

// Kinds of statements.
const (
	Plain Kind = iota
	If
	Else
	Loop
	Switch
	Case
	Try
	Catch
	Finally
	Return
	Throw
	Jump // break, continue
	Pass
	Def // a nested function or type
)

// Stmt is a statement, or the head of one with a block: `if x`, `else`, `case 3:`.
type Stmt struct {
	Kind      Kind
	Depth     int // of blocks around it inside the function, 0 = top
	From, To  int // tokens, of the head only where there is a block
	In, Out   int // tokens of its block; equal when there is none
	Line, End int
	Next      int  // index of the first statement behind it and its block
	Tail      bool // the value of the block: Rust's last expression, expression bodies
}

// Body is a function's body in statements, in order; those of blocks follow their head.
type Body struct {
	F     *units.File
	Fn    *units.Func
	Stmts []Stmt
}

// maxDepth bounds nested blocks; deeper ones count as part of their head.
const maxDepth = 40

// Read splits the body of a function.
func Read(fn *units.Func) *Body {
	b := &Body{F: fn.File(), Fn: fn}
	b.Stmts = Split(b.F, fn.From, fn.To)
	if Expression(fn) {
		for i := range b.Stmts {
			if b.Stmts[i].Depth == 0 && b.Stmts[i].Kind == Plain {
				b.Stmts[i].Tail = true
				break
			}
		}
	}
	return b
}

// Expression is true for functions whose body is one expression: `f() => 1`.
func Expression(fn *units.Func) bool {
	f := fn.File()
	switch f.Lang {
	case source.Python, source.Ruby, source.Go, source.Rust, source.C, source.CPP:
		return false
	}
	return fn.From < fn.To && (f.Is(fn.From-1, "=>") || f.Is(fn.From-1, "="))
}

// Split reads tokens [from, to) as statements.
func Split(f *units.File, from, to int) []Stmt {
	s := splitter{f: f}
	from, to = max(from, 0), min(to, len(f.Tokens))
	switch f.Lang {
	case source.Python, source.Ruby:
		s.lines(from, to)
	default:
		s.block(from, to, 0, false)
	}
	for i := range s.out {
		j := i + 1
		for j < len(s.out) && s.out[j].Depth > s.out[i].Depth {
			j++
		}
		s.out[i].Next = j
	}
	return s.out
}

type splitter struct {
	f   *units.File
	out []Stmt
}

func (s *splitter) add(kind Kind, depth, from, to int) *Stmt {
	s.out = append(s.out, Stmt{Kind: kind, Depth: depth, From: from, To: to, Line: s.f.TokenLine(from), End: s.f.TokenLine(max(to-1, from))})
	return &s.out[len(s.out)-1]
}

// lines splits by lines and columns: Python and Ruby.
func (s *splitter) lines(from, to int) {
	f := s.f
	var cols []int32
	for i := from; i < to; {
		end := i + 1
		for j := i; j < to; j++ {
			if j > i && f.Tokens[j].First {
				break
			}
			if f.Is(j, ";") && f.Lang == source.Python {
				end = j + 1
				break
			}
			j = max(j, f.Close(j))
			end = min(j+1, to)
		}
		if f.Tokens[i].First {
			for len(cols) > 0 && cols[len(cols)-1] >= f.Tokens[i].Col {
				cols = cols[:len(cols)-1]
			}
			cols = append(cols, f.Tokens[i].Col)
		}
		kind := s.kind(i)
		depth := max(len(cols)-1, 0)
		if f.Lang == source.Python && suite(kind) {
			if colon := s.colon(i, end); colon >= 0 && colon+1 < end { // if x: return y
				s.add(kind, depth, i, colon+1)
				i = colon + 1
				s.add(s.kind(i), depth+1, i, end)
				i = end
				continue
			}
		}
		last := end
		if last > i && f.Is(last-1, ";") {
			last--
		}
		s.add(kind, depth, i, last)
		i = end
	}
	for i := range s.out { // blocks
		st := &s.out[i]
		j := i + 1
		for j < len(s.out) && s.out[j].Depth > st.Depth {
			j++
		}
		if j > i+1 {
			st.In, st.Out = s.out[i+1].From, s.out[j-1].To
		}
	}
}

// suite reports kinds whose head ends in a colon in Python.
func suite(k Kind) bool {
	switch k {
	case If, Else, Loop, Switch, Case, Try, Catch, Finally, Def:
		return true
	}
	return false
}

func (s *splitter) colon(from, to int) int {
	for i := from; i < to; i++ {
		if s.f.Is(i, ":") {
			return i
		}
		if s.f.Is(i, "lambda") {
			return -1
		}
		i = max(i, s.f.Close(i))
	}
	return -1
}

// block splits what stands between braces. arms: the block of a match, whose arms end at commas.
func (s *splitter) block(from, to, depth int, arms bool) {
	f := s.f
	for i := from; i < to; {
		if f.Is(i, ";") || f.Is(i, ",") || f.Is(i, "}") || f.Is(i, ")") || f.Is(i, "]") {
			i++
			continue
		}
		if f.Is(i, "#") && f.Is(i+1, "[") { // Rust's attribute of a statement
			i = f.Close(i+1) + 1
			continue
		}
		if arms || f.Is(i, "case") || f.Is(i, "default") && (f.Is(i+1, ":") || f.Is(i+1, "->") || f.Is(i+1, "=>")) {
			if end := s.label(i, to); end > 0 {
				s.add(Case, depth, i, end)
				if f.Is(end, "{") {
					st := &s.out[len(s.out)-1]
					st.In, st.Out = end+1, f.Close(end)
					s.inner(end+1, min(f.Close(end), to), depth, false)
					i = max(f.Close(end), end) + 1
					continue
				}
				if arms {
					stop := s.armEnd(end, to)
					s.block(end, stop, depth+1, false)
					for k := len(s.out) - 1; k >= 0 && s.out[k].From >= end; k-- {
						if s.out[k].Depth == depth+1 && s.out[k].Kind == Plain {
							s.out[k].Tail = true
							break
						}
					}
					i = stop
					continue
				}
				i = end
				continue
			}
		}
		i = s.one(i, to, depth)
	}
}

// one reads the statement at i and gives the token behind it.
func (s *splitter) one(i, to, depth int) int {
	f := s.f
	kind := s.kind(i)
	switch kind {
	case If, Loop, Switch, Catch, Try, Finally, Else:
		end, open := s.head(i, to)
		n := len(s.out)
		s.add(kind, depth, i, end)
		switch {
		case open >= 0:
			s.out[n].In, s.out[n].Out = open+1, max(f.Close(open), open+1)
			s.inner(open+1, min(f.Close(open), to), depth, kind == Switch)
			return max(f.Close(open), open) + 1
		case end < to && !f.Is(end, ";") && depth < maxDepth: // a single statement
			next := s.one(end, to, depth+1)
			s.out[n].In, s.out[n].Out = end, next
			return next
		}
		return max(end, i+1)
	}
	if f.Is(i, "{") && f.Close(i) > i {
		s.inner(i+1, min(f.Close(i), to), depth-1, false)
		return f.Close(i) + 1
	}
	end := s.end(i, to)
	st := s.add(kind, depth, i, end)
	if f.Lang == source.Rust && kind == Plain && !f.Is(end, ";") {
		st.Tail = end >= to
	}
	return max(end, i+1)
}

func (s *splitter) inner(from, to, depth int, arms bool) {
	if depth < maxDepth && from < to {
		s.block(from, to, depth+1, arms)
	}
}

// head finds the end of a compound statement's head, and the brace that opens its block or -1.
func (s *splitter) head(i, to int) (end, open int) {
	f := s.f
	j := i + 1
	if f.Is(i, "}") || f.Is(i, "else") && f.Is(j, "if") || f.Is(i, "else") && f.Is(j, "when") {
		j++
	}
	if f.Is(i, "await") {
		j++
	}
	if f.Lang == source.Dart && f.Is(i, "on") {
		for j < to && j < i+12 && !f.Is(j, "{") {
			j = max(j, f.Close(j)) + 1
		}
	}
	if f.Is(j, "(") && f.Lang != source.Go && f.Lang != source.Rust && f.Lang != source.Swift && f.Close(j) > j {
		end = min(f.Close(j)+1, to)
		for f.Is(end, "catch") && f.Lang == source.Dart {
			end = f.Close(end+1) + 1
		}
		if end < to && f.Is(end, "{") {
			return end, end
		}
		return end, -1
	}
	switch f.Text(i) {
	case "else", "do", "try", "finally", "defer", "loop", "catch", "unsafe":
		if j < to && !f.Is(j, "{") && f.Lang != source.Go && f.Lang != source.Rust && f.Lang != source.Swift {
			return j, -1
		}
	}
	for ; j < to; j++ {
		switch {
		case f.Is(j, "{"):
			if f.Lang == source.Go && (f.Is(j-1, "interface") || f.Is(j-1, "struct")) {
				break
			}
			return j, j
		case f.Is(j, ";") && f.Lang != source.Go:
			return j, -1
		}
		j = max(j, f.Close(j))
	}
	return to, -1
}

// label finds the end of a case label or of the pattern of an arm, 0 when there is none.
func (s *splitter) label(i, to int) int {
	f := s.f
	for j := i; j < to && j < i+300; j++ {
		switch {
		case f.Is(j, "=>"), f.Is(j, "->"):
			return j + 1
		case f.Is(j, ":"):
			return j + 1
		case f.Is(j, ";"), f.Is(j, "}"):
			return 0
		}
		j = max(j, f.Close(j))
	}
	return 0
}

func (s *splitter) armEnd(i, to int) int {
	f := s.f
	for j := i; j < to; j++ {
		if f.Is(j, ",") || f.Is(j, ";") {
			return j
		}
		if j > i && f.Tokens[j].First && !s.continues(j) && f.Lang != source.Rust {
			return j
		}
		j = max(j, f.Close(j))
	}
	return to
}

// end finds the end of a plain statement that begins at i.
func (s *splitter) end(i, to int) int {
	f := s.f
	for j := i; j < to; j++ {
		if f.Is(j, ";") || f.Is(j, "}") {
			return j
		}
		if j > i && f.Tokens[j].First && s.breaks(j) {
			return j
		}
		if f.Is(j, "{") && f.Close(j) > j {
			k := f.Close(j)
			if next := k + 1; next < to && f.Tokens[next].First && !s.continues(next) && (f.Is(j-1, ")") || f.Is(j-1, "async") || f.Is(i, "unsafe") || f.Is(i, "static")) && !f.Is(i, "return") && f.Lang != source.Rust {
				return next
			}
			j = k
			continue
		}
		j = max(j, f.Close(j))
	}
	return to
}

// breaks reports whether a new line at token j ends a statement, in languages where it may.
func (s *splitter) breaks(j int) bool {
	switch s.f.Lang {
	case source.Go:
		return true
	case source.JS, source.TS, source.Kotlin, source.Swift, source.Scala, "":
		return !s.continues(j)
	}
	return false
}

// continues reports whether the token at j, first of its line, goes on with the statement before.
func (s *splitter) continues(j int) bool {
	f := s.f
	switch f.Text(j) {
	case ".", "?.", "!!.", "?", ":", "+", "-", "*", "/", "%", "&&", "||", "??", "?:", "=", "==", "===", "!=", "!==", "<", ">", "<=", ">=", "|", "&", "^", ",", "(", "[", ")", "]",
		"instanceof", "in", "as", "and", "or", "=>", "..":
		return f.Kind(j) != source.String
	}
	switch f.Text(j - 1) {
	case "+", "-", "*", "/", "%", "&&", "||", "??", "?:", "=", "==", "===", "!=", "!==", "<", ">", "<=", ">=", "|", "&", "^", ",", "(", "[", "?", ":", ".", "=>", "+=", "-=", "return":
		return f.Kind(j-1) == source.Op
	}
	return false
}

// kind tells the kind of the statement that begins at token i.
func (s *splitter) kind(i int) Kind {
	f := s.f
	if f.Kind(i) != source.Name {
		return Plain
	}
	switch f.Text(i) {
	case "if", "elif", "unless", "elsif", "elseif", "guard":
		return If
	case "else":
		if f.Is(i+1, "if") {
			return If
		}
		return Else
	case "for", "while", "loop", "do", "until", "foreach":
		if f.Is(i, "do") && f.Lang == source.Swift {
			return Try
		}
		if f.Lang != source.Rust && f.Is(i, "loop") {
			return Plain
		}
		return Loop
	case "switch", "match", "select", "when":
		switch {
		case f.Lang == source.Python && f.Is(i, "match") && f.Kind(i+1) != source.Op:
			return Switch
		case f.Lang == source.Ruby || f.Lang == source.Python:
			return Plain
		case f.Is(i, "match") && f.Lang != source.Rust && f.Lang != source.Scala && f.Lang != source.PHP, f.Is(i, "when") && f.Lang != source.Kotlin, f.Is(i, "select") && f.Lang != source.Go:
			return Plain
		}
		return Switch
	case "case":
		return Case
	case "try", "begin":
		if f.Is(i, "begin") && f.Lang != source.Ruby || f.Is(i+1, "?") || f.Is(i+1, "!") {
			return Plain
		}
		if f.Is(i, "try") && f.Lang == source.Swift {
			return Plain
		}
		return Try
	case "catch", "except", "rescue":
		return Catch
	case "on":
		if f.Lang == source.Dart && f.Kind(i+1) == source.Name {
			return Catch
		}
	case "finally", "ensure":
		return Finally
	case "return", "yield":
		if f.Is(i, "yield") {
			return Plain
		}
		return Return
	case "throw", "raise", "rethrow":
		return Throw
	case "panic", "todo", "unimplemented", "fatalError", "preconditionFailure", "TODO", "unreachable":
		if f.Is(i+1, "(") || f.Is(i+1, "!") {
			return Throw
		}
	case "break", "continue", "next", "fallthrough":
		return Jump
	case "pass":
		return Pass
	case "def", "class", "func", "function", "fn", "fun":
		if f.Is(i, "func") && f.Lang == source.Go {
			return Plain
		}
		if f.Kind(i+1) == source.Name || f.Is(i+1, "*") {
			return Def
		}
	case "async":
		if f.Is(i+1, "def") || f.Is(i+1, "function") && f.Kind(i+2) == source.Name {
			return Def
		}
		if f.Is(i+1, "with") || f.Is(i+1, "for") {
			return Loop
		}
	case "with":
		if f.Lang == source.Python {
			return Loop
		}
	}
	return Plain
}
