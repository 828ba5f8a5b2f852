package pack

import (
	"slices"
	"strconv"

	"github.com/devflow-suite/devflow/orchestrator"
)

// SimpleN is the number of workers that DevFlock recommended: the widest layer, at most the modules and the limit, at least 1. It is
// kept for comparison; runs use Recommend.
func SimpleN(p orchestrator.Plan, limit int) int {
	return max(1, min(Layers(p), len(p.Modules), limit))
}

// Simple is the packing of DevFlock: heaviest module first, each to the lightest region so far. It is kept for comparison, with its
// faults (weights as they are, names that can collide); runs use Pack.
func Simple(p orchestrator.Plan, n int) []orchestrator.Region {
	n = max(1, min(n, len(p.Modules)))
	modules := slices.Clone(p.Modules)
	slices.SortStableFunc(modules, func(a, b orchestrator.Module) int {
		switch {
		case a.Weight > b.Weight:
			return -1
		case a.Weight < b.Weight:
			return 1
		}
		return 0
	})
	bins, loads := make([][]orchestrator.Module, n), make([]float64, n)
	for _, m := range modules {
		lightest := 0
		for i, load := range loads {
			if load < loads[lightest] {
				lightest = i
			}
		}
		bins[lightest] = append(bins[lightest], m)
		loads[lightest] += m.Weight
	}
	var regions []orchestrator.Region
	for i, bin := range bins {
		switch len(bin) {
		case 0:
		case 1:
			regions = append(regions, orchestrator.Region{Name: bin[0].Name, Modules: bin})
		default:
			regions = append(regions, orchestrator.Region{Name: "region-" + strconv.Itoa(i+1), Modules: bin})
		}
	}
	return regions
}
