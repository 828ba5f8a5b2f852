package schedule

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/schedule/check"
	"github.com/devflow-suite/devflow/orchestrator/schedule/pool"
	"github.com/devflow-suite/devflow/orchestrator/schedule/retry"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// Trees is what a scheduler needs of a run's trees; *trees.Trees has it.
type Trees interface {
	land.Trees
	Begin(ctx context.Context, region string) (start string, err error)
	Outside(ctx context.Context, region string) ([]string, error)
	Commit(ctx context.Context, region string, m trees.Message) (commit string, changed bool, err error)
	Discard(ctx context.Context, region, label string) (ref string, err error)
	Attempted(ctx context.Context, region, trailer string) (commit string, found bool, err error)
}

// Differ is an optional ability of Trees: the change between two commits, to remind a worker of work that has to be made again.
type Differ interface {
	Diff(ctx context.Context, from, to string) ([]byte, error)
}

// Stander is an optional ability of Trees: whether the region's folders are still where Begin put them. Where they are not, an attempt
// does not go on with the tree as it is.
type Stander interface {
	Stands(region string) (bool, error)
}

// Job is one attempt, as a worker gets it.
type Job struct {
	Region  string
	Task    orchestrator.TaskRow
	Attempt orchestrator.Attempt
	Kind    orchestrator.AttemptKind // = Attempt.Kind
	Failure string                   // what was wrong with the attempt before, bounded; "" when there was none
	// Began must be called once the process runs and its session is known, before the first prompt. After an error nothing may be
	// asked: the attempt is not ours any more. When it was never called, an interrupted attempt starts again from nothing.
	Began func(pid int, start int64, session string) error
	// Used may be called at any time with all that the attempt has used so far, so that the caps of the run hold in its middle.
	Used func(u orchestrator.Usage, costUSD float64)
}

// Report is what a worker says at the end of an attempt.
type Report struct {
	Session  string // of the client; "" = unknown
	Context  int64  // tokens that the session's last request held
	Usage    orchestrator.Usage
	CostUSD  float64
	Text     string // the worker's last words
	MaxTurns bool   // it was stopped by the limit of turns: its work is looked at all the same
}

// Worker works on the tasks of one region, one after the other. When Do returns everything that the attempt has started has ended,
// also when it went well: the tree is looked at then. It returns soon after the end of its context. An *InfraError does not count
// against the task; any other error does. After an error the worker is closed, and a new one is made for the next attempt. The Report
// beside an error is used as far as it goes.
type Worker interface {
	Do(ctx context.Context, j Job) (Report, error)
	Close() error
}

// Recycler is an optional ability of a Worker: have the session write down what the next one must know, and start a new one. done
// are the tasks of the region that are integrated, one line each.
type Recycler interface {
	Recycle(ctx context.Context, done []string) error
}

// InfraError says that endpoint, client or machine failed, and not the work.
type InfraError struct {
	Err   error
	After time.Duration // the endpoint asked not to be tried sooner; 0 = nothing said
}

// Error is that of the cause.
func (e *InfraError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *InfraError) Unwrap() error { return e.Err }

// Check is a command to run on a tree, Verdict what it came to, Verifier who runs it.
type (
	Check    = check.Check
	Verdict  = land.Verdict
	Verifier = check.Verifier
)

// What a judge is shown, and what it says; see package check.
type (
	Change = check.Change
	Ruling = check.Ruling
	Judge  = check.Judge
)

// Region is where a region's worker works.
type Region struct {
	Name string
	Dir  string // absolute: the project's folder in its work tree (trees.Tree.Dir)
}

// Options say what to drive and with what. Zero values are as documented; Run, Ledger, Trees, Worker, Verifier and Regions are
// wanted.
type Options struct {
	Run      orchestrator.RunID
	Ledger   *orchestrator.Ledger
	Trees    Trees
	Worker   func(region string) (Worker, error) // makes it, fast; an error counts as infrastructure
	Verifier Verifier
	Judge    Judge // nil = none
	Regions  []Region
	Settings orchestrator.Settings

	Stagger time.Duration // between the starts of two workers
	Backoff Backoff
	Grace   time.Duration // that a worker has to return after the end of its context; 0 = one minute
	Recycle func(region string) int64
	Weight  func(orchestrator.TaskRow) float64 // expected work; nil = a module's weight, spread evenly over its tasks
	// Wake makes the scheduler look at the ledger again, after a request for instance; it also does at every end of an attempt.
	Wake <-chan struct{}
	// Move gives a region another endpoint after infrastructure failed too often there; false = there is none. nil = never.
	Move func(ctx context.Context, region string, cause error) bool
	// Orphan ends the process of an attempt whose orchestrator died; nil = proc.StopGroup. An error ends the run: a process that
	// cannot be ended may still write.
	Orphan func(ctx context.Context, a orchestrator.Attempt) error

	Observe func(Event) // called one at a time, must not block; nil = nobody
	Now     func() time.Time
	Log     *slog.Logger // nil = none
}

// Backoff says how to go on after infrastructure failed.
type Backoff = retry.Backoff

// Pool runs independent pieces of work.
type Pool = pool.Pool

// Summary is how a run stands at the end of Run.
type Summary struct {
	State       orchestrator.RunState
	Reason      string // why it stopped or failed; "" when done
	Integration string // commit
	Done        int
	Failed      []string // ids of tasks
	Blocked     []string
	Open        []string // neither: a later Run goes on with them
	Usage       orchestrator.Usage
	CostUSD     float64
}

// EventKind says what happened.
type EventKind string

// The kinds.
const (
	RunStarted    EventKind = "run_started"
	RunEnded      EventKind = "run_ended" // Text: state and reason
	TaskStarted   EventKind = "task_started"
	TaskRejected  EventKind = "task_rejected" // Text: the failure, bounded
	TaskInfra     EventKind = "task_infra"    // does not count
	TaskVerified  EventKind = "task_verified"
	TaskAdopted   EventKind = "task_adopted" // the work of an attempt whose orchestrator died
	TaskReturned  EventKind = "task_returned"
	TaskDone      EventKind = "task_done"
	TaskFailed    EventKind = "task_failed"
	TaskBlocked   EventKind = "task_blocked"
	TaskAdded     EventKind = "task_added" // a region asked for it
	JudgeNote     EventKind = "judge_note"
	RegionParked  EventKind = "region_parked" // nothing more is tried there in this Run
	RegionMoved   EventKind = "region_moved"  // to another endpoint
	SessionFresh  EventKind = "session_fresh" // the session was replaced
	MergeConflict EventKind = "merge_conflict"
	MergeRed      EventKind = "merge_red"
	TestFlaky     EventKind = "test_flaky"
	TestRed       EventKind = "test_red" // red, and nobody of this run made it so
	MergeInfra    EventKind = "merge_infra"
)

// Event is a line for people. Rows of the ledger say the same, durably.
type Event struct {
	At      time.Time             `json:"at"`
	Kind    EventKind             `json:"kind"`
	Region  string                `json:"region,omitempty"`
	Task    string                `json:"task,omitempty"`
	Attempt int                   `json:"attempt,omitempty"`
	Text    string                `json:"text,omitempty"`
	Usage   orchestrator.Usage    `json:"usage,omitzero"` // of the attempt that ended
	CostUSD float64               `json:"cost_usd,omitempty"`
	Wait    time.Duration         `json:"wait,omitempty"` // until the next try
	State   orchestrator.RunState `json:"state,omitempty"`
}

// ErrOptions says that something wanted is missing or contradictory.
var ErrOptions = errors.New("options of the scheduler")
