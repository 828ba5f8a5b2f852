// Package gates holds the rules of the judge that find checks which lost their bite: pipelines, coverage, excluded tests and
// silenced warnings.
//
// It owns no table and starts no process; the rules stand in its subpackages.
package gates

import (
	"slices"

	"github.com/devflow-suite/devflow/judge/evidence/gates/ci"
	"github.com/devflow-suite/devflow/judge/evidence/gates/coverage"
	"github.com/devflow-suite/devflow/judge/evidence/gates/exclude"
	"github.com/devflow-suite/devflow/judge/evidence/gates/suppress"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return slices.Concat(ci.Rules(), coverage.Rules(), exclude.Rules(), suppress.Rules())
}
