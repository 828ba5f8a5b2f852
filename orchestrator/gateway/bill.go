package gateway

import (
	"encoding/json"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
)

// bill makes sure that an answer is counted once.
type bill struct{ sent bool }

// settle counts what a streamed answer reported.
func (b *bill) settle(t *try, c *sse.Checker) {
	id, model := c.Message()
	b.send(t, Reply{Model: model, Message: id, Stop: c.StopReason(), Streamed: true, Complete: c.Stopped(), Usage: usage(c.Usage())})
}

// document counts what a whole answer reported.
func (b *bill) document(t *try, body []byte) {
	var m struct {
		ID    string      `json:"id"`
		Model string      `json:"model"`
		Stop  string      `json:"stop_reason"`
		Usage sse.Reports `json:"usage"`
	}
	_ = json.Unmarshal(body, &m) // fields of another kind stay empty
	b.send(t, Reply{Model: m.Model, Message: m.ID, Stop: m.Stop, Complete: true, Usage: usage(sse.Usage{}.Merge(m.Usage))})
}

func usage(u sse.Usage) Usage {
	return Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Requests: 1}
}

func (b *bill) send(t *try, r Reply) {
	if b.sent {
		return
	}
	b.sent = true
	r.At, r.Endpoint, r.Request, r.First, r.Took = t.g.o.Now(), t.to.Name, t.number, t.first, time.Since(t.sent)
	if t.to.Prices != nil {
		r.Priced, r.CostUSD = true, t.to.Prices.Cost(r.Usage)
	}
	t.g.count.add(func(s *Stats) { s.Usage = s.Usage.Add(r.Usage); s.CostUSD += r.CostUSD })
	if t.g.o.OnUsage != nil {
		t.g.o.OnUsage(r)
	}
}
