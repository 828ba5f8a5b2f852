package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// typed reports whether a bare condition must be a boolean in the language, so that it is pinned to one of two values.
func typed(l source.Lang) bool {
	switch l {
	case source.Python, source.JS, source.TS, source.Ruby, source.PHP, source.C, source.CPP:
		return false
	}
	return true
}

// condition fills in an assertion that claims that an expression is true, or false.
func (x *finder) condition(a *Assert, s [2]int, claim bool) {
	f := x.f
	s = x.trim(s)
	if a.Looked = s; s[1]-s[0] > longest || s[1] <= s[0] {
		a.Strength = Presence
		return
	}
	for f.Is(s[0], "!") || f.Is(s[0], "not") {
		rest := x.trim([2]int{s[0] + 1, s[1]})
		if f.Is(s[0], "!") && x.top(rest, "&&", "||", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "instanceof") >= 0 && rest[0] == s[0]+1 ||
			f.Is(s[0], "not") && x.top(rest, "and", "or") >= 0 && rest[0] == s[0]+1 || rest[1] <= rest[0] {
			break
		}
		s, claim = rest, !claim
	}
	a.Looked = s
	if v := x.truth(s, 0); v != open {
		if a.Trivial = v == known(claim); !a.Trivial { // fails whenever it is reached
			a.Strength = Exact
			return
		}
	}
	if x.several(a, s, claim) {
		return
	}
	if op, l, r, ok := x.comparison(s); ok {
		x.compared(a, op, l, r, claim)
		return
	}
	x.bare(a, s, claim)
}

// several handles conditions joined by and/or: together they pin down as much as the strongest, as alternatives as
// little as the weakest.
func (x *finder) several(a *Assert, s [2]int, claim bool) bool {
	joined, either := x.parts(s, "&&", "and"), false
	if p := x.parts(s, "||", "or"); len(p) > 1 {
		joined, either = p, true
	}
	if len(joined) < 2 {
		return false
	}
	trivial := a.Trivial
	var best Assert
	open := joined[:0:0]
	for _, p := range joined[:min(len(joined), 8)] {
		if x.truth(p, 0) == 0 {
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
		x.condition(&b, p, claim)
		if n == 0 || either != claim && b.Strength > best.Strength || either == claim && b.Strength < best.Strength {
			best = b
		}
	}
	a.Looked, a.Wanted, a.Op, a.Strength, a.Trivial = best.Looked, best.Wanted, best.Op, best.Strength, trivial
	if either == claim { // one of several: what is looked at is all of it
		a.Looked, a.Wanted, a.Op = s, [2]int{}, ""
		a.Strength = min(a.Strength, Tolerance)
	}
	return true
}

// compared fills in a comparison.
func (x *finder) compared(a *Assert, op string, l, r [2]int, claim bool) {
	f := x.f
	if !claim {
		op = negateOp(op)
	}
	l, r = x.trim(l), x.trim(r)
	if x.literal(l) && !x.literal(r) {
		l, r, op = r, l, mirrorOp(op)
	}
	a.Op, a.Looked, a.Wanted = op, l, r
	null := r[1]-r[0] == 1 && (f.Is(r[0], "nil") || f.Is(r[0], "null") || f.Is(r[0], "None") || f.Is(r[0], "undefined") || f.Is(r[0], "NULL") || f.Is(r[0], "nullptr"))
	switch op {
	case "==", "===":
		a.Strength = Exact
		if n, ok := x.number(r); x.sized(l) && !(ok && n == 0) {
			a.Strength = Tolerance
		}
		if null && x.failure(l) || f.Is(l[0], "typeof") || f.Is(l[0], "type") && f.Is(l[0]+1, "(") || f.Is(l[1]-1, "runtimeType") {
			a.Strength = Presence
		}
		x.loosen(a)
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
		if n, ok := x.number(r); ok && x.sized(l) && (op == ">" && n == 0 || op == ">=" && n == 1) {
			a.Strength = Presence // not empty
		}
	default:
		a.Strength = Tolerance
	}
}

// failure reports whether an operand is an error by its name.
func (x *finder) failure(s [2]int) bool {
	w := strings.ToLower(x.f.Text(s[1] - 1))
	return strings.HasPrefix(w, "err") || strings.HasSuffix(w, "err") || strings.HasSuffix(w, "error") || strings.HasPrefix(w, "exc")
}

// bare fills in an expression without a comparison: a call that compares, or a truth value.
func (x *finder) bare(a *Assert, s [2]int, claim bool) {
	f := x.f
	a.Strength = Presence
	if typed(f.Lang) {
		a.Strength = Exact
	}
	if f.Is(s[0], "await") {
		s[0]++
	}
	if !f.Is(s[1]-1, ")") {
		return
	}
	open := x.opening(s[1] - 1)
	at := open - 1
	if open <= s[0] || f.Kind(at) != source.Name && !f.Is(at, "!") {
		return
	}
	if f.Is(at, "!") {
		at--
	}
	name, args := f.Text(at), x.args(open)
	k, negated := kindOf(name)
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
		x.pair(a, args[0], args[1])
	case (name == "Is" || name == "As") && len(args) == 2 && f.Is(at-2, "errors"):
		a.Looked, a.Wanted, a.Strength = args[0], args[1], Exact
		if negated {
			a.Strength = Tolerance
		}
		a.Matcher = "errors." + name
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
	a.Matcher = name
	if negated {
		a.Matcher = "not." + name
	}
	a.Strength = strengthOf(k, negated, len(args))
	if k == equal && !negated {
		a.Op = "=="
	}
	x.loosen(a)
}

// pair sets the operands of an equality: what is looked at is the one that is no constant.
func (x *finder) pair(a *Assert, looked, wanted [2]int) {
	if x.literal(looked) && !x.literal(wanted) || x.wants(looked) && !x.wants(wanted) {
		looked, wanted = wanted, looked
	}
	a.Looked, a.Wanted = looked, wanted
}

// wants reports whether an operand is called what is expected.
func (x *finder) wants(s [2]int) bool {
	if s[1]-s[0] > 6 {
		return false
	}
	w := strings.ToLower(x.f.Text(s[1] - 1))
	return strings.HasPrefix(w, "want") || strings.HasPrefix(w, "expected") || strings.HasPrefix(w, "exp") && len(w) <= 4
}

// loosen lowers the strength of an equality whose expected value accepts more than one.
func (x *finder) loosen(a *Assert) {
	f := x.f
	for i := a.Wanted[0]; i < a.Wanted[1] && i < a.Wanted[0]+longest; i++ {
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

// fill fills in an assertion that is a call: assertEquals(1, x), assert.Equal(t, 1, x).
func (x *finder) fill(a *Assert, name string, args [][2]int, expectedFirst bool) {
	f := x.f
	k, negated := kindOf(name)
	n := len(args)
	a.Strength = strengthOf(k, negated, n-1)
	if n == 0 {
		return
	}
	first := args[0]
	a.Looked = first
	switch k {
	case truth, falsity:
		x.condition(a, first, (k == truth) != negated)
		if strict := f.Lang == source.PHP || f.Lang == source.JS || f.Lang == source.TS; strict && a.Op == "" && a.Matcher == "" {
			a.Strength = Exact
		}
	case truthy:
		if plainCondition(name) && (f.Kind(first[0]) != source.String || first[1]-first[0] > 1) {
			x.condition(a, first, !negated)
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
		x.pair(a, looked, wanted)
		a.Trivial = k == near && x.constant(looked) && x.constant(wanted)
		x.loosen(a)
		if m := a.Wanted; m[1]-m[0] == 1 && word(f.Text(m[0])) && negated {
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
			a.Trivial = x.acceptsAll(a.Wanted) && !negated
		case length:
			a.Trivial = false
		case compares:
			if op := order(name); op != "" {
				a.Trivial = x.decide(op, first, args[1]) == yes
				a.Op = op
			}
		}
	case empty:
		a.Trivial = x.literal(first)
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
	switch w, _ := plainName(name); w {
	case "", "ok", "truthy", "notok", "true":
		return true
	}
	return false
}

// order is the operator that an assertion's name stands for.
func order(name string) string {
	switch w, _ := plainName(name); w {
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
func (x *finder) nullness(s [2]int, negated bool) bool {
	s = x.trim(s)
	if s[1] <= s[0] {
		return false
	}
	null := s[1]-s[0] == 1 && word(x.f.Text(s[0])) && x.boolean(s, 9) == no && !x.f.Is(s[0], "false") && !x.f.Is(s[0], "False")
	if !negated {
		return null
	}
	return !null && (x.constant(s) || x.f.Is(s[0], "new"))
}

// acceptsAll reports whether a pattern or a part accepts everything.
func (x *finder) acceptsAll(s [2]int) bool {
	if s[1]-s[0] != 1 || x.f.Kind(s[0]) != source.String {
		return false
	}
	switch strings.Trim(x.f.Unquote(s[0]), "^$") {
	case "", ".*", ".+|", "[\\s\\S]*", "(?s).*", ".*?", ".*/s":
		return true
	}
	return false
}

// thrown fills in a claim that something fails.
func (x *finder) thrown(a *Assert, name string, args [][2]int, negated, expectedFirst bool) {
	f := x.f
	a.Strength = Presence
	if len(args) == 1 || negated {
		return
	}
	a.Looked, a.Wanted = args[0], args[1]
	if expectedFirst && f.Lang != source.Go && !x.block(args[0]) {
		a.Looked, a.Wanted = args[1], args[0]
	}
	if !x.anyFailure(a.Wanted) && (f.Kind(a.Wanted[0]) != source.String || f.Src[f.Tokens[a.Wanted[0]].Pos] == '/') {
		a.Strength = Exact
	}
	lower := strings.ToLower(name)
	if strings.Contains(lower, "contains") || strings.Contains(lower, "match") {
		a.Strength = Tolerance
	}
}

// block reports whether an argument is a function.
func (x *finder) block(s [2]int) bool {
	f := x.f
	for i := s[0]; i < min(s[1], s[0]+longest); i++ {
		if f.Is(i, "->") || f.Is(i, "=>") || f.Is(i, "function") || f.Is(i, "lambda") || f.Is(i, "func") || f.Is(i, "{") && i > s[0] {
			return true
		}
	}
	return false
}

// anyFailure reports whether an exception type takes in all others.
func (x *finder) anyFailure(s [2]int) bool {
	f := x.f
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

// claim fills in an assertion that is a chain: expect(x).toBe(y), assertThat(x, is(y)).
func (x *finder) claim(a *Assert, name string, args [][2]int, not bool) {
	f := x.f
	k, negated := kindOf(name)
	negated = negated != not
	if len(args) > 0 {
		a.Wanted = [2]int{args[0][0], args[len(args)-1][1]}
	}
	s := strengthOf(k, negated, len(args))
	looked := a.Looked
	switch k {
	case truth, falsity, truthy:
		w, _ := plainName(name)
		if k == truthy && w != "truthy" && w != "ok" && w != "" || looked[1] <= looked[0] {
			a.Trivial = k == truthy && !negated && x.constant(looked)
			break
		}
		b := Assert{}
		x.condition(&b, looked, (k != falsity) != negated)
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
				x.condition(&b, looked, (v == "true" || v == "True") != negated)
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
		if n, ok := x.number(looked); x.sized(looked) && !(ok && n == 0) && s == Exact {
			s = Tolerance
		}
		if f.Is(looked[0], "typeof") {
			s = Presence
		}
	case null:
		a.Trivial = x.nullness(looked, negated)
	case contains:
		a.Trivial = !negated && len(args) == 1 && x.acceptsAll(args[0])
	case compares:
		if op := order(name); op != "" && len(args) > 0 && looked[1] > looked[0] && !not {
			a.Trivial = x.decide(op, looked, args[0]) == yes
		}
	case throws:
		if len(args) > 0 && x.anyFailure(args[0]) {
			s = Presence
		}
	case anything:
		a.Trivial = true
	case instance:
		a.Trivial = false
	}
	a.Strength = max(a.Strength, s)
	if k == equal || k == contains {
		x.loosen(a)
	}
}
