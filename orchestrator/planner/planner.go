// Package planner asks a manager for a plan: it writes the prompts of the three modes, holds the answer against package plan, and
// feeds back everything that is wrong until the plan is right or the attempts are used up.
//
// It owns no table and no session: the caller's Manager talks to the model.
package planner

import (
	"context"
	"encoding/json"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/survey"
)

// Ask is what a plan is wanted for.
type Ask struct {
	Mode      orchestrator.Mode
	Request   string           // the idea or the work; "" in an existing project = document interfaces and add missing tests
	Workers   int              // what the person fixed; 0 = no wish
	Inventory survey.Inventory // of the project; zero for an idea
	Attempts  int              // replies that may be wrong before it is given up; 0 = 3
}

// Reply is one answer of the manager.
type Reply struct {
	Text       string          // its last text
	Structured json.RawMessage // what it gave as structured output; nil when it did not
}

// Manager is a session with a model.
type Manager interface {
	// Turn sends a prompt and waits for the answer. An answer that is an API error must be returned as an error, never as a text.
	Turn(ctx context.Context, prompt string) (Reply, error)
	// Fresh starts a new session: everything said so far is forgotten.
	Fresh(ctx context.Context) error
}

// Plan asks until the plan is right.
func Plan(ctx context.Context, ask Ask, m Manager) (orchestrator.Plan, error) {
	return orchestrator.Plan{}, nil
}
