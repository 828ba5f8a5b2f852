package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// block is any content block of the Messages API; fields of others are empty.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUse   string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Title     string          `json:"title"`
	Source    json.RawMessage `json:"source"` // an object, but a string in search_result
}

type source struct {
	Type    string          `json:"type"`
	Media   string          `json:"media_type"`
	Data    string          `json:"data"`
	URL     string          `json:"url"`
	Content json.RawMessage `json:"content"`
}

type chatMessage struct {
	Role             string     `json:"role"`
	Content          any        `json:"content"` // string, []part, or nil beside tool calls
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	Reasoning        string     `json:"reasoning,omitempty"`
	ToolCalls        []toolCall `json:"tool_calls,omitempty"`
	ToolCallID       string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type part struct {
	Type  string    `json:"type"`
	Text  string    `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// billing begins the system block by which Claude Code tells its own service about a session; to other servers it is noise that
// differs between sessions (2.1.197 and 2.1.332).
const billing = "x-anthropic-billing-header"

// Texts that stand for what a chat completion cannot hold.
const (
	noOutput  = "(no output)"
	noResult  = "(this call has no result: it was interrupted)"
	imageNext = "(the image follows in the next message)"
	noImage   = "(an image that this endpoint cannot read was left out)"
	noPDF     = "(a document that this endpoint cannot read was left out)"
)

func systemText(raw json.RawMessage) (string, error) {
	blocks, err := contents(raw)
	if err != nil {
		return "", fmt.Errorf("read system prompt: %w", err)
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" && b.Text != "" && !strings.HasPrefix(b.Text, billing) {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}

// contents reads a content field: nothing, a string, or blocks.
func contents(raw json.RawMessage) ([]block, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, err
		}
		return []block{{Type: "text", Text: s}}, nil
	case raw[0] == '[':
		var blocks []block
		if err := json.Unmarshal(raw, &blocks); err != nil {
			return nil, err
		}
		return blocks, nil
	}
	return nil, errors.New("content is neither text nor blocks")
}

// talk builds the messages of a conversation.
type talk struct {
	out  []chatMessage
	open []string // ids of the calls that have no result yet
}

func conversation(messages []message) ([]chatMessage, error) {
	turns, err := merge(messages)
	if err != nil {
		return nil, err
	}
	present := 0 // the turn that began the present exchange: the last one of the user's that holds no result
	for i, turn := range turns {
		if !turn.assistant && !hasResult(turn.blocks) {
			present = i
		}
	}
	var t talk
	for i, turn := range turns {
		say := t.user
		if turn.assistant {
			say = func(blocks []block) error { return t.assistant(blocks, i > present) }
		}
		if err := say(turn.blocks); err != nil {
			return nil, fmt.Errorf("read message %d: %w", turn.at, err)
		}
	}
	return t.out, nil
}

type turn struct {
	assistant bool
	at        int // index of its first message
	blocks    []block
}

// merge puts neighbours of one side together, as the Messages API does: results may lie in several messages.
func merge(messages []message) ([]turn, error) {
	var turns []turn
	for i, m := range messages {
		blocks, err := contents(m.Content)
		if err != nil {
			return nil, fmt.Errorf("read message %d: %w", i, err)
		}
		assistant := m.Role == "assistant"
		if n := len(turns); n > 0 && turns[n-1].assistant == assistant {
			turns[n-1].blocks = append(turns[n-1].blocks, blocks...)
			continue
		}
		turns = append(turns, turn{assistant, i, blocks})
	}
	return turns, nil
}

func hasResult(blocks []block) bool {
	for _, b := range blocks {
		if b.Type == "tool_result" {
			return true
		}
	}
	return false
}

func (t *talk) assistant(blocks []block, present bool) error {
	var text []string
	m := chatMessage{Role: "assistant"}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			if b.Text != "" {
				text = append(text, b.Text)
			}
		case "tool_use":
			args, err := compactObject(b.Input)
			if err != nil {
				return fmt.Errorf("input of %.64q: %w", b.Name, err)
			}
			m.ToolCalls = append(m.ToolCalls, toolCall{b.ID, "function", callFunction{b.Name, args}})
		case "thinking":
			if !present {
				continue
			}
			switch b.Signature {
			case ReasoningContent:
				m.ReasoningContent += b.Thinking
			case Reasoning:
				m.Reasoning += b.Thinking
			}
		}
	}
	if len(text) == 0 && len(m.ToolCalls) == 0 {
		return nil
	}
	if len(text) > 0 {
		m.Content = strings.Join(text, "\n")
	}
	t.close()
	t.out = append(t.out, m)
	for _, c := range m.ToolCalls {
		t.open = append(t.open, c.ID)
	}
	return nil
}

// close answers the calls that got no result: servers refuse a conversation in which one is missing.
func (t *talk) close() {
	for _, id := range t.open {
		t.out = append(t.out, chatMessage{Role: "tool", ToolCallID: id, Content: noResult})
	}
	t.open = nil
}

func (t *talk) user(blocks []block) error {
	var rest, images []part
	for _, b := range blocks {
		if b.Type != "tool_result" {
			p, err := b.part()
			if err != nil {
				return err
			}
			if p.Type != "" {
				rest = append(rest, p)
			}
			continue
		}
		text, pictures, err := b.result()
		if err != nil {
			return err
		}
		if !t.answers(b.ToolUse) {
			rest = append(rest, part{Type: "text", Text: fmt.Sprintf("Result of the tool call %s:\n%s", b.ToolUse, text)})
			rest = append(rest, pictures...)
			continue
		}
		t.out = append(t.out, chatMessage{Role: "tool", ToolCallID: b.ToolUse, Content: text})
		images = append(images, pictures...)
	}
	if rest = append(images, rest...); len(rest) == 0 {
		return nil
	}
	t.close()
	t.out = append(t.out, chatMessage{Role: "user", Content: joinParts(rest)})
	return nil
}

// answers takes an id off the list of open calls.
func (t *talk) answers(id string) bool {
	for i, open := range t.open {
		if open == id {
			t.open = append(t.open[:i:i], t.open[i+1:]...)
			return true
		}
	}
	return false
}

// result gives the text of a tool's result, and its images.
func (b block) result() (string, []part, error) {
	inner, err := contents(b.Content)
	if err != nil {
		return "", nil, fmt.Errorf("result of %.64q: %w", b.ToolUse, err)
	}
	var texts []string
	var images []part
	for _, c := range inner {
		p, err := c.part()
		if err != nil {
			return "", nil, err
		}
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			images = append(images, p)
		}
	}
	text := strings.Join(texts, "\n")
	switch {
	case text == "" && len(images) > 0:
		text = imageNext
	case text == "":
		text = noOutput
	}
	if b.IsError && !strings.HasPrefix(strings.ToLower(strings.TrimLeft(text, "< ")), "error") && !strings.HasPrefix(text, "<tool_use_error>") {
		text = "Error: " + text
	}
	return text, images, nil
}

// part translates a block that a user's message or a result holds; the zero part for one without an equivalent.
func (b block) part() (part, error) {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return part{}, nil
		}
		return part{Type: "text", Text: b.Text}, nil
	case "image":
		var s source
		if err := json.Unmarshal(b.Source, &s); err != nil {
			return part{}, fmt.Errorf("source of an image: %w", err)
		}
		switch {
		case s.Type == "base64" && s.Data != "":
			return part{Type: "image_url", Image: &imageURL{"data:" + s.Media + ";base64," + s.Data}}, nil
		case s.Type == "url" && s.URL != "":
			return part{Type: "image_url", Image: &imageURL{s.URL}}, nil
		}
		return part{Type: "text", Text: noImage}, nil
	case "document":
		return b.document()
	case "search_result":
		var from string
		_ = json.Unmarshal(b.Source, &from) // without it the title and the text remain
		text, err := plain(b.Content)
		return part{Type: "text", Text: strings.Join([]string{b.Title, from, text}, "\n")}, err
	case "tool_reference":
		return part{Type: "text", Text: b.Name}, nil
	}
	return part{}, nil
}

func (b block) document() (part, error) {
	var s source
	if err := json.Unmarshal(b.Source, &s); err != nil {
		return part{}, fmt.Errorf("source of a document: %w", err)
	}
	text := noPDF
	switch s.Type {
	case "text":
		text = s.Data
	case "content":
		var err error
		if text, err = plain(s.Content); err != nil {
			return part{}, err
		}
	}
	if b.Title != "" {
		text = b.Title + "\n" + text
	}
	return part{Type: "text", Text: text}, nil
}

// plain gives the text among blocks.
func plain(raw json.RawMessage) (string, error) {
	blocks, err := contents(raw)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}

// joinParts gives one string when there is only text: not every server takes parts.
func joinParts(parts []part) any {
	texts := make([]string, len(parts))
	for i, p := range parts {
		if p.Type != "text" {
			return parts
		}
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n")
}
