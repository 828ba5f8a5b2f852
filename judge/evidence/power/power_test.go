package power_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/power"
)

func TestRules(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, power.Rules(), "testdata")
}
