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
