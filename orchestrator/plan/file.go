package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/orchestrator"
)

// Load reads a plan file: one JSON object of the form of Schema, where tasks may also have network. What is wrong is Problems,
// wrapped, each with its line.
func Load(path string) (orchestrator.Plan, error) {
	data, err := regular.Read(path, MaxBytes)
	if err != nil {
		return orchestrator.Plan{}, fmt.Errorf("read plan: %w", err)
	}
	p, found := parseFile(data)
	if len(found) > 0 {
		return orchestrator.Plan{}, fmt.Errorf("read plan %s: %w", path, found)
	}
	return p, nil
}

func parseFile(data []byte) (orchestrator.Plan, Problems) {
	s, err := compiled()
	if err != nil {
		return orchestrator.Plan{}, Problems{{Text: err.Error()}} // unreachable: the schema is ours
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if found := syntax(data); found != nil {
		return orchestrator.Plan{}, found
	}
	p, found := decode(data, s.file)
	at, _, err := scan(data)
	if err != nil {
		return orchestrator.Plan{}, Problems{{Text: err.Error()}} // unreachable: it was read before
	}
	for i := range found {
		if offset, ok := at[found[i].Where]; ok {
			found[i].Line = line(data, offset)
		} else if offset, ok := at[parent(found[i].Where)]; ok {
			found[i].Line = line(data, offset)
		}
	}
	if len(found) > 0 {
		return orchestrator.Plan{}, found
	}
	return p, nil
}

// syntax reports a text that is not exactly one JSON value, with line and column.
func syntax(data []byte) Problems {
	dec := json.NewDecoder(bytes.NewReader(data))
	var v json.RawMessage
	err := dec.Decode(&v)
	var bad *json.SyntaxError
	switch {
	case err == io.EOF:
		return Problems{{Line: 1, Text: "the file is empty"}}
	case errors.As(err, &bad):
		start := bytes.LastIndexByte(data[:min(int(bad.Offset), len(data))], '\n') + 1
		return Problems{{Line: line(data, bad.Offset), Text: fmt.Sprintf("column %d: no JSON: %s", int(bad.Offset)-start, clip(bad.Error()))}}
	case err != nil:
		return Problems{{Line: line(data, int64(len(data))), Text: "no JSON: the file ends too early"}}
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return Problems{{Line: line(data, int64(len(data)-len(bytes.TrimLeft(data[dec.InputOffset():], " \t\r\n")))), Text: "something follows the plan"}}
	}
	return nil
}

// line gives the number of the line of an offset, from 1.
func line(data []byte, offset int64) int {
	return bytes.Count(data[:min(int(offset), len(data))], []byte("\n")) + 1
}

// parent is the place that holds a place.
func parent(where string) string {
	for i := len(where) - 1; i > 0; i-- {
		if where[i] == '.' || where[i] == '[' {
			return where[:i]
		}
	}
	return ""
}

// Write keeps a plan as a file that Load reads: indented, in the order of the plan. The file is replaced as a whole.
func Write(path string, p orchestrator.Plan) error {
	p.Modules, p.Tasks = append([]orchestrator.Module{}, p.Modules...), append([]orchestrator.Task{}, p.Tasks...)
	for i := range p.Modules {
		p.Modules[i].DependsOn = append([]string{}, p.Modules[i].DependsOn...)
	}
	for i := range p.Tasks {
		p.Tasks[i].DependsOn = append([]string{}, p.Tasks[i].DependsOn...)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		return fmt.Errorf("write plan %s: %w", path, err)
	}
	if err := atomicfile.WriteFile(path, b.Bytes(), 0); err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	return nil
}
