// Package scan is a strict JSON scanner over bytes in memory: it checks the grammar in one pass, hands out raw slices and
// decodes only the strings that are asked for.
//
// It accepts exactly what encoding/json accepts, nesting bound included, and decodes strings to the same text (invalid UTF-8
// and lone surrogates become U+FFFD); fuzz tests hold the two together. It exists because every hook call pays for it: it
// allocates nothing by itself and takes about a tenth of the instructions. It does not build values or trees.
package scan

import (
	"errors"
	"math/bits"
)

// MaxDepth bounds how deep arrays and objects nest; encoding/json has the same bound.
const MaxDepth = 10000

// Errors of this package. The offset that comes with them is the place of the fault.
var (
	ErrSyntax    = errors.New("invalid JSON")
	ErrTruncated = errors.New("JSON ends too early")
	ErrDepth     = errors.New("JSON nested too deep")
)

// Space returns the offset of the first byte from pos on that is not white space.
func Space(data []byte, pos int) int {
	for pos < len(data) && data[pos] <= ' ' && (data[pos] == ' ' || data[pos] == '\n' || data[pos] == '\t' || data[pos] == '\r') {
		pos++
	}
	return pos
}

// Words of eight bytes, for looking at eight of them at once.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// word is the eight bytes at pos, the first one lowest; the compiler makes one load of it.
func word(b []byte, pos int) uint64 {
	return uint64(b[pos]) | uint64(b[pos+1])<<8 | uint64(b[pos+2])<<16 | uint64(b[pos+3])<<24 |
		uint64(b[pos+4])<<32 | uint64(b[pos+5])<<40 | uint64(b[pos+6])<<48 | uint64(b[pos+7])<<56
}

func putWord(b []byte, pos int, w uint64) {
	b[pos], b[pos+1], b[pos+2], b[pos+3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
	b[pos+4], b[pos+5], b[pos+6], b[pos+7] = byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56)
}

// Plain returns the offset of the first quote, backslash or control byte from pos on, or len(data).
func Plain(data []byte, pos int) int {
	pos = max(pos, 0) // lets the compiler drop the bounds checks
	for ; pos <= len(data)-8; pos += 8 {
		w := word(data, pos)
		// Flipping bit 1 moves the quote (0x22) next to the control bytes, so that "below 0x21" finds both in one test. The
		// lowest mark is exact: a borrow runs only upwards from a true one.
		mark := ((w ^ ones*2 - ones*0x21) | (w ^ ones*'\\' - ones)) &^ w & highs
		if mark != 0 {
			return pos + bits.TrailingZeros64(mark)>>3
		}
	}
	for ; pos < len(data); pos++ {
		if c := data[pos]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return pos
}

// String checks the string literal whose opening quote is at pos and returns the offset past its closing quote, or the place
// of the fault (len(data) when the literal does not end).
func String(data []byte, pos int) (end int, err error) {
	for pos++; ; {
		pos = Plain(data, pos)
		if pos >= len(data) {
			return len(data), ErrTruncated
		}
		switch data[pos] {
		case '"':
			return pos + 1, nil
		case '\\':
			if pos+1 < len(data) && (data[pos+1] == 'n' || data[pos+1] == '"') { // nearly all of them
				pos += 2
			} else if pos, err = escape(data, pos); err != nil {
				return pos, err
			}
		default:
			return pos, ErrSyntax
		}
	}
}

func escape(data []byte, pos int) (end int, err error) {
	if pos+1 >= len(data) {
		return len(data), ErrTruncated
	}
	switch data[pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return pos + 2, nil
	case 'u':
		for i := pos + 2; i < pos+6; i++ {
			if i >= len(data) {
				return len(data), ErrTruncated
			}
			if hexDigit(data[i]) < 0 {
				return i, ErrSyntax
			}
		}
		return pos + 6, nil
	}
	return pos + 1, ErrSyntax
}

func hexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// Number checks the number at pos and returns the offset past it, or the place of the fault.
func Number(data []byte, pos int) (end int, err error) {
	if pos < len(data) && data[pos] == '-' {
		pos++
	}
	switch {
	case pos < len(data) && data[pos] == '0':
		pos++
	default:
		if pos, err = digits(data, pos); err != nil {
			return pos, err
		}
	}
	if pos < len(data) && data[pos] == '.' {
		if pos, err = digits(data, pos+1); err != nil {
			return pos, err
		}
	}
	if pos < len(data) && data[pos]|0x20 == 'e' {
		pos++
		if pos < len(data) && (data[pos] == '+' || data[pos] == '-') {
			pos++
		}
		return digits(data, pos)
	}
	return pos, nil
}

func digits(data []byte, pos int) (end int, err error) {
	start := pos
	for pos < len(data) && '0' <= data[pos] && data[pos] <= '9' {
		pos++
	}
	if pos > start {
		return pos, nil
	}
	return pos, fault(data, pos)
}

func fault(data []byte, pos int) error {
	if pos >= len(data) {
		return ErrTruncated
	}
	return ErrSyntax
}

func literal(data []byte, pos int, word string) (end int, err error) {
	for i := range len(word) {
		if pos+i >= len(data) {
			return len(data), ErrTruncated
		}
		if data[pos+i] != word[i] {
			return pos + i, ErrSyntax
		}
	}
	return pos + len(word), nil
}

// nest remembers for each open bracket whether it is an object: one bit each, so that depth costs no stack.
type nest struct {
	top   uint64
	depth int
	below []uint64
}

func (n *nest) push(object uint64) {
	if n.depth&63 == 0 && n.depth > 0 {
		n.below = append(n.below, n.top)
	}
	n.top = n.top<<1 | object
	n.depth++
}

func (n *nest) pop() {
	n.top >>= 1
	n.depth--
	if n.depth&63 == 0 && n.depth > 0 {
		n.top = n.below[len(n.below)-1]
		n.below = n.below[:len(n.below)-1]
	}
}

// Value checks the value that starts at or after pos, white space before it skipped, and returns the offset past it, or the
// place of the fault. depth is the number of brackets already open around it.
func Value(data []byte, pos, depth int) (end int, err error) {
	var open nest
	for {
		pos = Space(data, pos)
		if pos >= len(data) {
			return len(data), ErrTruncated
		}
		opened := false
		switch c := data[pos]; c {
		case '"':
			pos, err = String(data, pos)
		case '{', '[':
			if depth+open.depth >= MaxDepth {
				return pos, ErrDepth
			}
			open.push(uint64(c) >> 5 & 1) // '{' is 0x7b, '[' is 0x5b
			opened = true
			pos++
		case 't':
			pos, err = literal(data, pos, "true")
		case 'f':
			pos, err = literal(data, pos, "false")
		case 'n':
			pos, err = literal(data, pos, "null")
		default:
			pos, err = Number(data, pos)
		}
		if err != nil {
			return pos, err
		}
		if pos, err = advance(data, pos, &open, opened); err != nil || open.depth == 0 {
			return pos, err
		}
	}
}

// advance goes on after a value or an opening bracket, over closing brackets, a comma and a name, to the place of the next
// value, or past the last closing bracket.
func advance(data []byte, pos int, open *nest, opened bool) (end int, err error) {
	for open.depth > 0 {
		pos = Space(data, pos)
		if pos >= len(data) {
			return len(data), ErrTruncated
		}
		object := open.top&1 == 1
		switch c := data[pos]; {
		case c == '}' && object, c == ']' && !object:
			open.pop()
			opened = false
			pos++
			continue
		case opened:
		case c == ',':
			pos++
		default:
			return pos, ErrSyntax
		}
		if !object {
			return pos, nil
		}
		return name(data, pos)
	}
	return pos, nil
}

// name checks a member's name and its colon.
func name(data []byte, pos int) (end int, err error) {
	pos = Space(data, pos)
	if pos >= len(data) || data[pos] != '"' {
		return pos, fault(data, pos)
	}
	if pos, err = String(data, pos); err != nil {
		return pos, err
	}
	pos = Space(data, pos)
	if pos >= len(data) || data[pos] != ':' {
		return pos, fault(data, pos)
	}
	return pos + 1, nil
}
