package reply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// scanner tries every opening brace of a text. Braces of prose ("{braces}"), of code, and a quotation mark before the object
// do not matter, since every place is tried by itself. What is inside of an object that is no answer is tried as well,
// because providers wrap answers; what is inside of an answer is not.
type scanner struct {
	given  string
	check  func([]byte) error
	budget int // bytes that may still be looked at
	starts int

	answer  json.RawMessage
	twice   bool   // there was another answer
	problem string // why the first object that was none is none
	failure string // what an error object says
	open    bool   // an object was begun that never ends
}

// maxNested is how deep text within strings is looked into: an envelope in an envelope.
const maxNested = 2

func (s *scanner) text(raw string, nested int) {
	for i := 0; i < len(raw); {
		k := strings.IndexByte(raw[i:], '{')
		if k < 0 {
			return
		}
		i += k
		if s.starts++; s.starts > maxStarts || s.budget <= 0 {
			return
		}
		value, err := s.read(raw[i:])
		if err != nil {
			s.open = s.open || errors.Is(err, io.ErrUnexpectedEOF)
			i++
			continue
		}
		s.object(value, nested)
		i += len(value)
	}
}

// read takes one JSON object from the beginning of raw.
func (s *scanner) read(raw string) (value json.RawMessage, err error) {
	dec := json.NewDecoder(strings.NewReader(raw))
	if err = dec.Decode(&value); err == nil {
		s.budget -= len(value)
		return value, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		s.budget -= int(syntax.Offset) + 1
	} else {
		s.budget -= len(raw)
	}
	return nil, err
}

func (s *scanner) object(value json.RawMessage, nested int) {
	members := members(value)
	for _, m := range members {
		if m.name == "error" {
			if text := says(m.value); text != "" {
				if s.failure == "" {
					s.failure = text
				}
				return
			}
		}
	}
	s.budget -= len(value)
	err := s.check(value)
	switch {
	case err == nil && strings.Contains(s.given, string(value)):
		err = errors.New("the only object was quoted from the question")
	case err == nil:
		s.twice = s.twice || s.answer != nil && !same(s.answer, value)
		s.answer = value
		return
	}
	if s.problem == "" {
		s.problem = err.Error()
	}
	for _, m := range members {
		s.below(m.value, nested)
	}
}

// below looks at a value within an object that is no answer.
func (s *scanner) below(value json.RawMessage, nested int) {
	if len(value) == 0 || s.budget <= 0 {
		return
	}
	s.budget -= len(value)
	switch value[0] {
	case '{':
		s.object(value, nested)
	case '[':
		var elements []json.RawMessage
		if json.Unmarshal(value, &elements) == nil {
			for _, e := range elements {
				s.below(e, nested)
			}
		}
	case '"':
		var text string
		if nested < maxNested && json.Unmarshal(value, &text) == nil {
			s.text(text, nested+1)
		}
	}
}

type member struct {
	name  string
	value json.RawMessage
}

// members are those of a JSON object, in order.
func members(value []byte) []member {
	dec := json.NewDecoder(bytes.NewReader(value))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return out
		}
		m := member{}
		m.name, _ = name.(string)
		if dec.Decode(&m.value) != nil {
			return out
		}
		out = append(out, m)
	}
	return out
}

// says is the text of an error member: "" for null, false, 0 and what is empty.
func says(value json.RawMessage) string {
	switch text := strings.TrimSpace(string(value)); text {
	case "", "null", "false", "0", `""`, "{}", "[]":
		return ""
	default:
		var plain string
		if json.Unmarshal(value, &plain) == nil {
			return plain
		}
		return text
	}
}

// noTwice refuses an object that has a member twice: which one counts would be a matter of taste.
func noTwice(value []byte) error {
	type level struct {
		object, key bool
		seen        map[string]bool
	}
	var stack []level
	dec := json.NewDecoder(bytes.NewReader(value))
	for {
		t, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read JSON: %w", err)
		}
		top := len(stack) - 1
		if d, ok := t.(json.Delim); ok && (d == '}' || d == ']') {
			stack = stack[:top]
			continue
		}
		if top >= 0 && stack[top].object {
			if stack[top].key {
				name := t.(string) // unreachable otherwise: the decoder checks it
				if stack[top].seen[name] {
					return fmt.Errorf("member %q stands there twice", name)
				}
				stack[top].seen[name] = true
				stack[top].key = false
				continue
			}
			stack[top].key = true
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, level{object: true, key: true, seen: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, level{})
		}
	}
}
