// Package gates holds the rules of the judge that find checks that stopped biting: CI steps, coverage thresholds, runner configuration, suppressions.
//
// It owns no table and starts no process. It runs no check.
package gates

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return nil }
