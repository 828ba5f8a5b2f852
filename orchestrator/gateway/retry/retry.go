// Package retry knows which answers of an endpoint are worth another try, and when: statuses, kinds of API errors, what the endpoint
// says about it in headers, and the pause otherwise.
//
// It is pure: no clock, no randomness of its own, no state.
package retry

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Status reports whether a status is worth another try: time-outs, limits, overload and what tunnels and proxies answer for a
// server that is gone (520–524 and 530 are Cloudflare's, 529 is Anthropic's overloaded_error).
func Status(code int) bool {
	switch code {
	case 408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530:
		return true
	}
	return false
}

// Shared reports whether a status tells about the endpoint as a whole, so that everybody who uses it had better wait. The others
// may be about one request only.
func Shared(code int) bool {
	switch code {
	case 408, 425, 500, 504, 524:
		return false
	}
	return Status(code)
}

// Limited reports whether a status says that the endpoint lives but is asked too much.
func Limited(code int) bool { return code == 429 || code == 529 || code == 503 }

// errorKinds are the API's error types with their statuses (docs.anthropic.com, "Errors").
var errorKinds = [...]struct {
	kind   string
	status int
}{
	{"invalid_request_error", 400}, {"authentication_error", 401}, {"billing_error", 402}, {"permission_error", 403}, {"not_found_error", 404},
	{"request_too_large", 413}, {"rate_limit_error", 429}, {"api_error", 500}, {"timeout_error", 504}, {"overloaded_error", 529},
}

// KindStatus is the status that belongs to a type of API error; 0 for one that is not known.
func KindStatus(kind string) int {
	for _, k := range errorKinds {
		if k.kind == kind {
			return k.status
		}
	}
	return 0
}

// StatusKind is the type of API error that belongs to a status.
func StatusKind(status int) string {
	for _, k := range errorKinds {
		if k.status == status {
			return k.kind
		}
	}
	switch {
	case status == 408 || status == 524:
		return "timeout_error"
	case status == 503:
		return "overloaded_error"
	case status >= 400 && status < 500:
		return "invalid_request_error"
	}
	return "api_error"
}

// Refused reports whether the endpoint says itself that trying again is of no use (header x-should-retry, which Anthropic sends
// and its clients follow).
func Refused(h http.Header) bool { return strings.EqualFold(h.Get("X-Should-Retry"), "false") }

// longest bounds what a header can ask for: whoever says more means "not today".
const longest = 24 * time.Hour

// After is the pause that the endpoint asks for: retry-after-ms, or Retry-After in seconds or as an HTTP date. ok is false when it
// asks for none or for nonsense. A date in the past is a pause of 0.
func After(h http.Header, now time.Time) (pause time.Duration, ok bool) {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 && !math.IsInf(ms, 0) {
		return bounded(ms / 1000), true
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		if s < 0 || math.IsNaN(s) || math.IsInf(s, 0) {
			return 0, false
		}
		return bounded(s), true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longest), true
}

func bounded(seconds float64) time.Duration {
	if seconds > longest.Seconds() {
		return longest
	}
	return time.Duration(seconds * float64(time.Second))
}

// Bounds of the pause between tries.
const (
	first   = 500 * time.Millisecond
	ceiling = 30 * time.Second
)

// Pause is how long to wait after the n-th failure in a row (1, 2, …): from half a second, doubled each time up to half a minute,
// of which random, between 0 and 1, takes up to a half away, so that those who failed together do not come back together.
func Pause(n int, random float64) time.Duration {
	d := ceiling
	if n < 8 {
		d = min(first<<max(n-1, 0), ceiling)
	}
	return d - time.Duration(random*float64(d)/2)
}

// Spread adds to a pause that was asked for up to a tenth and at most two seconds: never less than what was asked.
func Spread(pause time.Duration, random float64) time.Duration {
	return pause + time.Duration(random*float64(min(pause/10, 2*time.Second)))
}
