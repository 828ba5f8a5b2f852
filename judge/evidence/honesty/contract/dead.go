package contract

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func dead() rule.Rule {
	return rule.Rule{
		ID: "branch-disabled", Axis: verdict.Honesty, Class: verdict.Soft,
		What:     "a condition that a constant decides",
		Why:      "the code looks as if it checked something, and one side of it never runs",
		Question: "Is there a reason to keep the code that can never run?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before != nil {
					decided(p, report)
				}
			}
		},
	}
}

func decided(p change.FuncPair, report func(rule.Finding)) {
	u, old := p.After.File(), p.Before.File()
	for i := p.After.From; i < p.After.To; i++ {
		if !p.New.Touched(u.TokenLine(i), u.TokenLine(i)) || !constant(u, i) || constants(old, p.Before) >= constants(u, p.After) {
			continue
		}
		report(code.Finding(p, u.TokenLine(i), "this condition is decided by a constant", "take the constant out, or the code that never runs"))
		return
	}
}

func constants(u *units.File, fn *units.Func) int {
	n := 0
	for i := fn.From; i < fn.To; i++ {
		if constant(u, i) {
			n++
		}
	}
	return n
}

// constant reports a fixed value at token i that decides a condition: false && x, x || true, if False:, if (0).
func constant(u *units.File, i int) bool {
	yes, no := u.Is(i, "true") || u.Is(i, "True"), u.Is(i, "false") || u.Is(i, "False")
	if u.Kind(i) == source.Number {
		loose := u.Lang == source.JS || u.Lang == source.TS || u.Lang == source.Python || u.Lang == source.C || u.Lang == source.CPP || u.Lang == source.PHP
		yes, no = loose && u.Is(i, "1"), loose && u.Is(i, "0")
	}
	if !yes && !no {
		return false
	}
	before, after := u.Text(i-1), u.Text(i+1)
	switch {
	case no && (after == "&&" || after == "and" || (before == "&&" || before == "and") && ends(u, i+1)):
		return starts(u, i-1) || before == "&&" || before == "and"
	case yes && (after == "||" || after == "or" || (before == "||" || before == "or") && ends(u, i+1)):
		return starts(u, i-1) || before == "||" || before == "or"
	case before == "if" || before == "elif" || before == "unless":
		return after == "{" || after == ":"
	case before == "(" && (u.Is(i-2, "if") || no && u.Is(i-2, "while")):
		return after == ")"
	}
	return false
}

// starts reports tokens in front of an operand.
func starts(u *units.File, i int) bool {
	switch u.Text(i) {
	case "(", "if", "elif", "while", "&&", "||", "and", "or", "return", "not", "!", "=":
		return true
	}
	return false
}

// ends reports tokens behind an operand.
func ends(u *units.File, i int) bool {
	switch u.Text(i) {
	case ")", "{", ":", "&&", "||", "and", "or", ";", "?":
		return true
	}
	return false
}

func widened() rule.Rule {
	return rule.Rule{
		ID: "result-widened", Axis: verdict.Honesty, Class: verdict.Soft,
		What:     "the declared result of a function became anything",
		Why:      "callers and the type checker lose what they could rely on",
		Question: "Which caller could rely on the old result type and cannot on the new one?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before == nil || p.Before.Result == "" || p.Similar < 0.5 {
					continue
				}
				was, is := squeeze(p.Before.Result), squeeze(p.After.Result)
				if was == is || anything(was) || !anything(is) {
					continue
				}
				report(code.Finding(p, p.After.Line, "its result was "+was+" and is now "+is, "declare what it gives"))
			}
		},
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// anything reports types that say nothing.
func anything(s string) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), ":"), " "), "?") {
	case "any", "Any", "typing.Any", "t.Any", "dynamic", "Object", "object", "interface{}", "interface {}", "Promise<any>", "Future<dynamic>", "mixed":
		return true
	}
	return false
}
