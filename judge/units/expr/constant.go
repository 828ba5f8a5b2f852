package expr

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Number is the value of a constant number.
func (x *Reader) Number(s [2]int) (float64, bool) {
	f := x.F
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
func (x *Reader) plainString(i int) bool {
	s := x.F.Text(i)
	switch x.F.Lang {
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

// Constant reports whether a span consists of literals only, after locals that are assigned once have been put in.
func (x *Reader) Constant(s [2]int) bool { return x.constantIn(s, 0) }

func (x *Reader) constantIn(s [2]int, depth int) bool {
	f := x.F
	if s[1] <= s[0] || s[1]-s[0] > Longest/4 || depth > 3 {
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
			if Word(f.Text(i)) {
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

// Word reports whether a name is a literal.
func Word(w string) bool {
	switch w {
	case "true", "false", "True", "False", "None", "nil", "null", "undefined", "NULL", "nullptr", "TRUE", "FALSE", "NaN", "Infinity":
		return true
	}
	return false
}

// Literal reports whether a span is constants as it stands, without any local.
func (x *Reader) Literal(s [2]int) bool {
	for i := s[0]; i < s[1]; i++ {
		if x.F.Kind(i) == source.Name && !Word(x.F.Text(i)) && !(x.F.Is(i+1, ":") && x.F.Lang != source.Python) && !x.F.Is(i, "const") {
			return false
		}
	}
	return s[1] > s[0]
}

// Calls reports whether a span calls something.
func (x *Reader) Calls(s [2]int) bool {
	f := x.F
	for i := s[0]; i < s[1]; i++ {
		if (f.Is(i, "(") || f.Is(i, "!")) && i > s[0] && f.Glued(i) && (f.Kind(i-1) == source.Name || x.Closes(i-1) || f.Is(i-1, ">")) {
			return true
		}
		if f.Is(i, "new") || f.Is(i, "await") || f.Is(i, "++") || f.Is(i, "--") || f.Is(i, "<-") {
			return true
		}
	}
	return false
}
