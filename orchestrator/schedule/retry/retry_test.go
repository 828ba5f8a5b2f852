package retry_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator/schedule/retry"
)

func TestDelayDoublesUpToTheMost(t *testing.T) {
	t.Parallel()
	b := retry.Backoff{First: time.Second, Most: 10 * time.Second}.WithDefaults()
	for n, want := range []time.Duration{time.Second, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second} {
		if got := b.Delay(n); got != want {
			t.Errorf("delay %d is %s, want %s", n, got, want)
		}
	}
	if got := b.Delay(1 << 40); got != 10*time.Second {
		t.Errorf("delay after very many is %s", got)
	}
}

func TestPersistOutlivesABusyDatabaseOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := retry.Backoff{Tries: 4}.WithDefaults()
		for _, passing := range []error{store.ErrBusy, store.ErrFull} {
			n := 0
			if err := b.Persist(t.Context(), slog.New(slog.DiscardHandler), func() error {
				if n++; n < 3 {
					return fmt.Errorf("write: %w", passing)
				}
				return nil
			}); err != nil || n != 3 {
				t.Errorf("%v: %d tries, %v", passing, n, err)
			}
		}
		n := 0
		if err := b.Persist(t.Context(), slog.New(slog.DiscardHandler), func() error { n++; return store.ErrBusy }); !errors.Is(err, store.ErrBusy) || n != 4 {
			t.Errorf("always busy: %d tries, %v", n, err)
		}
		n = 0
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Persist(ended, slog.New(slog.DiscardHandler), func() error { n++; return nil }); err != nil || n != 1 {
			t.Errorf("after the end of the context: %d tries, %v", n, err)
		}
		n = 0
		if err := b.Persist(t.Context(), slog.New(slog.DiscardHandler), func() error { n++; return store.ErrClosed }); err == nil || n != 1 {
			t.Errorf("closed: %d tries, %v", n, err)
		}
	})
}

func TestStepTriesThreeTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		n := 0
		start := time.Now()
		err := retry.Backoff{}.WithDefaults().Step(t.Context(), func() error { n++; return broken })
		if !errors.Is(err, broken) || n != 3 || time.Since(start) != 6*time.Second {
			t.Errorf("%d tries in %s: %v", n, time.Since(start), err)
		}
	})
}

func TestWithinLeavesTheDeaf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		release := make(chan struct{})
		start := time.Now()
		if retry.Within(ctx, time.Minute, func() { <-release }) || time.Since(start) != 61*time.Second {
			t.Errorf("ended after %s", time.Since(start))
		}
		close(release)
		if !retry.Within(ctx, time.Minute, func() {}) {
			t.Error("one that ends was left")
		}
	})
}
