package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
)

// The simulated runs: so many regions and tasks, each with up to so many dependencies; a task takes one to some units of real time.
const (
	flockRegions = 12
	flockTasks   = 200
	flockAfter   = 3
	flockUnit    = 100 * time.Millisecond
	flockRuns    = 3
)

// flockTable measures how long the scheduler of devflock takes for tasks of known length, on real rows, against a list scheduler that
// knows all lengths and costs nothing.
func flockTable(w *world, _ options, r *report) error {
	r.title("devflock: %d simulated runs of %d tasks in %d regions, real rows", flockRuns, flockTasks, flockRegions)
	worst := 0.0
	for seed := range uint64(flockRuns) {
		dir := filepath.Join(w.path("flock"), fmt.Sprint(seed))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		m, err := flocksim.Makespan(context.Background(), dir, flocksim.Random(seed, flocksim.Shape{Regions: flockRegions, Tasks: flockTasks, After: flockAfter, Unit: flockUnit}))
		if err != nil {
			return fmt.Errorf("simulate run %d: %w", seed, err)
		}
		ratio := float64(m.Makespan) / float64(m.List)
		fmt.Fprintf(r.out, "run %d: %s, list scheduling %s, ratio %.3f\n", seed, m.Makespan.Round(time.Millisecond), m.List, ratio)
		worst = max(worst, ratio)
	}
	r.bound("devflock makespan against list scheduling, worst of 3", worst, 1.05, 1.02)
	return nil
}
