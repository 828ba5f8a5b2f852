// Package planner asks a manager for a plan: it writes the prompts of the three modes, holds the answer against package plan, and
// feeds back everything that is wrong until the plan is right or the attempts are used up.
//
// A manager is a session with a model, brought by the caller; that it reads only, and how long a turn may take, is the caller's
// business (Tools, MaxTurns and Timeout say what is meant). The package owns no table, no session and no file.
package planner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/plan"
	"github.com/devflow-suite/devflow/orchestrator/survey"
)

// How a manager's turn is meant to be limited (A3 of the specification).
const (
	MaxTurns = 30               // steps of the model in one turn
	Timeout  = 10 * time.Minute // of one turn
)

// MaxRequest bounds a request, in bytes.
const MaxRequest = 100_000

const (
	defaultAttempts = 3
	inventoryBytes  = 24_000 // of the inventory in a prompt
)

// Ask is what a plan is wanted for.
type Ask struct {
	Mode      orchestrator.Mode
	Request   string           // the idea or the work; "" in an existing project = document interfaces and add missing tests
	Workers   int              // what the person fixed; 0 = no wish
	Inventory survey.Inventory // of the project; zero for an idea
	Attempts  int              // replies that may be wrong, and turns that may fail, before it is given up; 0 = 3
}

// Reply is one answer of the manager.
type Reply struct {
	Text       string          // its last text, without what it said before its tool calls
	Structured json.RawMessage // what it gave as structured output; nil when it did not
}

// Manager is a session with a model.
type Manager interface {
	// Turn sends a prompt and waits for the answer. An answer that is an API error must be returned as an error, never as a text.
	Turn(ctx context.Context, prompt string) (Reply, error)
	// Fresh starts a new session: everything said so far is forgotten.
	Fresh(ctx context.Context) error
}

// Tools are the tools that the manager needs: none for an idea, those that read for a project.
func Tools(ask Ask) []string {
	if ask.empty() {
		return []string{}
	}
	return []string{"Read", "Glob", "Grep"}
}

// empty reports whether there is no project to look at.
func (a Ask) empty() bool { return a.Mode == orchestrator.ModeIdea || a.Inventory.Files == 0 }

// Plan asks until the plan is right. When it is given up, the error wraps what was wrong last: plan.Problems, or the error of the
// manager. A turn that fails loses the session: the next one is fresh and is told everything again. Weights of folders that exist
// are kept within half and twice what was measured.
func Plan(ctx context.Context, ask Ask, m Manager) (orchestrator.Plan, error) {
	full, err := Prompt(ask)
	if err != nil {
		return orchestrator.Plan{}, fmt.Errorf("make plan: %w", err)
	}
	attempts := ask.Attempts
	if attempts <= 0 {
		attempts = defaultAttempts
	}
	var last plan.Problems
	prompt, wrong, failed := full, 0, 0
	for {
		reply, err := m.Turn(ctx, prompt)
		if ctx.Err() != nil {
			return orchestrator.Plan{}, fmt.Errorf("make plan: %w", context.Cause(ctx))
		}
		if err != nil {
			if failed++; failed >= attempts {
				return orchestrator.Plan{}, fmt.Errorf("make plan: the manager did not answer, %d times, last: %w", failed, err)
			}
			if err := m.Fresh(ctx); err != nil {
				return orchestrator.Plan{}, fmt.Errorf("make plan: start a new session: %w", err)
			}
			prompt = full + again(last)
			continue
		}
		p, err := plan.Parse(reply.Text, reply.Structured)
		if err == nil {
			return ask.measured(p), nil
		}
		problems, ok := errors.AsType[plan.Problems](err)
		if !ok {
			return orchestrator.Plan{}, fmt.Errorf("make plan: %w", err)
		}
		last = problems
		if wrong++; wrong >= attempts {
			return orchestrator.Plan{}, fmt.Errorf("make plan: the manager's answer was wrong, %d times; last: %w", wrong, last)
		}
		prompt = correction(ask, last)
	}
}

// measured keeps the weights of folders that exist near what was measured.
func (a Ask) measured(p orchestrator.Plan) orchestrator.Plan {
	if a.empty() {
		return p
	}
	for i, m := range p.Modules {
		if a.Inventory.Has(m.Path) {
			w := a.Inventory.Weight(m.Path)
			p.Modules[i].Weight = math.Round(100*min(max(m.Weight, w/2), w*2)) / 100
		}
	}
	return p
}
