package gates_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/gates"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, gates.Rules(), "testdata")
}
