package mockapi

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Kind says what a request is for.
type Kind string

// The kinds. Talk is a request of a conversation (the session's own or a subagent's) and is the only one that uses up a step.
const (
	Talk    Kind = "talk"    // a turn of a conversation
	Summary Kind = "summary" // the request that /compact or automatic compaction makes
	Side    Kind = "side"    // titles, topics, quota probes and the like: no tools, a small model, or a forced JSON answer
	Count   Kind = "count"   // count_tokens
	Other   Kind = "other"   // anything else: HEAD /, model list, unknown paths
)

// Request is one request as it arrived.
type Request struct {
	N       int // 1, 2, … in order of arrival
	Kind    Kind
	Mark    string // the key of Script.Talks that it belongs to; "" for the main conversation
	AgentID string // header x-claude-code-agent-id; "" in the main agent
	Method  string
	Path    string
	Header  http.Header
	Body    []byte // verbatim

	Model    string
	Stream   bool
	System   string    // all system text, joined
	Tools    []string  // names of the offered tools
	Messages []Message // the conversation
}

// Message is one message of a request, flattened to text.
type Message struct {
	Role string // user, assistant or system
	Text string // text blocks, one per line
	Tool string // texts of tool_result blocks, one per line; tool calls as name and JSON input
}

// Last is the text of everything that follows the last assistant message: what is new in this request, tool results included.
func (r Request) Last() string {
	var parts []string
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role != "assistant"; i-- {
		parts = append([]string{r.Messages[i].Text, r.Messages[i].Tool}, parts...)
	}
	return strings.Join(parts, "\n")
}

// Text is all text of all messages, tool calls and results included. Text that was escaped in the body is readable here.
func (r Request) Text() string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text + "\n" + m.Tool + "\n")
	}
	return b.String()
}

// HasTool reports whether the client offers the tool in this request.
func (r Request) HasTool(name string) bool {
	for _, t := range r.Tools {
		if t == name {
			return true
		}
	}
	return false
}

type wireRequest struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	MaxTok   int             `json:"max_tokens"`
	System   json.RawMessage `json:"system"`
	Output   json.RawMessage `json:"output_config"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

type wireBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

// flatten gives the text of a content value, which is a string or a list of blocks, and apart from it what tools said.
func flatten(content json.RawMessage) (text, tool string) {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s, ""
	}
	var blocks []wireBlock
	if json.Unmarshal(content, &blocks) != nil {
		return "", ""
	}
	var texts, tools []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "tool_result":
			t, _ := flatten(b.Content)
			tools = append(tools, t)
		case "tool_use":
			tools = append(tools, b.Name+" "+string(b.Input))
		}
	}
	return strings.Join(texts, "\n"), strings.Join(tools, "\n")
}

func decode(r *http.Request, body []byte) Request {
	req := Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body, AgentID: r.Header.Get("x-claude-code-agent-id"), Kind: Other}
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/messages") {
		return req
	}
	var w wireRequest
	if json.Unmarshal(body, &w) != nil {
		return req
	}
	req.Model, req.Stream = w.Model, w.Stream
	req.System, _ = flatten(w.System)
	for _, t := range w.Tools {
		req.Tools = append(req.Tools, t.Name)
	}
	for _, m := range w.Messages {
		text, tool := flatten(m.Content)
		req.Messages = append(req.Messages, Message{Role: m.Role, Text: text, Tool: tool})
	}
	req.Kind = classify(req, w)
	return req
}

// summaryMark opens the instruction that both pinned clients send for /compact and for automatic compaction.
const summaryMark = "Your task is to create a detailed summary"

func classify(r Request, w wireRequest) Kind {
	switch {
	case strings.HasSuffix(r.Path, "/count_tokens"):
		return Count
	case strings.Contains(r.Last(), summaryMark):
		return Summary
	case len(r.Tools) == 0, w.MaxTok == 1, strings.Contains(string(w.Output), `"format"`):
		return Side
	}
	return Talk
}
