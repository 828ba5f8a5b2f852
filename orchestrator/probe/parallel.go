package probe

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const (
	atOnce         = 4
	withinParallel = 4 * time.Minute
)

// parallel asks several times at once and sees how many of the answers run side by side.
func (p *prober) parallel(ctx context.Context) {
	p.doing("parallel: %d at once", atOnce)
	var (
		mu      sync.Mutex
		started int
		beside  int // started before the first one ended
		ended   bool
		wg      sync.WaitGroup
	)
	answers := make([]*wire.Answer, atOnce)
	for i := range atOnce {
		r := p.request(200, fmt.Sprintf("Session %s. "+numbers, p.fresh(), 60)).with(request{"stream": true})
		wg.Go(func() {
			a := p.askWith(ctx, p.server, r, "", withinParallel, func() {
				mu.Lock()
				defer mu.Unlock()
				if started++; !ended {
					beside = started
				}
			})
			mu.Lock()
			defer mu.Unlock()
			ended = ended || a.Failure == nil
			answers[i] = a
		})
	}
	wg.Wait()
	p.beside(answers, beside)
}

func (p *prober) beside(answers []*wire.Answer, beside int) {
	good := 0
	var worst *wire.Failure
	var longest time.Duration
	for _, a := range answers {
		if a.Failure == nil {
			good++
			longest = max(longest, a.Total)
			continue
		}
		if a.Failure.Kind == wire.Ended {
			return
		}
		worst = a.Failure
	}
	if good == 0 {
		p.failed("parallel", Warn, worst)
		p.report.Parallel = 1
		return
	}
	n := max(min(beside, good), 1)
	if p.slots > 0 {
		n = min(n, p.slots)
	}
	p.report.Parallel = n
	detail := fmt.Sprintf("%d of %d answered, %d side by side, the last after %s", good, atOnce, n, seconds(longest))
	switch {
	case worst != nil:
		p.line("parallel", Warn, detail+"; "+worst.Text, fmt.Sprintf("use %d workers here at most; %s", n, worst.Advice()))
	case n == 1:
		p.line("parallel", Warn, detail+": one conversation waits for the other", "use one worker here, or more slots (llama-server: -np N with N times the context)")
	case n < atOnce:
		p.line("parallel", Pass, detail, fmt.Sprintf("use %d workers here at most", n))
	default:
		p.line("parallel", Pass, detail, "")
	}
}
