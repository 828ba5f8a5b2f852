package telemetry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// SpecStatus is where the spec of a task stands.
type SpecStatus string

// The states of a spec. Completed is a claim: it calls for a verdict and never replaces one.
const (
	SpecNone         SpecStatus = "none"
	SpecPending      SpecStatus = "pending"
	SpecImplementing SpecStatus = "implementing"
	SpecPaused       SpecStatus = "paused"
	SpecCompleted    SpecStatus = "completed"
	SpecAborted      SpecStatus = "aborted"
	SpecExpired      SpecStatus = "expired"
)

// specLifeMS is how long an unfinished spec lives after it began or was resumed.
const specLifeMS = 24 * 60 * 60 * 1000

// Active tells whether the spec is neither absent nor over.
func (s SpecStatus) Active() bool {
	return s == SpecPending || s == SpecImplementing || s == SpecPaused
}

// SpecEvent is what may happen to a spec.
type SpecEvent int

// The events of the machine in governance 3.3. Starting is not among them: it begins a task.
const (
	EventEdit SpecEvent = iota + 1 // first source edit, or the marker says so
	EventPause
	EventResume
	EventAbort // typed by a person, or superseded by another spec
	EventComplete
	EventExpire
)

// Next is the state after an event; ok is false, and the state unchanged, where the event is not legal. edited tells whether the task
// has a source edit: a resumed spec goes back to where it was.
func (s SpecStatus) Next(e SpecEvent, edited bool) (next SpecStatus, ok bool) {
	switch {
	case e == EventEdit && s == SpecPending:
		return SpecImplementing, true
	case e == EventPause && (s == SpecPending || s == SpecImplementing):
		return SpecPaused, true
	case e == EventResume && s == SpecPaused && edited:
		return SpecImplementing, true
	case e == EventResume && s == SpecPaused:
		return SpecPending, true
	case e == EventAbort && s.Active():
		return SpecAborted, true
	case e == EventComplete && s == SpecImplementing:
		return SpecCompleted, true
	case e == EventExpire && s.Active():
		return SpecExpired, true
	}
	return s, false
}

// Verb is what a prompt asks of the spec.
type Verb string

// The verbs that a person can type. VerbNotice marks a prompt that the client wrote itself.
const (
	VerbNone   Verb = ""
	VerbStart  Verb = "spec"
	VerbPause  Verb = "pause"
	VerbResume Verb = "resume"
	VerbAbort  Verb = "unspec"
	VerbNotice Verb = "notice"
)

// Command is a parsed prompt.
type Command struct {
	Verb   Verb   `json:"verb,omitempty"`
	Bugfix bool   `json:"bugfix,omitempty"` // /spec fix…
	Text   string `json:"-"`                // what follows the command, raw: not for the store
}

// ParsePrompt reads the command at the beginning of a prompt. name and args are those of a UserPromptExpansion event, "" for a
// UserPromptSubmit. Only a whole word at the very beginning is a command: a path like app/spec/models is none.
func ParsePrompt(prompt, name, args string) Command {
	if strings.HasPrefix(prompt, "<task-notification>") {
		return Command{Verb: VerbNotice}
	}
	if name == "" {
		rest := strings.TrimLeft(prompt, " \t\r\n\f\v")
		if !strings.HasPrefix(rest, "/") {
			return Command{}
		}
		name, args = rest[1:], ""
		if i := strings.IndexAny(name, " \t\r\n\f\v"); i >= 0 {
			name, args = name[:i], name[i:]
		}
	}
	args = strings.TrimSpace(args)
	// A user who has commands of these names gets ours with the prefix.
	switch strings.TrimPrefix(name, "devflow-") {
	case "pause":
		return Command{Verb: VerbPause}
	case "unspec":
		return Command{Verb: VerbAbort}
	case "spec":
		if args == "resume" {
			return Command{Verb: VerbResume}
		}
		return Command{Verb: VerbStart, Bugfix: startsWithFix(args), Text: args}
	}
	return Command{}
}

func startsWithFix(args string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(args), "fix")
	return ok && (rest == "" || !isWordByte(rest[0]))
}

// Marker is the file state/<session>/active-spec.json, which skills write and people read.
type Marker struct {
	Status    string `json:"status"` // PENDING IMPLEMENTING PAUSED COMPLETED; in_progress is the old name of IMPLEMENTING
	PlanPath  string `json:"plan_path"`
	StartedAt int64  `json:"started_at"` // unix seconds
	Cwd       string `json:"cwd"`
}

// ParseMarker reads a marker. A file that is no JSON object of these fields is an error and must change nothing.
func ParseMarker(data []byte) (Marker, error) {
	var m struct {
		Status    string  `json:"status"`
		PlanPath  string  `json:"plan_path"`
		StartedAt float64 `json:"started_at"` // scripts write fractions
		Cwd       string  `json:"cwd"`
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := json.Unmarshal(data, &m); err != nil {
		return Marker{}, fmt.Errorf("parse spec marker: %w", err)
	}
	if m.Status == "" {
		return Marker{}, fmt.Errorf("parse spec marker: no status")
	}
	if m.StartedAt < 0 || m.StartedAt > 1<<40 {
		m.StartedAt = 0
	}
	return Marker{Status: m.Status, PlanPath: m.PlanPath, StartedAt: int64(m.StartedAt), Cwd: m.Cwd}, nil
}

// status is the marker's word as a state; "" for words that an agent has no say in (ABORTED, EXPIRED) and for unknown ones.
func (m Marker) status() SpecStatus {
	switch strings.ToLower(strings.TrimSpace(m.Status)) {
	case "pending":
		return SpecPending
	case "implementing", "in_progress":
		return SpecImplementing
	case "paused":
		return SpecPaused
	case "completed":
		return SpecCompleted
	}
	return ""
}

// ExportSpec is the marker for a task, ready to be written; nil when the task has no spec.
func ExportSpec(t *Task) ([]byte, error) {
	if t == nil || t.SpecStatus == SpecNone || t.SpecStatus == "" {
		return nil, nil
	}
	b, err := json.MarshalIndent(Marker{
		Status: strings.ToUpper(string(t.SpecStatus)), PlanPath: t.PlanPath, StartedAt: t.SpecMS / 1000, Cwd: t.Cwd,
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode spec marker: %w", err)
	}
	return append(b, '\n'), nil
}
