package token

import "strings"

// str reads a string, pattern or command at c, if one starts here.
func (l *lexer) str(c byte) bool {
	switch c {
	case '"', '\'':
		l.quoted(c)
		return true
	case '`':
		return l.backquoted()
	case '/':
		if l.d != Python && l.d != PHP && l.d != Lua && l.d != R && l.d != AppleScript && l.operand() {
			return l.pattern()
		}
	case '<':
		return l.heredoc() || l.d == Perl && (l.operand() || l.out[len(l.out)-1].Kind == Name && isName(l.out[len(l.out)-1].Text[0])) && l.angle()
	case '%':
		return l.d == Ruby && l.percent()
	case ':':
		return l.d == Ruby && l.symbol()
	case '[':
		if n := l.longBracket(); l.d == Lua && n > 0 {
			l.i += n
			l.plain("]" + strings.Repeat("=", n-2) + "]")
			return true
		}
	case 'r', 'R', 'b', 'B', 'f', 'F', 'u', 'U', 't', 'T':
		return l.d == Python && l.prefixed()
	}
	return false
}

// plain takes the text up to end literally.
func (l *lexer) plain(end string) {
	t := l.emit(Text, "")
	from := l.i
	l.skipTo(end, false)
	t.Text = l.src[from:l.i]
	l.i = min(l.i+len(end), len(l.src))
}

// prefixed reads a Python string with a prefix such as rb or f.
func (l *lexer) prefixed() bool {
	n, raw, format := 0, false, false
	for ; n < 3; n++ {
		switch l.at(n) | 0x20 {
		case 'r':
			raw = true
		case 'f', 't':
			format = true
		case 'b', 'u':
		default:
			if q := l.at(n); n > 0 && (q == '"' || q == '\'') {
				l.i += n
				l.pyString(q, raw, format)
				return true
			}
			return false
		}
	}
	return false
}

func (l *lexer) pyString(q byte, raw, format bool) {
	triple := l.at(1) == q && l.at(2) == q
	body := l.until(q, triple, !triple)
	l.value(Text, body, !raw, format)
}

// until moves over a string that starts here with the quote q, or three of them, and returns its raw text. In a one-line string a
// newline ends it.
func (l *lexer) until(q byte, triple, oneLine bool) string {
	width := 1
	if triple {
		width = 3
	}
	from := l.i + width
	i := from
	for i < len(l.src) {
		switch c := l.src[i]; {
		case c == '\\':
			i += 2
			continue
		case c == q && (!triple || i+2 < len(l.src) && l.src[i+1] == q && l.src[i+2] == q):
			l.i = i + width
			return l.src[from:i]
		case c == '\n' && oneLine:
			l.i = i
			return l.src[from:i]
		}
		i++
	}
	l.i = len(l.src)
	return l.src[min(from, len(l.src)):]
}

// quoted reads a string in " or '.
func (l *lexer) quoted(q byte) {
	switch l.d {
	case Python:
		l.pyString(q, false, false)
	case Ruby, Perl, PHP:
		if q == '\'' {
			l.single(l.until(q, false, false), q)
			return
		}
		from := l.i
		l.i++
		l.value(Text, l.code(from+1, '"', 0, 0), true, true)
	default:
		l.value(Text, l.until(q, false, l.d == JS || l.d == Awk || l.d == Lua), true, false)
	}
}

// single emits a string in which only the quote and the backslash are escaped.
func (l *lexer) single(raw string, quote byte) {
	if strings.IndexByte(raw, '\\') >= 0 {
		var b strings.Builder
		for i := 0; i < len(raw); i++ {
			if raw[i] == '\\' && i+1 < len(raw) && (raw[i+1] == '\\' || raw[i+1] == quote) {
				i++
			}
			b.WriteByte(raw[i])
		}
		l.count(raw)
		l.emit(Text, b.String())
		return
	}
	l.count(raw)
	l.emit(Text, raw)
}

// count adds the lines of a string that was read; its token bears the last one.
func (l *lexer) count(raw string) { l.line += strings.Count(raw, "\n") }

func (l *lexer) backquoted() bool {
	switch l.d {
	case JS:
		from := l.i + 1
		l.i++
		l.value(Text, l.code(from, '`', 0, 0), true, true)
	case Ruby, Perl, PHP:
		from := l.i + 1
		l.i++
		l.value(Run, l.code(from, '`', 0, 0), true, true)
	case R:
		l.emit(Name, l.until('`', false, true))
	default:
		return false
	}
	return true
}

// code moves over a string with code in it, up to the closing delimiter at nesting 0, and returns its raw text. from is behind
// the opening one; open is the opening bracket if the delimiters are brackets.
func (l *lexer) code(from int, end, open byte, level int) string {
	i, nest := from, 0
	for i < len(l.src) {
		c := l.src[i]
		switch {
		case c == '\\':
			i++
		case (c == '$' && l.d == JS || c == '#' && l.d == Ruby) && i+1 < len(l.src) && l.src[i+1] == '{':
			i = l.hole(i+2, level) - 1
		case open != 0 && c == open:
			nest++
		case c == end && nest > 0:
			nest--
		case c == end:
			l.i = i + 1
			return l.src[from:i]
		}
		i++
	}
	l.i = len(l.src)
	return l.src[min(from, len(l.src)):]
}

// hole returns the offset behind the } that closes a piece of code in a string.
func (l *lexer) hole(i, level int) int {
	for nest := 0; i < len(l.src); i++ {
		switch c := l.src[i]; c {
		case '\\':
			i++
		case '{':
			nest++
		case '}':
			if nest == 0 {
				return i + 1
			}
			nest--
		case '"', '\'', '`':
			if level >= maxDepth {
				continue
			}
			save := l.i
			l.code(i+1, c, 0, level+1)
			i, l.i = l.i-1, save
		}
	}
	return i
}

// value emits a string, with the code in it cut into tokens.
func (l *lexer) value(k Kind, raw string, escapes, holes bool) {
	start := l.line
	l.count(raw)
	mark := byte(0)
	switch l.d {
	case Python:
		mark = '{'
	case JS, Perl, PHP:
		mark = '$'
	case Ruby:
		mark = '#'
	}
	if !holes || strings.IndexByte(raw, mark) < 0 && (l.d != Perl || strings.IndexByte(raw, '@') < 0) {
		if escapes && strings.IndexByte(raw, '\\') >= 0 {
			raw = unescape(raw)
		}
		l.emit(k, raw)
		return
	}
	parts := l.parts(raw, start, escapes)
	t := l.emit(k, "")
	t.Parts = &parts
}

// parts splits an interpolated string.
func (l *lexer) parts(raw string, line int, escapes bool) []Part {
	var out []Part
	from := 0
	text := func(s string) {
		if s == "" {
			return
		}
		if escapes && strings.IndexByte(s, '\\') >= 0 {
			s = unescape(s)
		}
		out = append(out, Part{Text: s})
	}
	for i := 0; i < len(raw); {
		c := raw[i]
		if c == '\\' && escapes {
			i += 2
			continue
		}
		if l.d == Python && (c == '{' || c == '}') && i+1 < len(raw) && raw[i+1] == c { // {{
			text(raw[from : i+1])
			i += 2
			from = i
			continue
		}
		lo, hi, next := l.holeAt(raw, i)
		if next == 0 {
			i++
			continue
		}
		text(raw[from:i])
		p := Part{Bad: l.depth+1 >= maxDepth}
		if !p.Bad {
			p.Code = lex(l.d, raw[lo:hi], line, l.depth+1)
		}
		if p.Code == nil {
			p.Bad = true
		}
		out = append(out, p)
		i = next
		from = i
	}
	text(raw[min(from, len(raw)):])
	return out
}

// holeAt finds the code of a hole that starts at i in the text of a string: raw[lo:hi], and the text goes on at next. next is 0
// if there is none.
func (l *lexer) holeAt(raw string, i int) (lo, hi, next int) {
	in := lexer{d: l.d, src: raw}
	c, n := raw[i], byte(0)
	if i+1 < len(raw) {
		n = raw[i+1]
	}
	switch {
	case l.d == Python && c == '{':
		end := in.hole(i+1, 0)
		return i + 1, pyHole(raw, i+1, max(end-1, i+1)), end
	case l.d == JS && c == '$' && n == '{', l.d == Ruby && c == '#' && n == '{':
		end := in.hole(i+2, 0)
		return i + 2, max(end-1, i+2), end
	case l.d == PHP && c == '{' && n == '$':
		end := in.hole(i+1, 0)
		return i + 1, max(end-1, i+1), end
	case l.d == Perl && c == '@' && n == '{':
		end := in.hole(i+2, 0)
		return i + 2, max(end-1, i+2), end
	case (l.d == Perl && (c == '$' || c == '@') || l.d == PHP && c == '$') && (isName(n) || n == '{' || c == '$' && n >= '0' && n <= '9'):
		end := i + 1
		if n == '{' {
			end = in.hole(i+2, 0)
		}
		for end < len(raw) && (isName(raw[end]) || raw[end] >= '0' && raw[end] <= '9') {
			end++
		}
		for end < len(raw) { // $x->{a}[1], $x[0], $x{key}
			rest := raw[end:]
			if strings.HasPrefix(rest, "->[") || strings.HasPrefix(rest, "->{") {
				rest = rest[2:]
			}
			if rest[0] != '[' && rest[0] != '{' || l.d == PHP && rest[0] == '{' {
				break
			}
			k := strings.IndexAny(rest[:min(len(rest), 80)], "]} \n")
			if k < 0 || rest[k] == ' ' || rest[k] == '\n' {
				break
			}
			end = len(raw) - len(rest) + k + 1
		}
		return i, end, end
	}
	return 0, 0, 0
}

// pyHole cuts the conversion and format off the code of a hole.
func pyHole(raw string, lo, hi int) int {
	nest := 0
	for i := lo; i < hi; i++ {
		switch raw[i] {
		case '(', '[', '{':
			nest++
		case ')', ']', '}':
			nest--
		case '\'', '"':
			if k := strings.IndexByte(raw[i+1:hi], raw[i]); k >= 0 {
				i += k + 1
			}
		case ':', '!':
			if nest == 0 && (i+1 >= hi || raw[i+1] != '=') {
				return i
			}
		}
	}
	return hi
}

// pattern reads /…/ and its flags. It is an operator if no second slash follows on the line.
func (l *lexer) pattern() bool {
	if l.i < l.noRegex {
		return false
	}
	class := false
	for i := l.i + 1; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(l.src) && isName(l.src[i]); i++ {
			}
			l.emit(Regex, "/")
			l.i = i
			return true
		}
		if i+1 >= len(l.src) || l.src[i+1] == '\n' {
			l.noRegex = i + 1
		}
	}
	return false
}
