package flock_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/internal/flock"
)

func TestOneHolderAtATime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "lock")
	unlock, err := flock.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ended := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ended)
	if _, err := flock.Lock(ctx, path); !errors.Is(err, ended) {
		t.Errorf("second holder: %v, want the cause of the context", err)
	}
	unlock()
	again, err := flock.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	again()
}
