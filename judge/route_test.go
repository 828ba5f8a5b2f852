package judge_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
)

func verdictOf(o judge.Outcome, n int) judge.Verdict {
	v := judge.Verdict{Outcome: o}
	for i := range n {
		v.Reasons = append(v.Reasons, judge.Reason{
			Prefix: "tdd", Class: judge.Hard, Text: fmt.Sprintf("Missing Test Coverage: src/%d.py", i), File: fmt.Sprintf("src/%d.py", i), Line: 7,
			Evidence: strings.Repeat("x", judge.MaxEvidence), Fix: "write a test",
		})
	}
	return v
}

func TestRoute(t *testing.T) {
	t.Parallel()
	tests := []struct {
		level   string
		outcome judge.Outcome
		routing judge.Routing
		want    judge.Action
		has     string
	}{
		{"vibe", judge.Pass, judge.Routing{}, judge.Silent, ""},
		{"vibe", judge.Warn, judge.Routing{}, judge.Message, "WARN"},
		{"vibe", judge.Fail, judge.Routing{}, judge.Message, "Do not push"},
		{"vibe", judge.Error, judge.Routing{}, judge.Silent, ""},
		{"standard", judge.Pass, judge.Routing{}, judge.Silent, ""},
		{"standard", judge.Warn, judge.Routing{}, judge.Silent, ""},
		{"standard", judge.Fail, judge.Routing{}, judge.Message, "Do not push"},
		{"standard", judge.Error, judge.Routing{}, judge.Message, "not a pass"},
		{"", judge.Fail, judge.Routing{}, judge.Message, "Do not push"},
		{"strict", judge.Pass, judge.Routing{}, judge.Silent, ""},
		{"strict", judge.Warn, judge.Routing{}, judge.Message, "WARN"},
		{"strict", judge.Fail, judge.Routing{Attempt: 1, Limit: 3}, judge.Block, "[devflow:CRITICAL_RETRY] 1/3"},
		{"strict", judge.Fail, judge.Routing{Attempt: 2, Limit: 3, Same: true}, judge.Block, "Nothing has changed"},
		{"strict", judge.Fail, judge.Routing{Attempt: 3, Limit: 3, Halted: true, Code: "AB12", Report: "/s/post-mortem.md"}, judge.Halt, "type: devflow approve AB12"},
		{"strict", judge.Fail, judge.Routing{Attempt: 3, Limit: 3, Halted: true, Known: true, Code: "AB12"}, judge.Message, "type: devflow approve AB12"},
		{"strict", judge.Fail, judge.Routing{Known: true}, judge.Message, "handed to a person before"},
		{"strict", judge.Error, judge.Routing{}, judge.Message, "not a pass"},
		{"human_review", judge.Pass, judge.Routing{}, judge.Message, "A person has to review"},
		{"human_review", judge.Warn, judge.Routing{}, judge.Message, "A person has to review"},
		{"human_review", judge.Fail, judge.Routing{Attempt: 1, Limit: 3}, judge.Block, "1/3"},
		{"human_review", judge.Error, judge.Routing{}, judge.Message, "A person has to review"},
		{"human_review", judge.Skipped, judge.Routing{}, judge.Silent, ""},
	}
	for _, tt := range tests {
		for _, n := range []int{1, 40} {
			r := tt.routing
			r.Task, r.Level, r.Verdict = "s1#1", tt.level, verdictOf(tt.outcome, n)
			action, text := judge.Route(r)
			limit := judge.MaxBlock
			if action == judge.Message {
				limit = judge.MaxReflection
			}
			if action != tt.want || !strings.Contains(text, tt.has) || len(text) > limit || (action == judge.Silent) != (text == "") || !utf8.ValidString(text) {
				t.Errorf("%s %s %+v: %s, %d bytes:\n%s", tt.level, tt.outcome, tt.routing, action, len(text), text)
			}
			if n == 40 && text != "" && tt.outcome != judge.Pass && !strings.Contains(text, " more") {
				t.Errorf("%s %s: does not say that there is more:\n%s", tt.level, tt.outcome, text)
			}
		}
	}
}

func TestUntold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	told := func() *judge.Telling {
		var got *judge.Telling
		w.update(func(tx *store.Tx) (err error) {
			got, err = judge.Untold(tx, session)
			return err
		})
		return got
	}
	if got := told(); got != nil {
		t.Errorf("before any verdict: %+v", got)
	}
	w.edit(impl, "def issue():\n    return 1\n")
	r := w.stop()
	if r.Verdict != judge.Fail || r.Action != judge.Message || w.task().Attempts != 0 {
		t.Fatalf("%+v", r)
	}
	got := told()
	if got == nil || got.N != r.N || !strings.Contains(got.Context, "[tdd] Missing Test Coverage: "+impl) || !strings.Contains(got.Message, "FAIL") || len(got.Context) > judge.MaxReflection {
		t.Fatalf("%+v", got)
	}
	w.update(func(tx *store.Tx) error { return judge.MarkTold(tx, session, got.Seq, got.N) })
	if got := told(); got != nil {
		t.Errorf("after it was told: %+v", got)
	}
	w.edit(impl, "def issue():\n    return 2\n")
	w.stop()
	if told() == nil {
		t.Error("the second failure is not told")
	}
	w.edit("tests/test_token.py", "def test_issue():\n    assert issue() == 2\n")
	if r := w.stop(); r.Verdict != judge.Pass {
		t.Fatalf("%+v", r)
	}
	if got := told(); got != nil {
		t.Errorf("a failure that was put right: %+v", got)
	}
}

func TestUntoldReachesBackToTheTaskBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	w.edit(impl, "def issue():\n    return 1\n")
	w.stop()
	w.finish()
	w.begin("vibe")
	w.update(func(tx *store.Tx) error {
		got, err := judge.Untold(tx, session)
		if got == nil || got.Seq != 1 {
			t.Errorf("%+v", got)
		}
		return err
	})
}
