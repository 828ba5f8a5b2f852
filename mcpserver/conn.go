package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine bounds one line of input, in bytes: all that is asked here are paths.
const maxLine = 1 << 20

// transport is mcp.Transport over two streams, for one connection.
type transport struct{ conn *conn }

func newTransport(in io.Reader, out io.Writer) *transport {
	c := &conn{out: out, lines: make(chan line), closed: make(chan struct{}), waiting: map[jsonrpc.ID]*batch{}, idle: make(chan struct{}, 1)}
	go c.scan(bufio.NewReader(in))
	return &transport{c}
}

// Connect implements mcp.Transport.
func (t *transport) Connect(context.Context) (mcp.Connection, error) { return t.conn, nil }

// line is one line of input, without its end.
type line struct {
	data []byte
	long bool // only its beginning
	err  error
}

// conn is mcp.Connection. Read belongs to one goroutine, all else to any.
type conn struct {
	lines  chan line
	queue  []jsonrpc.Message // what came in one line and was not read yet
	err    error             // with which the input has ended
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex // of what follows, and of writing
	out     io.Writer
	waiting map[jsonrpc.ID]*batch // requests without an answer; nil for those that came alone
	idle    chan struct{}         // has a value when an answer was written
}

// batch collects the answers to one array of messages.
type batch struct {
	answers []json.RawMessage
	missing int
}

// SessionID implements mcp.Connection: there is one session per process.
func (c *conn) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// scan hands the lines of the input on.
func (c *conn) scan(r *bufio.Reader) {
	for {
		l := readLine(r)
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

func readLine(r *bufio.Reader) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine + 1 - len(l.data); room > 0 {
			l.data = append(l.data, part[:min(len(part), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.data = bytes.TrimSuffix(l.data, []byte("\n"))
			l.long, l.err = len(l.data) > maxLine, err
			return l
		}
	}
}

// Read implements mcp.Connection: the next request, notification or response. Lines that are none are answered here. The
// end of the input is told only when every request has its answer, because the SDK drops what is unanswered then.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			next := c.queue[0]
			c.queue = c.queue[1:]
			return next, nil
		}
		if c.err != nil {
			return nil, c.drain(ctx)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			c.err = l.err
			if err := c.take(l); err != nil {
				return nil, err
			}
		}
	}
}

// drain waits until nothing waits for an answer, and gives the error that ended the input.
func (c *conn) drain(ctx context.Context) error {
	for {
		c.mu.Lock()
		left := len(c.waiting)
		c.mu.Unlock()
		if left == 0 {
			return c.err
		}
		select {
		case <-c.idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.closed:
			return io.EOF
		}
	}
}

// take puts the messages of a line into the queue, and answers what is none.
func (c *conn) take(l line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	data := bytes.TrimSpace(l.data)
	switch {
	case l.long:
		return c.send(failure(nil, jsonrpc.CodeParseError, fmt.Sprintf("parse error: line of more than %d bytes", maxLine)))
	case len(data) == 0:
		return nil
	case !json.Valid(data):
		return c.send(failure(nil, jsonrpc.CodeParseError, "parse error: no JSON"))
	case data[0] != '[':
		msg, bad := c.message(data, nil)
		if bad != nil {
			return c.send(bad)
		}
		c.queue = append(c.queue, msg)
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil || len(items) == 0 {
		return c.send(failure(nil, jsonrpc.CodeInvalidRequest, "invalid request: empty batch"))
	}
	b := &batch{}
	for _, item := range items {
		msg, bad := c.message(item, b)
		if bad != nil {
			b.answers = append(b.answers, bad)
			continue
		}
		c.queue = append(c.queue, msg)
	}
	return c.flush(b)
}

// message reads one message; a request is noted as waiting, in its batch if it came in one. bad is the answer to what is none.
func (c *conn) message(data []byte, b *batch) (msg jsonrpc.Message, bad json.RawMessage) {
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if json.Unmarshal(data, &head) != nil {
		return nil, failure(nil, jsonrpc.CodeInvalidRequest, "invalid request: no object")
	}
	if len(head.ID) > 0 && !plainID(head.ID) {
		return nil, failure(nil, jsonrpc.CodeInvalidRequest, "invalid request: id is neither a string nor a whole number")
	}
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, failure(head.ID, jsonrpc.CodeInvalidRequest, "invalid request: "+err.Error())
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() || req.Method == listen {
		return msg, nil
	}
	if _, used := c.waiting[req.ID]; used { // an answer with this id would be taken for that of the other request
		return nil, failure(nil, jsonrpc.CodeInvalidRequest, "invalid request: id "+string(head.ID)+" is in use")
	}
	c.waiting[req.ID] = b
	if b != nil {
		b.missing++
	}
	return msg, nil
}

// listen is the one request whose answer comes only when the client goes: nobody waits for it.
const listen = "subscriptions/listen"

// plainID tells whether an id comes back as it is: SDK and most clients keep numbers as float64.
func plainID(id json.RawMessage) bool {
	const exact = 1 << 53
	if id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n > -exact && n < exact
}

// Write implements mcp.Connection.
func (c *conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	resp, ok := msg.(*jsonrpc.Response)
	if ok {
		resp = coded(resp)
		msg = resp
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok {
		return c.send(data)
	}
	b := c.waiting[resp.ID]
	delete(c.waiting, resp.ID)
	defer func() {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}()
	if b == nil {
		return c.send(data)
	}
	b.answers = append(b.answers, data)
	b.missing--
	return c.flush(b)
}

// coded gives an error without a code, which the SDK has for requests at the wrong time, the one of invalid requests.
func coded(r *jsonrpc.Response) *jsonrpc.Response {
	var known *jsonrpc.Error
	if r.Error == nil || errors.As(r.Error, &known) && known.Code != 0 {
		return r
	}
	out := *r
	out.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: r.Error.Error()}
	return &out
}

// flush sends a batch when all its answers are there. One without requests has none.
func (c *conn) flush(b *batch) error {
	if b.missing > 0 || len(b.answers) == 0 {
		return nil
	}
	data, err := json.Marshal(b.answers)
	if err != nil {
		return fmt.Errorf("encode batch: %w", err)
	}
	return c.send(data)
}

func (c *conn) send(data []byte) error {
	_, err := c.out.Write(append(bytes.Clone(data), '\n'))
	return err
}

// failure is an error response; id is null where it is not known.
func failure(id json.RawMessage, code int64, text string) json.RawMessage {
	if id == nil {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return nil // unreachable: the id is valid JSON
	}
	return data
}
