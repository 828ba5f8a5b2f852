// Package special holds the rules about code that treats its tests as a special case: expected values pasted in, branches
// on being tested, equality that is always true.
//
// It owns no table and starts no process.
package special

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return []rule.Rule{hardcoded(), tested(), equality()} }
