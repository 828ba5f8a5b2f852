package mutation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/units"
)

// Most is how many mutants one change gets; source: specification of the judge, mutation testing of changed lines only.
const Most = 5

// Mutant is one small wrong change of one changed line.
type Mutant struct {
	Path     string
	Line     int
	Unit     string // function that it is in
	Was, Is  string // the piece that is replaced
	From, To int    // bytes of the present file
	rank     int
}

// Of makes at most Most mutants of the changed lines of a change, at most one for each line, spread over functions and
// files. The order is that of how much a mutant tells: comparisons first, constants last.
func Of(c *change.Change) []Mutant {
	var all []Mutant
	for _, f := range c.Files {
		if f.After == nil || f.Kind != layout.Impl || !known(f.Lang) {
			continue
		}
		for _, fn := range f.After.Funcs() {
			if !fn.Test && f.Touched(fn.Line, fn.End) {
				all = append(all, inFunc(f, fn)...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Mutant) int { return a.rank - b.rank })
	var out []Mutant
	units, lines := map[string]int{}, map[string]bool{}
	for round := 0; round < Most && len(out) < Most; round++ {
		for _, m := range all {
			unit, line := m.Path+"\x00"+m.Unit, m.Path+"\x00"+fmt.Sprint(m.Line)
			if len(out) == Most || units[unit] > round || lines[line] {
				continue
			}
			units[unit]++
			lines[line] = true
			out = append(out, m)
		}
	}
	return out
}

func known(l source.Lang) bool {
	switch l {
	case source.Go, source.Python, source.JS, source.TS, source.Rust, source.Dart:
		return true
	}
	return false
}

// inFunc finds what can be turned on the changed lines of a function.
func inFunc(f *change.File, fn *units.Func) []Mutant {
	u := f.After
	var out []Mutant
	for i := max(fn.From, 0); i < min(fn.To, len(u.Tokens)); i++ {
		t := &u.Tokens[i]
		line := int(t.Line)
		if !f.Touched(line, line) || arid(u.Lines(line, line)) {
			continue
		}
		if is, rank, ok := turned(u, i); ok {
			out = append(out, Mutant{f.Path, line, fn.Name, u.Text(i), is, int(t.Pos), int(t.End), rank})
		}
	}
	return out
}

// turned is what becomes of token i.
func turned(u *units.File, i int) (is string, rank int, ok bool) {
	text := u.Text(i)
	switch u.Kind(i) {
	case source.Op:
		switch text {
		case "==":
			return "!=", 1, true
		case "!=":
			return "==", 1, true
		case "===":
			return "!==", 1, true
		case "!==":
			return "===", 1, true
		case "<=":
			return "<", 1, true
		case ">=":
			return ">", 1, true
		case "<", ">": // of generics no blank stands around
			if !u.Glued(i) && !u.Glued(i+1) {
				return text + "=", 2, true
			}
		case "&&":
			return "||", 1, true
		case "||":
			return "&&", 1, true
		}
	case source.Name:
		switch text {
		case "true":
			return "false", 3, true
		case "false":
			return "true", 3, true
		case "True":
			return "False", 3, true
		case "False":
			return "True", 3, true
		case "and":
			return "or", 1, u.Lang == source.Python
		case "or":
			return "and", 1, u.Lang == source.Python
		}
	case source.Number:
		if len(text) < 10 && strings.Trim(text, "0123456789") == "" && (u.Is(i-1, "return") || u.Is(i-1, "==") || u.Is(i-1, "+") || u.Is(i-1, "-") || u.Is(i-1, "<") || u.Is(i-1, ">") || u.Is(i-1, ">=") || u.Is(i-1, "<=")) {
			if text == "0" {
				return "1", 4, true
			}
			return "0", 4, true
		}
	}
	return "", 0, false
}

// arid lines are those whose wrongness no test has to notice: logging, messages, guards against programming errors.
func arid(line string) bool {
	line = strings.ToLower(line)
	for _, w := range [...]string{"log", "print", "debug", "panic(", "assert", "trace", "warn", "fmt.fprint", "console.", "errorf"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}
