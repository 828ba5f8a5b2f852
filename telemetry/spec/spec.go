// Package spec reads what people and agents say about a piece of work: the command at the beginning of a prompt, the kind of work that a
// request asks for, and the marker file active-spec.json. It owns no table and no file; what follows from it is decided in telemetry.
package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Verb is what a prompt asks of devflow.
type Verb string

// The verbs that a person can type. VerbNotice marks a prompt that the client wrote itself.
const (
	VerbNone   Verb = ""
	VerbStart  Verb = "spec"
	VerbPause  Verb = "pause"
	VerbResume Verb = "resume"
	VerbAbort  Verb = "unspec"
	VerbNotice Verb = "notice"
	VerbFlock  Verb = "flock" // asks for a run of devflock, and nothing of the spec
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
	case "flock":
		return Command{Verb: VerbFlock, Text: args}
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

// Encode is the marker as it is written.
func (m Marker) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode spec marker: %w", err)
	}
	return append(b, '\n'), nil
}

// Claim is the state, in the words of table tasks, that a marker may claim; "" for words that an agent has no say in (ABORTED, EXPIRED)
// and for unknown ones.
func (m Marker) Claim() string {
	switch s := strings.ToLower(strings.TrimSpace(m.Status)); s {
	case "pending", "implementing", "paused", "completed":
		return s
	case "in_progress":
		return "implementing"
	}
	return ""
}

// AsksUser tells whether a message of the assistant ends in a question.
func AsksUser(message string) bool {
	message = strings.TrimRight(message, " \t\r\n*_`\"')]>”’»")
	return strings.HasSuffix(message, "?") || strings.HasSuffix(message, "？")
}
