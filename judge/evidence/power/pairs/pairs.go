// Package pairs lists what asserts, before and after a change: test cases, and the helpers that assert for them wherever they
// live.
//
// The list is made once for a change and shared by the rules below judge/evidence/power. It owns no table and no file and
// judges nothing.
package pairs

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/units"
)

// Unit is a test or a helper in one version of its file.
type Unit struct {
	Name     string
	File     *units.File
	Head     int // first token, decorators included
	From, To int // tokens of the body
	First    int // first line, decorators included
	Line     int // of the declaration
	End      int
	Attrs    string
	Weight   int // assertions that can fail, helpers of the same file followed; of tests only
	Weak     int // trivial ones
	Asserts  []units.Assert
}

// Pair is a test or a helper before and after. Before is nil for what is new, After for what went; never both.
type Pair struct {
	Old, New      *change.File
	Before, After *Unit
	Similar       float64
	Moved         bool
	Test          bool // a test case; otherwise a helper
}

type key struct{}

// Of lists the tests and helpers that the change touched: those on both sides and new ones in order of the present
// files, then those that went.
func Of(c *change.Change) []Pair {
	return c.Once(key{}, func() any { return list(c) }).([]Pair)
}

func list(c *change.Change) []Pair {
	var out []Pair
	for _, t := range c.Tests() {
		p := Pair{Old: t.Old, New: t.New, Similar: t.Similar, Moved: t.Moved, Test: true}
		if t.Before != nil && t.After != nil && same(t.Old, t.New, t.Before.First, t.Before.End, t.After.First, t.After.End) {
			continue
		}
		if t.Before != nil {
			p.Before = test(t.Before)
		}
		if t.After != nil {
			p.After = test(t.After)
		}
		out = append(out, p)
	}
	for _, f := range c.Funcs() {
		if f.Before == nil || f.After == nil || around(f.Before) || same(f.Old, f.New, f.Before.First, f.Before.End, f.After.First, f.After.End) || !Helper(f.Old, f.Before) {
			continue
		}
		out = append(out, Pair{Old: f.Old, New: f.New, Similar: f.Similar, Moved: f.Moved, Before: function(f.Before), After: function(f.After)})
	}
	return out
}

// around reports whether a function holds tests, as Dart's main does.
func around(fn *units.Func) bool {
	for _, t := range fn.File().Tests() {
		if t.From > fn.From && t.To <= fn.To {
			return true
		}
	}
	return false
}

// same reports whether no line of a unit changed.
func same(old, now *change.File, oldFrom, oldTo, from, to int) bool {
	return old == now && !now.Touched(from, to) && !old.TouchedOld(oldFrom, oldTo)
}

func test(t *units.Test) *Unit {
	from, to := stmt.Body(t)
	u := &Unit{
		Name: t.Name, File: t.File(), Head: t.Head, From: from, To: to, First: t.First, Line: t.Line, End: t.End, Attrs: t.Attrs, Weight: t.Weight,
		Weak: t.Weak, Asserts: guarded(t.File(), t.From, t.Asserts()),
	}
	return u
}

func function(fn *units.Func) *Unit {
	u := &Unit{Name: fn.Name, File: fn.File(), Head: fn.Head, From: fn.From, To: fn.To, First: fn.First, Line: fn.Line, End: fn.End, Attrs: fn.Attrs}
	u.Asserts = guarded(u.File, fn.From, u.File.AssertsIn(fn.From, fn.To))
	return u
}

// Helper reports whether a function is test code: it stands in a test file, is handed a test, or says by its name that it
// asserts.
func Helper(f *change.File, fn *units.Func) bool {
	if fn.To <= fn.From {
		return false
	}
	if f.IsTest() || Asserting(fn.Name) {
		return true
	}
	u := fn.File()
	if u.Lang == source.Go {
		for _, p := range fn.Params {
			if strings.HasSuffix(p.Type, "testing.T") || strings.HasSuffix(p.Type, "testing.TB") || strings.HasSuffix(p.Type, "testing.B") {
				return true
			}
		}
	}
	return false
}

// Asserting reports whether a name begins with a word such as assert or expect.
func Asserting(name string) bool {
	name = strings.TrimLeft(name, "_$")
	for _, p := range [...]string{"assert", "expect", "verify", "check", "ensure", "should", "require", "must"} {
		if len(name) < len(p) || !strings.EqualFold(name[:len(p)], p) {
			continue
		}
		rest := name[len(p):]
		if rest == "" && (p == "assert" || p == "expect") || rest != "" && (p == "assert" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}

// Text is the unit as written.
func (u *Unit) Text() string { return u.File.Lines(u.First, u.End) }

// Shown is the unit as written, cut to what a question to a model may hold.
func (u *Unit) Shown() string {
	const most = 4 << 10
	s := u.Text()
	if len(s) > most {
		s = s[:most]
	}
	return s
}

// Body is the body without layout and comments.
func (u *Unit) Body() string { return u.File.Norm(u.From, u.To) }

// Quote is a line of the file without the blanks around it.
func Quote(f *units.File, line int) string { return strings.TrimSpace(f.Lines(line, line)) }
