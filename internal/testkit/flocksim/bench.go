package flocksim

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// Measure is how long a simulated run took.
type Measure struct {
	Makespan time.Duration // from the start of Run to its end
	List     time.Duration // of an ideal list scheduler that knows all times: longest chain first, nothing costs anything
	Floor    time.Duration // that no schedule can beat: the longest chain, and each region's work with what must surround it
	Attempts int
}

// Makespan drives a scenario without faults, on a ledger in folder dir and trees in memory, and measures. Under testing/synctest the
// time is simulated; otherwise it is real, and Shape.Unit says how long it takes.
func Makespan(ctx context.Context, dir string, sc Scenario) (Measure, error) {
	db, err := store.Open(filepath.Join(dir, "flocksim.db"), store.Options{})
	if err != nil {
		return Measure{}, err
	}
	defer func() { _ = db.Close() }() // nothing of it is read again
	ledger := orchestrator.Open(db, time.Now)
	id := orchestrator.NewRunID(time.Now())
	if err := ledger.Create(sc.Rows(id, false)); err != nil {
		return Measure{}, err
	}
	memory := NewMemory()
	world := &World{Scenario: sc, Files: memory, Root: memory.Root}
	takes := map[string]time.Duration{}
	for _, t := range sc.Tasks {
		takes[t.ID] = t.Takes
	}
	start := time.Now()
	sum, err := schedule.Run(ctx, schedule.Options{Run: id, Ledger: ledger, Trees: memory, Worker: world.Worker, Verifier: world, Regions: world.Regions(),
		Settings: sc.Settings, Weight: func(t orchestrator.TaskRow) float64 {
			if sc.Blind {
				return 1
			}
			return takes[t.ID].Seconds()
		}})
	m := Measure{Makespan: time.Since(start), Attempts: len(world.Starts())}
	switch wrong := append(world.Violations(), world.Audit(ids(sc), func(name string) (string, bool) { c, ok := memory.Result()[name]; return c, ok })...); {
	case err != nil:
		return m, err
	case sum.State != orchestrator.RunDone:
		return m, fmt.Errorf("run is %s: %s", sum.State, sum.Reason)
	case len(wrong) > 0:
		return m, fmt.Errorf("run is wrong: %s", wrong[0])
	}
	m.List, m.Floor = sc.bounds()
	return m, nil
}

func ids(sc Scenario) (out []string) {
	for _, t := range sc.Tasks {
		out = append(out, t.ID)
	}
	return out
}

// bounds computes both bounds, independently of the packages that are measured. Tasks depend on earlier ones only.
func (sc Scenario) bounds() (list, floor time.Duration) {
	at := map[string]int{}
	for i, t := range sc.Tasks {
		at[t.ID] = i
	}
	n := len(sc.Tasks)
	head, tail := make([]time.Duration, n), make([]time.Duration, n)
	next := make([][]int, n)
	for i, t := range sc.Tasks {
		for _, d := range t.After {
			head[i] = max(head[i], head[at[d]]+sc.Tasks[at[d]].Takes)
			next[at[d]] = append(next[at[d]], i)
		}
	}
	for i := n - 1; i >= 0; i-- {
		tail[i] = sc.Tasks[i].Takes
		for _, j := range next[i] {
			tail[i] = max(tail[i], sc.Tasks[i].Takes+tail[j])
		}
	}
	for i := range n {
		floor = max(floor, head[i]+tail[i])
	}
	for _, r := range sc.Regions { // the work that can only start at some moment, and the least that must follow it
		for i, t := range sc.Tasks {
			var work time.Duration
			after := time.Duration(1) << 62
			for j, u := range sc.Tasks {
				if u.Region == r && t.Region == r && head[j] >= head[i] {
					work += u.Takes
					after = min(after, tail[j]-u.Takes)
				}
			}
			if work > 0 {
				floor = max(floor, head[i]+work+after)
			}
		}
	}
	return sc.list(at, next, tail), floor
}

func (sc Scenario) list(at map[string]int, next [][]int, tail []time.Duration) time.Duration {
	n := len(sc.Tasks)
	open, ready, end := make([]int, n), map[string][]int{}, map[string]time.Duration{}
	busy := map[string]int{}
	for i, t := range sc.Tasks {
		if open[i] = len(t.After); open[i] == 0 {
			ready[t.Region] = append(ready[t.Region], i)
		}
	}
	now := time.Duration(0)
	for {
		for _, r := range sc.Regions {
			if _, works := busy[r]; works || len(ready[r]) == 0 {
				continue
			}
			best := 0
			for k, i := range ready[r] {
				if tail[i] > tail[ready[r][best]] {
					best = k
				}
			}
			i := ready[r][best]
			ready[r] = append(ready[r][:best:best], ready[r][best+1:]...)
			busy[r], end[r] = i, now+sc.Tasks[i].Takes
		}
		if len(busy) == 0 {
			return now
		}
		soonest := time.Duration(1) << 62
		for r := range busy {
			soonest = min(soonest, end[r])
		}
		now = soonest
		for r, i := range busy {
			if end[r] > now {
				continue
			}
			delete(busy, r)
			for _, j := range next[i] {
				if open[j]--; open[j] == 0 {
					ready[sc.Tasks[j].Region] = append(ready[sc.Tasks[j].Region], j)
				}
			}
		}
	}
}
