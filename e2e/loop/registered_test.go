package loop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// settings is what the client reads of a settings file.
type settings struct {
	Hooks map[string][]struct {
		Matcher *string `json:"matcher"`
		Hooks   []struct {
			Type    string   `json:"type"`
			Command string   `json:"command"`
			Timeout *float64 `json:"timeout"`
		} `json:"hooks"`
	} `json:"hooks"`
}

// settingsFiles are those that the client reads for a session in the project.
func (w *world) settingsFiles() []string {
	return []string{
		filepath.Join(w.env("HOME"), ".claude", "settings.json"), filepath.Join(w.env("PROJ"), ".claude", "settings.json"),
		filepath.Join(w.env("PROJ"), ".claude", "settings.local.json"),
	}
}

// registered runs what the settings files register for an event, each command by a shell, as the client does; stdout are the answers.
// It wants at least one. $RAN is how many there were.
func (w *world) registered(args []string) error {
	if err := need(args, 1, -1); err != nil {
		return err
	}
	payload, err := w.payload(args[0], args[1:]...)
	if err != nil {
		return err
	}
	var p struct {
		Tool   string `json:"tool_name"`
		Source string `json:"source"`
	}
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	w.begin()
	ran := 0
	for _, file := range w.settingsFiles() {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var s settings
		if err := errors.Join(err, json.Unmarshal(data, &s)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, group := range s.Hooks[eventOf(payload)] {
			if !matches(group.Matcher, p.Tool+p.Source) {
				continue
			}
			for _, h := range group.Hooks {
				r, err := w.process([]string{"/bin/sh", "-c", h.Command}, payload, w.environ())
				if err != nil {
					return err
				}
				w.keep(r)
				ran++
			}
		}
	}
	if ran == 0 {
		return fmt.Errorf("nothing is registered for %s", eventOf(payload))
	}
	w.ts.Setenv("RAN", fmt.Sprint(ran))
	return nil
}

// matches is how the client compares a matcher with a tool or a source.
func matches(matcher *string, what string) bool {
	if matcher == nil || *matcher == "" || *matcher == "*" {
		return true
	}
	re, err := regexp.Compile("^(?:" + *matcher + ")$")
	return err == nil && re.MatchString(what)
}

// shape holds a settings file to what the client accepts: known events, groups of an optional matcher and hooks, commands with a
// timeout in seconds. One wrong entry switches a whole file off.
func (w *world) shape(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	data := []byte(w.ts.ReadFile(args[0]))
	var file struct {
		Hooks json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	known, err := knownEvents()
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(`{"hooks":` + string(file.Hooks) + `}`)))
	dec.DisallowUnknownFields()
	var s settings
	if err := dec.Decode(&s); err != nil {
		return err
	}
	ours := 0
	for event, groups := range s.Hooks {
		if !slices.Contains(known, event) {
			return fmt.Errorf("%s is no event of the client", event)
		}
		for _, g := range groups {
			if len(g.Hooks) == 0 {
				return fmt.Errorf("%s has a group without hooks", event)
			}
			for _, h := range g.Hooks {
				if h.Type != "command" || h.Command == "" {
					return fmt.Errorf("%s has a hook that is no command: %+v", event, h)
				}
				if !ownCommand(h.Command) {
					continue
				}
				ours++
				if h.Timeout == nil || *h.Timeout < 1 || *h.Timeout > 600 || *h.Timeout != math.Trunc(*h.Timeout) {
					return fmt.Errorf("timeout of %s is no whole number of seconds up to 600: %v", event, h.Timeout)
				}
			}
		}
	}
	if ours < 7 {
		return fmt.Errorf("%d commands of devflow, want at least 7", ours)
	}
	return nil
}

// knownEvents are those of the recorded payloads.
func knownEvents() ([]string, error) {
	files, err := filepath.Glob(recorded("*") + "/*.json")
	if err != nil {
		return nil, err
	}
	events := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var p struct {
			Event string `json:"hook_event_name"`
		}
		if err := json.Unmarshal(data, &p); err != nil {
			return nil, err
		}
		events[p.Event] = true
	}
	if len(events) < 15 {
		return nil, fmt.Errorf("%d events in the recorded payloads, want at least 15", len(events))
	}
	return slices.Collect(maps.Keys(events)), nil
}

func ownCommand(command string) bool { return strings.Contains(command, "/devflow-") }

// foreign compares two settings files without devflow's entries. Numbers count as they are written.
func (w *world) foreign(args []string) error {
	if err := need(args, 2, 2); err != nil {
		return err
	}
	var both [2]any
	for i, file := range args {
		dec := json.NewDecoder(strings.NewReader(w.ts.ReadFile(file)))
		dec.UseNumber()
		if err := dec.Decode(&both[i]); err != nil {
			return err
		}
		both[i] = withoutOurs(both[i])
	}
	if !reflect.DeepEqual(both[0], both[1]) {
		return fmt.Errorf("foreign entries (-%s +%s):\n%s", args[0], args[1], cmp.Diff(both[0], both[1]))
	}
	return nil
}

// withoutOurs takes out devflow's hooks, and what is empty without them.
func withoutOurs(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if value = withoutOurs(value); value != nil {
				out[key] = value
			}
		}
		if command, ok := v["command"].(string); ok && ownCommand(command) {
			return nil
		}
		if _, group := v["hooks"]; group && out["hooks"] == nil {
			delete(out, "matcher")
		}
		if len(out) == 0 && len(v) > 0 {
			return nil
		}
		return out
	case []any:
		out := []any{}
		for _, value := range v {
			if value = withoutOurs(value); value != nil {
				out = append(out, value)
			}
		}
		if len(out) == 0 && len(v) > 0 {
			return nil
		}
		return out
	case nil:
		return "null"
	}
	return v
}
