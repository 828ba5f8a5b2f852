package expr

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Value is what is known of a condition.
type Value uint8

const (
	Open Value = iota
	Yes
	No
)

func Known(b bool) Value {
	if b {
		return Yes
	}
	return No
}

func (v Value) not() Value {
	switch v {
	case Yes:
		return No
	case No:
		return Yes
	}
	return Open
}

// Trim takes parentheses off that enclose all of a span.
func (x *Reader) Trim(s [2]int) [2]int {
	for s[1]-s[0] > 2 && x.F.Is(s[0], "(") && x.Closing(s[0]) == s[1]-1 {
		s = [2]int{s[0] + 1, s[1] - 1}
	}
	return s
}

// Top finds the first of the operators outside of brackets, -1 when there is none.
func (x *Reader) Top(s [2]int, ops ...string) int {
	f := x.F
	for i := s[0]; i < s[1]; i++ {
		if k := f.Tokens[i].Kind; k == source.Op || k == source.Name {
			for _, o := range ops {
				if f.Is(i, o) && i > s[0] {
					return i
				}
			}
		}
		i = max(i, min(x.Closing(i), s[1]))
	}
	return -1
}

// Parts splits a span at an operator outside of brackets.
func (x *Reader) Parts(s [2]int, ops ...string) [][2]int {
	var out [][2]int
	for {
		i := x.Top(s, ops...)
		if i < 0 {
			return append(out, s)
		}
		out = append(out, [2]int{s[0], i})
		s[0] = i + 1
	}
}

// Comparison finds the comparison of a span: its operator and the operands.
func (x *Reader) Comparison(s [2]int) (op string, l, r [2]int, ok bool) {
	f := x.F
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
			if k := x.Generic(i); k > i {
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
		i = max(i, min(x.Closing(i), s[1]))
	}
	return "", l, r, false
}

func NegateOp(op string) string {
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

func MirrorOp(op string) string {
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

func EqualOp(op string) bool { return op == "==" || op == "===" || op == "is" }

// Truth evaluates a condition as far as constants decide it.
func (x *Reader) Truth(s [2]int, depth int) Value {
	f := x.F
	s = x.Trim(s)
	if s[1] <= s[0] || s[1]-s[0] > Longest || depth > 6 {
		return Open
	}
	if p := x.Parts(s, "||", "or"); len(p) > 1 {
		all := No
		for _, q := range p {
			switch x.Truth(q, depth+1) {
			case Yes:
				return Yes
			case Open:
				all = Open
			}
		}
		if all == Open && x.tautology(p) {
			return Yes
		}
		return all
	}
	if p := x.Parts(s, "&&", "and"); len(p) > 1 {
		all := Yes
		for _, q := range p {
			switch x.Truth(q, depth+1) {
			case No:
				return No
			case Open:
				all = Open
			}
		}
		return all
	}
	if f.Is(s[0], "!") || f.Is(s[0], "not") {
		return x.Truth([2]int{s[0] + 1, s[1]}, depth+1).not()
	}
	if op, l, r, ok := x.Comparison(s); ok {
		return x.Decide(op, l, r)
	}
	return x.Boolean(s, depth)
}

// Boolean is the truth of one operand.
func (x *Reader) Boolean(s [2]int, depth int) Value {
	f := x.F
	if s[1]-s[0] != 1 {
		return Open
	}
	switch f.Text(s[0]) {
	case "true", "True", "TRUE":
		return Yes
	case "false", "False", "FALSE":
		return No
	case "None", "nil", "null", "undefined":
		return No
	}
	switch f.Kind(s[0]) {
	case source.Number:
		n, err := strconv.ParseFloat(f.Text(s[0]), 64)
		if err != nil {
			return Open
		}
		return Known(n != 0)
	case source.String:
		if x.plainString(s[0]) {
			return Known(f.Unquote(s[0]) != "")
		}
	case source.Name:
		if l, ok := x.local(f.Text(s[0])); ok {
			return x.Truth(l, depth+1)
		}
	}
	return Open
}

// tautology recognises `a || !a` and `x == y or x != y`.
func (x *Reader) tautology(parts [][2]int) bool {
	if len(parts) > 6 {
		return false
	}
	for i, p := range parts {
		p = x.Trim(p)
		for _, q := range parts[i+1:] {
			q = x.Trim(q)
			if x.opposite(p, q) || x.opposite(q, p) {
				return true
			}
			o1, l1, r1, ok1 := x.Comparison(p)
			o2, l2, r2, ok2 := x.Comparison(q)
			if ok1 && ok2 && x.SameText(l1, l2) && (NegateOp(o1) == o2 && x.SameText(r1, r2) || EqualOp(o1) && EqualOp(o2) && x.bothBooleans(r1, r2)) {
				return true
			}
		}
	}
	return false
}

func (x *Reader) opposite(p, q [2]int) bool {
	return (x.F.Is(p[0], "!") || x.F.Is(p[0], "not")) && x.SameText(x.Trim([2]int{p[0] + 1, p[1]}), q)
}

func (x *Reader) bothBooleans(a, b [2]int) bool {
	return a[1]-a[0] == 1 && b[1]-b[0] == 1 && x.Boolean(a, 9) != Open && x.Boolean(a, 9) == x.Boolean(b, 9).not()
}

// SameText reports whether two spans have the same tokens.
func (x *Reader) SameText(a, b [2]int) bool {
	if a[1]-a[0] != b[1]-b[0] || a[1] <= a[0] {
		return false
	}
	for k := range a[1] - a[0] {
		if x.F.Text(a[0]+k) != x.F.Text(b[0]+k) {
			return false
		}
	}
	return true
}

// Decide evaluates a comparison as far as constants and sameness decide it.
func (x *Reader) Decide(op string, l, r [2]int) Value {
	l, r = x.Trim(l), x.Trim(r)
	reflexive := EqualOp(op) || op == "<=" || op == ">="
	if x.Constant(l) && x.Constant(r) {
		lv, lok := x.Number(l)
		rv, rok := x.Number(r)
		if lok && rok {
			switch op {
			case "<":
				return Known(lv < rv)
			case ">":
				return Known(lv > rv)
			case "<=":
				return Known(lv <= rv)
			case ">=":
				return Known(lv >= rv)
			}
		}
		if reflexive || op == "!=" || op == "!==" || op == "is not" {
			same := x.Inlined(l) == x.Inlined(r) || lok && rok && lv == rv
			if op == "<=" || op == ">=" {
				return Open
			}
			return Known(same == reflexive)
		}
		return Open
	}
	if x.SameValue(l, r) {
		switch {
		case reflexive:
			return Yes
		case op == "!=" || op == "!==" || op == "<" || op == ">" || op == "is not":
			return No
		}
	}
	if n, ok := x.Number(r); ok && x.Sized(l) {
		return sizes(op, n)
	}
	if n, ok := x.Number(l); ok && x.Sized(r) {
		return sizes(MirrorOp(op), n)
	}
	return Open
}

// sizes evaluates the comparison of a size with a number.
func sizes(op string, n float64) Value {
	switch {
	case op == ">=" && n <= 0, op == ">" && n < 0:
		return Yes
	case op == "<" && n <= 0, op == "<=" && n < 0:
		return No
	}
	return Open
}

// Sized reports whether an operand is the number of things in something.
func (x *Reader) Sized(s [2]int) bool {
	f := x.F
	i := s[1] - 1
	if f.Is(s[0], "len") && f.Is(s[0]+1, "(") && x.Closing(s[0]+1) == i || f.Is(s[0], "count") && f.Is(s[0]+1, "(") && x.Closing(s[0]+1) == i {
		return true
	}
	if f.Is(i, ")") && x.Opening(i) == i-1 {
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

// SameValue reports whether two operands are one value: the same text that calls nothing, perhaps under another name.
func (x *Reader) SameValue(a, b [2]int) bool {
	if x.SameText(a, b) {
		return !x.Calls(a)
	}
	l, lok := x.alias(a)
	r, rok := x.alias(b)
	return lok && x.SameText(l, b) && x.stays(b) || rok && x.SameText(r, a) && x.stays(a) || lok && rok && x.SameText(l, r) && x.stays(l)
}

// stays reports whether an operand is one name that never changes: what fields and calls give may.
func (x *Reader) stays(s [2]int) bool {
	return s[1]-s[0] == 1 && x.F.Kind(s[0]) == source.Name && x.assignments(x.F.Text(s[0])) <= 1
}

// alias is the value of an operand that is one local.
func (x *Reader) alias(s [2]int) ([2]int, bool) {
	if s[1]-s[0] != 1 || x.F.Kind(s[0]) != source.Name {
		return s, false
	}
	return x.local(x.F.Text(s[0]))
}

// Inlined is the text of a span with locals that are assigned once put in.
func (x *Reader) Inlined(s [2]int) string {
	var b strings.Builder
	budget := Longest
	x.inline(&b, s, 0, &budget)
	return b.String()
}

func (x *Reader) inline(b *strings.Builder, s [2]int, depth int, budget *int) {
	f := x.F
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
