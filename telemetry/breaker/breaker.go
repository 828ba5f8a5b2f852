// Package breaker moves a task between its judge, its circuit breaker and a person: verdicts, attempts, halts and the code that ends
// them. It owns no table: the state is a few columns of tasks, changed through package telemetry. It judges nothing and starts nothing.
package breaker

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
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

// Start marks a task as being judged. A halted task stays halted.
func Start(tx *store.Tx, session string, seq int64) (*telemetry.Task, error) {
	return telemetry.Change(tx, session, seq, func(t *telemetry.Task) error {
		if !t.Halted() {
			t.State = telemetry.Judging
		}
		return nil
	})
}

// SetVerdict applies a verdict that is not counted by the breaker. A pass clears the attempts and moves the token baseline, a warning and
// a verdict that could not be made change neither, a failure arms the token guard. A task that was edited since Start stays stale
// unless it failed, a halted one stays halted.
func SetVerdict(tx *store.Tx, session string, seq int64, v Verdict) (*telemetry.Task, error) {
	return telemetry.Change(tx, session, seq, func(t *telemetry.Task) error {
		was := t.State
		switch v.Outcome {
		case OutcomePass:
			t.State, t.Attempts = telemetry.Passed, 0
			rebase(t)
		case OutcomeWarn:
			t.State, t.Reflected = telemetry.Warned, false
		case OutcomeFail:
			t.State, t.Armed, t.Reflected = telemetry.Retry, true, false
		case OutcomeError:
			t.State = telemetry.Unknown
		case OutcomeSkipped:
			if was == telemetry.Judging {
				t.State = telemetry.Idle
			}
			return nil
		default:
			return fmt.Errorf("set verdict of %s: unknown outcome %q", t.ID(), v.Outcome)
		}
		t.JudgedSHA = v.DiffSHA
		switch {
		case was == telemetry.Halted || was == telemetry.Emergency:
			t.State = was
		case was == telemetry.Stale && v.Outcome != OutcomeFail:
			t.State = telemetry.Stale
		case t.State == telemetry.Passed || t.State == telemetry.Warned:
			later := v.Prompts > 0 && t.Prompts > v.Prompts
			if !t.Ended() && (t.SpecStatus == telemetry.SpecCompleted || t.SpecStatus == telemetry.SpecNone && later) {
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
	Same    bool   // the diff is the one that was judged before: nothing was done
	Code    string // with Halted: what a person types after "devflow approve"
}

// Fail counts a failed verdict. The limit-th one halts the task.
func Fail(tx *store.Tx, session string, seq int64, v Verdict, limit int64) (Break, error) {
	var b Break
	_, err := telemetry.Change(tx, session, seq, func(t *telemetry.Task) error {
		if t.Halted() {
			b = Break{Attempt: t.Attempts, Halted: true, Already: true, Same: same(t, v), Code: t.ResumeCode}
			return nil
		}
		b.Same = same(t, v)
		t.Attempts++
		t.State, t.Armed, t.Reflected, t.JudgedSHA = telemetry.Retry, true, false, v.DiffSHA
		t.UpdatedMS = max(t.UpdatedMS, v.AtMS)
		if t.Attempts >= limit {
			halt(t, telemetry.Halted)
		}
		b.Attempt, b.Halted, b.Code = t.Attempts, t.Halted(), t.ResumeCode
		return nil
	})
	return b, err
}

// HaltEmergency halts a task whose tokens ran away, and raises the signal for it. fired is false, and the known code returned, when the
// task was halted already.
func HaltEmergency(tx *store.Tx, session string, seq, delta, now int64) (code string, fired bool, err error) {
	t, err := telemetry.Change(tx, session, seq, func(t *telemetry.Task) error {
		if t.Halted() {
			return nil
		}
		fired = true
		halt(t, telemetry.Emergency)
		t.UpdatedMS = max(t.UpdatedMS, now)
		return nil
	})
	if err != nil {
		return "", false, err
	}
	if fired {
		err = telemetry.Raise(tx, telemetry.Signal{
			Session: session, Seq: seq, Kind: telemetry.KindHalt, Key: haltKey, Severity: "hard", Source: "token_guard",
			Payload: `{"delta":` + strconv.FormatInt(delta, 10) + `}`,
		}, now)
	}
	return t.ResumeCode, fired, err
}

// haltKey is the key of the emergency signal: one per task.
const haltKey = "token_delta"

// Resume ends a halt if a prompt is exactly "devflow approve CODE" with the code of the session's newest task. The code works once.
// It clears the attempts, disarms the token guard and counts tokens from here; an emergency signal is resolved.
func Resume(tx *store.Tx, session, prompt string, now int64) (bool, error) {
	code, ok := strings.CutPrefix(strings.TrimSpace(prompt), "devflow approve ")
	if !ok || code == "" {
		return false, nil
	}
	t, err := telemetry.Current(tx, session)
	if err != nil || t == nil || !t.Halted() || t.ResumeCode != code {
		return false, err
	}
	if _, err := telemetry.Change(tx, session, t.Seq, func(t *telemetry.Task) error {
		t.State, t.Attempts, t.ResumeCode = telemetry.Idle, 0, ""
		rebase(t)
		t.UpdatedMS = max(t.UpdatedMS, now)
		return nil
	}); err != nil {
		return false, err
	}
	_, err = telemetry.Resolve(tx, session, 0, telemetry.KindHalt, haltKey, "resume", now)
	return err == nil, err
}

func same(t *telemetry.Task, v Verdict) bool { return v.DiffSHA != "" && v.DiffSHA == t.JudgedSHA }

// rebase starts the token guard anew.
func rebase(t *telemetry.Task) {
	t.TokenBaseline, t.Armed = t.Work(), false
	t.CtxWarned &^= telemetry.WarnedTokens
}

func halt(t *telemetry.Task, s telemetry.State) {
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
