package claude

// The events whose input or output this package knows by name. Other names pass through Decode unchanged.
const (
	EventSessionStart        = "SessionStart"
	EventUserPromptSubmit    = "UserPromptSubmit"
	EventUserPromptExpansion = "UserPromptExpansion"
	EventPreToolUse          = "PreToolUse"
	EventPostToolUse         = "PostToolUse"
	EventPostToolUseFailure  = "PostToolUseFailure"
	EventSubagentStart       = "SubagentStart"
	EventSubagentStop        = "SubagentStop"
	EventStop                = "Stop"
	EventStopFailure         = "StopFailure"
	EventPreCompact          = "PreCompact"
	EventPostCompact         = "PostCompact"
	EventCwdChanged          = "CwdChanged"
	EventSessionEnd          = "SessionEnd"
)

// KnownEvent reports whether Claude Code 2.1.197 has an event of that name; the client lists 30.
func KnownEvent(name string) bool {
	switch name {
	case EventSessionStart, EventUserPromptSubmit, EventUserPromptExpansion, EventPreToolUse, EventPostToolUse,
		EventPostToolUseFailure, EventSubagentStart, EventSubagentStop, EventStop, EventStopFailure, EventPreCompact,
		EventPostCompact, EventCwdChanged, EventSessionEnd,
		"PostToolBatch", "Notification", "PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated",
		"TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove",
		"InstructionsLoaded", "FileChanged", "MessageDisplay":
		return true
	}
	return false
}
