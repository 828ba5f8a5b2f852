package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	Defer       bool            `json:"defer_loading"`
}

type function struct {
	Type     string       `json:"type"`
	Function functionSpec `json:"function"`
}

type functionSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func functions(tools []tool) ([]function, error) {
	var out []function
	for _, t := range tools {
		if t.Type != "" && t.Type != "custom" || t.Defer {
			continue
		}
		if t.Name == "" {
			return nil, errors.New("read messages request: a tool has no name")
		}
		schema, err := parameters(t.Schema)
		if err != nil {
			return nil, fmt.Errorf("read schema of tool %.64q: %w", t.Name, err)
		}
		out = append(out, function{"function", functionSpec{t.Name, t.Description, schema}})
	}
	return out, nil
}

// parameters makes a tool's schema one that servers accept: an object with properties and without "$schema".
func parameters(schema json.RawMessage) (json.RawMessage, error) {
	if schema = bytes.TrimSpace(schema); len(schema) == 0 || string(schema) == "null" {
		schema = json.RawMessage("{}")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil {
		return nil, err
	}
	_, hasSchema := fields["$schema"]
	_, hasType := fields["type"]
	_, hasProperties := fields["properties"]
	if !hasSchema && hasType && hasProperties {
		return schema, nil // untouched, in its own order
	}
	delete(fields, "$schema")
	if !hasType {
		fields["type"] = json.RawMessage(`"object"`)
	}
	if !hasProperties {
		fields["properties"] = json.RawMessage("{}")
	}
	return encode(fields)
}

type toolChoice struct {
	Type   string `json:"type"`
	Name   string `json:"name"`
	Serial bool   `json:"disable_parallel_tool_use"`
}

// translate gives tool_choice and parallel_tool_calls; nil leaves a field out.
func (c *toolChoice) translate() (choice any, parallel *bool) {
	if c == nil {
		return nil, nil
	}
	if c.Serial {
		parallel = new(bool)
	}
	switch c.Type {
	case "auto", "none":
		return c.Type, parallel
	case "any":
		return "required", parallel
	case "tool":
		type name struct {
			Name string `json:"name"`
		}
		return struct {
			Type     string `json:"type"`
			Function name   `json:"function"`
		}{"function", name{c.Name}}, parallel
	}
	return nil, parallel
}

// compactObject gives the compact form of a JSON object, "{}" for nothing.
func compactObject(raw json.RawMessage) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil && len(bytes.TrimSpace(raw)) > 0 {
		return "", err
	}
	if s := b.String(); strings.HasPrefix(s, "{") {
		return s, nil
	}
	return "{}", nil
}
