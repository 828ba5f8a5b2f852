package graph

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

// Missing names the tasks that did not come; "" when none is missing.
func (g *Graph) Missing() string {
	var parts []string
	for _, s := range [...]orchestrator.TaskState{orchestrator.TaskFailed, orchestrator.TaskBlocked} {
		var ids []string
		for _, t := range g.In(s) {
			ids = append(ids, t.ID)
		}
		if len(ids) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", s, words.Names(ids)))
		}
	}
	return strings.Join(parts, "; ")
}

// Count sorts tasks by how they stand: done ones are counted, the others named.
func Count(tasks []orchestrator.TaskRow) (done int, failed, blocked, open []string) {
	for _, t := range tasks {
		switch t.State {
		case orchestrator.TaskDone:
			done++
		case orchestrator.TaskFailed:
			failed = append(failed, t.ID)
		case orchestrator.TaskBlocked:
			blocked = append(blocked, t.ID)
		default:
			open = append(open, t.ID)
		}
	}
	return done, failed, blocked, open
}
