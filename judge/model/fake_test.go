package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/judge/model"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake answers with a function. It is safe for concurrent use.
type fake struct {
	answer func(n int, r llm.Request) (llm.Reply, error) // n counts questions of one kind from 0

	mu     sync.Mutex
	counts map[string]int
	asked  []llm.Request
	now    int
	most   int // questions at the same time
}

func (f *fake) Name() string { return "fake" }

func (f *fake) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	f.mu.Lock()
	if f.counts == nil {
		f.counts = map[string]int{}
	}
	n := f.counts[r.SchemaName]
	f.counts[r.SchemaName]++
	f.asked = append(f.asked, r)
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	defer func() { f.mu.Lock(); f.now--; f.mu.Unlock() }()
	if err := llm.Ended(ctx); err != nil {
		return llm.Reply{}, err
	}
	return f.answer(n, r)
}

func (f *fake) prompts(kind string) []llm.Request {
	var out []llm.Request
	for _, r := range f.asked {
		if r.SchemaName == kind {
			out = append(out, r)
		}
	}
	return out
}

func text(format string, args ...any) (llm.Reply, error) {
	cost := 0.25
	return llm.Reply{Raw: fmt.Sprintf(format, args...), Model: "small", TokensIn: 100, TokensOut: 10, CostUSD: &cost}, nil
}

func ballot(reason, quote, verdict string) (llm.Reply, error) {
	data, err := json.Marshal(map[string]any{"reason": reason, "quote": quote, "file": "a_test.go", "line": 1, "confidence": 0.9, "verdict": verdict})
	if err != nil {
		return llm.Reply{}, err
	}
	return text("%s", data)
}

const (
	oldLine = "if got := Sum(1, 2); got != 3 {"
	newLine = "if got := Sum(1, 2); got == 0 {"
	patch   = "diff --git a/a_test.go b/a_test.go\n--- a/a_test.go\n+++ b/a_test.go\n@@ -4,3 +4,3 @@ func TestSum\n func TestSum(t *testing.T) {\n-\t" + oldLine + "\n+\t" + newLine + "\n \t\tt.Fatal(got)\n"
)

func soft(rule string, axis verdict.Axis) verdict.Reason {
	return verdict.Reason{
		Prefix: axis.Prefix(), Rule: rule, Axis: axis, Class: verdict.Soft, Text: "TestSum: the comparison with 3 is weaker", File: "a_test.go", Line: 5, Unit: "TestSum",
		Evidence: newLine, Fix: "Compare with the exact value.",
		Before: "func TestSum(t *testing.T) {\n\t" + oldLine + "\n\t\tt.Fatal(got)\n\t}\n}\n", After: "func TestSum(t *testing.T) {\n\t" + newLine + "\n\t\tt.Fatal(got)\n\t}\n}\n",
	}
}

func hard(rule string, axis verdict.Axis) verdict.Reason {
	r := soft(rule, axis)
	r.Class = verdict.Hard
	return r
}

func input(reasons ...verdict.Reason) model.Input {
	q := map[string]string{}
	for _, r := range reasons {
		q[r.Rule] = "Name one wrong behaviour that the old one would have caught and the new one accepts, or answer none."
	}
	return model.Input{Task: "Make Sum faster.", Reasons: reasons, Questions: q, Diff: []byte(patch), Level: "strict"}
}

// votes is a reviewer that asks about findings only.
func votes(f *fake) *model.Reviewer { return &model.Reviewer{Backend: f, Model: "m", NoLeaves: true} }
