// Package failure holds the rules about errors that vanish: handlers that do nothing, results thrown away, errors turned
// into success.
//
// It owns no table and starts no process.
package failure

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return []rule.Rule{handlers(), discarded()} }
