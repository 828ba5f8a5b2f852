package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// chunk is a piece of a streamed completion, or a whole one: there the message stands in for the delta.
type chunk struct {
	ID      loose  `json:"id"`
	Choices []pick `json:"choices"`
	Usage   *usage `json:"usage"`
	problem *problem
}

type pick struct {
	Index   whole  `json:"index"`
	Delta   *delta `json:"delta"`
	Message *delta `json:"message"`
	Finish  loose  `json:"finish_reason"`
	Stop    loose  `json:"stop_reason"` // vLLM: the stop string that was met
}

type delta struct {
	Content          said         `json:"content"`
	Refusal          loose        `json:"refusal"`
	ReasoningContent loose        `json:"reasoning_content"`
	Reasoning        loose        `json:"reasoning"`
	Calls            []callDelta  `json:"tool_calls"`
	Call             *calledDelta `json:"function_call"`
}

// counted gives the calls of a whole message their numbers: each is one.
func (d *delta) counted() *delta {
	for i := range d.Calls {
		d.Calls[i].Index = whole{i, true}
	}
	return d
}

type callDelta struct {
	Index    whole       `json:"index"`
	ID       loose       `json:"id"`
	Function calledDelta `json:"function"`
}

type calledDelta struct {
	Name      loose     `json:"name"`
	Arguments arguments `json:"arguments"`
}

type usage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Details    struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Hit count `json:"prompt_cache_hit_tokens"` // DeepSeek
}

// loose takes a string and makes nothing of anything else.
type loose string

func (s *loose) UnmarshalJSON(b []byte) error {
	var v string
	if json.Unmarshal(b, &v) == nil {
		*s = loose(v)
	}
	return nil
}

// whole takes a whole number, also as a string; set says whether there was one.
type whole struct {
	n   int
	set bool
}

func (w *whole) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(strings.Trim(string(b), `"`))
	if err == nil {
		*w = whole{n, true}
	}
	return nil
}

// count takes a number of tokens.
type count int64

func (c *count) UnmarshalJSON(b []byte) error {
	var f float64
	if json.Unmarshal(b, &f) == nil && f > 0 && f < 1<<53 {
		*c = count(f)
	}
	return nil
}

// arguments takes the text of arguments, or arguments that were sent as an object.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*a = arguments(s)
		return nil
	}
	var compact bytes.Buffer
	if b[0] == '{' && json.Compact(&compact, b) == nil {
		*a = arguments(compact.String())
	}
	return nil
}

// said is a content field: text, or parts (Mistral sends its reasoning as a part).
type said struct{ text, thinking string }

func (s *said) UnmarshalJSON(b []byte) error {
	var text loose
	if b[0] != '[' {
		_ = text.UnmarshalJSON(b)
		s.text = string(text)
		return nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     loose  `json:"text"`
		Thinking said   `json:"thinking"`
	}
	if json.Unmarshal(b, &parts) != nil {
		return nil
	}
	for _, p := range parts {
		s.text += string(p.Text)
		s.thinking += p.Thinking.text + p.Thinking.thinking
	}
	return nil
}

var errNoCompletion = errors.New("neither choices nor usage nor an error")

func parseChunk(data []byte) (chunk, error) {
	var c chunk
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return c, errors.New("not a JSON object")
	}
	if c.problem = findProblem(top); c.problem != nil {
		return c, nil
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, errors.New("fields of other types than expected")
	}
	if top["choices"] == nil && top["usage"] == nil && top["id"] == nil && top["object"] == nil {
		return c, errNoCompletion
	}
	return c, nil
}
