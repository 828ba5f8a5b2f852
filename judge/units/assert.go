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
func (f *File) AssertsIn(from, to int) []Assert { return assertion.Find(f.File, f.Match, from, to) }
