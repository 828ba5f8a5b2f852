package sse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Usage is what a message reports to have used, in tokens.
type Usage struct{ Input, Output, CacheRead, CacheWrite int64 }

// Checker follows the events of one streamed message: it says whether they are in order and complete, and what was used. Nothing
// that it notices keeps the bytes from being passed on. The zero value is at the beginning.
type Checker struct {
	usage    Usage
	id       string
	model    string
	stop     string // stop reason
	started  bool
	stopped  bool
	deltas   bool // a message_delta was there
	content  bool // a content block was there
	blocks   map[int64]*block
	order    int64 // index that the next block should have
	badTool  string
	fault    *Fault
	problems []string
	more     int
}

type block struct {
	open, tool bool
	name       string
	input      []byte
	long       bool // input was too large to keep
}

// Fault is an error event.
type Fault struct{ Type, Message string }

// Bounds of what is kept of one stream.
const (
	maxProblems = 8
	maxBlocks   = 4096
	maxInput    = 1 << 20 // bytes of one tool call's input that are kept to look at it whole
)

// payload is the part of any event's data that is looked at.
type payload struct {
	Type    string `json:"type"`
	Index   *int64 `json:"index"`
	Message *struct {
		ID    string   `json:"id"`
		Model string   `json:"model"`
		Usage *Reports `json:"usage"`
	} `json:"message"`
	Usage *Reports `json:"usage"`
	Block *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"content_block"`
	Delta *struct {
		Type   string `json:"type"`
		JSON   string `json:"partial_json"`
		Reason string `json:"stop_reason"`
	} `json:"delta"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// Reports is the usage object of the wire. Fields that are absent, null or no numbers count 0.
type Reports struct {
	Input      Count `json:"input_tokens"`
	Output     Count `json:"output_tokens"`
	CacheRead  Count `json:"cache_read_input_tokens"`
	CacheWrite Count `json:"cache_creation_input_tokens"`
}

// Count is a number of tokens that takes whatever a server sends: what is no number, negative or absurd counts 0.
type Count int64

// maxCount is more than any model can read or write in a reply; it keeps sums from overflowing.
const maxCount = 1 << 40

// UnmarshalJSON implements [json.Unmarshaler]; it never fails.
func (c *Count) UnmarshalJSON(b []byte) error {
	var f float64
	if json.Unmarshal(b, &f) != nil || !(f > 0) || f > maxCount {
		f = 0
	}
	*c = Count(math.Round(f))
	return nil
}

// Merge gives the larger of each figure: the reports of a stream are cumulative, and some servers report everything at the start,
// others at the end.
func (u Usage) Merge(r Reports) Usage {
	return Usage{max(u.Input, int64(r.Input)), max(u.Output, int64(r.Output)), max(u.CacheRead, int64(r.CacheRead)), max(u.CacheWrite, int64(r.CacheWrite))}
}

// Event takes the next event of the stream.
func (c *Checker) Event(e Event) {
	if e.Over {
		c.problem("an event is larger than %d bytes", MaxEvent)
		return
	}
	if bytes.Equal(e.Data, []byte("[DONE]")) {
		c.problem("[DONE] is not of this API")
		return
	}
	if c.plainDelta(e) {
		return
	}
	var p payload
	if err := json.Unmarshal(e.Data, &p); err != nil {
		c.problem("data of %s is not the JSON that it should be", label(e.Name))
		p = payload{}
	}
	kind := e.Name
	switch {
	case kind == "":
		kind = p.Type
	case p.Type != "" && p.Type != kind:
		c.problem("event %s has data of type %s", label(kind), label(p.Type))
	}
	c.step(kind, p)
}

// plainDelta deals with the bulk of every stream without parsing it: a delta, spelled as the API spells it, for an open block that is
// no tool call. False leaves the event to the slow way.
func (c *Checker) plainDelta(e Event) bool {
	const open = `{"type":"content_block_delta","index":`
	if e.Name != "content_block_delta" || c.stopped || len(e.Data) <= len(open) || string(e.Data[:len(open)]) != open {
		return false
	}
	var index int64
	i := len(open)
	for ; i < len(e.Data) && i < len(open)+4 && e.Data[i] >= '0' && e.Data[i] <= '9'; i++ {
		index = index*10 + int64(e.Data[i]-'0')
	}
	if i == len(open) || i == len(e.Data) || e.Data[i] != ',' {
		return false
	}
	b := c.blocks[index]
	return b != nil && b.open && !b.tool && balanced(e.Data)
}

// balanced reports whether data is one JSON object as far as strings and braces tell.
func balanced(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i == len(data)-1
			}
		case '"':
			for {
				n := bytes.IndexByte(data[i+1:], '"')
				if n < 0 {
					return false
				}
				i += n + 1
				back := i - 1
				for data[back] == '\\' {
					back--
				}
				if (i-back)%2 == 1 {
					break
				}
			}
		}
	}
	return false
}

func (c *Checker) step(kind string, p payload) {
	if c.stopped && kind != Ping {
		c.problem("%s after message_stop", label(kind))
	}
	switch kind {
	case Ping:
	case MessageStart:
		c.start(p)
	case Error:
		c.fail(p)
	case "content_block_start", "content_block_delta", "content_block_stop":
		if !c.started {
			c.problem("%s before message_start", label(kind))
		}
		c.content = true
		c.blockStep(kind, p)
	case "message_delta":
		c.delta(p)
	case MessageStop:
		c.end()
	}
	// Other names are left alone: the API's own documentation wants unknown events ignored.
}

func (c *Checker) start(p payload) {
	if c.started {
		c.problem("a second message_start") // tolerated by the client (2.1.197, 2.1.332)
	}
	c.started = true
	if p.Message == nil {
		c.problem("message_start without a message")
		return
	}
	if c.id == "" {
		c.id, c.model = p.Message.ID, p.Message.Model
	}
	if p.Message.Usage != nil {
		c.usage = c.usage.Merge(*p.Message.Usage)
	}
}

func (c *Checker) fail(p payload) {
	if c.fault != nil {
		return
	}
	c.fault = &Fault{}
	if p.Error != nil {
		*c.fault = Fault{p.Error.Type, p.Error.Message}
	}
}

func (c *Checker) blockStep(kind string, p payload) {
	if p.Index == nil || *p.Index < 0 {
		c.problem("%s without an index", label(kind))
		return
	}
	i := *p.Index
	b := c.blocks[i]
	switch kind {
	case "content_block_start":
		if b != nil {
			c.problem("block %d begins twice", i)
		} else if i != c.order {
			c.problem("block %d begins where %d was due", i, c.order)
		}
		c.order = i + 1
		if c.blocks == nil {
			c.blocks = map[int64]*block{}
		}
		if len(c.blocks) >= maxBlocks {
			return
		}
		b = &block{open: true}
		if p.Block != nil {
			b.tool, b.name = p.Block.Type == "tool_use", p.Block.Name
		}
		c.blocks[i] = b
	case "content_block_delta":
		if b == nil || !b.open {
			c.problem("a delta for block %d, which is not open", i)
			return
		}
		b.add(p)
	default:
		if b == nil || !b.open {
			c.problem("block %d ends, which is not open", i)
			return
		}
		b.open = false
		if b.tool && !b.long && len(b.input) > 0 && !json.Valid(b.input) {
			c.badTool = b.name
		}
		b.input = nil
	}
}

func (b *block) add(p payload) {
	if !b.tool || p.Delta == nil || b.long {
		return
	}
	if len(b.input)+len(p.Delta.JSON) > maxInput {
		b.input, b.long = nil, true
		return
	}
	b.input = append(b.input, p.Delta.JSON...)
}

func (c *Checker) delta(p payload) {
	if !c.started {
		c.problem("message_delta before message_start")
	}
	c.deltas = true
	if p.Usage != nil {
		c.usage = c.usage.Merge(*p.Usage)
	}
	if p.Delta == nil || p.Delta.Reason == "" {
		return
	}
	c.stop = p.Delta.Reason
	if c.stop == "tool_use" && c.badTool != "" {
		c.problem("the input of tool %s is not whole", label(c.badTool)) // with max_tokens as the reason it is to be expected
	}
}

func (c *Checker) end() {
	if !c.started {
		c.problem("message_stop before message_start")
	}
	if !c.deltas {
		c.problem("message_stop without message_delta")
	}
	for i, b := range c.blocks {
		if b.open {
			c.problem("block %d is still open at message_stop", i)
		}
	}
	c.stopped = true
}

func (c *Checker) problem(format string, args ...any) {
	if len(c.problems) >= maxProblems {
		c.more++
		return
	}
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// label makes a foreign name fit for a message.
func label(s string) string {
	const longest = 40
	if len(s) > longest {
		s = s[:longest]
	}
	if s == "" {
		return "an event without a name"
	}
	return fmt.Sprintf("%q", s)
}

// Stopped reports whether message_stop was there: the message is complete.
func (c *Checker) Stopped() bool { return c.stopped }

// Content reports whether anything of the message's content was there.
func (c *Checker) Content() bool { return c.content }

// Fault is the first error event, nil without one.
func (c *Checker) Fault() *Fault { return c.fault }

// Usage is what was reported so far.
func (c *Checker) Usage() Usage { return c.usage }

// Message is the id of the message and the model that it claims to come from.
func (c *Checker) Message() (id, model string) { return c.id, c.model }

// StopReason is why the model stopped; "" before it said so.
func (c *Checker) StopReason() string { return c.stop }

// Problems are the first faults of grammar, and how many more there were.
func (c *Checker) Problems() (first []string, more int) { return c.problems, c.more }

// ParseError reads the body of an API error, be it a whole answer or the data of an error event.
func ParseError(data []byte) (Fault, bool) {
	var p payload
	if json.Unmarshal(data, &p) != nil || p.Type != Error || p.Error == nil {
		return Fault{}, false
	}
	return Fault{p.Error.Type, p.Error.Message}, true
}
