// Package logline reads the log of a run, one JSON object per line, and writes it for people.
//
// It owns no file. It takes any object: what it does not know is written as name=value, and a line that is no JSON as it is.
package logline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
)

// Filter says which lines are wanted and how.
type Filter struct {
	Region, Task string // "" = all
	JSON         bool   // as they are
}

// maxText is how many lines of a long text are written.
const maxText = 40

// Line gives a line for people; false when it is not wanted.
func (f Filter) Line(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if line == "" {
		return "", false
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return grid.Clean(line), f.Region == "" && f.Task == "" && !f.JSON
	}
	if f.Region != "" && text(fields["region"]) != f.Region || f.Task != "" && text(fields["task"]) != f.Task {
		return "", false
	}
	if f.JSON {
		return line, true
	}
	return format(fields), true
}

func format(fields map[string]any) string {
	take := func(names ...string) string {
		value := ""
		for _, name := range names {
			value = cmp.Or(value, text(fields[name]))
			delete(fields, name)
		}
		return value
	}
	at := take("at", "time")
	if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
		at = t.Format(time.TimeOnly)
	}
	parts := []string{grid.Clean(at)}
	if level := take("level"); level != "" && level != "INFO" {
		parts = append(parts, grid.Clean(level))
	}
	parts = append(parts, grid.Clean(take("kind", "msg")))
	if text(fields["attempt"]) == "0" { // of no attempt
		delete(fields, "attempt")
	}
	who := grid.Clean(take("region"))
	if task := grid.Clean(take("task")); task != "" {
		if who != "" {
			who += "/"
		}
		who += task
		if n := take("attempt"); n != "" {
			who += "#" + grid.Clean(n)
		}
	}
	parts = append(parts, cmp.Or(who, "-"))
	delete(fields, "run")
	words := strings.TrimSpace(take("text", "error"))
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	lines := grid.CleanLines(words, maxText)
	if words != "" && len(lines) == 1 {
		parts = append(parts, lines[0])
	}
	for _, name := range names {
		if value := grid.Clean(text(fields[name])); value != "" {
			parts = append(parts, grid.Clean(name)+"="+value)
		}
	}
	out := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
	if len(lines) > 1 {
		out += "\n    " + strings.Join(lines, "\n    ")
	}
	return out
}

// text is a value as text.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return fmt.Sprint(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // unreachable: it came from JSON
	}
	return string(b)
}
