// Package retry waits after failures that are not the work's, longer each time, and gives up after a while.
//
// It knows which errors of the store pass by themselves. It owns no table and no file.
package retry

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Backoff says how to go on after infrastructure failed: wait, twice as long each time, and give up after so many in a row.
type Backoff struct {
	First time.Duration // 0 = two seconds
	Most  time.Duration // 0 = two minutes
	Tries int           // in a row, at one place, without anything but infrastructure errors; 0 = 8
}

// stepTries is how often a step of git, of the verifier or of the judge is tried before its attempt is given up as infrastructure's.
const stepTries = 3

// WithDefaults gives b with the documented numbers for zeros.
func (b Backoff) WithDefaults() Backoff {
	if b.First <= 0 {
		b.First = 2 * time.Second
	}
	if b.Most <= 0 {
		b.Most = 2 * time.Minute
	}
	if b.Tries <= 0 {
		b.Tries = 8
	}
	return b
}

// Delay is how long to wait after the nth failure in a row, from 1.
func (b Backoff) Delay(n int) time.Duration {
	d := b.First
	for ; n > 1 && d < b.Most; n-- {
		d *= 2
	}
	return min(d, b.Most)
}

// Wait waits, or gives the cause of the context's end.
func Wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Step tries a step that infrastructure can fail, a few times; the error is that of the last one.
func (b Backoff) Step(ctx context.Context, step func() error) error {
	for n := 1; ; n++ {
		err := step()
		if err == nil || n == stepTries || Wait(ctx, b.Delay(n)) != nil {
			return err
		}
	}
}

// Persist writes a row: at least once, whatever the context, and again while others hold the database or the disk is full.
func (b Backoff) Persist(ctx context.Context, log *slog.Logger, write func() error) error {
	for n := 1; ; n++ {
		err := write()
		passing := errors.Is(err, store.ErrBusy) || errors.Is(err, store.ErrFull)
		if err == nil || !passing || n >= b.Tries {
			return err
		}
		log.Warn("write row", "try", n, "error", err)
		if Wait(ctx, b.Delay(n)) != nil {
			return err
		}
	}
}

// Within runs fn and returns when it has, or when it has not d after the end of ctx; then it goes on without anybody waiting for it,
// and the answer is false.
func Within(ctx context.Context, d time.Duration, fn func()) bool {
	ended := make(chan struct{})
	go func() { fn(); close(ended) }()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
		return true
	case <-t.C:
		return false
	}
}
