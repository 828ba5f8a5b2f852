// Package pool runs independent pieces of work, a bounded number at once. It is what the judge's swarm fans out with (it has the Run
// of judge/swarm.Fanout), and imports nothing, so that a hook program can use it without the rest of the scheduler.
//
// It owns no table and no file.
package pool

import (
	"context"
	"sync"
)

// Pool runs independent pieces of work, at most N of them at once; 0 = all. It has no state and may be used from many goroutines.
type Pool struct{ N int }

// Run starts the tasks in their order and returns when all that were started have ended. Those that had not started when ctx ended
// are left out.
func (p Pool) Run(ctx context.Context, tasks []func(ctx context.Context)) {
	n := p.N
	if n <= 0 || n > len(tasks) {
		n = len(tasks)
	}
	slots := make(chan struct{}, max(n, 1))
	var all sync.WaitGroup
	defer all.Wait()
	for _, task := range tasks {
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		if ctx.Err() != nil {
			return
		}
		all.Go(func() {
			defer func() { <-slots }()
			task(ctx)
		})
	}
}
