package tdd_test

import (
	"testing"

	"github.com/devflow-suite/devflow/tdd"
)

func TestState(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rel            string
		found, changed bool
		want           string
	}{
		{"src/a.py", true, true, tdd.TestChanged}, {"src/a.py", true, false, tdd.TestExists}, {"src/a.py", false, true, tdd.TestNone},
		{"README.md", false, false, tdd.TestNonCode}, {"go.mod", false, false, tdd.TestNonCode}, {"db/migrations/1.sql", false, false, tdd.TestNone}, {"a.sql", false, false, tdd.TestNone},
		{"run.sh", false, false, tdd.TestNone}, {"a.css", false, false, tdd.TestNonCode}, {"a_test.go", false, false, tdd.TestChanged}, {"manage.py", false, false, tdd.TestNone},
	} {
		if got := tdd.State(tt.rel, tt.found, tt.changed); got != tt.want {
			t.Errorf("State(%q, %v, %v) = %s, want %s", tt.rel, tt.found, tt.changed, got, tt.want)
		}
	}
}
