package expr

import (
	"github.com/devflow-suite/devflow/internal/source"
)

// local is a name that is assigned in the test.
type local struct {
	value [2]int
	count int  // of assignments
	plain bool // the first one declares it with a value
}

// local is the value of a name that is declared with one and never assigned again.
func (x *Reader) local(name string) ([2]int, bool) {
	if x.locals == nil {
		x.learn()
	}
	l, ok := x.locals[name]
	if !ok || l.count != 1 || !l.plain {
		return [2]int{}, false
	}
	return l.value, true
}

// assignments counts how often a name is given a value.
func (x *Reader) assignments(name string) int {
	if x.locals == nil {
		x.learn()
	}
	return x.locals[name].count
}

// learn finds the assignments among the tokens.
func (x *Reader) learn() {
	f := x.F
	x.locals = map[string]local{}
	add := func(i int, value [2]int, plain bool) {
		l := x.locals[f.Text(i)]
		if l.count++; l.count == 1 {
			l.value, l.plain = value, plain
		}
		x.locals[f.Text(i)] = l
	}
	var stack []byte
	for i := x.from; i < x.to; i++ {
		if f.Tokens[i].Kind != source.Op {
			if f.Tokens[i].Kind == source.Name && x.rebinds(i) {
				add(i, [2]int{}, false)
			}
			continue
		}
		switch w := f.Text(i); w {
		case "(", "[", "{":
			stack = append(stack, w[0])
		case ")", "]", "}":
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case "=", ":=":
			if f.Kind(i-1) != source.Name && !x.Closes(i-1) && !f.Is(i-1, ">") && !f.Is(i-1, "?") {
				continue
			}
			at := x.assigned(i)
			if at < x.from {
				continue
			}
			argument := len(stack) > 0 && stack[len(stack)-1] != '{'
			plain := !argument && x.declares(at, w)
			var value [2]int
			if plain {
				if value = x.initial(i + 1); value[1] <= value[0] {
					plain = false
				}
			}
			add(at, value, plain)
			for k := at; f.Is(k-1, ",") && f.Kind(k-2) == source.Name; k -= 2 { // a, b = …
				add(k-2, [2]int{}, false)
				if l := x.locals[f.Text(at)]; l.plain {
					l.plain = false
					x.locals[f.Text(at)] = l
				}
			}
		case "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "??=", "||=", "&&=", "**=", "++", "--", "<-":
			if f.Kind(i-1) == source.Name {
				add(i-1, [2]int{}, false)
			}
			if f.Kind(i+1) == source.Name && (w == "++" || w == "--") {
				add(i+1, [2]int{}, false)
			}
		case "&":
			if f.Kind(i+1) == source.Name && f.Kind(i-1) != source.Name {
				k := i + 1
				if f.Is(k, "mut") {
					k++
				}
				add(k, [2]int{}, false)
			}
		}
	}
}

// rebinds reports whether the name at token i gets values in other ways than by an assignment.
func (x *Reader) rebinds(i int) bool {
	f := x.F
	switch f.Text(i - 1) {
	case "for", "as", "out", "ref", "inout", "nonlocal", "global", "each":
		return f.Tokens[i-1].Kind == source.Name
	case "mut": // may change in place
		return f.Lang == source.Rust
	}
	return f.Is(i+1, "in") && (f.Is(i-1, "(") || f.Is(i-1, ",")) || f.Is(i+1, "of") && f.Kind(i+1) == source.Name
}

// assigned is the token of the name that the = at token i gives a value to, -1 when it is none: for `let x: T = …` it is x.
func (x *Reader) assigned(i int) int {
	f := x.F
	at := i - 1
	if f.Kind(at) == source.Name && (f.Tokens[at].First || !f.Is(at-1, ":")) && !f.Is(at-1, ".") && (!f.Is(at-1, "|") || f.Lang == source.Ruby) {
		return at
	}
	for k := i - 1; k > max(x.from, i-30); k-- { // name: type =
		switch {
		case f.Is(k, ":") && f.Kind(k-1) == source.Name:
			if f.Is(k-2, ".") {
				return -1
			}
			return k - 1
		case f.Is(k, ";"), f.Is(k, "{"), f.Is(k, "("), f.Is(k, "="):
			return -1
		}
	}
	return -1
}

// declares reports whether the assignment to the name at token at declares it.
func (x *Reader) declares(at int, op string) bool {
	f := x.F
	switch f.Lang {
	case source.Go:
		return op == ":=" && !f.Is(at-1, ",") || f.Is(at-1, "var") || f.Is(at-1, "const")
	case source.Python, source.Ruby, source.PHP:
		return f.Tokens[at].First || f.Is(at-1, ";") || f.Is(at-1, "do") || f.Is(at-1, "{")
	case source.JS, source.TS, source.Swift, source.Kotlin, source.Scala:
		return f.Is(at-1, "const") || f.Is(at-1, "let") || f.Is(at-1, "var") || f.Is(at-1, "val")
	case source.Rust:
		return f.Is(at-1, "let") || f.Is(at-1, "const")
	}
	return f.Kind(at-1) == source.Name && !f.Is(at-1, "return") || f.Is(at-1, ">") || f.Is(at-1, "]") || f.Is(at-1, "?")
}

// initial is the value that begins at token i and ends with its statement.
func (x *Reader) initial(i int) [2]int {
	f := x.F
	const most = 60
	j := i
	lines := f.Lang == source.Go || f.Lang == source.Python || f.Lang == source.Ruby || f.Lang == source.JS || f.Lang == source.TS || f.Lang == source.Kotlin || f.Lang == source.Swift || f.Lang == source.Scala
	for ; j < x.to && j < i+most; j++ {
		if f.Is(j, ";") || f.Is(j, ",") || x.Closes(j) || f.Is(j, "{") && f.Lang == source.Go && f.Kind(j-1) == source.Name && j > i && f.Is(i-2, "if") {
			return [2]int{i, j}
		}
		if lines && j > i && f.Tokens[j].First && !f.Is(j, ".") && !f.Is(j, "?.") && !f.Is(j-1, "+") && !f.Is(j, "+") && !f.Is(j, "?") && !f.Is(j, ":") && !f.Is(j, "||") && !f.Is(j, "&&") {
			return [2]int{i, j}
		}
		if f.Is(j, "<") {
			if k := x.Generic(j); k > j {
				j = k - 1
				continue
			}
		}
		j = max(j, x.Closing(j))
	}
	if j >= i+most {
		return [2]int{}
	}
	return [2]int{i, min(j, x.to)}
}
