package evidence_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

func TestUntested(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, []rule.Rule{evidence.Untested()}, "testdata")
}

// The ids stand in waivers and reports: each is there once, and says what it is about.
func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range append(evidence.Rules(), evidence.Untested()) {
		if r.ID == "" || seen[r.ID] || r.Axis == "" || r.Axis.Prefix() == "judge" || r.Class == "" || r.What == "" || r.Why == "" || r.Find == nil {
			t.Errorf("rule %q is twice there or not complete: %+v", r.ID, r)
		}
		seen[r.ID] = true
	}
	if len(seen) < 50 {
		t.Errorf("%d rules", len(seen))
	}
}
