package pack

import (
	"cmp"
	"slices"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Pack puts the modules in n regions (at least 1, at most the modules; none without modules): every module in exactly one, no region
// empty. The heaviest region is at most 5 % heavier than what the rule “heaviest module to the lightest region” gives, usually
// lighter; within that, the simulated makespan is made short, and modules that depend on each other come together. The first module
// of a region is its heaviest. Regions stand in the order of their first modules.
func Pack(p orchestrator.Plan, n int) []orchestrator.Region {
	if len(p.Modules) == 0 {
		return nil
	}
	b := newPacker(p)
	n = max(1, min(n, len(p.Modules)))
	at := b.pack(n)
	regions := make([]orchestrator.Region, 0, n)
	place := make([]int, n)
	for i := range place {
		place[i] = -1
	}
	for _, m := range b.heaviest {
		if place[at[m]] < 0 {
			place[at[m]] = len(regions)
			regions = append(regions, orchestrator.Region{})
		}
		r := &regions[place[at[m]]]
		r.Modules = append(r.Modules, p.Modules[m])
	}
	nameRegions(regions, p.Modules)
	return regions
}

const (
	slack       = 1.05 // how much of the balance may be given up for a shorter schedule or for friends
	bonus       = 0.05 // of the average load: what it is worth when all modules that depend on each other share a region
	improvable  = 400  // modules; with more, the rule of the heaviest first is all that is done
	simulations = 1500 // schedules that are tried for one number of regions
	epsilon     = 1e-9
)

// packer packs one plan for several numbers of regions.
type packer struct {
	g        *graph
	sim      *simulator
	heaviest []int // modules, the heaviest first, in the order of the plan where equal
	friends  [][]friend
	bonds    float64 // strength of all friendships
}

// friend is a module that uses, or is used by, another.
type friend struct {
	module   int
	strength float64
}

func newPacker(p orchestrator.Plan) *packer {
	g := newGraph(p)
	b := &packer{g: g, sim: newSimulator(g)}
	for i := range g.weights {
		b.heaviest = append(b.heaviest, i)
	}
	slices.SortStableFunc(b.heaviest, func(i, j int) int { return cmp.Compare(g.weights[j], g.weights[i]) })
	b.befriend(p)
	return b
}

// befriend notes which modules depend on each other: by themselves, and by each pair of their tasks.
func (b *packer) befriend(p orchestrator.Plan) {
	byName := map[string]int{}
	for i, m := range p.Modules {
		if _, twice := byName[m.Name]; !twice {
			byName[m.Name] = i
		}
	}
	type pair struct{ a, b int }
	strength := map[pair]float64{}
	add := func(i, j int) {
		if i >= 0 && j >= 0 && i != j {
			strength[pair{min(i, j), max(i, j)}]++
			b.bonds++
		}
	}
	for i, m := range p.Modules {
		for _, name := range m.DependsOn {
			if j, known := byName[name]; known {
				add(i, j)
			}
		}
	}
	for t, deps := range b.g.deps {
		for _, d := range deps {
			add(b.g.module[t], b.g.module[d])
		}
	}
	b.friends = make([][]friend, len(p.Modules))
	for k, s := range strength {
		b.friends[k.a] = append(b.friends[k.a], friend{k.b, s})
		b.friends[k.b] = append(b.friends[k.b], friend{k.a, s})
	}
	for _, list := range b.friends { // maps have no order
		slices.SortFunc(list, func(x, y friend) int { return cmp.Compare(x.module, y.module) })
	}
}

// pack gives the region of each module.
func (b *packer) pack(n int) []int {
	s := &state{packer: b, at: make([]int, len(b.g.weights)), loads: make([]float64, n), size: make([]int, n)}
	for _, m := range b.heaviest { // longest processing time first
		lightest := 0
		for i, load := range s.loads {
			if load < s.loads[lightest] {
				lightest = i
			}
		}
		s.put(m, lightest)
	}
	if n > 1 && n < len(s.at) && len(s.at) <= improvable {
		s.balance()
		s.shorten()
	}
	return s.at
}
