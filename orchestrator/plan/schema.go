package plan

import (
	"bytes"
	_ "embed" // for schema.json
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed schema.json
var schemaText string

// Schema is the JSON schema of a manager's answer, for structured output. The member network is not in it: only a person may ask
// for the network, in a plan file.
func Schema() []byte { return []byte(schemaText) }

// schemas are the compiled schemas of a manager's answer and of a plan file.
type schemas struct{ answer, file *jsonschema.Schema }

var compiled = sync.OnceValues(func() (schemas, error) {
	var s schemas
	var err error
	if s.answer, err = compile(schemaText); err != nil {
		return s, err
	}
	const member = `"acceptance_cmd": {"type"`
	s.file, err = compile(strings.Replace(schemaText, member, `"network": {"type": "boolean"}, `+member, 1))
	return s, err
})

func compile(text string) (*jsonschema.Schema, error) {
	const url = "plan.json"
	c := jsonschema.NewCompiler()
	c.LoadURL = func(s string) (io.ReadCloser, error) { return nil, fmt.Errorf("load %s: the schema stands alone", s) }
	if err := c.AddResource(url, bytes.NewReader([]byte(text))); err != nil {
		return nil, fmt.Errorf("read plan schema: %w", err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile plan schema: %w", err)
	}
	return s, nil
}

// shape holds a value against the schema and gives what is wrong with its form: types, missing and unknown members. Values (names,
// lengths, bounds) are left to check, which says them in words.
func shape(s *jsonschema.Schema, value any) Problems {
	var invalid *jsonschema.ValidationError
	err := s.Validate(value)
	if err == nil {
		return nil
	}
	if !errors.As(err, &invalid) {
		return Problems{{Text: clip(err.Error())}}
	}
	var found Problems
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
		if len(e.Causes) == 0 && slices.Contains([]string{"type", "required", "additionalProperties"}, keyword) {
			found.add(place(e.InstanceLocation), "%s", clip(e.Message))
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(invalid)
	return found
}

// place turns a JSON pointer into "tasks[2].module".
func place(pointer string) string {
	where := ""
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		where = below(where, part, part != "" && strings.Trim(part, "0123456789") == "")
	}
	return where
}

// below names a member or an element of a place.
func below(where, part string, element bool) string {
	switch {
	case element:
		return where + "[" + part + "]"
	case where == "":
		return clip(part)
	}
	return where + "." + clip(part)
}

// places are the byte offsets behind the beginning of each value of a JSON text, by place.
type places map[string]int64

// scan reads a JSON text once: where its values are, and which members stand twice. Deeper values than a plan has are not listed.
func scan(data []byte) (places, Problems, error) {
	const deepest = 4
	type level struct {
		where string
		seen  map[string]bool // of an object
		key   string
		next  int // of an array
	}
	found, twice, stack := places{}, Problems(nil), []level{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return found, twice, nil
		}
		if err != nil {
			return found, twice, err
		}
		if d, ok := token.(json.Delim); ok && (d == '}' || d == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		where := ""
		if len(stack) > 0 {
			top := &stack[len(stack)-1]
			if name, ok := token.(string); ok && top.seen != nil && top.key == "" {
				if top.seen[name] {
					twice.add(top.where, "the member %s stands there twice", quote(name))
				}
				top.seen[name], top.key = true, "."+name
				continue
			}
			if len(stack) <= deepest {
				where = below(top.where, strings.TrimPrefix(top.key, "."), false)
				if top.seen == nil {
					where = below(top.where, fmt.Sprint(top.next), true)
				}
				found[where] = dec.InputOffset()
			}
			top.key = ""
			top.next++
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, level{where: where, seen: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, level{where: where})
		}
	}
}
