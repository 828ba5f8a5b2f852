package judge_test

import (
	"testing"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/telemetry/breaker"
)

func TestOutcomesAreThoseOfTheBreaker(t *testing.T) {
	t.Parallel()
	for word, outcome := range map[string]judge.Outcome{
		breaker.OutcomePass: judge.Pass, breaker.OutcomeWarn: judge.Warn, breaker.OutcomeFail: judge.Fail, breaker.OutcomeError: judge.Error, breaker.OutcomeSkipped: judge.Skipped,
	} {
		if word != string(outcome) {
			t.Errorf("%s is called %s in the breaker", outcome, word)
		}
	}
}
