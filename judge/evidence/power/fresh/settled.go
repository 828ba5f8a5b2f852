package fresh

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/units"
)

// settled reports whether all that a unit asserts about is written down in it: literals, and names that it sets to literals.
// No code can make such a test fail.
func settled(u *pairs.Unit) bool {
	if len(u.Asserts) == 0 {
		return false
	}
	for i := range u.Asserts {
		a := &u.Asserts[i]
		switch u.File.Lang {
		case source.Rust, source.Go, source.Python, source.Dart, source.Java, source.JS, source.TS:
		default:
			return false
		}
		if a.Strength == units.Unknown || a.Actual == "" || !fixed(u, a.From, a.Actual) || !fixed(u, a.From, a.Expected) && !matcher(a.Expected) {
			return false
		}
	}
	return true
}

// fixed reports whether an expression is a literal, or a name that is declared as one literal and cannot be changed by what
// it is handed to.
func fixed(u *pairs.Unit, at int, expr string) bool {
	if written(expr) {
		return true
	}
	f := u.File
	from, to := u.Value(at, expr)
	if from < 2 || to-from != 1 || f.Kind(from) == source.Name && !written(f.Text(from)) {
		return false
	}
	name := from - 2
	for i := u.From; i < at; i++ {
		if f.Is(i, expr) && (f.Is(i-1, "&") || f.Is(i-1, "mut") || f.Is(i-1, "nonlocal") || f.Is(i-1, "global")) {
			return false
		}
	}
	switch f.Lang {
	case source.Go:
		return f.Is(from-1, ":=")
	case source.Python:
		return f.Tokens[name].First && f.Tokens[name].Col == f.Tokens[u.From].Col
	}
	return f.Kind(name) == source.Name && f.Kind(name-1) == source.Name && !f.Tokens[name].First && written(f.Text(from))
}

// matcher reports whether an expectation is a bare matcher such as isTrue.
func matcher(text string) bool {
	switch text {
	case "", "isTrue", "isFalse", "isNotNull", "isNull", "isNotEmpty", "isEmpty", "anything":
		return true
	}
	return false
}

// written reports whether an expression, as tokens with blanks between them, holds nothing but literals and signs.
func written(expr string) bool {
	for _, w := range strings.Fields(expr) {
		switch w {
		case "true", "false", "True", "False", "None", "nil", "null", "undefined", "vec":
			continue
		}
		switch c := w[0]; {
		case c == '"' || c == '\'' || c == '`': // what stands in a literal may hold blanks
			return strings.Count(expr, string(c)) == 2 && strings.HasPrefix(expr, w) && expr[len(expr)-1] == c && !strings.Contains(expr, "{") && !strings.Contains(expr, "$")
		case c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z':
			return false
		}
	}
	return true
}
