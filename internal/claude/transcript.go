package claude

import (
	"context"

	"github.com/devflow-suite/devflow/internal/claude/transcript"
)

// The transcript's types, under the names that belong to this package's vocabulary.
type (
	Line    = transcript.Line
	ToolUse = transcript.ToolUse
	HookRun = transcript.HookRun
	Usage   = transcript.Usage
)

// SyntheticModel is the model of lines that the client made up itself.
const SyntheticModel = transcript.SyntheticModel

// ErrOffset is transcript.ErrOffset.
var ErrOffset = transcript.ErrOffset

// ReadTranscript is transcript.Read.
func ReadTranscript(path string, from int64, each func(Line) error) (next int64, err error) {
	return transcript.Read(path, from, each)
}

// TailHas is transcript.TailHas.
func TailHas(path, text string) bool { return transcript.TailHas(path, text) }

// WaitTail is transcript.WaitTail.
func WaitTail(ctx context.Context, path, lastMessage string) bool {
	return transcript.WaitTail(ctx, path, lastMessage)
}

// SubagentFiles is transcript.SubagentFiles.
func SubagentFiles(transcriptPath string) ([]string, error) {
	return transcript.SubagentFiles(transcriptPath)
}
