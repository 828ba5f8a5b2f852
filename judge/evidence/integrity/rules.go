// Package integrity holds the rules of the judge that find which tests that existed do not run any more: deleted, renamed away, skipped, narrowed, switched off.
//
// It owns no table and starts no process. No rule looks at what a test asserts; package power does.
package integrity

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return nil }
