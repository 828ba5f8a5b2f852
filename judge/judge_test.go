package judge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/verdict"
	"github.com/google/go-cmp/cmp"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	say := func(reasons ...judge.Reason) judge.Examiner {
		return examiner(func(*judge.Case) ([]judge.Reason, error) { return reasons, nil })
	}
	broken := examiner(func(*judge.Case) ([]judge.Reason, error) {
		return []judge.Reason{{Prefix: "test", Class: judge.Soft, Text: "seen before it broke"}}, errors.New("no answer")
	})
	long := judge.Reason{Prefix: "tdd", Class: judge.Hard, Text: "x", Evidence: strings.Repeat("é", 400)}
	soft, note := judge.Reason{Prefix: "test", Class: judge.Soft, Text: "s"}, judge.Reason{Prefix: "doc", Class: judge.Hard, Text: "d"}
	tests := []struct {
		name      string
		noDiff    bool
		examiners []judge.Examiner
		want      judge.Outcome
		texts     []string
	}{
		{"without an examiner nothing passes", false, nil, judge.Error, []string{"[judge] could not judge: no examiner"}},
		{"heaviest first, each finding once", false, []judge.Examiner{say(note, soft, long), say(soft)}, judge.Fail, []string{"[tdd] x", "[test] s", "[doc] d"}},
		{"an examiner that fails", false, []judge.Examiner{broken, say(soft)}, judge.Error, []string{"[judge] could not judge: stub: no answer", "[test] seen before it broke", "[test] s"}},
		{"… next to something hard", false, []judge.Examiner{broken, say(long)}, judge.Fail, []string{"[tdd] x", "[judge] could not judge: stub: no answer", "[test] seen before it broke"}},
		{"no difference", true, []judge.Examiner{say(note)}, judge.Skipped, []string{"[doc] d"}},
		{"no difference in what could be seen", true, []judge.Examiner{say(soft)}, judge.Warn, []string{"[test] s"}},
		{"no difference, but something hard", true, []judge.Examiner{say(long)}, judge.Fail, []string{"[tdd] x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := judge.Evaluate(context.Background(), &judge.Case{NoDiff: tt.noDiff}, tt.examiners...)
			if diff := cmp.Diff(tt.texts, judge.Strings(v.Reasons)); diff != "" || v.Outcome != tt.want {
				t.Errorf("%s, want %s (-want +got):\n%s", v.Outcome, tt.want, diff)
			}
			for _, r := range v.Reasons {
				if len(r.Evidence) > verdict.MaxEvidence || r.Class != r.Weight() {
					t.Errorf("%d bytes of evidence, class %s, weight %s", len(r.Evidence), r.Class, r.Weight())
				}
			}
		})
	}
}
