package pairs

import (
	"slices"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// guarded makes the condition part of an assertion that is a bare failing call: in Go, `if got != want { t.Error() }` is
// one assertion, also deep in a loop.
func guarded(f *units.File, from int, list []units.Assert) []units.Assert {
	if f.Lang != source.Go {
		return list
	}
	var out []units.Assert
	for k := range list {
		a := &list[k]
		if a.Actual != "" || a.From < from+3 || !f.Is(a.From-1, "{") || f.Close(a.From-1) != skip(f, a.To) {
			continue
		}
		head := a.From - 1
		for head > from && !f.Tokens[head].First {
			head--
		}
		if !f.Is(head, "if") {
			continue
		}
		if out == nil {
			out = slices.Clone(list)
		}
		b := &out[k]
		b.From, b.To, b.Line = head, f.Close(a.From-1)+1, f.TokenLine(head)
		b.End = f.TokenLine(b.To - 1)
		b.Callee, b.Actual = "if", f.Norm(head+1, a.From-1)
	}
	if out == nil {
		return list
	}
	return out
}

// skip goes over a semicolon.
func skip(f *units.File, i int) int {
	if f.Is(i, ";") {
		return i + 1
	}
	return i
}
