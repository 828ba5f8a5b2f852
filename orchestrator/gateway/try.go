package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/gate"
	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
	"github.com/devflow-suite/devflow/orchestrator/gateway/openai/request"
	"github.com/devflow-suite/devflow/orchestrator/gateway/outlet"
	"github.com/devflow-suite/devflow/orchestrator/gateway/prompt"
	"github.com/devflow-suite/devflow/orchestrator/gateway/retry"
	"github.com/devflow-suite/devflow/orchestrator/gateway/route"
	"github.com/devflow-suite/devflow/orchestrator/gateway/upstream"
)

// Why a try was canceled by its own clock.
var (
	errFirst = errors.New("no answer")
	errIdle  = errors.New("the answer stopped coming")
	errSlow  = errors.New("the answer was not whole in time")
)

// try is one request to one endpoint.
type try struct {
	*exchange
	to     Endpoint
	ctx    context.Context
	cancel context.CancelCauseFunc
	pass   *gate.Pass
	sent   time.Time
	first  time.Duration
	dog    upstream.Watchdog
	bill   bill
}

// run waits until the request may be sent, and sends it. It returns nil when the client has an answer.
func (t *try) run() *failure {
	t.ctx, t.cancel = context.WithCancelCause(t.r.Context())
	defer t.cancel(nil)
	t.g.enlist(t)
	defer t.g.settle(t)
	if f := t.admit(); f != nil {
		return f
	}
	defer t.pass.Leave()
	f := t.ask()
	if f != nil {
		t.conclude(f)
	}
	return f
}

// ask sends the request and deals with the answer.
func (t *try) ask() *failure {
	if t.what != route.Messages && (t.to.API == "openai" || t.g.lacks(t.to, t.r.URL.Path)) {
		t.out.Whole(t.local(), false)
		return nil
	}
	t.tries++
	t.g.count.add(func(s *Stats) { s.Tries++ })
	req, f := t.request()
	if f != nil {
		return f
	}
	t.sent = time.Now()
	limit := time.Until(t.deadline)
	if t.stream { // of an answer that is not streamed the first byte is nearly the last
		limit = min(limit, t.g.o.FirstByte)
	}
	defer t.dog.Stop()
	t.dog.Start(limit, errFirst, t.cancel)
	resp, err := t.g.transport.RoundTrip(req)
	if err != nil {
		return t.unanswered(err)
	}
	defer resp.Body.Close()
	resp.Header = upstream.ConcealHeader(resp.Header, t.to)
	return t.answered(resp)
}

// admit waits for the pause after the failure before and for the gate.
func (t *try) admit() *failure {
	late, err := t.pause(t.ctx)
	if err == nil && late {
		err = gate.ErrLate
	}
	if err == nil {
		t.pass, err = t.g.gate(t.to).Enter(t.ctx, gate.Ask{Most: t.to.Parallel, Deadline: t.deadline, Queued: func() {
			t.g.event(Event{Kind: EventWait, Endpoint: t.to.Name, Request: t.number})
		}})
	}
	if err == nil {
		return nil
	}
	return &failure{cause: err, detail: err.Error()}
}

// request makes the request for the endpoint.
func (t *try) request() (*http.Request, *failure) {
	if err := t.to.Validate(); err != nil {
		f := t.ownFailure(http.StatusBadGateway, err.Error())
		f.shared = true
		return nil, f
	}
	target, body := t.to.Base()+t.r.URL.Path, t.body
	if t.r.URL.RawQuery != "" {
		target += "?" + t.r.URL.RawQuery
	}
	if t.what != route.Models {
		body = t.prompt.For(t.way())
	}
	if t.to.API == "openai" {
		var err error
		if target, err = openai.URL(t.to.URL, "chat/completions"); err == nil {
			body, err = t.options().Request(body)
		}
		if err != nil {
			return nil, &failure{final: true, detail: err.Error(), told: outlet.Problem(http.StatusBadRequest, "invalid_request_error", "devflock: "+err.Error()).Final()}
		}
	}
	req, err := http.NewRequestWithContext(t.ctx, t.r.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, &failure{final: true, detail: "address of the endpoint is not usable", told: outlet.Problem(http.StatusBadGateway, "api_error", "devflock: the address of endpoint "+t.to.Name+" is not usable")}
	}
	if len(body) == 0 {
		req.Body, req.GetBody = nil, nil
	}
	req.Header = upstream.Headers(t.r.Header, t.to)
	return req, nil
}

// way is how the endpoint wants the body. What it cannot keep of a conversation that began at another endpoint is taken out.
func (t *try) way() prompt.Way {
	w := prompt.Way{Model: t.to.Model}
	if t.to.API == "openai" {
		return w // the translation does the rest
	}
	w.Forget = []string{request.ReasoningContent, request.Reasoning}
	if w.Foreign = t.to.Foreign(); w.Foreign {
		w.Window = t.to.Window
	}
	return w
}

func (t *try) options() openai.Options {
	return openai.Options{Model: t.to.Model, Window: t.to.Window, Estimate: int64(route.Tokens(len(t.body)))}
}

// ownFailure is a failure that the endpoint did not put in words.
func (t *try) ownFailure(status int, detail string) *failure {
	detail = upstream.ConcealText(detail, t.to)
	kind := retry.StatusKind(status)
	return &failure{status: status, detail: detail, told: outlet.Problem(status, kind, "devflock: endpoint "+t.to.Name+": "+detail)}
}

// canceled says why the try's context ended; nil when it has not.
func (t *try) canceled() *failure {
	if t.ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(t.ctx)
	if errors.Is(cause, errFirst) || errors.Is(cause, errIdle) || errors.Is(cause, errSlow) {
		f := t.ownFailure(http.StatusGatewayTimeout, fmt.Sprintf("%s after %s", cause.Error(), time.Since(t.sent).Round(time.Second)))
		f.stall = true
		return f
	}
	return &failure{cause: cause, detail: cause.Error()}
}

// unanswered is a request without an answer: refused, reset, timed out, or an answer that is not HTTP.
func (t *try) unanswered(err error) *failure {
	if f := t.canceled(); f != nil {
		return f
	}
	f := t.ownFailure(http.StatusBadGateway, upstream.Plain(err, t.to))
	op, dial := errors.AsType[*net.OpError](err)
	// A connection that was kept too long breaks once and says nothing about the endpoint.
	f.shared = dial && op.Op == "dial" || t.inRow > 0
	return f
}

// answered looks at the status.
func (t *try) answered(resp *http.Response) *failure {
	switch s := resp.StatusCode; {
	case s >= 300 && s < 400:
		where := "another address"
		if u, err := resp.Location(); err == nil {
			where = u.Scheme + "://" + u.Host + u.EscapedPath()
		}
		detail := "it sends requests on to " + where + "; put that into the endpoints file, a key does not follow"
		f := t.ownFailure(http.StatusBadGateway, detail)
		f.final, f.told = true, f.told.Final()
		return f
	case s >= 400:
		return t.refused(resp)
	case s != http.StatusOK:
		return t.ownFailure(http.StatusBadGateway, fmt.Sprintf("it answered with status %d", s))
	}
	src, err := upstream.Decoded(resp, t.to)
	if err != nil {
		if f := t.canceled(); f != nil {
			return f
		}
		return t.ownFailure(http.StatusBadGateway, err.Error())
	}
	if t.what != route.Messages {
		return t.document(resp, src)
	}
	form := upstream.Events
	switch {
	case t.to.API != "openai":
		form = upstream.Tell(resp, src)
	case !t.stream:
		form = upstream.JSON
	}
	switch form {
	case upstream.Events:
		return t.events(resp, src)
	case upstream.JSON:
		return t.document(resp, src)
	}
	if f := t.canceled(); f != nil {
		return f
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t.ownFailure(http.StatusBadGateway, fmt.Sprintf("it answered with %q, neither JSON nor events", kind))
}

// refused is an answer with an error status.
func (t *try) refused(resp *http.Response) *failure {
	t.dog.Reset(quickRead, &errSlow)
	src, err := upstream.Decoded(resp, t.to)
	var body []byte
	if err == nil {
		body, _ = io.ReadAll(io.LimitReader(src, maxErrorText)) // half a text is better than none
	}
	status := resp.StatusCode
	if f := t.canceled(); f != nil && !f.stall {
		return f
	}
	header := upstream.Back(resp.Header)
	if t.to.API == "openai" {
		status, body = openai.Error(status, body)
		header.Set("Content-Type", "application/json")
	}
	if t.what != route.Messages && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented) {
		t.g.learnLacking(t.to, t.r.URL.Path)
		t.out.Whole(t.local(), false)
		return nil
	}
	told := &outlet.Answer{Status: status, Header: header, Body: upstream.Conceal(body, t.to)}
	after, asked := retry.After(resp.Header, t.g.o.Now())
	f := &failure{status: status, told: told, shared: retry.Shared(status), asked: asked, after: after, detail: fmt.Sprintf("status %d", status)}
	if !retry.Status(status) || retry.Refused(resp.Header) {
		f.final = true
		t.pass.Served()
	}
	return f
}
