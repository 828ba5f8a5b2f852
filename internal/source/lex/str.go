package lex

import "strings"

// maxInterp bounds how deeply strings inside the code inside strings are followed.
const maxInterp = 8

// str reads a string, character or regular expression whose quote (or # of a raw string) is at q; pos is where its prefix starts.
// It reports false, and moves nowhere, if there is none.
func (x *lexer) str(pos, q int) bool {
	switch x.Src[q] {
	case '"', '\'', '`', '#', '@', '$', '<', '%', '/':
	default:
		return false
	}
	end := min(x.strEnd(pos, q), len(x.Src))
	if end <= q {
		return false
	}
	kind := String
	if x.Src[q] == '`' && x.r.backtick == tickName {
		kind = Name
	}
	x.emit(kind, end)
	return true
}

func (x *lexer) strEnd(pos, q int) int {
	prefix := x.Src[pos:q]
	if x.Src[q] == '"' && prefix == "" { // by far the most frequent
		return x.quoted(prefix, q)
	}
	switch c := x.Src[q]; {
	case c == '#' && x.Lang == Rust && prefix != "", c == '#' && x.Lang == Swift:
		return x.hashed(q)
	case c == '"' && strings.HasSuffix(prefix, "R") && x.Lang == CPP:
		return x.rawCPP(q)
	case c == '"' && x.Lang == Rust && x.rawPrefix(prefix):
		return x.until(q+1, `"`)
	case (c == '@' || c == '$') && x.Lang == CSharp:
		return x.verbatim(q)
	case c == '<' && x.Lang == PHP && x.has(q, "<<<"):
		return x.phpHeredoc(q)
	case c == '<' && x.Lang == Ruby && x.has(q, "<<"):
		return x.rubyHeredoc(q)
	case c == '%' && x.Lang == Ruby && !x.operand():
		return x.percent(q)
	case c == '`' && x.r.backtick != tickNone:
		return x.ticked(q)
	case c == '/' && x.r.regex && !x.operand():
		return x.regexEnd(q)
	case c == '"' || c == '\'':
		return x.quoted(prefix, q)
	}
	return -1
}

// operand reports whether the token before could end an operand, so that / divides and % takes a remainder.
func (x *lexer) operand() bool {
	if len(x.Tokens) == 0 {
		return false
	}
	i := len(x.Tokens) - 1
	switch x.Tokens[i].Kind {
	case Number, String:
		return true
	case Name:
		switch x.Text(i) {
		case "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "instanceof", "yield", "await", "if", "unless",
			"when", "and", "or", "not", "while", "until", "puts", "raise", "then":
			return false
		}
		// Ruby: `split /x/` and `x / y` differ by blanks only.
		return x.Lang != Ruby || x.at(x.i+1) == ' ' || x.at(x.i+1) == '=' || x.Tokens[i].End == int32(x.i)
	}
	switch x.Text(i) {
	case ")", "]", "}", "++", "--":
		return true
	}
	return false
}

// quoted reads '…' and "…", tripled or not.
func (x *lexer) quoted(prefix string, q int) int {
	c := x.Src[q]
	if c == '\'' {
		switch x.r.single {
		case singleNone:
			return -1
		case singleLifetime:
			if end := x.char(q); end > 0 {
				return end
			}
			return -1
		case singleChar:
			if x.Lang != Scala {
				break
			}
			if end := x.char(q); end > 0 { // Scala: 'symbol
				return end
			}
			return -1
		}
	}
	raw := prefix == "r" && x.Lang == Dart // in Python a backslash keeps a quote from ending even a raw string
	interp := x.r.interp
	if c == '\'' && x.Lang == Ruby || raw || x.Lang == JS || x.Lang == TS || x.Lang == Scala && prefix == "" {
		interp = ""
	}
	triple := triples(c)
	if strings.IndexByte(x.r.triple, c) >= 0 && x.has(q, triple) {
		if x.Lang == CSharp { // as many quotes as the opener has
			n := 3
			for x.at(q+n) == '"' {
				n++
			}
			return x.until(q+n, strings.Repeat(`"`, n))
		}
		if x.Lang == Python && formatted(prefix) {
			if end := x.fields(q+3, triple, true, false, 0); end > 0 {
				return end
			}
		}
		greedy := x.Lang == Kotlin || x.Lang == Scala // quotes before the closing ones are text: """"a""""
		end := x.scan(q+3, triple, true, !raw && !greedy, interp, 0)
		for greedy && x.at(end) == '"' {
			end++
		}
		return end
	}
	if x.Lang == Python && formatted(prefix) {
		if end := x.fields(q+1, x.Src[q:q+1], false, false, 0); end > 0 {
			return end
		}
	}
	multi := strings.IndexByte(x.r.multiline, c) >= 0
	return x.scan(q+1, x.Src[q:q+1], multi, !raw, interp, 0)
}

// triples is a quote three times.
func triples(q byte) string {
	switch q {
	case '"':
		return `"""`
	case '\'':
		return "'''"
	}
	return "```"
}

// scan finds the end of a string that is closed by end.
func (x *lexer) scan(j int, end string, multi, escapes bool, interp string, depth int) int {
	for j < len(x.Src) {
		c := x.Src[j]
		switch {
		case interp != "" && c == interp[0] && x.has(j, interp) && depth < maxInterp:
			spans := multi || x.Lang == Kotlin || x.Lang == Dart || x.Lang == Swift
			j = x.code(j+len(interp), interp[len(interp)-1], spans, depth+1)
		case c == '\\' && escapes:
			j += 2
		case c == end[0] && x.has(j, end):
			return j + len(end)
		case c == '\n' && !multi:
			return j
		default:
			j++
		}
	}
	return len(x.Src)
}

// code skips the code inside a string up to its closing bracket, or the end of the line where the string may not span lines.
func (x *lexer) code(j int, open byte, multi bool, depth int) int {
	closing := byte('}')
	if open == '(' {
		closing = ')'
	}
	level := 1
	for j < len(x.Src) && level > 0 {
		switch c := x.Src[j]; {
		case c == open:
			level++
			j++
		case c == closing:
			level--
			j++
		case c == '"' || c == '\'' && x.r.single == singleString || c == '`' && x.r.backtick == tickTemplate:
			triple := triples(c)
			if strings.IndexByte(x.r.triple, c) >= 0 && x.has(j, triple) {
				j = x.scan(j+3, triple, true, true, x.r.interp, depth)
			} else {
				j = x.scan(j+1, x.Src[j:j+1], c == '`', true, x.r.interp, depth)
			}
		case c == '\n' && !multi:
			return j
		case c == '/' && x.r.regex && strings.IndexByte("(,=:!&|?", x.at(j-1)) >= 0:
			j = max(x.regexEnd(j), j+1)
		default:
			j++
		}
	}
	return j
}

// char reads a character literal; it returns -1 for what only looks like one.
func (x *lexer) char(q int) int {
	j := q + 1
	if x.at(j) == '\\' {
		j += 2
		for n := 0; n < 10 && x.at(j) != '\'' && x.at(j) != '\n' && j < len(x.Src); n++ {
			j++
		}
	} else {
		j++
		for x.at(j)&0xC0 == 0x80 { // the rest of one rune
			j++
		}
	}
	if x.at(j) == '\'' {
		return j + 1
	}
	return -1
}

// until returns the offset after the next occurrence of s.
func (x *lexer) until(j int, s string) int {
	if j >= len(x.Src) {
		return len(x.Src)
	}
	k := strings.Index(x.Src[j:], s)
	if k < 0 {
		return len(x.Src)
	}
	return j + k + len(s)
}

// hashed reads r#"…"# and Swift's #"…"#.
func (x *lexer) hashed(q int) int {
	j := q
	for x.at(j) == '#' {
		j++
	}
	if x.at(j) != '"' {
		return -1
	}
	return x.until(j+1, `"`+x.Src[q:j])
}

func (x *lexer) rawCPP(q int) int {
	k := strings.IndexByte(x.Src[q:min(len(x.Src), q+20)], '(')
	if k < 0 {
		return -1
	}
	return x.until(q+k+1, ")"+x.Src[q+1:q+k]+`"`)
}

// verbatim reads C#'s @"…", $"…", $@"…" and $"""…""".
func (x *lexer) verbatim(q int) int {
	j, at := q, false
	for x.at(j) == '@' || x.at(j) == '$' {
		at = at || x.at(j) == '@'
		j++
	}
	switch {
	case x.at(j) != '"':
		return -1
	case x.has(j, `"""`):
		return x.quoted("", j)
	case x.has(q, "$") || x.has(q, "@$"):
		if end := x.fields(j+1, `"`, at, at, 0); end > 0 {
			return end
		}
	}
	if !at {
		return x.scan(j+1, `"`, false, true, "", 0)
	}
	for j++; j < len(x.Src); j++ {
		if x.Src[j] == '"' {
			if x.at(j+1) != '"' {
				return j + 1
			}
			j++
		}
	}
	return len(x.Src)
}

func (x *lexer) ticked(q int) int {
	switch x.r.backtick {
	case tickRaw:
		return x.until(q+1, "`")
	case tickName:
		k := strings.IndexAny(x.Src[q+1:], "`\n")
		if k < 0 || x.Src[q+1+k] == '\n' {
			return -1
		}
		return q + k + 2
	}
	return x.scan(q+1, "`", true, true, x.r.interp, 0)
}

func (x *lexer) regexEnd(q int) int {
	const longest = 2000                                       // keeps a line full of slashes linear
	class, spans := false, x.Lang == Ruby && x.at(q+1) == '\n' // /x over several lines
	for j := q + 1; j < min(len(x.Src), q+longest); j++ {
		switch x.Src[j] {
		case '\n':
			if !spans {
				return -1
			}
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				j++
				for isLetter(x.at(j)) {
					j++
				}
				return j
			}
		}
	}
	return -1
}

// percent reads Ruby's %w[…], %q(…), %{…}.
func (x *lexer) percent(q int) int {
	j := q + 1
	if isLetter(x.at(j)) {
		if strings.IndexByte("wWiIqQrsx", x.at(j)) < 0 {
			return -1
		}
		j++
	}
	open := x.at(j)
	closing := map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}[open]
	if closing == 0 {
		if open != '|' && open != '!' && open != '/' {
			return -1
		}
		closing = open
	}
	level := 0
	for ; j < len(x.Src); j++ {
		switch c := x.Src[j]; {
		case c == '\\':
			j++
		case c == closing && (level == 1 || open == closing && level > 0):
			return j + 1
		case c == closing:
			level--
		case c == open:
			level++
		}
		if open == closing && level == 0 {
			level = 1
		}
	}
	return len(x.Src)
}

// phpHeredoc reads <<<ID … ID.
func (x *lexer) phpHeredoc(q int) int {
	j := q + 3
	for x.at(j) == ' ' || x.at(j) == '\t' {
		j++
	}
	if x.at(j) == '\'' || x.at(j) == '"' {
		j++
	}
	id := j
	for isLetter(x.at(j)) || isDigit(x.at(j)) {
		j++
	}
	if id == j {
		return -1
	}
	return x.terminator(j, x.Src[id:j], true)
}

// terminator finds the line that begins with word, blanks aside, and returns the offset after the word.
func (x *lexer) terminator(j int, word string, indented bool) int {
	for {
		k := strings.IndexByte(x.Src[min(j, len(x.Src)):], '\n')
		if k < 0 {
			return len(x.Src)
		}
		j += k + 1
		s := j
		for indented && (x.at(s) == ' ' || x.at(s) == '\t') {
			s++
		}
		if x.has(s, word) && !isLetter(x.at(s+len(word))) && !isDigit(x.at(s+len(word))) {
			return s + len(word)
		}
	}
}

// rubyHeredoc notes the terminator of <<~ID; its text begins on the next line.
func (x *lexer) rubyHeredoc(q int) int {
	j := q + 2
	squiggly := x.at(j) == '~' || x.at(j) == '-'
	if squiggly {
		j++
	}
	quote := x.at(j) == '\'' || x.at(j) == '"'
	if quote {
		j++
	}
	id := j
	for isLetter(x.at(j)) || isDigit(x.at(j)) {
		j++
	}
	if id == j || !squiggly && (x.at(id) < 'A' || x.at(id) > 'Z' || x.operand()) {
		return -1
	}
	x.heredocs = append(x.heredocs, x.Src[id:j])
	if quote {
		j++
	}
	return j
}

func (x *lexer) skipHeredocs() {
	for _, word := range x.heredocs {
		x.move(x.terminator(x.i-1, word, true))
	}
	x.heredocs = nil
}
