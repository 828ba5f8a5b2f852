package pack_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/pack"
)

// draw makes a plan without cycles; ids may depend on later ones in the list.
func draw(t *rapid.T, maxModules, maxTasks int) orchestrator.Plan {
	var p orchestrator.Plan
	n := rapid.IntRange(1, maxModules).Draw(t, "modules")
	for i := range n {
		m := orchestrator.Module{Name: fmt.Sprint("m", i), Path: fmt.Sprint("p", i), Weight: rapid.Float64Range(0.1, 20).Draw(t, "weight")}
		for _, d := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 2).Draw(t, "module deps") {
			m.DependsOn = append(m.DependsOn, fmt.Sprint("m", d))
		}
		p.Modules = append(p.Modules, m)
	}
	k := rapid.IntRange(0, maxTasks).Draw(t, "tasks")
	for i := range k {
		task := orchestrator.Task{ID: fmt.Sprint("t", i), Module: fmt.Sprint("m", rapid.IntRange(0, n-1).Draw(t, "of"))}
		if i > 0 {
			for _, d := range rapid.SliceOfN(rapid.IntRange(0, i-1), 0, 3).Draw(t, "deps") {
				task.DependsOn = append(task.DependsOn, fmt.Sprint("t", d))
			}
		}
		p.Tasks = append(p.Tasks, task)
	}
	if rapid.Bool().Draw(t, "backwards") {
		slices.Reverse(p.Tasks)
	}
	return p
}

func TestEveryModuleInOneRegionAndBalanced(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 14, 30)
		n := rapid.IntRange(-1, 16).Draw(t, "n")
		regions := pack.Pack(p, n)
		if want := max(1, min(n, len(p.Modules))); len(regions) != want {
			t.Fatalf("%d regions, want %d", len(regions), want)
		}
		seen, names := map[string]int{}, map[string]bool{}
		for _, r := range regions {
			if len(r.Modules) == 0 || names[r.Name] || r.Name == "" {
				t.Fatalf("region %q is empty, without a name or there twice", r.Name)
			}
			names[r.Name] = true
			for i, m := range r.Modules {
				seen[m.Name]++
				if m.Weight > r.Modules[0].Weight {
					t.Fatalf("module %d of %s is heavier than the primary", i, r.Name)
				}
			}
		}
		for _, m := range p.Modules {
			if seen[m.Name] != 1 {
				t.Fatalf("module %s is in %d regions", m.Name, seen[m.Name])
			}
		}
		if heavy, simple := slices.Max(loads(regions)), slices.Max(loads(pack.Simple(p, n))); heavy > simple*1.05+1e-6 {
			t.Fatalf("heaviest region %v, the simple rule has %v", heavy, simple)
		}
		if diff := cmp.Diff(regions, pack.Pack(p, n)); diff != "" {
			t.Fatalf("two packings differ\n%s", diff)
		}
	})
}

func TestNoScheduleBeatsTheBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 8, 25)
		n := rapid.IntRange(1, 8).Draw(t, "n")
		for _, regions := range [][]orchestrator.Region{pack.Pack(p, n), pack.Simple(p, n)} {
			length, floor, bound := pack.Makespan(p, regions), pack.Floor(p, regions), pack.Bound(p, len(regions))
			if length < floor-1e-9 || floor < bound-1e-9 && length < bound-1e-9 {
				t.Fatalf("length %v, floor %v, bound %v", length, floor, bound)
			}
			total := 0.0
			for _, m := range p.Modules {
				total += m.Weight
			}
			if length > total+1e-6 {
				t.Fatalf("length %v is more than all the work, %v", length, total)
			}
		}
	})
}

// antichain tries every set of tasks.
func antichain(p orchestrator.Plan) int {
	index, before := map[string]int{}, make([]uint, len(p.Tasks))
	for i, t := range p.Tasks {
		index[t.ID] = i
	}
	for range p.Tasks {
		for i, t := range p.Tasks {
			for _, d := range t.DependsOn {
				before[i] |= 1<<index[d] | before[index[d]]
			}
		}
	}
	best := 1
	for set := range uint(1) << len(p.Tasks) {
		size, apart := 0, true
		for i := range p.Tasks {
			if set>>i&1 == 1 {
				size++
				apart = apart && before[i]&set == 0
			}
		}
		if apart {
			best = max(best, size)
		}
	}
	return best
}

func TestWidthIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 3, 10)
		got, want := pack.Width(p), antichain(p)
		if got != want || pack.Layers(p) > got {
			t.Fatalf("Width %d, want %d; Layers %d", got, want, pack.Layers(p))
		}
	})
}

func TestRecommendedNumberIsTheSmallestNearTheBest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 10, 25)
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		a := pack.Recommend(p, limit)
		if len(a.Curve) != min(limit, len(p.Modules)) || a.N < 1 || a.N > len(a.Curve) {
			t.Fatalf("%+v", a)
		}
		best := math.Inf(1)
		for i, point := range a.Curve {
			if point.N != i+1 || math.Abs(point.Makespan-pack.Makespan(p, pack.Pack(p, point.N))) > 1e-9 {
				t.Fatalf("point %d is %+v", i, point)
			}
			best = min(best, point.Makespan)
		}
		for _, point := range a.Curve {
			if near := point.Makespan <= best*1.10; near != (point.N >= a.N) && point.N <= a.N {
				t.Fatalf("N = %d of %+v", a.N, a.Curve)
			}
		}
	})
}

// Hostile plans: nothing is unique, known or finite.
func TestNothingPanics(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"", "a", "A", "b", "region-1", "../x", "integration"})
	weight := rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1, 1e308})
	rapid.Check(t, func(t *rapid.T) {
		var p orchestrator.Plan
		for range rapid.IntRange(0, 6).Draw(t, "modules") {
			p.Modules = append(p.Modules, orchestrator.Module{Name: word.Draw(t, "name"), Weight: weight.Draw(t, "weight"), DependsOn: rapid.SliceOfN(word, 0, 2).Draw(t, "deps")})
		}
		for range rapid.IntRange(0, 8).Draw(t, "tasks") {
			p.Tasks = append(p.Tasks, orchestrator.Task{ID: word.Draw(t, "id"), Module: word.Draw(t, "module"), DependsOn: rapid.SliceOfN(word, 0, 3).Draw(t, "deps")})
		}
		n := rapid.IntRange(-3, 9).Draw(t, "n")
		regions, count, names := pack.Pack(p, n), 0, map[string]bool{}
		for _, r := range regions {
			count += len(r.Modules)
			if names[r.Name] {
				t.Fatalf("two regions are called %q", r.Name)
			}
			names[r.Name] = true
		}
		if count != len(p.Modules) {
			t.Fatalf("%d of %d modules are packed", count, len(p.Modules))
		}
		pack.Simple(p, n)
		pack.SimpleN(p, n)
		a := pack.Recommend(p, n)
		for _, x := range []float64{pack.Makespan(p, regions), pack.Bound(p, n), pack.Floor(p, regions), a.Curve[0].Makespan} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
				t.Fatalf("a length of %v", x)
			}
		}
	})
}

// large is a plan of the size that the planner permits.
func large(nModules, nTasks int) orchestrator.Plan {
	r := rand.New(rand.NewPCG(1, 2))
	var p orchestrator.Plan
	for i := range nModules {
		p.Modules = append(p.Modules, orchestrator.Module{Name: fmt.Sprint("m", i), Path: fmt.Sprint("p", i), Weight: 0.5 + 4.5*r.Float64()})
	}
	for i := range nTasks {
		task := orchestrator.Task{ID: fmt.Sprint("t", i), Module: fmt.Sprint("m", i%nModules)}
		for range r.IntN(3) {
			if i > 0 {
				task.DependsOn = append(task.DependsOn, fmt.Sprint("t", max(0, i-1-r.IntN(60))))
			}
		}
		p.Tasks = append(p.Tasks, task)
	}
	return p
}

func BenchmarkWidth(b *testing.B) {
	for _, n := range []int{200, 2000} {
		p := large(60, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				pack.Width(p)
			}
		})
	}
}

func BenchmarkRecommend(b *testing.B) {
	p := large(60, 200)
	for b.Loop() {
		pack.Recommend(p, 12)
	}
}

func BenchmarkPack(b *testing.B) {
	p := large(60, 200)
	for b.Loop() {
		pack.Pack(p, 12)
	}
}
