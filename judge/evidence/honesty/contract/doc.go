// Package contract holds the rules about promises that a change takes back without saying so: branches that can never be
// taken, checks of arguments that went, results whose declared type became anything.
//
// It owns no table and starts no process.
package contract

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return []rule.Rule{dead(), widened(), guards()} }
