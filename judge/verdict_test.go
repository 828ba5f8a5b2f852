package judge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		reasons []judge.Reason
		want    judge.Outcome
	}{
		{"nothing speaks against it", nil, judge.Pass},
		{"hard fails", []judge.Reason{{Prefix: "tdd", Class: judge.Hard}}, judge.Fail},
		{"a reason that nobody classified fails", []judge.Reason{{Prefix: "test"}}, judge.Fail},
		{"soft warns", []judge.Reason{{Prefix: "test", Class: judge.Soft}}, judge.Warn},
		{"a note decides nothing", []judge.Reason{{Prefix: "judge", Class: judge.Note}}, judge.Pass},
		{"not looked at is no pass", []judge.Reason{{Prefix: "judge", Class: judge.Blind}}, judge.Error},
		{"not looked at weighs more than a warning", []judge.Reason{{Prefix: "judge", Class: judge.Blind}, {Prefix: "test", Class: judge.Soft}}, judge.Error},
		{"hard stands although something was not looked at", []judge.Reason{{Prefix: "judge", Class: judge.Blind}, {Prefix: "sec", Class: judge.Hard}}, judge.Fail},
		{"qa and doc are notes whatever they claim", []judge.Reason{{Prefix: "qa", Class: judge.Hard}, {Prefix: "doc"}}, judge.Pass},
		{"an unknown prefix blocks however soft it claims to be", []judge.Reason{{Prefix: "lint", Class: judge.Soft}}, judge.Fail},
		{"an unknown prefix cannot be a note", []judge.Reason{{Prefix: "", Class: judge.Note}}, judge.Fail},
		{"an unknown class is hard", []judge.Reason{{Prefix: "test", Class: "whatever"}}, judge.Fail},
		{"a halt cannot be softened", []judge.Reason{{Prefix: "halt", Class: judge.Soft}}, judge.Fail},
	}
	for _, tt := range tests {
		if got := judge.Fold(tt.reasons); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The order of reasons is nothing, one more reason never makes a verdict better, and a blocking prefix always fails.
func TestFoldNeverImproves(t *testing.T) {
	t.Parallel()
	badness := map[judge.Outcome]int{judge.Pass: 0, judge.Warn: 1, judge.Error: 2, judge.Fail: 3}
	reason := rapid.Custom(func(t *rapid.T) judge.Reason {
		return judge.Reason{
			Prefix: rapid.SampledFrom([]string{"tdd", "test", "sec", "shadow", "halt", "lint", "judge", "qa", "doc", "", "new"}).Draw(t, "prefix"),
			Class:  rapid.SampledFrom([]judge.Class{judge.Hard, judge.Soft, judge.Note, judge.Blind, "", "odd"}).Draw(t, "class"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		reasons := rapid.SliceOfN(reason, 0, 6).Draw(t, "reasons")
		more := reason.Draw(t, "more")
		before := judge.Fold(reasons)
		if turned := judge.Fold(rapid.Permutation(reasons).Draw(t, "turned")); turned != before {
			t.Fatalf("%s in another order, was %s", turned, before)
		}
		after := judge.Fold(append(reasons, more))
		if badness[after] < badness[before] {
			t.Fatalf("%v turns %s into %s", more, before, after)
		}
		if (more.Prefix == "lint" || more.Prefix == "new" || more.Prefix == "") && after != judge.Fail {
			t.Fatalf("%v does not block: %s", more, after)
		}
	})
}

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
		c         judge.Case
		examiners []judge.Examiner
		want      judge.Outcome
		texts     []string
	}{
		{"without an examiner nothing passes", judge.Case{}, nil, judge.Error, []string{"[judge] could not judge: no examiner"}},
		{"heaviest first, each finding once", judge.Case{}, []judge.Examiner{say(note, soft, long), say(soft)}, judge.Fail, []string{"[tdd] x", "[test] s", "[doc] d"}},
		{"an examiner that fails", judge.Case{}, []judge.Examiner{broken, say(soft)}, judge.Error, []string{"[judge] could not judge: stub: no answer", "[test] seen before it broke", "[test] s"}},
		{"… next to something hard", judge.Case{}, []judge.Examiner{broken, say(long)}, judge.Fail, []string{"[tdd] x", "[judge] could not judge: stub: no answer", "[test] seen before it broke"}},
		{"no difference", judge.Case{NoDiff: true}, []judge.Examiner{say(note)}, judge.Skipped, []string{"[doc] d"}},
		{"no difference in what could be seen", judge.Case{NoDiff: true}, []judge.Examiner{say(soft)}, judge.Warn, []string{"[test] s"}},
		{"no difference, but something hard", judge.Case{NoDiff: true}, []judge.Examiner{say(long)}, judge.Fail, []string{"[tdd] x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := judge.Evaluate(context.Background(), &tt.c, tt.examiners...)
			if diff := cmp.Diff(tt.texts, judge.Strings(v.Reasons)); diff != "" || v.Outcome != tt.want {
				t.Errorf("%s, want %s (-want +got):\n%s", v.Outcome, tt.want, diff)
			}
			for _, r := range v.Reasons {
				if len(r.Evidence) > judge.MaxEvidence || r.Class != r.Weight() {
					t.Errorf("%d bytes of evidence, class %s, weight %s", len(r.Evidence), r.Class, r.Weight())
				}
			}
		})
	}
}
