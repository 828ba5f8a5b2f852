// Package token cuts the source of scripting languages into tokens, well enough to tell code from strings, comments and patterns.
//
// It owns no table and no file. One lexer serves all languages; a Dialect says where they differ. It is tolerant: whatever the input,
// it ends, in time linear in the length, and never fails. It knows no grammar: package code does.
package token

import "strings"

// Dialect is a language as far as its tokens go.
type Dialect uint8

// The dialects.
const (
	Python Dialect = iota
	JS
	Perl
	Ruby
	PHP
	Awk
	Lua
	R
	AppleScript
)

// Kind is the kind of a token.
type Kind uint8

// Kinds of tokens. End is the kind of the zero Token, which stands behind the last one.
const (
	End    Kind = iota
	Name        // identifier, keyword or variable with its sigil
	Text        // string
	Run         // `command`, %x(command), qx{command}
	Number      //
	Op          // operator or bracket
	Line        // end of a line
	Regex       // pattern or substitution
)

// Part is a piece of a string: literal text, or code whose value is put there.
type Part struct {
	Text string
	Code []Token // nil: literal
	Bad  bool    // code that is nested too deeply to be read
}

// Token is one token. Text holds the value of a string after escapes if Parts is nil.
type Token struct {
	Kind  Kind
	Nest  bool // stands in an indented block or in braces
	Space bool // white space before it
	Line  int32
	Text  string
	Parts *[]Part
}

// Is reports whether t is the operator or the name s.
func (t *Token) Is(s string) bool { return (t.Kind == Op || t.Kind == Name) && t.Text == s }

// maxDepth bounds strings with code with strings … in them.
const maxDepth = 6

// maxMisses is how many here-documents without an end are looked for before `<<` is always an operator.
const maxMisses = 8

type lexer struct {
	d       Dialect
	src     string
	i       int
	line    int
	out     []Token
	round   int  // depth of ( and [
	curly   int  // depth of {
	indent  bool // Python: the line is indented
	fresh   bool // nothing of the line seen yet
	depth   int  // of interpolation
	noRegex int  // before this offset a pattern is known to have no end
	misses  int
	here    []int // indices of here-document tokens whose bodies follow the line
	tags    []string
	squiggl []bool
}

// Lex cuts src.
func Lex(d Dialect, src string) []Token { return lex(d, src, 1, 0) }

func lex(d Dialect, src string, line, depth int) []Token {
	l := lexer{d: d, src: src, line: line, depth: depth, fresh: true, out: make([]Token, 0, len(src)/5+4)}
	if d == PHP && depth == 0 && strings.Contains(src, "<?") {
		l.html()
	}
	for l.i < len(l.src) {
		l.next()
	}
	return l.out
}

func (l *lexer) at(k int) byte {
	if k += l.i; k >= 0 && k < len(l.src) {
		return l.src[k]
	}
	return 0
}

func (l *lexer) has(s string) bool { return strings.HasPrefix(l.src[l.i:], s) }

func (l *lexer) emit(k Kind, text string) *Token {
	t := Token{Kind: k, Text: text, Line: int32(l.line), Nest: l.indent || l.curly > 0, Space: l.i == 0 || isSpace(l.src[l.i-1])}
	l.out = append(l.out, t)
	return &l.out[len(l.out)-1]
}

// operand reports whether an operand may start here: after it a / is a division, otherwise a pattern.
func (l *lexer) operand() bool {
	if len(l.out) == 0 {
		return true
	}
	switch t := &l.out[len(l.out)-1]; t.Kind {
	case Number, Text, Run, Regex:
		return false
	case Op:
		return t.Text != ")" && t.Text != "]" && t.Text != "}"
	case Name:
		switch t.Text {
		case "return", "typeof", "case", "in", "of", "and", "or", "not", "if", "unless", "while", "until", "when", "split", "grep", "map",
			"join", "push", "print", "puts", "elsif", "else", "do", "then", "void", "delete", "throw", "await", "yield", "=~", "p":
			return true
		}
		return false
	}
	return true
}

// next reads one token or skips what is none.
func (l *lexer) next() {
	c := l.src[l.i]
	switch {
	case c == '\n':
		l.newline()
		return
	case isSpace(c):
		l.i++
		return
	case c == '\\' && (l.at(1) == '\n' || l.at(1) == '\r' && l.at(2) == '\n'):
		l.i += 1 + strings.IndexByte(l.src[l.i:], '\n')
		l.line++
		return
	}
	if l.fresh {
		l.fresh = false
		l.indent = l.d == Python && l.i > 0 && l.src[l.i-1] != '\n'
	}
	if l.comment(c) || l.str(c) {
		return
	}
	switch {
	case isName(c) || l.sigil(c):
		l.name()
	case c >= '0' && c <= '9':
		n := 1
		for isName(l.at(n)) || l.at(n) >= '0' && l.at(n) <= '9' || l.at(n) == '.' && l.at(n+1) >= '0' && l.at(n+1) <= '9' {
			n++
		}
		l.emit(Number, l.src[l.i:l.i+n])
		l.i += n
	default:
		l.operator(c)
	}
}

func (l *lexer) newline() {
	if l.d != Perl && l.d != PHP && (l.d != Python || l.round+l.curly == 0) {
		l.emit(Line, "\n")
	}
	l.i++
	l.line++
	l.fresh = true
	l.indent = false
	if len(l.here) > 0 {
		l.hereBodies()
	}
	if (l.d == Ruby && l.has("=begin") || l.d == Perl && l.at(0) == '=' && isName(l.at(1))) && len(l.here) == 0 {
		end := "\n=end"
		if l.d == Perl {
			end = "\n=cut"
		}
		l.skipTo(end, true)
		l.skipTo("\n", false)
	}
	if l.d == Perl && (l.has("__END__") || l.has("__DATA__")) {
		l.i = len(l.src)
	}
}

// skipTo moves to the next s, or to the end; over it if past is set.
func (l *lexer) skipTo(s string, past bool) {
	k := strings.Index(l.src[l.i:], s)
	switch {
	case k < 0:
		k = len(l.src) - l.i
	case past:
		k += len(s)
	}
	l.line += strings.Count(l.src[l.i:l.i+k], "\n")
	l.i += k
}

func (l *lexer) comment(c byte) bool {
	hash, slash := l.d != JS && l.d != Lua, l.d == JS || l.d == PHP
	switch {
	case hash && c == '#' && (l.d != PHP || l.at(1) != '['):
		l.skipTo("\n", false)
	case c == '#' && l.i == 0: // #!
		l.skipTo("\n", false)
	case slash && c == '/' && l.at(1) == '/':
		l.skipTo("\n", false)
	case slash && c == '/' && l.at(1) == '*':
		l.skipTo("*/", true)
	case (l.d == Lua || l.d == AppleScript) && c == '-' && l.at(1) == '-':
		l.i += 2
		if n := l.longBracket(); l.d == Lua && n > 0 {
			l.skipTo("]"+strings.Repeat("=", n-2)+"]", true)
		} else {
			l.skipTo("\n", false)
		}
	case l.d == AppleScript && c == '(' && l.at(1) == '*':
		l.skipTo("*)", true)
	case l.d == PHP && c == '?' && l.at(1) == '>':
		l.html()
	default:
		return false
	}
	return true
}

// html skips to the next part of a PHP file that is code.
func (l *lexer) html() {
	l.skipTo("<?", true)
	switch {
	case l.has("php"):
		l.i += 3
	case l.has("="):
		l.i++
	}
	l.emit(Op, ";")
}

// longBracket returns the length of a Lua [[ or [==[ here, or 0.
func (l *lexer) longBracket() int {
	if l.at(0) != '[' {
		return 0
	}
	n := 1
	for l.at(n) == '=' {
		n++
	}
	if l.at(n) != '[' {
		return 0
	}
	return n + 1
}

func (l *lexer) sigil(c byte) bool {
	switch l.d {
	case Perl:
		n := l.at(1)
		switch c {
		case '$':
			return isName(n) || n == '{' || n == '$' || n >= '0' && n <= '9' || n == '!' || n == '@' || n == '&' || n == '/' || n == ',' || n == '|' || n == '#' || n == '0'
		case '@':
			return isName(n) || n == '{' || n == '$'
		case '%', '&':
			return l.operand() && (isName(n) || n == '{' || n == '$')
		}
	case PHP:
		return c == '$' && (isName(l.at(1)) || l.at(1) == '{' || l.at(1) == '$')
	case Ruby:
		return c == '$' && (isName(l.at(1)) || l.at(1) >= '!' && l.at(1) < 'A') || c == '@' && (isName(l.at(1)) || l.at(1) == '@')
	case JS:
		return c == '$' || c == '#' && isName(l.at(1))
	}
	return false
}

// name reads an identifier with its sigil, and the string operators of Perl and Ruby.
func (l *lexer) name() {
	n := 0
	if !isName(l.at(0)) {
		n = 1
		for l.at(n) == '@' || l.at(n) == '$' {
			n++
		}
	}
	if l.at(n) == '{' && n > 0 && l.d != JS { // ${name}, @{…}, %{…}
		end := n + 1
		for isName(l.at(end)) {
			end++
		}
		if l.at(end) == '}' && end > n+1 {
			l.emit(Name, l.src[l.i:l.i+n]+l.src[l.i+n+1:l.i+end])
			l.i += end + 1
			return
		}
		l.i += n // a block: its value is unknown, the code in it is read
		return
	}
	for isName(l.at(n)) || l.at(n) >= '0' && l.at(n) <= '9' || l.d == JS && l.at(n) == '$' ||
		(l.d == Perl && l.at(n) == ':' && l.at(n+1) == ':' && isName(l.at(n+2))) {
		if l.at(n) == ':' {
			n++
		}
		n++
	}
	if n <= 1 && !isName(l.at(0)) && l.d != JS && l.i+n < len(l.src) {
		n++ // $!, $1, $@
	}
	if (l.d == Ruby) && (l.at(n) == '?' || l.at(n) == '!') && l.at(n+1) != '=' && isName(l.at(0)) {
		n++
	}
	word := l.src[l.i : l.i+n]
	if (l.d == Perl && l.quoteLike(word)) || l.d == R && (word == "r" || word == "R") && l.at(n) == '"' && l.rawR() {
		return
	}
	l.emit(Name, word)
	l.i += n
}

func (l *lexer) operator(c byte) {
	switch c {
	case '(', '[':
		l.round++
	case ')', ']':
		l.round = max(l.round-1, 0)
	case '{':
		l.emit(Op, "{")
		l.curly++
		l.i++
		return
	case '}':
		l.curly = max(l.curly-1, 0)
	}
	n := 1
	for _, op := range [...]string{"**=", "...", "===", "!==", "<=>", "||=", "&&=", "??=", "//=", "->", "::", "=>", "==", "!=", "<=", ">=", "**", "+=", "-=", ".=",
		"||", "&&", "<<", ">>", ":=", "?.", "??", "=~", "!~", "..", "++", "--", "//", "<-", "|=", "&.", "~>", "|&"} {
		if c == op[0] && l.has(op) && (op != "//" || l.d == Python || l.d == Perl) && (op != "<-" || l.d == R) {
			n = len(op)
			break
		}
	}
	l.emit(Op, l.src[l.i:l.i+n])
	l.i += n
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' }

func isName(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
