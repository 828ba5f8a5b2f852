package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockPoll is the pause between two tries for a lock that somebody else holds.
const lockPoll = 10 * time.Millisecond

// lockFile takes an flock on a file, which is created with its folder. It waits until ctx ends. The kernel gives the lock
// back when its holder dies.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
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
		timer := time.NewTimer(lockPoll)
		select {
		case <-ctx.Done():
			timer.Stop()
			f.Close()
			return nil, fmt.Errorf("wait for another judge run: %w", context.Cause(ctx))
		case <-timer.C:
		}
	}
}

// encode is the JSON of a list of strings.
func encode(list []string) string {
	data, err := json.Marshal(list)
	if err != nil {
		return "[]" // unreachable: strings always encode
	}
	return string(data)
}
