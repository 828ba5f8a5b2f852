package judge_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/verdict"
)

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
	if got == nil || got.N != r.N || !strings.Contains(got.Context, "[tdd] Missing Test Coverage: "+impl) || !strings.Contains(got.Message, "FAIL") || len(got.Context) > verdict.MaxReflection {
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
