package flock_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// fault is what happens to one request of a conversation instead of its answer, or to the answer on its way.
type fault string

const (
	cutEarly  fault = "cut before an event"    // the connection ends after the head of the answer
	cutMiddle fault = "cut in the middle"      // the connection ends after some events
	cutLast   fault = "cut before the end"     // only message_stop is missing
	refuse    fault = "connection closed"      // no answer at all
	limited   fault = "429 with Retry-After"   // a limit
	tunnel    fault = "524 with a page"        // a tunnel whose other end is gone
	overload  fault = "529 overloaded"         // Anthropic's own
	inStream  fault = "overload in the stream" // 200, and then an error event
)

// chaos stands in front of an endpoint and makes trouble. plan says what for each request that a worker makes, in the order of their
// coming; when it is used up all is well.
type chaos struct {
	*httptest.Server
	proxy *httputil.ReverseProxy

	mu   sync.Mutex
	plan []fault
	made []fault
}

func newChaos(t *testing.T, upstream string, plan ...fault) *chaos {
	t.Helper()
	target, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	c := &chaos{plan: plan, proxy: httputil.NewSingleHostReverseProxy(target)}
	c.proxy.FlushInterval = -1
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.CloseClientConnections)
	t.Cleanup(c.Close)
	return c
}

// then adds trouble.
func (c *chaos) then(plan ...fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan = append(c.plan, plan...)
}

// next takes the fault of a request.
func (c *chaos) next() (fault, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.plan) == 0 {
		return "", false
	}
	f := c.plan[0]
	c.plan = c.plan[1:]
	c.made = append(c.made, f)
	return f, true
}

// left is the trouble that nobody has had.
func (c *chaos) left() []fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plan
}

// ServeHTTP implements http.Handler.
func (c *chaos) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f, bad := fault(""), false
	if strings.HasSuffix(r.URL.Path, "/v1/messages") && bytes.Contains(body, []byte(`"name":"Bash"`)) {
		f, bad = c.next()
	}
	if !bad {
		c.proxy.ServeHTTP(w, r)
		return
	}
	switch f {
	case refuse:
		panic(http.ErrAbortHandler)
	case limited:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)
	case overload:
		w.WriteHeader(529)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
	case tunnel:
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		w.WriteHeader(524)
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><head><title>524: A timeout occurred</title></head><body>"+strings.Repeat("<p>cloud</p>", 500)+"</body></html>")
	case inStream:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n")
	default:
		c.cut(w, r, f)
	}
}

// cut passes a part of the real answer on and then drops the connection.
func (c *chaos) cut(w http.ResponseWriter, r *http.Request, f fault) {
	rec := httptest.NewRecorder()
	c.proxy.ServeHTTP(rec, r)
	events := strings.SplitAfter(rec.Body.String(), "\n\n")
	keep := 0
	switch f {
	case cutMiddle:
		keep = len(events) / 2
	case cutLast:
		for keep < len(events) && !strings.Contains(events[keep], "message_stop") {
			keep++
		}
	}
	for name, values := range rec.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(rec.Code)
	_, _ = io.WriteString(w, strings.Join(events[:keep], ""))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
