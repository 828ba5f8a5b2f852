package stub_test

import (
	"testing"

	"github.com/devflow-suite/devflow/judge/evidence/honesty/stub"
)

func TestElision(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		says bool // that code was left out
	}{
		{"// ... existing code ...", true},
		{"# ... rest of the function", true},
		{"// rest unchanged", true},
		{"// [previous implementation]", true},
		{"/* remaining logic omitted for brevity */", true},
		{"// TODO rest", true},
		{"// (unchanged)...", true},
		{"// ... other methods ...", true},
		{"// Rest of the code stays the same", true},
		{"# existing validation unchanged", true},
		{"// same as before", true},
		{"// ...", true},
		{"# snip", true},
		{"// keep the rest of the implementation", true},
		{"// original logic here", true},
		{"// … remaining cases …", true},
		{"// The list is sorted, so that the first match wins.", false},
		{"// Keep the lock until the file is closed.", false},
		{"// existing users keep their settings", false},
		{"# wait for the rest of the batch", false},
		{"// unchanged values are not sent", false},
		{"// skip the header", false},
		{"// TODO(perf): cache this if it shows up in profiles.", false},
		{"// remaining is never negative", false},
	}
	for _, tt := range tests {
		clear, vague := stub.Elision(tt.text)
		if got := clear || vague; got != tt.says {
			t.Errorf("%q: says that code was left out: %v, want %v", tt.text, got, tt.says)
		}
	}
}
