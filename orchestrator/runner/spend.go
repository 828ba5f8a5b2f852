package runner

import (
	"fmt"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/toolchain"
)

// spend counts a reply of any worker.
func (d *drive) spend(r gateway.Reply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spent = d.spent.Add(r.Usage)
	d.cost += r.CostUSD
}

// allow is asked before every request: beyond a cap nothing is sent any more, also in the middle of an attempt.
func (d *drive) allow() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	tokens := d.earlier + d.spent.Input + d.spent.Output + d.spent.CacheRead + d.spent.CacheWrite
	switch s := d.run.Settings; {
	case s.TokenCap > 0 && tokens >= s.TokenCap:
		return fmt.Errorf("the run has used %d tokens, its cap is %d", tokens, s.TokenCap)
	case s.MoneyCap > 0 && d.paid+d.cost >= s.MoneyCap:
		return fmt.Errorf("the run has cost %.2f USD, its cap is %.2f", d.paid+d.cost, s.MoneyCap)
	}
	return nil
}

// gateway starts a gateway of this run.
func (d *drive) gateway(region, socket, token string, upstream func() gateway.Endpoint, expect []string, used func(gateway.Reply)) (*gateway.Gateway, error) {
	return gateway.Start(gateway.Options{
		Socket: socket, Token: token, Upstream: upstream, Changed: d.book.Changed, Gates: &d.gates, Expect: expect, Allow: d.allow, OnUsage: used,
		OnEvent: d.endpointEvent(region),
	})
}

// endpointEvent writes down what happens between a worker and its endpoint, and tells whoever watches what a person should know.
func (d *drive) endpointEvent(region string) func(gateway.Event) {
	return func(e gateway.Event) {
		switch e.Kind {
		case gateway.EventSwap, gateway.EventDead, gateway.EventAlive, gateway.EventGiveUp, gateway.EventStall, gateway.EventCut, gateway.EventTools, gateway.EventCap:
			d.observe(schedule.Event{At: d.Now(), Kind: schedule.EventKind("endpoint_" + string(e.Kind)), Region: region, Text: e.Endpoint + " " + e.Detail})
		default:
			d.log.Info("endpoint "+string(e.Kind), "region", region, "endpoint", e.Endpoint, "status", e.Status, "try", e.Try, "wait", e.Wait.String(), "detail", e.Detail)
		}
	}
}

// changed is called after an edit of the endpoints file.
func (d *drive) changed() {
	if err := d.book.Err(); err != nil {
		d.log.Warn("endpoints file is not in use as it stands", "error", err)
		return
	}
	d.log.Info("endpoints file was read again", "names", d.book.Names())
	d.poke()
}

// poke makes the scheduler look again.
func (d *drive) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// tools are the person's, as workers and checks see them.
func (d *drive) tools() toolchain.Tools {
	return toolchain.Find(d.Getenv, d.run.Settings.Expose)
}
