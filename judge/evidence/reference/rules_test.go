package reference_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/reference"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, reference.Rules(), "testdata")
}
