package wire

import (
	"encoding/json"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
)

// Call is a tool call of an answer.
type Call struct {
	ID, Name string
	Input    json.RawMessage // as it came, perhaps no JSON
}

// Answer is what came back. Without a Failure it is complete.
type Answer struct {
	Failure  *Failure
	Status   int
	Text     string // all text blocks
	Thinking int    // bytes of thinking
	Calls    []Call
	Stop     string    // stop reason
	Usage    sse.Usage // zero when nothing was reported
	Problems []string  // faults of grammar of a stream
	Events   int       // of a stream, pings not counted
	Pieces   int       // reads in which a stream's events arrived: 1 means all at once

	// Since the request was sent, by the clock of the server's Now.
	Head  time.Duration // head of the answer
	First time.Duration // first piece of content
	Last  time.Duration // last event
	Total time.Duration

	blocks map[int64]*got
	order  []*got
}

type got struct {
	kind, id, name string
	text           []byte
}

// Prompt is how many tokens the server says it has read.
func (a *Answer) Prompt() int64 { return a.Usage.Input + a.Usage.CacheRead + a.Usage.CacheWrite }

type wireBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

// event gathers content; grammar and usage are the checker's.
func (a *Answer) event(e sse.Event) (content bool) {
	if e.Name == sse.Ping {
		return false
	}
	a.Events++
	var v struct {
		Type  string    `json:"type"`
		Index int64     `json:"index"`
		Block wireBlock `json:"content_block"`
		Delta struct {
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
			JSON     string `json:"partial_json"`
		} `json:"delta"`
	}
	if json.Unmarshal(e.Data, &v) != nil {
		return false
	}
	switch v.Type {
	case "content_block_start":
		if len(a.blocks) >= maxBlocks || a.blocks[v.Index] != nil {
			return false
		}
		g := &got{kind: v.Block.Type, id: v.Block.ID, name: v.Block.Name, text: []byte(v.Block.Text + v.Block.Thinking)}
		if a.blocks == nil {
			a.blocks = map[int64]*got{}
		}
		a.blocks[v.Index] = g
		a.order = append(a.order, g)
		return len(g.text) > 0
	case "content_block_delta":
		if g := a.blocks[v.Index]; g != nil {
			g.text = append(g.text, v.Delta.Text+v.Delta.Thinking+v.Delta.JSON...)
		}
		return v.Delta.Text != "" || v.Delta.Thinking != "" || v.Delta.JSON != ""
	}
	return false
}

const maxBlocks = 1024

// settle makes the answer of what was gathered.
func (a *Answer) settle() {
	for _, g := range a.order {
		a.add(wireBlock{Type: g.kind, ID: g.id, Name: g.name, Text: string(g.text), Thinking: string(g.text), Input: g.text})
	}
	a.blocks, a.order = nil, nil
}

func (a *Answer) add(b wireBlock) {
	switch b.Type {
	case "text":
		a.Text += b.Text
	case "thinking":
		a.Thinking += len(b.Thinking)
	case "tool_use":
		if len(b.Input) == 0 {
			b.Input = json.RawMessage("{}")
		}
		a.Calls = append(a.Calls, Call{b.ID, b.Name, b.Input})
	}
}

// whole reads a message that was not streamed; false when it is none.
func (a *Answer) whole(body []byte) bool {
	var m struct {
		Type    string      `json:"type"`
		Content []wireBlock `json:"content"`
		Stop    string      `json:"stop_reason"`
		Usage   sse.Reports `json:"usage"`
	}
	if json.Unmarshal(body, &m) != nil || m.Type != "message" {
		return false
	}
	for _, b := range m.Content {
		a.add(b)
	}
	a.Stop, a.Usage = m.Stop, sse.Usage{}.Merge(m.Usage)
	return true
}
