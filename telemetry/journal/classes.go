package journal

import (
	"fmt"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Classes lists the classes of the commands that a task has run, each once, in no order. The judge and the profiler weigh
// them; a command without a class is left out.
func Classes(tx *store.Tx, t *telemetry.Task) ([]string, error) {
	var classes []string
	err := tx.Query("SELECT DISTINCT class FROM tool_log WHERE session_id=? AND n>=? AND seq=? AND class IS NOT NULL",
		[]any{t.SessionID, t.FirstRow(), t.Seq}, func(r *store.Row) error {
			classes = append(classes, r.Text(0))
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("list command classes of %s: %w", t.ID(), err)
	}
	return classes, nil
}
