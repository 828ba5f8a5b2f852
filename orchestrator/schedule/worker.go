package schedule

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/schedule/retry"
)

// employ makes the region's worker when it has none. Workers start one after the other, Options.Stagger apart.
func (c *cycle) employ(soft context.Context) error {
	if c.g.worker != nil {
		return nil
	}
	r, at := c.r, c.g.slot
	if at.IsZero() {
		at = r.slot()
	}
	c.g.slot = time.Time{}
	if err := retry.Wait(soft, at.Sub(r.o.Now())); err != nil {
		return err
	}
	w, err := r.o.Worker(c.g.Name)
	if err != nil {
		return fmt.Errorf("make worker: %w", err)
	}
	c.g.worker = w
	return nil
}

// slot gives the next moment at which a worker may start.
func (r *run) slot() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.o.Now()
	if r.startAt.After(at) {
		at = r.startAt
	}
	r.startAt = at.Add(r.o.Stagger)
	return at
}

// dismiss closes the workers of regions, all at once. One that does not end is left after the grace period: its process is the
// ledger's, and the next Run ends it.
func (r *run) dismiss(regions ...*region) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	var all sync.WaitGroup
	for _, g := range regions {
		w := g.worker
		g.worker = nil
		if w == nil {
			continue
		}
		all.Go(func() {
			if !retry.Within(over, r.o.Grace, func() {
				if err := w.Close(); err != nil {
					r.o.Log.Warn("close worker", "region", g.Name, "error", err)
				}
			}) {
				r.o.Log.Error("close worker: it did not end", "region", g.Name, "grace", r.o.Grace)
			}
		})
	}
	all.Wait()
}
