package names

import "github.com/devflow-suite/devflow/internal/source"

// prefixed reports whether the language writes types before names.
func prefixed(l source.Lang) bool {
	switch l {
	case source.Java, source.CSharp, source.Dart, source.C, source.CPP:
		return true
	}
	return false
}

// word reports keywords that stand before an expression.
func word(w string) bool {
	switch w {
	case "return", "await", "new", "in", "is", "not", "and", "or", "yield", "throw", "raise", "case", "else", "if", "elif", "while", "until", "unless", "when", "assert", "del", "of", "instanceof", "typeof",
		"void", "delete", "do", "go", "defer", "select", "range", "match", "with", "from", "as", "extends", "implements", "super", "throws", "except", "where", "dyn", "move", "unsafe",
		"async", "on", "default", "guard", "try", "finally", "import", "export", "package", "switch", "for", "goto", "lambda", "rethrow", "then", "end", "begin", "print", "echo", "chan", "impl", "const", "out", "keyof", "infer", "satisfies", "asserts":
		return true
	}
	return false
}

// parameters reports whether the bracket at open holds the parameters of a declaration, a lambda or a handler.
func (r *Reader) parameters(open int) bool {
	if open < 0 || !r.Is(open, "(") {
		return false
	}
	if r.defs[open-1] {
		return true
	}
	switch r.Text(open - 1) {
	case "function", "func", "fn", "catch", "constructor", "fun":
		return true
	case ">", "]": // type parameters
		for k := open - 2; k > open-40 && k > 0; k-- {
			if r.Is(k, "<") || r.Is(k, "[") {
				if r.defs[k-1] {
					return true
				}
				break
			}
		}
	case ")":
		if r.Lang == source.Go && r.Is(r.Parent(open)-1, "func") { // a method's
			return true
		}
	}
	if r.Lang == source.Go && r.Is(open-1, ")") {
		for k := open - 2; k > open-40 && k >= 0; k-- {
			if r.Is(k, "(") {
				return r.Is(k-1, "func")
			}
		}
	}
	end := r.Close(open)
	if end <= open {
		return false
	}
	switch {
	case r.Is(end+1, "=>"):
		return true
	case r.Is(end+1, "->"):
		return r.Lang == source.Java || r.Lang == source.CPP
	case r.Is(end+1, ":") && r.Lang == source.TS && !r.Is(open-1, "?"):
		for k := end + 2; k < end+20 && k < len(r.Tokens); k++ {
			if r.Is(k, "=>") {
				return true
			}
			if r.Is(k, ",") || r.Is(k, ";") || r.Is(k, ")") {
				return false
			}
		}
	case r.Is(end+1, "{"), r.Is(end+1, "async"):
		return r.Lang == source.Dart && (r.Kind(open-1) != source.Name || !control(r.Text(open-1)))
	}
	return false
}

// control knows words before a bracketed condition.
func control(w string) bool {
	switch w {
	case "if", "for", "while", "switch", "catch", "match", "synchronized", "using", "lock", "elif", "with", "foreach", "return", "assert", "await", "super", "this":
		return true
	}
	return false
}

// parameter reports whether the name at i is that of a parameter.
func (r *Reader) parameter(i int, prev, next string) bool {
	p := r.Parent(i)
	for n := 0; n < 2 && p >= 0 && (r.Is(p, "{") || r.Is(p, "[")) && (prefixed(r.Lang) || r.Lang == source.JS || r.Lang == source.TS); n++ { // Dart's optional ones, patterns
		p = r.Parent(p)
	}
	if p < 0 || !r.parameters(p) {
		if r.Lang == source.Python { // lambda a, n:
			for k := i; k > i-16 && k > 0; k-- {
				if r.Is(k-1, "lambda") {
					return true
				}
				if !r.Is(k-1, ",") && r.Kind(k-1) != source.Name && !r.Is(k-1, "*") || r.Tokens[k].First {
					break
				}
			}
		}
		if r.Lang == source.Rust && (prev == "," || prev == "|") && (next == "|" || next == ",") {
			for k := i; k < i+12; k++ {
				if r.Is(k, "|") {
					return true
				}
			}
		}
		return false
	}
	if prefixed(r.Lang) {
		return next == "," || next == ")" || next == "=" || next == "]" || next == "}"
	}
	switch prev {
	case "(", ",", "*", "**", "...", "{", "[":
		return true
	}
	return false
}

// typed reports whether a type stands before the name, which makes it a declaration.
func (r *Reader) typed(i int, prev, next string) bool {
	if r.First(i) && r.Lang != source.Go {
		return false
	}
	switch {
	case r.Lang == source.Go:
		return r.First(i) && !word(r.Text(i)) && (r.Kind(i+1) == source.Name && !r.First(i+1) && !r.Is(i+1, "in") || next == "*" && !r.First(i+1)) && r.Parent(i) >= 0 && r.fields(r.Parent(i))
	case !prefixed(r.Lang):
		return false
	}
	switch next {
	case "=", ";", ",", ")", ":", "in", "[":
	default:
		return false
	}
	if r.Kind(i-1) == source.Name {
		return !word(prev)
	}
	switch prev {
	case ">", "]", "?", ">>":
		return true
	case "*", "&":
		return r.Lang == source.C || r.Lang == source.CPP
	}
	return false
}

// fields reports whether the bracket at open holds the fields of a struct, or a block of declarations.
func (r *Reader) fields(open int) bool {
	return r.Is(open-1, "struct") || r.Is(open-1, "var") || r.Is(open-1, "const") || r.Is(open-1, "type")
}

// enumerated reports whether the name is a member of an enumeration.
func (r *Reader) enumerated(i int, prev, next string) bool {
	p := r.Parent(i)
	if r.Lang == source.Go && p >= 0 && r.Is(p-1, "interface") && r.Is(i+1, "(") && (i == p+1 || r.Is(i-1, ";")) { // interface{ Close() error }
		return true
	}
	if r.Lang == source.Go {
		return p >= 0 && r.First(i) && (r.Is(p, "(") && (r.Is(p-1, "const") || r.Is(p-1, "var")) || r.Is(p-1, "interface") && r.Is(i+1, "(") || r.Is(p-1, "struct"))
	}
	if p < 0 || !r.Is(p, "{") || prev != "{" && prev != "," && prev != "]" && !(r.First(i) && prev == ")") {
		return false
	}
	switch next {
	case ",", "}", "(", "=", "{", ";", ":":
	default:
		return false
	}
	for k := p - 1; k >= 0 && k > p-30; k-- {
		switch {
		case r.Is(k, "enum"):
			return true
		case r.Is(k, ";"), r.Is(k, "}"), r.Is(k, "{"), r.Is(k, "="):
			return false
		}
	}
	return false
}

// signature reports whether what looks like a call declares a method without a body.
func (r *Reader) signature(i int, prev string) bool {
	p := r.Parent(i)
	open := i + 1
	for open < len(r.Tokens) && !r.Is(open, "(") {
		open++
	}
	end := r.Close(open)
	switch {
	case prefixed(r.Lang):
		typed := r.Kind(i-1) == source.Name && !word(prev) || prev == ">" || prev == "]" || prev == "?" || prev == "*" && r.Lang != source.Java && r.Lang != source.Dart
		if !typed {
			return false
		}
		return r.Is(end+1, ";") || r.Is(end+1, "{") || r.Is(end+1, "throws") || r.Is(end+1, "=>") || r.Is(end+1, "async") || r.Is(end+1, ":") || r.Is(end+1, "default") || r.Is(end+1, "const")
	case r.Lang == source.TS || r.Lang == source.JS:
		if p >= 0 && r.Is(p, "{") && (r.First(i) || prev == ";" || prev == "," || prev == "{" || modifier(prev) || prev == "async" || prev == "*") {
			if r.Is(end+1, "{") || r.Is(end+1, ":") && r.Lang == source.TS {
				return true
			}
			return r.typeBody(p) // interface { f(a): b; g() }
		}
		return r.Lang == source.TS && r.Is(end+1, ":") && (prev == "abstract" || prev == "declare" || prev == "static" || prev == "async")
	}
	return false
}

// typeBody reports whether the brace at open begins a class, an interface or a type.
func (r *Reader) typeBody(open int) bool {
	for k := open - 1; k >= 0 && k > open-60; k-- {
		switch {
		case r.Is(k, "class"), r.Is(k, "interface"):
			return true
		case r.Is(k, "type"):
			return r.Lang == source.TS
		case r.Is(k, ";"), r.Is(k, "}"), r.Is(k, ")"), r.Is(k, "=>"):
			return false
		}
	}
	return false
}
