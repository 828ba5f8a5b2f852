package weaken

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/units"
)

// holds reports whether an assertion holds whatever the code does.
func holds(u *pairs.Unit, a *units.Assert) bool {
	if a.Trivial {
		return true
	}
	f := u.File
	head := a.To
	if f.Is(a.From, "if") {
		for i := a.From; i < a.To; i++ {
			if f.Is(i, "{") {
				head = i
				break
			}
			i = max(i, f.Close(i))
		}
	}
	for i := a.From; i < head; i++ {
		switch f.Text(i) {
		case "||", "or":
			if !f.Is(a.From, "if") && (yes(f, i+1) || leads(f, i)) {
				return true
			}
		case "&&", "and":
			if f.Is(a.From, "if") && (no(f, i+1) || no(f, i-1)) {
				return true
			}
		}
	}
	switch e := a.Expected; e {
	case "anything", "expect . anything ( )", "any ( )", "/.*/", "function ( ) { }", "( ) => { }", "( ) => true", "(_) => true", "mock . ANY", "ANY", "contains ( '' )", "contains ( \"\" )",
		"startsWith ( '' )", "isA < Object ? > ( )", "isA < dynamic > ( )", "isNotNull || true":
		return true
	}
	if noop(f, a) || a.Expected == "" && alikeSides(a.Actual) {
		return true
	}
	return a.Actual != "" && a.Expected != "" && !strings.Contains(a.Actual, "(") && u.Inline(a.From, a.Actual, false) == u.Inline(a.From, a.Expected, false)
}

// yes reports whether token i is a constant that is true.
func yes(f *units.File, i int) bool {
	switch f.Text(i) {
	case "true", "True", "1", "!":
		return !f.Is(i, "!") || f.Is(i+1, "false")
	}
	return false
}

// leads reports whether what stands before the operator at token i is the constant true.
func leads(f *units.File, i int) bool {
	return (f.Is(i-1, "true") || f.Is(i-1, "True")) && (f.Is(i-2, "(") || f.Is(i-2, "assert") || f.Is(i-2, ","))
}

func no(f *units.File, i int) bool { return f.Is(i, "false") || f.Is(i, "False") }

// noop reports whether all that an assertion is given is a function that does nothing: `.expect(function () {})`.
func noop(f *units.File, a *units.Assert) bool {
	if f.Lang != source.JS && f.Lang != source.TS {
		return false
	}
	for i := a.From; i < a.To; i++ {
		if !f.Is(i, "expect") && !f.Is(i, "satisfy") || !f.Is(i+1, "(") {
			continue
		}
		args := f.Args(i + 1)
		if len(args) != 1 {
			return false
		}
		from, to := args[0][0], args[0][1]
		if !f.Is(to-1, "}") || !f.Is(to-2, "{") {
			return false
		}
		return f.Is(from, "function") || f.Is(to-3, "=>")
	}
	return false
}

// alikeSides reports whether an expression compares something with itself and calls nothing.
func alikeSides(expr string) bool {
	for _, op := range [...]string{" == ", " != ", " === ", " !== "} {
		if x, y, ok := strings.Cut(expr, op); ok {
			return x == y && !strings.Contains(x, "(") && !strings.ContainsAny(x, "&|")
		}
	}
	return false
}
