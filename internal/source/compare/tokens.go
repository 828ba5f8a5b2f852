package compare

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// declares reports whether the name at token i, before a parenthesis, is declared and not called: int f(…), fun f(…).
func declares(f *source.File, i int) bool {
	if f.Kind(i-1) != source.Name {
		return f.Lang != source.Python && (f.Is(i-1, ">") || f.Is(i-1, "*") && (f.Lang == source.C || f.Lang == source.CPP)) && !f.Is(i-2, "=") && f.Lang != source.JS && f.Lang != source.TS
	}
	switch f.Text(i - 1) {
	case "return", "new", "await", "throw", "in", "of", "not", "and", "or", "if", "else", "do", "yield", "raise", "case", "print", "puts", "defer", "go", "is", "assert", "delete",
		"typeof", "then", "unless", "when", "try":
		return false
	}
	return true
}

// docstring reports whether the logical line that begins at token i is nothing but a string.
func docstring(f *source.File, i int) bool {
	return f.Kind(i) == source.String && (i+1 == len(f.Tokens) || f.Tokens[i+1].First)
}

// trailing reports whether the comma at token i stands before a closing bracket, where formatters put one. In Python a tuple of one
// element needs it.
func trailing(f *source.File, i int) bool {
	if !f.Is(i+1, ")") && !f.Is(i+1, "]") && !f.Is(i+1, "}") {
		return false
	}
	if f.Lang != source.Python || !f.Is(i+1, ")") {
		return true
	}
	depth, others := 0, 0
	for j := i - 1; j >= 0 && i-j < 5000; j-- {
		switch {
		case f.Is(j, ")") || f.Is(j, "]") || f.Is(j, "}"):
			depth++
		case f.Is(j, "(") && depth == 0:
			return others > 0 || f.Kind(j-1) == source.Name && !keyword(f.Text(j-1)) || f.Is(j-1, ")") || f.Is(j-1, "]")
		case f.Is(j, "(") || f.Is(j, "[") || f.Is(j, "{"):
			depth--
		case f.Is(j, ",") && depth == 0:
			others++
		}
	}
	return false
}

// plainString makes 'a' and "a" the same where the language does.
func plainString(f *source.File, i int, text string) string {
	switch f.Lang {
	case source.Python, source.JS, source.TS, source.Dart, source.Ruby, source.PHP:
		if len(text) >= 2 && (text[0] == '\'' || text[0] == '"') && !strings.HasPrefix(text[1:], text[:1]+text[:1]) {
			if inner := f.Unquote(i); !strings.ContainsAny(inner, "\"'\\$#{}`\n") {
				return `"` + inner + `"`
			}
		}
	}
	return text
}

// importBefore returns the end of the import statement in which the tokens begin, or from.
func (v *version) importBefore() int {
	const farthest = 400 // lines of one import statement
	n := 0
	for i := v.from - 1; i >= 0 && n < farthest; i-- {
		if v.f.Tokens[i].First {
			n++
			if end := importAt(v.f, v.match, i); end > i {
				return max(end, v.from)
			}
		}
	}
	return v.from
}

// importAt returns the token after the import statement that begins at token i, or i.
func importAt(f *source.File, match []int32, i int) int {
	word := f.Text(i)
	switch word { // the words of all languages, so that other lines cost little
	case "import", "from", "const", "let", "var", "export", "part", "use", "pub", "extern", "using", "global", "require", "require_relative", "#":
	default:
		return i
	}
	line := func() int {
		j := i + 1
		for j < len(f.Tokens) && !f.Tokens[j].First {
			if f.Is(j, "(") || f.Is(j, "{") {
				j = min(int(match[j]), len(f.Tokens)-1)
			}
			if j++; f.Is(j-1, ";") {
				break
			}
		}
		return j
	}
	statement := func() int {
		j := i
		for j < len(f.Tokens) && !f.Is(j, ";") && j < i+2000 {
			if f.Is(j, "{") {
				j = int(match[j])
			}
			j++
		}
		return min(j+1, len(f.Tokens))
	}
	switch f.Lang {
	case source.Go:
		if word == "import" {
			return line()
		}
	case source.Python:
		if word == "import" || word == "from" && f.Kind(i+1) != source.String {
			return line()
		}
	case source.JS, source.TS:
		if word == "import" && !f.Is(i+1, "(") && !f.Is(i+1, ".") {
			return line()
		}
		if (word == "const" || word == "let" || word == "var") && (f.Is(i+2, "=") && f.Is(i+3, "require") || f.Is(i+1, "{") && f.Is(int(match[i+1])+2, "require")) {
			for end, j := line(), i; j < end; j++ {
				if f.Is(j, "require") && f.Is(j+1, "(") {
					if after := int(match[j+1]) + 1; after == end || f.Is(after, ";") { // nothing is called on it
						return end
					}
				}
			}
		}
	case source.Java, source.Kotlin, source.Scala, source.Swift, source.Dart:
		if word == "import" || f.Lang == source.Dart && (word == "export" || word == "part") {
			return line()
		}
	case source.Rust:
		if word == "use" || word == "pub" && f.Is(i+1, "use") || word == "extern" && f.Is(i+1, "crate") {
			return statement()
		}
	case source.CSharp:
		if (word == "using" || word == "global" && f.Is(i+1, "using")) && !f.Is(i+1, "(") && !f.Is(i+1, "var") && f.Tokens[i].Col == 0 && !f.Is(i+2, "=") {
			return statement()
		}
	case source.PHP:
		if word == "use" && f.Tokens[i].Col == 0 {
			return statement()
		}
	case source.Ruby:
		if (word == "require" || word == "require_relative") && f.Kind(i+1) == source.String {
			return line()
		}
	case source.C, source.CPP:
		if word == "#" && f.Is(i+1, "include") {
			return line()
		}
	}
	return i
}

// branch reports keywords that begin another way through the code.
func branch(w string) bool {
	switch w {
	case "if", "elif", "elsif", "else", "for", "foreach", "while", "until", "unless", "switch", "case", "match", "when", "select", "try", "catch", "except", "rescue", "guard", "and", "or",
		"loop", "ensure", "finally":
		return true
	}
	return false
}

// keyword reports words that are no names in any of the languages, or that do something where they stand.
func keyword(w string) bool {
	if branch(w) {
		return true
	}
	switch w {
	case "return", "throw", "throws", "raise", "await", "async", "yield", "break", "continue", "goto", "defer", "go", "not", "in", "is", "new", "delete", "lambda", "func", "function",
		"fn", "def", "fun", "true", "false", "True", "False", "None", "null", "nil", "undefined", "import", "from", "package", "class", "struct", "interface", "enum", "trait", "do",
		"with", "pass", "del", "global", "nonlocal", "assert", "super", "static", "public", "private", "protected", "override", "abstract", "unsafe", "typeof", "instanceof", "void",
		"let", "const", "var", "val", "final", "auto", "self", "this", "end", "then", "begin", "module", "extends", "implements", "impl", "pub", "mut", "ref", "as", "where", "using":
		return true
	}
	return false
}
