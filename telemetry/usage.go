package telemetry

import (
	"fmt"

	"github.com/devflow-suite/devflow/internal/store"
)

// AddUsage adds newly counted tokens and cost to a task. Work tokens of a task that has ended are also counted apart: they belong to
// the task that comes next.
func AddUsage(tx *store.Tx, session string, seq int64, d Delta) error {
	n, err := tx.Exec("UPDATE tasks SET tok_in=tok_in+?3,tok_out=tok_out+?4,tok_read=tok_read+?5,tok_w5=tok_w5+?6,tok_w1h=tok_w1h+?7,"+
		"cost_nusd=cost_nusd+?8,cost_unknown=max(cost_unknown,?9),model=coalesce(?10,model),"+
		"after_work=after_work+iif(ended_ms IS NULL,0,?11) WHERE session_id=?1 AND seq=?2",
		session, seq, d.In, d.Out, d.Read, d.W5, d.W1h, d.CostNanoUSD, d.CostUnknown, text(d.Model), d.Work())
	if err != nil {
		return fmt.Errorf("add usage of %s: %w", TaskID(session, seq), err)
	}
	if n != 1 {
		return fmt.Errorf("add usage of %s: no such task", TaskID(session, seq))
	}
	return nil
}

// SetWarned stores which warnings (bits Warned…) a task has had.
func SetWarned(tx *store.Tx, session string, seq, bits int64) error {
	_, err := Change(tx, session, seq, func(t *Task) error {
		t.CtxWarned = bits
		return nil
	})
	return err
}

// SetReflected notes that the task's last warning or failure was shown at a prompt.
func SetReflected(tx *store.Tx, session string, seq int64) error {
	_, err := Change(tx, session, seq, func(t *Task) error {
		t.Reflected = true
		return nil
	})
	return err
}
