package signature

import "github.com/devflow-suite/devflow/internal/source"

// longest bounds the tokens between the start of a declaration and its name.
const longest = 300

// prefixed reports whether the language writes the result before the name.
func prefixed(l source.Lang) bool {
	switch l {
	case source.Java, source.CSharp, source.Dart, source.C, source.CPP:
		return true
	}
	return false
}

// modifier reports whether a word may stand before a name without being part of its type.
func modifier(l source.Lang, w string) bool {
	switch w {
	case "static", "final", "private", "public", "protected", "abstract", "override", "async", "const", "export", "default", "function", "fun", "fn", "def", "func", "inline",
		"internal", "virtual", "sealed", "partial", "extern", "external", "unsafe", "synchronized", "native", "strictfp", "readonly", "declare", "get", "set", "let", "var", "val",
		"open", "suspend", "operator", "infix", "tailrec", "pub", "lazy", "implicit", "mutating", "class", "convenience", "required", "late", "covariant", "constexpr",
		"explicit", "friend", "factory", "transient", "volatile", "new", "nonisolated", "fileprivate", "actual", "expect", "abs", "accessor", "private_class_method", "module_function":
		return true
	case "self":
		return l == source.Ruby
	}
	return false
}

// Head is the first token of the declaration whose name is token at, annotations and modifiers included.
func (r *Reader) Head(at int) int {
	f := r.f
	switch f.Lang {
	case source.Go:
		for i := at; i >= max(at-60, 0); i-- {
			if f.Is(i, "func") {
				return i
			}
		}
		return at
	case source.Python:
		return r.python(at)
	}
	head, angle := at, 0
	for n := 0; n < longest && head > 0; n++ {
		to := r.before(head, at, &angle)
		if to < 0 {
			break
		}
		head = to
	}
	return head
}

// before is the first token of what may stand before token head of a declaration, or -1.
func (r *Reader) before(head, at int, angle *int) int {
	f := r.f
	p := head - 1
	typed := prefixed(f.Lang)
	if f.Kind(p) == source.Name {
		q := p
		for f.Is(q-1, ".") || f.Is(q-1, "::") || f.Is(q-1, ":") && f.Lang == source.Kotlin && f.Is(q-3, "@") {
			q -= 2
		}
		if f.Is(q-1, "@") && q > 0 {
			return q - 1
		}
		w := f.Text(p)
		switch w {
		case "return", "else", "throw", "await", "case", "in", "of", "yield", "do", "try", "goto":
			return -1
		}
		switch {
		case typed:
			if f.Is(p-1, "#") { // a directive of the preprocessor
				return -1
			}
			return p
		case modifier(f.Lang, w):
			return p
		case (f.Is(head, ".") || f.Is(head, "::")) && head > p && (f.Lang == source.JS || f.Lang == source.TS || f.Lang == source.Kotlin || f.Lang == source.Ruby):
			return p // Foo.prototype.bar =, fun String.x(), def self.x
		case f.Lang == source.Kotlin && (*angle > 0 || f.Is(head, "<")):
			return p
		}
		return -1
	}
	switch f.Text(p) {
	case "]":
		o := int(r.opener[p])
		switch {
		case o >= p:
			return -1
		case f.Is(o-1, "#"):
			return o - 1
		case f.Is(o-1, "!") && f.Is(o-2, "#"):
			return -1 // #![…] is about the file
		case typed, f.Lang == source.Scala && (f.Is(o-1, "private") || f.Is(o-1, "protected")):
			return o
		}
		return -1
	case ")":
		return r.parenthesis(p, typed)
	case ">":
		if typed || f.Lang == source.Kotlin {
			*angle++
			return p
		}
	case "<":
		if typed || f.Lang == source.Kotlin {
			*angle--
			return p
		}
	case ",":
		if *angle > 0 {
			return p
		}
	case ".":
		if typed || head == at && (f.Lang == source.JS || f.Lang == source.TS || f.Lang == source.Ruby || f.Lang == source.Kotlin) || f.Is(head, "prototype") {
			return p
		}
	case "?", "::", "*", "&", "~", "&&":
		if typed || f.Text(p) == "*" && f.Is(p-1, "function") || f.Text(p) == "*" && (f.Lang == source.JS || f.Lang == source.TS) || f.Lang == source.PHP && f.Text(p) == "&" {
			return p
		}
	case "#":
		if f.Lang == source.JS || f.Lang == source.TS {
			return p
		}
	}
	if f.Kind(p) == source.String && f.Lang == source.Rust && f.Is(p-1, "extern") {
		return p - 1
	}
	return -1
}

// parenthesis is before for the closing parenthesis p.
func (r *Reader) parenthesis(p int, typed bool) int {
	f := r.f
	o := int(r.opener[p])
	if o >= p || o == 0 && !typed {
		return -1
	}
	if f.Is(o-1, "pub") {
		return o - 1
	}
	q := o - 1
	if f.Kind(q) == source.Name {
		for f.Is(q-1, ".") || f.Is(q-1, "::") || f.Is(q-1, ":") && f.Lang == source.Kotlin && f.Is(q-3, "@") {
			q -= 2
		}
		if q > 0 && f.Is(q-1, "@") {
			return q - 1
		}
		return -1
	}
	if typed && (o == 0 || f.Is(q, ";") || f.Is(q, "{") || f.Is(q, "}")) { // a record type
		return o
	}
	return -1
}

// python finds the decorators above a def.
func (r *Reader) python(at int) int {
	f := r.f
	head := at
	for head > 0 && !f.Tokens[head].First {
		head--
	}
	for n := 0; n < 50 && head > 0; n++ {
		i := head - 1
		for steps := 0; i > 0 && !f.Tokens[i].First && steps < longest; steps++ {
			if f.Is(i, ")") || f.Is(i, "]") || f.Is(i, "}") {
				if o := int(r.opener[i]); o < i && o > 0 {
					i = o
					continue
				}
			}
			i--
		}
		if (f.Is(i, ")") || f.Is(i, "]")) && f.Tokens[i].First { // the last line of a decorator over several
			if o := int(r.opener[i]); o < i {
				for i = o; i > 0 && !f.Tokens[i].First; {
					i--
				}
			}
		}
		if !f.Is(i, "@") || f.Tokens[i].Col != f.Tokens[head].Col {
			return head
		}
		head = i
	}
	return head
}

// annotation is the token after the annotation that begins at token i, i when none does.
func (r *Reader) annotation(i, to int) int {
	f := r.f
	switch {
	case f.Is(i, "@") && f.Lang == source.Python:
		j := i + 1
		for j < to && !f.Tokens[j].First {
			j = min(max(j, r.closing(j)), to) + 1
		}
		return min(j, to)
	case f.Is(i, "@"):
		j := i + 2
		for j < to && (f.Is(j, ".") || f.Is(j, "::") || f.Is(j, ":") && f.Lang == source.Kotlin) {
			j += 2
		}
		if j < to && f.Is(j, "(") && (f.Lang != source.Dart || f.Glued(j)) {
			j = r.closing(j) + 1
		}
		return min(j, to)
	case f.Is(i, "#") && f.Is(i+1, "["):
		return min(r.closing(i+1)+1, to)
	case f.Is(i, "[") && (f.Lang == source.CSharp || f.Lang == source.CPP) && (f.Kind(i-1) != source.Name || f.Tokens[i].First):
		return min(r.closing(i)+1, to)
	}
	return i
}
