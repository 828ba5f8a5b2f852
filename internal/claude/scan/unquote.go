package scan

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes a string literal that String accepted, quotes included. Invalid UTF-8 and lone surrogates become U+FFFD.
func Unquote(literal []byte) string {
	return Decode(literal[1 : len(literal)-1])
}

// Decode decodes the inside of a string literal. Of a piece that was cut within an escape the broken part is dropped.
func Decode(s []byte) string {
	i := Plain(s, 0)
	if i == len(s) && utf8.Valid(s) {
		return string(s)
	}
	var out strings.Builder // no second copy at the end: texts can be megabytes
	out.Grow(len(s))
	for pos := 0; ; {
		writeValid(&out, s[pos:i])
		if i >= len(s) {
			return out.String()
		}
		if s[i] != '\\' {
			out.WriteByte(s[i])
			pos = i + 1
		} else {
			pos = writeEscape(&out, s, i)
		}
		i = Plain(s, pos)
	}
}

// writeValid writes s with every byte that is not UTF-8 replaced.
func writeValid(out *strings.Builder, s []byte) {
	if utf8.Valid(s) {
		out.Write(s)
		return
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		out.WriteRune(r)
		s = s[n:]
	}
}

// writeEscape writes what the escape at s[i] stands for and returns the offset after it.
func writeEscape(out *strings.Builder, s []byte, i int) int {
	if i+1 >= len(s) {
		return len(s)
	}
	c := s[i+1]
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r := codeUnit(s, i)
		if r < 0 {
			return len(s)
		}
		i += 6
		if utf16.IsSurrogate(r) {
			if r = utf16.DecodeRune(r, codeUnit(s, i)); r != utf8.RuneError {
				i += 6
			}
		}
		out.WriteRune(r)
		return i
	}
	out.WriteByte(c)
	return i + 2
}

// codeUnit reads \uXXXX at s[i], or returns -1.
func codeUnit(s []byte, i int) rune {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range s[i+2 : i+6] {
		d := hexDigit(c)
		if d < 0 {
			return -1
		}
		r = r<<4 | d
	}
	return r
}

// Equal reports whether the string literal, quotes included, decodes to want. It allocates only for literals with escapes.
func Equal(literal []byte, want string) bool {
	if in := literal[1 : len(literal)-1]; Plain(in, 0) == len(in) {
		return string(in) == want
	}
	return Unquote(literal) == want
}

// Int reads a number literal as an integer: fractions are cut off, what does not fit is clamped. ok is false for anything
// that is no number.
func Int(literal []byte) (n int64, ok bool) {
	if len(literal) == 0 || literal[0] != '-' && (literal[0] < '0' || literal[0] > '9') {
		return 0, false
	}
	if len(literal) <= 18 {
		digits, negative := literal, literal[0] == '-'
		if negative {
			digits = digits[1:]
		}
		for i, c := range digits {
			if c < '0' || c > '9' {
				break
			}
			n = n*10 + int64(c-'0')
			if i == len(digits)-1 {
				if negative {
					n = -n
				}
				return n, true
			}
		}
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	switch {
	case err != nil && f == 0:
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(f), true
}
