// Package plan reads, checks and writes plans: what a manager answered, and the plan files that people keep and edit.
//
// A plan is held against a JSON schema and then against rules of its own (names, folders that cannot overlap, dependencies without
// cycles, acceptance commands that are able to fail). Everything that is wrong is reported at once, in a stable order, in words
// that a model and a person can act on. It owns the format of plan files; it owns no table, starts no process and looks at no
// project: whether a folder exists is not its business.
package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Problem is one thing that is wrong with a plan.
type Problem struct {
	Where string // place in the JSON: "tasks[2].depends_on", or "" for the plan as a whole
	Text  string
}

// String gives "place: text".
func (p Problem) String() string {
	if p.Where == "" {
		return p.Text
	}
	return p.Where + ": " + p.Text
}

// Problems is everything that is wrong with a plan, as an error. An empty one is no error: use Err.
type Problems []Problem

// Error gives one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return fmt.Sprintf("check plan: %d problems:\n", len(ps)) + strings.Join(lines, "\n")
}

// Err gives ps as an error, nil when there is no problem.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

var errTODO = errors.New("not written yet")

func Schema() []byte { return nil }
func Parse(reply string, structured []byte) (orchestrator.Plan, error) {
	return orchestrator.Plan{}, errTODO
}
func Check(p orchestrator.Plan) Problems           { return nil }
func Lint(command string) string                   { return "" }
func Load(path string) (orchestrator.Plan, error)  { return orchestrator.Plan{}, errTODO }
func Write(path string, p orchestrator.Plan) error { return errTODO }
