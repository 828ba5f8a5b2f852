package settings

// KnownEvent reports whether a measured client has an event of that name: the 30 of 2.1.197 and four more of 2.1.332.
func KnownEvent(name string) bool {
	switch name {
	case "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
		"UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact",
		"PostCompact", "PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted",
		"Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged",
		"FileChanged", "MessageDisplay",
		"PreModelSwitch", "PostModelSwitch", "DirectoryAdded", "PreSkillShellCommand":
		return true
	}
	return false
}
