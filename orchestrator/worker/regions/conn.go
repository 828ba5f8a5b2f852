package regions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// message is one message of the client. Its id is kept as it came: ours replaces it while the SDK has it, because two sessions of
// the client use the same numbers and large ones do not survive the SDK.
type message struct {
	id     json.RawMessage // nil for a notification
	method string
	params json.RawMessage
}

func decode(data json.RawMessage) (m message, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return m, errors.New("invalid request: no object")
	}
	if json.Unmarshal(fields["method"], &m.method) != nil || m.method == "" {
		return m, errors.New("invalid request: no method") // answers included: we ask nothing
	}
	m.id, m.params = fields["id"], fields["params"]
	if string(m.id) == "null" {
		m.id = nil
	}
	if len(m.id) > 0 && m.id[0] != '"' && m.id[0] != '-' && (m.id[0] < '0' || m.id[0] > '9') {
		return m, errors.New("invalid request: id is neither a string nor a number")
	}
	return m, nil
}

// conn is one session: the transport and the connection of the SDK.
type conn struct {
	in     chan jsonrpc.Message
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	next    int64
	waiting map[int64]*call
	retired bool
}

// call is a request without an answer.
type call struct {
	id     string // as the client wrote it
	answer chan *jsonrpc.Response
}

func newConn() *conn {
	return &conn{in: make(chan jsonrpc.Message), closed: make(chan struct{}), waiting: map[int64]*call{}}
}

var (
	_ mcp.Transport  = (*conn)(nil)
	_ mcp.Connection = (*conn)(nil)
)

// Connect implements mcp.Transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection.
func (c *conn) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// stop cancels what is being answered and ends the session.
func (c *conn) stop() {
	c.mu.Lock()
	var open []int64
	for n := range c.waiting {
		open = append(open, n)
	}
	c.mu.Unlock()
	for _, n := range open {
		c.abandon(n) // the SDK does not end the context of a call when its connection ends
	}
	_ = c.Close()
}

// Read implements mcp.Connection.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write implements mcp.Connection: it takes answers. What a server says unasked has no way to the client.
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return nil
	}
	n, ok := r.ID.Raw().(int64)
	if !ok {
		return nil
	}
	c.mu.Lock()
	waiting := c.waiting[n]
	delete(c.waiting, n)
	over := c.retired && len(c.waiting) == 0
	c.mu.Unlock()
	if waiting != nil {
		waiting.answer <- r
	}
	if over {
		return c.Close()
	}
	return nil
}

// retire tells the session that another one has begun. It reports whether nothing is left to answer.
func (c *conn) retire() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = true
	return len(c.waiting) == 0
}

// exchange hands a message to the SDK and gives the answer.
func (c *conn) exchange(ctx context.Context, m message) json.RawMessage {
	switch {
	case m.method == "server/discover": // a handshake of the protocol's next version; the client falls back to initialize
		return failure(m.id, jsonrpc.CodeMethodNotFound, "method not found")
	case m.method == "notifications/cancelled":
		c.cancelled(ctx, m.params)
		return empty()
	case m.id == nil:
		c.push(ctx, &jsonrpc.Request{Method: m.method, Params: m.params})
		return empty()
	}
	c.mu.Lock()
	c.next++
	n := c.next
	waiting := &call{id: string(m.id), answer: make(chan *jsonrpc.Response, 1)}
	c.waiting[n] = waiting
	c.mu.Unlock()
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		return failure(m.id, jsonrpc.CodeInternalError, err.Error()) // unreachable: numbers make ids
	}
	if !c.push(ctx, &jsonrpc.Request{ID: id, Method: m.method, Params: m.params}) {
		return c.gone(n, m.id)
	}
	select {
	case r := <-waiting.answer:
		return encode(m.id, r)
	case <-c.closed:
		select {
		case r := <-waiting.answer: // it was the last one of a retired session
			return encode(m.id, r)
		default:
		}
		return c.gone(n, m.id)
	case <-ctx.Done():
		c.abandon(n)
		return c.gone(n, m.id)
	}
}

// push gives a message to the reader.
func (c *conn) push(ctx context.Context, m jsonrpc.Message) bool {
	select {
	case c.in <- m:
		return true
	case <-c.closed:
		return false
	case <-ctx.Done():
		return false
	}
}

func (c *conn) gone(n int64, id json.RawMessage) json.RawMessage {
	c.mu.Lock()
	delete(c.waiting, n)
	over := c.retired && len(c.waiting) == 0
	c.mu.Unlock()
	if over {
		_ = c.Close()
	}
	return failure(id, jsonrpc.CodeInternalError, "cancelled")
}

// cancelled passes the client's cancellation on, with our id in place of its own.
func (c *conn) cancelled(_ context.Context, params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	var found []int64
	for n, w := range c.waiting {
		if w.id == string(p.ID) {
			found = append(found, n)
		}
	}
	c.mu.Unlock()
	for _, n := range found {
		c.abandon(n)
	}
}

// abandon tells the SDK that nobody wants an answer any more; the tool's context ends.
func (c *conn) abandon(n int64) {
	params := fmt.Appendf(nil, `{"requestId":%d}`, n)
	select {
	case c.in <- &jsonrpc.Request{Method: "notifications/cancelled", Params: params}:
	case <-c.closed:
	}
}

func encode(id json.RawMessage, r *jsonrpc.Response) json.RawMessage {
	if r.Error != nil {
		var coded *jsonrpc.Error
		if errors.As(r.Error, &coded) && coded.Code != 0 {
			return failure(id, coded.Code, coded.Message)
		}
		return failure(id, jsonrpc.CodeInvalidRequest, r.Error.Error())
	}
	result := r.Result
	if len(result) == 0 {
		result = json.RawMessage("{}")
	}
	return object(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

// empty answers a notification: the client waits for something, and this is what its own servers say.
func empty() json.RawMessage { return json.RawMessage(`{"jsonrpc":"2.0","result":{}}`) }

func failure(id json.RawMessage, code int64, text string) json.RawMessage {
	if id == nil {
		id = json.RawMessage("null")
	}
	return object(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}

func object(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return empty() // unreachable: ids and results are valid JSON
	}
	return data
}
