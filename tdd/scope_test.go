package tdd_test

import (
	"testing"

	"github.com/devflow-suite/devflow/tdd"
)

func TestInScope(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rel  string
		dirs []string
		want bool
	}{
		{"any/where.py", nil, true},
		{"src/a.py", []string{"src"}, true},
		{"src/a.py", []string{"./src/"}, true},
		{"srcs/a.py", []string{"src"}, false},
		{"src", []string{"src"}, false},
		{"a.py", []string{"."}, true},
		{"lib/x/a.py", []string{"src", "lib"}, true},
	} {
		if got := tdd.InScope(tc.rel, tc.dirs); got != tc.want {
			t.Errorf("InScope(%q, %q) = %v, want %v", tc.rel, tc.dirs, got, tc.want)
		}
	}
}
