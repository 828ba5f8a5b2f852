// Package rank says in which order the tasks of a run should start: the order of the best schedule that it finds by simulating a few.
//
// It is pure arithmetic, the same on every machine. The first schedule starts the task with the longest chain behind it; the others
// come from planning alternately from the end and from the start with the times of the plan before (forward-backward improvement, as
// in resource-constrained project scheduling), and from small shakes of the best. It owns no table and no file.
package rank

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Node is a task that is still to be done.
type Node struct {
	Weight float64 // expected work; anything that is not a positive finite number counts as 1
	Region int     // one task at a time in each; negative = none
	After  []int   // indices of tasks that it waits for; those out of range or equal to its own are ignored
}

// Plan is a simulated schedule.
type Plan struct {
	Start  []float64 // of each task; +Inf for one that can never start (it is in a cycle or behind one)
	Length float64   // when the last one ends
}

const (
	rounds = 12 // of planning from both ends before shaking; more than two rarely improve
	shakes = 60 // our choice: under ten milliseconds with 200 tasks
)

// Best gives the shortest schedule that was found, starting with the longest chain first. A task starts as soon as what it waits for
// has ended and its region is free, the one with the smallest start of the plan before first.
func Best(nodes []Node) Plan {
	g := build(nodes)
	chain := g.tails()
	prefer := make([]float64, len(nodes))
	for i, c := range chain {
		prefer[i] = -c
	}
	best := g.forward(prefer)
	floor := g.floor(chain)
	best = g.alternate(best, floor)
	random := rand.New(rand.NewPCG(1, uint64(len(nodes)))) // the same shakes every time
	for range shakes {
		if best.Length <= floor*(1+1e-9) {
			break
		}
		p := g.forward(shake(best, random))
		if p = g.alternate(p, floor); p.Length < best.Length {
			best = p
		}
	}
	return best
}

// shake moves the planned starts by up to a tenth of the schedule.
func shake(p Plan, random *rand.Rand) []float64 {
	prefer := slices.Clone(p.Start)
	for i := range prefer {
		prefer[i] += (random.Float64() - 0.5) * 0.2 * p.Length
	}
	return prefer
}

// graph is the tasks with their edges both ways.
type graph struct {
	weight []float64
	region []int
	count  int // regions
	before [][]int
	next   [][]int
}

func build(nodes []Node) *graph {
	n := len(nodes)
	g := &graph{weight: make([]float64, n), region: make([]int, n), before: make([][]int, n), next: make([][]int, n)}
	for i, x := range nodes {
		if g.weight[i] = x.Weight; !(x.Weight > 0) || math.IsInf(x.Weight, 0) {
			g.weight[i] = 1
		}
		g.region[i] = x.Region
		g.count = max(g.count, x.Region+1)
		for _, d := range x.After {
			if d >= 0 && d < n && d != i && !slices.Contains(g.before[i], d) {
				g.before[i] = append(g.before[i], d)
				g.next[d] = append(g.next[d], i)
			}
		}
	}
	return g
}

// reversed is the same graph seen from the end.
func (g *graph) reversed() *graph {
	return &graph{weight: g.weight, region: g.region, count: g.count, before: g.next, next: g.before}
}

// order lists the tasks so that each comes after what it waits for; those in cycles and behind them are left out.
func (g *graph) order() []int {
	open := make([]int, len(g.weight))
	var out []int
	for i := range g.weight {
		if open[i] = len(g.before[i]); open[i] == 0 {
			out = append(out, i)
		}
	}
	for k := 0; k < len(out); k++ {
		for _, j := range g.next[out[k]] {
			if open[j]--; open[j] == 0 {
				out = append(out, j)
			}
		}
	}
	return out
}

// tails gives the weight of the longest chain that starts with each task.
func (g *graph) tails() []float64 {
	tail := slices.Clone(g.weight)
	order := g.order()
	for _, i := range slices.Backward(order) {
		for _, j := range g.next[i] {
			tail[i] = max(tail[i], g.weight[i]+tail[j])
		}
	}
	return tail
}

// floor is a length that no schedule can beat: the longest chain, and for each region its work with the least that must come before
// and after it.
func (g *graph) floor(tail []float64) float64 {
	head := g.reversed().tails()
	low := 0.0
	work := make([]float64, g.count)
	first, last := slices.Repeat([]float64{math.Inf(1)}, g.count), slices.Repeat([]float64{math.Inf(1)}, g.count)
	for i, w := range g.weight {
		low = max(low, head[i]+tail[i]-w)
		if r := g.region[i]; r >= 0 {
			work[r] += w
			first[r], last[r] = min(first[r], head[i]-w), min(last[r], tail[i]-w)
		}
	}
	for r, w := range work {
		if w > 0 {
			low = max(low, first[r]+w+last[r])
		}
	}
	return low
}

// alternate plans from the end with the ends of the plan, from the start with the starts of that, and so on while it helps.
func (g *graph) alternate(p Plan, floor float64) Plan {
	back := g.reversed()
	best := p
	for range rounds {
		if best.Length <= floor*(1+1e-9) {
			break
		}
		prefer := make([]float64, len(p.Start))
		for i, s := range p.Start {
			prefer[i] = -(s + g.weight[i])
		}
		late := back.forward(prefer)
		for i, s := range late.Start {
			prefer[i] = late.Length - s - g.weight[i]
		}
		p = g.forward(prefer)
		if p.Length >= best.Length*(1-1e-9) {
			break
		}
		best = p
	}
	return best
}

// forward simulates: whoever is ready and preferred (smaller first) starts when its region is free.
func (g *graph) forward(prefer []float64) Plan {
	n := len(g.weight)
	p := Plan{Start: slices.Repeat([]float64{math.Inf(1)}, n)}
	open := make([]int, n)
	ready := make([][]int, g.count)
	busy := make([]bool, g.count)
	var running []int
	end := make([]float64, n)
	begin := func(i int, now float64) {
		p.Start[i], end[i] = now, now+g.weight[i]
		at, _ := slices.BinarySearchFunc(running, i, func(a, b int) int { return cmp.Or(cmp.Compare(end[a], end[b]), cmp.Compare(a, b)) })
		running = slices.Insert(running, at, i)
	}
	offer := func(i int, now float64) {
		if r := g.region[i]; r >= 0 {
			ready[r] = append(ready[r], i)
			return
		}
		begin(i, now)
	}
	for i := range n {
		if open[i] = len(g.before[i]); open[i] == 0 {
			offer(i, 0)
		}
	}
	for now := 0.0; ; {
		for r := range ready {
			if busy[r] || len(ready[r]) == 0 {
				continue
			}
			k := 0
			for j, i := range ready[r] {
				if prefer[i] < prefer[ready[r][k]] {
					k = j
				}
			}
			i := ready[r][k]
			ready[r] = slices.Delete(ready[r], k, k+1)
			busy[r] = true
			begin(i, now)
		}
		if len(running) == 0 {
			return p
		}
		for now = end[running[0]]; len(running) > 0 && end[running[0]] <= now; {
			i := running[0]
			running = running[1:]
			p.Length = max(p.Length, end[i])
			if r := g.region[i]; r >= 0 {
				busy[r] = false
			}
			for _, j := range g.next[i] {
				if open[j]--; open[j] == 0 {
					offer(j, now)
				}
			}
		}
	}
}
