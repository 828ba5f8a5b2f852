// Package reference holds the rules of the judge that find what refers to something that is not there: names, modules,
// files, and documents about code that is gone.
//
// The rules stand in the packages below; here they are joined, and what they want to know of the project is searched once
// for all of them. It owns no table and starts no process. It compiles nothing.
package reference

import (
	"slices"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/docs"
	"github.com/devflow-suite/devflow/judge/evidence/reference/module"
	"github.com/devflow-suite/devflow/judge/evidence/reference/phantom"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/reference/symbol"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	rules := slices.Concat(symbol.Rules(), module.Rules(), phantom.Rules(), docs.Rules())
	for i := range rules {
		find := rules[i].Find
		rules[i].Find = func(c *change.Change, report func(rule.Finding)) {
			search(c)
			find(c, report)
		}
	}
	return rules
}

type searched struct{}

// search asks the project for all words of all rules at once: a search of a large project costs as much for one word as
// for a hundred. The tree remembers the answers.
func search(c *change.Change) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	c.Once(searched{}, func() any {
		if words := slices.Concat(v.RemovedWords(), module.Words(v), phantom.Words(v), docs.Words(v)); len(words) > 0 {
			v.Places(words)
		}
		return nil
	})
}
