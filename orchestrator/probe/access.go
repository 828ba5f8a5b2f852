package probe

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const (
	withinHello = 2 * time.Minute // the first request may load the model
	slowHello   = 30 * time.Second
	busyRounds  = 4
	busyPause   = 5 * time.Second
	busyLongest = 30 * time.Second
)

// access finds out what the server speaks and how it wants the key.
func (p *prober) access(ctx context.Context) bool {
	var failures []*wire.Failure
	for _, api := range [...]string{endpoint.APIAnthropic, endpoint.APIOpenAI} {
		styles := p.styles()
		if api == endpoint.APIOpenAI {
			slices.Reverse(styles) // bearer is the rule there
		}
		for _, style := range styles {
			p.doing("access: %s, key as %s", api, style)
			s := p.server
			s.API, s.Auth = api, style
			a := p.hello(ctx, s)
			if a.Failure == nil {
				p.server = s
				p.report.API, p.report.Auth = api, style
				p.granted(ctx, a)
				return true
			}
			if a.Failure.Kind == wire.Ended {
				return false
			}
			failures = append(failures, a.Failure)
			if final(a.Failure.Kind) {
				p.failed("access", Fail, a.Failure)
				return false
			}
		}
	}
	worst := slices.MinFunc(failures, func(a, b *wire.Failure) int { return rank(a.Kind) - rank(b.Kind) })
	if worst.Kind == wire.Key && p.o.Key == "" {
		worst.Text += " (no key was given)"
	}
	p.failed("access", Fail, worst)
	return false
}

// final reports whether another way to ask can change nothing.
func final(k wire.Kind) bool {
	return slices.Contains([]wire.Kind{
		wire.Address, wire.Lookup, wire.Refused, wire.Network, wire.TLS, wire.Plain, wire.Silent, wire.Slow, wire.Redirect, wire.Login,
		wire.Tunnel, wire.Giant, wire.Billing, wire.Model, wire.Busy, wire.Loading,
	}, k)
}

// rank orders failures by how much they tell a person, the most telling first.
func rank(k wire.Kind) int {
	order := []wire.Kind{wire.Fault, wire.Cut, wire.Context, wire.Refusal, wire.Forbidden, wire.Key, wire.Type, wire.Page, wire.Missing}
	if i := slices.Index(order, k); i >= 0 {
		return i
	}
	return len(order)
}

// hello makes the smallest request, and waits where the server says that it is busy or loading.
func (p *prober) hello(ctx context.Context, s wire.Server) *wire.Answer {
	for round := 0; ; round++ {
		a := p.askWith(ctx, s, p.request(16, "Say hello."), "", withinHello, nil)
		if a.Failure == nil || round >= busyRounds || a.Failure.Kind != wire.Busy && a.Failure.Kind != wire.Loading {
			return a
		}
		wait := busyPause
		if after := time.Duration(a.Failure.After) * time.Second; after > 0 {
			wait = min(after, busyLongest)
		}
		if pause(ctx, wait); ctx.Err() != nil {
			a.Failure.Kind = wire.Ended
			return a
		}
	}
}

func (p *prober) granted(ctx context.Context, a *wire.Answer) {
	key := "key as " + p.report.Auth
	if p.report.Auth == endpoint.AuthNone {
		key = "without a key"
	}
	detail := fmt.Sprintf("%s API, %s, first answer after %s", p.report.API, key, seconds(a.Total))
	level, advice := Pass, ""
	if a.Total > slowHello {
		level, advice = Warn, "if it was the model that had to be loaded, probe again; otherwise the machine is too slow for a worker"
	}
	if p.report.API == endpoint.APIOpenAI {
		detail += "; no Messages API: the gateway translates"
	}
	p.line("access", level, detail, advice)
	if p.report.Auth == endpoint.AuthNone {
		p.open()
		return
	}
	s := p.server
	s.Auth = endpoint.AuthNone
	p.doing("access: without a key")
	if p.askWith(ctx, s, p.request(16, "Say hello."), "", withinHello, nil).Failure == nil {
		p.open()
	}
}

// open tells that the server wants no key.
func (p *prober) open() {
	switch text := "it answers without a key"; {
	case !p.local:
		p.line("access", Warn, text+": anybody who finds the address can use it", "start the server with a key (llama-server: --api-key)")
	case p.report.Auth != endpoint.AuthNone: // otherwise it was said
		p.line("access", Info, text+", too", "")
	}
}
