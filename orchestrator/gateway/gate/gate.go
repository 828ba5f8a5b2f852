// Package gate lets those who use the same endpoint share what they learn about it: how many requests it takes at once, and that it
// wants to be left alone for a while.
//
// A gate holds no connection and no request; who was admitted tells it how that went. It owns no file.
package gate

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Set holds one gate per key. The zero value is an empty set. Safe for concurrent use.
type Set struct {
	mu    sync.Mutex
	gates map[string]*Gate
}

// Gate gives the gate of a key, always the same one.
func (s *Set) Gate(key string) *Gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.gates[key]
	if g == nil {
		if s.gates == nil {
			s.gates = map[string]*Gate{}
		}
		g = &Gate{}
		s.gates[key] = g
	}
	return g
}

// Gate is the way to one endpoint. It admits first come, first served; after a failure that concerns everybody it stays shut for
// the pause, then lets as many through at once as were being served when the endpoint refused more; one if there was none. With
// successes the bound grows: by one each up to where it was refused, beyond that ever more slowly, until it is where it was
// before the first refusal and is forgotten. The zero value is open. Safe for concurrent use.
type Gate struct {
	mu     sync.Mutex
	queue  []*waiter
	active int
	limit  int // learned; 0: none
	level  int // requests at work at the first refusal: when the limit has grown over it, it is forgotten
	known  int // so many were served while more were refused
	need   int // successes that it takes to let in one more than known
	credit int // successes since the limit changed
	shut   time.Time
	fails  int // in a row, of those that concern everybody
}

type waiter struct {
	most  int
	admit chan struct{} // closed when admitted, under the gate's lock
	in    bool
}

// Dead is the number of failures in a row from which an endpoint is called dead.
const Dead = 3

// slowest is the largest number of successes that one more request at once costs.
const slowest = 64

// State is a gate at one moment.
type State struct {
	Active, Waiting int
	Limit           int       // learned bound of requests at once; 0: none
	Shut            time.Time // nobody is let in before; zero or past: open
	Fails           int       // failures in a row
}

// State gives the present state.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return State{g.active, len(g.queue), g.limit, g.shut, g.fails}
}

// ErrLate says that the deadline would pass before the gate opens.
var ErrLate = errors.New("the endpoint is busy, or wants to be left alone, for longer than there is time")

// Ask is a request for admission.
type Ask struct {
	Most     int       // requests at once that the endpoint takes at most; 0: not known
	Deadline time.Time // time until which it pays to wait; zero: for ever
	Queued   func()    // called once when it has to wait at all; may be nil
}

// Enter waits until the gate admits. The error is ErrLate or the cause of ctx. Whoever was admitted calls [Pass.Leave].
func (g *Gate) Enter(ctx context.Context, a Ask) (*Pass, error) {
	g.mu.Lock()
	if len(g.queue) == 0 && g.free(a.Most) && !time.Now().Before(g.shut) {
		g.active++
		g.mu.Unlock()
		return &Pass{gate: g}, nil
	}
	w := &waiter{most: a.Most, admit: make(chan struct{})}
	g.queue = append(g.queue, w)
	g.mu.Unlock()
	if a.Queued != nil {
		a.Queued()
	}
	timer := time.NewTimer(0) // the first look is at once
	defer timer.Stop()
	for {
		select {
		case <-w.admit:
			return &Pass{gate: g}, nil
		case <-ctx.Done():
			if g.drop(w) {
				return nil, context.Cause(ctx)
			}
			return &Pass{gate: g}, nil
		case <-timer.C:
		}
		now := time.Now()
		wait := g.look(now)
		if !a.Deadline.IsZero() {
			left := a.Deadline.Sub(now)
			if left <= 0 && g.drop(w) {
				return nil, ErrLate
			}
			wait = min(wait, max(left, time.Millisecond))
		}
		timer.Reset(wait)
	}
}

// longLook is how often somebody who waits behind others looks at the clock.
const longLook = 5 * time.Second

// look admits whoever can go and says how long to wait for the next look.
func (g *Gate) look(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Before(g.shut) {
		return g.shut.Sub(now)
	}
	g.advance(now)
	return longLook
}

func (g *Gate) free(most int) bool {
	return (most <= 0 || g.active < most) && (g.limit <= 0 || g.active < g.limit)
}

// advance admits from the head of the queue. The lock is held.
func (g *Gate) advance(now time.Time) {
	if now.Before(g.shut) {
		return
	}
	for len(g.queue) > 0 && g.free(g.queue[0].most) {
		w := g.queue[0]
		g.queue[0] = nil
		g.queue = g.queue[1:]
		g.active++
		w.in = true
		close(w.admit)
	}
}

// drop takes a waiter out of the queue; false when it was admitted already.
func (g *Gate) drop(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.in {
		return false
	}
	for i, q := range g.queue {
		if q == w {
			g.queue = append(g.queue[:i:i], g.queue[i+1:]...)
			break
		}
	}
	g.advance(time.Now())
	return true
}

// Pass is one admission. Its methods are for one goroutine.
type Pass struct {
	gate *Gate
	left bool
	told bool
}

// Leave gives the place back. It may be called twice.
func (p *Pass) Leave() {
	if p == nil || p.left {
		return
	}
	p.left = true
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	g.advance(time.Now())
}

// Served tells that the endpoint has begun to answer. revived is true when it was called dead before.
func (p *Pass) Served() (revived bool) {
	if p.told {
		return false
	}
	p.told = true
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	revived = g.fails >= Dead
	g.fails = 0
	if g.limit > 0 {
		g.credit++
		if g.limit < g.known || g.credit >= g.need {
			g.limit, g.credit = g.limit+1, 0
		}
		if g.limit > g.level {
			g.limit, g.known, g.need = 0, 0, 0
		}
	}
	g.advance(time.Now())
	return revived
}

// Refused tells that the endpoint as a whole failed, gives the place back and shuts the gate. pause says how long, given the number
// of failures in a row; what is shut for longer stays so. died is true when the endpoint is called dead from now on.
func (p *Pass) Refused(pause func(fails int) time.Duration) (shut time.Time, died bool) {
	if p.left {
		return time.Time{}, false
	}
	p.left, p.told = true, true
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.limit == 0 {
		g.level = max(g.active, 1)
		g.known = g.level
	}
	g.active--
	if g.active > 0 && g.active < g.known {
		g.known = g.active
	}
	if most := max(g.active, 1); g.limit == 0 || most < g.limit {
		g.limit = most
	}
	g.credit = 0
	// Those who were admitted together fail together: it is one failure.
	if !now.Before(g.shut) {
		g.fails++
		died = g.fails == Dead
		g.need = min(max(2*g.need, g.limit), slowest)
	}
	if until := now.Add(pause(max(g.fails, 1))); until.After(g.shut) {
		g.shut = until
	}
	return g.shut, died
}
