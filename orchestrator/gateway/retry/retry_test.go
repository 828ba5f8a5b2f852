package retry_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/retry"
)

func TestStatuses(t *testing.T) {
	t.Parallel()
	all := 0
	for status := range 1000 {
		if retry.Status(status) {
			all++
		}
		if retry.Shared(status) && !retry.Status(status) || retry.Limited(status) && !retry.Shared(status) {
			t.Errorf("status %d is more than worth another try", status)
		}
		if kind := retry.StatusKind(status); status >= 400 && kind == "" {
			t.Errorf("status %d has no kind", status)
		}
	}
	if all != 14 {
		t.Errorf("%d statuses are tried again, want 14", all)
	}
	for kind, want := range map[string]int{"overloaded_error": 529, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "invalid_request_error": 400, "billing_error": 402, "what": 0} {
		if got := retry.KindStatus(kind); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
		ok          bool
	}{
		{"Retry-After", "7", 7 * time.Second, true},
		{"Retry-After", " 0 ", 0, true},
		{"Retry-After", "1.5", 1500 * time.Millisecond, true},
		{"Retry-After", "99999999999999999999", 24 * time.Hour, true},
		{"Retry-After", "-1", 0, false},
		{"Retry-After", "NaN", 0, false},
		{"Retry-After", "Inf", 0, false},
		{"Retry-After", "", 0, false},
		{"Retry-After", "tomorrow", 0, false},
		{"Retry-After", "Wed, 02 Jan 2030 03:05:05 GMT", time.Minute, true},
		{"Retry-After", "Wednesday, 02-Jan-30 03:05:05 GMT", time.Minute, true},
		{"Retry-After", "Wed, 02 Jan 2030 03:00:00 GMT", 0, true},
		{"Retry-After", "Wed, 02 Jan 2040 03:00:00 GMT", 24 * time.Hour, true},
		{"Retry-After-Ms", "250", 250 * time.Millisecond, true},
		{"Retry-After-Ms", "x", 0, false},
		{"Retry-After-Ms", "-1", 0, false},
	} {
		got, ok := retry.After(http.Header{c.name: {c.value}}, now)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %q: %v %v, want %v %v", c.name, c.value, got, ok, c.want, c.ok)
		}
	}
	if !retry.Refused(http.Header{"X-Should-Retry": {"False"}}) || retry.Refused(http.Header{"X-Should-Retry": {"true"}}) || retry.Refused(http.Header{}) {
		t.Error("x-should-retry is read wrongly")
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]time.Duration{-5: 500 * time.Millisecond, 0: 500 * time.Millisecond, 1: 500 * time.Millisecond, 2: time.Second, 6: 16 * time.Second, 7: 30 * time.Second, 1 << 40: 30 * time.Second} {
		if got := retry.Pause(n, 0); got != want {
			t.Errorf("after %d failures: %v, want %v", n, got, want)
		}
		if got := retry.Pause(n, 1); got != want/2 {
			t.Errorf("after %d failures, least: %v, want %v", n, got, want/2)
		}
	}
	for _, pause := range []time.Duration{0, time.Second, time.Hour} {
		if got := retry.Spread(pause, 0.999); got < pause || got > pause+2*time.Second || got > pause+pause/10 {
			t.Errorf("%v is spread to %v", pause, got)
		}
	}
}
