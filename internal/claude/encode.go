package claude

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// parts is a set of the things that an answer may say.
type parts uint8

const (
	partHalt parts = 1 << iota
	partDeny
	partAsk
	partBlock
	partContext
	partMessage
)

// carries is what the client honours in the answer to an event, as measured with 2.1.197 and 2.1.332. Anything else it ignores, or worse:
// at PreCompact it pastes the whole JSON into the summary request, at Stop a context makes the model go on.
func carries(event string) parts {
	switch event {
	case EventPreToolUse:
		return partHalt | partDeny | partAsk | partContext | partMessage
	case EventPostToolUse, EventUserPromptSubmit:
		return partHalt | partBlock | partContext | partMessage
	case EventPostToolUseFailure, EventUserPromptExpansion: // continue:false is ignored at the one and was not tried at the other
		return partBlock | partContext | partMessage
	case EventStop, EventSubagentStop:
		return partHalt | partBlock | partMessage
	case EventSessionStart, EventSubagentStart:
		return partContext | partMessage
	}
	return 0
}

// ShapeError names the parts of an answer that the client would not honour for the event. They were left out.
type ShapeError struct {
	Event string
	Parts []string // halt, deny, ask, block, context, message
}

// Error names the event and the parts.
func (e *ShapeError) Error() string {
	return fmt.Sprintf("encode answer to %s: the client takes no %s there", e.Event, strings.Join(e.Parts, ", "))
}

// Encode spells the answer for the event: one JSON object, or nil, which means print nothing. Texts are cut to their bounds
// at character borders; what is not UTF-8 and control characters other than newline and tab are taken out. The bytes are
// always safe to print as the whole stdout, also next to an error: that is a *ShapeError, a caller's mistake, and whatever
// else the answer says is still encoded.
func (o Output) Encode(event string) ([]byte, error) {
	context, foreign := o.contexts(event)
	have := o.parts()
	if context != "" {
		have |= partContext
	}
	refused := have &^ carries(event)
	have &^= refused
	if have&partContext == 0 {
		context = ""
	}
	if foreign {
		refused |= partContext
	}
	var err error
	if refused != 0 {
		err = &ShapeError{Event: event, Parts: refused.names()}
	}

	e := encoder{}
	halts := have&partHalt != 0
	switch {
	case halts && event == EventPreToolUse: // the client would still run the tool, so deny it too
		e.literal("continue", "false")
		e.text("stopReason", reasons(o.halt))
		e.specific(event, "deny", reasons(o.halt, o.deny, o.ask), context)
	case halts:
		e.literal("continue", "false")
		e.text("stopReason", reasons(o.halt, o.block))
		if event == EventPostToolUse {
			e.specific(event, "", "", context)
		}
	case have&partDeny != 0:
		e.specific(event, "deny", reasons(o.deny, o.ask), context)
	case have&partAsk != 0:
		e.specific(event, "ask", reasons(o.ask), context)
	case have&partBlock != 0:
		e.literal("decision", `"block"`)
		e.text("reason", reasons(o.block))
		if event != EventUserPromptSubmit && event != EventUserPromptExpansion { // the prompt is dropped, its context with it
			e.specific(event, "", "", context)
		}
	case have&partContext != 0:
		e.specific(event, "", "", context)
	}
	if have&partMessage != 0 {
		e.text("systemMessage", join(MaxReason, o.message))
	}
	return e.end(), err
}

// parts is what o says apart from contexts.
func (o Output) parts() parts {
	var p parts
	for i, list := range [...][]string{o.halt, o.deny, o.ask, o.block} {
		if len(list) > 0 {
			p |= 1 << i
		}
	}
	if join(MaxReason, o.message) != "" {
		p |= partMessage
	}
	return p
}

func (p parts) names() []string {
	var names []string
	for i, name := range [...]string{"halt", "deny", "ask", "block", "context", "message"} {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// contexts joins the contexts of that event; foreign reports one of another event.
func (o Output) contexts(event string) (text string, foreign bool) {
	var list []string
	room := bound{bytes: MaxContext}
	for _, n := range o.context {
		switch {
		case n.event != event && n.event != "":
			foreign = true
			continue
		case n.rescue:
			room = bound{units: MaxRescue}
		}
		list = append(list, n.text)
	}
	return room.join(list), foreign
}

// reasons joins lists of reasons, the most severe first. It is never empty: the client would make up a text of its own.
func reasons(lists ...[]string) string {
	if text := join(MaxReason, lists...); text != "" {
		return text
	}
	return "devflow gave no reason"
}

func join(limit int, lists ...[]string) string { return bound{bytes: limit}.join(lists...) }

// bound is the room for a text; zero means any.
type bound struct {
	bytes int
	units int // UTF-16
}

const ellipsis = "…" // 3 bytes, 1 UTF-16 unit

// join cleans texts and joins them by newline. What does not fit is cut off and an ellipsis shows it.
func (b bound) join(lists ...[]string) string {
	var out []byte
	units, fits := 0, 0 // fits is the longest prefix that leaves room for the ellipsis
	for _, list := range lists {
		for _, text := range list {
			text = strings.TrimSpace(text)
			if text == "" {
				continue
			}
			if len(out) > 0 {
				text = "\n" + text
			}
			for _, r := range text { // a stray byte comes out as U+FFFD
				if r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 {
					continue
				}
				out = utf8.AppendRune(out, r)
				if units++; r > 0xffff {
					units++
				}
				if b.bytes > 0 && len(out) > b.bytes || b.units > 0 && units > b.units {
					return string(out[:fits]) + ellipsis
				}
				if (b.bytes == 0 || len(out)+len(ellipsis) <= b.bytes) && (b.units == 0 || units < b.units) {
					fits = len(out)
				}
			}
		}
	}
	return string(out)
}

// encoder writes one JSON object. It is written by hand because every hook call that answers pays for it.
type encoder struct{ out []byte }

func (e *encoder) literal(name, value string) {
	switch {
	case e.out == nil:
		e.out = append(make([]byte, 0, 1024), '{')
	case e.out[len(e.out)-1] != '{':
		e.out = append(e.out, ',')
	}
	e.out = append(e.out, '"')
	e.out = append(e.out, name...)
	e.out = append(e.out, '"', ':')
	e.out = append(e.out, value...)
}

func (e *encoder) text(name, value string) {
	e.literal(name, `"`)
	for i := range len(value) {
		switch c := value[i]; c {
		case '"', '\\':
			e.out = append(e.out, '\\', c)
		case '\n':
			e.out = append(e.out, '\\', 'n')
		case '\t':
			e.out = append(e.out, '\\', 't')
		default: // join left no other control character
			e.out = append(e.out, c)
		}
	}
	e.out = append(e.out, '"')
}

// specific writes hookSpecificOutput unless there is nothing for it.
func (e *encoder) specific(event, decision, reason, context string) {
	if decision == "" && context == "" {
		return
	}
	e.literal("hookSpecificOutput", "{")
	e.text("hookEventName", event)
	if decision != "" {
		e.text("permissionDecision", decision)
		e.text("permissionDecisionReason", reason)
	}
	if context != "" {
		e.text("additionalContext", context)
	}
	e.out = append(e.out, '}')
}

func (e *encoder) end() []byte {
	if e.out == nil {
		return nil
	}
	return append(e.out, '}')
}
