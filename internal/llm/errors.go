package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/redact"
)

// The kinds of failures, for errors.Is.
var (
	ErrUnavailable = errors.New("model unavailable")      // down, unreachable, not installed, not signed in, wrong address or model
	ErrQuota       = errors.New("model quota exhausted")  // rate limit, credit or usage limit
	ErrRefused     = errors.New("model refused")          // the model or its filter declined to answer
	ErrTruncated   = errors.New("model answer truncated") // the answer broke off
	ErrSchema      = errors.New("model answer unusable")  // no answer of the wanted form
	ErrTimeout     = errors.New("model too slow")         // no answer in time
)

// maxText bounds what an error says, in bytes.
const maxText = 400

// Error is a failure of a provider. Its text is redacted and short.
type Error struct {
	Kind      error  // one of the kinds above
	Text      string // what happened, for people
	Permanent bool   // asking again cannot help
}

// Error implements error.
func (e *Error) Error() string {
	if e.Text == "" {
		return e.Kind.Error()
	}
	return e.Kind.Error() + ": " + e.Text
}

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Fail makes an error that asking again may cure.
func Fail(kind error, format string, args ...any) *Error {
	text := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	return &Error{Kind: kind, Text: redact.Clip(text, maxText)}
}

// FailForGood makes an error that asking again cannot cure.
func FailForGood(kind error, format string, args ...any) *Error {
	e := Fail(kind, format, args...)
	e.Permanent = true
	return e
}

// Ended tells why a request whose context ended has no answer, nil while ctx has not ended. An end by deadline is
// ErrTimeout, any other ErrUnavailable for good.
func Ended(ctx context.Context) *Error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return Fail(ErrTimeout, "no answer before the deadline")
	}
	return FailForGood(ErrUnavailable, "asking was canceled")
}

// quotaWords are what providers say when something is used up, in lower case.
var quotaWords = [...]string{
	"insufficient_quota", "insufficient quota", "exceeded your current quota", "quota exceeded", "rate_limit", "rate limit", "ratelimit", "too many requests",
	"usage limit", "credit balance", "billing_hard_limit", "limit reached", "hit your limit", "out of credits", "spending limit",
}

// SaysQuota reports whether the text of a failure speaks of something used up.
func SaysQuota(text string) bool {
	text = strings.ToLower(text)
	for _, w := range quotaWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
