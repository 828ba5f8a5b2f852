package claude

// Output is what one module, or one whole hook, wants to tell the client. The zero value says nothing. Outputs are values:
// they may be copied and merged, never changed.
type Output struct {
	halt    []string
	deny    []string
	ask     []string
	block   []string
	context []note
	message []string
}

// note is a context with the event that it was made for.
type note struct {
	event  string
	text   string
	rescue bool
}

// Bounds of one answer. The client itself caps only contexts, at 10,000 UTF-16 units; of a longer one the model gets a 2 KB
// preview.
const (
	MaxContext = 2000    // bytes of all contexts together
	MaxRescue  = 9000    // UTF-16 units of all contexts together when one of them is a Rescue
	MaxReason  = 4 << 10 // bytes of the joined reasons, and of the joined messages
)

// Context gives text to the model along with that event. It never stops anything. Events: PreToolUse, PostToolUse,
// PostToolUseFailure, UserPromptSubmit, UserPromptExpansion, SessionStart, SubagentStart. (The client also takes it at Stop
// and SubagentStop, but there it makes the model go on: use Message for a note, Block to go on.)
func Context(event, text string) Output { return Output{context: []note{{event: event, text: text}}} }

// Rescue is a Context for what a compaction would lose, with more room: MaxRescue.
func Rescue(event, text string) Output {
	return Output{context: []note{{event: event, text: text, rescue: true}}}
}

// Deny refuses the tool call (PreToolUse). The model reads the reason, word for word, as the tool's error.
func Deny(reason string) Output { return Output{deny: []string{reason}} }

// Ask makes the client ask the user before the tool runs (PreToolUse). Without a terminal the client denies.
func Ask(reason string) Output { return Output{ask: []string{reason}} }

// Block refuses what the event stands for: the prompt (UserPromptSubmit, UserPromptExpansion), or the end of the turn (Stop, SubagentStop: the
// model reads the reason and goes on). After a tool call (PostToolUse, PostToolUseFailure) it only tells the model that
// something was not right. At Stop the user reads "Stop hook error: <reason>".
func Block(reason string) Output { return Output{block: []string{reason}} }

// Halt ends the turn; the user reads the reason. Events: PreToolUse, PostToolUse, UserPromptSubmit (the prompt is dropped),
// Stop, SubagentStop. At PreToolUse the call is denied as well, because the client would still run it; with the denial 2.1.332
// ends the turn, but 2.1.197 only refuses the call and lets the model go on.
func Halt(reason string) Output { return Output{halt: []string{reason}} }

// Message is shown to the user and never reaches the model. Every event that has any answer carries it.
func Message(text string) Output { return Output{message: []string{text}} }

// Outcome names the weightiest part: halt, deny, ask, block, ctx, message, or ok for an Output that says nothing.
func (o Output) Outcome() string {
	switch {
	case len(o.halt) > 0:
		return "halt"
	case len(o.deny) > 0:
		return "deny"
	case len(o.ask) > 0:
		return "ask"
	case len(o.block) > 0:
		return "block"
	case len(o.context) > 0:
		return "ctx"
	case len(o.message) > 0:
		return "message"
	}
	return "ok"
}

// Empty reports whether o says nothing.
func (o Output) Empty() bool { return o.Outcome() == "ok" }

// Merge folds the answers of several modules to that event in one: a halt weighs more than a deny, a deny more than an ask,
// an ask more than nothing. Reasons of the same weight, contexts and messages keep their order; equal ones are said once.
// A context that names no event becomes one of that event.
func Merge(event string, outs ...Output) Output {
	var m Output
	for _, o := range outs {
		m.halt = union(m.halt, o.halt)
		m.deny = union(m.deny, o.deny)
		m.ask = union(m.ask, o.ask)
		m.block = union(m.block, o.block)
		m.message = union(m.message, o.message)
		for _, n := range o.context {
			if n.event == "" {
				n.event = event
			}
			m.context = union(m.context, []note{n})
		}
	}
	return m
}

// union appends what list has not yet.
func union[T comparable](list, more []T) []T {
next:
	for _, v := range more {
		for _, have := range list {
			if have == v {
				continue next
			}
		}
		list = append(list, v)
	}
	return list
}
