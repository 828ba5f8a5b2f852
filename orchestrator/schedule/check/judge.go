package check

import (
	"context"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Change is an accepted task, for a judge.
type Change struct {
	Run    orchestrator.RunID
	Task   orchestrator.TaskRow
	Base   string // commit that the task started from; "" when it is not known: the parent of Commit
	Commit string
}

// Ruling is what a judge says.
type Ruling struct {
	OK      bool
	Failure string // why not, for the worker
	Notes   []string
}

// Judge looks at a task's change before it is integrated. An error means that it could not judge; it counts as infrastructure.
type Judge interface {
	Judge(ctx context.Context, c Change) (Ruling, error)
}
