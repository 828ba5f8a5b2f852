package telemetry

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
)

// The states of a signal.
const (
	SignalOpen     = "open"
	SignalClaimed  = "claimed"
	SignalConsumed = "consumed" // answered by a verdict
	SignalResolved = "resolved" // no longer true
	SignalExpired  = "expired"
)

// Times of signals, milliseconds (governance 3.2).
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
