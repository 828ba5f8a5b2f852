// Package outlet is a gateway's way back to its client: whole answers, API errors, and streams that may begin with pings while the
// client waits.
package outlet

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/retry"
	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
)

// Answer is a whole answer. Its body is not to be changed.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Problem makes an answer in the form of the API's errors.
func Problem(status int, kind, message string) *Answer {
	body, err := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}})
	if err != nil { // unreachable: strings only
		body = []byte(`{"type":"error","error":{"type":"api_error","message":"error"}}`)
	}
	return &Answer{status, http.Header{"Content-Type": {"application/json"}}, body}
}

// Final marks an answer as one that it is of no use to ask for again: 2.1.332 follows the header for all statuses, 2.1.197 for some.
func (a *Answer) Final() *Answer {
	a.Header["X-Should-Retry"] = []string{"false"}
	return a
}

// Event gives the answer as an error event of a stream that has begun already. What may be better next time is called overloaded:
// after that, and only after that, both clients ask for a stream again; after all other errors they ask once more without streaming.
func (a *Answer) Event() []byte {
	fault, ok := sse.ParseError(a.Body)
	switch {
	case !ok || fault.Type == "":
		fault = sse.Fault{Type: retry.StatusKind(a.Status), Message: "the endpoint answered with status " + strconv.Itoa(a.Status)}
	case a.Status == 0:
		return frame(a.Body)
	}
	if retry.Status(a.Status) {
		fault.Type = "overloaded_error"
	}
	return frame(Problem(0, fault.Type, fault.Message).Body)
}

// frame makes an error event. JSON that encoding/json wrote has no line end.
func frame(body []byte) []byte { return []byte("event: error\ndata: " + string(body) + "\n\n") }

const pingEvent = "event: ping\ndata: {\"type\": \"ping\"}\n\n"

// Outlet is the way back to the client. Its own timer pings a client that waits; everything else comes from one goroutine.
type Outlet struct {
	w  http.ResponseWriter
	rc *http.ResponseController

	mu    sync.Mutex
	begun bool // status and headers are sent
	quiet bool // no more pings
	err   error
	sent  int64
	every time.Duration
	timer *time.Timer
	until time.Time // write deadline
}

// patience is how long a client may leave what it was sent unread: one that hangs would hold its place at the endpoint for ever.
const patience = 5 * time.Minute

// New makes the outlet of one request.
func New(w http.ResponseWriter) *Outlet {
	return &Outlet{w: w, rc: http.NewResponseController(w)}
}

// Pings begins to ping a client that waits for a stream.
func (o *Outlet) Pings(every time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.every = every
	o.timer = time.AfterFunc(every, o.ping)
}

func (o *Outlet) ping() {
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
func (o *Outlet) header(status int, h http.Header) {
	to := o.w.Header()
	maps.Copy(to, h)
	o.w.WriteHeader(status)
	o.begun = true
}

func (o *Outlet) put(b []byte) {
	if o.err != nil || len(b) == 0 {
		return
	}
	if now := time.Now(); o.until.Sub(now) < patience-10*time.Second { // not for every piece
		o.until = now.Add(patience)
		_ = o.rc.SetWriteDeadline(o.until) // a connection without deadlines does without
	}
	n, err := o.w.Write(b)
	o.sent += int64(n)
	o.err = err
}

func (o *Outlet) flush() {
	if o.err == nil {
		o.err = o.rc.Flush()
	}
}

// Hush ends the pings and reports whether the client was sent anything.
func (o *Outlet) Hush() (begun bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.quiet = true
	if o.timer != nil {
		o.timer.Stop()
	}
	return o.begun
}

// Stream begins a streamed answer; where pings have begun one already, the headers are lost.
func (o *Outlet) Stream(h http.Header) {
	if o.Hush() {
		return
	}
	if !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
	}
	o.header(http.StatusOK, h)
}

// Send writes pieces and flushes them. The error stays.
func (o *Outlet) Send(pieces ...[]byte) error {
	for _, p := range pieces {
		o.put(p)
	}
	o.flush()
	return o.err
}

// Whole sends an answer, as an error event where pings have begun a stream.
func (o *Outlet) Whole(a *Answer, head bool) {
	if o.Hush() {
		_ = o.Send(a.Event())
		return
	}
	h := a.Header.Clone()
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	o.header(a.Status, h)
	if !head {
		o.put(a.Body)
	}
}

// Sent is the number of bytes of body that went out.
func (o *Outlet) Sent() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent
}

// Header are the headers that the answer will have, to add to before it begins.
func (o *Outlet) Header() http.Header { return o.w.Header() }
