package special

import (
	"fmt"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func hardcoded() rule.Rule {
	return rule.Rule{
		ID: "hardcoded-answer", Axis: verdict.Honesty, Class: verdict.Hard,
		What:     "a particular input is answered with a particular value in front of the code that computes it",
		Why:      "the tests ask for exactly that input, and every other one is as wrong as before",
		Question: "Is this special case one that the function's purpose asks for, or does it only give a test what the test expects?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			k := tests{now: literals(c.Now), old: literals(c.Base)}
			for _, p := range code.Pairs(c) {
				if p.Before != nil {
					pasted(k, p, report)
				}
			}
		},
	}
}

// answerTo is an input with the answer that the code gives to it.
type answerTo struct {
	line    int
	in, out []string // literals; out may be empty when the answer is true, false or nothing
	param   string
	direct  bool // no code of the function stands before it
}

// tests are those of the project after the change and before it.
type tests struct{ now, old *known }

func pasted(k tests, p change.FuncPair, report func(rule.Finding)) {
	after := code.Read(p.After)
	list := answers(p, after)
	if len(list) == 0 {
		return
	}
	before := code.Read(p.Before)
	custom := customary(before, list[0].param)
	most, hits := 0, 0
	for _, a := range list {
		n := k.weigh(a, p.After.Name)
		most = max(most, n)
		if n >= 2 {
			hits++
		}
	}
	lost := before.Count() > after.Count()
	f := code.Finding(p, list[0].line, fmt.Sprintf("answers %s with a value written down", first(list[0].in)), "compute the answer; leave particular inputs to the tests")
	switch {
	case most == 3 && list[0].direct, hits > 1 && lost:
	case most >= 2 && !custom, most == 1 && list[0].direct && !custom:
		f.Class = verdict.Soft
	default:
		return
	}
	report(f)
}

func first(list []string) string {
	if len(list) == 0 {
		return "an input"
	}
	s := list[0]
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return s
}

// weigh tells how much an answer looks like taken from the tests: 3 both sides stood there before the change, or the
// answer to the very question; 2 both sides, 1 one of them, 0 not at all.
func (k tests) weigh(a answerTo, fn string) int {
	in, out := "", ""
	for _, l := range a.in {
		if tells(l) && len(l) > len(in) && len(k.now.at(l)) > 0 {
			in = l
		}
	}
	for _, l := range a.out {
		if tells(l) && len(l) > len(out) {
			out = l
		}
	}
	switch {
	case in == "":
		if out != "" && len(a.in) > 0 && k.now.called(out, fn) {
			return 3
		}
		return 0
	case out != "" && len(k.now.at(out)) > 0:
		if k.now.near(in, out) || len(k.old.at(in)) > 0 {
			return 3
		}
		return 2
	case k.now.called(in, fn), out == "" && len(k.old.at(in)) > 0:
		return 3
	}
	return 1
}

// customary reports whether the former function compared the same parameter with literals: then one more is its custom.
func customary(b *code.Body, param string) bool {
	u := b.F
	for i := b.Fn.From; i < b.Fn.To; i++ {
		if u.Kind(i) != source.Name || u.Text(i) != param {
			continue
		}
		for j := i + 1; j < i+5; j++ {
			if comparator(u, j) {
				for k := j + 1; k < j+4; k++ {
					if kind := u.Kind(k); kind == source.String && tells(u.Text(k)) || kind == source.Number && tells(u.Text(k)) {
						return true
					}
				}
			}
		}
		if (u.Is(i-1, "(") || u.Is(i-1, "switch") || u.Is(i-1, "match") || u.Is(i-1, "when")) && (u.Is(i-2, "switch") || u.Is(i-2, "when") || !u.Is(i-1, "(")) {
			return true
		}
	}
	return false
}

// answers lists what new code of the function answers by literals.
func answers(p change.FuncPair, b *code.Body) []answerTo {
	u := b.F
	var out []answerTo
	direct := true
	for i, s := range b.Stmts {
		fresh := p.New.Touched(s.Line, s.End)
		switch {
		case s.Kind == code.If && fresh && i+1 < len(b.Stmts):
			inner := b.Stmts[i+1]
			from, to, ok := b.Value(inner)
			if in, param := asks(b, s.From, s.To); ok && inner.Depth > s.Depth && s.Next == i+2 && param != "" && fixed(b, from, to) {
				out = append(out, answerTo{line: s.Line, in: in, out: literalsIn(u, from, to), param: param, direct: direct && s.Depth == 0})
				continue
			}
			if a, ok := table(p, b, s, b.Stmts[i+1]); ok {
				a.direct = direct && s.Depth == 0
				out = append(out, a)
				continue
			}
		case s.Kind == code.Case && fresh && i+1 < len(b.Stmts) && b.Stmts[i+1].Depth >= s.Depth:
			inner := b.Stmts[i+1]
			from, to, ok := b.Value(inner)
			in := literalsIn(u, s.From, s.To)
			if param := subject(p, b, i); ok && len(in) > 0 && param != "" && from < to && fixed(b, from, to) {
				out = append(out, answerTo{line: s.Line, in: in, out: literalsIn(u, from, to), param: param, direct: direct})
				continue
			}
		}
		if fresh && (s.Kind == code.Return || s.Tail) {
			if a, ok := lookup(p, b, s); ok {
				a.direct = direct && s.Depth == 0
				out = append(out, a)
				continue
			}
		}
		if fresh && (s.Kind == code.Return || s.Tail || s.Kind == code.Plain) {
			if a, ok := choice(b, s); ok {
				a.direct = direct && s.Depth == 0
				out = append(out, a)
				continue
			}
		}
		if s.Depth == 0 && s.Kind != code.Switch && !declares(b, s) && p.New != nil {
			direct = false
		}
	}
	return out
}

// declares reports statements that prepare: declarations, imports, docstrings, guards of the receiver.
func declares(b *code.Body, s code.Stmt) bool {
	if s.Kind == code.Plain && s.To == s.From+1 {
		return true
	}
	_, _, ok := b.Assigned(s)
	return ok || b.F.Is(s.From, "global") || b.F.Is(s.From, "nonlocal") || b.F.Is(s.From, "import") || b.F.Is(s.From, "from")
}

// subject is the parameter that the switch around case i looks at, "" when it is none.
func subject(p change.FuncPair, b *code.Body, i int) string {
	for k := i - 1; k >= 0; k-- {
		if b.Stmts[k].Kind == code.Switch && b.Stmts[k].Depth < b.Stmts[i].Depth {
			if !p.New.Touched(b.Stmts[k].Line, b.Stmts[k].End) {
				return "" // one case more
			}
			for t := b.Stmts[k].From; t < b.Stmts[k].To; t++ {
				if b.F.Kind(t) == source.Name && b.Param(b.F.Text(t)) {
					return b.F.Text(t)
				}
			}
			return ""
		}
	}
	return ""
}

// fixed reports answers that depend on nothing.
func fixed(b *code.Body, from, to int) bool {
	return code.Constant(b.F, from, to) && to-from < 200
}

func comparator(u *units.File, i int) bool {
	switch u.Text(i) {
	case "==", "===", "equals", "eq", "is", "in", "contentEquals", "equalsIgnoreCase", "includes", "contains", "DeepEqual", "EqualFold", "eql":
		return u.Kind(i) != source.String
	}
	return false
}

// asks reads a condition that compares parameters with literals only, and gives the literals and one of the parameters.
func asks(b *code.Body, from, to int) (in []string, param string) {
	u := b.F
	compared := false
	for i := from; i < to; i++ {
		switch w := u.Text(i); {
		case u.Kind(i) == source.String || u.Kind(i) == source.Number:
			in = append(in, literal(u, i))
			if u.Kind(i) == source.String && joined(u, from, to) {
				in = append(in, pieces(u.Text(i))...)
			}
		case comparator(u, i):
			compared = true
		case w == "!=" || w == "!==" || w == "<" || w == ">" || w == "<=" || w == ">=":
			return nil, ""
		case u.Kind(i) == source.Name && b.Param(w):
			if param == "" || param == "self" || param == "this" {
				param = w
			}
		}
	}
	if !compared && !u.Is(from+1, "let") && !u.Is(from+1, "matches") || len(in) == 0 {
		return nil, ""
	}
	if param == "self" || param == "this" {
		// A field of the receiver is an input, too.
		return in, param
	}
	return in, param
}

// literal is the text of a literal with its sign.
func literal(u *units.File, i int) string {
	if u.Kind(i) == source.Number && u.Is(i-1, "-") && u.Kind(i-2) == source.Op {
		return "-" + u.Text(i)
	}
	return u.Text(i)
}

// choice reads an answer inside of an expression: `x == "a" ? "b" : f(x)`, `"b" if x == "a" else f(x)`, `if x == "a" { "b" } else …`.
func choice(b *code.Body, s code.Stmt) (answerTo, bool) {
	u := b.F
	for i := s.From; i < s.To; i++ {
		if !comparator(u, i) || u.Is(i, "in") {
			continue
		}
		head := i
		for head > s.From && i-head < 6 && !u.Is(head-1, "return") && !u.Is(head-1, "=") {
			head--
		}
		for k := i + 1; k < s.To && k < i+14; k++ {
			switch {
			case u.Is(k, "?"):
				end := k + 1
				for end < s.To && !u.Is(end, ":") {
					end = max(end, u.Close(end)) + 1
				}
				if in, param := asks(b, max(head, s.From), k); param != "" && fixed(b, k+1, end) && !u.Is(end, ";") && !fixed(b, end+1, s.To) {
					return answerTo{line: u.TokenLine(i), in: in, out: literalsIn(u, k+1, end), param: param}, true
				}
			case u.Is(k, "else") && u.Lang == source.Python:
				for at := i; at > s.From; at-- {
					if !u.Is(at, "if") {
						continue
					}
					start := s.From
					if u.Is(start, "return") {
						start++
					}
					if in, param := asks(b, at, k); param != "" && fixed(b, start, at) && !fixed(b, k+1, s.To) {
						return answerTo{line: u.TokenLine(i), in: in, out: literalsIn(u, start, at), param: param}, true
					}
				}
			}
		}
	}
	return answerTo{}, false
}

// table reads `if x in TABLE: return TABLE[x]` where the table is one of literals that the change brought.
func table(p change.FuncPair, b *code.Body, s, inner code.Stmt) (answerTo, bool) {
	u := b.F
	from, to, ok := b.Value(inner)
	if !ok || from >= to || inner.Depth <= s.Depth {
		return answerTo{}, false
	}
	param := ""
	for i := s.From; i < s.To; i++ {
		if u.Kind(i) == source.Name && b.Param(u.Text(i)) {
			param = u.Text(i)
		}
	}
	if param == "" {
		return answerTo{}, false
	}
	for i := s.From; i < to; i++ {
		if u.Kind(i) != source.Name || i >= s.To && i < from || !looks(u, i, param) {
			continue
		}
		if in, out, ok := entries(p, u, u.Text(i), i); ok {
			return answerTo{line: s.Line, in: in, out: out, param: param}, true
		}
	}
	return answerTo{}, false
}

// looks reports whether the name at i is looked up by a parameter: T[p], T.get(p), p in T.
func looks(u *units.File, i int, param string) bool {
	if (u.Is(i-1, "in") || u.Is(i-1, "of")) && u.Text(i-2) == param {
		return true
	}
	open := i + 1
	if u.Is(open, ".") || u.Is(open, "?.") {
		open = i + 3
	}
	return (u.Is(open, "[") || u.Is(open, "(") && open > i+1) && mentions(u, open, u.Close(open), param)
}

// entries gives keys and values of a table of literals named name that stands on added lines.
func entries(p change.FuncPair, u *units.File, name string, use int) (in, out []string, ok bool) {
	for i := range u.Tokens {
		if i == use || u.Kind(i) != source.Name || u.Text(i) != name || !p.New.Touched(u.TokenLine(i), u.TokenLine(i)) {
			continue
		}
		open := -1
		assigned := false
		for j := i + 1; j < i+24 && j < len(u.Tokens) && !u.Is(j, ";"); j++ {
			if assigned = assigned || u.Is(j, "=") || u.Is(j, ":="); !assigned {
				continue
			}
			if u.Is(j, "{") || u.Is(j, "(") && (u.Is(j-1, "of") || u.Is(j-1, "from") || u.Is(j-1, "Map") || u.Is(j-1, "mapOf") || u.Is(j-1, "dict")) || u.Is(j, "[") && u.Is(j+1, "[") || u.Is(j, "[") && u.Is(j+1, "(") {
				open = j
				break
			}
		}
		if open < 0 {
			continue
		}
		lits := literalsIn(u, open, u.Close(open))
		if len(lits) < 2 || len(lits) > 400 {
			continue
		}
		for k, l := range lits {
			if k%2 == 0 {
				in = append(in, l)
			} else {
				out = append(out, l)
			}
		}
		return in, out, true
	}
	return nil, nil, false
}
