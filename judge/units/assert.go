package units

// Assert is one statement of a test that can make it fail.
type Assert struct {
	From, To  int // tokens of the statement
	Line, End int
	Callee    string // assert.Equal, self.assertEqual, expect, assert, assert_eq!, if (Go's `if got != want { t.Errorf }`)
	Matcher   string // of chains: toBe, to.equal, isEqualTo, hasSize …; with "not." in front when negated
	Actual    string // what is looked at, normalised (see File.Norm); "" when unknown
	Expected  string // what it is compared with, normalised; "" when there is none
	Op        string // == != < … of a plain comparison
	Strength  Strength
	Trivial   bool // cannot fail: constants, or a thing against itself
}

// Strength orders assertions by what they pin down.
type Strength uint8

// Strengths in rising order.
const (
	Unknown   Strength = iota
	Presence           // not nil, defined, truthy, of some type, does not throw
	Tolerance          // within a delta, a range, contains, matches a pattern, greater than
	Exact              // equal to a value, throws a particular error, snapshot
)

// Asserts lists the assertions written in the test itself, in order; helpers are not followed (Weight counts them).
func (t *Test) Asserts() []Assert {
	if !t.read {
		t.asserts, t.read = t.file.AssertsIn(t.From, t.To), true
	}
	return t.asserts
}

// AssertsIn lists the assertions among tokens [from, to).
func (f *File) AssertsIn(from, to int) []Assert { return nil }
