package pack

import (
	"math"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Weights that package plan accepts. What lies outside is moved to the nearest, and what is no number counts as small.
const minWeight, maxWeight, smallWeight = 0.1, 100, 1

// weightOf gives a weight that arithmetic can trust.
func weightOf(m orchestrator.Module) float64 {
	if math.IsNaN(m.Weight) {
		return smallWeight
	}
	return min(max(m.Weight, minWeight), maxWeight)
}

// graph is a plan as numbers. Dependencies on unknown tasks and on oneself are left out; of several tasks with one id the first is
// meant. A module without tasks gets one of its own, so that its weight is not lost.
type graph struct {
	weights []float64 // of modules
	module  []int     // of each task; -1 when its module is unknown
	cost    []float64 // of each task: the module's weight spread evenly over its tasks
	deps    [][]int32
	next    [][]int32 // the other way
	order   []int32   // every task behind those it depends on; shorter than the tasks when there is a cycle
	head    []float64 // when a task can start at the earliest, with a worker for each task
	tail    []float64 // from the start of a task to the end of the longest chain that hangs on it
}

func newGraph(p orchestrator.Plan) *graph {
	g := &graph{}
	byName := make(map[string]int, len(p.Modules))
	for i, m := range p.Modules {
		g.weights = append(g.weights, weightOf(m))
		if _, twice := byName[m.Name]; !twice {
			byName[m.Name] = i
		}
	}
	byID := make(map[string]int32, len(p.Tasks))
	count := make([]int, len(p.Modules))
	for i, t := range p.Tasks {
		m, known := byName[t.Module]
		if !known {
			m = -1
		} else {
			count[m]++
		}
		g.module = append(g.module, m)
		if _, twice := byID[t.ID]; !twice {
			byID[t.ID] = int32(i)
		}
	}
	g.deps = make([][]int32, len(p.Tasks))
	for i, t := range p.Tasks {
		for _, id := range t.DependsOn {
			if d, known := byID[id]; known && d != int32(i) {
				g.deps[i] = append(g.deps[i], d)
			}
		}
	}
	for m, n := range count {
		if n == 0 {
			g.module, g.deps, count[m] = append(g.module, m), append(g.deps, nil), 1
		}
	}
	for _, m := range g.module {
		cost := float64(smallWeight)
		if m >= 0 {
			cost = g.weights[m] / float64(count[m])
		}
		g.cost = append(g.cost, cost)
	}
	g.sort()
	return g
}

// sort fills next, order, head and tail. Kahn's algorithm: no recursion, whatever the length of a chain.
func (g *graph) sort() {
	n := len(g.cost)
	g.next, g.head, g.tail = make([][]int32, n), make([]float64, n), make([]float64, n)
	open := make([]int, n)
	for i, deps := range g.deps {
		open[i] = len(deps)
		for _, d := range deps {
			g.next[d] = append(g.next[d], int32(i))
		}
	}
	g.order = make([]int32, 0, n)
	for i := range n {
		if open[i] == 0 {
			g.order = append(g.order, int32(i))
		}
	}
	for k := 0; k < len(g.order); k++ {
		i := g.order[k]
		for _, j := range g.next[i] {
			g.head[j] = max(g.head[j], g.head[i]+g.cost[i])
			if open[j]--; open[j] == 0 {
				g.order = append(g.order, j)
			}
		}
	}
	for k := len(g.order) - 1; k >= 0; k-- {
		i := g.order[k]
		longest := 0.0
		for _, j := range g.next[i] {
			longest = max(longest, g.tail[j])
		}
		g.tail[i] = g.cost[i] + longest
	}
}

func (g *graph) cyclic() bool { return len(g.order) < len(g.cost) }

// total is the work of all tasks.
func (g *graph) total() float64 {
	sum := 0.0
	for _, c := range g.cost {
		sum += c
	}
	return sum
}
