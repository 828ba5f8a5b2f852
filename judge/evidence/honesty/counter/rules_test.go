package counter_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/counter"
)

func TestRules(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, counter.Rules(), "testdata")
}
