package loop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
