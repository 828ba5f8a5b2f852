package reach

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/units"
)

// nothing reports whether a loop goes over nothing.
func (w *walker) nothing(b stmt.Block) bool {
	f := w.f
	from, to := condition(f, b)
	if i := top(f, from, to, ";"); i >= 0 {
		return noSteps(f, from, i, to)
	}
	i := top(f, from, to, "in", "of", "range", ":")
	return i >= 0 && w.empty(i+1, to, 0)
}

// noSteps reports whether a counting loop ends before it begins: `i := 0; i < 0; i++`.
func noSteps(f *units.File, from, semi, to int) bool {
	next := top(f, semi+1, to, ";")
	if next < 0 || semi < from+2 {
		return false
	}
	if f.Is(semi+1, "false") && next == semi+2 {
		return true
	}
	if next != semi+4 || f.Kind(semi+3) != source.Number || f.Kind(semi-1) != source.Number {
		return false
	}
	start, end := f.Text(semi-1), f.Text(semi+3)
	switch f.Text(semi + 2) {
	case "<":
		return start == end || end == "0"
	case ">":
		return start == end || start == "0"
	}
	return false
}

// empty reports whether an expression is a collection of nothing.
func (w *walker) empty(from, to, depth int) bool {
	f := w.f
	if from, to = bare(f, from, to); from >= to || depth > 3 {
		return to == from && depth == 0 && (f.Is(from-1, "(") || f.Is(from, ")"))
	}
	switch f.Text(from) {
	case "const", "new", "&", "await":
		return w.empty(from+1, to, depth+1)
	}
	if to-from == 1 {
		switch f.Text(from) {
		case "nil", `""`, "''", "0":
			return true
		}
		return f.Kind(from) == source.Name && w.stays(f.Text(from), depth)
	}
	switch f.Norm(from, min(to, from+12)) {
	case "[ ]", "{ }", "( )", "range ( 0 )", "Array ( )", "Array ( 0 )", "Collections . emptyList ( )", "List . of ( )",
		"Arrays . asList ( )", "Set . of ( )", "Map . of ( )", "Stream . empty ( )", "vec ! [ ]", "Vec :: new ( )", "0 .. 0", "emptyList ( )", "listOf ( )", "emptySequence ( )",
		"List . empty ( )", "Array . empty ( )", "std :: iter :: empty ( )", "iter :: empty ( )", "Enumerable . Empty ( )", "ArrayList ( )", "ArrayList < > ( )", "Map ( )", "Set ( )",
		"frozenset ( )", "iter ( [ ] )", "iter ( ( ) )", "range ( 0 , 0 )", "sorted ( [ ] )", "enumerate ( [ ] )":
		return true
	case "list ( )", "tuple ( )", "dict ( )", "set ( )": // elsewhere functions of the project
		return f.Lang == source.Python
	}
	switch {
	case f.Is(to-1, "}") && f.Is(to-2, "{") && f.Lang == source.Go: // []T{}
		return true
	case f.Is(to-1, "]") && f.Is(to-2, "[") && f.Is(from, "<"): // <T>[]
		return true
	case f.Is(to-1, "]") && f.Is(to-2, "0") && (f.Is(to-3, ":") || f.Is(to-3, "[") && f.Is(from-1, "new")): // x[:0], new T[0]
		return true
	case f.Is(to-1, ")") && f.Is(to-2, "0") && f.Is(to-3, "(") && (f.Is(to-4, "take") || f.Is(to-4, "limit") || f.Is(to-4, "first")):
		return true
	case f.Is(to-1, ")") && f.Norm(to-5, to) == "( 0 , 0 )" && (f.Is(to-6, "slice") || f.Is(to-6, "sublist") || f.Is(to-6, "subList")):
		return true
	}
	return false
}

// stays reports whether a name is set once in the unit, to a collection of nothing, and nothing is done with it but
// looping.
func (w *walker) stays(name string, depth int) bool {
	f := w.f
	at := -1
	n := 0
	for i := w.u.From; i < w.u.To; i++ {
		if f.Kind(i) != source.Name || !f.Is(i, name) || f.Is(i-1, ".") {
			continue
		}
		n++
		j := i + 1
		if f.Is(j, ":") && f.Lang != source.Go { // a type
			for k := j; k < min(j+12, w.u.To); k++ {
				if f.Is(k, "=") {
					j = k
					break
				}
			}
		}
		if at < 0 && (f.Is(j, "=") || f.Is(j, ":=")) {
			at = j + 1
		}
	}
	if n != 2 || at < 0 {
		return false
	}
	end := stmt.End(f, at, w.u.To)
	for end > at && f.Is(end-1, ";") {
		end--
	}
	return w.empty(at, end, depth+1)
}
