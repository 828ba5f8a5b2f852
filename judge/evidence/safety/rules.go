// Package safety holds the rules of the judge that find security holes, secrets, and debris that a change brings in.
//
// It owns no table and starts no process. It follows values within one function only.
package safety

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return nil }
