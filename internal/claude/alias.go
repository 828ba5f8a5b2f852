package claude

import (
	"context"

	"github.com/devflow-suite/devflow/internal/claude/settings"
	"github.com/devflow-suite/devflow/internal/claude/transcript"
)

// What the packages transcript and settings define, under the names of this package's vocabulary.
type (
	Line       = transcript.Line
	ToolUse    = transcript.ToolUse
	HookRun    = transcript.HookRun
	Usage      = transcript.Usage
	Settings   = settings.Settings
	EventHooks = settings.EventHooks
	Group      = settings.Group
	Handler    = settings.Handler
	Problem    = settings.Problem
	Effect     = settings.Effect
)

// SyntheticModel is transcript.SyntheticModel.
const SyntheticModel = transcript.SyntheticModel

// The effects of a settings problem, as package settings has them.
const (
	EffectNone  = settings.EffectNone
	EffectEvent = settings.EffectEvent
	EffectHooks = settings.EffectHooks
	EffectFile  = settings.EffectFile
)

// ErrOffset is transcript.ErrOffset.
var ErrOffset = transcript.ErrOffset

// ReadTranscript is transcript.Read.
func ReadTranscript(path string, from int64, each func(Line) error) (next int64, err error) {
	return transcript.Read(path, from, each)
}

// WaitTail is transcript.WaitTail.
func WaitTail(ctx context.Context, path, lastMessage string) bool {
	return transcript.WaitTail(ctx, path, lastMessage)
}

// SubagentFiles is transcript.SubagentFiles.
func SubagentFiles(transcriptPath string) ([]string, error) {
	return transcript.SubagentFiles(transcriptPath)
}

// ParseSettings is settings.Parse.
func ParseSettings(data []byte) (Settings, error) { return settings.Parse(data) }

// KnownEvent is settings.KnownEvent.
func KnownEvent(name string) bool { return settings.KnownEvent(name) }
