package verdict_test

import (
	"testing"

	"github.com/devflow-suite/devflow/judge/verdict"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		reasons []verdict.Reason
		want    verdict.Outcome
	}{
		{"nothing speaks against it", nil, verdict.Pass},
		{"hard fails", []verdict.Reason{{Prefix: "tdd", Class: verdict.Hard}}, verdict.Fail},
		{"a reason that nobody classified fails", []verdict.Reason{{Prefix: "test"}}, verdict.Fail},
		{"soft warns", []verdict.Reason{{Prefix: "test", Class: verdict.Soft}}, verdict.Warn},
		{"a note decides nothing", []verdict.Reason{{Prefix: "judge", Class: verdict.Note}}, verdict.Pass},
		{"not looked at is no pass", []verdict.Reason{{Prefix: "judge", Class: verdict.Blind}}, verdict.Error},
		{"not looked at weighs more than a warning", []verdict.Reason{{Prefix: "judge", Class: verdict.Blind}, {Prefix: "test", Class: verdict.Soft}}, verdict.Error},
		{"hard stands although something was not looked at", []verdict.Reason{{Prefix: "judge", Class: verdict.Blind}, {Prefix: "sec", Class: verdict.Hard}}, verdict.Fail},
		{"qa and doc are notes whatever they claim", []verdict.Reason{{Prefix: "qa", Class: verdict.Hard}, {Prefix: "doc"}}, verdict.Pass},
		{"an unknown prefix blocks however soft it claims to be", []verdict.Reason{{Prefix: "lint", Class: verdict.Soft}}, verdict.Fail},
		{"an unknown prefix cannot be a note", []verdict.Reason{{Prefix: "", Class: verdict.Note}}, verdict.Fail},
		{"an unknown class is hard", []verdict.Reason{{Prefix: "test", Class: "whatever"}}, verdict.Fail},
		{"a halt cannot be softened", []verdict.Reason{{Prefix: "halt", Class: verdict.Soft}}, verdict.Fail},
	}
	for _, tt := range tests {
		if got := verdict.Fold(tt.reasons); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The order of reasons is nothing, one more reason never makes a verdict better, and a blocking prefix always fails.
func TestFoldNeverImproves(t *testing.T) {
	t.Parallel()
	badness := map[verdict.Outcome]int{verdict.Pass: 0, verdict.Warn: 1, verdict.Error: 2, verdict.Fail: 3}
	reason := rapid.Custom(func(t *rapid.T) verdict.Reason {
		return verdict.Reason{
			Prefix: rapid.SampledFrom([]string{"tdd", "test", "sec", "shadow", "halt", "lint", "judge", "qa", "doc", "", "new"}).Draw(t, "prefix"),
			Class:  rapid.SampledFrom([]verdict.Class{verdict.Hard, verdict.Soft, verdict.Note, verdict.Blind, "", "odd"}).Draw(t, "class"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		reasons := rapid.SliceOfN(reason, 0, 6).Draw(t, "reasons")
		more := reason.Draw(t, "more")
		before := verdict.Fold(reasons)
		if turned := verdict.Fold(rapid.Permutation(reasons).Draw(t, "turned")); turned != before {
			t.Fatalf("%s in another order, was %s", turned, before)
		}
		after := verdict.Fold(append(reasons, more))
		if badness[after] < badness[before] {
			t.Fatalf("%v turns %s into %s", more, before, after)
		}
		if (more.Prefix == "lint" || more.Prefix == "new" || more.Prefix == "") && after != verdict.Fail {
			t.Fatalf("%v does not block: %s", more, after)
		}
	})
}
