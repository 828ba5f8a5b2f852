// Package engine is what the command line needs of the libraries below: functions that a main binds and a test replaces, and the
// words that go through them.
//
// It owns no table and does nothing itself.
package engine

import (
	"context"
	"io"
	"time"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/access"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// Endpoint is one that a run may use.
type Endpoint = endpoint.Endpoint

// Shown is an endpoint for people: its address and the ends of its key.
func Shown(e Endpoint) string { return access.Access{URL: e.URL, Key: e.Key}.String() }

// Check is one line of a probe.
type Check struct {
	Check  string `json:"check"`
	Level  string `json:"level"` // PASS, WARN, FAIL, INFO
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // what to do
}

// ProbeRequest says what to probe and how long it may take.
type ProbeRequest struct {
	Endpoint  Endpoint
	Big, Long bool
	Progress  func(doing string) // told what is being done, before it is done; nil = nobody
}

// Probed is what a probe found.
type Probed struct {
	Endpoint Endpoint // with what was found filled in
	OK       bool     // nothing failed
	Checks   []Check
}

// PlanRequest asks a manager for a plan.
type PlanRequest struct {
	Project  trees.Project
	Endpoint Endpoint
	Mode     orchestrator.Mode
	Request  string
	Workers  int // that the person fixed; 0 = no wish
	Settings orchestrator.Settings
}

// Flag is an acceptance command that a person should look at before the run.
type Flag struct {
	Task   string `json:"task"`
	Reason string `json:"reason"`
}

// Order is everything that a run needs to be made.
type Order struct {
	Project   trees.Project
	Base      string // commit; "" = the project's HEAD
	Mode      orchestrator.Mode
	Request   string
	Plan      orchestrator.Plan
	Regions   []orchestrator.Region
	Endpoints []Endpoint        // the first is the manager's
	Assign    map[string]string // region → name of its endpoint
	Settings  orchestrator.Settings
	Run       orchestrator.RunID // a queued run that gets this plan; "" = a new one
	Session   string             // Claude Code session that asked for it
}

// View is a run as the rows and, while somebody drives it, the driver say.
type View struct {
	live.Rows
	Live   *live.Snapshot // what the process that drives it says; nil = none does
	Folder string         // where its files are
	Bytes  int64          // of that folder
}

// Integrated is what integrating by hand has done.
type Integrated struct {
	Branch string   `json:"branch"`
	Commit string   `json:"commit"`
	Tasks  []string `json:"tasks"` // that were integrated now
}

// Removed is what cleaning has done, or would do.
type Removed struct {
	Run   orchestrator.RunID `json:"run"`
	State string             `json:"state"`
	Bytes int64              `json:"bytes"`
	Left  string             `json:"left,omitempty"` // why something stays
}

// Caps are limits of a run that change when it goes on; 0 takes one away.
type Caps struct {
	Tokens              int64
	Money               float64
	SetTokens, SetMoney bool // which of them
}

// System is what an engine needs of the process.
type System struct {
	Getenv  func(string) string
	Environ []string
	Now     func() time.Time
	Exe     string // path of the running executable
}

// Engine does the work. Every function is safe to call once at a time.
type Engine struct {
	Probe     func(ctx context.Context, r ProbeRequest, each func(Check)) (Probed, error)
	Examine   func(ctx context.Context, dir string) (trees.Project, error)
	Init      func(ctx context.Context, dir string) (trees.Project, error)
	Plan      func(ctx context.Context, r PlanRequest, say func(string)) (orchestrator.Plan, error)
	DryRun    func(ctx context.Context, p trees.Project, base string, plan orchestrator.Plan, s orchestrator.Settings) ([]Flag, error) // commands that pass before the work
	Commit    func(ctx context.Context, p trees.Project, rev string) (string, error)
	Prepare   func(ctx context.Context, o Order) (orchestrator.Run, error)
	Drive     func(ctx context.Context, id orchestrator.RunID, observe func(live.Event)) (live.Summary, error)
	Runs      func(limit int) ([]orchestrator.Run, error)
	View      func(ctx context.Context, id orchestrator.RunID) (View, error)
	Swap      func(ctx context.Context, id orchestrator.RunID, e Endpoint) error // replaces the endpoint of that name
	Integrate func(ctx context.Context, id orchestrator.RunID) (Integrated, error)
	Stop      func(ctx context.Context, id orchestrator.RunID) error
	Remove    func(ctx context.Context, id orchestrator.RunID, dry bool) (Removed, error)
	Defaults  func(orchestrator.Settings) (orchestrator.Settings, error) // fills in what is not set
	Endpoints func(path string) ([]Endpoint, error)                      // of an endpoints file
	Log       func(id orchestrator.RunID) (io.ReadCloser, error)         // JSON lines of the run
	Standing  string                                                     // path of the endpoints file for runs that a session asks for
	Workers   int                                                        // to recommend at most, as the user has it; 0 = no wish
	// Recap changes the caps of a run that nobody drives.
	Recap func(run orchestrator.Run, caps Caps) error
	// Hold keeps other processes from planning or driving a run, until release; an error says that one does.
	Hold  func(id orchestrator.RunID) (release func(), err error)
	Fail  func(id orchestrator.RunID, reason string) error // ends a run that cannot be planned
	Save  func(e Endpoint) error                           // for runs that a session asks for
	Close func() error
}
