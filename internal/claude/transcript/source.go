package transcript

import (
	"bytes"
	"io"
)

// source steps through lines of any length with one buffer. Everything it hands out is valid until the next call.
type source struct {
	r    io.Reader
	buf  []byte
	pos  int   // of the next byte
	lim  int   // end of the present line's bytes in the buffer
	end  int   // end of the buffer's bytes
	eol  bool  // the newline is at lim; otherwise the line goes on behind the buffer
	base int64 // file offset of buf[0]
	last byte  // last byte of the present line before the buffer that is not white space
	head int   // start of the present line in the buffer, 0 when it is before it
	err  error

	capturing bool
	mark      int
	kept      []byte // what was captured before the buffer
	max       int
	tail      bool // capture the last max bytes; otherwise all or nothing
	over      bool // more than max were there
}

func newSource(r io.Reader, base int64, size int) *source {
	return &source{r: r, base: base, buf: make([]byte, size)}
}

func (s *source) offset() int64 { return s.base + int64(s.pos) }

func (s *source) findEnd() {
	i := bytes.IndexByte(s.buf[s.pos:s.end], '\n')
	if s.eol = i >= 0; s.eol {
		s.lim = s.pos + i
	} else {
		s.lim = s.end
	}
}

// more reads on when the buffer is used up. It is false when the line, or the file, has no more bytes.
func (s *source) more() bool {
	if s.eol || s.err != nil {
		return false
	}
	if s.capturing {
		s.keep(s.buf[s.mark:s.end])
		s.mark = 0
	}
	if c := lastByte(s.buf[s.head:s.end]); c != 0 {
		s.last = c
	}
	s.base += int64(s.end)
	s.pos, s.end, s.head = 0, 0, 0
	for s.end == 0 && s.err == nil {
		s.end, s.err = s.r.Read(s.buf)
	}
	s.findEnd()
	return s.lim > 0
}

// lastByte is the last byte that is not white space, or 0.
func lastByte(b []byte) byte {
	for i := len(b) - 1; i >= 0; i-- {
		if c := b[i]; c != ' ' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// nextLine goes behind the newline. last is the last byte before it that is not white space; ok is false when the file ends
// before a newline.
func (s *source) nextLine() (last byte, ok bool) {
	for !s.eol {
		s.pos = s.lim
		if !s.more() && !s.eol {
			return 0, false
		}
	}
	if last = lastByte(s.buf[s.head:s.lim]); last == 0 {
		last = s.last
	}
	s.pos = s.lim + 1
	s.head, s.last = s.pos, 0
	s.findEnd()
	return last, true
}

// peek returns the next byte of the line that is not white space, without taking it.
func (s *source) peek() (byte, bool) {
	for {
		for s.pos < s.lim {
			if c := s.buf[s.pos]; c != ' ' && c != '\t' && c != '\r' {
				return c, true
			}
			s.pos++
		}
		if !s.more() {
			return 0, false
		}
	}
}

// begin starts to capture at the present position: up to most bytes, or of more the last ones.
func (s *source) begin(most int, tail bool) {
	s.capturing, s.mark, s.kept, s.max, s.tail, s.over = true, s.pos, s.kept[:0], most, tail, false
}

// take ends the capture. Without tail it is nil when there was too much.
func (s *source) take() []byte {
	s.capturing = false
	b := s.buf[s.mark:s.pos]
	switch {
	case len(s.kept) == 0 && !s.over && len(b) <= s.max:
		return b
	case len(s.kept) == 0 && !s.over && s.tail:
		s.over = true
		return b[len(b)-s.max:]
	}
	s.keep(b)
	switch {
	case !s.over:
		return s.kept
	case s.tail:
		return s.kept[max(0, len(s.kept)-s.max):]
	}
	return nil
}

func (s *source) keep(b []byte) {
	switch {
	case !s.tail && (s.over || len(s.kept)+len(b) > s.max):
		s.over = true
		return
	case len(b) >= s.max:
		s.over = s.over || len(b) > s.max || len(s.kept) > 0
		s.kept, b = s.kept[:0], b[len(b)-s.max:]
	case len(s.kept)+len(b) > s.max:
		s.over = true
		s.kept = s.kept[:copy(s.kept, s.kept[len(s.kept)+len(b)-s.max:])]
	}
	s.kept = append(s.kept, b...)
}

// skipString goes behind the closing quote of a string whose opening quote was taken.
func (s *source) skipString() bool {
	odd := false // an odd run of backslashes stands before the buffer
	for {
		b := s.buf[s.pos:s.lim]
		i := bytes.IndexByte(b, '"')
		if i < 0 {
			odd = oddSlashes(b, odd)
			s.pos = s.lim
			if !s.more() {
				return false
			}
			continue
		}
		s.pos += i + 1
		if !oddSlashes(b[:i], odd) {
			return true
		}
		odd = false
	}
}

// oddSlashes reports whether b ends in an odd run of backslashes; before tells it of the bytes in front of b.
func oddSlashes(b []byte, before bool) bool {
	i := len(b)
	for i > 0 && b[i-1] == '\\' {
		i--
	}
	odd := (len(b)-i)&1 == 1
	if i == 0 {
		return odd != before
	}
	return odd
}

// skipValue goes behind the value that starts with the byte c, which is the next one.
func (s *source) skipValue(c byte) bool {
	switch c {
	case '"':
		s.pos++
		return s.skipString()
	case '{', '[':
		return s.skipBrackets()
	}
	return s.skipLiteral()
}

func (s *source) skipBrackets() bool {
	depth := 0
	for {
		for s.pos < s.lim {
			c := s.buf[s.pos]
			s.pos++
			switch c {
			case '"':
				if !s.skipString() {
					return false
				}
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return true
				}
			}
		}
		if !s.more() {
			return false
		}
	}
}

// skipLiteral goes behind a number, true, false or null; anything that is not one byte long at least is none.
func (s *source) skipLiteral() bool {
	for n := 0; ; {
		for s.pos < s.lim {
			switch s.buf[s.pos] {
			case ',', '}', ']', ' ', '\t', '\r', ':', '"', '{', '[':
				return n > 0
			}
			s.pos++
			n++
		}
		if !s.more() {
			return false
		}
	}
}
