package mockapi

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// message is one assistant message on its way out.
type message struct {
	id, model string
	step      Step
	usage     Usage
}

func (m message) whole() map[string]any {
	blocks := m.step.Blocks
	if blocks == nil {
		blocks = []Block{}
	}
	return map[string]any{
		"id": m.id, "type": "message", "role": "assistant", "model": m.model, "content": blocks,
		"stop_reason": m.step.stopReason(), "stop_sequence": nil, "usage": m.usage.wire(m.usage.Output),
	}
}

// stream sends the message as server-sent events, in the order of the real endpoint: message_start with one output token, each
// block as start, one delta and stop, then message_delta with the final figures and message_stop.
func (m message) stream(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	e := events{w: w}
	start := m.whole()
	start["content"], start["stop_reason"], start["usage"] = []any{}, nil, m.usage.wire(1)
	e.send("message_start", map[string]any{"message": start})
	e.send("ping", map[string]any{})
	for i, b := range m.step.Blocks {
		first, delta := b.split()
		e.send("content_block_start", map[string]any{"index": i, "content_block": first})
		for _, d := range delta {
			e.send("content_block_delta", map[string]any{"index": i, "delta": d})
		}
		e.send("content_block_stop", map[string]any{"index": i})
	}
	e.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": m.step.stopReason(), "stop_sequence": nil}, "usage": m.usage.wire(m.usage.Output),
	})
	e.send("message_stop", map[string]any{})
}

// split gives the empty block that opens a stream of it and the deltas that fill it.
func (b Block) split() (map[string]any, []map[string]any) {
	switch b.Type {
	case "thinking":
		return map[string]any{"type": "thinking", "thinking": "", "signature": ""}, []map[string]any{
			{"type": "thinking_delta", "thinking": b.Thinking}, {"type": "signature_delta", "signature": b.Signature},
		}
	case "tool_use":
		input, err := json.Marshal(b.Input)
		if err != nil || b.Input == nil {
			input = []byte("{}")
		}
		return map[string]any{"type": "tool_use", "id": b.ID, "name": b.Name, "input": map[string]any{}},
			[]map[string]any{{"type": "input_json_delta", "partial_json": string(input)}}
	}
	return map[string]any{"type": "text", "text": ""}, []map[string]any{{"type": "text_delta", "text": b.Text}}
}

// events writes server-sent events and flushes each. After a write error it writes no more: the client went away.
type events struct {
	w   http.ResponseWriter
	err error
}

func (e *events) send(kind string, data map[string]any) {
	if e.err != nil {
		return
	}
	data["type"] = kind
	body, err := json.Marshal(data)
	if err != nil {
		e.err = err
		return
	}
	if _, e.err = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", kind, body); e.err != nil {
		return
	}
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}
