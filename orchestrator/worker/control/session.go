package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
)

// Errors that callers branch on.
var (
	ErrClosed  = errors.New("dialogue has ended")                  // the client's output ended, or Close was called
	ErrStuck   = errors.New("client does not read its input")      // more is waiting to be written than is reasonable
	ErrUnknown = errors.New("unknown request")                     // from Options.Answer: the client is told so
	errTwice   = errors.New("request id is in use")                // of two open requests with one id
	errFull    = errors.New("too many open requests")              // see maxOpen
	errLong    = errors.New("request is too long to be read")      // see MaxLine
	errNone    = errors.New("answer is neither success nor error") // of an answer to us
)

const (
	// maxOpen bounds the client's requests that are being answered: it runs ten tool calls at once.
	maxOpen = 256
	// maxQueued bounds what waits to be written, in bytes. A client that reads never lets it grow.
	maxQueued = 64 << 20
)

// Event is a line that is no control message.
type Event struct {
	Type, Subtype string
	Raw           json.RawMessage // valid JSON, or "" for a line that was too long: then only the names are known
}

// Request is a question of the client.
type Request struct {
	ID, Subtype string
	Raw         json.RawMessage // the request object; nil for one that was too long
}

// Options of a session. In and Out are required.
type Options struct {
	In  io.Writer // the client's input
	Out io.Reader // the client's output

	// Answer gives the response to a request. It runs on a goroutine of its own, whose context ends when the client takes the
	// request back or the session ends. An error is told to the client, ErrUnknown as "unknown request". nil knows nothing.
	Answer func(context.Context, Request) (any, error)
	// TooLong gives the response to a request that was too long to be kept; nil, or ok false, is an error. It must not block.
	TooLong func(subtype string) (response any, ok bool)
	// Event gets all other lines, in order, on the reading goroutine: it must not block.
	Event func(Event)
	// Seen is told about every line, whatever it holds, before anything else. It must not block.
	Seen func()

	Record  io.Writer // gets the client's lines as they came; errors are ignored, and a long one is cut
	MaxLine int       // bytes of a line; 0 = MaxLine
	Log     *slog.Logger
}

// Session is one dialogue. Its methods may be called from many goroutines.
type Session struct {
	o     Options
	wg    sync.WaitGroup
	ended chan struct{} // closed when err is set: nothing is sent any more
	done  chan struct{} // closed when the client's output has ended

	garbage, long atomic.Int64

	mu     sync.Mutex
	next   int
	calls  map[string]chan reply              // our questions without an answer
	open   map[string]context.CancelCauseFunc // the client's
	queue  [][]byte                           // what waits to be written
	queued int
	wake   chan struct{} // has a value when queue has
	err    error         // why it ended
}

type reply struct {
	response json.RawMessage
	err      error
}

// New starts the dialogue. End it by ending the client and then calling Close.
func New(o Options) *Session {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Session{
		o: o, ended: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}, 1),
		calls: map[string]chan reply{}, open: map[string]context.CancelCauseFunc{},
	}
	s.wg.Go(s.read)
	s.wg.Go(s.write)
	return s
}

// Done is closed when nothing more comes from the client.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err is why the session ended; nil while it has not.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Open is the number of the client's requests that wait for our answer.
func (s *Session) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Skipped counts lines that were no messages, and lines that were too long.
func (s *Session) Skipped() (garbage, long int64) { return s.garbage.Load(), s.long.Load() }

// Close ends the session and waits for its goroutines. Both streams must have ended or been closed, which ending the client does.
func (s *Session) Close() {
	s.fail(ErrClosed)
	s.wg.Wait()
}

// fail ends what waits. The reader goes on to the end of the output, so that the client never hangs on a full pipe.
func (s *Session) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
	err = s.err
	for _, cancel := range s.open {
		cancel(err)
	}
	calls := s.calls
	s.calls = map[string]chan reply{}
	s.queue, s.queued = nil, 0
	s.mu.Unlock()
	for _, c := range calls {
		c <- reply{err: err}
	}
}

func (s *Session) read() {
	defer close(s.done)
	dec := NewDecoder(s.o.Out, s.o.MaxLine)
	for {
		l, err := dec.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = ErrClosed
			} else {
				err = fmt.Errorf("%w: %w", ErrClosed, err)
			}
			s.fail(err)
			return
		}
		if s.o.Seen != nil {
			s.o.Seen()
		}
		s.record(l)
		s.take(l)
	}
}

func (s *Session) record(l Line) {
	if s.o.Record == nil {
		return
	}
	line := append(l.Raw[:len(l.Raw):len(l.Raw)], '\n')
	_, _ = s.o.Record.Write(line) // a log that cannot be written does not stop the work
}

func (s *Session) take(l Line) {
	if l.Long {
		s.long.Add(1)
		s.o.Log.Warn("line of the client is too long", "type", l.Type, "subtype", l.Subtype)
	}
	switch l.Type {
	case "":
		if n := s.garbage.Add(1); n&(n-1) == 0 { // the 1st, 2nd, 4th, …: a flood must not flood the log
			s.o.Log.Warn("line of the client is no message", "count", n, "bytes", len(l.Raw))
		}
	case "control_response":
		s.answered(l)
	case "control_request":
		s.asked(l)
	case "control_cancel_request":
		s.mu.Lock()
		cancel := s.open[l.RequestID]
		s.mu.Unlock()
		if cancel != nil {
			cancel(context.Canceled)
		}
	case "keep_alive":
	default:
		if s.o.Event == nil {
			return
		}
		e := Event{Type: l.Type, Subtype: l.Subtype}
		if !l.Long {
			e.Raw = l.Raw
		}
		s.o.Event(e)
	}
}

// answered hands the answer to who asked. A second answer, and one that nobody waits for, is dropped.
func (s *Session) answered(l Line) {
	s.mu.Lock()
	c := s.calls[l.RequestID]
	delete(s.calls, l.RequestID)
	s.mu.Unlock()
	if c == nil {
		return
	}
	r := reply{err: errLong}
	if !l.Long {
		body := member(l.Raw, "response")
		switch l.Subtype {
		case "success":
			r = reply{response: member(body, "response")}
		case "error":
			r = reply{err: &RefusedError{text(member(body, "error"))}}
		default:
			r = reply{err: errNone}
		}
	}
	c <- r
}

// RefusedError is an error that the client answered.
type RefusedError struct{ Message string }

// Error implements error.
func (e *RefusedError) Error() string { return "client refused: " + clip(e.Message, 500) }

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// asked answers a request of the client, in its own time.
func (s *Session) asked(l Line) {
	if l.RequestID == "" {
		s.garbage.Add(1)
		return
	}
	if l.Long {
		if s.o.TooLong != nil {
			if response, ok := s.o.TooLong(l.Subtype); ok {
				s.respond(l.RequestID, response, nil)
				return
			}
		}
		s.respond(l.RequestID, nil, errLong)
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.mu.Lock()
	if s.err != nil {
		cancel(s.err)
	}
	_, twice := s.open[l.RequestID]
	full := len(s.open) >= maxOpen
	if !twice && !full {
		s.open[l.RequestID] = cancel
	}
	s.mu.Unlock()
	switch {
	case twice: // an answer would be taken for that of the first
		cancel(errTwice)
		s.o.Log.Warn("client used a request id twice", "subtype", l.Subtype)
		return
	case full:
		cancel(errFull)
		s.respond(l.RequestID, nil, errFull)
		return
	}
	r := Request{ID: l.RequestID, Subtype: l.Subtype, Raw: member(l.Raw, "request")}
	s.wg.Go(func() {
		defer cancel(nil)
		response, err := any(nil), error(ErrUnknown)
		if s.o.Answer != nil {
			response, err = s.o.Answer(ctx, r)
		}
		s.mu.Lock()
		delete(s.open, r.ID)
		s.mu.Unlock()
		if s.o.Seen != nil {
			s.o.Seen() // the time that we took is not the client's
		}
		if ctx.Err() == nil { // otherwise nobody waits
			s.respond(r.ID, response, err)
		}
	})
}

func (s *Session) respond(id string, response any, err error) {
	body := map[string]any{"subtype": "success", "request_id": id, "response": response}
	if err != nil {
		body = map[string]any{"subtype": "error", "request_id": id, "error": err.Error()}
	} else if response == nil {
		body["response"] = struct{}{}
	}
	if err := s.send(map[string]any{"type": "control_response", "response": body}); err != nil {
		s.o.Log.Warn("answer to client was not sent", "error", err)
	}
}

// send puts a message into the queue; it never waits for the client.
func (s *Session) send(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	data = append(data, '\n')
	s.mu.Lock()
	err = s.err
	if err == nil && s.queued+len(data) > maxQueued && s.queued > 0 {
		err = ErrStuck
	}
	if err == nil {
		s.queue = append(s.queue, data)
		s.queued += len(data)
	}
	s.mu.Unlock()
	if errors.Is(err, ErrStuck) {
		s.fail(err)
	}
	if err != nil {
		return fmt.Errorf("send to client: %w", err)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

func (s *Session) write() {
	for {
		s.mu.Lock()
		var data []byte
		if len(s.queue) > 0 {
			data = s.queue[0]
			s.queue = s.queue[1:]
		}
		s.mu.Unlock()
		if data == nil {
			select {
			case <-s.wake:
				continue
			case <-s.ended:
				return
			}
		}
		if _, err := s.o.In.Write(data); err != nil {
			s.fail(fmt.Errorf("write to client: %w", err))
			return
		}
		s.mu.Lock()
		s.queued = max(0, s.queued-len(data))
		s.mu.Unlock()
	}
}

// Call asks the client and waits for its answer. body holds the members of the request next to its subtype. The error is
// *RefusedError, ErrClosed (wrapped) when the client has gone, or the context's cause.
func (s *Session) Call(ctx context.Context, subtype string, body map[string]any) (json.RawMessage, error) {
	request := map[string]any{"subtype": subtype}
	for k, v := range body {
		request[k] = v
	}
	c := make(chan reply, 1)
	s.mu.Lock()
	s.next++
	id := "devflow-" + strconv.Itoa(s.next)
	if s.err == nil {
		s.calls[id] = c
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.calls, id)
		s.mu.Unlock()
	}()
	if err := s.send(map[string]any{"type": "control_request", "request_id": id, "request": request}); err != nil {
		return nil, fmt.Errorf("ask client for %s: %w", subtype, err)
	}
	select {
	case r := <-c:
		if r.err != nil {
			return nil, fmt.Errorf("ask client for %s: %w", subtype, r.err)
		}
		return r.response, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("ask client for %s: %w", subtype, context.Cause(ctx))
	}
}
