package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/llm"
)

func TestErrorsHoldNoSecretsAndStayShort(t *testing.T) {
	t.Parallel()
	key := "sk-proj-" + strings.Repeat("aB3", 12)
	err := llm.Fail(llm.ErrUnavailable, "status %d:\n\n the key %s is wrong %s", 401, key, strings.Repeat("x ", 2000))
	text := err.Error()
	if strings.Contains(text, key) || len(text) > 500 || strings.Contains(text, "\n") || !strings.Contains(text, "status 401") {
		t.Errorf("text = %q", text)
	}
	if !errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrQuota) || err.Permanent || !llm.FailForGood(llm.ErrQuota, "x").Permanent {
		t.Error("kind or permanence is wrong")
	}
	if got := (&llm.Error{Kind: llm.ErrSchema}).Error(); got != llm.ErrSchema.Error() {
		t.Errorf("an error without a text says %q", got)
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()
	if e := llm.Ended(t.Context()); e != nil {
		t.Errorf("before the end: %v", e)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if e := llm.Ended(late); !errors.Is(e, llm.ErrTimeout) {
		t.Errorf("after the deadline: %v", e)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if e := llm.Ended(gone); !errors.Is(e, llm.ErrUnavailable) || !e.Permanent {
		t.Errorf("after a cancel: %v", e)
	}
}

func TestSaysQuota(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"You exceeded your current quota, please check": true, "insufficient_quota": true, "Claude AI usage limit reached|1796": true, "Rate limited": true,
		"Credit balance is too low": true, "You've hit your limit · resets 3pm": true, "Too Many Requests": true,
		"internal error": false, "": false, "the unlimited plan": false, "invalid x-api-key": false,
	} {
		if got := llm.SaysQuota(text); got != want {
			t.Errorf("SaysQuota(%q) = %t", text, got)
		}
	}
}
