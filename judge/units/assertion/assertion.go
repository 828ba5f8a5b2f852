// Package assertion finds the statements of a test that can make it fail and says what each looks at, what with, and how
// closely.
//
// It knows the usual assertion libraries of the languages of package source by their names and shapes. It reads tokens,
// never comments or strings, and its cost is linear in them. It owns no table and no file and judges nothing.
package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/assertion/object"
	"github.com/devflow-suite/devflow/judge/units/claim"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// Finder finds the assertions of one file. It belongs to one goroutine.
type Finder struct {
	*claim.Reader
	helper  func(string) bool
	object  object.Finder
	out     []claim.Assert
	testing map[string]bool // Go: names of *testing.T and kin; filled when first asked for
	direct  map[int]bool    // Go: failing calls that belong to an if
}

// New makes a Finder. match is what Brackets returned; helper says which functions of the file assert.
func New(f *source.File, match []int32, helper func(string) bool) *Finder {
	r := &claim.Reader{Reader: expr.New(f, match)}
	return &Finder{Reader: r, helper: helper, object: object.Finder{Reader: r}}
}

// Find lists the assertions among tokens [from, to) in order.
func (x *Finder) Find(from, to int) []claim.Assert {
	from, to = max(from, 0), min(to, len(x.F.Tokens))
	x.Scope(from, to)
	x.out = nil
	x.scan(from, to, 0)
	return x.out
}

// deepest bounds how deeply assertions inside the arguments of assertions are looked for.
const deepest = 4

func (x *Finder) scan(from, to, depth int) {
	f := x.F
	for i := from; i < to; i++ {
		k := f.Tokens[i].Kind
		if k != source.Name {
			continue
		}
		a, ok := x.find(i, to)
		if !ok {
			if a, ok = x.follow(i); !ok {
				continue
			}
		}
		if a.To <= i {
			a.To = i + 1
		}
		a.To = min(a.To, len(f.Tokens))
		if depth < deepest && x.nests(&a) {
			n := len(x.out)
			x.scan(max(a.At+1, i+1), min(a.To, to), depth+1)
			if len(x.out) > n {
				i = max(i, a.To-1)
				continue
			}
		}
		x.finish(&a)
		x.out = append(x.out, a)
		if a.Callee != "if" {
			i = max(i, a.To-1)
		}
	}
}

// nests reports whether an assertion may only gather others: a helper with a block among its arguments.
func (x *Finder) nests(a *claim.Assert) bool {
	if a.Strength != claim.Unknown || a.Callee == "if" {
		return false
	}
	for i := a.At; i < a.To; i++ {
		if x.F.Is(i, "{") || x.F.Is(i, "=>") || x.F.Is(i, "->") {
			return true
		}
	}
	return false
}

// follow reads the call of a function of the file that asserts.
func (x *Finder) follow(i int) (claim.Assert, bool) {
	f := x.F
	if !f.Is(i+1, "(") || f.Is(i-1, ".") && !f.Is(i-2, "self") && !f.Is(i-2, "this") || f.Is(i-1, "->") && !f.Is(i-2, "$this") || x.helper == nil || !x.helper(f.Text(i)) {
		return claim.Assert{}, false
	}
	if (f.Lang == source.C || f.Lang == source.CPP) && f.Text(i) == strings.ToUpper(f.Text(i)) { // a macro without a body here
		return claim.Assert{}, false
	}
	switch f.Text(i - 1) {
	case "def", "func", "fn", "fun", "function", "void", "new":
		return claim.Assert{}, false
	}
	if f.Is(x.Closing(i+1)+1, "{") && f.Lang != source.Kotlin && f.Lang != source.Swift && f.Lang != source.Scala && f.Lang != source.Ruby { // declares it
		return claim.Assert{}, false
	}
	from, awaited := x.Start(i)
	a := claim.Assert{From: from, At: i, Awaited: awaited, Callee: f.Text(i)}
	_, end := x.Chain(x.Closing(i+1) + 1)
	a.To = x.Semicolon(end)
	args := x.Args(i + 1)
	if len(args) > 0 && args[0][1]-args[0][0] == 1 && x.testing[f.Text(args[0][0])] {
		args = args[1:]
	}
	if len(args) > 0 {
		a.Looked = args[0]
	}
	if len(args) > 1 {
		a.Wanted = args[1]
	}
	return a, true
}

func (x *Finder) find(i, to int) (claim.Assert, bool) {
	switch x.F.Lang {
	case source.Go:
		return x.golang(i, to)
	case source.Python:
		return x.python(i)
	case source.JS, source.TS:
		return x.script(i)
	case source.Rust:
		return x.rust(i)
	case source.Dart:
		return x.dart(i)
	case source.Ruby:
		return x.object.Ruby(i, to)
	case source.C, source.CPP:
		return x.object.Native(i)
	case "":
		return claim.Assert{}, false
	}
	return x.object.Find(i)
}

// finish fills in what follows from the rest.
func (x *Finder) finish(a *claim.Assert) {
	f := x.F
	if a.Looked[1] > a.Looked[0] {
		a.Actual = x.Norm(a.Looked)
	}
	if a.Wanted[1] > a.Wanted[0] && a.Expected == "" {
		a.Expected = x.Norm(a.Wanted)
	}
	if a.From < len(f.Tokens) {
		a.Line = int(f.Tokens[a.From].Line)
	}
	a.End = a.Line
	if a.To > a.From {
		t := &f.Tokens[a.To-1]
		a.End = int(t.Line)
		if t.Kind == source.String {
			for _, c := range f.Src[t.Pos:t.End] {
				if c == '\n' {
					a.End++
				}
			}
		}
	}
	if !a.Trivial && a.Looked[1] > a.Looked[0] && a.Wanted[1] > a.Wanted[0] {
		x.Compare(a)
	}
}
