package verdict_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/judge/verdict"
)

func verdictOf(o verdict.Outcome, n int) verdict.Verdict {
	v := verdict.Verdict{Outcome: o}
	for i := range n {
		v.Reasons = append(v.Reasons, verdict.Reason{
			Prefix: "tdd", Class: verdict.Hard, Text: fmt.Sprintf("Missing Test Coverage: src/%d.py", i), File: fmt.Sprintf("src/%d.py", i), Line: 7,
			Evidence: strings.Repeat("x", verdict.MaxEvidence), Fix: "write a test",
		})
	}
	return v
}

func TestRoute(t *testing.T) {
	t.Parallel()
	tests := []struct {
		level   string
		outcome verdict.Outcome
		routing verdict.Routing
		want    verdict.Action
		has     string
	}{
		{"vibe", verdict.Pass, verdict.Routing{}, verdict.Silent, ""},
		{"vibe", verdict.Warn, verdict.Routing{}, verdict.Message, "WARN"},
		{"vibe", verdict.Fail, verdict.Routing{}, verdict.Message, "Do not push"},
		{"vibe", verdict.Error, verdict.Routing{}, verdict.Silent, ""},
		{"standard", verdict.Pass, verdict.Routing{}, verdict.Silent, ""},
		{"standard", verdict.Warn, verdict.Routing{}, verdict.Silent, ""},
		{"standard", verdict.Fail, verdict.Routing{}, verdict.Message, "Do not push"},
		{"standard", verdict.Error, verdict.Routing{}, verdict.Message, "not a pass"},
		{"", verdict.Fail, verdict.Routing{}, verdict.Message, "Do not push"},
		{"strict", verdict.Pass, verdict.Routing{}, verdict.Silent, ""},
		{"strict", verdict.Warn, verdict.Routing{}, verdict.Message, "WARN"},
		{"strict", verdict.Fail, verdict.Routing{Attempt: 1, Limit: 3}, verdict.Block, "[devflow:CRITICAL_RETRY] 1/3"},
		{"strict", verdict.Fail, verdict.Routing{Attempt: 2, Limit: 3, Same: true}, verdict.Block, "Nothing has changed"},
		{"strict", verdict.Fail, verdict.Routing{Attempt: 3, Limit: 3, Halted: true, Code: "AB12", Report: "/s/post-mortem.md"}, verdict.Halt, "type: devflow approve AB12"},
		{"strict", verdict.Fail, verdict.Routing{Attempt: 3, Limit: 3, Halted: true, Known: true, Code: "AB12"}, verdict.Message, "type: devflow approve AB12"},
		{"strict", verdict.Fail, verdict.Routing{Known: true}, verdict.Message, "handed to a person before"},
		{"strict", verdict.Fail, verdict.Routing{Unable: true}, verdict.Message, "s1#1: could not judge."},
		{"human_review", verdict.Fail, verdict.Routing{Unable: true}, verdict.Message, "A person has to review"},
		{"standard", verdict.Fail, verdict.Routing{Unable: true}, verdict.Message, "FAIL"},
		{"strict", verdict.Error, verdict.Routing{}, verdict.Message, "not a pass"},
		{"human_review", verdict.Pass, verdict.Routing{}, verdict.Message, "A person has to review"},
		{"human_review", verdict.Warn, verdict.Routing{}, verdict.Message, "A person has to review"},
		{"human_review", verdict.Fail, verdict.Routing{Attempt: 1, Limit: 3}, verdict.Block, "1/3"},
		{"human_review", verdict.Error, verdict.Routing{}, verdict.Message, "A person has to review"},
		{"human_review", verdict.Skipped, verdict.Routing{}, verdict.Silent, ""},
	}
	for _, tt := range tests {
		for _, n := range []int{1, 40} {
			r := tt.routing
			r.Task, r.Level, r.Verdict = "s1#1", tt.level, verdictOf(tt.outcome, n)
			action, text := verdict.Route(r)
			limit := verdict.MaxBlock
			if action == verdict.Message {
				limit = verdict.MaxReflection
			}
			if action != tt.want || !strings.Contains(text, tt.has) || len(text) > limit || (action == verdict.Silent) != (text == "") || !utf8.ValidString(text) {
				t.Errorf("%s %s %+v: %s, %d bytes:\n%s", tt.level, tt.outcome, tt.routing, action, len(text), text)
			}
			if n == 40 && text != "" && tt.outcome != verdict.Pass && !strings.Contains(text, " more") {
				t.Errorf("%s %s: does not say that there is more:\n%s", tt.level, tt.outcome, text)
			}
		}
	}
}
