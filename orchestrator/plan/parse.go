package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Parse finds the plan in what a manager answered. Structured output is preferred; without it the last valid plan among the JSON
// objects of the text counts, whatever prose, fences and other objects are around it. Every task needs an acceptance command. The
// error is Problems, which lists everything that is wrong with the best candidate.
func Parse(reply string, structured []byte) (orchestrator.Plan, error) {
	s, err := compiled()
	if err != nil {
		return orchestrator.Plan{}, err // unreachable: the schema is ours
	}
	if given := bytes.TrimSpace(structured); len(given) > 0 && !bytes.Equal(given, []byte("null")) {
		if len(given) > MaxBytes {
			return orchestrator.Plan{}, Problems{{Text: fmt.Sprintf("the plan has %d bytes, at most %d", len(given), MaxBytes)}}
		}
		if found := syntax(given); found != nil {
			return orchestrator.Plan{}, found
		}
		p, found := answer(given, s.answer)
		return p, found.Err()
	}
	if len(reply) > MaxBytes {
		return orchestrator.Plan{}, Problems{{Text: fmt.Sprintf("the answer has %d bytes, at most %d", len(reply), MaxBytes)}}
	}
	return best(reply, s.answer)
}

// answer reads a plan of a manager.
func answer(data []byte, s *jsonschema.Schema) (orchestrator.Plan, Problems) {
	p, found := decode(data, s)
	wrong := ill(found)
	for i, t := range p.Tasks {
		if at := fmt.Sprintf("tasks[%d]", i); t.Acceptance == "" && !wrong[at] && !wrong[at+".acceptance_cmd"] {
			found.add(at+".acceptance_cmd", "is empty: want a command that fails until the task is done")
		}
	}
	sortByPlace(found)
	if len(found) > 0 {
		return orchestrator.Plan{}, found
	}
	return p, nil
}

// best looks at the objects of a text from the last to the first.
func best(reply string, s *jsonschema.Schema) (orchestrator.Plan, error) {
	objects, open := find(reply)
	var first Problems // of the last object that looks like a plan
	for k := len(objects) - 1; k >= 0; k-- {
		for _, data := range inside(objects[k]) {
			p, found := answer(data, s)
			if len(found) == 0 {
				return p, nil
			}
			if first == nil {
				first = found
			}
		}
	}
	switch {
	case first != nil:
		return orchestrator.Plan{}, first
	case open:
		return orchestrator.Plan{}, Problems{{Text: "the JSON object breaks off: it was begun and never ended"}}
	case len(objects) > 0:
		return orchestrator.Plan{}, Problems{{Text: "no JSON object of the answer has the members modules and tasks"}}
	case strings.TrimSpace(reply) == "":
		return orchestrator.Plan{}, Problems{{Text: "the answer is empty"}}
	}
	return orchestrator.Plan{}, Problems{{Text: "there is no JSON object in the answer"}}
}

// Bounds of the search for objects in prose.
const (
	maxObjects = 1000     // the last of which count
	scanBudget = 16 << 20 // bytes looked at in all, also for what turns out to be no object
	minBudget  = 256      // what one try costs at least
)

// find gives the JSON objects of a text that are not inside another, in their order; open says that one was begun and not ended.
func find(text string) (objects []json.RawMessage, open bool) {
	budget := scanBudget
	for at := 0; budget > 0; {
		k := strings.IndexByte(text[at:], '{')
		if k < 0 {
			break
		}
		at += k
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		var object json.RawMessage
		err := dec.Decode(&object)
		if err == nil {
			if objects = append(objects, object); len(objects) > maxObjects {
				objects = objects[1:]
			}
			budget -= minBudget
			at += int(dec.InputOffset())
			continue
		}
		cost := minBudget
		var bad *json.SyntaxError
		if errors.As(err, &bad) {
			cost += int(bad.Offset)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			open = true
			cost += len(text) - at
		}
		budget -= cost
		at++
	}
	return objects, open
}

// inside gives an object that looks like a plan, or those within it that do: managers put plans into envelopes.
func inside(object json.RawMessage) []json.RawMessage {
	var top map[string]json.RawMessage
	if json.Unmarshal(object, &top) != nil {
		return nil
	}
	if top["modules"] != nil || top["tasks"] != nil {
		return []json.RawMessage{object}
	}
	var out []json.RawMessage
	for _, v := range top {
		var text string
		switch {
		case len(v) > 0 && v[0] == '{':
			var inner map[string]json.RawMessage
			if json.Unmarshal(v, &inner) == nil && inner["modules"] != nil && inner["tasks"] != nil {
				out = append(out, v)
			}
		case len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{"):
			var inner map[string]json.RawMessage
			if json.Unmarshal([]byte(text), &inner) == nil && inner["modules"] != nil && inner["tasks"] != nil {
				out = append(out, json.RawMessage(text))
			}
		}
	}
	if len(out) > 1 {
		return nil // which of them is meant?
	}
	return out
}
