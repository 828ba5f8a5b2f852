package rank_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/schedule/rank"
)

func draw(rt *rapid.T, cycles bool) []rank.Node {
	n := rapid.IntRange(0, 30).Draw(rt, "nodes")
	nodes := make([]rank.Node, n)
	for i := range nodes {
		nodes[i] = rank.Node{Weight: rapid.SampledFrom([]float64{0.1, 1, 2, 3.5, 100, 0, -1, math.NaN(), math.Inf(1)}).Draw(rt, "weight"), Region: rapid.IntRange(-1, 3).Draw(rt, "region")}
		most := i - 1
		if cycles {
			most = n
		}
		for range rapid.IntRange(0, 3).Draw(rt, "after") {
			nodes[i].After = append(nodes[i].After, rapid.IntRange(-1, max(most, -1)).Draw(rt, "on"))
		}
	}
	return nodes
}

func weight(n rank.Node) float64 {
	if n.Weight > 0 && !math.IsInf(n.Weight, 0) {
		return n.Weight
	}
	return 1
}

// A plan is a schedule: nothing overlaps in a region, nothing starts before what it waits for has ended, and it is as long as it says.
func TestPlanIsASchedule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		nodes := draw(rt, false)
		p := rank.Best(nodes)
		const slack = 1e-9
		last := 0.0
		for i, n := range nodes {
			end := p.Start[i] + weight(n)
			last = max(last, end)
			if math.IsInf(p.Start[i], 0) || p.Start[i] < 0 {
				rt.Fatalf("node %d starts at %v", i, p.Start[i])
			}
			for _, d := range n.After {
				if d >= 0 && d != i && p.Start[i] < p.Start[d]+weight(nodes[d])-slack {
					rt.Fatalf("node %d starts at %v, before %d has ended", i, p.Start[i], d)
				}
			}
			for j := range i {
				if n.Region >= 0 && nodes[j].Region == n.Region && p.Start[i] < p.Start[j]+weight(nodes[j])-slack && p.Start[j] < end-slack {
					rt.Fatalf("nodes %d and %d overlap in region %d", i, j, n.Region)
				}
			}
		}
		if math.Abs(last-p.Length) > slack {
			rt.Fatalf("plan says %v, ends at %v", p.Length, last)
		}
	})
}

// What waits for itself never starts, and does not keep the planner busy.
func TestCyclesNeverStart(t *testing.T) {
	t.Parallel()
	p := rank.Best([]rank.Node{{Weight: 1, After: []int{1}}, {Weight: 1, After: []int{0}}, {Weight: 1, After: []int{1}}, {Weight: 2}})
	for i := range 3 {
		if !math.IsInf(p.Start[i], 1) {
			t.Errorf("node %d starts at %v", i, p.Start[i])
		}
	}
	if p.Start[3] != 0 || p.Length != 2 {
		t.Errorf("plan %+v", p)
	}
	rapid.Check(t, func(rt *rapid.T) { rank.Best(draw(rt, true)) })
}

func BenchmarkBest(b *testing.B) {
	nodes := make([]rank.Node, 200)
	for i := range nodes {
		nodes[i] = rank.Node{Weight: float64(1 + i*7919%10), Region: i * 31 % 12}
		for d := range i % 4 {
			if i > 20 {
				nodes[i].After = append(nodes[i].After, i-1-(d*13+i)%20)
			}
		}
	}
	for b.Loop() {
		rank.Best(nodes)
	}
}
