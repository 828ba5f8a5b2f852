// Package stub holds the rules about code that looks done and does nothing: bodies replaced by a marker or a constant,
// error exits that all went, and comments that stand where code was.
//
// It owns no table and starts no process.
package stub

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return []rule.Rule{marker(), silent(), unreachable(), exits(), elided()} }
