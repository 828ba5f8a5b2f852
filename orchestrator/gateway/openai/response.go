package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Response translates a whole answer; see [Options.Response].
func Response(body []byte) ([]byte, error) { return Options{}.Response(body) }

// ResponseError is an answer with status 200 that holds an error.
type ResponseError struct {
	Kind    string // Anthropic's error type
	Message string // the server's own text
}

func (e *ResponseError) Error() string { return "read completion: " + e.Kind + ": " + e.Message }

// Response translates the body of a completion that was not streamed. The error is a *[ResponseError] when the server reported one,
// and plain when the body is no complete completion. Safe for concurrent use.
func (o Options) Response(body []byte) ([]byte, error) {
	c, err := parseChunk(body)
	if err != nil {
		return nil, fmt.Errorf("read completion: %w", err)
	}
	if c.problem != nil {
		return nil, &ResponseError{c.problem.Kind, clip(c.problem.Message)}
	}
	var named struct {
		Model loose `json:"model"`
	}
	if o.Model == "" && json.Unmarshal(body, &named) == nil {
		o.Model = string(named.Model)
	}
	b := newBuilder(o, &writer{w: discard{}})
	b.begin(string(c.ID))
	m := newMessage(string(c.ID), o.Model, tokens{})
	if m.ID == "" {
		m.ID = "msg_" + b.o.ID()
	}
	if c.Usage != nil {
		b.usage = c.Usage
	}
	for _, p := range c.Choices {
		if p.Index.n == 0 && p.Message != nil {
			b.delta(p.Message.counted())
			b.finish, b.stop = string(p.Finish), string(p.Stop)
			break
		}
	}
	if b.finish == "" {
		return nil, fmt.Errorf("read completion: %w", errNoEnd)
	}
	tools := false
	for _, it := range b.items {
		content, err := b.content(it)
		if err != nil {
			return nil, fmt.Errorf("read completion: %w", err)
		}
		tools = tools || it.kind == itemTool
		m.Content = append(m.Content, content)
	}
	reason, sequence := b.reason(tools)
	m.StopReason, m.StopSequence, m.Usage = &reason, sequence, b.tokens()
	return encode(m)
}

// content gives a finished block.
func (b *builder) content(it *item) (any, error) {
	text := strings.Join(it.held, "")
	switch it.kind {
	case itemText:
		return textBlock{"text", text}, nil
	case itemThinking:
		return thinkingBlock{"thinking", text, it.sign}, nil
	}
	if it.name == "" {
		return nil, errNone
	}
	t, ok := b.open(it).(toolBlock)
	if !ok {
		return nil, errors.New("not a tool") // unreachable: open gives this type for a call
	}
	if args := strings.TrimSpace(text); args != "" {
		if !json.Valid([]byte(args)) || args[0] != '{' {
			return nil, errArgs
		}
		t.Input = json.RawMessage(args)
	}
	return t, nil
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
