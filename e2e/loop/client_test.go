package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func (w *world) start(args []string) error {
	if err := need(args, 0, 1); err != nil {
		return err
	}
	source := "startup_headless"
	if len(args) == 1 {
		source = args[0]
	}
	w.begin()
	_, err := w.event("session_start_" + source)
	return err
}

// nextPrompt gives the session a new prompt id.
func (w *world) nextPrompt() {
	w.ts.Setenv("PROMPT", fmt.Sprintf("33333333-0000-4000-8000-%012d", w.number()))
}

func (w *world) prompt(args []string) error {
	if err := need(args, 1, 2); err != nil {
		return err
	}
	w.begin()
	w.nextPrompt()
	if len(args) == 2 {
		from, ok := map[string]string{"-tool": fromTool, "-client": fromClient, "-person": fromPerson}[args[0]]
		if !ok {
			return fmt.Errorf("unknown flag %s", args[0])
		}
		return w.sent(from, args[1])
	}
	_, err := w.event("user_prompt_submit", "prompt="+args[0])
	return err
}

// command sends the two events of a slash command in the order of the client version.
func (w *world) command(args []string) error {
	if err := need(args, 1, 2); err != nil {
		return err
	}
	rest := strings.Join(args[1:], "")
	raw := strings.TrimSpace("/" + args[0] + " " + rest)
	w.begin()
	w.nextPrompt()
	expansion := func() error {
		_, err := w.event("user_prompt_expansion", "command_name="+args[0], "command_args="+rest, "command_source=userSettings", "prompt="+raw)
		return err
	}
	submit := func() error {
		_, err := w.event("user_prompt_submit_command", "prompt="+raw)
		return err
	}
	if w.env("CLIENT") == "2.1.197" {
		return errors.Join(expansion(), submit())
	}
	return errors.Join(submit(), expansion())
}

func (w *world) read(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	w.begin()
	path := w.abs(args[0])
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := json.Marshal(map[string]any{
		"filePath": path, "content": string(text), "numLines": bytes.Count(text, []byte("\n")), "startLine": 1, "totalLines": bytes.Count(text, []byte("\n")),
	})
	if err != nil {
		return err
	}
	_, err = w.event("post_tool_use_read", "tool_input.file_path="+path, "tool_response.file:="+string(file), w.toolID())
	return err
}

// abs is a file of the session, by its path relative to the session's folder.
func (w *world) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.cwd(), filepath.FromSlash(path))
}

func (w *world) toolID() string { return fmt.Sprintf("tool_use_id=toolu_%04d_0", w.number()) }

// denied reports whether the answer to PreToolUse keeps the client from running the tool.
func denied(r *reply) bool {
	_, deny := r.said("deny")
	_, ask := r.said("ask")
	return deny || ask
}

func (w *world) write(args []string) error {
	if err := need(args, 2, 2); err != nil {
		return err
	}
	path, text, id := w.abs(args[0]), w.ts.ReadFile(filepath.Join(w.env("WORK"), args[1])), w.toolID()
	w.begin()
	pre, err := w.event("pre_tool_use_write", "tool_input.file_path="+path, "tool_input.content="+text, id)
	if err != nil || denied(pre) {
		return err
	}
	before, err := os.ReadFile(path)
	created := errors.Is(err, fs.ErrNotExist)
	if err != nil && !created {
		return err
	}
	if err := put(path, text); err != nil {
		return err
	}
	set := []string{"tool_input.file_path=" + path, "tool_input.content=" + text, "tool_response.filePath=" + path, "tool_response.content=" + text, id}
	fixture := "post_tool_use_write_create"
	if !created {
		fixture = "post_tool_use_write_update"
		set = append(set, "tool_response.originalFile="+string(before), "tool_response.structuredPatch:="+patch(string(before), text))
	}
	_, err = w.event(fixture, set...)
	return err
}

func put(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func (w *world) edit(args []string) error {
	if err := need(args, 3, 3); err != nil {
		return err
	}
	path, id := w.abs(args[0]), w.toolID()
	old, text := w.text(args[1]), w.text(args[2])
	w.begin()
	set := []string{"tool_input.file_path=" + path, "tool_input.old_string=" + old, "tool_input.new_string=" + text, id}
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(before), old); n != 1 {
		return fmt.Errorf("edit %s: the old text is there %d times, want once; the client refuses that before any hook", path, n)
	}
	pre, err := w.event("pre_tool_use_edit", set...)
	if err != nil || denied(pre) {
		return err
	}
	after := strings.Replace(string(before), old, text, 1)
	if err := put(path, after); err != nil {
		return err
	}
	_, err = w.event("post_tool_use_edit", append(set, "tool_response.filePath="+path, "tool_response.oldString="+old, "tool_response.newString="+text,
		"tool_response.originalFile="+string(before), "tool_response.structuredPatch:="+patch(string(before), after))...)
	return err
}

// text is an argument, or the file that it names.
func (w *world) text(arg string) string {
	file, named := strings.CutPrefix(arg, "@")
	switch {
	case !named:
		return arg
	case file == "":
		return ""
	}
	return w.ts.ReadFile(filepath.Join(w.env("WORK"), file))
}

// patch is the structuredPatch of a change: one hunk without context from the first to the last changed line.
func patch(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	type hunk struct {
		OldStart int      `json:"oldStart"`
		OldLines int      `json:"oldLines"`
		NewStart int      `json:"newStart"`
		NewLines int      `json:"newLines"`
		Lines    []string `json:"lines"`
	}
	h := hunk{OldStart: head + 1, OldLines: len(a) - head - tail, NewStart: head + 1, NewLines: len(b) - head - tail}
	for _, line := range a[head : len(a)-tail] {
		h.Lines = append(h.Lines, "-"+line)
	}
	for _, line := range b[head : len(b)-tail] {
		h.Lines = append(h.Lines, "+"+line)
	}
	data, err := json.Marshal([]hunk{h})
	if err != nil || len(h.Lines) == 0 {
		return "[]"
	}
	return string(data)
}

// bash is the Bash tool. The client reports a status other than 0 as another event, with the output in its error.
func (w *world) bash(args []string) error {
	as, output := "", ""
	for len(args) > 2 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-as":
			as = args[1]
		case "-out":
			output = w.ts.ReadFile(filepath.Join(w.env("WORK"), args[1]))
		default:
			return fmt.Errorf("unknown flag %s", args[0])
		}
		args = args[2:]
	}
	if err := need(args, 1, 1); err != nil {
		return err
	}
	script := strings.TrimSuffix(w.text(args[0]), "\n")
	id, line := w.toolID(), "tool_input.command="+script
	w.begin()
	pre, err := w.event("pre_tool_use_bash", line, id)
	if err != nil || denied(pre) {
		return err
	}
	status := 0
	if as == "" {
		status, output, err = w.shell(script)
	} else {
		status, err = strconv.Atoi(as)
	}
	if err != nil {
		return err
	}
	if status != 0 {
		_, err = w.event("post_tool_use_failure_bash", line, id, "error="+strings.TrimSpace(fmt.Sprintf("Exit code %d\n%s", status, output)))
		return err
	}
	_, err = w.event("post_tool_use_bash", line, id, "tool_response.stdout="+strings.TrimSuffix(output, "\n"))
	return err
}

// shell runs a command as the model's shell would: not as a child of devflow.
func (w *world) shell(line string) (status int, output string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", line)
	cmd.Dir, cmd.Env = w.cwd(), append(w.environ(), gitEnviron(w.env("HOME"))...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		err = nil
	}
	return cmd.ProcessState.ExitCode(), string(out), err
}

// done ends a turn. The client has then written the model's last words to the transcript.
func (w *world) done(args []string) error {
	fixture := "stop"
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-active":
			fixture = "stop_active"
		case "-busy":
			fixture = "stop_background_tasks"
		default:
			return fmt.Errorf("unknown flag %s", args[0])
		}
		args = args[1:]
	}
	if err := need(args, 0, 1); err != nil {
		return err
	}
	text := "Done."
	if len(args) == 1 {
		text = args[0]
	}
	if err := w.lastWords(text); err != nil {
		return err
	}
	w.begin()
	_, err := w.event(fixture, "last_assistant_message="+text)
	return err
}

// compact is what a compaction sends, in the order that was seen.
func (w *world) compact(args []string) error {
	if err := need(args, 0, 0); err != nil {
		return err
	}
	w.begin()
	for _, fixture := range []string{"pre_compact_manual", "subagent_stop_compaction", "session_start_compact", "post_compact_manual"} {
		if _, err := w.event(fixture); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) end(args []string) error {
	w.begin()
	_, err := w.event("session_end_exit")
	return err
}
