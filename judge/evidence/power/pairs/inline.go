package pairs

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
)

// Inline replaces a name by what the unit sets it to, when it sets it once and before token at; any other expression is
// given back as it is. With calls, what is called is taken to give the same again.
func (u *Unit) Inline(at int, expr string, calls bool) string { return u.inline(at, expr, calls, 0) }

func (u *Unit) inline(at int, expr string, calls bool, depth int) string {
	const deepest = 3
	if depth >= deepest || expr == "" || strings.ContainsAny(expr, " \"'`") {
		return expr
	}
	from, to := u.Value(at, expr)
	if from >= to {
		return expr
	}
	value := u.File.Norm(from, to)
	if strings.Contains(value, "(") && !calls {
		return expr
	}
	return u.inline(from, value, calls, depth+1)
}

// Value finds the tokens of what a name is set to, when the unit sets it once and before token at.
func (u *Unit) Value(at int, name string) (from, to int) {
	f := u.File
	sets := 0
	for i := u.From; i < u.To; i++ {
		if f.Kind(i) != source.Name || !f.Is(i, name) || f.Is(i-1, ".") {
			continue
		}
		j := i + 1
		if f.Is(j, ":") && f.Kind(j+1) == source.Name {
			j += 2
		}
		switch {
		case f.Is(j, "="), f.Is(j, ":="):
			if sets++; j < at {
				from = j + 1
			}
		case f.Is(j, "++"), f.Is(j, "+="), f.Is(j, ",") && (f.Is(i-1, ",") || f.Tokens[i].First):
			return 0, 0
		}
	}
	if sets != 1 || from == 0 {
		return 0, 0
	}
	to = stmt.End(f, from, at)
	for to > from && f.Is(to-1, ";") {
		to--
	}
	if to-from > 60 {
		return 0, 0
	}
	return from, to
}
