package names

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Role tells what the name at token i does there.
func (r *Reader) Role(i int) Role {
	prev, next := r.Text(i-1), r.Text(i+1)
	if r.Kind(i-1) == source.String {
		prev = "\""
	}
	if r.Kind(i+1) == source.String {
		next = "\""
	}
	switch {
	case r.importAt(i) != nil:
		return Import
	case prev == "." && r.Lang == source.Python && r.First(i): // a relative import that is none
		return Member
	case prev == ".", prev == "?.", prev == "->" && (r.Lang == source.PHP || r.Lang == source.CPP || r.Lang == source.C), prev == "..", prev == "!." || prev == "#":
		if prev != ".." && (next == "=" || next == ":=") || r.defs[i] {
			return MemberDef
		}
		return Member
	case prev == "::":
		if r.defs[i] {
			return Def
		}
		return Path
	case r.inner(i):
		return Inner
	case r.overload(i):
		return Key
	case r.defs[i]:
		return Def
	case r.declared(i, prev, next):
		return Bind
	case next == "=" || next == ":=" || next == "+=" && prev == "":
		return r.assigned(i, prev)
	case r.listed(i):
		return Bind
	case next == ":" || next == "?" && r.Is(i+2, ":") || next == "!" && r.Is(i+2, ":"):
		return r.colon(i, prev)
	case next == "=>" || next == "->" && r.Lang == source.Java:
		return Bind
	case r.parameter(i, prev, next):
		return Bind
	case r.typed(i, prev, next):
		return Bind
	case r.enumerated(i, prev, next):
		return Def
	case r.called(i):
		if r.signature(i, prev) {
			return Def
		}
		return Call
	}
	return Use
}

// inner reports the name of a function expression.
func (r *Reader) inner(i int) bool {
	if r.Lang != source.JS && r.Lang != source.TS || !r.Is(i-1, "function") && !r.Is(i-1, "class") {
		return false
	}
	k := i - 2
	if r.Is(k, "async") {
		k--
	}
	switch r.Text(k) {
	case "=", "(", ",", ":", "return", "=>", "?", "[", "new", "&&", "||", "??", "!":
		return true
	}
	return false
}

// overload reports the head of a Python function that only tells types.
func (r *Reader) overload(i int) bool {
	if r.Lang != source.Python || !r.Is(i-1, "def") {
		return false
	}
	k := i - 2
	if r.Is(k, "async") {
		k--
	}
	return r.Is(k, "overload") && (r.Is(k-1, "@") || r.Is(k-1, "."))
}

// First reports whether token i begins a line.
func (r *Reader) First(i int) bool { return i >= 0 && i < len(r.Tokens) && r.Tokens[i].First }

// called reports whether the name at i is followed by arguments.
func (r *Reader) called(i int) bool {
	if r.Is(i+1, "(") {
		return r.Lang != source.Python || !r.Tokens[i+1].First || r.Parent(i) >= 0
	}
	switch r.Lang {
	case source.Rust:
		if r.Is(i+1, "::") && r.Is(i+2, "<") {
			return r.Is(r.angle(i+2)+1, "(")
		}
	case source.TS, source.Java, source.Dart, source.CSharp:
		if r.Is(i+1, "<") && r.Glued(i+1) {
			if k := r.angle(i + 1); k > i+1 {
				return r.Is(k+1, "(")
			}
		}
	case source.Go:
		if r.Is(i+1, "[") && r.Glued(i+1) {
			return r.Is(r.Close(i+1)+1, "(")
		}
	}
	return false
}

// angle is the > that closes the < at i, or i when it does not look like types.
func (r *Reader) angle(i int) int {
	depth := 0
	for k := i; k < len(r.Tokens) && k < i+60; k++ {
		switch {
		case r.Is(k, "<"):
			depth++
		case r.Is(k, ">"):
			if depth--; depth == 0 {
				return k
			}
		case r.Is(k, ">>"):
			if depth -= 2; depth <= 0 {
				return k
			}
		case r.Is(k, ";"), r.Is(k, "&&"), r.Is(k, "||"), r.Is(k, "{") && r.Lang != source.TS, r.Is(k, ")") && r.Parent(k) < i:
			return i
		}
	}
	return i
}

// declared reports whether the word before i announces a new name.
func (r *Reader) declared(i int, prev, next string) bool {
	switch prev {
	case "infer", "define", "let", "const", "var", "val", "def", "fn", "fun", "func", "function", "class", "struct", "enum", "interface", "trait", "mod", "catch", "global", "nonlocal", "lambda",
		"package", "late", "namespace", "typedef", "mixin", "extension", "record", "object", "protocol", "get", "set", "goto", "break", "continue", "loop", "macro":
		return r.Kind(i-1) == source.Name
	case "type":
		return r.Lang != source.Python || r.First(i-1)
	case "final":
		return r.Lang == source.Dart && next != "." && r.Kind(i+1) != source.Name && next != "<" || r.Lang == source.Scala
	case "as":
		p := r.Parent(i)
		return r.Lang == source.Python || r.Lang == source.JS || r.Lang == source.TS && p > 0 && (r.Is(p-1, "export") || r.Is(p-1, "type") && r.Is(p-2, "export"))
	case "for":
		return next == "in" || next == "of" || next == ","
	case "static":
		return r.Lang == source.Rust
	case "mut", "ref":
		return r.Lang == source.Rust && !r.Is(i-2, "&")
	case "!":
		return r.Is(i-2, "macro_rules")
	case "*":
		return r.Is(i-2, "function") || r.Lang == source.Python && (r.Is(i-2, "(") || r.Is(i-2, ",") || r.Is(i-2, "lambda")) && r.parameters(r.Parent(i))
	case "|":
		return r.Lang == source.Rust && (next == "|" || next == "," || next == ":") || r.Lang == source.Ruby && (next == "|" || next == ",")
	case "@":
		return r.Lang == source.Java && r.Is(i-2, "interface")
	case ":":
		return r.Lang == source.Ruby // a symbol
	case "<", ",":
		return r.typeParameter(i, prev)
	case "[":
		return next == "in" && r.Lang == source.TS
	case "\"":
		return false
	}
	return false
}

// typeParameter reports whether the name stands in the type parameters of a declaration.
func (r *Reader) typeParameter(i int, prev string) bool {
	k := i - 1
	for n := 0; n < 30 && k > 0 && !r.Is(k, "<"); n++ {
		if r.Is(k, "(") || r.Is(k, ")") || r.Is(k, ";") || r.Is(k, "{") || r.Is(k, "}") || r.Is(k, "=") && prev == "," {
			return false
		}
		k--
	}
	if k <= 0 || !r.Is(k, "<") {
		return false
	}
	if r.defs[k-1] {
		return true
	}
	switch r.Text(k - 1) {
	case "impl", "fn", "function", "class", "static", "public", "private", "protected", "final", "fun", "abstract", "default", "type", "for":
		return true
	case "=", "(", ":", "=>", "async", "{", ";", "}":
		return r.Lang == source.TS && !strings.HasSuffix(r.Path, ".tsx") || r.Lang == source.Java
	}
	return r.First(k) && r.Lang != source.JS && !strings.HasSuffix(r.Path, ".tsx")
}

// assigned: name = value. In Python and some others that is a named argument when it stands in a call.
func (r *Reader) assigned(i int, prev string) Role {
	p := r.Parent(i)
	switch r.Lang {
	case source.Python:
		if p >= 0 && r.Is(p, "(") && !r.parameters(p) && (prev == "(" || prev == ",") {
			return Key
		}
	case source.Java, source.CSharp, source.Kotlin, source.Scala, source.Swift, source.PHP:
		if p >= 0 && r.Is(p, "(") && (prev == "(" || prev == ",") {
			return Key // of an annotation, too
		}
	case source.JS, source.TS:
		if r.Glued(i+1) && r.Glued(i+2) && (r.Is(i+2, "{") || r.Kind(i+2) == source.String) {
			return Key // an attribute
		}
		if p < 0 || r.Is(p, "{") {
			switch {
			case r.First(i), prev == ";", prev == "{", prev == "}", prev == ")":
				return Assign
			}
		}
	case source.Rust:
		if p >= 0 && r.Is(p, "(") && r.Is(p-2, "[") {
			return Key
		}
	}
	return Bind
}

// listed reports whether the name stands in a list that is assigned: a, b = …; for a, b in …; { a, b } = ….
func (r *Reader) listed(i int) bool {
	p := r.Parent(i)
	if p >= 0 && (r.Is(p, "{") || r.Is(p, "[") || r.Is(p, "(")) && (r.Is(i-1, ",") || i-1 == p || r.Is(i-1, ":") || r.Is(i-1, "...") || r.Is(i-1, "*")) {
		k := r.Close(p)
		for n := 0; n < 4 && r.Parent(p) >= 0 && !r.Is(k+1, "=") && (r.Is(k+1, ",") || r.Is(k+1, "}") || r.Is(k+1, "]") || r.Is(k+1, ")")); n++ { // nested
			p = r.Parent(p)
			k = r.Close(p)
		}
		if k > p && (r.Is(k+1, "=") || r.Is(k+1, ":=") || r.Is(k+1, "in") || r.Is(k+1, "of") || r.Is(k+1, "=>")) && !r.Is(p-1, "if") {
			if r.Is(p, "[") && p > 0 && r.Kind(p-1) == source.Name && r.Glued(p) && !word(r.Text(p-1)) {
				return false // a[i] = …
			}
			return true
		}
		if r.Is(k+1, ":") && r.Is(r.Parent(p), "(") && r.Is(p, "{") { // ({ a, b }: Props) =>
			return true
		}
		if r.Is(p, "{") && k > p && r.Is(k+1, ")") && r.parameters(r.Parent(p)) {
			return true
		}
	}
	if r.Lang == source.Python && r.target(i) {
		return true
	}
	if !r.Is(i+1, ",") && !r.Is(i-1, ",") {
		return false
	}
	// back to the start of the list, forward to what follows it
	for k := i; k > 0 && k > i-24; k-- {
		if r.Lang == source.Go && r.Is(k-1, "var") { // var a, b T
			return true
		}
		if r.Tokens[k].First || r.Is(k-1, "for") || r.Is(k-1, "var") || r.Is(k-1, "let") || r.Is(k-1, "const") || r.Is(k-1, "if") || r.Is(k-1, "switch") || r.Is(k-1, ";") || r.Is(k-1, "case") {
			break
		}
		if !r.Is(k-1, ",") && r.Kind(k-1) != source.Name {
			return false
		}
	}
	for k := i + 1; k < len(r.Tokens) && k < i+24; k++ {
		switch {
		case r.Is(k, "="), r.Is(k, ":="), r.Is(k, "in"):
			return true
		case r.Is(k, ","), r.Kind(k) == source.Name && !r.Tokens[k].First, r.Is(k, "*"):
		default:
			return false
		}
	}
	return false
}

// target reports names that Python binds in for, with, lambda, case and type parameters.
func (r *Reader) target(i int) bool {
	if r.Is(i+1, ".") || r.Is(i+1, "(") {
		return false
	}
	if p := r.Parent(i); p >= 0 && (r.Is(p-1, "as") || r.Is(p, "[") && r.defs[p-1]) {
		return true
	}
	colon := false
	for k := i - 1; k >= 0 && k > i-40; k-- {
		switch {
		case r.Is(k, "for"):
			return !colon
		case r.Is(k, "lambda"):
			return !colon
		case r.Is(k, "case"):
			return r.First(k) && !colon
		case r.Is(k, ":"):
			colon = colon || r.Parent(k) < 0 || !r.Is(r.Parent(k), "{")
		case r.Is(k, "in"), r.Is(k, "if"), r.Is(k, ";"):
			return false
		}
		if r.Tokens[k].First && r.Parent(k) < 0 {
			return r.Is(k, "case") && !colon
		}
	}
	return false
}

// colon: name : something.
func (r *Reader) colon(i int, prev string) Role {
	p := r.Parent(i)
	switch {
	case prev == "case", prev == "?", prev == "default" && r.Lang == source.Java:
		return Use
	case r.Lang == source.Python:
		if r.First(i) && (p < 0) || r.parameters(p) {
			return Bind
		}
		return Use
	case prev == "::":
		return Path
	case p >= 0 && r.Is(p, "(") && (r.Lang == source.JS || r.Lang == source.TS || r.Lang == source.Rust || r.Lang == source.Kotlin || r.Lang == source.Scala || r.Lang == source.Swift):
		return Bind
	case prev == "," || prev == "{" || prev == "(" || r.First(i) || modifier(prev):
		return Key
	case r.typed(i, prev, ":"):
		return Bind
	}
	return Use
}

// modifier knows words in front of a field.
func modifier(w string) bool {
	switch w {
	case "pub", "private", "public", "protected", "readonly", "static", "declare", "override", "abstract", ")", "]":
		return true
	}
	return false
}
