package claude

import (
	"encoding/json"
	"time"
)

// Line is what governance needs of one transcript line. Strings are copies.
type Line struct {
	Offset    int64 // of the first byte
	End       int64 // one past the newline
	Type      string
	Subtype   string // system lines
	PromptID  string // user lines only
	UUID      string
	AgentID   string // "" in the main transcript
	RequestID string
	Sidechain bool
	At        time.Time

	Broken bool // not one whole JSON object; all other fields but Offset and End are unreliable

	Usage    *Usage // assistant lines with message.usage
	ToolUses []ToolUse
	Text     string // the end of the last text block, at most MaxText bytes

	Prompt         bool  // a user line with text, not only tool results
	CompactSummary bool  // the user line that opens a compacted context
	CompactTokens  int64 // system/compact_boundary: tokens before it

	Hook *HookRun // attachment lines that log a hook
}

// ToolUse is one tool call of an assistant line.
type ToolUse struct {
	ID    string
	Name  string
	Input json.RawMessage // nil when larger than MaxToolInput
}

// HookRun is one logged hook execution. A hook that succeeds silently leaves no line.
type HookRun struct {
	Kind       string // hook_success, hook_non_blocking_error, hook_blocking_error, hook_cancelled
	Name       string // hookName, e.g. PreToolUse:Bash
	Event      string
	Command    string
	ExitCode   int
	DurationMS int64
	TimedOut   bool
}

// Bounds on what a Line may hold, in bytes, so that a transcript line of any size costs bounded memory.
const (
	MaxText      = 8 << 10
	MaxToolInput = 8 << 10
	MaxToolUses  = 64
)
