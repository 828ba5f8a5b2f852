// Package claim says what an assertion claims: about what, compared with what, and how closely. It knows the names that
// assertion libraries give to their claims.
//
// It looks at operands that package expr reads. It owns no table and no file and judges nothing. A Reader belongs to one
// goroutine.
package claim

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/units/expr"
)

// Assert is one statement of a test that can make it fail.
type Assert struct {
	From, To  int // tokens of the statement: the whole chain with its semicolon; of a link of a chain, the link
	At        int // token of the last name of the callee
	Line, End int
	Callee    string // assert.Equal, self.assertEqual, expect, assert, assert_eq!, if (Go's `if got != want { t.Errorf }`)
	Matcher   string // of chains: toBe, to.equal, isEqualTo, hasSize …; with "not." in front when negated
	Actual    string // what is looked at, normalised; "" when unknown
	Expected  string // what it is compared with, normalised; "" when there is none
	Op        string // == != < … of a plain comparison, as the assertion claims it: `if got != want { t.Error }` claims ==
	Strength  Strength
	Trivial   bool // cannot fail: constants, or a thing against itself
	Oracle    bool // the expected value is computed by the same call as the actual one
	Awaited   bool // awaited or returned

	Looked [2]int // tokens of Actual, both 0 when unknown
	Wanted [2]int // tokens of Expected
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

// Reader fills in assertions.
type Reader struct{ *expr.Reader }

// Compare looks whether two operands that are claimed to be equal are one and the same.
func (x *Reader) Compare(a *Assert) {
	if a.Strength == Unknown || !a.claimsEqual() {
		return
	}
	l, r := x.Trim(a.Looked), x.Trim(a.Wanted)
	if l[1]-l[0] > expr.Longest || r[1]-r[0] > expr.Longest {
		return
	}
	switch {
	case x.Constant(l) && x.Constant(r):
		a.Trivial = x.Decide("==", l, r) == expr.Yes
	case x.SameValue(l, r):
		a.Trivial = true
	case x.Calls(l) || x.Calls(r) || l[1]-l[0] == 1 || r[1]-r[0] == 1:
		if t := x.Inlined(l); len(t) < 4000 && t == x.Inlined(r) {
			a.Oracle = strings.ContainsAny(t, "(.")
		}
	}
}

func (a *Assert) claimsEqual() bool {
	if a.Op != "" {
		return expr.EqualOp(a.Op)
	}
	name := a.Matcher
	if name == "" {
		name = a.Callee
	}
	if i := strings.LastIndexAny(name, ".:>"); i >= 0 && !strings.HasPrefix(name, "not.") {
		name = name[i+1:]
	}
	k, negated := KindOf(name)
	return k == equal && !negated
}
