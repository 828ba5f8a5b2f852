package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/outlet"
	"github.com/devflow-suite/devflow/orchestrator/gateway/retry"
	"github.com/devflow-suite/devflow/orchestrator/gateway/route"
	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
	"github.com/devflow-suite/devflow/orchestrator/gateway/upstream"
)

// relay is a streamed answer on its way.
type relay struct {
	*try
	header http.Header
	first  sse.Parser   // until the first event that decides
	check  sse.Checker  // what was in order
	events sse.Parser   // feeds check
	ends   sse.Splitter // where events end
	held   []byte       // arrived and not sent
	begun  bool         // the client has something of it
	done   bool         // message_stop was there
}

// events passes a streamed answer on.
func (t *try) events(resp *http.Response, src io.Reader) *failure {
	y := &relay{try: t, header: upstream.Back(resp.Header)}
	if t.to.API == "openai" {
		src = upstream.Translate(src, t.options())
		y.header.Set("Content-Type", "text/event-stream; charset=utf-8")
	}
	buf := t.g.buffers.Get().(*[]byte)
	defer t.g.buffers.Put(buf)
	for {
		n, err := src.Read(*buf)
		if n > 0 {
			if f, over := y.take((*buf)[:n]); over {
				return f
			}
		}
		if err != nil {
			return y.end(err)
		}
	}
}

// take handles the next bytes. over is true when nothing more is to be read.
func (y *relay) take(b []byte) (f *failure, over bool) {
	if y.begun {
		y.clock()
		f, over = y.pass(b)
		y.follow(b)
		return f, over
	}
	y.held = append(y.held, b...)
	if y.try.first == 0 {
		decided, f := y.look(b)
		if f != nil {
			return f, true
		}
		if !decided {
			if len(y.held) > maxHeld {
				return y.ownFailure(http.StatusBadGateway, "its stream holds no event"), true
			}
			return nil, false
		}
		y.try.first = time.Since(y.sent)
		if !y.g.settle(y.try) {
			return &failure{cause: errMoved, detail: errMoved.Error()}, true
		}
		y.served()
		b = y.held
	}
	y.clock()
	if !y.g.o.Store || len(y.held) > maxReply { // what is too large to be stored goes out as it comes
		f, over = y.begin()
	}
	y.follow(b)
	return f, over
}

// served tells those who share the endpoint that it answers.
func (y *relay) served() {
	if y.try.pass.Served() {
		y.g.event(Event{Kind: EventAlive, Endpoint: y.to.Name})
	}
}

// clock gives the endpoint time for the next bytes.
func (y *relay) clock() {
	if y.done {
		return // afterStop is running
	}
	y.dog.Reset(y.g.o.Idle, &errIdle)
}

// look searches for the event that decides: pings and comments do not, an error may be worth another try.
func (y *relay) look(b []byte) (decided bool, f *failure) {
	y.first.Feed(b, func(e sse.Event) bool {
		kind := e.Name
		if kind == "" || kind == sse.Error {
			if fault, ok := sse.ParseError(e.Data); ok {
				kind, f = sse.Error, y.fault(fault, e.Data)
			}
		}
		decided = kind != sse.Ping
		return !decided
	})
	return decided, f
}

// fault is a failure when an error is worth another try; otherwise nil.
func (t *try) fault(fault sse.Fault, body []byte) *failure {
	status := retry.KindStatus(fault.Type)
	if !retry.Status(status) {
		return nil
	}
	body = upstream.Conceal(append([]byte(nil), body...), t.to)
	return &failure{status: status, shared: retry.Shared(status), detail: "error " + fault.Type + " in place of an answer",
		told: &outlet.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}}
}

// begin sends the header and what was held back.
func (y *relay) begin() (f *failure, over bool) {
	y.begun = true
	y.out.Stream(y.header)
	held := y.held
	y.held = nil
	return y.pass(held)
}

// pass sends the events that are whole and keeps the rest.
func (y *relay) pass(b []byte) (f *failure, over bool) {
	var err error
	if end := y.ends.Feed(b); end > 0 {
		err = y.out.Send(y.held, b[:end])
		y.held = append(y.held[:0], b[end:]...)
	} else {
		y.held = append(y.held, b...)
		if len(y.held) > sse.MaxEvent {
			err = y.out.Send(y.held)
			y.held = y.held[:0]
		}
	}
	if err == nil {
		return nil, false
	}
	y.bill.settle(y.try, &y.check)
	return &failure{gone: true, detail: "the client went away"}, true
}

// follow checks and counts.
func (y *relay) follow(b []byte) {
	y.events.Feed(b, func(e sse.Event) bool {
		y.check.Event(e)
		return true
	})
	if y.check.Stopped() && !y.done {
		y.done = true
		y.dog.Reset(afterStop, &errIdle)
	}
}

// end is reached when nothing more comes. err is io.EOF or what broke it.
func (y *relay) end(err error) *failure {
	why := y.canceled()
	if why == nil && !errors.Is(err, io.EOF) {
		why = y.ownFailure(http.StatusBadGateway, "its stream broke: "+upstream.Plain(err, y.to))
	}
	if y.done {
		why = nil // whatever happened behind message_stop
	}
	gone := y.r.Context().Err() != nil
	switch {
	case gone && !y.done:
		y.bill.settle(y.try, &y.check)
		return why
	case y.try.first == 0:
		if why == nil {
			why = y.ownFailure(http.StatusBadGateway, "its stream ended without an event")
		}
		return why
	case !y.begun: // stored
		return y.stored(why)
	}
	fault := y.check.Fault()
	switch {
	case y.done || fault != nil && len(y.held) > 0:
		_ = y.out.Send(y.held)
	case fault == nil:
		_ = y.out.Send(y.cut(why))
	}
	y.finish(why)
	return nil
}

// stored sends an answer that was held back, or fails so that it is tried again.
func (y *relay) stored(why *failure) *failure {
	fault := y.check.Fault()
	if y.done || fault != nil && !retry.Status(retry.KindStatus(fault.Type)) {
		y.begun = true
		y.out.Stream(y.header)
		_ = y.out.Send(y.held)
		y.finish(nil)
		return nil
	}
	y.bill.settle(y.try, &y.check)
	y.grammar()
	if why == nil {
		why = y.ownFailure(http.StatusBadGateway, "its stream ended before message_stop")
		if fault != nil {
			why.detail = "error " + fault.Type + " in the middle of its stream"
		}
	}
	return why
}

// cut is what a client is told whose stream ended too early: an error event, which makes it ask again. A half event before it is
// dropped, for nobody could read it.
func (y *relay) cut(why *failure) []byte {
	kind := "api_error"
	if !y.check.Content() {
		kind = "overloaded_error" // before any content the clients ask for a stream again, otherwise for a whole answer
	}
	return outlet.Problem(0, kind, "devflock: endpoint "+y.to.Name+": "+y.cutDetail(why)).Event()
}

func (y *relay) cutDetail(why *failure) string {
	if why != nil {
		return why.detail
	}
	return "its stream ended before message_stop"
}

// finish counts an answer that the client has.
func (y *relay) finish(why *failure) {
	y.bill.settle(y.try, &y.check)
	y.grammar()
	now := y.g.o.Now()
	if y.done {
		y.g.count.add(func(s *Stats) { s.Served++; s.LastOK = now })
		return
	}
	detail := y.cutDetail(why)
	if fault := y.check.Fault(); fault != nil && why == nil {
		detail = "error " + fault.Type
	}
	y.g.count.add(func(s *Stats) { s.Cut++; s.LastFailed, s.LastError = now, detail })
	if why != nil && why.stall {
		y.g.event(Event{Kind: EventStall, Endpoint: y.to.Name, Request: y.number, Try: y.tries, Detail: detail})
	}
	y.g.event(Event{Kind: EventCut, Endpoint: y.to.Name, Request: y.number, Try: y.tries, Detail: detail})
}

func (y *relay) grammar() {
	first, more := y.check.Problems()
	if len(first) == 0 {
		return
	}
	detail := strings.Join(first, "; ")
	if more > 0 {
		detail += fmt.Sprintf("; and %d more", more)
	}
	y.g.event(Event{Kind: EventGrammar, Endpoint: y.to.Name, Request: y.number, Try: y.tries, Detail: detail})
}

// document passes on an answer that is not streamed. It is read whole first: one that breaks off is tried again.
func (t *try) document(resp *http.Response, src io.Reader) *failure {
	t.dog.Reset(max(time.Until(t.deadline), time.Second), &errSlow)
	body, err := io.ReadAll(io.LimitReader(src, maxReply+1))
	switch f := t.canceled(); {
	case f != nil:
		return f
	case err != nil:
		return t.ownFailure(http.StatusBadGateway, "its answer broke off: "+upstream.Plain(err, t.to))
	case len(body) > maxReply:
		return t.ownFailure(http.StatusBadGateway, "its answer is too large")
	}
	status := http.StatusOK
	if t.to.API == "openai" {
		if body, err = t.options().Response(body); err != nil {
			return t.ownFailure(http.StatusBadGateway, upstream.Plain(err, t.to))
		}
	}
	if !json.Valid(body) {
		return t.ownFailure(http.StatusBadGateway, "its answer is no whole JSON")
	}
	if fault, ok := sse.ParseError(body); ok { // with status 200
		if f := t.fault(fault, body); f != nil {
			return f
		}
		if status = retry.KindStatus(fault.Type); status == 0 {
			status = http.StatusBadGateway
		}
		body = upstream.Conceal(body, t.to)
	}
	if !t.g.settle(t) {
		return &failure{cause: errMoved, detail: errMoved.Error()}
	}
	if t.pass.Served() {
		t.g.event(Event{Kind: EventAlive, Endpoint: t.to.Name})
	}
	t.first = time.Since(t.sent)
	if t.what == route.Messages && status == http.StatusOK {
		t.bill.document(t, body)
	}
	now := t.g.o.Now()
	t.g.count.add(func(s *Stats) { s.Served++; s.LastOK = now })
	t.out.Whole(&outlet.Answer{Status: status, Header: upstream.Back(resp.Header), Body: body}, false)
	return nil
}
