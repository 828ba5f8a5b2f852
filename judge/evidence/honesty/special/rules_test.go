package special_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/special"
)

func TestRules(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, special.Rules(), "testdata")
}
