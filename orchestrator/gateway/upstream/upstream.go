package upstream

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
)

const (
	maxHead     = 1 << 20 // bytes of an answer's header
	idlePerHost = 64
	readSize    = 32 << 10
)

// Transport makes connections as a gateway wants them. The environment's proxy is not used: it would see every prompt, and
// nobody asked for it; the gateway's options take another transport for that.
func Transport() *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxIdleConns:           0,
		MaxIdleConnsPerHost:    idlePerHost, // the default of 2 costs a third of the throughput at 32 streams
		IdleConnTimeout:        90 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHead,
		DisableCompression:     true, // Accept-Encoding is ours to say
		ForceAttemptHTTP2:      true,
	}
}

// Plain gives an error of a connection without the address, which may be long and is known, and without the key: what an endpoint
// wrote that could not be read stands in some of them.
func Plain(err error, e endpoint.Endpoint) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return ConcealText(op.Op+": "+op.Err.Error(), e)
	}
	const longest = 200
	text := ConcealText(err.Error(), e)
	if len(text) > longest {
		text = text[:longest]
	}
	return text
}

// Watchdog cancels what takes too long. The zero value does nothing until it is started.
type Watchdog struct {
	timer  *time.Timer
	waits  atomic.Pointer[error]
	cancel context.CancelCauseFunc
}

// Start cancels after a time, with a cause.
func (d *Watchdog) Start(after time.Duration, why error, cancel context.CancelCauseFunc) {
	d.cancel = cancel
	d.waits.Store(&why)
	d.timer = time.AfterFunc(after, func() { d.cancel(*d.waits.Load()) })
}

// Reset gives it another time and cause from now on.
func (d *Watchdog) Reset(after time.Duration, why *error) {
	d.waits.Store(why)
	d.timer.Reset(after)
}

// Stop calls it off.
func (d *Watchdog) Stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// Form is how an answer is written.
type Form int

// The forms.
const (
	Other Form = iota
	Events
	JSON
)

// Tell tells the form by the content type, and where that says nothing by the first byte.
func Tell(resp *http.Response, src *Body) Form {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "text/event-stream":
		return Events
	case "application/json":
		return JSON
	case "text/html":
		return Other // a tunnel's or proxy's own page
	}
	c, err := src.peek()
	switch {
	case err != nil:
		return Other
	case c == '{':
		return JSON
	case c == 'e' || c == 'd' || c == 'i' || c == 'r' || c == ':' || c == '\n' || c == '\r' || c == 0xEF: // event, data, id, retry, comment, byte order mark
		return Events
	}
	return Other
}

// Body is the body of an answer, decoded, with one byte of look-ahead.
type Body struct {
	r    io.Reader
	head []byte
	one  [1]byte
}

func (s *Body) peek() (byte, error) {
	if len(s.head) == 0 {
		if _, err := io.ReadFull(s.r, s.one[:]); err != nil {
			return 0, err
		}
		s.head = s.one[:]
	}
	return s.head[0], nil
}

// Read implements [io.Reader].
func (s *Body) Read(p []byte) (int, error) {
	if len(s.head) > 0 && len(p) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	return s.r.Read(p)
}

// Decoded undoes gzip, which some proxies apply although nobody asked for it, and conceals the key. Other codings are an error.
func Decoded(resp *http.Response, e endpoint.Endpoint) (*Body, error) {
	switch coding := strings.ToLower(strings.TrimSpace(strings.Join(resp.Header["Content-Encoding"], ","))); coding {
	case "", "identity":
		return &Body{r: Concealed(resp.Body, e)}, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(resp.Body)
		if err != nil {
			return nil, fmt.Errorf("its answer is not the gzip that it claims to be: %w", err)
		}
		return &Body{r: Concealed(z, e)}, nil
	default:
		return nil, fmt.Errorf("it answered in coding %q although none was asked for", coding)
	}
}
