// Package request translates a request of Anthropic's Messages API into one of OpenAI's chat completions. What becomes of each part is
// written down in the package openai, whose request side this is. It is pure, and owns no table and no file.
package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Options say for which endpoint to translate; see openai.Options.
type Options struct {
	Model     string
	Window    int64
	MaxOutput int64
}

// Signatures of thinking blocks that were made from a server's reasoning: they name the field in which it came, and goes back.
const (
	ReasoningContent = "devflock:reasoning_content"
	Reasoning        = "devflock:reasoning"
)

// minOutput is what max_tokens is never cut below: with less no answer makes sense, and the server should refuse the prompt in words.
const minOutput = 1024

// bytesPerToken under-estimates how much of a request one token covers (English and code: 3.5–4.5), so that an answer still fits.
const bytesPerToken = 3

type messagesRequest struct {
	Model       string          `json:"model"`
	System      json.RawMessage `json:"system"`
	Messages    []message       `json:"messages"`
	Tools       []tool          `json:"tools"`
	ToolChoice  *toolChoice     `json:"tool_choice"`
	MaxTokens   int64           `json:"max_tokens"`
	Stop        []string        `json:"stop_sequences"`
	Temperature json.RawMessage `json:"temperature"`
	TopP        json.RawMessage `json:"top_p"`
	Stream      bool            `json:"stream"`
	Output      *struct {
		Effort string  `json:"effort"`
		Format *format `json:"format"`
	} `json:"output_config"`
	Format *format `json:"output_format"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type completionsRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Tools               []function      `json:"tools,omitempty"`
	ToolChoice          any             `json:"tool_choice,omitempty"`
	Parallel            *bool           `json:"parallel_tool_calls,omitempty"`
	MaxTokens           int64           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int64           `json:"max_completion_tokens,omitempty"`
	Stop                []string        `json:"stop,omitempty"`
	Temperature         json.RawMessage `json:"temperature,omitempty"`
	TopP                json.RawMessage `json:"top_p,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	ResponseFormat      any             `json:"response_format,omitempty"`
	Stream              bool            `json:"stream,omitempty"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// maxStops is how many stop strings OpenAI's reference allows.
const maxStops = 4

// Translate gives the request for chat completions. The error is plain: the body is no request of the Messages API, and a server
// would refuse it too. Safe for concurrent use.
func (o Options) Translate(body []byte) ([]byte, error) {
	var in messagesRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("read messages request: %w", err)
	}
	out := completionsRequest{Model: in.Model, Stop: in.Stop, Stream: in.Stream}
	if o.Model != "" {
		out.Model = o.Model
	}
	if out.Model == "" {
		return nil, errors.New("read messages request: no model is named")
	}
	system, err := systemText(in.System)
	if err != nil {
		return nil, err
	}
	if system != "" {
		out.Messages = append(out.Messages, chatMessage{Role: "system", Content: system})
	}
	talk, err := conversation(in.Messages)
	if err != nil {
		return nil, err
	}
	if len(talk) == 0 {
		return nil, errors.New("read messages request: no message has content")
	}
	out.Messages = append(out.Messages, talk...)
	if out.Tools, err = functions(in.Tools); err != nil {
		return nil, err
	}
	if len(out.Tools) > 0 {
		out.ToolChoice, out.Parallel = in.ToolChoice.translate()
	}
	if len(out.Stop) > maxStops {
		out.Stop = out.Stop[:maxStops]
	}
	if in.Stream {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	limit := o.limit(in.MaxTokens, body)
	if reasons(out.Model) {
		out.MaxCompletionTokens = limit
		if in.Output != nil {
			out.ReasoningEffort = effort(in.Output.Effort)
		}
	} else {
		out.MaxTokens, out.Temperature, out.TopP = limit, number(in.Temperature), number(in.TopP)
	}
	if in.Output != nil && in.Output.Format != nil {
		in.Format = in.Output.Format
	}
	out.ResponseFormat = in.Format.translate()
	return encode(out)
}

// limit is how many tokens the answer may have.
func (o Options) limit(wanted int64, body []byte) int64 {
	if o.MaxOutput > 0 && (wanted <= 0 || wanted > o.MaxOutput) {
		wanted = o.MaxOutput
	}
	if o.Window > 0 {
		if room := max(o.Window-int64(len(body))/bytesPerToken, min(minOutput, o.Window/2)); wanted > room {
			wanted = room
		}
	}
	return max(wanted, 0)
}

func (f *format) translate() any {
	if f == nil || f.Type != "json_schema" || len(f.Schema) == 0 {
		return nil
	}
	type schema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	}
	return struct {
		Type   string `json:"type"`
		Schema schema `json:"json_schema"`
	}{"json_schema", schema{"answer", f.Schema}}
}

// reasons reports whether a model is one of OpenAI's that refuse max_tokens and temperature.
func reasons(model string) bool {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, family := range [...]string{"gpt-5", "o1", "o3", "o4"} {
		if rest, ok := strings.CutPrefix(name, family); ok && (rest == "" || rest[0] == '-' || rest[0] == '.') {
			return !strings.Contains(rest, "chat")
		}
	}
	return false
}

func effort(level string) string {
	switch level {
	case "low", "medium", "high":
		return level
	case "xhigh", "max":
		return "high"
	}
	return ""
}

// number keeps a JSON number and drops everything else.
func number(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return nil
	}
	return raw
}

// encode is json.Marshal without the escaping for HTML, which would make prompts longer.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write json: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
