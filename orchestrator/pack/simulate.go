package pack

import (
	"github.com/devflow-suite/devflow/orchestrator"
)

// Makespan simulates the schedule of a packing and gives its length in units of module weight: a task starts as soon as what it
// depends on has ended and its region is idle, one task at a time in a region, the one with the longest chain behind it first. A
// module's weight is spread evenly over its tasks. Tasks of modules that no region holds run by themselves. A plan with a cycle
// takes the sum of its tasks.
func Makespan(p orchestrator.Plan, regions []orchestrator.Region) float64 {
	g := newGraph(p)
	return newSimulator(g).run(regionOf(p, regions), len(regions))
}

// regionOf gives the region of each module, -1 for none.
func regionOf(p orchestrator.Plan, regions []orchestrator.Region) []int {
	byName := map[string]int{}
	for i, r := range regions {
		for _, m := range r.Modules {
			if _, twice := byName[m.Name]; !twice {
				byName[m.Name] = i
			}
		}
	}
	at := make([]int, len(p.Modules))
	for i, m := range p.Modules {
		r, known := byName[m.Name]
		if !known {
			r = -1
		}
		at[i] = r
	}
	return at
}

// simulator runs schedules of one graph; its buffers are used again.
type simulator struct {
	g       *graph
	open    []int32 // dependencies that have not ended
	ready   []heap[int32]
	started heap[running]
	busy    []bool
}

// running is a task that has been started.
type running struct {
	end    float64
	task   int32
	region int32 // -1 for none
}

func newSimulator(g *graph) *simulator {
	return &simulator{g: g, open: make([]int32, len(g.cost)), started: heap[running]{before: func(a, b running) bool {
		return a.end < b.end || a.end == b.end && a.task < b.task
	}}}
}

// reset makes the buffers ready for a run.
func (s *simulator) reset(regions int) {
	for len(s.ready) < regions {
		s.busy = append(s.busy, false)
		s.ready = append(s.ready, heap[int32]{before: func(a, b int32) bool { // the longest chain first
			if s.g.tail[a] != s.g.tail[b] {
				return s.g.tail[a] > s.g.tail[b]
			}
			return a < b
		}})
	}
	for i := range s.ready {
		s.ready[i].items, s.busy[i] = s.ready[i].items[:0], false
	}
	s.started.items = s.started.items[:0]
}

// run simulates. at gives the region of each module.
func (s *simulator) run(at []int, regions int) float64 {
	g := s.g
	if g.cyclic() {
		return g.total()
	}
	s.reset(regions)
	now := 0.0
	for i, deps := range g.deps {
		if s.open[i] = int32(len(deps)); len(deps) == 0 {
			s.offer(int32(i), at, now)
		}
	}
	for {
		for r := range regions {
			if !s.busy[r] && len(s.ready[r].items) > 0 {
				t := s.ready[r].pop()
				s.busy[r] = true
				s.started.push(running{now + g.cost[t], t, int32(r)})
			}
		}
		if len(s.started.items) == 0 {
			return now
		}
		now = s.started.items[0].end
		for len(s.started.items) > 0 && s.started.items[0].end <= now { // all that end at this moment, before anything starts
			s.end(s.started.pop(), at)
		}
	}
}

func (s *simulator) end(x running, at []int) {
	if x.region >= 0 {
		s.busy[x.region] = false
	}
	for _, j := range s.g.next[x.task] {
		if s.open[j]--; s.open[j] == 0 {
			s.offer(j, at, x.end)
		}
	}
}

// offer puts a task in the queue of its region, or starts it when it has none.
func (s *simulator) offer(t int32, at []int, now float64) {
	if m := s.g.module[t]; m >= 0 && at[m] >= 0 {
		s.ready[at[m]].push(t)
		return
	}
	s.started.push(running{now + s.g.cost[t], t, -1})
}
