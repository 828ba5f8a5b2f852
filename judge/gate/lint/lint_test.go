package lint_test

import (
	"context"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/lint"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

func TestNothingToLookAtIsFine(t *testing.T) {
	t.Parallel()
	reports := lint.Run(t.Context(), lint.Input{Before: pushed.Memory{}, After: pushed.Memory{}})
	var names []string
	for _, r := range reports {
		names = append(names, r.Linter)
		if r.Status != lint.OK {
			t.Errorf("%s: %+v, want ok", r.Linter, r)
		}
	}
	if len(names) != 4 || names[0] != "import_boundary" || names[3] != "compile_check" {
		t.Errorf("linters %q", names)
	}
}

func TestAPanicIsAFailureOfThatLinter(t *testing.T) {
	t.Parallel()
	broken := lint.Linter{Name: "broken", Run: func(context.Context, *lint.Input) ([]lint.Finding, []string, int, error) {
		panic("no such thing")
	}}
	reports := lint.RunThese(t.Context(), lint.Input{Before: pushed.Memory{}, After: pushed.Memory{}}, append(lint.Linters(), broken))
	last := reports[4]
	if last.Status != lint.Fail || len(last.Findings) != 1 || !last.Findings[0].Fail {
		t.Errorf("report %+v, want one failure", last)
	}
	if reports[0].Status != lint.OK {
		t.Errorf("report of another linter %+v, want ok", reports[0])
	}
}
