// Package live is how a run looks while it goes on: a model that starts from the rows of the run and takes one event after the other,
// and its three faces: a table that is redrawn in place, plain lines, and JSON lines.
//
// It owns no table and drives nothing. The face is a function of the model and the width, so that tests can look at it.
package live

import (
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Kind says what happened.
type Kind string

// The kinds of events: those of the scheduler, and what workers and endpoints tell besides. Their names and fields are the format of
// `run --json`: they are not renamed.
const (
	RunStarted   Kind = "run_started"
	RunEnded     Kind = "run_ended" // Text: the state, and why
	TaskStarted  Kind = "task_started"
	TaskProgress Kind = "task_progress" // Text: what the worker does
	TaskChecking Kind = "task_checking" // its acceptance command runs
	TaskRejected Kind = "task_rejected" // the attempt was not accepted, Text: why; the next may start
	TaskInfra    Kind = "task_infra"    // endpoint, client or machine failed, Text: how; it does not count
	TaskVerified Kind = "task_verified" // accepted, waits to be integrated
	TaskAdopted  Kind = "task_adopted"  // the work of an attempt whose driver died was accepted
	TaskDone     Kind = "task_done"     // integrated
	TaskReturned Kind = "task_returned" // it was red after the merge, Text: why
	TaskFailed   Kind = "task_failed"   // for good, Text: why
	TaskBlocked  Kind = "task_blocked"  // for good, Text: why
	TaskAdded    Kind = "task_added"    // another region asked for it, Text: what
	RegionParked Kind = "region_parked" // nothing more is tried there in this run, Text: why
	RegionMoved  Kind = "region_moved"  // to another endpoint
	SessionFresh Kind = "session_fresh" // the worker goes on in a new session
	Usage        Kind = "usage"         // Usage and CostUSD are what the attempt has used so far, Context what the session holds now
	Health       Kind = "endpoint"      // Health and Text: how an endpoint does
	Note         Kind = "note"          // Text: anything else worth a line
	Ended        Kind = "summary"       // the last one
)

// How an endpoint does.
const (
	HealthOK      = "ok"
	HealthWaiting = "waiting" // backs off: limit or overload
	HealthDown    = "down"
)

// Event is one thing that happened in a run.
type Event struct {
	At       time.Time          `json:"at"`
	Kind     Kind               `json:"kind"`
	Region   string             `json:"region,omitempty"`
	Task     string             `json:"task,omitempty"`
	Attempt  int                `json:"attempt,omitempty"`
	Endpoint string             `json:"endpoint,omitempty"`
	Health   string             `json:"health,omitempty"`
	Text     string             `json:"text,omitempty"`
	Usage    orchestrator.Usage `json:"usage,omitzero"` // of the attempt, all so far
	CostUSD  float64            `json:"cost_usd,omitempty"`
	Wait     time.Duration      `json:"wait,omitempty"` // nanoseconds until the next try
	Context  int64              `json:"context,omitempty"`
	Summary  *Summary           `json:"summary,omitempty"`
}

// Summary is how a run has ended, or where it was stopped.
type Summary struct {
	Run      orchestrator.RunID    `json:"run"`
	State    orchestrator.RunState `json:"state"`
	Reason   string                `json:"reason,omitempty"`
	Project  string                `json:"project"`
	Done     int                   `json:"done"`
	Failed   int                   `json:"failed"`
	Blocked  int                   `json:"blocked"`
	Open     int                   `json:"open"` // neither done nor failed nor blocked
	Tasks    int                   `json:"tasks"`
	Usage    orchestrator.Usage    `json:"usage"`
	CostUSD  float64               `json:"cost_usd"`
	Priced   bool                  `json:"priced"` // the cost says something: every endpoint has prices
	Base     string                `json:"base"`   // commit that the run started from
	Branch   string                `json:"branch,omitempty"`
	Commit   string                `json:"commit,omitempty"`
	Missing  []Missing             `json:"missing"`  // what failed or is blocked
	Attempts int                   `json:"attempts"` // of all tasks, those that do not count included
}

// Missing is a task that was not integrated and will not be.
type Missing struct {
	Task   string                 `json:"task"`
	Region string                 `json:"region"`
	State  orchestrator.TaskState `json:"state"`
	Reason string                 `json:"reason"`
}
