package gateway

import (
	"sync"
	"time"
)

// EventKind says what an [Event] is about.
type EventKind string

// The kinds of events.
const (
	EventRetry   EventKind = "retry"   // a try has failed, another one follows after Wait
	EventWait    EventKind = "wait"    // a request waits: others are before it, or the endpoint wants to be left alone
	EventSwap    EventKind = "swap"    // a request that waited goes on with another endpoint
	EventStall   EventKind = "stall"   // the endpoint sent nothing for too long
	EventCut     EventKind = "cut"     // a stream that had begun ended too early; the client was told
	EventGrammar EventKind = "grammar" // a stream was not in order; it was passed on all the same
	EventGiveUp  EventKind = "give_up" // the budget is spent; the client has the endpoint's last word
	EventDead    EventKind = "dead"    // the endpoint has failed gate.Dead times in a row
	EventAlive   EventKind = "alive"   // a dead endpoint answers again
	EventRefused EventKind = "refused" // a request without the token, or for a path that there is not
	EventTools   EventKind = "tools"   // the first request with tools lacks some that were expected
	EventCap     EventKind = "cap"     // Allow said no
)

// Event is something that somebody who looks at a run may want to see. It holds no key and no text of a conversation.
type Event struct {
	At       time.Time     `json:"at"`
	Kind     EventKind     `json:"kind"`
	Endpoint string        `json:"endpoint,omitempty"` // its name
	Request  int64         `json:"request,omitempty"`  // number of the request at this gateway, from 1
	Try      int           `json:"try,omitempty"`      // number of the try, from 1
	Status   int           `json:"status,omitempty"`   // HTTP status; 0 when there was none
	Wait     time.Duration `json:"wait,omitempty"`
	Detail   string        `json:"detail,omitempty"`
}

// Reply is one answer of an endpoint that used tokens, whether or not the client has it.
type Reply struct {
	At       time.Time     `json:"at"`
	Endpoint string        `json:"endpoint"`
	Model    string        `json:"model"` // that the answer claims to come from
	Message  string        `json:"message"`
	Request  int64         `json:"request"`
	Stop     string        `json:"stop"` // stop reason
	Streamed bool          `json:"streamed"`
	Complete bool          `json:"complete"` // false: it was cut, and the figures are what had been reported until then
	Usage    Usage         `json:"usage"`
	Priced   bool          `json:"priced"`
	CostUSD  float64       `json:"cost_usd"` // 0 unless Priced
	First    time.Duration `json:"first"`    // from sending the try to its first event
	Took     time.Duration `json:"took"`     // from sending the try to its end
}

// Stats are figures of a gateway since it was started.
type Stats struct {
	Requests   int64     `json:"requests"` // with the token
	Active     int64     `json:"active"`   // being answered now
	Tries      int64     `json:"tries"`
	Retries    int64     `json:"retries"`
	Served     int64     `json:"served"`   // whole answers
	Failures   int64     `json:"failures"` // answered with the endpoint's last failure, or ours
	Cut        int64     `json:"cut"`      // streams that ended too early after they had begun
	Refused    int64     `json:"refused"`  // without the token, or for a path that there is not
	Canceled   int64     `json:"canceled"` // the client went away
	BytesIn    int64     `json:"bytes_in"` // of request bodies
	BytesOut   int64     `json:"bytes_out"`
	Usage      Usage     `json:"usage"`
	CostUSD    float64   `json:"cost_usd"`
	LastOK     time.Time `json:"last_ok,omitzero"`
	LastFailed time.Time `json:"last_failed,omitzero"`
	LastError  string    `json:"last_error,omitempty"`
	Endpoint   string    `json:"endpoint"`          // name of the present one
	Dead       bool      `json:"dead"`              // the present endpoint has failed gate.Dead times in a row
	Shut       time.Time `json:"shut,omitzero"`     // until when the present endpoint is left alone
	Limit      int       `json:"limit,omitempty"`   // requests at once that it was seen to take; 0: not limited
	Waiting    int       `json:"waiting,omitempty"` // requests of all gateways that wait for it
}

// counters guard the figures.
type counters struct {
	mu sync.Mutex
	s  Stats
}

func (c *counters) add(change func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.s)
}

func (g *Gateway) event(e Event) {
	e.At = g.o.Now()
	g.o.Log.Info("gateway event", "kind", string(e.Kind), "endpoint", e.Endpoint, "request", e.Request, "try", e.Try, "status", e.Status, "wait", e.Wait, "detail", e.Detail)
	if g.o.OnEvent != nil {
		g.o.OnEvent(e)
	}
}

// Stats gives the present figures.
func (g *Gateway) Stats() Stats {
	g.count.mu.Lock()
	s := g.count.s
	g.count.mu.Unlock()
	e := g.o.Upstream()
	state := g.gate(e).State()
	s.Endpoint, s.Dead, s.Limit, s.Waiting = e.Name, state.Fails >= deadFrom, state.Limit, state.Waiting
	if state.Shut.After(time.Now()) {
		s.Shut = state.Shut
	}
	return s
}
