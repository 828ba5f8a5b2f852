package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/outlet"
	"github.com/devflow-suite/devflow/orchestrator/gateway/prompt"
	"github.com/devflow-suite/devflow/orchestrator/gateway/retry"
	"github.com/devflow-suite/devflow/orchestrator/gateway/route"
)

// exchange is one request of the client and what becomes of it.
type exchange struct {
	g      *Gateway
	r      *http.Request
	out    *outlet.Outlet
	what   route.Purpose
	number int64
	began  time.Time

	body   []byte
	prompt prompt.Body
	stream bool // the client wants a stream of events

	deadline time.Time // of the first event, whatever it takes to get it
	notUntil time.Time // the next try begins not before it; zero: at once
	tries    int
	inRow    int            // failures since the endpoint was replaced
	last     *outlet.Answer // the last failure as the client would be told
}

// failure is a try that nobody was told of.
type failure struct {
	status int           // of the endpoint, or what stands for it; 0 without a request
	shared bool          // it concerns everybody who uses the endpoint
	asked  bool          // the endpoint said when to come back:
	after  time.Duration // … then
	stall  bool
	detail string
	told   *outlet.Answer // for the client, if nothing better comes
	final  bool           // another try is of no use
	gone   bool           // the client cannot be written to any more
	cause  error          // errMoved, gate.ErrLate, or why the client's side ended; nil for a failure of the endpoint

	wait time.Duration // until the next try
	died bool          // the endpoint is called dead from now on
}

// run tries until the client has an answer or is gone.
func (x *exchange) run() {
	x.deadline = x.began.Add(x.budget())
	if x.pinged() {
		x.out.Pings(x.g.o.Ping)
	}
	for {
		if allow := x.g.o.Allow; allow != nil && x.what == route.Messages {
			if err := allow(); err != nil {
				x.g.event(Event{Kind: EventCap, Request: x.number, Status: http.StatusPaymentRequired, Detail: err.Error()})
				x.g.fail("cap: " + err.Error())
				x.out.Whole(outlet.Problem(http.StatusPaymentRequired, "billing_error", "devflock: "+err.Error()).Final(), false)
				return
			}
		}
		t := &try{exchange: x}
		f := t.run()
		switch {
		case f == nil:
			return
		case f.gone || x.r.Context().Err() != nil:
			x.g.count.add(func(s *Stats) { s.Canceled++ })
			if errors.Is(context.Cause(x.r.Context()), errClosed) {
				x.out.Whole(outlet.Problem(http.StatusServiceUnavailable, "overloaded_error", errClosed.Error()), false)
			}
			return
		case errors.Is(f.cause, errMoved):
			x.notUntil, x.inRow = time.Time{}, 0
			x.g.event(Event{Kind: EventSwap, Request: x.number, Try: x.tries, Endpoint: t.to.Name})
		case f.final || !x.again(t, f):
			x.giveUp(t, f)
			return
		}
	}
}

// conclude says when to come back after a failure of the endpoint, to this request or to everybody. It is called while the try still
// holds its place.
func (t *try) conclude(f *failure) {
	if f.cause != nil || f.final || f.gone {
		return
	}
	t.inRow++
	now := time.Now()
	f.wait = retry.Pause(t.inRow, t.g.o.Random())
	if f.asked {
		f.wait = retry.Spread(f.after, t.g.o.Random())
	}
	if !f.shared {
		t.notUntil = now.Add(f.wait)
		return
	}
	own := f.wait
	shut, died := t.pass.Refused(func(fails int) time.Duration {
		if f.asked {
			return own
		}
		return retry.Pause(fails, t.g.o.Random())
	})
	f.wait, f.died = max(shut.Sub(now), 0), died
}

// again decides whether there is another try after a failure. A pause beyond the deadline is waited for as far as there is time:
// somebody may replace the endpoint.
func (x *exchange) again(t *try, f *failure) bool {
	if f.told != nil {
		x.last = f.told
	}
	if f.cause != nil {
		return false
	}
	now := x.g.o.Now()
	x.g.count.add(func(s *Stats) { s.LastFailed, s.LastError = now, f.detail })
	if f.died {
		x.g.event(Event{Kind: EventDead, Endpoint: t.to.Name, Status: f.status, Detail: f.detail})
	}
	if f.stall {
		x.g.event(Event{Kind: EventStall, Endpoint: t.to.Name, Request: x.number, Try: x.tries, Detail: f.detail})
	}
	if !time.Now().Before(x.deadline) {
		return false
	}
	x.g.count.add(func(s *Stats) { s.Retries++ })
	x.g.event(Event{Kind: EventRetry, Endpoint: t.to.Name, Request: x.number, Try: x.tries, Status: f.status, Wait: f.wait, Detail: f.detail})
	return true
}

// giveUp tells the client the last word of the endpoint.
func (x *exchange) giveUp(t *try, f *failure) {
	a := f.told
	if a == nil {
		a = x.last
	}
	if a == nil {
		a = outlet.Problem(529, "overloaded_error", "endpoint "+t.to.Name+" could not be asked in time: it is busy or wants to be left alone")
	}
	if own := x.local(); own != nil {
		x.out.Whole(own, false)
		return
	}
	x.g.fail(f.detail)
	if !f.final {
		x.g.event(Event{Kind: EventGiveUp, Endpoint: t.to.Name, Request: x.number, Try: x.tries, Status: a.Status, Wait: time.Since(x.began), Detail: f.detail})
	}
	x.out.Whole(a, false)
}

// fail counts a request that ended in a failure.
func (g *Gateway) fail(detail string) {
	now := g.o.Now()
	g.count.add(func(s *Stats) { s.Failures++; s.LastFailed, s.LastError = now, detail })
}

// pause waits until the next try may begin; it ends early when ctx does. late is true when the deadline passed first.
func (x *exchange) pause(ctx context.Context) (late bool, err error) {
	if x.notUntil.IsZero() {
		return false, nil
	}
	until := x.notUntil
	x.notUntil = time.Time{}
	if until.After(x.deadline) {
		until, late = x.deadline, true
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-timer.C:
		return late, nil
	}
}
