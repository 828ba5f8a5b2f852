// Package safety holds the rules of the judge that find security holes, secrets, and debris that a change brings in.
//
// It owns no table and starts no process; the rules stand in its subpackages. They follow values within one function only.
package safety

import (
	"slices"

	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/evidence/safety/debris"
	"github.com/devflow-suite/devflow/judge/evidence/safety/inject"
	"github.com/devflow-suite/devflow/judge/evidence/safety/leak"
	"github.com/devflow-suite/devflow/judge/evidence/safety/plead"
	"github.com/devflow-suite/devflow/judge/evidence/safety/weak"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return slices.Concat(leak.Rules(), inject.Rules(), weak.Rules(), debris.Rules(), plead.Rules())
}
