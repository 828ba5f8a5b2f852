// Package power holds the rules of the judge that find which tests that still run lost their power: assertions gone, weakened, trivial, never reached, or never able to fail.
//
// It owns no table and starts no process. It does not look for tests that do not run any more; package integrity does.
package power

import (
	"slices"

	"github.com/devflow-suite/devflow/judge/evidence/power/fresh"
	"github.com/devflow-suite/devflow/judge/evidence/power/harness"
	"github.com/devflow-suite/devflow/judge/evidence/power/reach"
	"github.com/devflow-suite/devflow/judge/evidence/power/recorded"
	"github.com/devflow-suite/devflow/judge/evidence/power/weaken"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// Rules lists the rules of the package and of those below it.
func Rules() []rule.Rule {
	return slices.Concat(weaken.Rules(), reach.Rules(), harness.Rules(), recorded.Rules(), fresh.Rules())
}
