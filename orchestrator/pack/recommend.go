package pack

import "github.com/devflow-suite/devflow/orchestrator"

// Point is one number of workers that was simulated.
type Point struct {
	N        int     // regions
	Makespan float64 // in units of module weight
}

// Advice is how many workers a plan deserves.
type Advice struct {
	N     int     // the smallest number whose makespan is within 10 % of the best
	Width int     // of Width: information, not a limit
	Curve []Point // for N = 1, 2, … in order
}

// tolerance is how much longer than the best a run may take when it needs fewer workers (C4 of the specification).
const tolerance = 1.10

// Recommend packs and simulates the plan for 1, 2, … workers, at most the modules and the limit, and at least 1.
func Recommend(p orchestrator.Plan, limit int) Advice {
	a := Advice{N: 1, Width: Width(p)}
	b := newPacker(p)
	best := 0.0
	for n := 1; n <= max(1, min(len(p.Modules), limit)); n++ {
		at := b.pack(n)
		length := b.sim.run(at, n)
		a.Curve = append(a.Curve, Point{n, length})
		if n == 1 || length < best {
			best = length
		}
	}
	for _, point := range a.Curve {
		if point.Makespan <= best*tolerance {
			a.N = point.N
			break
		}
	}
	return a
}
