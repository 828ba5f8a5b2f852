package safety_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/safety"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, safety.Rules(), "testdata")
}
