package telemetry

import (
	"fmt"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// MoveSpec applies an event to a task's spec and tells whether it was legal; where it was not, nothing changes.
func MoveSpec(tx *store.Tx, session string, seq int64, e SpecEvent, now int64) (moved bool, err error) {
	_, err = Change(tx, session, seq, func(t *Task) (err error) {
		moved, err = moveSpec(tx, t, e, now)
		return err
	})
	return moved, err
}

func moveSpec(tx *store.Tx, t *Task, e SpecEvent, ms int64) (bool, error) {
	next, ok := t.SpecStatus.Next(e, t.Edited)
	if !ok {
		return false, nil
	}
	if e == spec.EventResume {
		t.SpecMS = ms
	}
	return true, setSpec(tx, t, next, ms)
}

func (f *Fact) moveSpec(tx *store.Tx, t *Task, e SpecEvent) error {
	_, err := moveSpec(tx, t, e, f.MS)
	return err
}

// setSpec moves the spec and keeps the phase. A spec that is given up ends its task.
func setSpec(tx *store.Tx, t *Task, s SpecStatus, ms int64) error {
	t.SpecStatus = s
	if (s == SpecAborted || s == SpecExpired) && !t.Ended() {
		t.EndedMS = ms
	}
	return addPhase(tx, t, string(s), ms)
}

func addPhase(tx *store.Tx, t *Task, status string, ms int64) error {
	_, err := tx.Exec("INSERT INTO phases SELECT ?1,?2,coalesce(max(n),0)+1,?3,?4,?5 FROM phases WHERE session_id=?1 AND seq=?2",
		t.SessionID, t.Seq, status, ms, t.Work())
	if err != nil {
		return fmt.Errorf("keep phase %s of %s: %w", status, t.ID(), err)
	}
	return nil
}

// startSpec answers /spec on a task in which nothing has happened; place has begun one where it was needed.
func (f *Fact) startSpec(tx *store.Tx, t *Task) error {
	if t.SpecStatus != SpecNone {
		return nil // the second event of the same prompt
	}
	t.SpecMS = f.MS
	t.Description, t.Category = f.Description, f.Category
	switch {
	case f.Command.Bugfix:
		t.Category = "bugfix"
	case vague(t.Category):
		t.Category = "feature" // a spec is a piece of work, whatever its words
	}
	return setSpec(tx, t, SpecPending, f.MS)
}

// importMarker applies what an agent wrote in the marker, only where that is legal. It begins no task, and it cannot abort: an agent
// must not be able to get rid of its own base tree. COMPLETED is a claim that calls for a verdict.
func (f *Fact) importMarker(tx *store.Tx, t *Task) error {
	m := f.Marker
	want := SpecStatus(m.Claim())
	if want == "" || t.Ended() || m.StartedAt > 0 && f.MS-m.StartedAt*1000 > spec.LifeMS {
		return nil
	}
	if t.SpecStatus == SpecNone && (want == SpecPending || want == SpecImplementing) {
		t.SpecMS = f.MS
		if err := setSpec(tx, t, SpecPending, f.MS); err != nil {
			return err
		}
	}
	if m.PlanPath != "" && t.SpecStatus.Active() {
		t.PlanPath = m.PlanPath
	}
	switch want {
	case SpecImplementing:
		if t.SpecStatus == SpecPaused {
			return f.moveSpec(tx, t, spec.EventResume)
		}
		return f.moveSpec(tx, t, spec.EventEdit)
	case SpecPaused:
		return f.moveSpec(tx, t, spec.EventPause)
	case SpecCompleted:
		return f.moveSpec(tx, t, spec.EventComplete)
	}
	return nil
}

// inferCompleted completes a spec at Stop when the newest test command came after the newest source edit and was green.
func (f *Fact) inferCompleted(tx *store.Tx, t *Task) error {
	if t.SpecStatus != SpecImplementing || !t.Edited {
		return nil
	}
	var green bool
	if _, err := tx.One("SELECT ok AND n>max("+
		"coalesce((SELECT max(n) FROM edits WHERE session_id=?1 AND n>=?2 AND seq=?3 AND kind IS NOT 'doc'),0),"+
		"coalesce((SELECT max(n) FROM tool_log WHERE session_id=?1 AND n>=?2 AND seq=?3 AND class='mutate'),0)) "+
		"FROM tool_log WHERE session_id=?1 AND n>=?2 AND seq=?3 AND runner<>'' ORDER BY n DESC LIMIT 1",
		[]any{t.SessionID, t.FirstRow(), t.Seq}, &green); err != nil {
		return fmt.Errorf("infer completion of %s: %w", t.ID(), err)
	}
	if !green {
		return nil
	}
	return f.moveSpec(tx, t, spec.EventComplete)
}

// Stopping is what the spec guard knows about the end of a turn.
type Stopping struct {
	Prompt      string // prompt id
	Background  bool   // background tasks are running
	LastMessage string // of the assistant
}

// SpecGuard decides whether the turn may end: it may not, once per prompt, while a spec is IMPLEMENTING, unless work goes on in the
// background or the user was asked something. The reason is "" when it may; otherwise it says how to get out.
func SpecGuard(tx *store.Tx, session string, seq int64, s Stopping) (reason string, err error) {
	_, err = Change(tx, session, seq, func(t *Task) error {
		prompt := s.Prompt
		if prompt == "" {
			prompt = fmt.Sprintf("#%d", t.Prompts)
		}
		if t.SpecStatus != SpecImplementing || t.Ended() || t.Halted() || s.Background || t.SpecBlockPrompt == prompt || spec.AsksUser(s.LastMessage) {
			return nil
		}
		var tool string
		if _, err := tx.One("SELECT tool FROM tool_log WHERE session_id=? ORDER BY n DESC LIMIT 1", []any{session}, &tool); err != nil {
			return fmt.Errorf("guard spec of %s: %w", t.ID(), err)
		}
		if tool == "AskUserQuestion" {
			return nil
		}
		t.SpecBlockPrompt = prompt
		reason = "[devflow:spec] The spec of this task is still IMPLEMENTING"
		if t.PlanPath != "" {
			reason += " (plan: " + t.PlanPath + ")"
		}
		reason += ". Finish it and run its tests to green, or tell the user what is missing. " +
			"To end the turn without finishing, the user types /pause (keeps the spec for /spec resume) or /unspec (drops it). " +
			"This is said once per prompt: stopping again now is allowed."
		return nil
	})
	return reason, err
}
