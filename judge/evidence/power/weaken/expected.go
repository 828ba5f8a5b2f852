package weaken

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// systematic is from how many units on other expectations are taken for the outcome of one change of the source.
const systematic = 3

func changed(c *change.Change, report func(rule.Finding)) {
	all := outcomes(c)
	x := contextOf(c, all)
	type flip struct {
		o    *outcome
		p, q *units.Assert
	}
	var found []flip
	for i := range all {
		o := &all[i]
		if !o.pure || x.explains(o) {
			continue
		}
		for _, s := range o.swaps {
			p, q := &o.pair.Before.Asserts[s.old], &o.pair.After.Asserts[s.now]
			if flipped(o, p, q) && !o.restated(p, q) && !x.told(p.Expected, q.Expected) && !x.parted(p) {
				found = append(found, flip{o, p, q})
				break
			}
		}
	}
	if len(found) >= systematic && (x.source > 0 || x.depends) {
		return
	}
	for _, f := range found[:min(len(found), systematic-1)] {
		f.o.say(verdict.Soft, f.q.Line, f.o.pair.After.Name+": "+about(f.o.pair.Before, f.p)+" expects another value, and the code that it is about did not change", quote(f.o.pair.After, f.q),
			"put the former expectation back, or change the code that makes it wrong in the same change", report)
	}
}

// flipped reports whether an assertion asks for another value, or for the opposite.
func flipped(o *outcome, p, q *units.Assert) bool {
	if holds(o.pair.After, q) || q.Strength < p.Strength {
		return false
	}
	if p.Expected == "" && boolean(q.Expected) || q.Expected == "" && boolean(p.Expected) {
		return false // another way to say the same
	}
	if p.Actual == q.Actual && p.Actual != "" {
		return p.Expected != q.Expected || p.Op != q.Op || p.Matcher != q.Matcher || p.Callee != q.Callee && p.Expected == ""
	}
	return p.Callee == q.Callee && p.Actual == "" && q.Actual == ""
}

// restated reports whether an assertion asks for the same in another style: other quotes, a value made in another way, the
// same comparison by another name.
func (o *outcome) restated(p, q *units.Assert) bool {
	count := map[string]int{}
	add := func(f *units.File, a *units.Assert, n int) {
		for i := a.From; i < a.To; i++ {
			w := f.Text(i)
			switch f.Kind(i) {
			case source.String:
				w = "\"" + strings.ReplaceAll(f.Unquote(i), "\\", "")
			case source.Number:
				if v, err := strconv.ParseFloat(strings.ReplaceAll(w, "_", ""), 64); err == nil {
					w = strconv.FormatFloat(v, 'g', -1, 64)
				}
			default:
				w = plain(w)
			}
			count[w] += n
		}
	}
	add(o.pair.Before.File, p, 1)
	add(o.pair.After.File, q, -1)
	delete(count, "")
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// plain is a token of an assertion without its style; "" for one that says nothing about what is asked for.
func plain(w string) string {
	switch w {
	case "===":
		return "=="
	case "!==":
		return "!="
	case "(", ")", ",", ".", ";", "new", "const", "<", ">", "valueOf", "Integer", "Long", "Double", "Float", "assertEquals", "assertThat", "isEqualTo", "equals", "isInstanceOf", "TypeMatcher", "isA", "size", "length", "hasSize", "hasLength":
		return ""
	}
	return w
}

// explains reports whether source code changed that the unit uses.
func (x *context) explains(o *outcome) bool {
	if x.source == 0 {
		return false
	}
	f := o.pair.Before.File
	for i := o.pair.Before.From; i < o.pair.Before.To; i++ {
		w := f.Text(i)
		if len(w) > 2 && (x.changed[w] || x.removed[w] || x.came[w]) {
			return true
		}
	}
	return false
}

// told reports whether the source says what the expectation says now, and did not before.
func (x *context) told(before, after string) bool {
	had := map[string]bool{}
	for _, w := range change.Words(before) {
		had[w] = true
	}
	for _, w := range change.Words(after) {
		if !had[w] && len(w) > 1 && x.added[w] {
			return true
		}
	}
	return false
}

func unawaited(c *change.Change, report func(rule.Finding)) {
	all := outcomes(c)
	for i := range all {
		o := &all[i]
		for k, j := range o.kept {
			if j < 0 || !o.pair.Before.Asserts[k].Awaited || o.pair.After.Asserts[j].Awaited || !pending(o.pair.After.File, &o.pair.After.Asserts[j]) {
				continue
			}
			a := &o.pair.After.Asserts[j]
			o.say(verdict.Soft, a.Line, o.pair.After.Name+": "+about(o.pair.After, a)+" is not awaited any more", quote(o.pair.After, a), "await the assertion, or return it", report)
			break
		}
	}
}

// pending reports whether an assertion is decided later than where it stands.
func pending(f *units.File, a *units.Assert) bool {
	for i := a.From; i < a.To; i++ {
		switch f.Text(i) {
		case "resolves", "rejects", "rejectedWith", "eventually", "rejected", "fulfilled", "expectLater", "poll", "assertRejects", "throwsAsync", "notThrowsAsync", "assertThrowsAsync", "becomes":
			return true
		}
	}
	return false
}
