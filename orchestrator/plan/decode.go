package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/devflow-suite/devflow/orchestrator"
)

// decode reads one JSON object as a plan. What is missing and has an obvious value gets it (a path is the module's name, a weight
// is 1, no list is an empty one). Problems are those of the form and of the rules together.
func decode(data []byte, s *jsonschema.Schema) (orchestrator.Plan, Problems) {
	_, found, err := scan(data)
	if err != nil {
		return orchestrator.Plan{}, Problems{{Text: "no JSON: " + clip(err.Error())}}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return orchestrator.Plan{}, Problems{{Text: "no JSON: " + clip(err.Error())}}
	}
	value = numbers(value, "", &found)
	top, ok := value.(map[string]any)
	if !ok {
		return orchestrator.Plan{}, Problems{{Text: "want one JSON object"}}
	}
	complete(top)
	found = append(found, shape(s, top)...)
	p := lenient(top)
	wrong := ill(found)
	if wrong["modules"] || wrong["tasks"] { // one of the lists is none: the rest would be noise
		sortByPlace(found)
		return p, found
	}
	found = append(found, check(p, wrong)...)
	sortByPlace(found)
	return p, found
}

// ill lists the places whose values are known to be wrong, so that the rules say nothing more about them.
func ill(found Problems) map[string]bool {
	wrong := map[string]bool{}
	for _, x := range found {
		switch {
		case strings.HasPrefix(x.Text, wrongType):
			wrong[x.Where] = true
			if list, _, ok := strings.Cut(x.Where, ".depends_on["); ok {
				wrong[list+".depends_on"] = true
			}
		case strings.HasPrefix(x.Text, missing):
			for _, member := range [...]string{"name", "path", "id", "module", "description", "acceptance_cmd", "modules", "tasks"} {
				if strings.Contains(x.Text, "'"+member+"'") {
					wrong[strings.TrimPrefix(x.Where+"."+member, ".")] = true
				}
			}
		case strings.HasPrefix(x.Text, "the number"):
			wrong[x.Where] = true
		}
	}
	return wrong
}

// Beginnings of messages of the schema library, version 5.3.1; a test sees that they stay.
const wrongType, missing = "expected ", "missing properties"

// numbers turns numbers into floats, which a schema can be checked with at any size. What does not fit is a problem.
func numbers(v any, where string, found *Problems) any {
	const deep = 200
	if len(where) > deep {
		where = where[:deep]
	}
	switch x := v.(type) {
	case json.Number:
		f, err := x.Float64()
		if err != nil || math.IsInf(f, 0) {
			found.add(where, "the number %s is out of range", quote(x.String()))
			return float64(1)
		}
		return f
	case map[string]any:
		for k, m := range x {
			x[k] = numbers(m, below(where, k, false), found)
		}
	case []any:
		for i, m := range x {
			x[i] = numbers(m, below(where, fmt.Sprint(i), true), found)
		}
	}
	return v
}

// complete fills in what may be left out, and cleans paths of "./" and a last "/".
func complete(top map[string]any) {
	given := func(m map[string]any, name string, value any) {
		if m[name] == nil {
			m[name] = value
		}
	}
	given(top, "summary", "")
	modules, _ := top["modules"].([]any)
	for _, v := range modules {
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if name, ok := m["name"].(string); ok {
			given(m, "path", name)
		}
		given(m, "weight", float64(1))
		given(m, "depends_on", []any{})
		if path, ok := m["path"].(string); ok && path != "./" {
			for strings.HasPrefix(path, "./") && len(path) > 2 {
				path = path[2:]
			}
			if len(path) > 1 {
				path = strings.TrimSuffix(path, "/")
			}
			m["path"] = path
		}
	}
	tasks, _ := top["tasks"].([]any)
	for _, v := range tasks {
		if t, ok := v.(map[string]any); ok {
			given(t, "depends_on", []any{})
		}
	}
}

// lenient takes what has the right type.
func lenient(top map[string]any) orchestrator.Plan {
	text := func(m map[string]any, name string) string { s, _ := m[name].(string); return s }
	list := func(m map[string]any, name string) []string {
		out := []string{}
		items, _ := m[name].([]any)
		for _, v := range items {
			if s, ok := v.(string); ok && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return out
	}
	p := orchestrator.Plan{Summary: strings.TrimSpace(text(top, "summary"))}
	modules, _ := top["modules"].([]any)
	for _, v := range modules {
		m, _ := v.(map[string]any)
		weight, _ := m["weight"].(float64)
		p.Modules = append(p.Modules, orchestrator.Module{Name: text(m, "name"), Path: text(m, "path"), Weight: weight, DependsOn: list(m, "depends_on")})
	}
	tasks, _ := top["tasks"].([]any)
	for _, v := range tasks {
		t, _ := v.(map[string]any)
		network, _ := t["network"].(bool)
		p.Tasks = append(p.Tasks, orchestrator.Task{ID: text(t, "id"), Module: text(t, "module"), Description: strings.TrimSpace(text(t, "description")),
			DependsOn: list(t, "depends_on"), Acceptance: strings.TrimSpace(text(t, "acceptance_cmd")), Network: network})
	}
	return p
}
