package scan

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Unquote decodes a string literal that String accepted, quotes included. Invalid UTF-8 and lone surrogates become U+FFFD.
func Unquote(literal []byte) string {
	return Decode(literal[1 : len(literal)-1])
}

// Decode decodes the inside of a string literal. Of a piece that was cut within an escape the broken part is dropped.
func Decode(s []byte) string {
	i := bytes.IndexByte(s, '\\')
	switch {
	case !utf8.Valid(s):
		return decodeInvalid(s)
	case i < 0:
		return string(s)
	}
	// Decoding never makes valid text longer. The eight spare bytes let the loop store whole words.
	out := make([]byte, len(s)+8)
	n := copy(out, s[:i])
	for i < len(s) {
		if s[i] == '\\' {
			var r rune
			r, i = unescape(s, i)
			switch {
			case r < 0:
			case r < utf8.RuneSelf:
				out[n] = byte(r)
				n++
			default:
				n += utf8.EncodeRune(out[n:], r)
			}
			continue
		}
		i, n = max(i, 0), max(n, 0) // lets the compiler drop the bounds checks
		if i > len(s)-8 || n > len(out)-8 {
			out[n] = s[i]
			n, i = n+1, i+1
			continue
		}
		w := word(s, i)
		putWord(out, n, w)
		step := 8
		if mark := (w ^ ones*'\\' - ones) &^ w & highs; mark != 0 {
			step = bits.TrailingZeros64(mark) >> 3
		}
		n, i = n+step, i+step
	}
	return unsafe.String(&out[0], n) // nobody else has out: a copy of megabytes saved
}

// decodeInvalid is Decode for bytes that are not UTF-8: each stray one becomes U+FFFD.
func decodeInvalid(s []byte) string {
	var out strings.Builder
	out.Grow(len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if r == '\\' {
			r, n = unescape(s, 0)
		}
		if r >= 0 {
			out.WriteRune(r)
		}
		s = s[n:]
	}
	return out.String()
}

// unescape returns what the escape at s[i] stands for, -1 if it is cut, and the offset after it.
func unescape(s []byte, i int) (rune, int) {
	if i+1 >= len(s) {
		return -1, len(s)
	}
	switch c := s[i+1]; c {
	case 'n':
		return '\n', i + 2
	case 't':
		return '\t', i + 2
	case 'r':
		return '\r', i + 2
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'u':
		r := codeUnit(s, i)
		if r < 0 {
			return -1, len(s)
		}
		i += 6
		if utf16.IsSurrogate(r) {
			if r = utf16.DecodeRune(r, codeUnit(s, i)); r != utf8.RuneError {
				i += 6
			}
		}
		return r, i
	case '"', '\\', '/':
		return rune(c), i + 2
	default: // no JSON escape: only the backslash is dropped
		return -1, i + 1
	}
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

// Name decodes the literal of a member's name, quotes included. Without escapes it is a slice of the literal, so that
// string(Name(l)) in a switch costs no allocation.
func Name(literal []byte) []byte {
	if in := literal[1 : len(literal)-1]; Plain(in, 0) == len(in) {
		return in
	}
	return []byte(Unquote(literal))
}

// Equal reports whether the string literal, quotes included, decodes to want.
func Equal(literal []byte, want string) bool { return string(Name(literal)) == want }

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
