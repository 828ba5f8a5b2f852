package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Output is what one module, or one whole hook, wants to tell the client. The zero value says nothing. Outputs are values;
// they may be copied and merged, never changed.
type Output struct {
	halt, deny, ask, block []string
	context, rescue        []string
	message                []string
	event                  string // of a context
}

// Context gives text to the model: additionalContext of that event. It is cut at MaxContext bytes together with the other
// contexts of the answer.
func Context(event, text string) Output { return Output{event: event, context: []string{text}} }

// Rescue is a Context for the state that a compaction would lose; its bound is MaxRescue UTF-16 units.
func Rescue(event, text string) Output { return Output{event: event, rescue: []string{text}} }

// Deny refuses the tool call (PreToolUse). The model reads the reason as the tool's error.
func Deny(reason string) Output { return Output{deny: []string{reason}} }

// Ask makes the client ask the user before the tool runs (PreToolUse); without a terminal the client denies.
func Ask(reason string) Output { return Output{ask: []string{reason}} }

// Block refuses what the event stands for: the prompt (UserPromptSubmit), the end of the turn (Stop, SubagentStop: the
// model goes on), or it tells the model that a finished tool call was not right (PostToolUse, PostToolUseFailure).
func Block(reason string) Output { return Output{block: []string{reason}} }

// Halt ends the turn at once; the reason is shown to the user. On PreToolUse it also denies the call, because the client
// would still run it.
func Halt(reason string) Output { return Output{halt: []string{reason}} }

// Message is shown to the user and never reaches the model.
func Message(text string) Output { return Output{message: []string{text}} }

// Bounds of an answer. The client itself caps only contexts, at 10,000 UTF-16 units; above it shows a 2 KB preview.
const (
	MaxContext = 2000    // bytes of all contexts of one answer
	MaxRescue  = 9000    // UTF-16 units of all contexts of an answer that has a Rescue
	MaxReason  = 4 << 10 // bytes of a reason or message
)

// Empty reports whether o says nothing.
func (o Output) Empty() bool {
	return len(o.halt)+len(o.deny)+len(o.ask)+len(o.block)+len(o.context)+len(o.rescue)+len(o.message) == 0
}

// Merge folds the answers of several modules in one: halt before deny before ask before nothing, reasons joined by newline
// with the most severe first, contexts and messages joined in order.
func Merge(event string, outs ...Output) Output {
	m := Output{event: event}
	for _, o := range outs {
		m.halt = append(m.halt, o.halt...)
		m.deny = append(m.deny, o.deny...)
		m.ask = append(m.ask, o.ask...)
		m.block = append(m.block, o.block...)
		m.context = append(m.context, o.context...)
		m.rescue = append(m.rescue, o.rescue...)
		m.message = append(m.message, o.message...)
	}
	return m
}

// Encode spells the answer for the event. Nil bytes mean: print nothing. The bytes are always safe to print as the whole
// stdout, also next to an error, which names parts that this event cannot carry and that were left out.
func (o Output) Encode(event string) ([]byte, error) {
	if o.Empty() {
		return nil, nil
	}
	specific := map[string]any{}
	top := map[string]any{}
	if len(o.halt) > 0 {
		top["continue"], top["stopReason"] = false, strings.Join(o.halt, "\n")
	}
	if event == EventPreToolUse {
		switch {
		case len(o.halt)+len(o.deny) > 0:
			specific["permissionDecision"] = "deny"
			specific["permissionDecisionReason"] = strings.Join(append(append(append([]string{}, o.halt...), o.deny...), o.ask...), "\n")
		case len(o.ask) > 0:
			specific["permissionDecision"] = "ask"
			specific["permissionDecisionReason"] = strings.Join(o.ask, "\n")
		}
	} else if len(o.block) > 0 && len(o.halt) == 0 {
		top["decision"], top["reason"] = "block", strings.Join(o.block, "\n")
	}
	if c := append(append([]string{}, o.context...), o.rescue...); len(c) > 0 {
		specific["additionalContext"] = strings.Join(c, "\n")
	}
	if len(specific) > 0 {
		specific["hookEventName"] = event
		top["hookSpecificOutput"] = specific
	}
	if len(o.message) > 0 {
		top["systemMessage"] = strings.Join(o.message, "\n")
	}
	switch event {
	case EventPreCompact, EventPostCompact, EventSessionEnd:
		return nil, fmt.Errorf("encode %s answer: the event carries none", event)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(top); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
