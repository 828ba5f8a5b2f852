package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Alive reports whether process pid runs and is the one that started at start (Child.Started). One that has ended and
// only waits to be collected does not run. It is false for start 0, which is an unknown time.
func Alive(pid int, start int64) bool {
	if pid <= 0 || start <= 0 {
		return false
	}
	now, running := startTime(pid)
	return running && now == start
}

// StopGroup ends the process group of a child that an earlier process of ours left running: TERM, DefaultGrace, KILL.
// It does nothing unless Alive(pid, start), so it never hits a stranger that got the number later. When ctx ends first
// the group is killed at once and the cause returned. The error says when the group could not be signalled.
func StopGroup(ctx context.Context, pid int, start int64) error {
	if !Alive(pid, start) {
		return nil
	}
	if err := signalGroup(pid, syscall.SIGTERM); errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop group %d: it leads no group", pid)
	} else if err != nil {
		return fmt.Errorf("stop group %d: %w", pid, err)
	}
	deadline := time.NewTimer(DefaultGrace)
	defer deadline.Stop()
	tick := time.NewTicker(groupPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			_ = signalGroup(pid, syscall.SIGKILL)
			return fmt.Errorf("stop group %d: %w", pid, context.Cause(ctx))
		case <-deadline.C:
			_ = signalGroup(pid, syscall.SIGKILL)
			return nil
		case <-tick.C:
			if syscall.Kill(-pid, 0) != nil {
				return nil
			}
			if !Alive(pid, start) { // its leader was the one that could end in order
				_ = signalGroup(pid, syscall.SIGKILL)
				return nil
			}
		}
	}
}
