package mockapi

import "encoding/json"

// Block is one content block of an assistant message, in the wire format.
type Block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text,omitempty"`
	Thinking  string         `json:"thinking,omitempty"`
	Signature string         `json:"signature,omitempty"`
	ID        string         `json:"id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Input     map[string]any `json:"input,omitempty"`
}

// MarshalJSON implements [json.Marshaler]. A tool call always has an input, also an empty one.
func (b Block) MarshalJSON() ([]byte, error) {
	type plain Block
	if b.Type == "tool_use" && b.Input == nil {
		return json.Marshal(struct {
			plain
			Input struct{} `json:"input"`
		}{plain: plain(b)})
	}
	return json.Marshal(plain(b))
}

// Text is a text block.
func Text(text string) Block { return Block{Type: "text", Text: text} }

// Thinking is a thinking block; its signature is a constant that no real endpoint would accept.
func Thinking(text string) Block { return Block{Type: "thinking", Thinking: text, Signature: "c2ln"} }

// Tool is a call of any tool. Its id is given by the server when the reply is sent.
func Tool(name string, input map[string]any) Block {
	return Block{Type: "tool_use", Name: name, Input: input}
}

// Write is a call of the Write tool; path should be absolute.
func Write(path, content string) Block {
	return Tool("Write", map[string]any{"file_path": path, "content": content})
}

// Edit is a call of the Edit tool. The client refuses it, without any hook, for a file that was neither read nor written before.
func Edit(path, old, new string) Block {
	return Tool("Edit", map[string]any{"file_path": path, "old_string": old, "new_string": new})
}

// Read is a call of the Read tool.
func Read(path string) Block { return Tool("Read", map[string]any{"file_path": path}) }

// Bash is a call of the Bash tool in the foreground.
func Bash(command string) Block {
	return Tool("Bash", map[string]any{"command": command, "description": "run a command"})
}

// Agent is a call of the Agent tool, which starts a subagent of the general purpose kind. The subagent's own requests are answered
// from the [Script.Talks] entry whose mark occurs in prompt.
func Agent(description, prompt string) Block {
	return Tool("Agent", map[string]any{"description": description, "prompt": prompt, "subagent_type": "general-purpose"})
}

// Usage is what the endpoint claims to have used. All figures are tokens.
type Usage struct {
	Input, Output, CacheRead   int
	CacheWrite5m, CacheWrite1h int
}

func (u Usage) wire(output int) map[string]any {
	return map[string]any{
		"input_tokens": u.Input, "output_tokens": output,
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite5m + u.CacheWrite1h,
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": u.CacheWrite5m, "ephemeral_1h_input_tokens": u.CacheWrite1h},
		"service_tier":   "standard",
	}
}

// Step is the answer to one request of a conversation. The zero Step says nothing and ends the turn.
type Step struct {
	Blocks []Block // the message; one message with several tool calls makes the client run them in parallel
	Usage  *Usage  // nil: Script.Usage

	Status  int    // 0 or 200: a message; otherwise an API error of this HTTP status
	Type    string // the error's type, for example "overloaded_error"; "" picks the usual one for Status
	Message string // the error's message

	Stop string // stop_reason; "" is "tool_use" when a tool is called and "end_turn" otherwise

	// Do, when set, is called with the request and its result is used instead. It runs on the server's goroutine.
	Do func(Request) Step
}

// Say is a turn that ends with text.
func Say(text string) Step { return Step{Blocks: []Block{Text(text)}} }

// Turn is one message of these blocks.
func Turn(blocks ...Block) Step { return Step{Blocks: blocks} }

// Fail is an API error of this HTTP status, for example 529.
func Fail(status int, message string) Step { return Step{Status: status, Message: message} }

func (s Step) stopReason() string {
	if s.Stop != "" {
		return s.Stop
	}
	for _, b := range s.Blocks {
		if b.Type == "tool_use" {
			return "tool_use"
		}
	}
	return "end_turn"
}

func (s Step) errorBody(requestID string) []byte {
	kind := s.Type
	if kind == "" {
		kind = errorTypes()[s.Status]
	}
	if kind == "" {
		kind = "api_error"
	}
	body, err := json.Marshal(map[string]any{
		"type": "error", "error": map[string]any{"type": kind, "message": s.Message}, "request_id": requestID,
	})
	if err != nil { // unreachable: strings only
		return []byte(`{"type":"error","error":{"type":"api_error","message":"error"}}`)
	}
	return body
}

// errorTypes are the types that the real endpoint sends with each status.
func errorTypes() map[int]string {
	return map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error",
	}
}
