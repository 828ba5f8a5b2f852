package integrity_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/integrity"
)

func TestRules(t *testing.T) {
	t.Parallel()
	rulecase.Run(t, integrity.Rules(), "testdata")
}
