// Package flock lets one process at a time do something, by a lock on a file that the kernel gives back when its holder
// dies. It owns no file: callers name one, and leave it there.
package flock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// poll is the pause between two tries for a lock that somebody else holds.
const poll = 10 * time.Millisecond

// Lock takes an flock on a file, which is created with its folder. It waits until ctx ends. The kernel gives the lock
// back when its holder dies. unlock may be called once. The error wraps the cause of ctx when it ended first.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make folder of lock: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil // closing gives the lock back
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		timer := time.NewTimer(poll)
		select {
		case <-ctx.Done():
			timer.Stop()
			f.Close()
			return nil, fmt.Errorf("wait for the lock: %w", context.Cause(ctx))
		case <-timer.C:
		}
	}
}
