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
	Width int     // most tasks that could run at once if every one had a worker of its own
	Curve []Point // for N = 1, 2, … in order
}

func Width(p orchestrator.Plan) int                                       { return 1 }
func Layers(p orchestrator.Plan) int                                      { return 1 }
func SimpleN(p orchestrator.Plan, limit int) int                          { return 1 }
func Simple(p orchestrator.Plan, n int) []orchestrator.Region             { return nil }
func Pack(p orchestrator.Plan, n int) []orchestrator.Region               { return nil }
func Makespan(p orchestrator.Plan, regions []orchestrator.Region) float64 { return 0 }
func Bound(p orchestrator.Plan, n int) float64                            { return 0 }
func Recommend(p orchestrator.Plan, limit int) Advice                     { return Advice{N: 1, Width: 1} }
