// Package reply finds the one JSON answer in what a model said, and holds it against a JSON schema.
//
// Models wrap answers in prose, in code fences, in envelopes; they quote braces, they answer with an error object, they
// answer twice. An answer counts only when exactly one object in the text satisfies the schema; free text is never an
// answer. The package owns no table and no file, loads no schema from elsewhere, and is safe for concurrent use.
package reply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/devflow-suite/devflow/internal/llm"
)

// Bounds of the search. A text beyond them holds no answer that anybody wants.
const (
	MaxRaw      = 1 << 20 // bytes of one reply
	maxStarts   = 2000    // places where an object may begin
	scanBudget  = 8 << 20 // bytes looked at in all, also for objects that turn out to be none
	maxProblems = 1200    // bytes of a description of what is wrong
)

// Schema is a compiled JSON schema of an answer.
type Schema struct{ compiled *jsonschema.Schema }

// Compile reads a schema. References to other documents are refused.
func Compile(schema []byte) (*Schema, error) {
	const url = "answer.json"
	c := jsonschema.NewCompiler()
	c.LoadURL = func(s string) (io.ReadCloser, error) { return nil, fmt.Errorf("load %s: schemas stand alone", s) }
	if err := c.AddResource(url, bytes.NewReader(schema)); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Schema{s}, nil
}

// Check validates one JSON value. The error lists what is wrong, for a model to read.
func (s *Schema) Check(value []byte) error {
	if err := noTwice(value); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	err := s.compiled.Validate(v)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return errors.New(problems(invalid))
	}
	return err
}

// problems flattens a validation error to its leaves: "at /reason: expected string, but got null".
func problems(e *jsonschema.ValidationError) string {
	var b strings.Builder
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if b.Len() > maxProblems {
			return
		}
		if len(e.Causes) == 0 {
			where := e.InstanceLocation
			if where == "" {
				where = "the top"
			}
			fmt.Fprintf(&b, "at %s: %s; ", where, e.Message)
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(e)
	text := strings.TrimSuffix(b.String(), "; ")
	if len(text) > maxProblems {
		text = strings.ToValidUTF8(text[:maxProblems], "")
	}
	return text
}

// Find gives the only object in raw that satisfies the schema. given is what the model was shown: an object that stands there
// word for word is a quotation and no answer. An object with a member "error" that says something is a failure and no answer
// either. Errors are *llm.Error of kind llm.ErrTruncated (an object was begun and never ended), llm.ErrQuota or llm.ErrSchema.
func (s *Schema) Find(raw, given string) (json.RawMessage, error) {
	if len(raw) > MaxRaw {
		return nil, llm.Fail(llm.ErrSchema, "the answer has %d bytes, at most %d are read", len(raw), MaxRaw)
	}
	sc := scanner{given: given, check: s.Check, budget: scanBudget}
	sc.text(raw, 0)
	switch {
	case sc.twice:
		return nil, llm.Fail(llm.ErrSchema, "there are two different answers")
	case sc.answer != nil:
		return sc.answer, nil
	case sc.failure != "" && llm.SaysQuota(sc.failure):
		return nil, llm.Fail(llm.ErrQuota, "%s", sc.failure)
	case sc.failure != "":
		return nil, llm.Fail(llm.ErrSchema, "the answer is an error: %s", sc.failure)
	case sc.problem != "":
		return nil, llm.Fail(llm.ErrSchema, "%s", sc.problem)
	case sc.open:
		return nil, llm.Fail(llm.ErrTruncated, "the JSON object breaks off")
	case strings.TrimSpace(raw) == "":
		return nil, llm.Fail(llm.ErrSchema, "the answer is empty")
	}
	return nil, llm.Fail(llm.ErrSchema, "there is no JSON object in the answer")
}

func same(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
