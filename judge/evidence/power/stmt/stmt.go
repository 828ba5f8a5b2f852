// Package stmt reads the tokens of a body as statements: where each begins and ends, and the blocks of those that branch,
// loop or catch.
//
// It is lenient as the lexer that it stands on: text that is half written, and languages that it knows little of, give
// coarser statements but never none. It owns no table and no file and judges nothing. All functions are pure.
package stmt

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Stmt is one statement: tokens [From, To) of its file. A statement with blocks holds all of them, else and catch
// included.
type Stmt struct{ From, To int }

// Block is a part of a statement in braces or indented: the word that announces it, its head and its body.
type Block struct {
	Word     string // if, else, for, try, catch, except …
	Head     int    // token of the word
	From, To int    // tokens of the body
}

// Split reads tokens [from, to) as statements.
func Split(f *units.File, from, to int) []Stmt {
	from, to = max(from, 0), min(to, len(f.Tokens))
	var out []Stmt
	for i := from; i < to; {
		if f.Is(i, ";") || f.Is(i, "}") || f.Is(i, ")") {
			i++
			continue
		}
		end := min(max(End(f, i, to), i+1), to)
		s := Stmt{i, end}
		for s.To > s.From+1 && f.Is(s.To-1, ";") {
			s.To--
		}
		out = append(out, s)
		i = end
	}
	return out
}

// End is the token after the statement that begins at token i, at most to.
func End(f *units.File, i, to int) int {
	switch f.Lang {
	case source.Python, source.Ruby:
		return indented(f, i, to)
	case "":
		return lineEnd(f, i, to)
	}
	switch w := f.Text(i); w {
	case "{":
		return min(f.Close(i)+1, to)
	case "if", "for", "while", "foreach", "switch", "with", "match", "when", "select", "loop", "unsafe", "synchronized", "using", "lock", "guard":
		return branch(f, i, to)
	case "try", "do":
		return attempt(f, i, to)
	}
	return simple(f, i, to)
}

// parens reports whether the language writes conditions in parentheses.
func parens(l source.Lang) bool { return l != source.Go && l != source.Rust && l != source.Swift }

// branch ends an if, a loop or a switch.
func branch(f *units.File, i, to int) int {
	j := i + 1
	if parens(f.Lang) {
		for j < to && j < i+3 && f.Kind(j) == source.Name {
			j++ // for await (
		}
		if !f.Is(j, "(") && !f.Is(j, "{") {
			return simple(f, i, to)
		}
		if f.Is(j, "(") {
			j = f.Close(j) + 1
		}
		if j >= to {
			return to
		}
		if f.Is(j, "{") {
			j = f.Close(j) + 1
		} else if f.Is(j, ";") {
			return j + 1
		} else {
			j = End(f, j, to)
		}
	} else {
		for j < to && !f.Is(j, "{") {
			if f.Is(j, ";") && f.Lang != source.Go || f.Is(j, "}") {
				return j
			}
			j = max(j, f.Close(j)) + 1
		}
		j = min(f.Close(j)+1, to)
	}
	if f.Is(j, "else") && j < to {
		return min(End(f, j+1, to), to)
	}
	return min(j, to)
}

// attempt ends a try or a do.
func attempt(f *units.File, i, to int) int {
	j := i + 1
	if f.Is(j, "(") { // resources
		j = f.Close(j) + 1
	}
	if !f.Is(j, "{") {
		return simple(f, i, to) // Swift and Kotlin: an expression
	}
	j = f.Close(j) + 1
	for j < to && clause(f.Text(j)) {
		for j < to && !f.Is(j, "{") && !f.Is(j, ";") {
			j = max(j, f.Close(j)) + 1
		}
		if j >= to {
			return to
		}
		j = f.Close(j) + 1
	}
	if f.Is(i, "do") && f.Is(j, "while") {
		return simple(f, j, to)
	}
	return min(j, to)
}

func clause(w string) bool {
	switch w {
	case "catch", "finally", "on", "except", "else", "elif", "rescue", "ensure", "elsif", "when", "case":
		return true
	}
	return false
}

// simple ends a statement without blocks of its own; blocks of functions that it passes on are part of it.
func simple(f *units.File, i, to int) int {
	lines := newlines(f.Lang)
	for j := i; j < to; {
		if f.Is(j, ";") {
			return j + 1
		}
		if f.Is(j, "}") || f.Is(j, ")") || f.Is(j, "]") {
			return max(j, i+1)
		}
		if j > i && f.Tokens[j].First && lines && !continues(f, j) {
			return j
		}
		block := f.Is(j, "{")
		j = max(j, f.Close(j)) + 1
		if block && j < to && !lines && f.Tokens[j].First && f.Kind(j) == source.Name {
			return j
		}
	}
	return to
}
