// Package reference holds the rules of the judge that find what refers to something that is not there: names, modules, files, and documents about code that is gone.
//
// It owns no table and starts no process. It compiles nothing.
package reference

import (
	"slices"

	"github.com/devflow-suite/devflow/judge/evidence/reference/docs"
	"github.com/devflow-suite/devflow/judge/evidence/reference/module"
	"github.com/devflow-suite/devflow/judge/evidence/reference/phantom"
	"github.com/devflow-suite/devflow/judge/evidence/reference/symbol"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return slices.Concat(symbol.Rules(), module.Rules(), phantom.Rules(), docs.Rules())
}
