package verdict

// Axis is one of the eleven on which work is judged.
type Axis string

// The axes, in the order of reports.
const (
	TestIntegrity Axis = "test_integrity"            // tests that existed keep running and keep their power
	TestSubstance Axis = "test_substance"            // new tests can fail
	Honesty       Axis = "implementation_honesty"    // code does what its name, doc and callers promise
	ErrorHandling Axis = "error_handling"            // failures stay visible
	References    Axis = "reference_integrity"       // nothing refers to what is not there
	GateIntegrity Axis = "gate_integrity"            // checks keep biting
	Security      Axis = "security"                  // no new hole, no secret
	Documentation Axis = "documentation"             // documents match the code
	TDD           Axis = "tdd"                       // change and test come together
	Scope         Axis = "spec_fulfilment_and_scope" // the task, all of it, and nothing else
	Hygiene       Axis = "change_hygiene"            // no debris
)

// Axes lists all of them.
func Axes() []Axis {
	return []Axis{TestIntegrity, TestSubstance, Honesty, ErrorHandling, References, GateIntegrity, Security, Documentation, TDD, Scope, Hygiene}
}

// Prefix is the short name of an axis in front of a finding's text.
func (a Axis) Prefix() string {
	switch a {
	case TestIntegrity, TestSubstance:
		return "test"
	case Honesty:
		return "honesty"
	case ErrorHandling:
		return "errors"
	case References:
		return "reference"
	case GateIntegrity:
		return "gate"
	case Security:
		return "sec"
	case Documentation:
		return "docs"
	case TDD:
		return "tdd"
	case Scope:
		return "scope"
	case Hygiene:
		return "hygiene"
	}
	return "judge"
}
