package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/retry"
	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
)

// answer is a whole answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// problem makes an answer in the form of the API's errors.
func problem(status int, kind, message string) *answer {
	body, err := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}})
	if err != nil { // unreachable: strings only
		body = []byte(`{"type":"error","error":{"type":"api_error","message":"error"}}`)
	}
	return &answer{status, http.Header{"Content-Type": {"application/json"}}, body}
}

// final marks an answer as one that it is of no use to ask for again: 2.1.332 follows the header for all statuses, 2.1.197 for some.
func (a *answer) final() *answer {
	a.header["X-Should-Retry"] = []string{"false"}
	return a
}

// event gives the answer as an error event of a stream that has begun already. What may be better next time is called overloaded:
// after that, and only after that, both clients ask for a stream again; after all other errors they ask once more without streaming.
func (a *answer) event() []byte {
	fault, ok := sse.ParseError(a.body)
	switch {
	case !ok || fault.Type == "":
		fault = sse.Fault{Type: retry.StatusKind(a.status), Message: "the endpoint answered with status " + strconv.Itoa(a.status)}
	case a.status == 0:
		return frame(a.body)
	}
	if retry.Status(a.status) {
		fault.Type = "overloaded_error"
	}
	return frame(problem(0, fault.Type, fault.Message).body)
}

// frame makes an error event. JSON that encoding/json wrote has no line end.
func frame(body []byte) []byte { return []byte("event: error\ndata: " + string(body) + "\n\n") }

const pingEvent = "event: ping\ndata: {\"type\": \"ping\"}\n\n"

// outlet is the way back to the client. Its own timer pings a client that waits; everything else comes from one goroutine.
type outlet struct {
	w  http.ResponseWriter
	rc *http.ResponseController

	mu    sync.Mutex
	begun bool // status and headers are sent
	quiet bool // no more pings
	err   error
	sent  int64
	every time.Duration
	timer *time.Timer
}

func newOutlet(w http.ResponseWriter) *outlet {
	return &outlet{w: w, rc: http.NewResponseController(w)}
}

// pings begins to ping a client that waits for a stream.
func (o *outlet) pings(every time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.every = every
	o.timer = time.AfterFunc(every, o.ping)
}

func (o *outlet) ping() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.quiet || o.err != nil {
		return
	}
	if !o.begun {
		o.header(http.StatusOK, http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}, "Cache-Control": {"no-cache"}})
	}
	o.put([]byte(pingEvent))
	o.flush()
	o.timer.Reset(o.every)
}

// header sends status and headers. The lock is held.
func (o *outlet) header(status int, h http.Header) {
	to := o.w.Header()
	for name, values := range h {
		to[name] = values
	}
	o.w.WriteHeader(status)
	o.begun = true
}

func (o *outlet) put(b []byte) {
	if o.err != nil || len(b) == 0 {
		return
	}
	n, err := o.w.Write(b)
	o.sent += int64(n)
	o.err = err
}

func (o *outlet) flush() {
	if o.err == nil {
		o.err = o.rc.Flush()
	}
}

// hush ends the pings and reports whether the client was sent anything.
func (o *outlet) hush() (begun bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.quiet = true
	if o.timer != nil {
		o.timer.Stop()
	}
	return o.begun
}

// stream begins a streamed answer; where pings have begun one already, the headers are lost.
func (o *outlet) stream(h http.Header) {
	if o.hush() {
		return
	}
	if !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
	}
	o.header(http.StatusOK, h)
}

// send writes pieces and flushes them. The error stays.
func (o *outlet) send(pieces ...[]byte) error {
	for _, p := range pieces {
		o.put(p)
	}
	o.flush()
	return o.err
}

// whole sends an answer, as an error event where pings have begun a stream.
func (o *outlet) whole(a *answer, head bool) {
	if o.hush() {
		_ = o.send(a.event())
		return
	}
	h := a.header.Clone()
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	o.header(a.status, h)
	if !head {
		o.put(a.body)
	}
}
