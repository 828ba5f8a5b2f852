package lex

import "strings"

// Kind is the kind of a token.
type Kind uint8

// Kinds of tokens. Comments and blanks make none.
const (
	Name   Kind = iota + 1 // identifiers and keywords
	Number                 // numeric literals
	String                 // string, character and regular expression literals, quotes included
	Op                     // operators and punctuation, longest known first
)

// Token is one token of a file. Text is src[Pos:End].
type Token struct {
	Kind  Kind
	First bool // first token of its line
	Pos   int32
	End   int32
	Line  int32 // from 1
	Col   int32 // bytes before it on its line; a tab counts as one
}

// File is a lexed file.
type File struct {
	Lang   Lang
	Src    string
	Tokens []Token
}

// MaxSize is the largest file, in bytes, that Lex reads; of a longer one it reads the beginning.
const MaxSize = 8 << 20

// Text returns the text of token i, "" outside the file.
func (f *File) Text(i int) string {
	if i < 0 || i >= len(f.Tokens) {
		return ""
	}
	return f.Src[f.Tokens[i].Pos:f.Tokens[i].End]
}

// Is reports whether token i has the text and is no string.
func (f *File) Is(i int, text string) bool {
	if i < 0 || i >= len(f.Tokens) || f.Tokens[i].Kind == String {
		return false
	}
	t := &f.Tokens[i]
	return f.Src[t.Pos:t.End] == text
}

// Char returns the character of token i if it is an operator of one character, else 0.
func (f *File) Char(i int) byte {
	if i < 0 || i >= len(f.Tokens) || f.Tokens[i].Kind != Op || f.Tokens[i].End-f.Tokens[i].Pos != 1 {
		return 0
	}
	return f.Src[f.Tokens[i].Pos]
}

// Kind returns the kind of token i, 0 outside the file.
func (f *File) Kind(i int) Kind {
	if i < 0 || i >= len(f.Tokens) {
		return 0
	}
	return f.Tokens[i].Kind
}

// Glued reports whether nothing stands between token i and the one before it.
func (f *File) Glued(i int) bool {
	return i > 0 && i < len(f.Tokens) && f.Tokens[i-1].End == f.Tokens[i].Pos
}

// Unquote returns the text of a string token without its quotes and prefix.
func (f *File) Unquote(i int) string {
	s := f.Text(i)
	if k := strings.IndexAny(s, "\"'`/"); k > 0 {
		s = s[k:]
	}
	for _, q := range [...]string{`"""`, `'''`, `"`, `'`, "`", "/"} {
		if rest, ok := strings.CutPrefix(s, q); ok {
			return strings.TrimSuffix(rest, q)
		}
	}
	return s
}

type lexer struct {
	File
	r        rules
	i        int
	line     int32
	start    int            // offset of the present line
	fresh    bool           // no token on this line yet
	jsx      []frame        // JS, TS: the elements around
	last     map[string]int // JS, TS: last offsets of closing tags
	heredocs []string       // Ruby: terminators whose text starts on the next line
}

// Lex splits src into tokens.
func Lex(lang Lang, src []byte) *File {
	if len(src) > MaxSize {
		src = src[:MaxSize]
	}
	x := lexer{File: File{Lang: lang, Src: string(src)}, r: rulesOf(lang), line: 1, fresh: true}
	x.Tokens = make([]Token, 0, len(src)/3+16)
	if lang == PHP {
		x.html()
	}
	x.run(len(x.Src))
	return &x.File
}

// run lexes to the end, or to a line that begins at or after the offset stop.
func (x *lexer) run(stop int) {
	for x.i < len(x.Src) {
		if c := x.Src[x.i]; (c == ' ' || c == '\t') && len(x.jsx) == 0 {
			x.i++
			continue
		}
		if x.fresh && x.i >= stop {
			return
		}
		x.next()
	}
}

func (x *lexer) at(i int) byte {
	if i < len(x.Src) {
		return x.Src[i]
	}
	return 0
}

func (x *lexer) has(i int, s string) bool {
	return i <= len(x.Src) && strings.HasPrefix(x.Src[i:], s)
}

// move goes on to offset j and counts the lines between.
func (x *lexer) move(j int) {
	j = min(j, len(x.Src))
	for x.i < j {
		k := strings.IndexByte(x.Src[x.i:j], '\n')
		if k < 0 {
			break
		}
		x.i += k + 1
		x.line++
		x.start, x.fresh = x.i, true
	}
	x.i = j
}

func (x *lexer) emit(k Kind, end int) {
	x.Tokens = append(x.Tokens, Token{Kind: k, First: x.fresh, Pos: int32(x.i), End: int32(end), Line: x.line, Col: int32(x.i - x.start)})
	if k == String {
		x.move(end)
	}
	x.i = end
	x.fresh = false // also behind a string that ends on a later line
}

// Classes of bytes, for the first decision about a token.
const (
	classOther  = iota // an operator
	classBlank         // skipped
	classLetter        // begins a name
	classDigit
	classSingle // an operator of one character
	classOpen   // may begin a comment, a string or a name, depending on the language
)

var classes = [256]uint8{
	0: classBlank, '\t': classBlank, '\f': classBlank, '\r': classBlank, ' ': classBlank,
	'_': classLetter, 'a': classLetter, 'b': classLetter, 'c': classLetter, 'd': classLetter, 'e': classLetter, 'f': classLetter, 'g': classLetter, 'h': classLetter,
	'i': classLetter, 'j': classLetter, 'k': classLetter, 'l': classLetter, 'm': classLetter, 'n': classLetter, 'o': classLetter, 'p': classLetter, 'q': classLetter,
	'r': classLetter, 's': classLetter, 't': classLetter, 'u': classLetter, 'v': classLetter, 'w': classLetter, 'x': classLetter, 'y': classLetter, 'z': classLetter,
	'A': classLetter, 'B': classLetter, 'C': classLetter, 'D': classLetter, 'E': classLetter, 'F': classLetter, 'G': classLetter, 'H': classLetter, 'I': classLetter,
	'J': classLetter, 'K': classLetter, 'L': classLetter, 'M': classLetter, 'N': classLetter, 'O': classLetter, 'P': classLetter, 'Q': classLetter, 'R': classLetter,
	'S': classLetter, 'T': classLetter, 'U': classLetter, 'V': classLetter, 'W': classLetter, 'X': classLetter, 'Y': classLetter, 'Z': classLetter,
	'0': classDigit, '1': classDigit, '2': classDigit, '3': classDigit, '4': classDigit, '5': classDigit, '6': classDigit, '7': classDigit, '8': classDigit, '9': classDigit,
	'\n': classOpen, '\\': classOpen, '/': classOpen, '#': classOpen, '=': classOpen, '?': classOpen, '"': classOpen, '\'': classOpen, '`': classOpen, '@': classOpen,
	'$': classOpen, '<': classOpen, '%': classOpen,
	'(': classSingle, ')': classSingle, '[': classSingle, ']': classSingle, '{': classSingle, '}': classSingle, ',': classSingle, ';': classSingle, '~': classSingle,
}

func (x *lexer) next() {
	c := x.Src[x.i]
	if len(x.jsx) > 0 && x.markup() {
		return
	}
	switch classes[c] {
	case classBlank:
		x.i++
	case classLetter:
		x.name()
	case classDigit:
		x.number()
	case classSingle:
		x.emit(Op, x.i+1)
	case classOpen:
		x.open(c)
	default:
		if c >= 0x80 {
			x.name()
		} else {
			x.emit(Op, x.i+opLen(x.Src[x.i:]))
		}
	}
}

// open handles bytes that mean different things in different languages.
func (x *lexer) open(c byte) {
	switch {
	case c == '\n':
		x.i++
		x.line++
		x.start, x.fresh = x.i, true
		if len(x.heredocs) > 0 {
			x.skipHeredocs()
		}
	case c == '\\' && (x.at(x.i+1) == '\n' || x.has(x.i+1, "\r\n")): // a joined line is not a new one
		fresh := x.fresh
		x.move(x.i + 2)
		if x.at(x.i-1) == '\r' {
			x.move(x.i + 1)
		}
		x.fresh = fresh
	case x.comment():
	case c == '<' && x.r.regex && x.r.dollarName && !x.operand() && x.element():
		x.jsx = append(x.jsx, frame{kind: inTag})
		x.emit(Op, x.i+1)
	case c == '$' && x.r.dollarName || c == '@' && x.Lang == Ruby && isLetter(x.at(x.i+1)):
		x.name()
	case x.str(x.i, x.i):
	default:
		x.emit(Op, x.i+opLen(x.Src[x.i:]))
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// comment skips a comment.
func (x *lexer) comment() bool {
	switch c := x.Src[x.i]; {
	case c == '#' && x.r.hash && !(x.Lang == PHP && x.at(x.i+1) == '['): // PHP attribute
		x.toLineEnd()
	case c == '/' && x.r.slash && x.at(x.i+1) == '/':
		x.toLineEnd()
	case c == '/' && x.r.slash && x.at(x.i+1) == '*':
		x.block()
	case c == '=' && x.Lang == Ruby && x.fresh && x.i == x.start && x.has(x.i, "=begin"):
		k := strings.Index(x.Src[x.i:], "\n=end")
		if k < 0 {
			x.move(len(x.Src))
		} else {
			x.move(x.i + k + 1)
			x.toLineEnd()
		}
	case c == '?' && x.Lang == PHP && x.at(x.i+1) == '>':
		x.move(x.i + 2)
		x.html()
	default:
		return false
	}
	return true
}

func (x *lexer) toLineEnd() {
	k := strings.IndexByte(x.Src[x.i:], '\n')
	if k < 0 {
		x.i = len(x.Src)
		return
	}
	end := x.i + k
	if x.Lang == PHP { // ?> ends a one-line comment, too
		if q := strings.Index(x.Src[x.i:end], "?>"); q >= 0 {
			end = x.i + q
		}
	}
	x.i = end
}

func (x *lexer) block() {
	depth, j := 1, x.i+2
	for j < len(x.Src) && depth > 0 {
		k := strings.IndexAny(x.Src[j:], "*/")
		if k < 0 {
			j = len(x.Src)
			break
		}
		j += k
		switch {
		case x.has(j, "*/"):
			depth--
			j += 2
		case x.r.nested && x.has(j, "/*"):
			depth++
			j += 2
		default:
			j++
		}
	}
	fresh := x.fresh
	line := x.line
	x.move(j)
	if x.line == line {
		x.fresh = fresh
	}
}

// html skips text outside <?php … ?>.
func (x *lexer) html() {
	k := strings.Index(x.Src[x.i:], "<?")
	if k < 0 {
		x.move(len(x.Src))
		return
	}
	j := x.i + k + 2
	for isLetter(x.at(j)) || x.at(j) == '=' {
		j++
	}
	x.move(j)
}

// name reads a name, or the string that its letters are the prefix of.
func (x *lexer) name() {
	j := x.i + 1
	for j < len(x.Src) {
		if c := x.Src[j]; c < 'a' || c > 'z' {
			if k := classes[c]; k != classLetter && k != classDigit && c < 0x80 && (c != '$' || !x.r.dollarName) {
				break
			}
		}
		j++
	}
	if j == len(x.Src) {
		x.emit(Name, j)
		return
	}
	switch q := x.Src[j]; q {
	case '"', '\'':
		if x.prefix(x.Src[x.i:j], q) && x.str(x.i, j) {
			return
		}
	case '#':
		if x.Lang == Rust && x.rawPrefix(x.Src[x.i:j]) && x.str(x.i, j) {
			return
		}
	case '?', '!':
		if x.Lang == Ruby && x.at(j+1) != '=' { // empty?, save!
			j++
		}
	}
	x.emit(Name, j)
}

func (x *lexer) rawPrefix(p string) bool { return p == "r" || p == "br" || p == "cr" }

// prefix reports whether letters right before a quote belong to the string.
func (x *lexer) prefix(p string, q byte) bool {
	switch x.Lang {
	case Python:
		return len(p) <= 2 && strings.Trim(strings.ToLower(p), "rbfut") == ""
	case Rust:
		return q == '"' && (x.rawPrefix(p) || p == "b" || p == "c") || q == '\'' && p == "b"
	case Dart:
		return p == "r"
	case C, CPP:
		return p == "L" || p == "u8" || p == "u" || p == "U" || strings.HasSuffix(p, "R") && len(p) <= 3
	case Scala:
		return q == '"'
	}
	return false
}

func (x *lexer) number() {
	j := x.i + 1
	for {
		c := x.at(j)
		switch {
		case isLetter(c) || isDigit(c):
		case c == '.' && isDigit(x.at(j+1)):
		case (c == '+' || c == '-') && (x.at(j-1) == 'e' || x.at(j-1) == 'E') && !x.has(x.i, "0x"):
		case c == '\'' && (x.Lang == CPP || x.Lang == C) && isDigit(x.at(j+1)):
		default:
			x.emit(Number, j)
			return
		}
		j++
	}
}

// opLen is the length of the operator that s begins with.
func opLen(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] { // what a longer operator goes on with
	case '=', '>', ':', '+', '-', '.', '?', '&', '|', '<', '~', '*', '/', '!':
	default:
		return 1
	}
	if len(s) > 2 {
		switch s[:3] {
		case "===", "!==", "<=>", "**=", "...", "..<", "??=", "||=", "&&=":
			return 3
		}
	}
	switch s[:2] {
	case "==", "!=", "<=", ">=", "&&", "||", "=>", "->", "::", "++", "--", "+=", "-=", "*=", "/=", "%=", "??", "?.", "..", "<<", "**", "//", ":=",
		"|>", "=~", "!~", "<-", "?:", "&=", "|=", "^=", "!!":
		return 2
	}
	return 1
}
