package loop_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// hookNames are the seven hook programs.
var hookNames = [...]string{"session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "pre-compact", "stop", "session-end"}

// feed gives every recorded payload of a client version to every hook, and rubbish. What holds for all answers is checked by process.
func (w *world) feed(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(recorded(args[0]), "*.json"))
	if err != nil || len(files) < 40 {
		return fmt.Errorf("%d recorded payloads of %s (%v), want at least 40", len(files), args[0], err)
	}
	w.ts.Setenv("CLIENT", args[0])
	inputs := [][]byte{[]byte("[]"), []byte("null"), nil, []byte(`{"session_id":"x","hook_event_name":"PreToolUse","tool_name":"Wri`)}
	big, err := w.payload("post_tool_use_write_create", "tool_response.content="+strings.Repeat("x", 1<<20))
	if err != nil {
		return err
	}
	inputs = append(inputs, big, big[:len(big)/2])
	for _, file := range files {
		data, err := w.payload(strings.TrimSuffix(filepath.Base(file), ".json"))
		if err != nil {
			return err
		}
		inputs = append(inputs, data)
	}
	return w.feedAll(inputs)
}

func (w *world) feedAll(inputs [][]byte) error {
	env := w.environ()
	programs := map[string]string{}
	for _, name := range hookNames {
		programs[name] = w.program(name)
	}
	type run struct {
		hook  string
		input []byte
	}
	runs := make(chan run)
	var mu sync.Mutex
	var errs []error
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for r := range runs {
				if _, err := w.execute([]string{programs[r.hook]}, r.input, env); err != nil {
					mu.Lock()
					errs = append(errs, fmt.Errorf("input %.200q: %w", r.input, err))
					mu.Unlock()
				}
			}
		})
	}
	for _, hook := range hookNames {
		for _, input := range inputs {
			runs <- run{hook, input}
		}
	}
	close(runs)
	all.Wait()
	return errors.Join(errs...)
}

// eachHook delivers to every hook a payload that it knows, changed by the arguments.
func (w *world) eachHook(args []string) error {
	w.begin()
	for _, fixture := range [...]string{
		"session_start_startup_headless", "user_prompt_submit", "pre_tool_use_write", "post_tool_use_write_create", "pre_compact_manual", "stop", "session_end_exit",
	} {
		if _, err := w.event(fixture, args...); err != nil {
			return err
		}
	}
	return nil
}
