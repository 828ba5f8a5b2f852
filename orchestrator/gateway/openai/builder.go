package openai

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/gateway/openai/request"
)

// Ours reports whether the signature of a thinking block was made by this package. Anthropic refuses such a block, so it has to be
// taken out when a conversation moves there.
func Ours(signature string) bool {
	return signature == request.ReasoningContent || signature == request.Reasoning
}

type itemKind int

const (
	itemText itemKind = iota
	itemThinking
	itemTool
)

// item is a content block that is being built.
type item struct {
	kind  itemKind
	sign  string // of thinking
	call  int    // number that the server gave a call
	id    string
	name  string
	args  argScan  // all arguments so far
	held  []string // pieces that are not written yet
	begun bool     // content_block_start is written
}

// maxNameless is how many bytes of arguments may come before the name of their call.
const maxNameless = 1 << 20

// builder puts blocks together from deltas and writes them one after the other, as the grammar of messages wants it: the first
// unfinished block goes out as it comes, what belongs to later ones is held back.
type builder struct {
	o       Options
	w       *writer
	items   []*item // not yet closed
	index   int     // of items[0]
	ids     map[string]bool
	calls   int
	held    int // bytes that wait
	total   int // bytes of arguments
	begun   bool
	stopped bool
	finish  string
	stop    string // stop string that was met
	refused bool
	usage   *usage
}

func newBuilder(o Options, w *writer) *builder {
	if o.ID == nil {
		o.ID = func() string {
			var b [12]byte
			_, _ = rand.Read(b[:]) // never fails
			return hex.EncodeToString(b[:])
		}
	}
	return &builder{o: o, w: w, ids: map[string]bool{}}
}

var errTooMuch = errors.New("the endpoint sent more interleaved content than can be held")

// add takes a piece of the completion.
func (b *builder) add(c chunk) error {
	b.begin(string(c.ID))
	if c.Usage != nil {
		b.usage = c.Usage
	}
	for _, p := range c.Choices {
		if p.Index.n != 0 {
			continue
		}
		if p.Delta != nil {
			b.delta(p.Delta)
		}
		if p.Message != nil {
			b.delta(p.Message.counted())
		}
		if p.Finish != "" {
			b.finish = string(p.Finish)
		}
		if p.Stop != "" {
			b.stop = string(p.Stop)
		}
	}
	if err := b.flush(false); err != nil {
		return err
	}
	if b.held > maxHeld || b.total > maxHeld {
		return errTooMuch
	}
	return nil
}

func (b *builder) begin(id string) {
	if b.begun {
		return
	}
	b.begun = true
	if id == "" {
		id = "msg_" + b.o.ID()
	}
	b.w.event("message_start", messageStart{"message_start", newMessage(id, b.o.Model, tokens{})})
}

func (b *builder) delta(d *delta) {
	switch {
	case d.ReasoningContent != "":
		b.say(itemThinking, request.ReasoningContent, string(d.ReasoningContent))
	case d.Reasoning != "":
		b.say(itemThinking, request.Reasoning, string(d.Reasoning))
	case d.Content.thinking != "":
		b.say(itemThinking, request.ReasoningContent, d.Content.thinking)
	}
	b.say(itemText, "", d.Content.text)
	if d.Refusal != "" {
		b.refused = true
		b.say(itemText, "", string(d.Refusal))
	}
	for _, c := range d.Calls {
		b.tool(c)
	}
	if d.Call != nil {
		b.tool(callDelta{Index: whole{0, true}, Function: *d.Call})
	}
}

// say adds text or thinking to the last block when it is of that kind.
func (b *builder) say(kind itemKind, sign, text string) {
	if text == "" {
		return
	}
	it := b.last()
	if it == nil || it.kind != kind || it.sign != sign {
		it = &item{kind: kind, sign: sign}
		b.items = append(b.items, it)
	}
	b.hold(it, text)
}

func (b *builder) last() *item {
	if len(b.items) == 0 {
		return nil
	}
	return b.items[len(b.items)-1]
}

func (b *builder) hold(it *item, piece string) {
	it.held = append(it.held, piece)
	b.held += len(piece)
}

// tool adds a piece of a call.
func (b *builder) tool(c callDelta) {
	id, name, args := string(c.ID), string(c.Function.Name), string(c.Function.Arguments)
	it := b.called(c.Index, id, name, args)
	if it == nil {
		if strings.TrimSpace(args) == "" && (id == "" && name == "" || b.ids[id]) {
			return // the tail of a call that is closed
		}
		number := b.calls
		if c.Index.set {
			number = c.Index.n
		}
		b.calls++
		it = &item{kind: itemTool, call: number, id: id}
		b.items = append(b.items, it)
	}
	if it.id == "" {
		it.id = id
	}
	if name != "" && name != it.name && !it.begun { // some send a name in pieces, some again with each piece
		it.name += name
	}
	if args != "" {
		it.args.add(args)
		b.total += len(args)
		b.hold(it, args)
	}
}

// called finds the call that a piece belongs to; nil means that it begins one.
func (b *builder) called(index whole, id, name, args string) *item {
	for i := len(b.items) - 1; i >= 0; i-- {
		it := b.items[i]
		if it.kind != itemTool || index.set && it.call != index.n {
			continue
		}
		other := id != "" && it.id != "" && id != it.id
		if other && !index.set {
			continue // perhaps an earlier one has this id
		}
		// Some servers number every call 0, or give neither number nor id: then only a name, after something that is complete or
		// under another id, begins a call. An id alone that changes from piece to piece begins none.
		if name != "" && (other || it.args.complete() && (name != it.name || strings.TrimSpace(args) != "") || !index.set && id == "" && it.args.len() > 0) {
			return nil
		}
		return it
	}
	return nil
}

// flush writes what can be written. last says that nothing more will come.
func (b *builder) flush(last bool) error {
	for len(b.items) > 0 {
		it := b.items[0]
		more := len(b.items) > 1
		done := last || more && (it.kind != itemTool || it.args.complete())
		if it.kind == itemTool && it.name == "" && (done || it.args.len() > maxNameless) {
			return errNone
		}
		if it.kind != itemTool || it.args.len() > 0 && it.name != "" || done {
			b.write(it)
		}
		if !done {
			return nil
		}
		if it.kind == itemThinking {
			b.w.event("content_block_delta", blockDelta{"content_block_delta", b.index, signatureDelta{"signature_delta", it.sign}})
		}
		b.w.event("content_block_stop", blockStop{"content_block_stop", b.index})
		b.items = b.items[1:]
		b.index++
	}
	return nil
}

func (b *builder) write(it *item) {
	if !it.begun {
		it.begun = true
		b.w.event("content_block_start", blockStart{"content_block_start", b.index, b.open(it)})
	}
	for _, piece := range it.held {
		b.held -= len(piece)
		var d any
		switch it.kind {
		case itemText:
			d = textDelta{"text_delta", piece}
		case itemThinking:
			d = thinkingDelta{"thinking_delta", piece}
		case itemTool:
			d = inputDelta{"input_json_delta", piece}
		}
		b.w.event("content_block_delta", blockDelta{"content_block_delta", b.index, d})
	}
	it.held = nil
}

func (b *builder) open(it *item) any {
	switch it.kind {
	case itemText:
		return textBlock{"text", ""}
	case itemThinking:
		return thinkingBlock{"thinking", "", ""}
	}
	if it.id == "" || b.ids[it.id] {
		it.id = "call_" + b.o.ID()
	}
	b.ids[it.id] = true
	return toolBlock{"tool_use", it.id, it.name, json.RawMessage("{}")}
}

// Incomplete is the message of the error event of a stream that ended, well-formed or not, before the server said that it had finished.
const Incomplete = "the endpoint's answer ended before it was complete"

var (
	errNoEnd = errors.New(Incomplete)
	errArgs  = errors.New("the endpoint sent a tool call whose arguments are not JSON")
	errNone  = errors.New("the endpoint sent a tool call without a name")
)

// end closes the message. It is an error when the server did not say that it had finished. Arguments that are no JSON although the server
// stands behind them go through: the client (2.1.197 and 2.1.332) runs no such call and tells the model what it got.
func (b *builder) end() error {
	if b.finish == "" || !b.begun {
		return errNoEnd
	}
	if b.finish == "error" {
		return errors.New("the endpoint ended its answer with an error")
	}
	tools := len(b.ids) > 0
	for _, it := range b.items {
		tools = tools || it.kind == itemTool
	}
	if err := b.flush(true); err != nil {
		return err
	}
	reason, sequence := b.reason(tools)
	b.w.event("message_delta", messageDelta{"message_delta", stopDelta{reason, sequence}, b.tokens()})
	b.w.event("message_stop", messageStop{"message_stop"})
	b.stopped = true
	return nil
}

func (b *builder) reason(tools bool) (string, *string) {
	switch {
	case b.finish == "length":
		return "max_tokens", nil
	case b.finish == "content_filter" || b.refused && !tools:
		return "refusal", nil
	case tools:
		return "tool_use", nil
	case b.stop != "":
		return "stop_sequence", &b.stop
	}
	return "end_turn", nil
}

func (b *builder) tokens() tokens {
	if b.usage == nil {
		return tokens{Input: b.o.Estimate}
	}
	u := b.usage
	cached := min(max(u.Details.Cached, u.Hit), u.Prompt)
	return tokens{Input: int64(u.Prompt - cached), CacheRead: int64(cached), Output: int64(u.Completion)}
}
