// Package weaken finds assertions of existing tests and helpers that are gone, commented out, made to hold always, or
// made to ask for less; and expectations that changed while nothing else explains it.
//
// Assertions are matched before and after inside the matched tests, and over the whole change, before one is called gone.
// What looked at a removed feature goes with it; what moved into a helper or was merged into a stricter assertion is there.
// It owns no table and no file.
package weaken

import (
	"fmt"
	"maps"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

const question = "Here is the test before and after. Name one wrong behaviour of the code that the old one would have caught and the new one accepts, or answer none."

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "assertion-gone", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "an existing test or helper that lost assertions", Question: question,
			Why: "what they looked at is looked at nowhere any more", Find: gone,
		},
		{
			ID: "assertion-commented-out", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "assertions turned into comments", Question: question,
			Why: "they look as if they still counted", Find: commentedOut,
		},
		{
			ID: "assertion-trivial", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "assertions that hold whatever the code does", Question: question,
			Why: "the test cannot fail at this place any more", Find: certain,
		},
		{
			ID: "assertion-weakened", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "an exact expectation turned into presence, a type, a log line", Question: question,
			Why: "wrong results pass now", Find: weakened,
		},
		{
			ID: "tolerance-widened", Axis: verdict.TestIntegrity, Class: verdict.Soft, What: "an expectation that accepts a wider range", Question: question,
			Why: "results that were wrong are right now", Find: ranges,
		},
		{
			ID: "expectation-changed", Axis: verdict.TestIntegrity, Class: verdict.Soft, What: "another expected value, while the code that it is about did not change", Question: question,
			Why: "the test may have been made to agree with a wrong result", Find: changed,
		},
		{
			ID: "assertion-not-awaited", Axis: verdict.TestIntegrity, Class: verdict.Soft, What: "an assertion that the test no longer waits for", Question: question,
			Why: "it is decided after the test is green", Find: late,
		},
	}
}

type outcomesKey struct{}

// outcomes matches the assertions of all units that were and are.
func outcomes(c *change.Change) []outcome {
	return c.Once(outcomesKey{}, func() any {
		var out []outcome
		list := pairs.Of(c)
		for i := range list {
			p := &list[i]
			if p.Before != nil && p.After != nil && len(p.Before.Asserts) > 0 {
				out = append(out, match(p))
			}
		}
		return out
	}).([]outcome)
}

// enough is how similar a unit must be to what it was for its lines to be compared; a rewritten one is judged by what all
// of its assertions pin down.
const enough = 0.55

func gone(c *change.Change, report func(rule.Finding)) {
	all := outcomes(c)
	x := contextOf(c, all)
	left := maps.Clone(x.asserted)
	for i := range all {
		o := &all[i]
		b := o.pair.Before
		var lost []int
		for _, k := range o.gone {
			a := &b.Asserts[k]
			if a.Trivial || o.twice(k) || x.excused(o, a, left) || commented(o, a) > 0 || logged(o, a) > 0 {
				continue
			}
			lost = append(lost, k)
		}
		if len(lost) == 0 || o.pair.After.From >= o.pair.After.To && o.pair.Test {
			continue
		}
		class, ok := o.class(lost)
		if !ok {
			continue
		}
		if o.panics() && x.source > 0 {
			continue
		}
		if o.needless(lost) || x.parted(&b.Asserts[lost[0]]) || o.panics() {
			class = verdict.Soft
		}
		a := &b.Asserts[lost[0]]
		text := o.pair.After.Name + ": " + about(b, a) + " is gone"
		if len(lost) > 1 {
			text = fmt.Sprintf("%s: %d assertions are gone, the first %s", o.pair.After.Name, len(lost), about(b, a))
		}
		o.say(class, o.where(a), text, quote(b, a), "put the assertion back, or say what makes it needless", report)
	}
}

// panics reports whether a test in Rust is expected to panic now and was not before: what stood behind the panic is never
// reached.
func (o *outcome) panics() bool {
	return strings.Contains(o.pair.After.Attrs, "should_panic") && !strings.Contains(o.pair.Before.Attrs, "should_panic")
}

// twice reports whether a former assertion said word for word what another one next to it says that is still there.
func (o *outcome) twice(k int) bool {
	b := o.pair.Before
	f := b.File
	text := f.Norm(b.Asserts[k].From, b.Asserts[k].To)
	same := func(i int) bool { return f.Norm(b.Asserts[i].From, b.Asserts[i].To) == text }
	next := func(i int) bool { // nothing is done between assertion i and the one behind it
		for k := b.Asserts[i].To; k < b.Asserts[i+1].From; k++ {
			if t := f.Text(k); t != ";" && t != "await" && k+1 < b.Asserts[i+1].From {
				return false
			}
		}
		return true
	}
	for i := k - 1; i >= 0 && next(i); i-- {
		if o.kept[i] >= 0 && same(i) {
			return true
		}
	}
	for i := k + 1; i < len(b.Asserts) && next(i-1); i++ {
		if o.kept[i] >= 0 && same(i) {
			return true
		}
	}
	return false
}

// class tells how sure it is that lost assertions are a loss: not at all when the unit was rewritten and pins down as much
// as before.
func (o *outcome) class(lost []int) (verdict.Class, bool) {
	switch {
	case o.pure:
		return verdict.Hard, true
	case o.pair.Similar >= enough && !o.pair.Moved && (o.cut || len(o.fresh) == 0):
		return verdict.Soft, true
	}
	if power(o.pair.After)*2 < power(o.pair.Before) {
		return verdict.Soft, true
	}
	return "", false
}

// needless reports whether all that is lost said that something is there, while other assertions still look at the same.
func (o *outcome) needless(lost []int) bool {
	for _, k := range lost {
		a := &o.pair.Before.Asserts[k]
		if a.Strength != units.Presence && !(strings.HasPrefix(a.Matcher, "not.") || strings.HasPrefix(a.Matcher, "doesNot")) || a.Expected != "" && !boolean(a.Expected) {
			return false
		}
		same := false
		for _, i := range [...]int{k - 1, k + 1} {
			if i < 0 || i >= len(o.kept) || o.kept[i] < 0 {
				continue
			}
			y := &o.pair.After.Asserts[o.kept[i]]
			same = same || !y.Trivial && (y.Actual == a.Actual || strings.HasPrefix(y.Actual, a.Actual+" "))
		}
		if !same {
			return false
		}
	}
	return true
}

// power is what the assertions of a unit pin down, all in all.
func power(u *pairs.Unit) int {
	n := 0
	for i := range u.Asserts {
		if a := &u.Asserts[i]; !a.Trivial {
			n += max(int(a.Strength), 1)
		}
	}
	return n
}

func commentedOut(c *change.Change, report func(rule.Finding)) {
	all := outcomes(c)
	for i := range all {
		o := &all[i]
		for _, k := range o.gone {
			a := &o.pair.Before.Asserts[k]
			if line := commented(o, a); line > 0 && !a.Trivial {
				o.say(verdict.Hard, line, o.pair.After.Name+": "+about(o.pair.Before, a)+" is only a comment now", pairs.Quote(o.pair.After.File, line), "put the assertion back", report)
				break
			}
		}
	}
}

// commented is the line of a comment of the present unit that holds the assertion as code, 0 for none.
func commented(o *outcome, a *units.Assert) int {
	u := o.pair.After
	want := squeeze(o.pair.Before.File.Span(a.From, a.To))
	if i := strings.IndexAny(want, "{"); i > 12 && strings.HasPrefix(want, "if") {
		want = want[:i]
	}
	if len(want) > 40 {
		want = want[:40]
	}
	if len(want) < 6 {
		return 0
	}
	all := u.File.Comments()
	for i := range all {
		if all[i].Line < u.First || all[i].Line > u.End {
			continue
		}
		text := squeeze(strings.TrimLeft(all[i].Text, "/#* "))
		for k := i + 1; len(text) < len(want) && k < len(all) && all[k].Line == all[k-1].Line+1; k++ {
			text += squeeze(strings.TrimLeft(all[k].Text, "/#* "))
		}
		if strings.Contains(text, want) {
			return all[i].Line
		}
	}
	return 0
}

// squeeze drops all blanks.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func trivial(c *change.Change, report func(rule.Finding)) {
	all := outcomes(c)
	for i := range all {
		o := &all[i]
		for _, s := range o.swaps {
			x, y := &o.pair.Before.Asserts[s.old], &o.pair.After.Asserts[s.now]
			if holds(o.pair.Before, x) || !holds(o.pair.After, y) {
				continue
			}
			o.say(verdict.Hard, y.Line, o.pair.After.Name+": "+about(o.pair.Before, x)+" holds whatever the code does", quote(o.pair.After, y), "assert about what the code gives again", report)
			break
		}
	}
}

// say reports one finding of a unit.
func (o *outcome) say(class verdict.Class, line int, text, evidence, fix string, report func(rule.Finding)) {
	report(rule.Finding{
		Class: class, Path: o.pair.New.Path, Line: line, Text: text, Evidence: evidence, Fix: fix, Unit: o.pair.After.Name,
		Before: o.pair.Before.Shown(), After: o.pair.After.Shown(),
	})
}

// where is the present line at which a former assertion stood.
func (o *outcome) where(a *units.Assert) int {
	if o.pair.Old != o.pair.New {
		return o.pair.After.Line
	}
	line := o.pair.New.Present(a.Line)
	return min(max(line, o.pair.After.First), max(o.pair.After.End, o.pair.After.Line))
}

// about names an assertion by what it looks at.
func about(u *pairs.Unit, a *units.Assert) string {
	const most = 60
	s := a.Actual
	if s == "" {
		s = u.File.Norm(a.From, min(a.To, a.From+20))
	}
	if len(s) > most {
		s = s[:most] + "…"
	}
	return "the assertion about `" + s + "`"
}

// quote is the first line of an assertion.
func quote(u *pairs.Unit, a *units.Assert) string { return pairs.Quote(u.File, a.Line) }
