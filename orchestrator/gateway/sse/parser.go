// Package sse reads server-sent events as the Messages API streams them: it finds where events end in bytes that arrive in any
// pieces, parses them, checks the grammar of a message (message_start … message_stop) and counts the tokens that it reports.
//
// It never changes a byte and never blocks; memory is bounded whatever arrives. The form is the one of the HTML standard, section
// 9.2: lines end in LF, CR or CRLF, an empty line ends an event, a line that begins with ":" is a comment.
package sse

import "bytes"

// Splitter finds ends of events, nothing else. The zero value is at the beginning of a stream.
type Splitter struct {
	mid    bool // inside a line
	block  bool // a line of an event or comment has begun since the last empty line
	skipLF bool // the last byte was CR: a following LF belongs to it
}

// Feed takes the next bytes of the stream and returns how many of them belong to events that have ended: the offset behind the
// last empty line (behind its CR, where the LF has not arrived; that LF then counts as an end, too).
func (s *Splitter) Feed(b []byte) (end int) {
	i := 0
	for i < len(b) {
		if s.skipLF {
			s.skipLF = false
			if b[i] == '\n' {
				i++
				if !s.mid && !s.block {
					end = i
				}
				continue
			}
		}
		n := bytes.IndexAny(b[i:], "\r\n")
		if n < 0 {
			s.mid, s.block = true, true
			return end
		}
		if n > 0 {
			s.mid, s.block = true, true
		}
		i += n
		s.skipLF = b[i] == '\r'
		i++
		if !s.mid { // an empty line
			s.block = false
			end = i
		}
		s.mid = false
	}
	return end
}

// Between reports whether the stream stands between two events: nothing of an unfinished one has arrived.
func (s *Splitter) Between() bool { return !s.mid && !s.block }

// MaxEvent is the size in bytes of the largest event whose data is looked at. Larger ones are still passed on; of them [Event.Over]
// is set and Data is empty. The largest event that the API sends is a content_block_start with a server tool's whole result.
const MaxEvent = 8 << 20

// Event is one event. Data is valid until the parser is fed again.
type Event struct {
	Name string // its "event" field; "" without one
	Data []byte // its "data" lines, joined by line feeds
	Over bool   // it was larger than MaxEvent
}

// Parser takes events out of a stream. The zero value is at the beginning of a stream.
type Parser struct {
	line   []byte // of an unfinished line
	name   string
	data   []byte
	has    bool // a data line was there
	over   bool
	skipLF bool
	begun  bool // the first line is behind us, and with it a byte order mark
}

// Feed takes the next bytes and calls each for every event that ended in them. An event without data is none, as the standard
// has it. After each has returned false, the rest of b is not read and the parser is not to be used any more.
func (p *Parser) Feed(b []byte, each func(Event) bool) {
	for len(b) > 0 {
		if p.skipLF {
			p.skipLF = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		n := bytes.IndexAny(b, "\r\n")
		if n < 0 {
			p.keep(b)
			return
		}
		line := b[:n]
		if len(p.line) > 0 {
			p.keep(line)
			line = p.line
		}
		p.skipLF = b[n] == '\r'
		b = b[n+1:]
		if !p.take(line, each) {
			return
		}
		p.line = p.line[:0]
	}
}

// keep adds to the unfinished line as far as it may grow.
func (p *Parser) keep(b []byte) {
	if room := MaxEvent - len(p.line) - len(p.data); len(b) > room {
		b, p.over = b[:max(room, 0)], true
		if len(p.line) == 0 && len(b) == 0 {
			b = []byte{'?'} // the line is not empty
		}
	}
	p.line = append(p.line, b...)
}

func (p *Parser) take(line []byte, each func(Event) bool) bool {
	if !p.begun {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		p.begun = true
	}
	if len(line) == 0 {
		return p.dispatch(each)
	}
	field, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(field) {
	case "event":
		p.name = name(value)
	case "data":
		if len(p.data)+len(value) > MaxEvent {
			p.over = true
			return true
		}
		if p.has {
			p.data = append(p.data, '\n')
		}
		p.data, p.has = append(p.data, value...), true
	}
	return true
}

func (p *Parser) dispatch(each func(Event) bool) bool {
	e := Event{Name: p.name, Data: p.data, Over: p.over}
	was := p.has || p.over
	if p.over {
		e.Data = nil
	}
	p.name, p.data, p.has, p.over = "", p.data[:0], false, false
	return !was || each(e)
}

// name gives the known names without allocating.
func name(b []byte) string {
	for _, known := range [...]string{"content_block_delta", Ping, "content_block_start", "content_block_stop", "message_delta", MessageStart, MessageStop, Error} {
		if string(b) == known {
			return known
		}
	}
	return string(b)
}

// Names of events that decide what happens to a stream.
const (
	MessageStart = "message_start"
	MessageStop  = "message_stop"
	Ping         = "ping"
	Error        = "error"
)
