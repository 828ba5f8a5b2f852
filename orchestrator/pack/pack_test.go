package pack_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/pack"
)

// tasks reads "a b(a) c(a,b)": tasks and what they depend on, each in a module of its own.
func tasks(text string) orchestrator.Plan {
	var p orchestrator.Plan
	for word := range strings.FieldsSeq(text) {
		id, deps, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		t := orchestrator.Task{ID: id, Module: "m-" + id}
		if deps != "" {
			t.DependsOn = strings.Split(deps, ",")
		}
		p.Tasks = append(p.Tasks, t)
		p.Modules = append(p.Modules, orchestrator.Module{Name: "m-" + id, Path: id, Weight: 1})
	}
	return p
}

// modules reads "a5 b4": modules of one letter and their weights.
func modules(text string) orchestrator.Plan {
	var p orchestrator.Plan
	for word := range strings.FieldsSeq(text) {
		m := orchestrator.Module{Name: word[:1], Path: word[:1]}
		if word[1:] == "NaN" {
			m.Weight = math.NaN()
		} else if _, err := fmt.Sscan(word[1:], &m.Weight); err != nil {
			panic(err)
		}
		p.Modules = append(p.Modules, m)
	}
	return p
}

func show(regions []orchestrator.Region) string {
	var words []string
	for _, r := range regions {
		var names []string
		for _, m := range r.Modules {
			names = append(names, m.Name)
		}
		words = append(words, r.Name+"=["+strings.Join(names, ",")+"]")
	}
	return strings.Join(words, " ")
}

func loads(regions []orchestrator.Region) []float64 {
	var sums []float64
	for _, r := range regions {
		sum := 0.0
		for _, m := range r.Modules {
			sum += m.Weight
		}
		sums = append(sums, sum)
	}
	return sums
}

func TestWidthAndLayers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, plan    string
		layers, width int
	}{
		{"a chain", "t1 t2(t1)", 1, 1},
		{"no tasks", "", 1, 1},
		{"a cycle of two", "a(b) b(a)", 1, 1},
		{"a cycle beside free tasks", "a(b) b(a) c d e", 1, 1},
		{"the widest layer is not the width", "A X B(A) C(A) Y(X) Z1(Y) Z2(Y) Z3(Y)", 3, 5},
		{"a task that waits for itself", "a(a) b", 2, 2},
		{"a task that waits for an unknown one", "a(zzz) b", 2, 2},
		{"independent", "a b c d", 4, 4},
		{"a diamond", "a b(a) c(a) d(b,c)", 2, 2},
		{"two chains of three", "a b(a) c(b) x y(x) z(y)", 2, 2},
		{"one depends twice on the same", "a b(a,a) c(a)", 2, 2},
	} {
		if got := pack.Layers(tasks(tt.plan)); got != tt.layers {
			t.Errorf("%s: Layers = %d, want %d", tt.name, got, tt.layers)
		}
		if got := pack.Width(tasks(tt.plan)); got != tt.width {
			t.Errorf("%s: Width = %d, want %d", tt.name, got, tt.width)
		}
	}
}

// The published packer, with its faults.
func TestSimple(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		plan string
		n    int
		want string
	}{
		{"a5 b4 c3 d3 e3", 2, "region-1=[a,d] region-2=[b,c,e]"},
		{"a3 b3 c2 d2 e2", 2, "region-1=[a,c,e] region-2=[b,d]"},
		{"a1 b1", 9, "a=[a] b=[b]"},
		{"aNaN b1 c1", 2, "region-1=[a,b,c]"},
		{"a1 b1", 0, "region-1=[a,b]"},
		{"", 3, ""},
	} {
		if got := show(pack.Simple(modules(tt.plan), tt.n)); got != tt.want {
			t.Errorf("Simple(%s, %d) = %s, want %s", tt.plan, tt.n, got, tt.want)
		}
	}
	p := orchestrator.Plan{Modules: []orchestrator.Module{{Name: "region-2", Weight: 5}, {Name: "x", Weight: 1}, {Name: "y", Weight: 1}, {Name: "z", Weight: 1}}}
	if got, want := show(pack.Simple(p, 2)), "region-2=[region-2] region-2=[x,y,z]"; got != want {
		t.Errorf("Simple = %s, want the published %s", got, want)
	}
}

func TestSimpleN(t *testing.T) {
	t.Parallel()
	p := tasks("A X B(A) C(A) Y(X) Z1(Y) Z2(Y) Z3(Y)")
	if got := pack.SimpleN(p, 12); got != 3 {
		t.Errorf("SimpleN = %d, want 3", got)
	}
	if got := pack.SimpleN(p, 2); got != 2 {
		t.Errorf("SimpleN with a limit of 2 = %d", got)
	}
	if got := pack.SimpleN(orchestrator.Plan{}, -1); got != 1 {
		t.Errorf("SimpleN of nothing = %d, want 1", got)
	}
}

func TestPackBalances(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		plan string
		n    int
		want []float64
	}{
		{"a5 b4 c3 d3 e3", 2, []float64{9, 9}},
		{"a3 b3 c2 d2 e2", 2, []float64{6, 6}},
		{"a1 b1", 9, []float64{1, 1}},
		{"a7 b6 c5 d4 e3 f2 g1", 3, []float64{9, 9, 10}},
	} {
		got := loads(pack.Pack(modules(tt.plan), tt.n))
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Pack(%s, %d): loads (-want +got)\n%s", tt.plan, tt.n, diff)
		}
	}
}

func TestPackIsSafeWithWeightsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, w := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -5, math.MaxFloat64, 1e-300} {
		p := modules("a1 b1 c1 d1")
		p.Modules[0].Weight = w
		p.Tasks = []orchestrator.Task{{ID: "t", Module: "a"}, {ID: "u", Module: "b", DependsOn: []string{"t"}}}
		regions := pack.Pack(p, 2)
		if len(regions) != 2 {
			t.Errorf("weight %v: regions %s, want two", w, show(regions))
		}
		for _, x := range []float64{pack.Makespan(p, regions), pack.Bound(p, 2), pack.Floor(p, regions), pack.Recommend(p, 4).Curve[1].Makespan} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x <= 0 {
				t.Errorf("weight %v: a length of %v", w, x)
			}
		}
	}
	if got := loads(pack.Pack(modules("aNaN b1 c1"), 2)); len(got) != 2 {
		t.Errorf("a weight that is no number takes everything: %v", got)
	}
}

func TestRegionNamesNeverCollide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		names []string
		n     int
		want  string
	}{
		{[]string{"region-2", "x", "y", "z"}, 2, "region-2=[region-2] region-1=[x,y,z]"},
		{[]string{"region-1", "x", "y", "z"}, 2, "region-1=[region-1] region-2=[x,y,z]"},
		{[]string{"REGION-1", "x"}, 1, "region-2=[REGION-1,x]"},
		{[]string{"integration", "b"}, 2, "region-1=[integration] b=[b]"},
		{[]string{"../x", "-f"}, 2, "region-1=[../x] region-2=[-f]"},
		{[]string{"a b", "A"}, 2, "region-1=[a b] region-2=[A]"},
		{[]string{"same", "same"}, 2, "same=[same] region-1=[same]"},
		{[]string{"", strings.Repeat("x", 42)}, 2, "region-1=[] region-2=[" + strings.Repeat("x", 42) + "]"},
		{[]string{"ä", "*"}, 2, "region-1=[ä] region-2=[*]"},
	} {
		var p orchestrator.Plan
		for i, name := range tt.names {
			w := 1.0
			if i == 0 {
				w = 3
			}
			p.Modules = append(p.Modules, orchestrator.Module{Name: name, Weight: w})
		}
		if got := show(pack.Pack(p, tt.n)); got != tt.want {
			t.Errorf("Pack(%q, %d) = %s, want %s", tt.names, tt.n, got, tt.want)
		}
	}
}

func TestFriendsShareARegion(t *testing.T) {
	t.Parallel()
	p := modules("a1 b1 c1 d1")
	p.Modules[0].DependsOn, p.Modules[1].DependsOn = []string{"d"}, []string{"c"}
	if got, want := show(pack.Pack(p, 2)), "region-1=[a,d] region-2=[b,c]"; got != want {
		t.Errorf("Pack = %s, want %s", got, want)
	}
	p.Modules[0].DependsOn, p.Modules[1].DependsOn = []string{"b"}, []string{"nobody", "b"}
	if got, want := show(pack.Pack(p, 2)), "region-1=[a,b] region-2=[c,d]"; got != want {
		t.Errorf("Pack = %s, want %s", got, want)
	}
}

func TestRecommend(t *testing.T) {
	t.Parallel()
	var serial orchestrator.Plan // six tasks of A at once, and one of B behind them all: two workers gain nothing
	serial.Modules = []orchestrator.Module{{Name: "a", Weight: 6}, {Name: "b", Weight: 1}}
	last := orchestrator.Task{ID: "last", Module: "b"}
	for i := range 6 {
		id := fmt.Sprint("t", i)
		serial.Tasks = append(serial.Tasks, orchestrator.Task{ID: id, Module: "a"})
		last.DependsOn = append(last.DependsOn, id)
	}
	serial.Tasks = append(serial.Tasks, last)
	if simple, got := pack.SimpleN(serial, 12), pack.Recommend(serial, 12); simple != 2 || got.N != 1 || got.Width != 6 {
		t.Errorf("SimpleN %d, Recommend %+v; want the published 2, and 1 with a width of 6", simple, got)
	}
	for _, tt := range []struct {
		name  string
		plan  orchestrator.Plan
		limit int
		want  int
	}{
		{"independent", tasks("a b c d"), 12, 4},
		{"a limit", tasks("a b c d"), 2, 2},
		{"no limit worth the name", tasks("a b c d"), 0, 1},
		{"a chain", tasks("a b(a) c(b)"), 12, 1},
		{"nothing", orchestrator.Plan{}, 12, 1},
		{"a cycle", tasks("a(b) b(a) c"), 12, 1},
		{"one large module", func() orchestrator.Plan { p := tasks("a b c d"); p.Modules[0].Weight = 10; return p }(), 12, 2},
		{"within ten per cent", tasks("a b c d e f g h i j k l m n o p q r s t u"), 21, 21},
	} {
		got := pack.Recommend(tt.plan, tt.limit)
		if got.N != tt.want {
			t.Errorf("%s: N = %d, want %d (%v)", tt.name, got.N, tt.want, got.Curve)
		}
	}
}

func TestMakespan(t *testing.T) {
	t.Parallel()
	p := tasks("a b(a) c d(c) e(b,d)")
	for i, w := range []float64{1, 2, 2, 1, 1} {
		p.Modules[i].Weight = w
	}
	one := pack.Pack(p, 1)
	if got := pack.Makespan(p, one); got != 7 {
		t.Errorf("one worker takes %v, want 7", got)
	}
	five := pack.Pack(p, 5)
	if got := pack.Makespan(p, five); got != 4 {
		t.Errorf("five workers take %v, want the longest chain, 4", got)
	}
	p.Tasks = append(p.Tasks, orchestrator.Task{ID: "stray", Module: "unknown"})
	if got := pack.Makespan(p, five); got != 4 {
		t.Errorf("a task without a region changes the time to %v", got)
	}
	spread := orchestrator.Plan{Modules: []orchestrator.Module{{Name: "a", Weight: 5}}, Tasks: []orchestrator.Task{{ID: "x", Module: "a"}, {ID: "y", Module: "a"}}}
	if got := pack.Makespan(spread, pack.Pack(spread, 1)); got != 5 {
		t.Errorf("two tasks of a module of weight 5 take %v", got)
	}
}

func TestLongChainsNeedNoRecursion(t *testing.T) {
	t.Parallel()
	const n = 100_000
	p := orchestrator.Plan{Modules: []orchestrator.Module{{Name: "m", Weight: 1}, {Name: "k", Weight: 1}}}
	for i := range n {
		task := orchestrator.Task{ID: fmt.Sprint(i), Module: "mk"[i%2 : i%2+1]}
		if i > 0 {
			task.DependsOn = []string{fmt.Sprint(i - 1)}
		}
		p.Tasks = append(p.Tasks, task)
	}
	if got := pack.Recommend(p, 4); got.N != 1 || got.Width != 1 || math.Abs(got.Curve[1].Makespan-2) > 1e-6 {
		t.Errorf("Recommend = %+v", got)
	}
	if got := pack.Bound(p, 2); math.Abs(got-2) > 1e-6 {
		t.Errorf("Bound = %v, want 2", got)
	}
}
