package reach

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/units"
)

// Kind is why an assertion cannot fail a test.
type Kind string

// Kinds of causes.
const (
	Return    Kind = "return"    // a statement before it leaves
	Condition Kind = "condition" // it stands under a condition that never holds
	Empty     Kind = "empty"     // in a loop over nothing
	Uncalled  Kind = "uncalled"  // in a function that nobody calls
	Swallowed Kind = "swallowed" // its failure is caught and dropped
	Inverted  Kind = "inverted"  // its failure is what the test asks for
)

// Cause is what keeps an assertion from failing its test.
type Cause struct {
	Kind Kind
	Tok  int  // where it is seen
	Soft bool // it keeps some failures, not all
}

// Causes gives for assertions of a unit, by index, what keeps them from failing it. Those that are not listed may fail.
func Causes(u *pairs.Unit) map[int]Cause {
	w := walker{u: u, f: u.File, out: map[int]Cause{}}
	if len(u.Asserts) > 0 {
		w.walk(u.From, u.To, nil, 0)
	}
	return w.out
}

// deepest bounds the nesting that is looked at.
const deepest = 30

type walker struct {
	u   *pairs.Unit
	f   *units.File
	out map[int]Cause
}

// mark notes the cause for the assertions that begin among tokens [from, to).
func (w *walker) mark(from, to int, c *Cause) {
	if c == nil {
		return
	}
	for i := range w.u.Asserts {
		if a := &w.u.Asserts[i]; a.From >= from && a.From < to {
			if _, ok := w.out[i]; !ok {
				w.out[i] = *c
			}
		}
	}
}

// holds reports whether an assertion begins among tokens [from, to).
func (w *walker) holds(from, to int) bool {
	for i := range w.u.Asserts {
		if a := &w.u.Asserts[i]; a.From >= from && a.From < to {
			return true
		}
	}
	return false
}

// asserting reports whether tokens [from, to) are an assertion as a whole, as `if got != want { t.Fatal() }` is.
func (w *walker) asserting(s stmt.Stmt) bool {
	for i := range w.u.Asserts {
		if a := &w.u.Asserts[i]; a.From == s.From && a.To >= s.To {
			return true
		}
	}
	return false
}

func (w *walker) walk(from, to int, c *Cause, depth int) {
	if depth > deepest || !w.holds(from, to) {
		return
	}
	w.mark(from, to, c)
	if c != nil {
		return
	}
	for _, s := range stmt.Split(w.f, from, to) {
		if w.leaves(s) {
			w.mark(s.To, to, &Cause{Kind: Return, Tok: s.From})
			return
		}
		if w.leavesOnCI(s) {
			w.mark(s.To, to, &Cause{Kind: Return, Tok: s.From})
			return
		}
		if !w.holds(s.From, s.To) {
			continue
		}
		if w.apart(s) {
			w.mark(s.From, s.To, &Cause{Kind: Uncalled, Tok: s.From})
			continue
		}
		blocks := stmt.Blocks(w.f, s)
		if len(blocks) == 0 {
			w.simple(s, to, depth)
			continue
		}
		if w.asserting(s) {
			continue
		}
		w.blocks(s, blocks, to, depth)
	}
}

func (w *walker) blocks(s stmt.Stmt, blocks []stmt.Block, to, depth int) {
	f := w.f
	var swallow *Cause
	if b := blocks[0]; b.Word == "try" || b.Word == "do" || b.Word == "begin" {
		swallow = w.handlers(blocks)
	}
	for k, b := range blocks {
		var c *Cause
		switch b.Word {
		case "if", "elif", "while", "unless", "until", "when":
			from, to := condition(f, b)
			if (b.Word == "if" || b.Word == "elif" || b.Word == "while") && w.never(from, to) {
				c = &Cause{Kind: Condition, Tok: b.Head}
			}
			if b.Word == "if" && k+1 < len(blocks) && always(f, from, to) && blocks[k+1].Word == "else" {
				w.walk(blocks[k+1].From, blocks[k+1].To, &Cause{Kind: Condition, Tok: blocks[k+1].Head}, depth+1)
			}
		case "for", "foreach", "async":
			if w.nothing(b) {
				c = &Cause{Kind: Empty, Tok: b.Head}
			}
		case "try", "do", "begin":
			c = swallow
		case "with":
			c = w.context(b)
		case "def":
			name := b.Head + 1
			if f.Is(b.Head, "async") {
				name++
			}
			if f.Lang == source.Python && w.mentions(f.Text(name)) == 1 && f.Tokens[b.Head].Col > 0 && !w.decorated(b.Head) {
				c = &Cause{Kind: Uncalled, Tok: b.Head}
			}
		}
		w.walk(b.From, b.To, c, depth+1)
	}
}

// decorated reports whether the line before token i is a decorator.
func (w *walker) decorated(i int) bool {
	for j := i - 1; j >= w.u.From; j-- {
		if w.f.Tokens[j].First {
			return w.f.Is(j, "@")
		}
	}
	return false
}

// mentions counts a name in the unit.
func (w *walker) mentions(name string) int {
	n := 0
	for i := w.u.From; i < w.u.To; i++ {
		if w.f.Kind(i) == source.Name && w.f.Is(i, name) {
			n++
		}
	}
	return n
}

// simple looks into the functions that a statement passes on or defines.
func (w *walker) simple(s stmt.Stmt, to, depth int) {
	f := w.f
	whole := w.whole(s)
	if whole != nil {
		w.mark(s.From, s.To, whole)
		return
	}
	if c := w.unused(s); c != nil {
		w.mark(s.From, s.To, c)
		return
	}
	for i := s.From; i < s.To; i++ {
		if !f.Is(i, "{") && !(f.Lang == source.Ruby && f.Is(i, "do")) || !w.holds(i, s.To) {
			continue
		}
		end := min(f.Close(i), s.To)
		if f.Is(i, "do") {
			end = min(max(f.BlockEnd(i), i+1), s.To)
		}
		w.walk(i+1, end, w.around(s, i), depth+1)
		i = max(i, end)
	}
}

// leaves reports whether a statement always leaves the block around it without failing the test.
func (w *walker) leaves(s stmt.Stmt) bool {
	f := w.f
	if w.holds(s.From, s.To) {
		return false
	}
	switch f.Text(s.From) {
	case "return":
		return !calls(f, s.From+1, s.To) || exits(f, s.From+1, s.To)
	case "continue", "break":
		return true
	case "if":
		blocks := stmt.Blocks(f, s)
		if len(blocks) != 1 {
			return false
		}
		if from, to := condition(f, blocks[0]); !always(f, from, to) {
			return false
		}
		for _, in := range stmt.Split(f, blocks[0].From, blocks[0].To) {
			if w.leaves(in) {
				return true
			}
		}
		return false
	}
	return exits(f, s.From, s.To)
}

// calls reports whether something is called among the tokens that may itself look at the outcome.
func calls(f *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		if f.Is(i, "(") && f.Kind(i-1) == source.Name && f.Text(i-1) != "Ok" && f.Text(i-1) != "return" {
			return true
		}
	}
	return false
}

// exits reports whether the statement ends the process as if all was well, or leaves the test.
func exits(f *units.File, from, to int) bool {
	for i := from; i < to && i < from+6; i++ {
		if Exit(f, i) {
			return true
		}
	}
	return f.Is(from, "runtime") && f.Is(from+2, "Goexit")
}
