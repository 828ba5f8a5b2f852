// Package power holds the rules of the judge that find which tests that still run lost their power: assertions gone, weakened, trivial, never reached, or never able to fail.
//
// It owns no table and starts no process. It does not look for tests that do not run any more; package integrity does.
package power

import "github.com/devflow-suite/devflow/judge/evidence/rule"

// Rules lists the rules of the package.
func Rules() []rule.Rule { return nil }
