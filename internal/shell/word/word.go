// Package word is the text of shell words: quote removal, and the building of fields out of the parts of a word.
//
// It owns no table and no file, works on text alone and keeps no state; all functions are safe for concurrent use.
package word

import "strings"

// Word is one shell word after quote removal.
type Word struct {
	Text    string // literal text; parts known only at run time are kept as written ("$HOME", "$(id)")
	Dynamic bool   // holds a parameter, command, arithmetic or process substitution that could not be computed
	Glob    bool   // holds an unquoted *, ?, [ or brace list: may become other text or several words
	Quoted  bool   // some part was quoted or escaped, so a leading ~ or a glob character is meant literally there
}

// Literal reports whether the text is exactly what the program will see (a leading unquoted ~ aside).
func (w Word) Literal() bool { return !w.Dynamic && !w.Glob }

// Unescape appends an unquoted literal to b and notes escapes, globs and brace lists in out.
func Unescape(b *strings.Builder, out *Word, s string) {
	brace, lastBracket := -1, strings.LastIndexByte(s, ']')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			out.Quoted = true
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case '*', '?', '[':
			// A lone [ is the name of a program and not a pattern.
			if c != '[' || lastBracket > i {
				out.Glob = true
			}
		case '{':
			brace = i
		case ',':
			if brace >= 0 {
				out.Glob = true
			}
		case '.':
			if brace >= 0 && strings.HasPrefix(s[i:], "..") {
				out.Glob = true
			}
		case '}':
			brace = -1
		}
		b.WriteByte(s[i])
	}
}

// UnescapeDouble appends text inside double quotes, where a backslash is special only before $ ` " \ and newline.
func UnescapeDouble(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
}

// UnescapeANSI appends the text of $'…'.
func UnescapeANSI(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const from, to = `abefnrtvE`, "\a\b\x1b\f\n\r\t\v\x1b"
		if k := strings.IndexByte(from, s[i]); k >= 0 {
			b.WriteByte(to[k])
			continue
		}
		switch c := s[i]; {
		case c == 'x' || c == 'u' || c == 'U':
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			v, n := Digits(s[i+1:], width, 16)
			if n == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			if c == 'x' {
				b.WriteByte(byte(v))
			} else {
				b.WriteRune(rune(v))
			}
			i += n
		case c >= '0' && c <= '7':
			v, n := Digits(s[i:], 3, 8)
			b.WriteByte(byte(v))
			i += n - 1
		case strings.IndexByte(`\'"?`, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
}

// Digits reads at most width digits of the base and returns the value and how many there were.
func Digits(s string, width, base int) (v uint32, n int) {
	for n < len(s) && n < width {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] >= '0' && s[n] <= '9' {
			d = int(s[n] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*uint32(base) + uint32(d)
		n++
	}
	return v, n
}
