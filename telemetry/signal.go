package telemetry

import (
	"fmt"

	"github.com/devflow-suite/devflow/internal/store"
)

// The published kinds of signals. Others are allowed.
const (
	KindTDD         = "tdd_violation"
	KindShadow      = "shadow_error"
	KindShadowAudit = "shadow_audit"
	KindReport      = "subagent_report"
	KindLint        = "lint_failure"
	KindSecret      = "secret_blocked"
	KindDestructive = "destructive_run"
	KindHalt        = "emergency_halt"
	KindDrift       = "drift"
	KindTest        = "test" // a test was deleted while red
)

// The states of a signal.
const (
	SignalOpen     = "open"
	SignalClaimed  = "claimed"
	SignalConsumed = "consumed" // answered by a verdict
	SignalResolved = "resolved" // no longer true
	SignalExpired  = "expired"
)

// Times of signals, milliseconds.
const (
	LeaseMS        = 10 * 60 * 1000
	signalLifeMS   = 24 * 60 * 60 * 1000
	consumedLifeMS = 30 * 24 * 60 * 60 * 1000
)

// Signal is a fact that waits for a verdict. There is one row per (session, task, kind, key) over all states.
type Signal struct {
	ID         int64  `json:"id,omitempty"`
	Session    string `json:"session,omitempty"`
	Seq        int64  `json:"seq,omitempty"`
	Kind       string `json:"kind"`
	Key        string `json:"key"`
	Severity   string `json:"severity"` // hard soft info
	Source     string `json:"source,omitempty"`
	Payload    string `json:"payload,omitempty"` // JSON, redacted
	DiffSHA    string `json:"diff_sha,omitempty"`
	State      string `json:"state,omitempty"`
	Generation int64  `json:"generation,omitempty"` // 1, +1 each time it comes back
	ClaimedBy  string `json:"claimed_by,omitempty"`
	LeaseMS    int64  `json:"lease_ms,omitempty"` // when the claim runs out
	CreatedMS  int64  `json:"created_ms,omitempty"`
	UpdatedMS  int64  `json:"updated_ms,omitempty"` // last raised, resolved, consumed or expired
	ResolvedBy string `json:"resolved_by,omitempty"`
}

// Key names a signal within a session; it is resolved in whichever task it was raised.
type Key struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
	By   string `json:"by"` // what made it untrue, for example the test file
}

const signalColumns = "id,session_id,seq,kind,key,severity,source,payload,diff_sha,state,generation,claimed_by,lease_ms,created_ms,updated_ms,resolved_by"

// Raise opens a signal, whatever state its row was in. One that is open already only gets the new payload; any other comes back as the
// next generation, also out of a claim, so that the verdict in the making cannot consume what it has not seen. A raise older than the
// row's last change (from the spool) changes nothing.
func Raise(tx *store.Tx, s Signal, now int64) error {
	if s.Session == "" || s.Kind == "" {
		return fmt.Errorf("raise signal: no session or kind")
	}
	if _, err := tx.Exec("INSERT INTO signals(session_id,seq,kind,key,severity,source,payload,diff_sha,state,generation,created_ms,updated_ms) "+
		"VALUES(?1,?2,?3,?4,?5,?6,?7,?8,'open',1,?9,?9) ON CONFLICT DO UPDATE SET severity=?5,source=?6,payload=?7,diff_sha=?8,state='open',"+
		"generation=generation+(state<>'open'),claimed_by=NULL,lease_ms=NULL,resolved_by=NULL,updated_ms=?9 WHERE updated_ms<=?9",
		s.Session, s.Seq, s.Kind, s.Key, s.Severity, text(s.Source), text(s.Payload), text(s.DiffSHA), now); err != nil {
		return fmt.Errorf("raise %s %s of %s: %w", s.Kind, s.Key, s.Session, err)
	}
	return nil
}

// Resolve closes a signal that is no longer true, open or claimed, and tells whether there was one. seq 0 means in whichever task. One
// that a verdict has answered stays consumed; what made it untrue is noted all the same.
func Resolve(tx *store.Tx, session string, seq int64, kind, key, by string, now int64) (bool, error) {
	var open int64
	where := " FROM signals WHERE session_id=?1 AND (?2=0 OR seq=?2) AND kind=?3 AND key=?4 AND state IN('open','claimed') AND updated_ms<=?5"
	if _, err := tx.One("SELECT count(*)"+where, []any{session, seq, kind, key, now}, &open); err != nil {
		return false, fmt.Errorf("resolve %s %s of %s: %w", kind, key, session, err)
	}
	if _, err := tx.Exec("UPDATE signals SET state=iif(state='consumed',state,'resolved'),resolved_by=?6,claimed_by=NULL,lease_ms=NULL,updated_ms=?5 "+
		"WHERE session_id=?1 AND (?2=0 OR seq=?2) AND kind=?3 AND key=?4 AND state IN('open','claimed','consumed') AND updated_ms<=?5",
		session, seq, kind, key, now, by); err != nil {
		return false, fmt.Errorf("resolve %s %s of %s: %w", kind, key, session, err)
	}
	return open > 0, nil
}

// OpenSignals are those of a task that no verdict has answered, claimed ones included, oldest first. It only looks.
func OpenSignals(tx *store.Tx, session string, seq int64) ([]Signal, error) {
	return signals(tx, "SELECT "+signalColumns+" FROM signals WHERE session_id=? AND seq=? AND state IN('open','claimed') ORDER BY id", session, seq)
}

// Claim takes every open signal of a task for one judge run, and those whose claim has run out, and returns all that the run holds.
// by must be unique to the run, leaseMS is normally LeaseMS. Signals older than 24 hours expire first.
func Claim(tx *store.Tx, session string, seq int64, by string, leaseMS, now int64) ([]Signal, error) {
	if err := ExpireSignals(tx, session, now); err != nil {
		return nil, err
	}
	if _, err := tx.Exec("UPDATE signals SET state='claimed',claimed_by=?,lease_ms=? WHERE session_id=? AND seq=? AND state='open'",
		by, now+leaseMS, session, seq); err != nil {
		return nil, fmt.Errorf("claim signals of %s: %w", TaskID(session, seq), err)
	}
	return signals(tx, "SELECT "+signalColumns+" FROM signals WHERE session_id=? AND seq=? AND state='claimed' AND claimed_by=? ORDER BY id", session, seq, by)
}

// Consume marks signals as answered; it belongs in the transaction that stores the verdict. Those that the run no longer holds, because
// they were raised again, resolved, or its lease ran out, stay as they are. It returns how many were consumed.
func Consume(tx *store.Tx, by string, ids []int64, now int64) (int64, error) {
	var done int64
	for _, id := range ids {
		n, err := tx.Exec("UPDATE signals SET state='consumed',lease_ms=NULL,updated_ms=max(updated_ms,?) WHERE id=? AND state='claimed' AND claimed_by=?", now, id, by)
		if err != nil {
			return done, fmt.Errorf("consume signal %d: %w", id, err)
		}
		done += n
	}
	return done, nil
}

// Release gives a run's claims back, for a run that ends without a verdict.
func Release(tx *store.Tx, session, by string) error {
	if _, err := tx.Exec("UPDATE signals SET state='open',claimed_by=NULL,lease_ms=NULL WHERE session_id=? AND state='claimed' AND claimed_by=?", session, by); err != nil {
		return fmt.Errorf("release signals of %s: %w", session, err)
	}
	return nil
}

// ExpireSignals opens the session's claims that have run out and expires what has been open for 24 hours.
func ExpireSignals(tx *store.Tx, session string, now int64) error {
	if _, err := tx.Exec("UPDATE signals SET state=iif(updated_ms<=?2-?3,'expired','open'),claimed_by=NULL,lease_ms=NULL,"+
		"updated_ms=iif(updated_ms<=?2-?3,?2,updated_ms) "+
		"WHERE session_id=?1 AND (state='claimed' AND lease_ms<=?2 OR state='open' AND updated_ms<=?2-?3)", session, now, signalLifeMS); err != nil {
		return fmt.Errorf("expire signals of %s: %w", session, err)
	}
	return nil
}

// PruneSignals deletes answered, resolved and expired signals of all sessions after 30 days and returns how many. It reads the whole
// table: for the end of a session or the CLI, not for a tool call.
func PruneSignals(tx *store.Tx, now int64) (int64, error) {
	n, err := tx.Exec("DELETE FROM signals WHERE state IN('consumed','resolved','expired') AND updated_ms<=?", now-consumedLifeMS)
	if err != nil {
		return 0, fmt.Errorf("prune signals: %w", err)
	}
	return n, nil
}

func signals(tx *store.Tx, query string, args ...any) ([]Signal, error) {
	var list []Signal
	err := tx.Query(query, args, func(r *store.Row) error {
		list = append(list, Signal{
			ID: r.Int(0), Session: r.Text(1), Seq: r.Int(2), Kind: r.Text(3), Key: r.Text(4), Severity: r.Text(5), Source: r.Text(6),
			Payload: r.Text(7), DiffSHA: r.Text(8), State: r.Text(9), Generation: r.Int(10), ClaimedBy: r.Text(11), LeaseMS: r.Int(12),
			CreatedMS: r.Int(13), UpdatedMS: r.Int(14), ResolvedBy: r.Text(15),
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list signals of %s: %w", args[0], err)
	}
	return list, nil
}
