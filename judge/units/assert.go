package units

import "github.com/devflow-suite/devflow/judge/units/assertion"

// Assert is one statement of a test that can make it fail.
type Assert = assertion.Assert

// Strength orders assertions by what they pin down.
type Strength = assertion.Strength

// Strengths in rising order.
const (
	Unknown   = assertion.Unknown
	Presence  = assertion.Presence  // not nil, defined, truthy, of some type, does not throw
	Tolerance = assertion.Tolerance // within a delta, a range, contains, matches a pattern, greater than
	Exact     = assertion.Exact     // equal to a value, throws a particular error, snapshot
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
	return assertion.Find(f.File, f.Match, f.asserts, from, to)
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
	for range deep {
		for _, d := range f.Decls()[:min(len(f.Decls()), most)] {
			if d.Type || tests[d.At] || f.helpers[d.Name] || d.To-d.From > large || d.To <= d.From {
				continue
			}
			if len(assertion.Find(f.File, f.Match, func(n string) bool { return f.helpers[n] }, d.From, d.To)) > 0 {
				f.helpers[d.Name] = true
			}
		}
	}
}
