package telemetry

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
)

// Outcome is a verdict's word as judge_runs and column judge_verdict have it.
const (
	OutcomePass    = "pass"
	OutcomeWarn    = "warn"
	OutcomeFail    = "fail"
	OutcomeError   = "judge_error"
	OutcomeSkipped = "skipped_no_diff"
)

// Verdict is what a judge run decided, as far as the task's state is concerned.
type Verdict struct {
	Outcome string
	DiffSHA string
	Prompts int64 // Task.Prompts when the judged diff was taken, so that a later prompt is noticed; 0 = there was none
	AtMS    int64
}

// StartJudging marks a task as being judged. A halted task stays halted.
func StartJudging(tx *store.Tx, session string, seq int64) (*Task, error) {
	return change(tx, session, seq, func(t *Task) error {
		if !t.halted() {
			t.State = Judging
		}
		return nil
	})
}

// SetVerdict applies a verdict that is not counted by the breaker. A pass clears the attempts and moves the token baseline, a warning and
// a verdict that could not be made change neither, a failure arms the token guard. A task that was edited since StartJudging stays stale
// unless it failed, a halted one stays halted.
func SetVerdict(tx *store.Tx, session string, seq int64, v Verdict) (*Task, error) {
	return change(tx, session, seq, func(t *Task) error {
		was := t.State
		switch v.Outcome {
		case OutcomePass:
			t.State, t.Attempts = Passed, 0
			t.rebase()
		case OutcomeWarn:
			t.State, t.Reflected = Warned, false
		case OutcomeFail:
			t.State, t.Armed, t.Reflected = Retry, true, false
		case OutcomeError:
			t.State = Unknown
		case OutcomeSkipped:
			if was == Judging {
				t.State = Idle
			}
			return nil
		default:
			return fmt.Errorf("set verdict of %s: unknown outcome %q", t.ID(), v.Outcome)
		}
		t.JudgedSHA = v.DiffSHA
		switch {
		case was == Halted || was == Emergency:
			t.State = was
		case was == Stale && v.Outcome != OutcomeFail:
			t.State = Stale
		case t.State == Passed || t.State == Warned:
			later := v.Prompts > 0 && t.Prompts > v.Prompts
			if !t.Ended() && (t.SpecStatus == SpecCompleted || t.SpecStatus == SpecNone && later) {
				t.EndedMS = v.AtMS
			}
		}
		t.UpdatedMS = max(t.UpdatedMS, v.AtMS)
		return nil
	})
}

// Break is what the circuit breaker says to a failure.
type Break struct {
	Attempt int64  // of this failure, from 1
	Halted  bool   // no attempt is left
	Already bool   // the task was halted before: nothing was counted
	Code    string // with Halted: what a person types after "devflow approve"
}

// BreakerFail counts a failed verdict. The limit-th one halts the task.
func BreakerFail(tx *store.Tx, session string, seq int64, v Verdict, limit int64) (Break, error) {
	var b Break
	_, err := change(tx, session, seq, func(t *Task) error {
		if t.halted() {
			b = Break{Attempt: t.Attempts, Halted: true, Already: true, Code: t.ResumeCode}
			return nil
		}
		t.Attempts++
		t.State, t.Armed, t.Reflected, t.JudgedSHA = Retry, true, false, v.DiffSHA
		t.UpdatedMS = max(t.UpdatedMS, v.AtMS)
		if t.Attempts >= limit {
			t.halt(Halted)
		}
		b = Break{Attempt: t.Attempts, Halted: t.halted(), Code: t.ResumeCode}
		return nil
	})
	return b, err
}

// HaltEmergency halts a task whose tokens ran away, and raises the signal for it. fired is false, and the known code returned, when the
// task was halted already.
func HaltEmergency(tx *store.Tx, session string, seq, delta, now int64) (code string, fired bool, err error) {
	t, err := change(tx, session, seq, func(t *Task) error {
		if t.halted() {
			return nil
		}
		fired = true
		t.halt(Emergency)
		t.UpdatedMS = max(t.UpdatedMS, now)
		return nil
	})
	if err != nil {
		return "", false, err
	}
	if fired {
		err = Raise(tx, Signal{
			Session: session, Seq: seq, Kind: KindHalt, Key: t.ID(), Severity: "hard", Source: "token_guard",
			Payload: fmt.Sprintf(`{"delta":%d}`, delta),
		}, now)
	}
	return t.ResumeCode, fired, err
}

// Resume ends a halt if a prompt is exactly "devflow approve CODE" with the code of the session's newest task. The code works once.
// It clears the attempts, disarms the token guard and counts tokens from here; an emergency signal is resolved.
func Resume(tx *store.Tx, session, prompt string, now int64) (bool, error) {
	code, ok := strings.CutPrefix(strings.TrimSpace(prompt), "devflow approve ")
	if !ok || code == "" {
		return false, nil
	}
	t, err := Current(tx, session)
	if err != nil || t == nil || !t.halted() || t.ResumeCode != code {
		return false, err
	}
	before := *t
	t.State, t.Attempts, t.ResumeCode = Idle, 0, ""
	t.rebase()
	t.UpdatedMS = max(t.UpdatedMS, now)
	if err := save(tx, &before, t); err != nil {
		return false, err
	}
	_, err = tx.Exec("UPDATE signals SET state='resolved',resolved_by='resume',claimed_by=NULL,lease_ms=NULL,updated_ms=? "+
		"WHERE session_id=? AND kind=? AND state IN('open','claimed')", now, session, KindHalt)
	if err != nil {
		return false, fmt.Errorf("resume task %s: %w", t.ID(), err)
	}
	return true, nil
}

func (t *Task) halted() bool { return t.State == Halted || t.State == Emergency }

// rebase starts the token guard anew.
func (t *Task) rebase() {
	t.TokenBaseline, t.Armed = t.Work(), false
	t.CtxWarned &^= WarnedTokens
}

func (t *Task) halt(s State) {
	t.State, t.ResumeCode = s, newCode()
}

// codeAlphabet has no letter or digit that looks like another; its 32 symbols make a random byte even.
const codeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// newCode is four symbols. Who guesses needs a person's keyboard, so 20 bits are enough.
func newCode() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process instead
	for i := range b {
		b[i] = codeAlphabet[b[i]%32]
	}
	return string(b[:])
}

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
	_, err := change(tx, session, seq, func(t *Task) error {
		t.CtxWarned = bits
		return nil
	})
	return err
}

// SetReflected notes that the task's last warning or failure was shown at a prompt.
func SetReflected(tx *store.Tx, session string, seq int64) error {
	_, err := change(tx, session, seq, func(t *Task) error {
		t.Reflected = true
		return nil
	})
	return err
}
