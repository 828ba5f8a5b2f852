package weaken

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func weakened(c *change.Change, report func(rule.Finding)) {
	all := outcomes(c)
	x := contextOf(c, all)
	for i := range all {
		o := &all[i]
		if o.weaker(x, report) {
			continue
		}
		for _, k := range o.gone {
			a := &o.pair.Before.Asserts[k]
			if line := logged(o, a); line > 0 {
				o.say(verdict.Hard, line, o.pair.After.Name+": "+about(o.pair.Before, a)+" only tells of a wrong value now", pairs.Quote(o.pair.After.File, line), "let the test fail again", report)
				break
			}
		}
	}
}

// weaker reports the first assertion of a unit that asks for less than before.
func (o *outcome) weaker(all *context, report func(rule.Finding)) bool {
	for _, s := range o.swaps {
		x, y := &o.pair.Before.Asserts[s.old], &o.pair.After.Asserts[s.now]
		if y.Strength != units.Presence && !onlyThere(y) || pins(x) <= units.Presence || holds(o.pair.After, y) || boolean(x.Expected) && !onlyThere(y) || o.helped(x) || x.Expected == "" || o.says(y, x.Expected) ||
			!alike(x, y) && !o.pure || all.withdrawn(x.Expected) {
			continue
		}
		class := verdict.Soft
		if pins(x) == units.Exact && o.pure && alike(x, y) && (x.Matcher != y.Matcher || x.Matcher == "") {
			class = verdict.Hard
		}
		o.say(class, y.Line, o.pair.After.Name+": "+about(o.pair.Before, x)+" asks for less than before", quote(o.pair.After, y), "ask for the exact value again", report)
		return true
	}
	return false
}

// says reports whether an assertion still names what a former one expected, in another link of its chain.
func (o *outcome) says(y *units.Assert, expected string) bool {
	text := strings.Replace(" "+o.pair.After.File.Norm(y.From, y.To)+" ", " "+y.Actual+" ", " ", 1)
	return strings.Contains(text, " "+expected+" ")
}

// onlyThere reports whether an assertion asks for no more than that something is there, or is of some type.
func onlyThere(y *units.Assert) bool {
	name := strings.ToLower(strings.ReplaceAll(y.Callee+" "+y.Matcher+" "+y.Op, "_", ""))
	for _, w := range [...]string{"notnull", "notnil", "notnone", "isnotnull", "defined", "exist", "instance", "isa", "not.tobenull", "not.benull", "not.tobeundefined", "is not", "not.be.null", "not.beundefined"} {
		if strings.Contains(name, w) {
			return w != "defined" || !strings.Contains(name, "undefined") || strings.Contains(name, "not.")
		}
	}
	return (y.Op == "!=" || y.Op == "!==" || y.Op == "is not") && boolean(y.Expected) && y.Expected != "true" && y.Expected != "false"
}

// pins is how closely an assertion looks: that the size of something is a number is exact here.
func pins(x *units.Assert) units.Strength {
	if x.Strength != units.Tolerance || strings.Contains(x.Expected, "approx") || strings.Contains(x.Expected, "closeTo") || strings.Contains(x.Expected, "expect .") {
		return x.Strength
	}
	switch m := strings.ToLower(strings.ReplaceAll(last(x.Matcher), "_", "")); {
	case x.Op == "==" || x.Op == "===", m == "tobe", m == "toequal", m == "tostrictequal", m == "equals", m == "isequalto", m == "equal", m == "eql", m == "eq":
		return units.Exact
	case x.Matcher == "" && x.Op == "":
		c := strings.ToLower(last(x.Callee))
		if strings.HasSuffix(c, "equal") || strings.HasSuffix(c, "equals") || strings.HasSuffix(c, "_eq") || c == "is" || c == "same" {
			return units.Exact
		}
	}
	return x.Strength
}

// helped reports whether another new assertion of the unit looks at the same thing as closely as a former one did.
func (o *outcome) helped(x *units.Assert) bool {
	for _, j := range o.fresh {
		y := &o.pair.After.Asserts[j]
		if len(x.Expected) >= telling && !y.Trivial && y.Expected == x.Expected && y.Strength >= units.Tolerance {
			return true
		}
		if y.Strength >= x.Strength && rootOf(y.Actual) == rootOf(x.Actual) && !y.Trivial {
			return true
		}
	}
	return false
}

// alike reports whether two assertions look at the same thing.
func alike(x, y *units.Assert) bool {
	return x.Actual == y.Actual || x.Expected == y.Actual || change.Similarity(x.Actual, y.Actual) >= 0.5
}

// boolean reports whether an expectation is as well written as truth or absence.
func boolean(expected string) bool {
	switch expected {
	case "true", "false", "True", "False", "None", "nil", "null", "undefined", `""`, "''", "[ ]", "{ }", "0":
		return true
	}
	return false
}

// logged is the line of a statement that looks at what a former assertion looked at and only logs, 0 for none.
func logged(o *outcome, a *units.Assert) int {
	words := change.Words(a.Actual)
	if len(words) == 0 {
		return 0
	}
	u := o.pair.After
	f := u.File
	before := ""
	for i := u.From; i < u.To; i++ {
		if !f.Is(i, "if") {
			continue
		}
		s := stmt.Stmt{From: i, To: stmt.End(f, i, u.To)}
		body := 0 // where what is done begins; a literal may stand before it
		for _, b := range stmt.Blocks(f, s) {
			if b.Head == i && onlyLogs(f, b.From, b.To) && b.To > b.From {
				body = b.From
			}
		}
		for k := i + 1; body == 0 && f.Lang == source.Rust && k < min(i+400, u.To); k++ {
			if f.Is(k, "{") && f.Close(k) > k+1 && onlyLogs(f, k+1, f.Close(k)) {
				body, s.To = k+1, f.Close(k)+1
			}
			k = max(k, f.Close(k))
		}
		if body == 0 {
			continue
		}
		head := f.Norm(i+1, body)
		have := map[string]bool{}
		for _, w := range change.Words(head) {
			have[w] = true
		}
		all := true
		for _, w := range words {
			all = all && have[w]
		}
		if !all {
			continue
		}
		if before == "" {
			before = o.pair.Before.Body()
		}
		if !strings.Contains(before, f.Norm(s.From, s.To)) {
			return f.TokenLine(i)
		}
	}
	return told(o, words)
}

// told is the line of a new statement that writes what a former assertion looked at and does nothing else, 0 for none.
func told(o *outcome, words []string) int {
	u := o.pair.After
	f := u.File
	before := ""
	for i := u.From; i < u.To; i++ {
		if !f.Tokens[i].First || f.Kind(i) != source.Name || !o.pair.New.Touched(f.TokenLine(i), f.TokenLine(i)) {
			continue
		}
		end := stmt.End(f, i, u.To)
		if end-i > 60 || end <= i || !onlyLogs(f, i, end) {
			continue
		}
		have := map[string]bool{}
		for _, w := range change.Words(f.Norm(i, end)) {
			have[w] = true
		}
		all := true
		for _, w := range words {
			all = all && have[w]
		}
		if !all {
			continue
		}
		if before == "" {
			before = o.pair.Before.Body()
		}
		if !strings.Contains(before, f.Norm(i, end)) {
			return f.TokenLine(i)
		}
	}
	return 0
}

// onlyLogs reports whether statements write something and do nothing else.
func onlyLogs(f *units.File, from, to int) bool {
	all := stmt.Split(f, from, to)
	for _, s := range all {
		ok := false
		for i := s.From; i < min(s.To, s.From+6); i++ {
			if f.Kind(i) != source.Name {
				continue
			}
			w := strings.ToLower(f.Text(i))
			ok = ok || strings.HasPrefix(w, "log") || strings.HasPrefix(w, "print") || strings.HasPrefix(w, "eprint") || w == "console" || strings.HasPrefix(w, "warn") || w == "debugprint" || strings.HasPrefix(w, "debug")
		}
		if !ok && !f.Is(s.From, "pass") && !f.Is(s.From, "_") {
			return false
		}
	}
	return true
}

func widened(c *change.Change, report func(rule.Finding)) {
	all := outcomes(c)
	for i := range all {
		o := &all[i]
		for _, s := range o.swaps {
			x, y := &o.pair.Before.Asserts[s.old], &o.pair.After.Asserts[s.now]
			if holds(o.pair.After, y) || pins(y) != units.Tolerance {
				continue
			}
			if pins(x) == units.Exact && (alike(x, y) || o.pure) && !o.helped(x) && !o.restated(x, y) || pins(x) == units.Tolerance && looser(o, x, y) {
				o.say(verdict.Soft, y.Line, o.pair.After.Name+": "+about(o.pair.Before, x)+" accepts more values than before", quote(o.pair.After, y), "ask for the value itself, or for the narrow range again", report)
				break
			}
		}
	}
}

// looser reports whether the same comparison got a wider range: all that differs are numbers, and one of them grew a lot,
// or a number of digits shrank.
func looser(o *outcome, x, y *units.Assert) bool {
	b, a := o.pair.Before.File, o.pair.After.File
	if x.To-x.From != y.To-y.From {
		return false
	}
	text := b.Norm(x.From, x.To)
	digits := strings.Contains(text, "CloseTo") && b.Lang != source.Dart || strings.Contains(text, "places") || strings.Contains(text, "digits") || strings.Contains(text, "AlmostEqual")
	delta := strings.Contains(text, "delta") || strings.Contains(text, "abs") || strings.Contains(text, "rel") || strings.Contains(text, "Delta") || strings.Contains(text, "epsilon")
	found := false
	for k := 0; k < x.To-x.From; k++ {
		p, q := b.Text(x.From+k), a.Text(y.From+k)
		if p == q {
			continue
		}
		if b.Kind(x.From+k) != source.Number || a.Kind(y.From+k) != source.Number {
			return false
		}
		v, errV := strconv.ParseFloat(strings.ReplaceAll(p, "_", ""), 64)
		w, errW := strconv.ParseFloat(strings.ReplaceAll(q, "_", ""), 64)
		if errV != nil || errW != nil {
			continue
		}
		if digits && !delta {
			found = found || w < v
			continue
		}
		found = found || w >= 2*v || bound(b, x, v, w)
	}
	return found
}

// bound reports whether a one-sided limit moved away from what it limits.
func bound(f *units.File, x *units.Assert, v, w float64) bool {
	text := x.Op + " " + x.Matcher + " " + x.Callee
	switch {
	case strings.Contains(text, "<") || strings.Contains(text, "Less") || strings.Contains(text, "less") || strings.Contains(text, "below"):
		return w > v && w >= 1.5*v
	case strings.Contains(text, ">") || strings.Contains(text, "Greater") || strings.Contains(text, "greater") || strings.Contains(text, "above"):
		return w < v && w <= v/1.5
	}
	return false
}
