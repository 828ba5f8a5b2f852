package robust_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// answer is every member that a hook may print.
type answer struct {
	Continue      *bool   `json:"continue"`
	StopReason    *string `json:"stopReason"`
	Decision      *string `json:"decision"`
	Reason        *string `json:"reason"`
	SystemMessage *string `json:"systemMessage"`
	Specific      *struct {
		Event    string  `json:"hookEventName"`
		Decision *string `json:"permissionDecision"`
		Reason   *string `json:"permissionDecisionReason"`
		Context  *string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// honoured are the events that take each part of an answer (docs/claude-hooks.md). PreCompact and PostCompact are in none:
// what is printed there ends up in the summary; nobody reads what SessionEnd prints.
var honoured = [...]struct {
	part   string
	events []string
}{
	{"continue", []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"}},
	{"decision", []string{"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "UserPromptExpansion", "Stop", "SubagentStop"}},
	{"permissionDecision", []string{"PreToolUse"}},
	{"additionalContext", []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SubagentStart"}},
	{"systemMessage", []string{
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SubagentStart", "Stop", "SubagentStop",
	}},
}

// valid says what is wrong with the stdout of a hook for an event: it must be empty or exactly one JSON object, with parts
// that the client honours for the event.
func valid(event string, stdout []byte) error {
	if len(stdout) == 0 {
		return nil
	}
	if !utf8.Valid(stdout) || stdout[0] != '{' || stdout[len(stdout)-1] != '}' {
		return errors.New("not exactly one JSON object")
	}
	var a answer
	dec := json.NewDecoder(bytes.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the object")
	}
	return a.check(event)
}

func (a *answer) check(event string) error {
	present := []string{}
	for part, there := range map[string]bool{
		"continue": a.Continue != nil, "decision": a.Decision != nil, "systemMessage": a.SystemMessage != nil,
		"permissionDecision": a.Specific != nil && a.Specific.Decision != nil, "additionalContext": a.Specific != nil && a.Specific.Context != nil,
	} {
		if there {
			present = append(present, part)
		}
	}
	if len(present) == 0 {
		return errors.New("an object that says nothing")
	}
	for _, h := range honoured {
		if slices.Contains(present, h.part) && !slices.Contains(h.events, event) {
			return fmt.Errorf("%q does not take %s", event, h.part)
		}
	}
	switch s := a.Specific; {
	case a.Continue != nil && (*a.Continue || a.StopReason == nil):
		return errors.New("continue without a halt, or a halt without a reason")
	case a.Decision != nil && (*a.Decision != "block" || a.Reason == nil || *a.Reason == ""):
		return errors.New("a decision other than a block with a reason")
	case s != nil && s.Event != event:
		return fmt.Errorf("hookEventName is %q, want %q", s.Event, event)
	case s != nil && s.Decision != nil && (!slices.Contains([]string{"deny", "ask"}, *s.Decision) || s.Reason == nil || *s.Reason == ""):
		return errors.New("a permission decision other than deny and ask with a reason")
	}
	return nil
}
