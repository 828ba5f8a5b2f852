package pack

import (
	"cmp"
	"slices"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Bound is a length that no schedule of the plan on n workers can beat, in units of module weight: the longest chain of tasks, the
// work shared by n workers, the work of each module (its tasks run one after the other), and, with fewer workers than modules, the
// two lightest of the n+1 heaviest modules, of which two must meet. Each is sharpened by what must have ended before and what must
// follow. A plan with a cycle has the sum of its tasks.
func Bound(p orchestrator.Plan, n int) float64 {
	g := newGraph(p)
	if g.cyclic() {
		return g.total()
	}
	n = max(1, n)
	low := 0.0
	var owned []int32
	perModule := make([][]int32, len(g.weights))
	for i := range int32(len(g.cost)) {
		low = max(low, g.head[i]+g.tail[i])
		if m := g.module[i]; m >= 0 {
			owned = append(owned, i)
			perModule[m] = append(perModule[m], i)
		}
	}
	low = max(low, g.share(owned, float64(n)))
	for _, tasks := range perModule {
		low = max(low, g.share(tasks, 1))
	}
	if n < len(g.weights) {
		heavy := slices.Sorted(slices.Values(g.weights))
		slices.Reverse(heavy)
		low = max(low, heavy[n-1]+heavy[n])
	}
	return low
}

// Floor is Bound for a packing: no schedule of the plan on these regions can beat it.
func Floor(p orchestrator.Plan, regions []orchestrator.Region) float64 {
	g := newGraph(p)
	if g.cyclic() {
		return g.total()
	}
	at := regionOf(p, regions)
	perRegion := make([][]int32, len(regions))
	low := 0.0
	for i := range int32(len(g.cost)) {
		low = max(low, g.head[i]+g.tail[i])
		if m := g.module[i]; m >= 0 && at[m] >= 0 {
			perRegion[at[m]] = append(perRegion[at[m]], i)
		}
	}
	for _, tasks := range perRegion {
		low = max(low, g.share(tasks, 1))
	}
	return low
}

// share is how long n workers need for tasks: for each moment before which some of them cannot start, that moment, their work over
// n, and the shortest chain that hangs on one of them; and the same from the end.
func (g *graph) share(tasks []int32, n float64) float64 {
	behind := func(i int32) float64 { return g.tail[i] - g.cost[i] }
	return max(g.sweep(tasks, n, func(i int32) float64 { return g.head[i] }, behind),
		g.sweep(tasks, n, behind, func(i int32) float64 { return g.head[i] }))
}

func (g *graph) sweep(tasks []int32, n float64, from, to func(int32) float64) float64 {
	sorted := slices.Clone(tasks)
	slices.SortFunc(sorted, func(a, b int32) int { return cmp.Or(cmp.Compare(from(b), from(a)), cmp.Compare(a, b)) })
	low, work, least := 0.0, 0.0, 0.0
	for k, i := range sorted {
		work += g.cost[i]
		if k == 0 || to(i) < least {
			least = to(i)
		}
		low = max(low, from(i)+work/n+least)
	}
	return low
}
