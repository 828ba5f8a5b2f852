// Package honesty holds the rules of the judge that find code that looks done and is not: stubs, expected values pasted
// in, behaviour that depends on being tested, errors that vanish.
//
// The rules stand in the packages below: stub, special, counter, failure and contract; package code reads bodies for all of them.
// It owns no table and starts no process. It does not look at tests.
package honesty

import (
	"slices"

	"github.com/devflow-suite/devflow/judge/evidence/honesty/contract"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/counter"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/failure"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/special"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/stub"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return slices.Concat(contract.Rules(), counter.Rules(), failure.Rules(), special.Rules(), stub.Rules())
}
