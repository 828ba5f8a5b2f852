package judge

import (
	"context"
	"fmt"

	"github.com/devflow-suite/devflow/judge/verdict"
)

// Examiner looks at a case and returns what speaks against it. It must not change the case. An error means that it
// could not look.
type Examiner interface {
	Name() string
	Examine(ctx context.Context, c *Case) ([]Reason, error)
}

// Evaluate asks every examiner and folds what they and the signals say. It never fails: what could not be looked at is
// a reason.
func Evaluate(ctx context.Context, c *Case, examiners ...Examiner) Verdict {
	reasons := append(c.forced(), c.blind...)
	for _, e := range examiners {
		found, err := e.Examine(ctx, c)
		reasons = append(reasons, found...)
		if err != nil {
			reasons = append(reasons, Reason{Prefix: "judge", Class: Blind, Text: fmt.Sprintf("could not judge: %s: %v", e.Name(), err)})
		}
	}
	if len(examiners) == 0 {
		reasons = append(reasons, Reason{Prefix: "judge", Class: Blind, Text: "could not judge: no examiner"})
	}
	reasons = verdict.Tidy(reasons)
	v := Verdict{Outcome: verdict.Fold(reasons), Reasons: reasons}
	if c.NoDiff && v.Outcome == Pass {
		v.Outcome = Skipped
	}
	return v
}
