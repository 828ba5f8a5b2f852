package lex

import "strings"

// formatted reports whether the prefix of a Python string lets it hold code in braces.
func formatted(prefix string) bool { return prefix != "" && strings.ContainsAny(prefix, "fFtT") }

// fields finds the end of a string that is closed by end and holds code in braces, where {{ is a brace. It returns -1 if
// the braces do not match. doubled: a doubled quote is a quote, and a backslash is text.
func (x *lexer) fields(j int, end string, multi, doubled bool, depth int) int {
	for j < len(x.Src) {
		c := x.Src[j]
		switch {
		case c == '\\' && !doubled:
			j += 2
		case c == '{' && x.at(j+1) == '{', c == '}' && x.at(j+1) == '}':
			j += 2
		case c == '{':
			if j = x.field(j+1, end, multi, depth); j < 0 {
				return -1
			}
		case c == end[0] && doubled && x.at(j+1) == end[0]:
			j += 2
		case c == end[0] && x.has(j, end):
			return j + len(end)
		case c == '\n' && !multi:
			return -1
		default:
			j++
		}
	}
	return -1
}

// field skips the code in braces of a string, with what is behind its colon, and returns the offset after the brace.
func (x *lexer) field(j int, end string, multi bool, depth int) int {
	level := 0
	for j < len(x.Src) {
		c := x.Src[j]
		switch {
		case c == '(' || c == '[' || c == '{':
			level++
		case c == '}' && level == 0:
			return j + 1
		case c == ')' || c == ']' || c == '}':
			level--
		case c == '\n' && !multi:
			return -1
		case c == ':' && level == 0 && !x.has(j, "::"):
			return x.layout(j+1, end, multi, depth)
		case c == '"' || c == '\'' && x.Lang == Python:
			if j = x.inner(j, depth+1); j < 0 {
				return -1
			}
			continue
		case c == '#' && x.Lang == Python:
			return -1
		}
		j++
	}
	return -1
}

// layout skips what is behind the colon of a field.
func (x *lexer) layout(j int, end string, multi bool, depth int) int {
	for j < len(x.Src) {
		switch c := x.Src[j]; {
		case c == '}':
			return j + 1
		case c == '{':
			if depth >= maxInterp {
				return -1
			}
			if j = x.field(j+1, end, multi, depth+1); j < 0 {
				return -1
			}
		case x.has(j, end), c == '\n' && !multi:
			return -1
		default:
			j++
		}
	}
	return -1
}

// inner skips a string inside a field.
func (x *lexer) inner(q, depth int) int {
	if depth > maxInterp {
		return -1
	}
	c := x.Src[q]
	p := q
	for p > 0 && q-p < 3 && (isLetter(x.Src[p-1]) || x.Src[p-1] == '$' || x.Src[p-1] == '@') {
		p--
	}
	code := x.Lang == Python && formatted(x.Src[p:q]) || x.Lang == CSharp && strings.Contains(x.Src[p:q], "$")
	quote, multi := x.Src[q:q+1], false
	if triple := triples(c); x.has(q, triple) {
		quote, multi = triple, true
	}
	if code {
		return x.fields(q+len(quote), quote, multi, false, depth)
	}
	return x.scan(q+len(quote), quote, multi, true, "", depth)
}
