package pack

import (
	"math/bits"

	"github.com/devflow-suite/devflow/orchestrator"
)

// maxExact is the number of tasks up to which the width is exact. A plan has at most 200; at 5,000 the closure takes 3 MB.
const maxExact = 5000

// Layers is the size of the widest layer of the task graph, at least 1: tasks without dependencies are the first layer, each other
// task stands one layer behind its last dependency. It is what DevFlock called the possible parallelism; Width is never less. A plan
// with a cycle has 1.
func Layers(p orchestrator.Plan) int {
	g := newGraph(orchestrator.Plan{Tasks: p.Tasks})
	if g.cyclic() {
		return 1
	}
	layer, count, widest := make([]int, len(g.cost)), make([]int, len(g.cost)+1), 1
	for _, i := range g.order {
		for _, d := range g.deps[i] {
			layer[i] = max(layer[i], layer[d]+1)
		}
		count[layer[i]]++
		widest = max(widest, count[layer[i]])
	}
	return widest
}

// Width is the largest number of tasks of which none waits for another, at least 1: what could run at once if every task had a
// worker of its own. It is exact (Dilworth: tasks less a largest matching in the transitive closure) up to 5,000 tasks, and Layers
// beyond. A plan with a cycle has 1.
func Width(p orchestrator.Plan) int {
	g := newGraph(orchestrator.Plan{Tasks: p.Tasks})
	if g.cyclic() {
		return 1
	}
	if len(g.cost) > maxExact {
		return Layers(p)
	}
	m := matcher{closure: g.closure()}
	return max(1, len(g.cost)-m.size())
}

// bitset is a set of tasks.
type bitset []uint64

func (b bitset) add(i int32) { b[i/64] |= 1 << (i % 64) }

// closure gives for each task all that come before it.
func (g *graph) closure() []bitset {
	n := len(g.cost)
	words := (n + 63) / 64
	all := make([]uint64, n*words)
	sets := make([]bitset, n)
	for i := range sets {
		sets[i] = all[i*words : (i+1)*words]
	}
	for _, i := range g.order {
		for _, d := range g.deps[i] {
			sets[i].add(d)
			for w, x := range sets[d] {
				sets[i][w] |= x
			}
		}
	}
	return sets
}

// matcher finds a largest matching between tasks and their predecessors.
type matcher struct {
	closure []bitset
	partner []int32 // of each predecessor: the task it is matched with, -1 for none
	matched []bool  // of each task
	fresh   bitset  // predecessors that this round has not looked at
}

func (m *matcher) size() int {
	n := len(m.closure)
	m.partner, m.matched, m.fresh = make([]int32, n), make([]bool, n), make(bitset, (n+63)/64)
	for i := range m.partner {
		m.partner[i] = -1
	}
	size := 0
	for grown := true; grown; { // each round looks at every predecessor at most once; the last one finds nothing
		grown = false
		for i := range m.fresh {
			m.fresh[i] = ^uint64(0)
		}
		for i := range int32(n) {
			if !m.matched[i] && m.augment(i) {
				m.matched[i], grown = true, true
				size++
			}
		}
	}
	return size
}

// augment looks for a path that matches one task more. Its depth is bounded by maxExact.
func (m *matcher) augment(i int32) bool {
	for w := range m.fresh {
		for {
			both := m.closure[i][w] & m.fresh[w]
			if both == 0 {
				break
			}
			bit := bits.TrailingZeros64(both)
			m.fresh[w] &^= 1 << bit
			d := int32(w*64 + bit)
			if m.partner[d] < 0 || m.augment(m.partner[d]) {
				m.partner[d] = i
				return true
			}
		}
	}
	return false
}
