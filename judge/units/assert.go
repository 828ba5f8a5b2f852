package units

import (
	"github.com/devflow-suite/devflow/judge/units/assertion"
	"github.com/devflow-suite/devflow/judge/units/claim"
)

// Assert is one statement of a test that can make it fail.
type Assert = claim.Assert

// Strength orders assertions by what they pin down.
type Strength = claim.Strength

// Strengths in rising order.
const (
	Unknown   = claim.Unknown
	Presence  = claim.Presence  // not nil, defined, truthy, of some type, does not throw
	Tolerance = claim.Tolerance // within a delta, a range, contains, matches a pattern, greater than
	Exact     = claim.Exact     // equal to a value, throws a particular error, snapshot
)

// Asserts lists the assertions written in the test itself, in order; helpers are not followed (Weight counts them).
func (t *Test) Asserts() []Assert {
	if !t.read {
		t.asserts, t.read = t.file.AssertsIn(t.From, t.To), true
	}
	return t.asserts
}

// AssertsIn lists the assertions among tokens [from, to).
func (f *File) AssertsIn(from, to int) []Assert {
	if f.finder == nil {
		f.finder = assertion.New(f.File, f.Match, f.asserts)
	}
	return f.finder.Find(from, to)
}

// asserts reports whether a function of the file that is no test asserts, itself or through another one.
func (f *File) asserts(name string) bool {
	if f.helpers == nil {
		f.learn()
	}
	return f.helpers[name]
}

// learn finds the functions that assert.
func (f *File) learn() {
	f.helpers = map[string]bool{}
	tests := map[int]bool{}
	for _, t := range f.found() {
		tests[t.At] = true
	}
	const (
		most  = 2000 // functions; more than that is no test file that a person wrote
		large = 5000 // tokens
		deep  = 2    // helpers that call helpers
	)
	x := assertion.New(f.File, f.Match, func(n string) bool { return f.helpers[n] })
	for range deep {
		for _, d := range f.Decls()[:min(len(f.Decls()), most)] {
			if d.Type || tests[d.At] || f.helpers[d.Name] || d.To-d.From > large || d.To <= d.From {
				continue
			}
			if len(x.Find(d.From, d.To)) > 0 {
				f.helpers[d.Name] = true
			}
		}
	}
}
