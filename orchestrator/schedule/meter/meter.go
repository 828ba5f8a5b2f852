// Package meter adds up what a run uses, attempts that still run included, and says when one of its caps is reached.
//
// It owns no table and no file: the ledger has the numbers of the ended attempts.
package meter

import (
	"fmt"
	"sync"

	"github.com/devflow-suite/devflow/orchestrator"
)

// CapError is the cause by which worker turns end when a cap of the run is reached.
type CapError struct{ what string }

// Error says which cap, and how much is used.
func (e *CapError) Error() string { return e.what }

// Meter is what the run has used: the ended attempts by the ledger, the running ones by what their workers say.
// It may be used from many goroutines.
type Meter struct {
	tokens  int64
	money   float64
	reached func(error)

	mu    sync.Mutex
	usage orchestrator.Usage
	cost  float64
	live  map[string]used // by fence
}

// New makes a meter that stands at what was used before. A cap of 0 is none; money is in USD. reached is called with a *CapError
// whenever a cap is found reached, also more than once, and never under a lock of the meter.
func New(tokens int64, money float64, u orchestrator.Usage, cost float64, reached func(error)) *Meter {
	return &Meter{tokens: tokens, money: money, usage: u, cost: cost, reached: reached, live: map[string]used{}}
}

type used struct {
	usage orchestrator.Usage
	cost  float64
}

// Running notes what a running attempt has used so far; the numbers of one attempt never shrink.
func (m *Meter) Running(a orchestrator.Attempt, u orchestrator.Usage, cost float64) {
	m.mu.Lock()
	l := m.live[a.Fence]
	if u.Tokens() >= l.usage.Tokens() {
		l.usage = u
	}
	l.cost = max(l.cost, cost)
	m.live[a.Fence] = l
	err := m.check()
	m.mu.Unlock()
	if err != nil {
		m.reached(err)
	}
}

// End gives what an attempt has used in all, the larger of what its report says and what was seen, and counts that.
func (m *Meter) End(a orchestrator.Attempt, u orchestrator.Usage, cost float64) (orchestrator.Usage, float64) {
	m.mu.Lock()
	l := m.live[a.Fence]
	delete(m.live, a.Fence)
	if l.usage.Tokens() > u.Tokens() {
		u = l.usage
	}
	cost = max(cost, l.cost)
	m.usage, m.cost = m.usage.Add(u), m.cost+cost
	err := m.check()
	m.mu.Unlock()
	if err != nil {
		m.reached(err)
	}
	return u, cost
}

func (m *Meter) check() error {
	u, cost := m.usage, m.cost
	for _, l := range m.live {
		u, cost = u.Add(l.usage), cost+l.cost
	}
	switch {
	case m.tokens > 0 && u.Tokens() >= m.tokens:
		return &CapError{fmt.Sprintf("the cap of %d tokens is reached: %d are used", m.tokens, u.Tokens())}
	case m.money > 0 && cost >= m.money:
		return &CapError{fmt.Sprintf("the cap of $%.2f is reached: $%.2f is spent", m.money, cost)}
	}
	return nil
}

// Check tells reached when a cap is reached already.
func (m *Meter) Check() {
	m.mu.Lock()
	err := m.check()
	m.mu.Unlock()
	if err != nil {
		m.reached(err)
	}
}
