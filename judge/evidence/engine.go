package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/gates"
	"github.com/devflow-suite/devflow/judge/evidence/honesty"
	"github.com/devflow-suite/devflow/judge/evidence/integrity"
	"github.com/devflow-suite/devflow/judge/evidence/power"
	"github.com/devflow-suite/devflow/judge/evidence/reference"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/evidence/safety"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists every rule of the engine in the order of the axes.
func Rules() []rule.Rule {
	all := slices.Concat(integrity.Rules(), power.Rules(), honesty.Rules(), reference.Rules(), gates.Rules(), safety.Rules())
	axes := verdict.Axes()
	slices.SortStableFunc(all, func(a, b rule.Rule) int { return slices.Index(axes, a.Axis) - slices.Index(axes, b.Axis) })
	return all
}

// Engine is the examiner that runs rules over the change of a case.
type Engine struct{ Rules []rule.Rule }

// Name implements Examiner.
func (Engine) Name() string { return "evidence" }

// Examine implements Examiner. It fails only when ctx has ended.
func (e Engine) Examine(ctx context.Context, c *judge.Case) ([]judge.Reason, error) {
	if c.Change == nil {
		return nil, nil // the case says why
	}
	return Find(ctx, c.Change, e.Rules)
}

// Session lists the examiners of a task: what its signals and test runs say, and the rules.
func Session() []judge.Examiner { return []judge.Examiner{First{}, Engine{Rules()}} }

// ByHand lists the examiners of a change that belongs to no task: the rules, and one more that stands in for the record
// of a session.
func ByHand() []judge.Examiner {
	return []judge.Examiner{First{}, Engine{append(Rules(), Untested())}}
}

// Find runs the rules over a change. A rule that breaks is told as something that nobody could look at. It fails only
// when ctx has ended.
func Find(ctx context.Context, c *change.Change, rules []rule.Rule) ([]verdict.Reason, error) {
	var reasons []verdict.Reason
	for i := range rules {
		if ctx.Err() != nil {
			return reasons, context.Cause(ctx)
		}
		reasons = append(reasons, run(c, &rules[i])...)
	}
	return reasons, nil
}

func run(c *change.Change, r *rule.Rule) (reasons []verdict.Reason) {
	defer func() {
		if p := recover(); p != nil {
			reasons = append(reasons, verdict.Reason{Prefix: "judge", Class: verdict.Blind, Text: fmt.Sprintf("could not judge: rule %s broke: %v", r.ID, p)})
		}
	}()
	r.Find(c, func(f rule.Finding) {
		class := f.Class
		if class == "" || r.Class == verdict.Soft && class == verdict.Hard {
			class = r.Class
		}
		reasons = append(reasons, verdict.Reason{
			Prefix: r.Axis.Prefix(), Rule: r.ID, Axis: r.Axis, Class: class, Text: f.Text, File: f.Path, Line: f.Line, Gone: f.Old, Evidence: f.Evidence, Fix: f.Fix,
			Unit: f.Unit, Before: f.Before, After: f.After,
		})
	})
	return reasons
}
