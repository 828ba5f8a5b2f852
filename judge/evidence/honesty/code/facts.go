package code

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Calls lists the names that tokens [from, to) call, in order, repeated ones too. Names of macros count.
func Calls(f *units.File, from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		if f.Kind(i) != source.Name || Keyword(f.Text(i)) {
			continue
		}
		if f.Is(i+1, "(") || f.Is(i+1, "!") && (f.Is(i+2, "(") || f.Is(i+2, "[")) && f.Lang == source.Rust {
			out = append(out, f.Text(i))
		}
	}
	return out
}

// Keyword reports words in front of a bracket that are no call.
func Keyword(w string) bool {
	switch w {
	case "if", "for", "while", "switch", "match", "catch", "return", "elif", "and", "or", "not", "in", "is", "assert", "await", "typeof", "throw", "raise", "except", "function", "func", "fn",
		"def", "class", "lambda", "else", "case", "when", "with", "async", "new", "super", "this", "self", "yield", "del", "print", "void", "guard", "synchronized", "until", "unless":
		return true
	}
	return false
}

// Fallible reports whether the declared result, or the head, says that the function can fail: Go's error, Rust's Result
// and Option, a throws clause.
func Fallible(fn *units.Func) bool {
	f := fn.File()
	for i := fn.At + 1; i < fn.From && i < fn.At+400; i++ {
		if f.Kind(i) != source.Name {
			continue
		}
		switch f.Text(i) {
		case "error":
			if f.Lang == source.Go && (f.Is(i+1, ")") || f.Is(i+1, "{")) {
				return true
			}
		case "Result":
			if f.Lang == source.Rust {
				return true
			}
		case "throws":
			return true
		}
	}
	return false
}

// Exits counts the places among tokens where a function leaves with an error: throw, raise, panic, `?`, Err(…), `return …, err`.
func Exits(f *units.File, from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		if exit(f, i, to) {
			n++
		}
	}
	return n
}

func exit(f *units.File, i, to int) bool {
	switch f.Kind(i) {
	case source.Name:
		switch f.Text(i) {
		case "throw", "raise", "rethrow":
			return true
		case "panic", "fatalError", "abort":
			return f.Is(i+1, "(") || f.Is(i+1, "!")
		case "bail", "ensure", "todo", "unimplemented", "unreachable":
			return f.Is(i+1, "!") && f.Lang == source.Rust
		case "Err":
			return f.Is(i+1, "(") && f.Lang == source.Rust && !arm(f, i)
		case "reject":
			return f.Is(i+1, "(")
		case "next":
			return (f.Lang == source.JS || f.Lang == source.TS) && f.Is(i+1, "(") && !f.Is(i+2, ")")
		case "return":
			return f.Lang == source.Go && returnsErr(f, i, to)
		}
	case source.Op:
		return f.Lang == source.Rust && f.Is(i, "?") && !f.Is(i+1, "Sized") && i > 0 && (f.Is(i-1, ")") || f.Kind(i-1) == source.Name || f.Is(i-1, "]") || f.Is(i-1, "}"))
	}
	return false
}

// arm reports whether Err( at i is a pattern.
func arm(f *units.File, i int) bool {
	k := f.Close(i + 1)
	return f.Is(k+1, "=>") || f.Is(k+1, "=") || f.Is(k+1, "if") || f.Is(k+1, "|")
}

// returnsErr reports whether Go's return at i gives an error last: a name like err, a call of errors or fmt, a sentinel.
func returnsErr(f *units.File, i, to int) bool {
	last, end := i+1, i+1
	for j := i + 1; j < to && !f.Tokens[j].First && !f.Is(j, ";") && !f.Is(j, "}"); j++ {
		if f.Is(j, ",") {
			last = j + 1
		}
		j = max(j, f.Close(j))
		end = j + 1
	}
	if last >= end {
		return false
	}
	for j := last; j < end; j++ {
		w := f.Text(j)
		if f.Kind(j) == source.Name && (w == "err" || w == "errors" || strings.HasPrefix(w, "Err") || strings.HasPrefix(w, "err") || strings.HasSuffix(w, "Err") || strings.HasSuffix(w, "Error") || strings.HasSuffix(w, "Errorf")) {
			return true
		}
	}
	return false
}

// Compares counts comparisons and negations that guard something, among tokens.
func Compares(f *units.File, from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		switch f.Text(i) {
		case "==", "!=", "===", "!==", "<=", ">=", "is", "instanceof":
			n++
		case "<", ">":
			if f.Kind(i-1) != 0 && !f.Glued(i) {
				n++
			}
		}
	}
	return n
}

// Bag counts the words, numbers and strings of tokens that say something: keywords and fixed values do not.
func Bag(f *units.File, from, to int) map[string]int {
	out := map[string]int{}
	for i := from; i < to; i++ {
		if k := f.Kind(i); k == source.Number || k == source.String || k == source.Name && !common(f.Text(i)) {
			out[f.Text(i)]++
		}
	}
	return out
}

// common are words that every function has.
func common(w string) bool {
	switch w {
	case "const", "let", "var", "final", "err", "public", "private", "static", "export", "try", "do", "finally", "self", "this", "break", "continue", "pass", "pub", "mut", "range", "string", "int", "String", "bool":
		return true
	}
	return Literal(w) || Keyword(w)
}

// Contained is the share of bag a that is in bag b, 0 to 1; 1 for an empty a.
func Contained(a, b map[string]int) float64 {
	total, common := 0, 0
	for w, n := range a {
		total += n
		common += min(n, b[w])
	}
	if total == 0 {
		return 1
	}
	return float64(common) / float64(total)
}
