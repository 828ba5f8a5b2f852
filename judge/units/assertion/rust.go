package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/claim"
)

// rust finds assertion macros and functions that are called after them.
func (x *Finder) rust(i int) (claim.Assert, bool) {
	f := x.F
	w := f.Text(i)
	macro := f.Is(i+1, "!") && !f.Is(i+2, "=") && (f.Is(i+2, "(") || f.Is(i+2, "[") || f.Is(i+2, "{"))
	if macro {
		if w == "panic" || w == "unreachable" {
			return x.rustSpan(i, i+2, claim.Assert{Callee: w + "!"}), true
		}
		l := strings.ToLower(w)
		if !strings.Contains(l, "assert") && !strings.HasSuffix(l, "eqnice") && !strings.HasPrefix(l, "check_") && !strings.HasPrefix(l, "expect_") && !strings.HasPrefix(l, "verify") && !strings.HasSuffix(l, "_eq") {
			return claim.Assert{}, false
		}
		a := x.rustSpan(i, i+2, claim.Assert{})
		a.Callee = w + "!"
		for k := i; f.Is(k-1, "::") && f.Kind(k-2) == source.Name; k -= 2 {
			a.Callee = f.Text(k-2) + "::" + a.Callee
		}
		x.rustMacro(&a, l, x.Args(i+2))
		return a, true
	}
	call := f.Is(i+1, "(")
	if !call || f.Is(i-1, "fn") || f.Is(i-1, ".") && !strings.HasPrefix(w, "assert") {
		return claim.Assert{}, false
	}
	if !claim.Helper(w) || strings.HasPrefix(w, "is") || strings.HasPrefix(w, "must") || strings.HasPrefix(w, "require") || strings.HasPrefix(w, "want") || strings.HasPrefix(w, "compare") || w == "check" || w == "verify" || w == "ensure" {
		return claim.Assert{}, false
	}
	a := x.rustSpan(i, i+1, claim.Assert{Callee: w})
	if _, end := x.Chain(x.Closing(i+1) + 1); end > a.To {
		a.To = x.Semicolon(end)
	}
	args := x.Args(i + 1)
	if f.Is(i-1, ".") {
		a.Callee = "." + w
		if a.From < i-1 {
			a.Looked = [2]int{a.From, i - 1}
		}
		if len(args) > 0 {
			a.Wanted = args[0]
		}
		return a, true
	}
	x.Fill(&a, w, args, false)
	return a, true
}

func (x *Finder) rustSpan(i, open int, a claim.Assert) claim.Assert {
	from, awaited := x.Start(i)
	a.From, a.At, a.Awaited, a.To = from, i, awaited, x.Semicolon(x.Closing(open)+1)
	return a
}

func (x *Finder) rustMacro(a *claim.Assert, l string, args [][2]int) {
	f := x.F
	l = strings.TrimPrefix(strings.TrimPrefix(l, "debug_"), "prop_")
	switch {
	case len(args) == 0:
		a.Strength = claim.Unknown
	case strings.HasSuffix(l, "snapshot"):
		a.Strength, a.Looked = claim.Exact, args[0]
		if len(args) > 1 {
			last := args[len(args)-1]
			if f.Is(last[0], "@") {
				a.Wanted = last
			} else if f.Kind(args[0][0]) == source.String && len(args) == 2 {
				a.Looked = args[1]
			}
		}
	case strings.HasSuffix(l, "matches"), strings.HasSuffix(l, "match"):
		a.Strength, a.Looked = claim.Exact, args[0]
		if len(args) > 1 {
			a.Wanted = args[1]
			a.Trivial = f.Is(args[1][0], "_") && args[1][1]-args[1][0] == 1
		}
	case l == "assert" || l == "check" || l == "verify":
		x.Condition(a, args[0], true)
	default:
		x.Fill(a, l, args, false)
	}
}
