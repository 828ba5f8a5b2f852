package telemetry

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/devflow-suite/devflow/telemetry/spec"
)

// Fact is everything that one hook event leaves behind. It holds no text of the payload but what the caller redacted (Description,
// Detail), and it is what the spool keeps when the database could not be reached.
type Fact struct {
	ID      int64  `json:"id"` // made by NewFact; makes a replay harmless
	MS      int64  `json:"ms"`
	Session string `json:"session"`
	Event   string `json:"event"`
	Agent   string `json:"agent,omitempty"` // id of the subagent the event happened in; the fact belongs to the parent's session
	Tool    string `json:"tool,omitempty"`
	Prompt  string `json:"prompt,omitempty"` // prompt id, never its text
	Outcome string `json:"outcome,omitempty"`
	US      int64  `json:"us,omitempty"` // µs of the process so far
	Cwd     string `json:"cwd,omitempty"`
	Root    string `json:"root,omitempty"` // absolute project root

	Modules []Module `json:"modules,omitempty"`

	// Tool calls (PreToolUse, PostToolUse, PostToolUseFailure).
	Mutates     bool   `json:"mutates,omitempty"` // a source edit: a writing tool on a file of the project, or a Bash command that changes files
	Path        string `json:"path,omitempty"`    // relative to the project, with slashes
	InputSHA    string `json:"input_sha,omitempty"`
	Runner      string `json:"runner,omitempty"` // test runner of a test command
	Class       string `json:"class,omitempty"`  // read test build mutate … ; "" = other
	Empty       bool   `json:"empty,omitempty"`  // the tool returned nothing
	Detail      string `json:"detail,omitempty"` // failing test: command and output tail, redacted, cut to 1 KB
	Diagnostics int64  `json:"diagnostics,omitempty"`
	DurMS       int64  `json:"dur_ms,omitempty"`
	Edits       []Edit `json:"edits,omitempty"`
	// Tested names implementation files whose tests this edit changed.
	Tested []string `json:"tested,omitempty"`

	Base    *Base    `json:"base,omitempty"`
	Score   *Score   `json:"score,omitempty"`
	Raise   []Signal `json:"raise,omitempty"` // session, task and time are filled in
	Resolve []Key    `json:"resolve,omitempty"`
	Drift   bool     `json:"drift,omitempty"` // a push after a deny, a grab at the harness

	// Prompts (UserPromptSubmit, UserPromptExpansion).
	Command     spec.Command `json:"command,omitzero"`
	Description string       `json:"description,omitempty"` // first line of the request, redacted, at most 200 characters
	Category    string       `json:"category,omitempty"`    // see spec.Categorize

	Marker *spec.Marker `json:"marker,omitempty"` // active-spec.json as an agent left it

	// SubagentStart and SubagentStop.
	AgentType       string `json:"agent_type,omitempty"`
	AgentTranscript string `json:"agent_transcript,omitempty"`
}

// Module is the share of one module in a hook process.
type Module struct {
	Name    string `json:"name"`
	US      int64  `json:"us"`
	Outcome string `json:"outcome"` // ok, or what it said: deny ask ctx block halt message error
}

// Edit is one file changed by a tool call.
type Edit struct {
	Path       string `json:"path"` // relative to the project, with slashes
	Kind       string `json:"kind"` // impl test doc config generated other
	Before     string `json:"before,omitempty"`
	After      string `json:"after,omitempty"` // content hashes, "" = no file
	Created    bool   `json:"created,omitempty"`
	ReadBefore bool   `json:"read_before,omitempty"` // true = known to be read; false = the log is asked
	Added      int64  `json:"added,omitempty"`
	Removed    int64  `json:"removed,omitempty"`
	TestState  string `json:"test_state,omitempty"` // changed exists none noncode
}

// Score is the risk of a task in per mille and the level that follows from it.
type Score struct {
	Level string `json:"level"`
	P     int64  `json:"p"`
	I     int64  `json:"i"`
	D     int64  `json:"d"`
	R     int64  `json:"r"`
}

// NewFact starts a fact about an event that is being handled now. Without a session the fact records nothing.
func NewFact(now time.Time, session, event string) Fact {
	ms := now.UnixMilli()
	return Fact{ID: factID(ms, now.Nanosecond(), os.Getpid()), MS: ms, Session: session, Event: event}
}

// idShift leaves 22 bits beside the 41 of the clock: ids grow with time, and processes of one millisecond differ by clock and pid.
const idShift = 22

func factID(ms int64, nanos, pid int) int64 {
	h := uint32(nanos)*2654435761 ^ uint32(pid)*2246822519
	h ^= h >> 15
	return ms<<idShift | int64(h*3266489917>>(32-idShift))
}

// Encode is the fact as the spool keeps it.
func (f *Fact) Encode() ([]byte, error) {
	b, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode fact: %w", err)
	}
	return b, nil
}
