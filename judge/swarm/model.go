package swarm

import (
	"context"

	"github.com/devflow-suite/devflow/judge"
)

// Answer is what a model says as a worker. Only what it can quote counts.
type Answer struct {
	Status   Status
	Findings []Finding
}

// Model asks a model to look at a change as one of the workers. An answer that is none is an error. It is called from
// several goroutines at once, and reads only what does not change of a case: its task, plan and files; what it costs it adds with
// Case.Spend.
type Model interface {
	Look(ctx context.Context, c *judge.Case, worker string) (Answer, error)
}
