package stub_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/stub"
)

func TestRules(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, stub.Rules(), "testdata")
}
