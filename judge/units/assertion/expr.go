package assertion

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// value is what is known of a condition.
type value uint8

const (
	open value = iota
	yes
	no
)

func known(b bool) value {
	if b {
		return yes
	}
	return no
}

func (v value) not() value {
	switch v {
	case yes:
		return no
	case no:
		return yes
	}
	return open
}

// trim takes parentheses off that enclose all of a span.
func (x *finder) trim(s [2]int) [2]int {
	for s[1]-s[0] > 2 && x.f.Is(s[0], "(") && x.closing(s[0]) == s[1]-1 {
		s = [2]int{s[0] + 1, s[1] - 1}
	}
	return s
}

// top finds the first of the operators outside of brackets, -1 when there is none.
func (x *finder) top(s [2]int, ops ...string) int {
	f := x.f
	for i := s[0]; i < s[1]; i++ {
		if k := f.Tokens[i].Kind; k == source.Op || k == source.Name {
			for _, o := range ops {
				if f.Is(i, o) && i > s[0] {
					return i
				}
			}
		}
		i = max(i, min(x.closing(i), s[1]))
	}
	return -1
}

// parts splits a span at an operator outside of brackets.
func (x *finder) parts(s [2]int, ops ...string) [][2]int {
	var out [][2]int
	for {
		i := x.top(s, ops...)
		if i < 0 {
			return append(out, s)
		}
		out = append(out, [2]int{s[0], i})
		s[0] = i + 1
	}
}

// comparison finds the comparison of a span: its operator and the operands.
func (x *finder) comparison(s [2]int) (op string, l, r [2]int, ok bool) {
	f := x.f
	for i := s[0] + 1; i < s[1]-1; i++ {
		op := ""
		to := i + 1
		switch w := f.Text(i); w {
		case "==", "!=", "===", "!==", "<=", ">=", "=~", "!~", "instanceof":
			if f.Tokens[i].Kind != source.String {
				op = w
			}
			if f.Is(i+1, "=") && f.Glued(i+1) { // Swift, Kotlin: !== may be cut
				to++
			}
		case "<", ">":
			if k := x.generic(i); k > i {
				i = k - 1
				continue
			}
			if f.Tokens[i].Kind == source.Op {
				op = w
			}
		case "is", "in":
			if f.Tokens[i].Kind != source.Name || w == "in" && f.Lang != source.Python && f.Lang != source.JS && f.Lang != source.TS && f.Lang != source.Kotlin {
				break
			}
			if w == "is" && f.Lang != source.Python && f.Lang != source.Kotlin && f.Lang != source.Dart && f.Lang != source.CSharp && f.Lang != source.Swift {
				break
			}
			op = w
			if f.Is(i+1, "not") || f.Is(i+1, "!") {
				op, to = "is not", i+2
			}
		case "not":
			if f.Is(i+1, "in") {
				op, to = "not in", i+2
			}
		}
		if op != "" {
			return op, [2]int{s[0], i}, [2]int{to, s[1]}, true
		}
		i = max(i, min(x.closing(i), s[1]))
	}
	return "", l, r, false
}

func negateOp(op string) string {
	switch op {
	case "==":
		return "!="
	case "!=":
		return "=="
	case "===":
		return "!=="
	case "!==":
		return "==="
	case "<":
		return ">="
	case ">=":
		return "<"
	case ">":
		return "<="
	case "<=":
		return ">"
	case "is":
		return "is not"
	case "is not":
		return "is"
	case "in":
		return "not in"
	case "not in":
		return "in"
	case "=~":
		return "!~"
	case "!~":
		return "=~"
	case "instanceof":
		return "!instanceof"
	}
	return op
}

func mirrorOp(op string) string {
	switch op {
	case "<":
		return ">"
	case ">":
		return "<"
	case "<=":
		return ">="
	case ">=":
		return "<="
	}
	return op
}

func equalOp(op string) bool { return op == "==" || op == "===" || op == "is" }

// truth evaluates a condition as far as constants decide it.
func (x *finder) truth(s [2]int, depth int) value {
	f := x.f
	s = x.trim(s)
	if s[1] <= s[0] || s[1]-s[0] > longest || depth > 6 {
		return open
	}
	if p := x.parts(s, "||", "or"); len(p) > 1 {
		all := no
		for _, q := range p {
			switch x.truth(q, depth+1) {
			case yes:
				return yes
			case open:
				all = open
			}
		}
		if all == open && x.tautology(p) {
			return yes
		}
		return all
	}
	if p := x.parts(s, "&&", "and"); len(p) > 1 {
		all := yes
		for _, q := range p {
			switch x.truth(q, depth+1) {
			case no:
				return no
			case open:
				all = open
			}
		}
		return all
	}
	if f.Is(s[0], "!") || f.Is(s[0], "not") {
		return x.truth([2]int{s[0] + 1, s[1]}, depth+1).not()
	}
	if op, l, r, ok := x.comparison(s); ok {
		return x.decide(op, l, r)
	}
	return x.boolean(s, depth)
}

// boolean is the truth of one operand.
func (x *finder) boolean(s [2]int, depth int) value {
	f := x.f
	if s[1]-s[0] != 1 {
		return open
	}
	switch f.Text(s[0]) {
	case "true", "True", "TRUE":
		return yes
	case "false", "False", "FALSE":
		return no
	case "None", "nil", "null", "undefined":
		return no
	}
	switch f.Kind(s[0]) {
	case source.Number:
		n, err := strconv.ParseFloat(f.Text(s[0]), 64)
		if err != nil {
			return open
		}
		return known(n != 0)
	case source.String:
		if x.plainString(s[0]) {
			return known(f.Unquote(s[0]) != "")
		}
	case source.Name:
		if l, ok := x.local(f.Text(s[0])); ok {
			return x.truth(l, depth+1)
		}
	}
	return open
}

// tautology recognises `a || !a` and `x == y or x != y`.
func (x *finder) tautology(parts [][2]int) bool {
	if len(parts) > 6 {
		return false
	}
	for i, p := range parts {
		p = x.trim(p)
		for _, q := range parts[i+1:] {
			q = x.trim(q)
			if x.opposite(p, q) || x.opposite(q, p) {
				return true
			}
			o1, l1, r1, ok1 := x.comparison(p)
			o2, l2, r2, ok2 := x.comparison(q)
			if ok1 && ok2 && x.sameText(l1, l2) && (negateOp(o1) == o2 && x.sameText(r1, r2) || equalOp(o1) && equalOp(o2) && x.bothBooleans(r1, r2)) {
				return true
			}
		}
	}
	return false
}

func (x *finder) opposite(p, q [2]int) bool {
	return (x.f.Is(p[0], "!") || x.f.Is(p[0], "not")) && x.sameText(x.trim([2]int{p[0] + 1, p[1]}), q)
}

func (x *finder) bothBooleans(a, b [2]int) bool {
	return a[1]-a[0] == 1 && b[1]-b[0] == 1 && x.boolean(a, 9) != open && x.boolean(a, 9) == x.boolean(b, 9).not()
}

// sameText reports whether two spans have the same tokens.
func (x *finder) sameText(a, b [2]int) bool {
	if a[1]-a[0] != b[1]-b[0] || a[1] <= a[0] {
		return false
	}
	for k := range a[1] - a[0] {
		if x.f.Text(a[0]+k) != x.f.Text(b[0]+k) {
			return false
		}
	}
	return true
}

// decide evaluates a comparison as far as constants and sameness decide it.
func (x *finder) decide(op string, l, r [2]int) value {
	l, r = x.trim(l), x.trim(r)
	reflexive := equalOp(op) || op == "<=" || op == ">="
	if x.constant(l) && x.constant(r) {
		lv, lok := x.number(l)
		rv, rok := x.number(r)
		if lok && rok {
			switch op {
			case "<":
				return known(lv < rv)
			case ">":
				return known(lv > rv)
			case "<=":
				return known(lv <= rv)
			case ">=":
				return known(lv >= rv)
			}
		}
		if reflexive || op == "!=" || op == "!==" || op == "is not" {
			same := x.inlined(l) == x.inlined(r) || lok && rok && lv == rv
			if op == "<=" || op == ">=" {
				return open
			}
			return known(same == reflexive)
		}
		return open
	}
	if x.sameValue(l, r) {
		switch {
		case reflexive:
			return yes
		case op == "!=" || op == "!==" || op == "<" || op == ">" || op == "is not":
			return no
		}
	}
	if n, ok := x.number(r); ok && x.sized(l) {
		return sizes(op, n)
	}
	if n, ok := x.number(l); ok && x.sized(r) {
		return sizes(mirrorOp(op), n)
	}
	return open
}

// sizes evaluates the comparison of a size with a number.
func sizes(op string, n float64) value {
	switch {
	case op == ">=" && n <= 0, op == ">" && n < 0:
		return yes
	case op == "<" && n <= 0, op == "<=" && n < 0:
		return no
	}
	return open
}

// sized reports whether an operand is the number of things in something.
func (x *finder) sized(s [2]int) bool {
	f := x.f
	i := s[1] - 1
	if f.Is(s[0], "len") && f.Is(s[0]+1, "(") && x.closing(s[0]+1) == i || f.Is(s[0], "count") && f.Is(s[0]+1, "(") && x.closing(s[0]+1) == i {
		return true
	}
	if f.Is(i, ")") && x.opening(i) == i-1 {
		i -= 2
	}
	if !f.Is(i-1, ".") && !f.Is(i-1, "?.") && !f.Is(i-1, "->") {
		return false
	}
	switch f.Text(i) {
	case "length", "len", "size", "count", "Count", "Length", "Len", "Size":
		return true
	}
	return false
}

// number is the value of a constant number.
func (x *finder) number(s [2]int) (float64, bool) {
	f := x.f
	sign := 1.0
	if f.Is(s[0], "-") {
		sign, s[0] = -1, s[0]+1
	}
	if s[1]-s[0] != 1 {
		return 0, false
	}
	if f.Kind(s[0]) == source.Name {
		if l, ok := x.local(f.Text(s[0])); ok && l[1]-l[0] <= 2 && f.Kind(l[1]-1) == source.Number {
			s = l
			if f.Is(s[0], "-") {
				sign, s[0] = -sign, s[0]+1
			}
		}
	}
	if f.Kind(s[0]) != source.Number {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(f.Text(s[0]), "_", ""), "nLlFfDdUu"), 64)
	return sign * n, err == nil
}

// plainString reports whether the string at token i has no code inside.
func (x *finder) plainString(i int) bool {
	s := x.f.Text(i)
	switch x.f.Lang {
	case source.Python:
		q := strings.IndexAny(s, `'"`)
		return q < 0 || !strings.ContainsAny(s[:q], "fF") || !strings.Contains(s, "{")
	case source.JS, source.TS:
		return !strings.HasPrefix(s, "`") || !strings.Contains(s, "${")
	case source.Ruby:
		return !strings.Contains(s, "#{")
	case source.Swift:
		return !strings.Contains(s, `\(`)
	case source.CSharp:
		return !strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "@$")
	case source.Dart, source.Kotlin, source.PHP, source.Scala:
		return !strings.Contains(s, "$") || strings.HasPrefix(s, "r")
	}
	return true
}

// constant reports whether a span consists of literals only, after locals that are assigned once have been put in.
func (x *finder) constant(s [2]int) bool { return x.constantIn(s, 0) }

func (x *finder) constantIn(s [2]int, depth int) bool {
	f := x.f
	if s[1] <= s[0] || s[1]-s[0] > longest/4 || depth > 3 {
		return false
	}
	some := false
	for i := s[0]; i < s[1]; i++ {
		switch f.Kind(i) {
		case source.Number:
			some = true
		case source.String:
			if !x.plainString(i) {
				return false
			}
			some = true
		case source.Op:
			switch f.Text(i) {
			case "[", "]", "{", "}":
				some = true
			case "(":
				if i > s[0] && f.Kind(i-1) == source.Name {
					return false
				}
			case ")", ",", "-", "+", "*", ":", "!", "&", "<", ">", "==", "/":
			default:
				return false
			}
		case source.Name:
			if word(f.Text(i)) {
				some = true
				continue
			}
			if f.Is(i+1, ":") && i > s[0] && (f.Is(i-1, "{") || f.Is(i-1, ",")) {
				continue // a key
			}
			if f.Is(i, "const") || f.Is(i, "not") {
				continue
			}
			l, ok := x.local(f.Text(i))
			if !ok || f.Is(i-1, ".") && i > s[0] || l[1]-l[0] > 2 || f.Kind(l[1]-1) == source.Op || !x.constantIn(l, depth+1) { // a list may grow
				return false
			}
			some = true
		}
	}
	return some
}

// word reports whether a name is a literal.
func word(w string) bool {
	switch w {
	case "true", "false", "True", "False", "None", "nil", "null", "undefined", "NULL", "nullptr", "TRUE", "FALSE", "NaN", "Infinity":
		return true
	}
	return false
}

// literal reports whether a span is constants as it stands, without any local.
func (x *finder) literal(s [2]int) bool {
	for i := s[0]; i < s[1]; i++ {
		if x.f.Kind(i) == source.Name && !word(x.f.Text(i)) && !(x.f.Is(i+1, ":") && x.f.Lang != source.Python) && !x.f.Is(i, "const") {
			return false
		}
	}
	return s[1] > s[0]
}

// calls reports whether a span calls something.
func (x *finder) calls(s [2]int) bool {
	f := x.f
	for i := s[0]; i < s[1]; i++ {
		if (f.Is(i, "(") || f.Is(i, "!")) && i > s[0] && f.Glued(i) && (f.Kind(i-1) == source.Name || x.closes(i-1) || f.Is(i-1, ">")) {
			return true
		}
		if f.Is(i, "new") || f.Is(i, "await") || f.Is(i, "++") || f.Is(i, "--") || f.Is(i, "<-") {
			return true
		}
	}
	return false
}

// sameValue reports whether two operands are one value: the same text that calls nothing, perhaps under another name.
func (x *finder) sameValue(a, b [2]int) bool {
	if x.sameText(a, b) {
		return !x.calls(a)
	}
	l, lok := x.alias(a)
	r, rok := x.alias(b)
	return lok && x.sameText(l, b) && x.stays(b) || rok && x.sameText(r, a) && x.stays(a) || lok && rok && x.sameText(l, r) && x.stays(l)
}

// stays reports whether an operand is one name that never changes: what fields and calls give may.
func (x *finder) stays(s [2]int) bool {
	return s[1]-s[0] == 1 && x.f.Kind(s[0]) == source.Name && x.assignments(x.f.Text(s[0])) <= 1
}

// alias is the value of an operand that is one local.
func (x *finder) alias(s [2]int) ([2]int, bool) {
	if s[1]-s[0] != 1 || x.f.Kind(s[0]) != source.Name {
		return s, false
	}
	return x.local(x.f.Text(s[0]))
}

// inlined is the text of a span with locals that are assigned once put in.
func (x *finder) inlined(s [2]int) string {
	var b strings.Builder
	budget := longest
	x.inline(&b, s, 0, &budget)
	return b.String()
}

func (x *finder) inline(b *strings.Builder, s [2]int, depth int, budget *int) {
	f := x.f
	for i := s[0]; i < s[1]; i++ {
		if *budget--; *budget < 0 {
			return
		}
		if f.Kind(i) == source.Name && depth < 4 && !f.Is(i-1, ".") && !(f.Is(i+1, ":") && i+1 < s[1]) {
			if l, ok := x.local(f.Text(i)); ok && l[1] <= s[0] {
				x.inline(b, l, depth+1, budget)
				continue
			}
		}
		b.WriteByte(' ')
		b.WriteString(f.Text(i))
	}
}

// compare looks whether two operands that are claimed to be equal are one and the same.
func (x *finder) compare(a *Assert) {
	if a.Strength == Unknown || !a.claimsEqual() {
		return
	}
	l, r := x.trim(a.Looked), x.trim(a.Wanted)
	if l[1]-l[0] > longest || r[1]-r[0] > longest {
		return
	}
	switch {
	case x.constant(l) && x.constant(r):
		a.Trivial = x.decide("==", l, r) == yes
	case x.sameValue(l, r):
		a.Trivial = true
	case x.calls(l) || x.calls(r) || l[1]-l[0] == 1 || r[1]-r[0] == 1:
		if t := x.inlined(l); len(t) < 4000 && t == x.inlined(r) {
			a.Oracle = strings.ContainsAny(t, "(.")
		}
	}
}

func (a *Assert) claimsEqual() bool {
	if a.Op != "" {
		return equalOp(a.Op)
	}
	name := a.Matcher
	if name == "" {
		name = a.Callee
	}
	if i := strings.LastIndexAny(name, ".:>"); i >= 0 && !strings.HasPrefix(name, "not.") {
		name = name[i+1:]
	}
	k, negated := kindOf(name)
	return k == equal && !negated
}
