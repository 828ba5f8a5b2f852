package openai

import "encoding/json"

// The events of a streamed message, in the order of fields that Anthropic's own have.

type messageStart struct {
	Type    string     `json:"type"`
	Message messageOut `json:"message"`
}

type messageOut struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []any   `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        tokens  `json:"usage"`
}

func newMessage(id, model string, u tokens) messageOut {
	return messageOut{ID: id, Type: "message", Role: "assistant", Model: model, Content: []any{}, Usage: u}
}

type tokens struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

type blockStart struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Block any    `json:"content_block"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type thinkingBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

type toolBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type blockDelta struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Delta any    `json:"delta"`
}

type textDelta struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type thinkingDelta struct {
	Type     string `json:"type"`
	Thinking string `json:"thinking"`
}

type signatureDelta struct {
	Type      string `json:"type"`
	Signature string `json:"signature"`
}

type inputDelta struct {
	Type string `json:"type"`
	JSON string `json:"partial_json"`
}

type blockStop struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
}

type messageDelta struct {
	Type  string    `json:"type"`
	Delta stopDelta `json:"delta"`
	Usage tokens    `json:"usage"`
}

type stopDelta struct {
	Reason   string  `json:"stop_reason"`
	Sequence *string `json:"stop_sequence"`
}

type messageStop struct {
	Type string `json:"type"`
}

type errorEvent struct {
	Type  string  `json:"type"`
	Error problem `json:"error"`
}

type problem struct {
	Kind    string `json:"type"`
	Message string `json:"message"`
}
