package claude

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/devflow-suite/devflow/internal/claude/scan"
)

// ErrNotObject reports hook input that is JSON but not an object. Other errors of Decode are syntax errors.
var ErrNotObject = errors.New("decode hook input: not a JSON object")

// Bounds on what Decode collects from hostile input, so that memory stays below twice the input.
const (
	maxExtra = 1024 // unknown members; later ones are dropped
	maxList  = 4096 // background tasks, edits
)

// The members that have a field in Input, in the order of the fields.
const (
	inSessionID = iota
	inTranscriptPath
	inCwd
	inEvent
	inPromptID
	inPermissionMode
	inAgentID
	inAgentType
	inEffort
	inToolName
	inToolUseID
	inToolInput
	inToolResponse
	inError
	inIsInterrupt
	inDurationMS
	inPrompt
	inExpansionType
	inCommandName
	inCommandArgs
	inCommandSource
	inSource
	inModel
	inReason
	inTrigger
	inCustomInstructions
	inCompactSummary
	inStopHookActive
	inLastAssistantMessage
	inBackgroundTasks
	inAgentTranscriptPath
	inOldCwd
	inNewCwd
	inUnknown
)

var inputNames = [inUnknown]string{
	"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode", "agent_id", "agent_type", "effort",
	"tool_name", "tool_use_id", "tool_input", "tool_response", "error", "is_interrupt", "duration_ms",
	"prompt", "expansion_type", "command_name", "command_args", "command_source",
	"source", "model", "reason", "trigger", "custom_instructions", "compact_summary",
	"stop_hook_active", "last_assistant_message", "background_tasks", "agent_transcript_path", "old_cwd", "new_cwd",
}

// Decode reads one hook event. A byte order mark and white space around the object are accepted, of duplicate members the
// last one counts, and a member of a wrong type never makes it fail. After a syntax error the Input holds the members that
// were complete before the fault: enough to choose a fail direction, not to act on. Input keeps slices of data.
func Decode(data []byte) (Input, error) {
	var in Input
	start := 0
	if len(data) >= 3 && data[0] == 0xef && data[1] == 0xbb && data[2] == 0xbf {
		start = 3
	}
	w, ok := scan.Object(data, start, 0)
	if !ok {
		end, err := scan.Value(data, start, 0)
		if err == nil && scan.Space(data, end) == len(data) {
			return in, ErrNotObject
		}
		return in, syntaxError(end, err)
	}
	var raw [inUnknown][]byte
	for {
		name, value, ok := w.Next()
		if !ok {
			break
		}
		if i := inputIndex(scan.Name(name)); i < inUnknown {
			raw[i] = value
		} else {
			in.keep(scan.Unquote(name), value)
		}
	}
	in.fill(&raw)
	end, err := w.End()
	if err != nil {
		return in, syntaxError(end, err)
	}
	if end = scan.Space(data, end); end < len(data) {
		return in, syntaxError(end, scan.ErrSyntax)
	}
	return in, nil
}

func syntaxError(offset int, err error) error {
	if err == nil {
		err = scan.ErrSyntax
	}
	return fmt.Errorf("decode hook input: %w at byte %d", err, offset)
}

func inputIndex(name []byte) int {
	switch string(name) {
	case "session_id":
		return inSessionID
	case "transcript_path":
		return inTranscriptPath
	case "cwd":
		return inCwd
	case "hook_event_name":
		return inEvent
	case "prompt_id":
		return inPromptID
	case "permission_mode":
		return inPermissionMode
	case "agent_id":
		return inAgentID
	case "agent_type":
		return inAgentType
	case "effort":
		return inEffort
	case "tool_name":
		return inToolName
	case "tool_use_id":
		return inToolUseID
	case "tool_input":
		return inToolInput
	case "tool_response":
		return inToolResponse
	case "error":
		return inError
	case "is_interrupt":
		return inIsInterrupt
	case "duration_ms":
		return inDurationMS
	case "prompt":
		return inPrompt
	case "expansion_type":
		return inExpansionType
	case "command_name":
		return inCommandName
	case "command_args":
		return inCommandArgs
	case "command_source":
		return inCommandSource
	case "source":
		return inSource
	case "model":
		return inModel
	case "reason":
		return inReason
	case "trigger":
		return inTrigger
	case "custom_instructions":
		return inCustomInstructions
	case "compact_summary":
		return inCompactSummary
	case "stop_hook_active":
		return inStopHookActive
	case "last_assistant_message":
		return inLastAssistantMessage
	case "background_tasks":
		return inBackgroundTasks
	case "agent_transcript_path":
		return inAgentTranscriptPath
	case "old_cwd":
		return inOldCwd
	case "new_cwd":
		return inNewCwd
	}
	return inUnknown
}

// keep stores an unknown member.
func (in *Input) keep(name string, value []byte) {
	if in.Extra == nil {
		in.Extra = make(map[string]json.RawMessage)
	}
	if _, again := in.Extra[name]; again || len(in.Extra) < maxExtra {
		in.Extra[name] = value
	}
}

// fill sets every field from its raw value.
func (in *Input) fill(raw *[inUnknown][]byte) {
	for i, v := range raw {
		if len(v) == 0 || in.set(i, v) || v[0] == 'n' && i != inToolInput {
			continue
		}
		in.Malformed = append(in.Malformed, inputNames[i])
		if i != inToolInput {
			in.keep(inputNames[i], v)
		}
	}
}

// set sets the field of one member; false means that the value has a wrong type.
func (in *Input) set(i int, v []byte) bool {
	ok := true
	switch i {
	case inToolInput:
		in.ToolInput = v
		return v[0] == '{'
	case inToolResponse:
		in.ToolResponse = v
	case inEffort:
		in.Effort, ok = effort(v)
	case inBackgroundTasks:
		in.BackgroundTasks, ok = backgroundTasks(v)
	case inDurationMS:
		in.DurationMS, ok = scan.Int(v)
	case inIsInterrupt:
		in.IsInterrupt, ok = boolean(v)
	case inStopHookActive:
		in.StopHookActive, ok = boolean(v)
	case inSessionID:
		return text(&in.SessionID, v)
	case inTranscriptPath:
		return text(&in.TranscriptPath, v)
	case inCwd:
		return text(&in.Cwd, v)
	case inEvent:
		return text(&in.Event, v)
	case inPromptID:
		return text(&in.PromptID, v)
	case inPermissionMode:
		return text(&in.PermissionMode, v)
	case inAgentID:
		return text(&in.AgentID, v)
	case inAgentType:
		return text(&in.AgentType, v)
	case inToolName:
		return text(&in.ToolName, v)
	case inToolUseID:
		return text(&in.ToolUseID, v)
	case inError:
		return text(&in.Error, v)
	case inPrompt:
		return text(&in.Prompt, v)
	case inExpansionType:
		return text(&in.ExpansionType, v)
	case inCommandName:
		return text(&in.CommandName, v)
	case inCommandArgs:
		return text(&in.CommandArgs, v)
	case inCommandSource:
		return text(&in.CommandSource, v)
	case inSource:
		return text(&in.Source, v)
	case inModel:
		return text(&in.Model, v)
	case inReason:
		return text(&in.Reason, v)
	case inTrigger:
		return text(&in.Trigger, v)
	case inCustomInstructions:
		return text(&in.CustomInstructions, v)
	case inCompactSummary:
		return text(&in.CompactSummary, v)
	case inLastAssistantMessage:
		return text(&in.LastAssistantMessage, v)
	case inAgentTranscriptPath:
		return text(&in.AgentTranscriptPath, v)
	case inOldCwd:
		return text(&in.OldCwd, v)
	case inNewCwd:
		return text(&in.NewCwd, v)
	}
	return ok
}

func text(dst *string, v []byte) bool {
	if v[0] != '"' {
		return false
	}
	*dst = scan.Unquote(v)
	return true
}

func boolean(v []byte) (value, ok bool) { return v[0] == 't', v[0] == 't' || v[0] == 'f' }

// effort reads {"level":"high"}, or a bare string.
func effort(v []byte) (string, bool) {
	if v[0] == '"' {
		return scan.Unquote(v), true
	}
	level, ok := "", v[0] == '{'
	w := scan.Members(v)
	for name, value, more := w.Next(); more; name, value, more = w.Next() {
		if scan.Equal(name, "level") {
			if ok = value[0] == '"'; ok {
				level = scan.Unquote(value)
			}
		}
	}
	return level, ok
}

func backgroundTasks(v []byte) (tasks []BackgroundTask, ok bool) {
	w := scan.Elements(v)
	for _, item, more := w.Next(); more && len(tasks) < maxList; _, item, more = w.Next() {
		var t BackgroundTask
		if item[0] != '{' {
			continue
		}
		o := scan.Members(item)
		for name, value, more := o.Next(); more; name, value, more = o.Next() {
			var dst *string
			switch string(scan.Name(name)) {
			case "id":
				dst = &t.ID
			case "type":
				dst = &t.Type
			case "status":
				dst = &t.Status
			case "description":
				dst = &t.Description
			case "agent_type":
				dst = &t.AgentType
			}
			setText(dst, value)
		}
		tasks = append(tasks, t)
	}
	return tasks, v[0] == '['
}

// setText sets *dst to the string value; a value of another type empties it, as the last member of a name counts. A nil dst
// is ignored.
func setText(dst *string, value []byte) {
	switch {
	case dst == nil:
	case value[0] == '"':
		*dst = scan.Unquote(value)
	default:
		*dst = ""
	}
}
