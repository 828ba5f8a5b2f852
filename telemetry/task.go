package telemetry

import (
	"strconv"
)

// State is where a task stands with its judge and breaker.
type State string

// The states of a task. Passed and Warned turn into Stale by the next source edit; Halted and Emergency end only by Resume.
const (
	Idle      State = "idle"
	Judging   State = "judging"
	Passed    State = "passed"
	Warned    State = "warned"
	Retry     State = "retry"   // failed, attempts left (or no breaker at this level)
	Unknown   State = "unknown" // could not be judged: not a pass, not an attempt
	Halted    State = "halted"  // the last attempt failed
	Emergency State = "emergency"
	Stale     State = "stale" // edited after, or while, it was judged
)

// Task is one row of table tasks: the live state of one piece of work in a session. Empty strings stand for NULL.
type Task struct {
	SessionID string
	Seq       int64 // 1, 2, … within the session

	ProjectRoot, Cwd, Branch string
	BaseCommit, BaseTree     string // set once, before the task's first mutating call
	Category, Description    string // Description is redacted by the caller, at most 200 characters

	SpecStatus      SpecStatus
	PlanPath        string
	SpecMS          int64  // when the spec began or was resumed; 0 without a spec
	SpecBlockPrompt string // the prompt whose Stop the spec guard has blocked

	Oversight  string // vibe standard strict human_review; "" before the first score
	P, I, D, R int64  // per mille, meaningful with Oversight

	State         State
	Attempts      int64 // failed verdicts since the last pass or resume
	JudgedSHA     string
	ResumeCode    string
	TokenBaseline int64 // work tokens at the task's start, last pass or resume
	Armed         bool  // the token guard may halt

	TokIn, TokOut, TokRead, TokW5, TokW1h int64
	CostNanoUSD                           int64 // 10⁻⁹ USD
	CostUnknown                           bool  // some tokens had no known price
	Model                                 string
	AfterWork                             int64 // work tokens spent after the task ended
	FirstActionTokens                     int64 // work tokens at the first source edit, meaningful with Edited
	Edited                                bool  // a source edit has happened

	LastPromptID, FirstPromptID string
	Prompts, Stops, Compactions int64
	Reflected                   bool   // its last warning or failure was shown at a prompt
	Drift                       bool   // the harness was worked around
	Rules                       string // comma list of the modules that said something
	CtxWarned                   int64  // context percentage already warned of since the last compaction

	StartedMS, UpdatedMS int64
	EndedMS              int64 // when the task reached its end; the next source edit begins another task. 0 = still going
}

// Work is the number of work tokens spent while this task was the newest.
func (t *Task) Work() int64 { return t.TokIn + t.TokOut + t.TokW5 + t.TokW1h }

// ID is the task's name in task_executions: "<session>#<n>".
func (t *Task) ID() string { return TaskID(t.SessionID, t.Seq) }

// Ended tells whether the task is over, so that the next source edit begins another one.
func (t *Task) Ended() bool { return t.EndedMS != 0 }

// Denied tells whether writing tools are refused until a person resumes: only after an emergency halt. A nil task is not denied.
func (t *Task) Denied() bool { return t != nil && t.State == Emergency }

// Halted tells whether only a person can let the task go on.
func (t *Task) Halted() bool { return t.State == Halted || t.State == Emergency }

// HighRisk tells whether the task is judged while the turn waits.
func (t *Task) HighRisk() bool { return t.Oversight == "strict" || t.Oversight == "human_review" }

// NeedsBase tells whether a base tree has to be taken before the mutating call that is about to happen: there is none yet, or the call
// begins another task. t may be nil.
func (t *Task) NeedsBase() bool { return t == nil || t.Ended() || t.BaseTree == "" }

// FirstRow is the smallest n that a row of the task can have in edits and tool_log, whose numbers grow with time. It allows for a clock
// that was set back by ten minutes; rows of other tasks are told apart by their seq.
func (t *Task) FirstRow() int64 { return (t.StartedMS - 10*60*1000) << idShift }

// TaskID is the name of a task in task_executions.
func TaskID(session string, seq int64) string { return session + "#" + strconv.FormatInt(seq, 10) }

// Base is what a task's diff is measured against.
type Base struct {
	Root   string `json:"root"` // absolute project root
	Branch string `json:"branch"`
	Commit string `json:"commit"` // "" in an empty repository
	Tree   string `json:"tree"`
}

// Delta is what newly read transcript lines add to a task. Costs are 10⁻⁹ USD.
type Delta struct {
	In, Out, Read, W5, W1h int64
	CostNanoUSD            int64
	CostUnknown            bool
	Model                  string // last model seen, "" keeps the known one
}

// Work is the part of the delta that counts as work tokens.
func (d Delta) Work() int64 { return d.In + d.Out + d.W5 + d.W1h }

// Bits of tasks.ctx_warned, said once each: a compaction clears the first two, a new token baseline the third.
const (
	WarnedNear   = 1 << 0 // the context is nearly full
	WarnedFull   = 1 << 1
	WarnedTokens = 1 << 2 // the token limit was passed while the guard was not armed
)

// NoTree stands in a task's BaseTree when the work tree could not be snapshot before the first change: no repository, no
// git, no time. Such a task cannot be judged, and a tree taken later would hide what was changed before.
const NoTree = "none"
