package journal

import (
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// SpecError says why a specification stays as it is, and what to do instead.
type SpecError struct{ What, Instead string }

func (e *SpecError) Error() string { return e.What }

// UnknownSession is the error for a session without a task.
func UnknownSession(session string) error {
	return &SpecError{fmt.Sprintf("read specification: session %s is not known", session), "devflow status"}
}

// MoveSpec pauses or resumes the specification of a session's newest task, which it returns with the state from before. What
// cannot be moved is a *SpecError.
func MoveSpec(db *store.DB, session string, e telemetry.SpecEvent, now time.Time) (before telemetry.SpecStatus, t *telemetry.Task, err error) {
	err = db.Update(func(tx *store.Tx) error {
		var err error
		if t, err = telemetry.Current(tx, session); err != nil {
			return err
		}
		if t == nil {
			return UnknownSession(session)
		}
		before = t.SpecStatus
		moved, err := telemetry.MoveSpec(tx, session, t.Seq, e, now.UnixMilli())
		if err == nil && !moved {
			err = unmoved(before, e)
		}
		if err != nil {
			return err
		}
		t, err = telemetry.Current(tx, session)
		return err
	})
	return before, t, err
}

// unmoved says why a specification cannot be paused or resumed.
func unmoved(s telemetry.SpecStatus, e telemetry.SpecEvent) error {
	switch {
	case !s.Active() && e == telemetry.EventPause:
		return &SpecError{"there is no specification to pause", "start one by typing /spec in the session"}
	case !s.Active():
		return &SpecError{"there is no specification to resume", "start one by typing /spec in the session"}
	case e == telemetry.EventPause:
		return &SpecError{"the specification is paused already", "devflow spec resume"}
	}
	return &SpecError{fmt.Sprintf("the specification is not paused: it is %s", s), "devflow spec pause"}
}
