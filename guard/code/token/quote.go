package token

import (
	"strings"
	"unicode/utf8"
)

// closing returns the delimiter that closes open, and open itself if the two are brackets, else 0.
func closing(open byte) (end, nest byte) {
	switch open {
	case '(':
		return ')', '('
	case '[':
		return ']', '['
	case '{':
		return '}', '{'
	case '<':
		return '>', '<'
	}
	return open, 0
}

// percent reads Ruby's %w[…], %q(…), %x{…} and their like.
func (l *lexer) percent() bool {
	kind, n := l.at(1), 2
	if !isName(kind) {
		kind, n = 'Q', 1
	}
	open := l.at(n)
	if strings.IndexByte("qQwWixsr", kind) < 0 || open == 0 || isSpace(open) || isName(open) || open >= '0' && open <= '9' || open == '=' {
		return false
	}
	if n == 1 && (!l.operand() || strings.IndexByte("([{<|!/", open) < 0) {
		return false
	}
	end, nest := closing(open)
	from := l.i + n + 1
	l.i = min(from, len(l.src))
	l.like(kind, l.code(from, end, nest, 0), end)
	return true
}

// like emits the raw text of a string operator.
func (l *lexer) like(kind byte, raw string, quote byte) {
	switch kind {
	case 'q', 's':
		l.single(raw, quote)
	case 'w', 'W', 'i':
		open, end := "[", "]"
		if l.d == Perl {
			open, end = "(", ")"
		}
		l.emit(Op, open)
		for _, w := range strings.Fields(raw) {
			l.emit(Text, w)
			l.emit(Op, ",")
		}
		l.count(raw)
		l.emit(Op, end)
	case 'x':
		l.value(Run, raw, true, quote != '\'')
	case 'r':
		l.count(raw)
		for isName(l.at(0)) {
			l.i++
		}
		l.emit(Regex, "/")
	default:
		l.value(Text, raw, true, true)
	}
}

// symbol reads :name and :"name" as strings.
func (l *lexer) symbol() bool {
	if l.at(1) == '"' && l.operand() {
		l.i++
		return false
	}
	if !isName(l.at(1)) || l.i > 0 && (l.src[l.i-1] == ':' || !l.operand() && !isSpace(l.src[l.i-1])) {
		return false
	}
	n := 2
	for isName(l.at(n)) || l.at(n) >= '0' && l.at(n) <= '9' {
		n++
	}
	l.emit(Text, l.src[l.i+1:l.i+n])
	l.i += n
	return true
}

// quoteLike reads Perl's q qq qw qx qr m s tr y at word, which starts here.
func (l *lexer) quoteLike(word string) bool {
	switch word {
	case "q", "qq", "qw", "qx", "qr", "m", "s", "tr", "y":
	default:
		return false
	}
	if k := len(l.out); k > 0 && (l.out[k-1].Is("->") || l.out[k-1].Is("{") && l.at(len(word)) == '}' || l.out[k-1].Is("sub")) {
		return false
	}
	n := len(word)
	for isSpace(l.at(n)) {
		n++
	}
	open := l.at(n)
	if open == 0 || open == ',' || open == ';' || open == ')' || open == '=' || isName(open) || open >= '0' && open <= '9' || n > len(word) && open == '#' {
		return false
	}
	end, nest := closing(open)
	from := l.i + n + 1
	l.i = min(from, len(l.src))
	raw := l.code(from, end, nest, 0)
	switch word {
	case "q", "qq", "qw", "qx":
		kinds := [...]byte{'q', 'Q', 'w', 'x'}
		l.like(kinds[strings.Index("q qqqwqx", word)/2], raw, end)
		return true
	}
	var second string
	if word == "s" || word == "tr" || word == "y" {
		if nest != 0 {
			for isSpace(l.at(0)) {
				l.i++
			}
			if l.i < len(l.src) {
				end, nest = closing(l.src[l.i])
				l.i++
			}
		}
		l.count(raw)
		raw = ""
		second = l.code(l.i, end, nest, 0)
	}
	flags := l.i
	for isName(l.at(0)) {
		l.i++
	}
	l.emit(Regex, "/")
	if word == "s" && strings.IndexByte(l.src[flags:l.i], 'e') >= 0 && l.depth < maxDepth {
		l.out = append(l.out, lex(l.d, ";"+second+";", l.line, l.depth+1)...)
	}
	l.count(raw + second)
	return true
}

// angle reads Perl's <*.o> and <FH>.
func (l *lexer) angle() bool {
	n := 1
	for n < 256 && l.at(n) != 0 && strings.IndexByte("<>= \n;", l.at(n)) < 0 {
		n++
	}
	if l.at(n) != '>' {
		return false
	}
	inner := l.src[l.i+1 : l.i+n]
	if strings.ContainsAny(inner, "*?./") {
		l.emit(Name, "glob")
		l.emit(Op, "(")
		l.emit(Text, inner)
		l.emit(Op, ")")
	} else {
		l.emit(Name, "readline")
		l.emit(Op, "(")
		l.emit(Op, ")")
	}
	l.i += n + 1
	return true
}

// rawR reads R's r"(…)".
func (l *lexer) rawR() bool {
	k := 2
	for l.at(k) == '-' {
		k++
	}
	end, nest := closing(l.at(k))
	if nest == 0 {
		return false
	}
	dashes := strings.Repeat("-", k-2)
	l.i += k + 1
	l.plain(string(end) + dashes + `"`)
	return true
}

// heredoc notes a here-document of Ruby, Perl or PHP, whose body starts on the next line.
func (l *lexer) heredoc() bool {
	n := 2
	switch {
	case l.d == PHP && l.has("<<<"):
		n = 3
		for l.at(n) == ' ' {
			n++
		}
	case l.d != Ruby && l.d != Perl || !l.has("<<"):
		return false
	}
	squiggly := l.d == PHP
	if l.at(n) == '~' || l.at(n) == '-' && l.d == Ruby {
		squiggly = true
		n++
	}
	q := l.at(n)
	if q == '"' || q == '\'' || q == '`' {
		n++
	} else {
		q = 0
	}
	from := n
	for isName(l.at(n)) || l.at(n) >= '0' && l.at(n) <= '9' && n > from {
		n++
	}
	tag := l.src[min(l.i+from, len(l.src)):min(l.i+n, len(l.src))]
	if tag == "" || q == 0 && !squiggly && (tag[0] < 'A' || tag[0] > 'Z') && tag[0] != '_' || q != 0 && l.at(n) != q {
		return false
	}
	if q == 0 && !l.operand() && l.d != PHP && !squiggly && l.at(-1) != ' ' && l.at(-1) != '(' {
		return false
	}
	if l.misses >= maxMisses || len(l.here) >= maxMisses || !strings.Contains(l.src[l.i+n:], "\n"+tag) && !strings.Contains(l.src[l.i+n:], " "+tag) && !strings.Contains(l.src[l.i+n:], "\t"+tag) {
		l.misses++
		return false
	}
	if q != 0 {
		n++
	}
	t := l.emit(Text, "")
	switch q {
	case '\'':
		t.Text = "'"
	case '`':
		t.Kind = Run
	}
	l.here, l.tags, l.squiggl = append(l.here, len(l.out)-1), append(l.tags, tag), append(l.squiggl, squiggly)
	l.i += n
	return true
}

// hereBodies reads the bodies of the here-documents that the line before began.
func (l *lexer) hereBodies() {
	for k, at := range l.here {
		from, end := l.i, len(l.src)
		rest := len(l.src)
		for i := l.i; i < len(l.src); {
			stop := strings.IndexByte(l.src[i:], '\n')
			if stop < 0 {
				stop = len(l.src) - i
			}
			text := l.src[i : i+stop]
			if l.squiggl[k] {
				text = strings.TrimLeft(text, " \t")
			}
			if text = strings.TrimRight(text, "\r"); text == l.tags[k] || l.d == PHP && strings.HasPrefix(text, l.tags[k]) {
				end = i
				rest = i + stop
				if l.d == PHP { // the statement goes on behind the tag
					rest = i + strings.Index(l.src[i:i+stop], l.tags[k]) + len(l.tags[k])
				}
				break
			}
			i += stop + 1
		}
		body := l.src[min(from, end):end]
		kind, literal := l.out[at].Kind, l.out[at].Text == "'"
		save := l.out
		l.out = nil
		if literal {
			l.count(body)
			l.emit(Text, body)
		} else {
			l.value(kind, body, true, true)
		}
		tok := Token{Kind: Text}
		if len(l.out) > 0 {
			tok = l.out[0]
		}
		l.out = save
		tok.Nest, tok.Line = l.out[at].Nest, l.out[at].Line
		l.out[at] = tok
		l.i = min(rest, len(l.src))
		if l.d != PHP && l.i < len(l.src) {
			l.i++
			l.line++
		}
	}
	l.here, l.tags, l.squiggl = nil, nil, nil
}

// unescape replaces the backslash escapes that the languages share.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const from, to = "abefnrtv", "\a\b\x1b\f\n\r\t\v"
		c := s[i]
		switch k := strings.IndexByte(from, c); {
		case k >= 0:
			b.WriteByte(to[k])
		case c == '\n':
		case c == 'x' || c == 'u' || c == 'U':
			width := [...]int{2, 4, 8}[strings.IndexByte("xuU", c)]
			at := i + 1
			braced := at < len(s) && s[at] == '{'
			if braced {
				at, width = at+1, 6
			}
			v, n := number(s[min(at, len(s)):], width, 16)
			if n == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			if v < utf8.RuneSelf || c != 'x' {
				b.WriteRune(v)
			} else {
				b.WriteByte(byte(v))
			}
			if i = at + n - 1; braced && i+1 < len(s) && s[i+1] == '}' {
				i++
			}
		case c >= '0' && c <= '7':
			v, n := number(s[i:], 3, 8)
			b.WriteByte(byte(v))
			i += n - 1
		case strings.IndexByte("\\'\"`$#@/{}", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// number reads at most width digits.
func number(s string, width int, base rune) (v rune, n int) {
	for n < len(s) && n < width {
		d := rune(strings.IndexByte("0123456789abcdef", s[n]|0x20))
		if s[n] >= '0' && s[n] <= '9' {
			d = rune(s[n] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}
