package claude

import (
	"bytes"
	"encoding/json"
	"errors"
)

// ErrNotObject reports hook input that is JSON but not an object. Other errors of Decode are syntax errors.
var ErrNotObject = errors.New("decode hook input: not a JSON object")

// Decode reads one hook event. A byte order mark and white space around the object are accepted, of duplicate members the
// last one counts, and a member of a wrong type never makes it fail. After a syntax error the Input holds the members that
// were complete before the fault: enough to choose a fail direction, not to act on.
func Decode(data []byte) (Input, error) {
	var in Input
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		if json.Valid(data) {
			return in, ErrNotObject
		}
		return in, err
	}
	if m == nil {
		return in, ErrNotObject
	}
	str := func(key string, dst *string) {
		if v, ok := m[key]; ok {
			if json.Unmarshal(v, dst) != nil {
				in.Malformed = append(in.Malformed, key)
				return
			}
			delete(m, key)
		}
	}
	boolean := func(key string, dst *bool) {
		if v, ok := m[key]; ok {
			if json.Unmarshal(v, dst) != nil {
				in.Malformed = append(in.Malformed, key)
				return
			}
			delete(m, key)
		}
	}
	str("session_id", &in.SessionID)
	str("transcript_path", &in.TranscriptPath)
	str("cwd", &in.Cwd)
	str("hook_event_name", &in.Event)
	str("prompt_id", &in.PromptID)
	str("permission_mode", &in.PermissionMode)
	str("agent_id", &in.AgentID)
	str("agent_type", &in.AgentType)
	str("tool_name", &in.ToolName)
	str("tool_use_id", &in.ToolUseID)
	str("error", &in.Error)
	str("prompt", &in.Prompt)
	str("expansion_type", &in.ExpansionType)
	str("command_name", &in.CommandName)
	str("command_args", &in.CommandArgs)
	str("command_source", &in.CommandSource)
	str("source", &in.Source)
	str("model", &in.Model)
	str("reason", &in.Reason)
	str("trigger", &in.Trigger)
	str("custom_instructions", &in.CustomInstructions)
	str("compact_summary", &in.CompactSummary)
	str("last_assistant_message", &in.LastAssistantMessage)
	str("agent_transcript_path", &in.AgentTranscriptPath)
	str("old_cwd", &in.OldCwd)
	str("new_cwd", &in.NewCwd)
	boolean("is_interrupt", &in.IsInterrupt)
	boolean("stop_hook_active", &in.StopHookActive)
	in.ToolInput, in.ToolResponse = m["tool_input"], m["tool_response"]
	delete(m, "tool_input")
	delete(m, "tool_response")
	if v, ok := m["effort"]; ok {
		var e struct{ Level string }
		if json.Unmarshal(v, &e) == nil {
			in.Effort = e.Level
			delete(m, "effort")
		}
	}
	if v, ok := m["duration_ms"]; ok && json.Unmarshal(v, &in.DurationMS) == nil {
		delete(m, "duration_ms")
	}
	if v, ok := m["background_tasks"]; ok {
		var ts []struct {
			ID, Type, Status, Description string
			AgentType                     string `json:"agent_type"`
		}
		if json.Unmarshal(v, &ts) == nil {
			for _, t := range ts {
				in.BackgroundTasks = append(in.BackgroundTasks, BackgroundTask(t))
			}
			delete(m, "background_tasks")
		}
	}
	if len(m) > 0 {
		in.Extra = m
	}
	return in, nil
}

// Tool decodes the tool's input. It scans ToolInput at each call; keep the result.
func (in *Input) Tool() ToolIn {
	var t ToolIn
	var w struct {
		FilePath        string `json:"file_path"`
		Content         string `json:"content"`
		OldString       string `json:"old_string"`
		NewString       string `json:"new_string"`
		ReplaceAll      bool   `json:"replace_all"`
		NotebookPath    string `json:"notebook_path"`
		NewSource       string `json:"new_source"`
		Command         string `json:"command"`
		Description     string `json:"description"`
		RunInBackground bool   `json:"run_in_background"`
		Prompt          string `json:"prompt"`
		SubagentType    string `json:"subagent_type"`
	}
	if json.Unmarshal(in.ToolInput, &w) != nil {
		return t
	}
	t.FilePath, t.Content, t.OldString, t.NewString, t.ReplaceAll = w.FilePath, w.Content, w.OldString, w.NewString, w.ReplaceAll
	t.NotebookPath, t.NewSource, t.Command, t.Description = w.NotebookPath, w.NewSource, w.Command, w.Description
	t.RunInBackground, t.Prompt, t.SubagentType = w.RunInBackground, w.Prompt, w.SubagentType
	return t
}

// Response decodes the tool's response. It scans ToolResponse at each call; keep the result.
func (in *Input) Response() ToolOut {
	var t ToolOut
	var w struct {
		Type             string
		FilePath         string
		Content          string
		OriginalFile     *string
		Stdout, Stderr   string
		Interrupted      bool
		BackgroundTaskID string
		StructuredPatch  []struct{ Lines []string }
	}
	if json.Unmarshal(in.ToolResponse, &w) != nil {
		return t
	}
	t.Kind, t.FilePath, t.Content, t.Stdout, t.Stderr = w.Type, w.FilePath, w.Content, w.Stdout, w.Stderr
	t.Interrupted, t.BackgroundTaskID = w.Interrupted, w.BackgroundTaskID
	if w.OriginalFile != nil {
		t.OriginalFile, t.HasOriginal = *w.OriginalFile, true
	}
	for _, h := range w.StructuredPatch {
		for _, l := range h.Lines {
			switch {
			case len(l) > 0 && l[0] == '+':
				t.Added++
			case len(l) > 0 && l[0] == '-':
				t.Removed++
			}
		}
	}
	return t
}
