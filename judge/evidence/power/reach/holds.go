package reach

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/units"
)

// condition is what stands between the word of a block and its body, without parentheses around all of it.
func condition(f *units.File, b stmt.Block) (from, to int) {
	from, to = b.Head+1, b.From
	if b.Word == "elif" && f.Is(b.Head, "else") {
		from++
	}
	if f.Is(to-1, "{") || f.Is(to-1, ":") {
		to--
	}
	return bare(f, from, to)
}

// bare takes parentheses off that hold all of the tokens.
func bare(f *units.File, from, to int) (int, int) {
	for from < to && f.Is(from, "(") && f.Close(from) == to-1 {
		from, to = from+1, to-1
	}
	return from, to
}

// never reports whether a condition cannot hold.
func (w *walker) never(from, to int) bool { return w.false(from, to, 0) }

func (w *walker) false(from, to, depth int) bool {
	f := w.f
	if from, to = bare(f, from, to); from >= to || depth > 4 {
		return false
	}
	if i := top(f, from, to, "&&", "and"); i >= 0 {
		return w.false(from, i, depth+1) || w.false(i+1, to, depth+1)
	}
	if i := top(f, from, to, "||", "or"); i >= 0 {
		return w.false(from, i, depth+1) && w.false(i+1, to, depth+1)
	}
	if (f.Is(from, "!") || f.Is(from, "not")) && to > from+1 {
		return always(f, from+1, to)
	}
	if i := top(f, from, to, "==", "===", "<", ">", "!=", "!=="); i >= 0 {
		return compared(f, from, i, to) == 0
	}
	if f.Is(from, "cfg") && f.Norm(from, to) == "cfg ! ( any ( ) )" {
		return true
	}
	if to-from != 1 {
		return false
	}
	switch f.Text(from) {
	case "false", "False", "0", "None", "nil", "null", "undefined", "FALSE", `""`, "''":
		return true
	}
	return f.Kind(from) == source.Name && w.constant(f.Text(from))
}

// constant reports whether a name is set once in the file, to something false.
func (w *walker) constant(name string) bool {
	f := w.f
	sets, falses := 0, 0
	for i := range f.Tokens {
		if f.Kind(i) != source.Name || !f.Is(i, name) || f.Is(i-1, ".") {
			continue
		}
		j := i + 1
		if f.Is(j, ":") && f.Lang != source.Python || f.Kind(j) == source.Name && f.Lang == source.Go {
			j += 2 // a type
		}
		if f.Is(j, "=") || f.Is(j, ":=") {
			sets++
			switch f.Text(j + 1) {
			case "false", "False", "0":
				if j+2 >= len(f.Tokens) || f.Is(j+2, ";") || f.Tokens[j+2].First {
					falses++
				}
			}
		} else if f.Is(j, "++") || f.Is(j, "+=") || f.Is(i-1, "&") || f.Is(i-1, "(") && f.Is(j, ",") || f.Is(i-1, "mut") {
			return false
		}
	}
	return sets == 1 && falses == 1
}

// always reports whether a condition cannot but hold.
func always(f *units.File, from, to int) bool {
	if from, to = bare(f, from, to); from >= to {
		return false
	}
	if i := top(f, from, to, "||", "or"); i >= 0 {
		return always(f, from, i) || always(f, i+1, to)
	}
	if i := top(f, from, to, "&&", "and"); i >= 0 {
		return always(f, from, i) && always(f, i+1, to)
	}
	if i := top(f, from, to, "==", "===", "<", ">", "!=", "!=="); i >= 0 {
		return compared(f, from, i, to) == 1
	}
	if f.Is(from, "!") || f.Is(from, "not") {
		return to == from+2 && (f.Is(from+1, "false") || f.Is(from+1, "False") || f.Is(from+1, "0"))
	}
	if to-from != 1 {
		return false
	}
	switch f.Text(from) {
	case "true", "True", "1", "TRUE":
		return true
	}
	return false
}

// top finds the first of the operators outside of brackets, -1 for none.
func top(f *units.File, from, to int, ops ...string) int {
	for i := from; i < to; i++ {
		for _, op := range ops {
			if f.Is(i, op) {
				return i
			}
		}
		i = max(i, f.Close(i))
	}
	return -1
}

// compared tells a comparison of constants: 1 when it holds, 0 when not, -1 when that cannot be told.
func compared(f *units.File, from, op, to int) int {
	yes := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	sign := f.Text(op)
	if op-from != 1 || to-op != 2 {
		// The length of something is never below zero.
		if sign == "<" && f.Is(op+1, "0") && to == op+2 && (f.Is(from, "len") || f.Is(op-1, "length") || f.Is(op-1, "size") || f.Norm(op-3, op) == "size ( )") {
			return 0
		}
		return -1
	}
	a, b := f.Text(from), f.Text(op+1)
	if f.Kind(from) == source.String && f.Kind(op+1) == source.String && !strings.ContainsAny(a+b, "{$\\") {
		switch sign {
		case "==", "===":
			return yes(a == b)
		case "!=", "!==":
			return yes(a != b)
		}
		return -1
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return -1
	}
	switch sign {
	case "==", "===":
		return yes(x == y)
	case "!=", "!==":
		return yes(x != y)
	case "<":
		return yes(x < y)
	case ">":
		return yes(x > y)
	}
	return -1
}
