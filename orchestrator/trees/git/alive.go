package git

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// markKey is a setting that git does not know: it only makes our processes recognisable, whoever started them and died.
const markKey = "devflock.mark="

// poll is the pause between two looks at something that another process holds.
const poll = 10 * time.Millisecond

// Alive gives how many processes were started by a Runner whose Mark is mark or a path below it. An empty mark stands for all.
// Processes of other users count where the system shows them.
func Alive(ctx context.Context, mark string) (int, error) {
	n := 0
	err := arguments(ctx, func(argv string) {
		if at := strings.Index(argv, markKey+mark); at >= 0 {
			rest := argv[at+len(markKey)+len(mark):]
			if mark == "" || rest == "" || rest[0] == '/' || rest[0] == 0 || rest[0] == ' ' {
				n++
			}
		}
	})
	if err != nil {
		return 0, fmt.Errorf("list processes: %w", err)
	}
	return n, nil
}

// Settle waits until no process of that mark is left. The error wraps the cause of ctx when it ended first.
func Settle(ctx context.Context, mark string) error {
	for {
		n, err := Alive(ctx, mark)
		if err != nil || n == 0 {
			return err
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("wait for a git that a dead orchestrator left: %w", err)
		}
	}
}

// LockFolder takes an flock on a folder itself, so that no file has to be made in it. It waits until ctx ends. The kernel gives the
// lock back when its holder dies. unlock may be called once.
func LockFolder(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lock folder: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			f.Close()
			return nil, fmt.Errorf("lock folder %s: %w", dir, err)
		}
		if err := pause(ctx); err != nil {
			f.Close()
			return nil, fmt.Errorf("wait for the lock on %s: %w", dir, err)
		}
	}
}

func pause(ctx context.Context) error {
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
