package code

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
)

// maxUnit bounds the text of a unit that goes with a finding, in bytes.
const maxUnit = 4 << 10

// Product reports whether a changed file is code that ships: no test, document, example, declaration or generated file.
func Product(f *change.File) bool {
	if f.Lang == "" || f.After == nil || f.Kind == layout.Test || f.Kind == layout.Doc || f.Kind == layout.Generated {
		return false
	}
	return !strings.HasSuffix(f.Path, ".pyi") && !strings.HasSuffix(f.Path, ".d.ts") && !strings.HasSuffix(f.Path, ".d.mts") && !strings.HasSuffix(f.Path, ".d.cts")
}

// Pairs lists functions of shipped code whose body changed, present ones only; Before is nil for new ones.
func Pairs(c *change.Change) []change.FuncPair {
	var out []change.FuncPair
	for _, p := range c.Funcs() {
		if p.After == nil || !Product(p.New) || p.Before != nil && p.Old.Kind == layout.Test || InTests(p.After) {
			continue
		}
		if p.Before != nil && p.Similar == 1 && p.Before.Body() == p.After.Body() {
			continue
		}
		out = append(out, p)
	}
	return out
}

// InTests reports whether a Rust function stands in a module of tests.
func InTests(fn *units.Func) bool {
	f := fn.File()
	if f.Lang != source.Rust {
		return false
	}
	for i := 0; i < fn.At; i++ {
		if f.Is(i, "mod") && strings.HasPrefix(f.Text(i+1), "test") && f.Is(i+2, "{") && f.Close(i+2) > fn.At {
			return true
		}
		if f.Is(i, "cfg") && f.Is(i+1, "(") && f.Is(i+2, "test") {
			for j := i + 4; j < fn.At && j < i+12; j++ {
				if f.Is(j, "{") && f.Close(j) > fn.At || f.Is(j, "fn") && j+1 == fn.At {
					return true
				}
			}
		}
	}
	return false
}

// Moved reports whether what a function did before the change is done by another function now: the change extracted,
// split, renamed or merged it.
func Moved(c *change.Change, p change.FuncPair) bool {
	bag := Bag(p.Before.File(), p.Before.From, p.Before.To)
	runs := pairs(p.Before.File(), p.Before.From, p.Before.To)
	for _, q := range c.Funcs() {
		if q.After == nil || q.After == p.After || q.After.Test || q.New.Kind == layout.Test && p.New.Kind != layout.Test {
			continue
		}
		if q.Before != nil && q.Similar == 1 {
			continue
		}
		f := q.After.File()
		if f == p.After.File() && q.After.From <= p.After.At && p.After.At < q.After.To {
			continue // around it
		}
		if Contained(runs, pairs(f, q.After.From, q.After.To)) < sameOrder {
			continue
		}
		now := Bag(f, q.After.From, q.After.To)
		if q.Before != nil && (q.After.Name != p.After.Name || q.Similar > 0.6) { // only what it gained
			for w, n := range Bag(q.Before.File(), q.Before.From, q.Before.To) {
				now[w] = max(now[w]-n, 0)
			}
		}
		if Contained(bag, now) >= 0.6 {
			return true
		}
	}
	return movedOut(p, bag, runs)
}

// sameOrder is how much of the neighbouring words of a body must be neighbours elsewhere, too, to call it moved; source:
// docs/judge-quality.md.
const sameOrder = 0.4

// pairs counts each two neighbouring words of tokens.
func pairs(f *units.File, from, to int) map[string]int {
	out := map[string]int{}
	last := ""
	for i := from; i < to; i++ {
		if f.Kind(i) == source.Op || common(f.Text(i)) {
			continue
		}
		out[last+" "+f.Text(i)]++
		last = f.Text(i)
	}
	return out
}

// movedOut reports whether the words of a body stand among the added lines of its file outside of the function.
func movedOut(p change.FuncPair, bag, runs map[string]int) bool {
	if p.New == nil || len(bag) == 0 {
		return false
	}
	added, neighbours, last := map[string]int{}, map[string]int{}, ""
	f := p.After.File()
	for i := range f.Tokens {
		if i >= p.After.From && i < p.After.To {
			continue
		}
		if f.Kind(i) == source.Op || common(f.Text(i)) || !p.New.Touched(f.TokenLine(i), f.TokenLine(i)) {
			continue
		}
		added[f.Text(i)]++
		neighbours[last+" "+f.Text(i)]++
		last = f.Text(i)
	}
	return Contained(bag, added) >= 0.75 && Contained(runs, neighbours) >= sameOrder
}

// Withdrawn reports whether what a function used went with the change: most of the project's names that it called and that
// the changed files declared are declared there no more. Then a feature was taken out and the rest of it stands empty.
func Withdrawn(c *change.Change, p change.FuncPair) bool {
	before, after := c.Symbols(true), c.Symbols(false)
	gone, kept := 0, 0
	seen := map[string]bool{}
	f := p.Before.File()
	for _, fn := range f.Funcs() { // what it declares itself
		if fn.At >= p.Before.From && fn.At < p.Before.To {
			seen[fn.Name] = true
		}
	}
	for i := p.Before.From; i < p.Before.To; i++ {
		w := f.Text(i)
		if f.Kind(i) != source.Name || !f.Is(i+1, "(") || seen[w] || w == p.Before.Name || Literal(w) || Keyword(w) || !before[w] {
			continue
		}
		seen[w] = true
		if after[w] {
			kept++
		} else {
			gone++
		}
	}
	return gone > 0 && gone >= kept
}

// Finding fills a finding about a function at a line of the present file.
func Finding(p change.FuncPair, line int, text, fix string) rule.Finding {
	f := p.After.File()
	out := rule.Finding{Path: p.New.Path, Line: line, Text: Label(p.After) + ": " + text, Evidence: strings.TrimSpace(f.Lines(line, line)), Fix: fix, Unit: p.After.Name, After: cut(p.After.Text())}
	if p.Before != nil {
		out.Before = cut(p.Before.Text())
	}
	return out
}

// Label names a function with its type.
func Label(fn *units.Func) string {
	if fn.Class != "" {
		return fn.Class + "." + fn.Name
	}
	return fn.Name
}

// Start is the line of the first statement of a function, or of its head when there is none.
func Start(fn *units.Func) int {
	f := fn.File()
	if fn.From < fn.To && fn.From < len(f.Tokens) {
		return f.TokenLine(fn.From)
	}
	return max(f.TokenLine(fn.From-1), fn.Line)
}

func cut(s string) string {
	if len(s) <= maxUnit {
		return s
	}
	return strings.ToValidUTF8(s[:maxUnit], "")
}
