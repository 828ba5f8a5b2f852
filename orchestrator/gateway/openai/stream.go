package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
)

// Bounds on what a server may make us hold, in bytes.
const (
	maxWhole = 32 << 20 // a whole answer that came unstreamed, and what may come without the end of an event
	maxHeld  = 64 << 20 // content that waits for the block before it to end
)

// Stream turns the bytes of a streamed chat completion into the events of a streamed message. How the bytes are cut makes no
// difference to what is written. Not safe for concurrent use.
type Stream struct {
	parser  sse.Parser
	since   int    // bytes since the last event
	whole   []byte // the answer when it is no event stream
	kind    kind
	b       *builder
	w       *writer
	closing bool // the server's answer has ended
	over    bool // an end or an error was written
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
		if s.whole = append(s.whole, chunk...); len(s.whole) > maxWhole {
			s.fail("api_error", "the endpoint sent an answer of more than 32 MiB")
		}
	case s.kind == events:
		s.since += len(chunk)
		if s.parser.Feed(chunk, s.event); s.since > maxWhole {
			s.fail("api_error", errLarge)
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
		s.closing = true
		s.parser.Feed([]byte("\n\n"), s.event) // a last event without the empty line behind it
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

// event takes an event of the server's.
func (s *Stream) event(e sse.Event) bool {
	s.since = 0
	data := bytes.TrimSpace(e.Data)
	switch {
	case s.over:
	case e.Over:
		s.fail("api_error", errLarge)
	case len(data) == 0:
	case string(data) == "[DONE]":
		s.finish()
	default:
		s.chunk(data)
	}
	return !s.over
}

const errLarge = "the endpoint sent an event that is too large"

func (s *Stream) chunk(data []byte) {
	c, err := parseChunk(data)
	switch {
	case err != nil && s.closing && !json.Valid(data): // it was cut off
		s.finish()
		return
	case err != nil:
		s.fail("api_error", "the endpoint sent something that is no chat completion: "+err.Error())
		return
	case c.problem != nil:
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
	s.whole = nil
	s.w.event("error", errorEvent{"error", problem{kind, clip(text)}})
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
