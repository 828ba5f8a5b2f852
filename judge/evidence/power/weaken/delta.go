package weaken

import (
	"math"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// ranges reports expectations that accept more: those that say so by their matcher, and those that take a delta last.
func ranges(c *change.Change, report func(rule.Finding)) {
	told := map[*pairs.Unit]bool{}
	all := outcomes(c)
	for i := range all {
		o := &all[i]
		for _, s := range o.swaps {
			x, y := &o.pair.Before.Asserts[s.old], &o.pair.After.Asserts[s.now]
			if pins(y) == units.Tolerance || !roomier(o.pair, x, y) {
				continue
			}
			o.say(verdict.Soft, y.Line, o.pair.After.Name+": "+about(o.pair.Before, x)+" accepts more values than before", quote(o.pair.After, y), "ask for the narrow range again", report)
			told[o.pair.After] = true
			break
		}
	}
	widened(c, func(f rule.Finding) {
		for u := range told {
			if u.Name == f.Unit && u.First <= f.Line && f.Line <= u.End {
				return
			}
		}
		report(f)
	})
}

// wide is how large a new delta is, compared with the expected value, to be more than what rounding takes.
const wide = 0.05

// roomier reports whether the number that an equality takes as its last operand, a delta or a count of digits, lets more
// values through.
func roomier(p *pairs.Pair, x, y *units.Assert) bool {
	b, a := p.Before.File, p.After.File
	switch a.Lang {
	case source.Java, source.Kotlin, source.Scala, source.CSharp, source.Swift, source.PHP:
	default:
		return false
	}
	name := last(y.Callee)
	if name != last(x.Callee) || !strings.Contains(name, "Equal") {
		return false
	}
	former, present := operands(b, x), operands(a, y)
	if len(present) < 3 || a.Kind(present[0][0]) == source.String && len(present) == 3 {
		return false
	}
	w, ok := number(a, present[2])
	if !ok || len(former) < 2 || b.Norm(former[0][0], former[0][1]) != a.Norm(present[0][0], present[0][1]) || b.Norm(former[1][0], former[1][1]) != a.Norm(present[1][0], present[1][1]) {
		return false
	}
	if len(former) < 3 {
		expected, ok := number(a, present[0])
		return ok && len(former) == len(present)-1 && name != "Equal" && w >= wide*math.Abs(expected) && w > 0
	}
	v, ok := number(b, former[2])
	switch {
	case !ok:
		return false
	case a.Lang == source.CSharp && name == "Equal" && v == math.Trunc(v) && w == math.Trunc(w): // digits
		return w < v
	}
	return w >= 2*v && w > v
}

// operands lists the arguments of the call that an assertion is.
func operands(f *units.File, a *units.Assert) [][2]int {
	for i := a.At; i < min(a.To, a.At+3); i++ {
		if f.Is(i, "(") {
			return f.Args(i)
		}
	}
	return nil
}

// number reads an argument that is a number, perhaps behind a label.
func number(f *units.File, arg [2]int) (float64, bool) {
	from, to := arg[0], arg[1]
	if f.Is(from+1, ":") {
		from += 2
	}
	if to != from+1 || f.Kind(from) != source.Number {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(f.Text(from), "_", ""), "fFdDmM"), 64)
	return v, err == nil
}
