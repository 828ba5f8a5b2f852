package orchestrator

import "time"

// RunID names a run; it is part of branch and folder names: "20261130-221504-x7k2".
type RunID string

// RunState is where a run stands.
type RunState string

// States of a run. queued → ready → running → done | failed; running → stopped (interrupted, or a cap was reached) → running.
const (
	RunQueued  RunState = "queued"  // a request without a plan, waiting for somebody to plan and start it
	RunReady   RunState = "ready"   // planned and packed, nothing started
	RunRunning RunState = "running" // somebody drives it, or died doing so
	RunStopped RunState = "stopped" // resumable
	RunDone    RunState = "done"    // every task is integrated
	RunFailed  RunState = "failed"  // it has ended, and something is missing; Reason says what
)

// Over reports whether a run has ended for good.
func (s RunState) Over() bool { return s == RunDone || s == RunFailed }

// TaskState is where a task stands.
type TaskState string

// States of a task: pending → running ⇄ verify_failed → verified → done | failed; pending → blocked.
const (
	TaskPending      TaskState = "pending"
	TaskRunning      TaskState = "running"
	TaskVerifyFailed TaskState = "verify_failed" // an attempt has ended and its work was not accepted; the next may start
	TaskVerified     TaskState = "verified"      // accepted and committed on the region's branch, not yet integrated
	TaskDone         TaskState = "done"          // its commit is reachable from the run's integration branch
	TaskFailed       TaskState = "failed"
	TaskBlocked      TaskState = "blocked" // something it depends on failed or is blocked
)

// Over reports whether nothing will happen to the task any more.
func (s TaskState) Over() bool { return s == TaskDone || s == TaskFailed || s == TaskBlocked }

// Mode is how a run came to its plan.
type Mode string

// The modes of the wizard.
const (
	ModeFixed    Mode = "fixed"    // the person says how many workers
	ModeExisting Mode = "existing" // an existing project: the inventory decides
	ModeIdea     Mode = "idea"     // from an idea, an empty project
)

// Usage counts tokens as the endpoint reported them.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Requests   int64 `json:"requests"`
}

// Add gives the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Requests + v.Requests}
}

// Tokens is everything that was read and written.
func (u Usage) Tokens() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Run is a row of table runs.
type Run struct {
	ID          RunID     `json:"id"`
	Project     string    `json:"project"`        // absolute, symbolic links resolved: the folder that the plan's paths are relative to
	Base        string    `json:"base,omitempty"` // commit that the run started from; "" while queued
	Mode        Mode      `json:"mode"`
	Request     string    `json:"request"`
	Plan        Plan      `json:"plan"`
	Settings    Settings  `json:"settings"`
	State       RunState  `json:"state"`
	Integration string    `json:"integration,omitempty"` // commit that the run's integration branch stands at; "" before the first
	Reason      string    `json:"reason,omitempty"`      // why it stopped or failed
	Session     string    `json:"session,omitempty"`     // Claude Code session that asked for it; "" for a person at the command line
	CreatedAt   time.Time `json:"created_at"`
	EndedAt     time.Time `json:"ended_at,omitzero"` // zero while it has not
}

// Settings are the limits and choices of a run that resuming must know. No key is among them: endpoints live in a file of the run.
type Settings struct {
	Attempts     int           `json:"attempts"`          // per task, repairs included; infrastructure errors do not count
	TaskTimeout  time.Duration `json:"task_timeout"`      // wall time of one attempt
	Stall        time.Duration `json:"stall"`             // without an event of the worker; 0 = never
	CheckTimeout time.Duration `json:"check_timeout"`     // of one acceptance command
	MaxTurns     int           `json:"max_turns"`         // of the model, per attempt
	Recycle      int64         `json:"recycle"`           // context tokens from which a session is replaced; 0 = by the endpoint's window
	TokenCap     int64         `json:"token_cap"`         // over all workers of the run; 0 = none
	MoneyCap     float64       `json:"money_cap"`         // USD, needs prices at every endpoint; 0 = none
	Confine      string        `json:"confine"`           // auto, bwrap, landlock, none
	Test         string        `json:"test,omitempty"`    // shell command run on each merged tree, in the project's folder
	CrossRegion  bool          `json:"cross_region"`      // offer ask_region and request_change
	Client       string        `json:"client"`            // path of the claude program
	Governed     bool          `json:"governed"`          // a judge looks at each task's change before it is integrated
	Protect      []string      `json:"protect,omitempty"` // patterns of files that stand as they were at the base while a check runs
	Expose       []string      `json:"expose,omitempty"`  // folders that workers and checks may read besides the system and the project: toolchains
	Share        []string      `json:"share,omitempty"`   // folders of the project that git ignores, to be lent besides the known ones; relative
}

// RegionState is a row of table regions.
type RegionState struct {
	Run      RunID    `json:"run"`
	Name     string   `json:"name"`
	Modules  []string `json:"modules"`           // names, the primary first
	Endpoint string   `json:"endpoint"`          // name in the endpoints file
	Session  string   `json:"session,omitempty"` // id of the client's session that goes on in this region; "" before the first
	Context  int64    `json:"context"`           // tokens that the session's last request held
	Public   string   `json:"public,omitempty"`  // what other regions may read
	Private  string   `json:"private,omitempty"` // notes for the next worker of the region
}

// TaskRow is a row of table region_tasks.
type TaskRow struct {
	Task
	Run      RunID     `json:"run"`
	Region   string    `json:"region"`
	Origin   string    `json:"origin,omitempty"` // "" for the plan's own, otherwise the region that requested it
	Depth    int       `json:"depth"`            // requests of requests: 0 for the plan's own
	State    TaskState `json:"state"`
	Attempts int       `json:"attempts"`         // that counted
	Commit   string    `json:"commit,omitempty"` // accepted commit, parent = the integration tip the task started from; "" when nothing had to change
	Reason   string    `json:"reason,omitempty"` // last failure, or why it is blocked
	Seq      int       `json:"seq"`              // order of creation
}

// AttemptKind says what an attempt is for.
type AttemptKind string

// The kinds.
const (
	AttemptWork   AttemptKind = "work"   // the first, or the first in a new session
	AttemptRepair AttemptKind = "repair" // the check failed: its output is in the prompt
	AttemptResume AttemptKind = "resume" // the one before was interrupted
)

// AttemptState is where an attempt stands.
type AttemptState string

// States of an attempt: running → one of the others.
const (
	AttemptRunning  AttemptState = "running"
	AttemptAccepted AttemptState = "accepted"
	AttemptRejected AttemptState = "rejected" // its work was not accepted
	AttemptInfra    AttemptState = "infra"    // endpoint, client or machine failed: it does not count
	AttemptLost     AttemptState = "lost"     // its orchestrator died
)

// Attempt is a row of table attempts.
type Attempt struct {
	Run       RunID        `json:"run"`
	Task      string       `json:"task"`
	Number    int          `json:"number"` // 1, 2, … also those that do not count
	Fence     string       `json:"-"`      // secret of this attempt: only who knows it may report
	Kind      AttemptKind  `json:"kind"`
	Session   string       `json:"session,omitempty"`
	PID       int          `json:"pid,omitempty"`       // of the worker's process group leader; 0 before it started
	PIDStart  int64        `json:"pid_start,omitempty"` // start time of that process in clock ticks since boot, so that a reused number is not mistaken for it
	State     AttemptState `json:"state"`
	Failure   string       `json:"failure,omitempty"`
	Usage     Usage        `json:"usage"`
	CostUSD   float64      `json:"cost_usd"` // 0 without prices
	StartedAt time.Time    `json:"started_at"`
	EndedAt   time.Time    `json:"ended_at,omitzero"`
}
