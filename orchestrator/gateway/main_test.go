package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	token = "worker-token-0123456789abcdef"
	key   = "sk-real-key-that-no-worker-sees"
)

// events of a small message.
const (
	evStart  = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m-1\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":11,\"cache_read_input_tokens\":7,\"cache_creation_input_tokens\":5,\"output_tokens\":1}}}\n\n"
	evPing   = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	evOpen   = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
	evText   = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hé\"}}\n\n"
	evClose  = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
	evDelta  = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":42}}\n\n"
	evStop   = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	evFault  = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n"
	streamed = evStart + evPing + evOpen + evText + evClose + evDelta + evStop

	ask   = `{"model":"claude-x","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
	plain = `{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
	whole = `{"id":"msg_2","type":"message","role":"assistant","model":"m-1","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`
)

// world is a gateway and what it said.
type world struct {
	*gateway.Gateway
	t      testing.TB
	socket string
	client *http.Client

	mu     sync.Mutex
	ep     gateway.Endpoint
	told   chan struct{} // closed and replaced at every event
	events []gateway.Event
	usage  []gateway.Reply
	moved  chan struct{}
}

// serve starts a gateway in front of an endpoint.
func serve(t testing.TB, url string, change ...func(*gateway.Options)) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "gw") // short, unlike t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	w := &world{t: t, socket: filepath.Join(dir, "s"), told: make(chan struct{}), moved: make(chan struct{}), ep: gateway.Endpoint{Name: "one", URL: url, Key: key}}
	o := gateway.Options{
		Socket: w.socket, Token: token, Upstream: w.endpoint, Ping: -1, Random: func() float64 { return 1 },
		OnEvent: func(e gateway.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
			close(w.told)
			w.told = make(chan struct{})
		},
		OnUsage: func(r gateway.Reply) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.usage = append(w.usage, r)
		},
		Changed: func() <-chan struct{} {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.moved
		},
	}
	for _, c := range change {
		c(&o)
	}
	if w.Gateway, err = gateway.Start(o); err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", o.Socket)
	}}
	w.client = &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) endpoint() gateway.Endpoint {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ep
}

func (w *world) swap(change func(*gateway.Endpoint)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.ep)
	close(w.moved)
	w.moved = make(chan struct{})
}

// kinds are the kinds of events so far.
func (w *world) kinds() []gateway.EventKind {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []gateway.EventKind
	for _, e := range w.events {
		out = append(out, e.Kind)
	}
	return out
}

func (w *world) has(kind gateway.EventKind) bool { return slices.Contains(w.kinds(), kind) }

// await waits for an event of a kind.
func (w *world) await(kind gateway.EventKind) gateway.Event {
	w.t.Helper()
	deadline := time.After(time.Minute)
	for {
		w.mu.Lock()
		for _, e := range w.events {
			if e.Kind == kind {
				w.mu.Unlock()
				return e
			}
		}
		told := w.told
		w.mu.Unlock()
		select {
		case <-told:
		case <-deadline:
			w.t.Fatalf("no event %s within a minute, only %v", kind, w.kinds())
		}
	}
}

func (w *world) replies() []gateway.Reply {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.usage)
}

func (w *world) request(method, path, body string, change ...func(*http.Request)) *http.Request {
	req, err := http.NewRequestWithContext(w.t.Context(), method, "http://devflow.invalid"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", token)
	for _, c := range change {
		c(req)
	}
	return req
}

// got is an answer as the client sees it.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

func (w *world) do(req *http.Request) got {
	w.t.Helper()
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return got{resp.StatusCode, resp.Header, string(body), err}
}

func (w *world) post(body string) got {
	w.t.Helper()
	return w.do(w.request("POST", "/v1/messages?beta=true", body))
}

// api is an endpoint for a test.
func api(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // the server notices a broken connection only behind the body
		r.Body = io.NopCloser(bytes.NewReader(body))
		h(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// say streams text in pieces.
func say(w http.ResponseWriter, pieces ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range pieces {
		_, _ = io.WriteString(w, p)
		_ = http.NewResponseController(w).Flush()
	}
}

// hangup breaks the connection.
func hangup(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = c.Close()
	}
}

// raw is an endpoint that writes what it likes on the wire: one request, one call, then the connection is closed.
func raw(t testing.TB, answer func(n int, c net.Conn, req *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	over := false
	n := 0
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			if over {
				_ = c.Close()
			}
			open[c] = true
			n++
			number := n
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				req, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				body, _ := io.ReadAll(req.Body)
				req.Body = io.NopCloser(bytes.NewReader(body))
				answer(number, c, req)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		over = true
		for c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

// head is the beginning of a raw streamed answer whose end is the end of the connection.
const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

func write(c net.Conn, pieces ...string) {
	for _, p := range pieces {
		_, _ = io.WriteString(c, p)
	}
}

func want(t testing.TB, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
