package telemetry

import "github.com/devflow-suite/devflow/internal/store"

// AddUsage adds newly counted tokens and cost to a task. Work tokens of a task that has ended are also counted apart: they belong to
// the task that comes next.
func AddUsage(tx *store.Tx, session string, seq int64, d Delta) error {
	_, err := change(tx, session, seq, false, func(t *Task) error {
		t.TokIn += d.In
		t.TokOut += d.Out
		t.TokRead += d.Read
		t.TokW5 += d.W5
		t.TokW1h += d.W1h
		t.CostNanoUSD += d.CostNanoUSD
		t.CostUnknown = t.CostUnknown || d.CostUnknown
		if d.Model != "" {
			t.Model = d.Model
		}
		if t.Ended() {
			t.AfterWork += d.Work()
		}
		return nil
	})
	return err
}

// SetWarned stores which warnings (bits Warned…) a task has had.
func SetWarned(tx *store.Tx, session string, seq, bits int64) error {
	_, err := change(tx, session, seq, false, func(t *Task) error {
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
