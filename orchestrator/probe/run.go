package probe

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

var errLimit = errors.New("probe endpoint: not finished within the limit of the whole probe")

// prober is one probe. Its methods are called by one goroutine.
type prober struct {
	o      Options
	each   func(Line)
	http   *http.Client
	server wire.Server
	report Report
	local  bool // the address is this machine's or a private network's

	listed   []string // models
	slots    int      // of llama-server; 0 = not told
	source   string   // who told the window
	perToken float64  // bytes of filler per token, measured; 0 = not yet
	nonce    uint64
}

func newProber(o Options, each func(Line)) *prober {
	if o.Now == nil {
		o.Now = time.Now
	}
	if each == nil {
		each = func(Line) {}
	}
	p := &prober{o: o, each: each, http: wire.Client(o.Client)}
	p.server = wire.Server{HTTP: p.http, Now: o.Now, API: endpoint.APIAnthropic}
	return p
}

func (p *prober) close() {
	if p.o.Client == nil || p.o.Client.Transport == nil { // ours
		p.http.CloseIdleConnections()
	}
}

func (p *prober) now() time.Time { return p.o.Now() }

func (p *prober) limit() time.Duration {
	d := limit
	switch {
	case p.o.Limit > 0:
		return p.o.Limit
	case p.o.Big:
		d = limitBig
	}
	if p.o.Long {
		d += limitLong
	}
	return d
}

func (p *prober) ok() bool {
	for _, l := range p.report.Lines {
		if l.Level == Fail {
			return false
		}
	}
	return p.report.Auth != ""
}

// all makes the checks. The first ones decide whether the others make sense.
func (p *prober) all(ctx context.Context) {
	for _, step := range [...]func(context.Context) bool{p.address, p.health, p.models, p.access} {
		if !step(ctx) || ctx.Err() != nil {
			return
		}
	}
	for _, step := range [...]func(context.Context){p.props, p.stream, p.tools, p.results, p.real, p.prefill, p.context, p.parallel, p.long} {
		if step(ctx); ctx.Err() != nil {
			return
		}
	}
}

func (p *prober) doing(format string, args ...any) {
	if p.o.Progress != nil {
		p.o.Progress(fmt.Sprintf(format, args...))
	}
}

// line adds a row. Whatever is in it, no key and no control character gets out.
func (p *prober) line(check string, level Level, detail, advice string) {
	l := Line{check, level, wire.Printable(detail, p.o.Key), wire.Printable(advice, p.o.Key)}
	p.report.Lines = append(p.report.Lines, l)
	p.each(l)
}

// failed adds a row for a failure, none when our caller gave up.
func (p *prober) failed(check string, level Level, f *wire.Failure) {
	if f.Kind == wire.Ended {
		return
	}
	detail := f.Text
	if f.Status != 0 && f.Status != http.StatusOK {
		detail = fmt.Sprintf("status %d: %s", f.Status, f.Text)
	}
	advice := f.Advice()
	if f.Kind == wire.Model {
		advice += p.choice()
	}
	p.line(check, level, detail, advice)
}

// request is the body of a message in the making.
type request map[string]any

func (p *prober) request(maxTokens int, prompt string) request {
	return request{"model": p.report.Model, "max_tokens": maxTokens, "messages": []any{user(prompt)}}
}

func user(content any) request      { return request{"role": "user", "content": content} }
func assistant(content any) request { return request{"role": "assistant", "content": content} }

func (r request) with(more request) request {
	out := request{}
	for k, v := range r {
		out[k] = v
	}
	for k, v := range more {
		if out[k] = v; v == nil {
			delete(out, k)
		}
	}
	return out
}

func (p *prober) ask(ctx context.Context, r request, within time.Duration) *wire.Answer {
	return p.askWith(ctx, p.server, r, "", within, nil)
}

func (p *prober) askWith(ctx context.Context, s wire.Server, r request, beta string, within time.Duration, started func()) *wire.Answer {
	body, err := json.Marshal(r)
	if err != nil { // unreachable: requests are made of strings and numbers
		return &wire.Answer{Failure: &wire.Failure{Kind: wire.Address, Text: "no valid request"}}
	}
	return s.Ask(ctx, body, beta, within, started)
}

// fresh gives a word that no earlier prompt held, so that no server answers from what it remembers.
func (p *prober) fresh() string {
	p.nonce++
	h := fnv.New64a()
	fmt.Fprint(h, p.now().UnixNano(), " ", p.nonce)
	return hex.EncodeToString(h.Sum(nil))[:10]
}

// pause waits unless ctx ends first.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
