package weaken

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/units"
)

// swap is an assertion that stands differently after the change. Both sides are indexes of the units' assertions.
type swap struct{ old, now int }

// outcome is what became of the assertions of a unit.
type outcome struct {
	pair  *pairs.Pair
	swaps []swap
	gone  []int // of the former unit, without a counterpart
	fresh []int // of the present unit, without one
	kept  []int // of each former assertion its present one, -1 for none
	pure  bool  // nothing but assertions changed in the unit
	cut   bool  // the rest of the unit changed by nothing but removal
}

// match pairs the assertions of a unit before and after.
func match(p *pairs.Pair) outcome {
	o := outcome{pair: p}
	b, a := p.Before, p.After
	text := func(u *pairs.Unit, i int) string { return u.File.Norm(u.Asserts[i].From, u.Asserts[i].To) }
	left := map[string][]int{}
	for i := range a.Asserts {
		left[text(a, i)] = append(left[text(a, i)], i)
	}
	kept := make([]int, len(b.Asserts)) // of each former assertion its present one, -1 for none
	taken := make([]bool, len(a.Asserts))
	for i := range b.Asserts {
		kept[i] = -1
		if list := left[text(b, i)]; len(list) > 0 {
			kept[i], taken[list[0]] = list[0], true
			left[text(b, i)] = list[1:]
		}
	}
	o.gone, o.fresh = open(kept), free(taken)
	join := func(same func(old, now *units.Assert) bool) {
		for _, i := range o.gone {
			for _, j := range o.fresh {
				if kept[i] < 0 && !taken[j] && same(&b.Asserts[i], &a.Asserts[j]) {
					kept[i], taken[j] = j, true
					o.swaps = append(o.swaps, swap{i, j})
				}
			}
		}
		o.gone, o.fresh = open(kept), free(taken)
	}
	join(func(x, y *units.Assert) bool { return x.Actual != "" && x.Actual == y.Actual && near(kept, x, y, b, a) })
	join(func(x, y *units.Assert) bool { return x.Actual != "" && x.Actual == y.Actual })
	join(func(x, y *units.Assert) bool {
		return x.Actual != "" && x.Actual == y.Expected || x.Expected != "" && x.Expected == y.Actual
	})
	join(func(x, y *units.Assert) bool {
		return x.Callee == y.Callee && change.Similarity(x.Actual, y.Actual) >= 0.6
	})
	join(func(x, y *units.Assert) bool { return near(kept, x, y, b, a) })
	o.kept = kept
	o.pure, o.cut = rest(b, a)
	return o
}

func open(kept []int) (out []int) {
	for i, k := range kept {
		if k < 0 {
			out = append(out, i)
		}
	}
	return out
}

func free(taken []bool) (out []int) {
	for i, t := range taken {
		if !t {
			out = append(out, i)
		}
	}
	return out
}

// near reports whether two assertions stand between the same neighbours.
func near(kept []int, x, y *units.Assert, b, a *pairs.Unit) bool {
	lo, hi := -1, len(a.Asserts)
	for i := range b.Asserts {
		if kept[i] < 0 {
			continue
		}
		if b.Asserts[i].From < x.From {
			lo = max(lo, kept[i])
		} else if b.Asserts[i].From > x.From {
			hi = min(hi, kept[i])
		}
	}
	for j := lo + 1; j < hi; j++ {
		if a.Asserts[j].From == y.From {
			return true
		}
	}
	return false
}

// rest compares what is no assertion in both units: whether it is the same, or the former one with parts removed.
func rest(b, a *pairs.Unit) (pure, cut bool) {
	x, y := remainder(b), remainder(a)
	if strings.Join(x, " ") == strings.Join(y, " ") {
		return true, true
	}
	k := 0
	for _, w := range x {
		if k < len(y) && y[k] == w {
			k++
		}
	}
	return false, k == len(y)
}

// remainder lists the tokens of a unit outside of its assertions.
func remainder(u *pairs.Unit) []string {
	var out []string
	next := 0
	for i := u.From; i < u.To; i++ {
		for next < len(u.Asserts) && u.Asserts[next].To <= i {
			next++
		}
		if next < len(u.Asserts) && i >= u.Asserts[next].From {
			i = u.Asserts[next].To - 1
			continue
		}
		if t := u.File.Text(i); t != ";" {
			out = append(out, t)
		}
	}
	return out
}
