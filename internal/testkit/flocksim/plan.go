package flocksim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Task is a piece of simulated work.
type Task struct {
	ID, Region string
	After      []string      // ids
	Takes      time.Duration // of a worker's attempt that does the whole of it
	Unchecked  bool          // it has no acceptance check
	Faults     Faults
}

// Faults are what goes wrong with a task. Numbers count attempts, from the first; each kind in the order of the fields, so that a task
// with Infra 1 and Wrong 1 fails by infrastructure, then by its work, and is done in its third attempt.
type Faults struct {
	Infra   int      // attempts that end by an infrastructure error, in the middle of the work
	Error   int      // that end by an error of the work, with nothing done
	Hang    int      // that never end by themselves
	Wrong   int      // that leave wrong work
	Outside int      // that change another region's folder, too
	Turns   int      // that do all the work and then reach the limit of turns
	Poison  int      // whose work is right in its own tree and red in a merged one
	Clash   int      // whose work changes a file that all clashing tasks change
	Idle    int      // that change nothing and say that they are done
	Deaf    bool     // never ends, and ignores that it is told to
	Asks    []string // regions that each attempt asks for a change
}

// Scenario is a run to simulate.
type Scenario struct {
	Regions  []string
	Tasks    []Task
	Settings orchestrator.Settings
	Blind    bool // Makespan does not tell the scheduler how long tasks take
}

// Shape says what Random makes.
type Shape struct {
	Regions, Tasks int
	After          int           // dependencies of a task, at most
	Unit           time.Duration // a task takes one to ten of it, evenly
}

// Random makes a scenario without faults: tasks depend on earlier ones of any region, and all regions have about the same work, as
// after packing, which makes it hard to schedule. The same seed gives the same scenario.
func Random(seed uint64, s Shape) Scenario {
	random := rand.New(rand.NewPCG(seed, 0))
	sc := Scenario{Settings: orchestrator.Settings{Attempts: 3, TaskTimeout: 100 * s.Unit}}
	for i := range s.Regions {
		sc.Regions = append(sc.Regions, fmt.Sprintf("r%02d", i))
	}
	load := make([]time.Duration, s.Regions)
	for i := range s.Tasks {
		lightest := 0
		for r := range load {
			if load[r] < load[lightest] {
				lightest = r
			}
		}
		t := Task{ID: fmt.Sprintf("t%03d", i), Region: sc.Regions[lightest], Takes: s.Unit + time.Duration(random.Int64N(int64(9*s.Unit)))}
		load[lightest] += t.Takes
		if i > 0 && s.After > 0 {
			chosen := map[int]bool{}
			for range random.IntN(s.After + 1) {
				if d := i - 1 - random.IntN(min(i, 4*s.Regions)); !chosen[d] {
					chosen[d] = true
					t.After = append(t.After, sc.Tasks[d].ID)
				}
			}
		}
		sc.Tasks = append(sc.Tasks, t)
	}
	return sc
}

// Rows gives what a ledger has to know of the scenario. With folders, a region's module has a folder of its name; without, the
// region's files lie in it all the same, but nobody makes it.
func (sc Scenario) Rows(id orchestrator.RunID, folders bool) (orchestrator.Run, []orchestrator.RegionState, []orchestrator.TaskRow) {
	run := orchestrator.Run{ID: id, Project: "/sim", Mode: orchestrator.ModeFixed, Settings: sc.Settings}
	var regions []orchestrator.RegionState
	for _, r := range sc.Regions {
		m := orchestrator.Module{Name: r, Weight: 1}
		if folders {
			m.Path = r
		}
		run.Plan.Modules = append(run.Plan.Modules, m)
		regions = append(regions, orchestrator.RegionState{Run: id, Name: r, Modules: []string{r}})
	}
	var tasks []orchestrator.TaskRow
	for _, t := range sc.Tasks {
		task := orchestrator.Task{ID: t.ID, Module: t.Region, Description: "simulated work " + t.ID, DependsOn: t.After}
		if !t.Unchecked {
			task.Acceptance = "done " + t.ID
		}
		run.Plan.Tasks = append(run.Plan.Tasks, task)
		tasks = append(tasks, orchestrator.TaskRow{Task: task, Run: id, Region: t.Region})
	}
	return run, regions, tasks
}
