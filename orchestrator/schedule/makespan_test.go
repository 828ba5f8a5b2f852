package schedule_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
)

// The bound of design.md section 10, in simulated time: 12 regions of equal work, 200 tasks. List scheduling that starts the longest
// chain first is the measure; planning from both ends beats it where dependencies are dense, and is never behind.
func TestMakespanIsNearTheBound(t *testing.T) {
	t.Parallel()
	for after := range 5 {
		for seed := range uint64(2) {
			dir := folder(t)
			synctest.Test(t, func(t *testing.T) {
				m, err := flocksim.Makespan(t.Context(), dir, flocksim.Random(seed, flocksim.Shape{Regions: 12, Tasks: 200, After: after, Unit: time.Minute}))
				if err != nil {
					t.Fatal(err)
				}
				list, floor := float64(m.Makespan)/float64(m.List), float64(m.Makespan)/float64(m.Floor)
				t.Logf("up to %d dependencies, seed %d: %s, %.4f of a list schedule, %.4f of the floor", after, seed, m.Makespan, list, floor)
				if list > 1.02 {
					t.Errorf("up to %d dependencies, seed %d: makespan is %.4f of an ideal list schedule, want at most 1.02", after, seed, list)
				}
				if after < 2 && floor > 1.02 {
					t.Errorf("up to %d dependencies, seed %d: makespan is %.4f of what no schedule can beat, want at most 1.02", after, seed, floor)
				}
			})
		}
	}
}
