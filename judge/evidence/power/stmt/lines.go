package stmt

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// newlines reports whether a line end ends a statement.
func newlines(l source.Lang) bool {
	switch l {
	case source.Go, source.JS, source.TS, source.Kotlin, source.Swift, source.Scala:
		return true
	}
	return false
}

// continues reports whether token j, first of its line, goes on with the statement of the line before.
func continues(f *units.File, j int) bool {
	if f.Kind(j-1) == source.Op {
		switch f.Text(j - 1) {
		case ")", "]", "}", "++", "--", "!":
		default:
			return true
		}
	}
	switch f.Text(j - 1) {
	case "instanceof", "in", "of", "as", "extends", "new", "await", "typeof", "is":
		return f.Lang != source.Go
	}
	if f.Kind(j) == source.Op {
		switch f.Text(j) {
		case "(", "[", "{", "!", "++", "--", "@", "#", "~", "*", "&", "<-":
			return false
		}
		return true
	}
	switch f.Text(j) {
	case "instanceof", "in", "of", "as", "is":
		return f.Lang != source.Go && f.Kind(j) == source.Name
	}
	return false
}

// indented ends a statement of a language whose blocks are indented, or mostly are.
func indented(f *units.File, i, to int) int {
	base := f.Tokens[i].Col
	line := f.Tokens[i].Line
	first := f.Tokens[i].First
	ruby := f.Lang == source.Ruby
	single := true // still on the first line
	for j := i; j < to; {
		if j > i && f.Tokens[j].First && f.Tokens[j].Line > line && (!first || f.Tokens[j].Col <= base) {
			w := f.Text(j)
			if !clause(w) && !(ruby && (w == "end" || w == "}" || w == "." || w == "&.")) {
				return j
			}
		}
		if f.Is(j, ";") && single {
			return j + 1
		}
		if f.Is(j, ":") && !ruby && single && j+1 < to && f.Tokens[j+1].First {
			single = false
		}
		j = max(j, f.Close(j)) + 1
	}
	return to
}

// lineEnd ends a line.
func lineEnd(f *units.File, i, to int) int {
	for j := i + 1; j < to; j++ {
		if f.Tokens[j].First {
			return j
		}
	}
	return to
}

// Blocks lists the blocks of a statement that branches, loops or catches; nil for all others.
func Blocks(f *units.File, s Stmt) []Block {
	switch f.Lang {
	case source.Python, source.Ruby:
		return indentedBlocks(f, s)
	case "":
		return nil
	}
	switch f.Text(s.From) {
	case "if", "for", "while", "foreach", "switch", "with", "match", "when", "select", "loop", "unsafe", "synchronized", "using", "lock", "guard", "try", "do":
	case "{":
		return []Block{{"{", s.From, s.From + 1, min(f.Close(s.From), s.To)}}
	default:
		return nil
	}
	var out []Block
	for i := s.From; i < s.To; {
		b := Block{Word: f.Text(i), Head: i}
		j := i + 1
		if b.Word == "else" && f.Is(j, "if") {
			b.Word, j = "elif", j+1
		}
		for j < s.To && !f.Is(j, "{") {
			if parens(f.Lang) && j > i+1 && f.Is(j-1, ")") && header(b.Word) && !clause(f.Text(j)) {
				break // a body without braces
			}
			if b.Word == "else" {
				break
			}
			j = max(j, f.Close(j)) + 1
		}
		if j >= s.To {
			break
		}
		if f.Is(j, "{") {
			b.From, b.To = j+1, min(f.Close(j), s.To)
			i = b.To + 1
		} else {
			b.From = j
			b.To = min(End(f, j, s.To), s.To)
			i = b.To
		}
		out = append(out, b)
		for i < s.To && f.Is(i, ";") {
			i++
		}
	}
	return out
}

func header(w string) bool {
	switch w {
	case "if", "elif", "for", "while", "foreach":
		return true
	}
	return false
}

func indentedBlocks(f *units.File, s Stmt) []Block {
	ruby := f.Lang == source.Ruby
	w := f.Text(s.From)
	if w == "async" {
		w = f.Text(s.From + 1)
	}
	switch w {
	case "if", "for", "while", "with", "try", "match", "def", "class":
		if ruby && (w == "def" || w == "class" || w == "with") {
			return nil
		}
	case "begin", "unless", "until", "case":
		if !ruby {
			return nil
		}
	default:
		return nil
	}
	base := f.Tokens[s.From].Col
	var out []Block
	for i := s.From; i < s.To; {
		b := Block{Word: f.Text(i), Head: i}
		if b.Word == "async" {
			b.Word = f.Text(i + 1)
		}
		j, lambdas := i+1, 0
		for j < s.To {
			if ruby && f.Tokens[j].First {
				break
			}
			if f.Is(j, "lambda") {
				lambdas++
			}
			if !ruby && f.Is(j, ":") {
				if lambdas == 0 {
					j++
					break
				}
				lambdas--
			}
			j = max(j, f.Close(j)) + 1
		}
		b.From = min(j, s.To)
		for j < s.To && !(f.Tokens[j].First && f.Tokens[j].Col <= base) {
			j = max(j, f.Close(j)) + 1
		}
		b.To = min(j, s.To)
		out = append(out, b)
		if i = max(j, i+1); ruby && f.Is(i, "end") {
			break
		}
	}
	return out
}

// Body finds the statements of a test: the body of a function, or of the function that a call such as it("…", () => {…})
// passes on.
func Body(t *units.Test) (from, to int) {
	f := t.File()
	from, to = t.From, min(t.To, len(f.Tokens))
	if t.Call == "blocTest" || t.Call == "" && (from == 0 || !f.Is(from-1, "(")) {
		return from, to
	}
	for i := from; i < to; i++ {
		switch {
		case f.Is(i, "=>"):
			if f.Is(i+1, "{") {
				return i + 2, min(f.Close(i+1), to)
			}
			end := i + 1
			for end < to && !f.Is(end, ",") {
				end = max(end, f.Close(end)) + 1
			}
			return i + 1, min(end, to)
		case f.Is(i, "{") && (f.Is(i-1, ")") || f.Is(i-1, "async") || f.Is(i-1, "|")):
			return i + 1, min(f.Close(i), to)
		case f.Is(i, "do") && f.Lang == source.Ruby:
			return i + 1, max(min(f.BlockEnd(i), to), i+1)
		case f.Is(i, "[") || f.Is(i, "{"):
			i = max(i, f.Close(i))
		}
	}
	return from, to
}
