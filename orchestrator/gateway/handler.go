package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/outlet"
	"github.com/devflow-suite/devflow/orchestrator/gateway/prompt"
	"github.com/devflow-suite/devflow/orchestrator/gateway/route"
)

// knows compares in constant time, whatever the length.
func (g *Gateway) knows(h http.Header) bool {
	shown := h.Get("X-Api-Key")
	if shown == "" {
		scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "bearer") {
			shown = strings.TrimSpace(token)
		}
	}
	sum := sha256.Sum256([]byte(shown))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// enter counts a request in; false when the gateway is closed.
func (g *Gateway) enter(ctx context.Context) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ctx.Err() != nil { // Close cancels before it waits
		return false
	}
	g.wait.Add(1)
	return true
}

// serve answers one request.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	if !g.enter(r.Context()) {
		return
	}
	defer g.wait.Done()
	out := outlet.New(w)
	head := r.Method == http.MethodHead
	refuse := func(a *outlet.Answer, kind EventKind, detail string) {
		g.count.add(func(s *Stats) { s.Refused++ })
		g.event(Event{Kind: kind, Status: a.Status, Detail: detail})
		out.Whole(a, head)
	}
	if !g.knows(r.Header) {
		refuse(outlet.Problem(http.StatusUnauthorized, "authentication_error", "this gateway wants the worker's own token"), EventRefused, "no or another token")
		return
	}
	what, ok := route.Of(r)
	if !ok {
		refuse(outlet.Problem(http.StatusNotFound, "not_found_error", "there is no such path at this gateway").Final(), EventRefused, "no such path")
		return
	}
	x := &exchange{g: g, r: r, out: out, what: what, number: g.number.Add(1), began: time.Now()}
	g.count.add(func(s *Stats) { s.Requests++; s.Active++ })
	defer func() {
		out.Hush()
		g.count.add(func(s *Stats) { s.Active--; s.BytesIn += int64(len(x.body)); s.BytesOut += out.Sent() })
	}()
	if what == route.Root {
		out.Whole(route.Hello(), head)
		return
	}
	release, a := x.read()
	defer release()
	if a == nil {
		a = x.check()
	}
	if a != nil {
		x.g.count.add(func(s *Stats) { s.Failures++ })
		out.Whole(a, head)
		return
	}
	x.run()
}

// read takes the whole body in, because a request may have to be sent more than once, and because Go's server cuts answers short
// when the endpoint answers before the last read of the body (golang/go#40747). release gives its place back.
func (x *exchange) read() (release func(), a *outlet.Answer) {
	var held int64
	g := x.g
	release = func() { g.bodies.Add(-held) }
	reserve := func(n int64) bool {
		held += n
		return g.bodies.Add(n) <= maxBodies
	}
	tooLarge := func() *outlet.Answer {
		return outlet.Problem(http.StatusRequestEntityTooLarge, "request_too_large", fmt.Sprintf("the request is larger than %d MiB", MaxBody>>20)).Final()
	}
	busy := func() *outlet.Answer {
		return outlet.Problem(529, "overloaded_error", "this gateway holds too many requests at once")
	}
	n := x.r.ContentLength
	switch {
	case n > MaxBody:
		x.out.Header().Set("Connection", "close") // the body is not read
		return release, tooLarge()
	case n >= 0:
		if !reserve(n) {
			return release, busy()
		}
		if n <= firstAlloc {
			x.body = make([]byte, n)
			_, err := io.ReadFull(x.r.Body, x.body)
			return release, x.badRead(err)
		}
	default:
		if !reserve(0) {
			return release, busy()
		}
	}
	var buf bytes.Buffer
	for {
		m, err := io.CopyN(&buf, x.r.Body, firstAlloc)
		if n < 0 && !reserve(m) {
			return release, busy()
		}
		if buf.Len() > MaxBody {
			x.out.Header().Set("Connection", "close")
			return release, tooLarge()
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return release, x.badRead(err)
		}
	}
	x.body = buf.Bytes()
	return release, nil
}

func (x *exchange) badRead(err error) *outlet.Answer {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return outlet.Problem(http.StatusBadRequest, "invalid_request_error", "the request ended before its announced length")
	}
	return outlet.Problem(http.StatusBadRequest, "invalid_request_error", "the request could not be read")
}

// check looks at a request before anybody is asked. It returns nil when it may go on.
func (x *exchange) check() *outlet.Answer {
	if x.what == route.Models {
		return nil
	}
	body, err := prompt.Scan(x.body)
	if err != nil {
		return outlet.Problem(http.StatusBadRequest, "invalid_request_error", err.Error()).Final()
	}
	x.prompt, x.stream = body, body.Stream && x.what == route.Messages
	if x.what != route.Messages || len(x.g.o.Expect) == 0 || x.g.expected.Load() {
		return nil
	}
	offered := body.Tools()
	if len(offered) == 0 {
		return nil // a side request: a title, a summary
	}
	var missing []string
	for _, name := range x.g.o.Expect {
		if !slices.Contains(offered, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		x.g.expected.Store(true)
		return nil
	}
	detail := "tools that this worker must have are not offered: " + strings.Join(missing, ", ")
	x.g.event(Event{Kind: EventTools, Request: x.number, Status: http.StatusBadRequest, Detail: detail})
	return outlet.Problem(http.StatusBadRequest, "invalid_request_error", "devflock: "+detail).Final()
}

// budget is how long the request may take to find an answer.
func (x *exchange) budget() time.Duration {
	d := x.g.o.Budget
	if s, err := strconv.ParseFloat(x.r.Header.Get("X-Stainless-Timeout"), 64); err == nil && s > 0 && s < 1e6 {
		d = min(d, time.Duration(s*share*float64(time.Second)))
	}
	if !x.pinged() {
		d = min(d, silence)
	}
	if x.what != route.Messages {
		d = min(d, sideBudget)
	}
	return d
}

// pinged reports whether the client can be kept waiting.
func (x *exchange) pinged() bool { return x.stream && x.g.o.Ping > 0 }
