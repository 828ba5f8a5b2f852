package lex

import "strings"

// frame is a place inside JSX.
type frame struct {
	kind  frameKind
	depth int32 // of braces in code, of type arguments in a tag
	close bool  // a closing tag
}

type frameKind uint8

const (
	inTag  frameKind = iota // between < and >
	inText                  // among the children of an element
	inCode                  // between { and } of an attribute or a child
)

// element reports whether the < at the present offset, where no operand stands before it, opens an element and no type:
// its closing tag, or the end of an empty element, must follow somewhere.
func (x *lexer) element() bool {
	c := x.at(x.i + 1)
	if c == '>' {
		return x.lastOf("</>") > x.i
	}
	if !isLetter(c) {
		return false
	}
	j := x.i + 1
	for isLetter(x.at(j)) || isDigit(x.at(j)) || x.at(j) == '.' || x.at(j) == '-' || x.at(j) == '$' {
		j++
	}
	name := x.Src[x.i+1 : j]
	ended := x.lastOf("</"+name) > x.i
	switch x.at(j) {
	case '>':
		return ended
	case '/':
		return x.at(j+1) == '>'
	case ' ', '\t', '\n', '\r':
		for c := x.at(j); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = x.at(j) {
			j++
		}
		if x.has(j, "extends ") || name == "const" {
			return false
		}
		if c := x.at(j); !isLetter(c) && c != '{' && c != '/' && c != '>' {
			return false
		}
		return ended || x.lastOf("/>") > x.i
	}
	return false
}

// lastOf is the last offset of a piece of text, found once.
func (x *lexer) lastOf(s string) int {
	k, ok := x.last[s]
	if !ok {
		k = strings.LastIndex(x.Src, s)
		if x.last == nil {
			x.last = map[string]int{}
		}
		x.last[s] = k
	}
	return k
}

// markup reads on inside JSX. It reports false where ordinary code stands.
func (x *lexer) markup() bool {
	top := &x.jsx[len(x.jsx)-1]
	c := x.Src[x.i]
	switch top.kind {
	case inText:
		x.text(c)
		return true
	case inTag:
		return x.tag(top, c)
	}
	switch c {
	case '{':
		top.depth++
	case '}':
		if top.depth--; top.depth == 0 {
			x.jsx = x.jsx[:len(x.jsx)-1]
			x.emit(Op, x.i+1)
			return true
		}
	}
	return false
}

// text reads the text among the children of an element as one token, or enters a tag or code.
func (x *lexer) text(c byte) {
	switch c {
	case '<':
		x.jsx = append(x.jsx, frame{kind: inTag, close: x.at(x.i+1) == '/'})
		x.emit(Op, x.i+1)
	case '{':
		x.jsx = append(x.jsx, frame{kind: inCode, depth: 1})
		x.emit(Op, x.i+1)
	default:
		end := strings.IndexAny(x.Src[x.i:], "<{")
		if end < 0 {
			end = len(x.Src) - x.i
		}
		s := x.Src[x.i : x.i+end]
		if t := strings.TrimLeft(s, " \t\r\n\f"); len(t) < len(s) {
			x.move(x.i + len(s) - len(t))
			return
		}
		x.emit(String, x.i+len(strings.TrimRight(s, " \t\r\n\f")))
	}
}

func (x *lexer) tag(top *frame, c byte) bool {
	switch c {
	case '<':
		top.depth++
	case '>':
		if top.depth > 0 {
			top.depth--
			break
		}
		empty := !top.close && len(x.Tokens) > 0 && x.Is(len(x.Tokens)-1, "/")
		closes := top.close
		x.jsx = x.jsx[:len(x.jsx)-1]
		x.emit(Op, x.i+1)
		switch {
		case closes && len(x.jsx) > 0: // with the children
			x.jsx = x.jsx[:len(x.jsx)-1]
		case !closes && !empty:
			x.jsx = append(x.jsx, frame{kind: inText})
		}
		return true
	case '{':
		x.jsx = append(x.jsx, frame{kind: inCode, depth: 1})
	case '"', '\'':
		x.emit(String, x.until(x.i+1, x.Src[x.i:x.i+1]))
		return true
	case '/':
		if n := x.at(x.i + 1); n == '/' || n == '*' {
			return false
		}
	case '=':
	default:
		return false
	}
	x.emit(Op, x.i+1)
	return true
}
