package weaken

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// late reports assertions that nobody waits for any more: themselves, or the function around them.
func late(c *change.Change, report func(rule.Finding)) {
	unawaited(c, report)
	all := outcomes(c)
	for i := range all {
		o := &all[i]
		if l := o.pair.After.File.Lang; l != source.JS && l != source.TS {
			continue
		}
		for k, j := range o.kept {
			if j < 0 {
				continue
			}
			at := detached(o.pair.After, &o.pair.After.Asserts[j])
			if at < 0 || detached(o.pair.Before, &o.pair.Before.Asserts[k]) >= 0 {
				continue
			}
			line := o.pair.After.File.TokenLine(at)
			o.say(verdict.Soft, line, o.pair.After.Name+": "+about(o.pair.After, &o.pair.After.Asserts[j])+" stands in an asynchronous function that nobody waits for any more", pairs.Quote(o.pair.After.File, line),
				"await Promise.all of what map gives, or use a loop", report)
			break
		}
	}
}

// detached is the token of the call that is given an asynchronous function around an assertion and drops its promise, -1
// for none.
func detached(u *pairs.Unit, a *units.Assert) int {
	f := u.File
	for i := u.From; i < a.From; i++ {
		if !f.Is(i, "async") || !f.Is(i-1, "(") || f.Close(i-1) <= a.From || !f.Is(i-3, ".") && !f.Is(i-3, "?.") {
			continue
		}
		start := i - 2
		for start > u.From && !f.Is(start-1, ";") && !f.Is(start-1, "{") && !f.Is(start-1, "}") && !(f.Tokens[start].First && !f.Is(start, ".")) {
			start--
		}
		waits := false
		for k := start; k < i; k++ {
			waits = waits || f.Is(k, "await") || f.Is(k, "return") || f.Is(k, "=") || f.Is(k, "Promise") || f.Is(k, "=>") || f.Is(k, "(") && k < i-1 && f.Close(k) > i
		}
		switch {
		case f.Is(i-2, "forEach"), f.Is(i-2, "map") && !waits && !f.Is(f.Close(i-1)+1, "."):
			return i - 2
		}
	}
	return -1
}

// certain reports assertions that hold whatever the code does: by what they compare, or because a test that asks for a
// failure fails itself.
func certain(c *change.Change, report func(rule.Finding)) {
	trivial(c, report)
	all := outcomes(c)
	for i := range all {
		o := &all[i]
		now, n := staged(o.pair.After)
		then, m := staged(o.pair.Before)
		if len(now) <= len(then) || n > m {
			continue
		}
		line := o.pair.After.File.TokenLine(now[len(now)-1])
		class := verdict.Hard
		if o.pair.Similar < enough {
			class = verdict.Soft
		}
		o.say(class, line, o.pair.After.Name+" raises the failure itself that it asks the code for", pairs.Quote(o.pair.After.File, line), "let the code fail, and remove the statement", report)
	}
}

// staged lists the statements of a unit that raise a failure right inside of an assertion which asks for one, and counts
// these assertions.
func staged(u *pairs.Unit) (raise []int, n int) {
	f := u.File
	for i := range u.Asserts {
		a := &u.Asserts[i]
		name := strings.ToLower(last(a.Callee) + " " + a.Matcher)
		if !strings.Contains(name, "raise") && !strings.Contains(name, "throw") {
			continue
		}
		n++
		at := -1
		if f.Lang == source.Python {
			at = suite(f, a, u.To)
		} else {
			at = closure(f, a)
		}
		if at >= 0 {
			raise = append(raise, at)
		}
	}
	return raise, n
}

// suite finds a raise right below a `with` that holds nothing but the assertion.
func suite(f *units.File, a *units.Assert, to int) int {
	head := a.At
	for head > 0 && !f.Tokens[head].First {
		head--
	}
	open := a.At + 1
	if !f.Is(head, "with") || !f.Is(open, "(") {
		return -1
	}
	colon := f.Close(open) + 1
	for colon < to && colon < f.Close(open)+4 && !f.Is(colon, ":") {
		if f.Is(colon, ",") {
			return -1
		}
		colon++
	}
	if !f.Is(colon, ":") {
		return -1
	}
	col := f.Tokens[head].Col
	body := int32(-1)
	found, statements := -1, 0
	for k := colon + 1; k < to; k++ {
		t := &f.Tokens[k]
		if !t.First {
			continue
		}
		if t.Col <= col {
			break
		}
		if body < 0 {
			body = int32(t.Col)
		}
		if int32(t.Col) != body {
			continue
		}
		statements++
		if f.Is(k, "raise") {
			found = k
		}
	}
	if found >= 0 && statements > 0 {
		return found
	}
	return -1
}

// closure finds a throw right inside of the function that an assertion is given.
func closure(f *units.File, a *units.Assert) int {
	for i := a.From; i < a.To; i++ {
		if !f.Is(i, "{") || !f.Is(i-1, "=>") && !f.Is(i-1, "->") && !f.Is(i-1, ")") {
			continue
		}
		end := min(f.Close(i), a.To)
		for k := i + 1; k < end; k++ {
			if f.Is(k, "throw") && (f.Is(k-1, ";") || f.Is(k-1, "{") || f.Tokens[k].First) {
				return k
			}
			k = max(k, f.Close(k))
		}
		i = end
	}
	return -1
}
