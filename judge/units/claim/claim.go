package claim

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// typed reports whether a bare condition must be a boolean in the language, so that it is pinned to one of two values.
func typed(l source.Lang) bool {
	switch l {
	case source.Python, source.JS, source.TS, source.Ruby, source.PHP, source.C, source.CPP:
		return false
	}
	return true
}

// Condition fills in an assertion that claims that an expression is true, or false.
func (x *Reader) Condition(a *Assert, s [2]int, claim bool) {
	f := x.F
	s = x.Trim(s)
	if a.Looked = s; s[1]-s[0] > expr.Longest || s[1] <= s[0] {
		a.Strength = Presence
		return
	}
	for f.Is(s[0], "!") || f.Is(s[0], "not") {
		rest := x.Trim([2]int{s[0] + 1, s[1]})
		if f.Is(s[0], "!") && x.Top(rest, "&&", "||", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "instanceof") >= 0 && rest[0] == s[0]+1 ||
			f.Is(s[0], "not") && x.Top(rest, "and", "or") >= 0 && rest[0] == s[0]+1 || rest[1] <= rest[0] {
			break
		}
		s, claim = rest, !claim
	}
	a.Looked = s
	if v := x.Truth(s, 0); v != expr.Open {
		if a.Trivial = v == expr.Known(claim); !a.Trivial { // fails whenever it is reached
			a.Strength = Exact
			return
		}
	}
	if x.several(a, s, claim) {
		return
	}
	if op, l, r, ok := x.Comparison(s); ok {
		x.compared(a, op, l, r, claim)
		return
	}
	x.bare(a, s, claim)
}

// several handles conditions joined by and/or: together they pin down as much as the strongest, as alternatives as
// little as the weakest.
func (x *Reader) several(a *Assert, s [2]int, claim bool) bool {
	joined, either := x.Parts(s, "&&", "and"), false
	if p := x.Parts(s, "||", "or"); len(p) > 1 {
		joined, either = p, true
	}
	if len(joined) < 2 {
		return false
	}
	trivial := a.Trivial
	var best Assert
	open := joined[:0:0]
	for _, p := range joined[:min(len(joined), 8)] {
		if x.Truth(p, 0) == 0 {
			open = append(open, p)
		}
	}
	if joined = open; len(joined) == 0 {
		return false
	}
	if len(joined) == 1 {
		either = !claim
	}
	for n, p := range joined {
		var b Assert
		x.Condition(&b, p, claim)
		if n == 0 || either != claim && b.Strength > best.Strength || either == claim && b.Strength < best.Strength {
			best = b
		}
	}
	a.Looked, a.Wanted, a.Expected, a.Op, a.Strength, a.Trivial = best.Looked, best.Wanted, best.Expected, best.Op, best.Strength, trivial
	if either == claim { // one of several: what is looked at is all of it
		a.Looked, a.Wanted, a.Op = s, [2]int{}, ""
		a.Strength = min(a.Strength, Tolerance)
	}
	return true
}

// compared fills in a comparison.
func (x *Reader) compared(a *Assert, op string, l, r [2]int, claim bool) {
	f := x.F
	if !claim {
		op = expr.NegateOp(op)
	}
	l, r = x.Trim(l), x.Trim(r)
	if x.Literal(l) && !x.Literal(r) {
		l, r, op = r, l, expr.MirrorOp(op)
	}
	a.Op, a.Looked, a.Wanted = op, l, r
	null := r[1]-r[0] == 1 && (f.Is(r[0], "nil") || f.Is(r[0], "null") || f.Is(r[0], "None") || f.Is(r[0], "undefined") || f.Is(r[0], "NULL") || f.Is(r[0], "nullptr"))
	switch op {
	case "==", "===":
		a.Strength = Exact
		if n, ok := x.Number(r); x.Sized(l) && !(ok && n == 0) {
			a.Strength = Tolerance
		}
		if null && x.failure(l) || f.Is(l[0], "typeof") || f.Is(l[0], "type") && f.Is(l[0]+1, "(") || f.Is(l[1]-1, "runtimeType") {
			a.Strength = Presence
		}
		x.Loosen(a)
	case "is":
		a.Strength = Exact
		if f.Lang != source.Python {
			a.Strength = Presence // a type
		}
	case "!=", "!==", "is not":
		a.Strength = Tolerance
		if null || op == "is not" && f.Lang != source.Python {
			a.Strength = Presence
		}
	case "instanceof", "!instanceof":
		a.Strength = Presence
	case ">", ">=", "<", "<=":
		a.Strength = Tolerance
		if n, ok := x.Number(r); ok && x.Sized(l) && (op == ">" && n == 0 || op == ">=" && n == 1) {
			a.Strength = Presence // not empty
		}
	default:
		a.Strength = Tolerance
	}
}

// failure reports whether an operand is an error by its name.
func (x *Reader) failure(s [2]int) bool {
	w := strings.ToLower(x.F.Text(s[1] - 1))
	return strings.HasPrefix(w, "err") || strings.HasSuffix(w, "err") || strings.HasSuffix(w, "error") || strings.HasPrefix(w, "exc")
}

// bare fills in an expression without a comparison: a call that compares, or a truth value.
func (x *Reader) bare(a *Assert, s [2]int, claim bool) {
	f := x.F
	a.Strength = Presence
	if typed(f.Lang) {
		a.Strength = Exact
	}
	if !claim {
		a.Expected = "false"
	}
	if f.Is(s[0], "await") {
		s[0]++
	}
	if !f.Is(s[1]-1, ")") {
		return
	}
	open := x.Opening(s[1] - 1)
	at := open - 1
	if open <= s[0] || f.Kind(at) != source.Name && !f.Is(at, "!") {
		return
	}
	if f.Is(at, "!") {
		at--
	}
	name, args := f.Text(at), x.Args(open)
	k, negated := KindOf(name)
	if !claim {
		negated = !negated
	}
	method := f.Is(at-1, ".") || f.Is(at-1, "?.") || f.Is(at-1, "->")
	switch {
	case name == "DeepEqual" || name == "Equal" && len(args) == 2 || name == "EqualFold" || name == "deepEquals" || (name == "equals" || name == "array_equal" || name == "isEqual") && len(args) == 2,
		name == "allclose" && len(args) >= 2, name == "isclose" && len(args) >= 2:
		k = equal
		if name == "allclose" || name == "isclose" {
			k = near
		}
		x.Pair(a, args[0], args[1])
	case (name == "Is" || name == "As") && len(args) == 2 && f.Is(at-2, "errors"):
		a.Looked, a.Wanted, a.Strength = args[0], args[1], Exact
		if negated {
			a.Strength = Tolerance
		}
		a.Matcher, a.Expected = "errors."+name, ""
		return
	case (name == "isinstance" || name == "hasattr" || name == "issubclass" || name == "callable" || name == "is_a") && len(args) > 0:
		k = instance
		a.Looked = args[0]
		if len(args) > 1 {
			a.Wanted = args[1]
			a.Trivial = a.Trivial || name == "isinstance" && claim && f.Is(args[1][0], "object") && args[1][1]-args[1][0] == 1
		}
	case (name == "matches" && f.Lang == source.Rust || name == "Contains" || name == "HasPrefix" || name == "HasSuffix") && len(args) == 2 && (!method || f.Lang == source.Go):
		k = contains
		a.Looked, a.Wanted = args[0], args[1]
		if name == "matches" {
			k = equal
			if f.Is(args[1][0], "_") && args[1][1]-args[1][0] == 1 {
				a.Trivial = a.Trivial || claim
			}
		}
	case method && (k == equal || k == contains || k == compares) && len(args) > 0:
		a.Looked, a.Wanted = [2]int{s[0], at - 1}, args[0]
	case method && (k == empty || k == truthy && name != "ok" || k == null):
		a.Looked = [2]int{s[0], at - 1}
	default:
		return
	}
	a.Matcher, a.Expected = name, ""
	if negated {
		a.Matcher = "not." + name
	}
	a.Strength = StrengthOf(k, negated, len(args))
	if k == equal && !negated {
		a.Op = "=="
	}
	x.Loosen(a)
}

// Pair sets the operands of an equality: what is looked at is the one that is no constant.
func (x *Reader) Pair(a *Assert, looked, wanted [2]int) {
	if x.Literal(looked) && !x.Literal(wanted) || x.wants(looked) && !x.wants(wanted) {
		looked, wanted = wanted, looked
	}
	a.Looked, a.Wanted = looked, wanted
}

// wants reports whether an operand is called what is expected.
func (x *Reader) wants(s [2]int) bool {
	if s[1]-s[0] > 6 {
		return false
	}
	w := strings.ToLower(x.F.Text(s[1] - 1))
	return strings.HasPrefix(w, "want") || strings.HasPrefix(w, "expected") || strings.HasPrefix(w, "exp") && len(w) <= 4
}

// Loosen lowers the strength of an equality whose expected value accepts more than one.
func (x *Reader) Loosen(a *Assert) {
	f := x.F
	for i := a.Wanted[0]; i < a.Wanted[1] && i < a.Wanted[0]+expr.Longest; i++ {
		if f.Kind(i) != source.Name || f.Is(i+1, ":") {
			continue
		}
		whole := i <= a.Wanted[0]+3 && (a.Wanted[1]-i <= 5)
		switch f.Text(i) {
		case "anything", "ANY", "any", "Any", "AnythingOfType", "anyOf", "BeAnything":
			if whole && f.Text(i) != "anyOf" && (f.Text(i) != "any" && f.Text(i) != "Any" || f.Is(i+1, "(")) {
				a.Strength = min(a.Strength, Presence)
				a.Trivial = a.Trivial || f.Is(i, "ANY") || f.Is(i, "anything") && !f.Is(i-1, ".")
			} else {
				a.Strength = min(a.Strength, Tolerance)
			}
		case "objectContaining", "arrayContaining", "stringContaining", "stringMatching", "closeTo", "approx", "isclose", "containsString", "startsWith", "endsWith", "matchesPattern", "greaterThan",
			"lessThan", "hasItem", "hasItems", "moreOrLessEquals", "isA", "hasLength", "contains", "inInclusiveRange", "isNot", "not", "ANY_STRING", "Within":
			if f.Is(i+1, "(") || f.Is(i+1, "<") {
				a.Strength = min(a.Strength, Tolerance)
			}
		}
	}
}

// Fill fills in an assertion that is a call: assertEquals(1, x), assert.Equal(t, 1, x).
func (x *Reader) Fill(a *Assert, name string, args [][2]int, expectedFirst bool) {
	f := x.F
	k, negated := KindOf(name)
	n := len(args)
	a.Strength = StrengthOf(k, negated, n-1)
	if n == 0 {
		return
	}
	first := args[0]
	a.Looked = first
	switch k {
	case truth, falsity:
		x.Condition(a, first, (k == truth) != negated)
		if strict := f.Lang == source.PHP || f.Lang == source.JS || f.Lang == source.TS; strict && a.Op == "" && a.Matcher == "" {
			a.Strength = Exact
		}
	case truthy:
		if plainCondition(name) && (f.Kind(first[0]) != source.String || first[1]-first[0] > 1) {
			x.Condition(a, first, !negated)
		}
	case null:
		a.Trivial = x.nullness(first, negated)
	case equal, near, snapshot:
		if n < 2 {
			return
		}
		looked, wanted := first, args[1]
		if expectedFirst {
			looked, wanted = wanted, looked
		}
		x.Pair(a, looked, wanted)
		a.Trivial = k == near && x.Constant(looked) && x.Constant(wanted)
		x.Loosen(a)
		if m := a.Wanted; m[1]-m[0] == 1 && expr.Word(f.Text(m[0])) && negated {
			a.Strength = Presence
		}
	case throws:
		x.thrown(a, name, args, negated, expectedFirst)
	case contains, compares, length, instance, calls, called:
		if n < 2 {
			return
		}
		a.Wanted = args[1]
		lower := strings.ToLower(strings.ReplaceAll(name, "_", ""))
		if strings.HasSuffix(lower, "in") || strings.HasSuffix(lower, "assertinstanceof") || expectedFirst && f.Lang == source.CSharp && k == contains {
			a.Looked, a.Wanted = args[1], first
		}
		switch k {
		case contains:
			a.Trivial = x.AcceptsAll(a.Wanted) && !negated
		case length:
			a.Trivial = false
		case compares:
			if op := order(name); op != "" {
				a.Trivial = x.Decide(op, first, args[1]) == expr.Yes
				a.Op = op
			}
		}
	case empty:
		a.Trivial = x.Literal(first)
	case anything:
		a.Trivial = true
	case unknown:
		if n > 1 {
			a.Wanted = args[1]
		}
	}
}

// plainCondition reports whether an assertion's name says no more than that its argument holds.
func plainCondition(name string) bool {
	switch w, _ := PlainName(name); w {
	case "", "ok", "truthy", "notok", "true":
		return true
	}
	return false
}

// order is the operator that an assertion's name stands for.
func order(name string) string {
	switch w, _ := PlainName(name); w {
	case "greater", "greaterthan", "gt", "above":
		return ">"
	case "less", "lessthan", "lt", "below":
		return "<"
	case "greaterequal", "greaterorequal", "greaterthanorequal", "greaterthanorequalto", "ge", "gte", "atleast", "least":
		return ">="
	case "lessequal", "lessorequal", "lessthanorequal", "lessthanorequalto", "le", "lte", "atmost", "most":
		return "<="
	}
	return ""
}

// nullness reports whether a claim that an operand is null, or not, cannot fail.
func (x *Reader) nullness(s [2]int, negated bool) bool {
	s = x.Trim(s)
	if s[1] <= s[0] {
		return false
	}
	null := s[1]-s[0] == 1 && expr.Word(x.F.Text(s[0])) && x.Boolean(s, 9) == expr.No && !x.F.Is(s[0], "false") && !x.F.Is(s[0], "False")
	if !negated {
		return null
	}
	return !null && (x.Constant(s) || x.F.Is(s[0], "new"))
}

// AcceptsAll reports whether a pattern or a part accepts everything.
func (x *Reader) AcceptsAll(s [2]int) bool {
	if s[1]-s[0] != 1 || x.F.Kind(s[0]) != source.String {
		return false
	}
	switch strings.Trim(x.F.Unquote(s[0]), "^$") {
	case "", ".*", ".+|", "[\\s\\S]*", "(?s).*", ".*?", ".*/s":
		return true
	}
	return false
}

// thrown fills in a claim that something fails.
func (x *Reader) thrown(a *Assert, name string, args [][2]int, negated, expectedFirst bool) {
	f := x.F
	a.Strength = Presence
	if len(args) == 1 || negated {
		return
	}
	a.Looked, a.Wanted = args[0], args[1]
	if expectedFirst && f.Lang != source.Go && !x.Block(args[0]) {
		a.Looked, a.Wanted = args[1], args[0]
	}
	if !x.AnyFailure(a.Wanted) && (f.Kind(a.Wanted[0]) != source.String || f.Src[f.Tokens[a.Wanted[0]].Pos] == '/') {
		a.Strength = Exact
	}
	lower := strings.ToLower(name)
	if strings.Contains(lower, "contains") || strings.Contains(lower, "match") {
		a.Strength = Tolerance
	}
}

// AnyFailure reports whether an exception type takes in all others.
func (x *Reader) AnyFailure(s [2]int) bool {
	f := x.F
	i := s[0]
	for f.Is(i+1, ".") && !f.Is(i+2, "class") || f.Is(i+1, "::") && !f.Is(i+2, "class") {
		i += 2
	}
	switch f.Text(i) {
	case "Exception", "BaseException", "Throwable", "Error", "StandardError", "RuntimeException", "anything", "isA", "object":
		if f.Text(i) == "isA" {
			return f.Is(i+2, "Exception") || f.Is(i+2, "Object")
		}
		return f.Lang != source.JS && f.Lang != source.TS || f.Text(i) == "Error"
	}
	return false
}

// Claim fills in an assertion that is a chain: expect(x).toBe(y), assertThat(x, is(y)).
func (x *Reader) Claim(a *Assert, name string, args [][2]int, not bool) {
	f := x.F
	k, negated := KindOf(name)
	negated = negated != not
	if len(args) > 0 {
		a.Wanted = [2]int{args[0][0], args[len(args)-1][1]}
	}
	s := StrengthOf(k, negated, len(args))
	looked := a.Looked
	switch k {
	case truth, falsity, truthy:
		w, _ := PlainName(name)
		if k == truthy && w != "truthy" && w != "ok" && w != "" || looked[1] <= looked[0] {
			a.Trivial = k == truthy && !negated && x.Constant(looked)
			break
		}
		b := Assert{}
		x.Condition(&b, looked, (k != falsity) != negated)
		a.Trivial, a.Op, a.Looked, a.Wanted = b.Trivial, b.Op, b.Looked, b.Wanted
		if b.Op != "" || b.Matcher != "" || b.Strength < s {
			s = b.Strength
		}
		if b.Op == "" && k != truthy && b.Strength == Presence {
			s = Exact
		}
	case equal:
		if len(args) >= 1 && args[0][1]-args[0][0] == 1 {
			switch v := f.Text(args[0][0]); v {
			case "true", "false", "True", "False":
				b := Assert{}
				x.Condition(&b, looked, (v == "true" || v == "True") != negated)
				if a.Trivial = b.Trivial; b.Op != "" {
					a.Op, a.Looked, a.Wanted, s = b.Op, b.Looked, b.Wanted, b.Strength
				} else {
					s = Exact
				}
			case "null", "undefined", "nil", "None":
				if negated {
					s = Presence
				}
			}
		}
		if n, ok := x.Number(looked); x.Sized(looked) && !(ok && n == 0) && s == Exact {
			s = Tolerance
		}
		if f.Is(looked[0], "typeof") {
			s = Presence
		}
	case null:
		a.Trivial = x.nullness(looked, negated)
	case contains:
		a.Trivial = !negated && len(args) == 1 && x.AcceptsAll(args[0])
	case compares:
		if op := order(name); op != "" && len(args) > 0 && looked[1] > looked[0] && !not {
			a.Trivial = x.Decide(op, looked, args[0]) == expr.Yes
		}
	case throws:
		if len(args) > 0 && x.AnyFailure(args[0]) {
			s = Presence
		}
	case anything:
		a.Trivial = true
	case instance:
		a.Trivial = false
	}
	a.Strength = max(a.Strength, s)
	if k == equal || k == contains {
		x.Loosen(a)
	}
}
