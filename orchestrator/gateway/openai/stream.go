package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds on what a server may make us hold, in bytes.
const (
	maxEvent = 32 << 20 // one event, or a whole answer that came unstreamed
	maxHeld  = 64 << 20 // content that waits for the block before it to end
)

// Stream turns the bytes of a streamed chat completion into the events of a streamed message. How the bytes are cut makes no
// difference to what is written. Not safe for concurrent use.
type Stream struct {
	lines lines
	data  []byte // of the event that is being read
	whole []byte // the answer when it is no event stream
	kind  kind
	b     *builder
	w     *writer
	over  bool // an end or an error was written
}

type kind int

const (
	undecided kind = iota
	events         // an event stream
	document       // one JSON object: the server did not stream
	page           // something else, probably a web page
)

// NewStream translates for a model into w; see [Options.Stream].
func NewStream(w io.Writer, model string) *Stream { return Options{Model: model}.Stream(w) }

// Stream begins an answer. Each event is one Write to w; whoever wants it to leave at once flushes there.
func (o Options) Stream(w io.Writer) *Stream {
	out := &writer{w: w}
	return &Stream{w: out, b: newBuilder(o, out)}
}

// Write takes the next bytes of the server's answer. The error is the one of w, and stays. What the server got wrong is no error here:
// it becomes an error event, after which all further bytes are dropped.
func (s *Stream) Write(chunk []byte) (int, error) {
	n := len(chunk)
	if s.kind == undecided {
		chunk = s.decide(chunk)
	}
	switch {
	case s.over:
	case s.kind == document:
		if s.whole = append(s.whole, chunk...); len(s.whole) > maxEvent {
			s.fail("api_error", "the endpoint sent an answer of more than 32 MiB")
		}
	case s.kind == events:
		s.lines.feed(chunk, s.line)
		if len(s.data)+s.lines.held() > maxEvent {
			s.fail("api_error", "the endpoint sent an event of more than 32 MiB")
		}
	}
	if s.w.err != nil {
		return 0, s.w.err
	}
	return n, nil
}

// decide looks at the first byte that is not white space.
func (s *Stream) decide(chunk []byte) []byte {
	rest := chunk
	for len(rest) > 0 && bytes.IndexByte([]byte(" \t\r\n\xef\xbb\xbf"), rest[0]) >= 0 { // white space and a byte order mark, which may be cut
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return nil
	}
	switch rest[0] {
	case '{':
		s.kind = document
	case '<':
		s.kind = page
		s.fail("api_error", "the endpoint answered with a web page instead of events: is the address right, and the tunnel open?")
	default:
		s.kind = events
	}
	return rest
}

// Close says that the server's answer has ended. Whatever is missing then becomes an error event. The error is the one of w.
// Further calls change nothing.
func (s *Stream) Close() error {
	switch {
	case s.over:
	case s.kind == document:
		s.chunk(s.whole)
		if !s.over {
			s.finish()
		}
	default:
		s.lines.feed([]byte("\n"), s.line)                                     // a last line without an end
		if json.Valid(s.data) || string(bytes.TrimSpace(s.data)) == "[DONE]" { // a last event without the empty line; any other was cut
			s.line(nil)
		}
		if !s.over {
			s.finish()
		}
	}
	return s.w.err
}

// Fail ends the answer with an error event of an Anthropic error type ("" = api_error) unless it has ended: for what the caller saw, a
// broken connection or a deadline. The error is the one of w.
func (s *Stream) Fail(kind, text string) error {
	if kind == "" {
		kind = "api_error"
	}
	s.fail(kind, text)
	return s.w.err
}

// Begun reports whether an event was written. Until then the caller may still answer with something else.
func (s *Stream) Begun() bool { return s.w.events > 0 }

// Complete reports whether the answer ended well, with message_stop.
func (s *Stream) Complete() bool { return s.b.stopped }

func (s *Stream) line(line []byte) {
	if s.over {
		return
	}
	if len(line) > 0 {
		if value, ok := field(line, "data"); ok {
			s.data = append(append(s.data, value...), '\n')
		}
		return
	}
	data := bytes.TrimSpace(s.data)
	s.data = nil
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		s.finish()
	default:
		s.chunk(data)
	}
}

func (s *Stream) chunk(data []byte) {
	c, err := parseChunk(data)
	if err != nil {
		s.fail("api_error", "the endpoint sent something that is no chat completion: "+err.Error())
		return
	}
	if c.problem != nil {
		s.fail(c.problem.Kind, c.problem.Message)
		return
	}
	if err := s.b.add(c); err != nil {
		s.fail("api_error", err.Error())
	}
}

// finish ends the message when the server said that it is finished.
func (s *Stream) finish() {
	if err := s.b.end(); err != nil {
		s.fail("api_error", err.Error())
		return
	}
	s.over = true
}

func (s *Stream) fail(kind, text string) {
	if s.over {
		return
	}
	s.over = true
	s.data, s.whole = nil, nil
	s.w.event("error", errorEvent{"error", problem{kind, clip(text)}})
}

// field gives the value of a line when it is that field of an event.
func field(line []byte, name string) ([]byte, bool) {
	key, value, _ := bytes.Cut(line, []byte(":"))
	if string(key) != name {
		return nil, false
	}
	return bytes.TrimPrefix(value, []byte(" ")), true
}

// lines cuts bytes at CR, LF or CRLF.
type lines struct {
	part    []byte
	afterCR bool
}

func (l *lines) held() int { return len(l.part) }

func (l *lines) feed(chunk []byte, each func([]byte)) {
	for len(chunk) > 0 {
		if l.afterCR && chunk[0] == '\n' {
			chunk = chunk[1:]
		}
		l.afterCR = false
		i := bytes.IndexAny(chunk, "\r\n")
		if i < 0 {
			l.part = append(l.part, chunk...)
			return
		}
		line := chunk[:i]
		if len(l.part) > 0 {
			l.part = append(l.part, line...)
			line = l.part
		}
		each(line)
		l.part = l.part[:0]
		l.afterCR = chunk[i] == '\r'
		chunk = chunk[i+1:]
	}
}

// writer writes events and remembers the first error.
type writer struct {
	w      io.Writer
	err    error
	events int
}

func (w *writer) event(name string, v any) {
	if w.err != nil {
		return
	}
	data, err := encode(v)
	if err != nil {
		w.err = err
		return
	}
	w.events++
	n, err := w.w.Write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data))
	switch {
	case err != nil:
		w.err = fmt.Errorf("write event: %w", err)
	case n == 0:
		w.err = fmt.Errorf("write event: %w", errors.ErrUnsupported)
	}
}
