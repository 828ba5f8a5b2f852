// Package transcript reads the session transcripts that Claude Code writes: JSON lines, one content block each, of any
// length, still growing while they are read.
//
// It owns no file and no table. It extracts what governance needs of a line in one pass with bounded memory (one buffer of
// 256 KiB and the bounds of Line), whatever the size of the line. It looks at the structure only as far as that needs: a
// line that is not one closed object is broken, but a number that is none inside a skipped value is not noticed. The shapes
// are those of 2.1.197 and 2.1.332.
package transcript

import (
	"encoding/json"
	"time"
)

// Line is what governance needs of one transcript line. It shares no memory with the reader.
type Line struct {
	Offset    int64  // of the first byte
	End       int64  // one past the newline
	Type      string // assistant, user, system, attachment, …
	Subtype   string // system lines
	PromptID  string // user lines only
	UUID      string // may be missing on lines of other types than assistant, user and system
	AgentID   string // "" in the main transcript
	RequestID string
	Sidechain bool
	At        time.Time // as UUID; zero when it is not RFC 3339

	Broken bool // not one whole JSON object; only Offset and End are set

	Usage    *Usage    // assistant lines with message.usage
	ToolUses []ToolUse // assistant lines, at most MaxToolUses
	Text     string    // assistant lines: the end of the last text block, at most MaxText bytes

	Prompt         bool  // a user line with text, not only tool results
	Meta           bool  // a user line that the client wrote by itself, such as a Stop hook's feedback
	CompactSummary bool  // the user line that opens a compacted context
	CompactTokens  int64 // system/compact_boundary: tokens before it

	Hook *HookRun // attachment lines about a hook
}

// ToolUse is one tool call of an assistant line.
type ToolUse struct {
	ID    string
	Name  string
	Input json.RawMessage // nil when larger than MaxToolInput
}

// HookRun is one hook execution that the client found worth a line. A hook that succeeds silently leaves none.
type HookRun struct {
	Kind       string // hook_success, hook_non_blocking_error, hook_blocking_error, hook_cancelled, hook_system_message, …
	Name       string // hookName, e.g. PreToolUse:Bash
	Event      string // hookEvent
	Command    string // absent on hook_cancelled; at most MaxText bytes
	ExitCode   int
	DurationMS int64 // milliseconds
	TimedOut   bool
}

// Bounds on what a Line may hold.
const (
	MaxText      = 8 << 10 // bytes
	MaxToolInput = 8 << 10 // bytes
	MaxToolUses  = 64
	maxName      = 1 << 10 // bytes of ids and names; longer ones count as absent
)
