package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// reply is what one hook process did.
type reply struct {
	event  string
	stdout []byte
	fields map[string]any // nil when nothing was printed
	read   int64          // bytes read, those of its children included
}

// hookOf names the program that answers an event.
func hookOf(event string) string {
	switch event {
	case "SessionStart":
		return "session-start"
	case "UserPromptSubmit", "UserPromptExpansion":
		return "user-prompt-submit"
	case "PreToolUse":
		return "pre-tool-use"
	case "PostToolUse", "PostToolUseFailure", "SubagentStart", "CwdChanged":
		return "post-tool-use"
	case "PreCompact", "PostCompact":
		return "pre-compact"
	case "Stop", "StopFailure", "SubagentStop":
		return "stop"
	case "SessionEnd":
		return "session-end"
	}
	return ""
}

// environ is the environment that the client gives a hook, and what the script wants devflow to see.
func (w *world) environ() []string {
	env := []string{"HOME=" + w.env("HOME"), "PATH=" + w.env("PATH"), "TMPDIR=" + w.env("TMPDIR")}
	if w.env("BARE") == "" {
		env = append(env, "CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+w.env("PROJ"), "CLAUDE_CODE_SESSION_ID="+w.env("SESSION"), "CLAUDE_CODE_CHILD_SESSION=1")
	}
	for _, name := range [...]string{"DEVFLOW_HOME", "DEVFLOW_DB", "DEVFLOW_CHILD", "DEVFLOW_JUDGE_SUBPROCESS", "PAPERWEIGHT_RUN_ID", "DEVFLOW_INSTINCT_SKIP"} {
		if value := w.env(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// process runs one hook, by a shell that tells what it read and bounds its memory. What holds for every answer is checked here.
func (w *world) process(argv []string, payload []byte, env []string) (*reply, error) {
	const script = `ulimit -d "$1" || exit 9; io=$2; shift 2; "$@"; status=$?
while read -r key value; do [ "$key" = rchar: ] && echo "$value" >"$io"; done </proc/$$/io; exit $status`
	limit, io := "unlimited", filepath.Join(w.env("TMPDIR"), "io-"+strconv.Itoa(w.number()))
	if mib := w.env("LIMIT"); mib != "" {
		limit = mib + "000" // ulimit counts KiB
	}
	r, err := w.execute(append([]string{"/bin/sh", "-c", script, "sh", limit, io}, argv...), payload, env)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(io)
	if err != nil {
		return nil, err
	}
	r.read, err = strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return r, err
}

// execute runs one hook and checks its answer. It may be called from several goroutines.
func (w *world) execute(argv []string, payload []byte, env []string) (*reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = bytes.NewReader(payload), &out, &errs, env
	if cmd.Dir = w.cwd(); !isDir(cmd.Dir) {
		cmd.Dir = w.env("HOME")
	}
	name := filepath.Base(argv[len(argv)-1])
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w, want exit status 0 always; stdout %q stderr %q", name, errors.Join(err, context.Cause(ctx)), out.String(), errs.String())
	}
	if errs.Len() > 0 {
		return nil, fmt.Errorf("%s wrote to stderr: %q", name, errs.String())
	}
	r := &reply{event: eventOf(payload), stdout: out.Bytes()}
	return r, r.check()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// topLevel are the keys that the client knows.
var topLevel = [...]string{"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"}

// check holds the answer to what the client honours: nothing, or one JSON object of known keys whose event is right.
func (r *reply) check() error {
	if len(bytes.TrimSpace(r.stdout)) == 0 {
		if len(r.stdout) > 0 {
			return fmt.Errorf("answer to %s is blank: %q", r.event, r.stdout)
		}
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(r.stdout))
	if err := dec.Decode(&r.fields); err != nil {
		return fmt.Errorf("answer to %s is no JSON object: %w: %q", r.event, err, r.stdout)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("answer to %s is more than one JSON value: %q", r.event, r.stdout)
	}
	for key := range r.fields {
		if !slices.Contains(topLevel[:], key) {
			return fmt.Errorf("answer to %s has key %q, which the client ignores: %s", r.event, key, r.stdout)
		}
	}
	if specific, ok := r.fields["hookSpecificOutput"].(map[string]any); ok {
		if specific["hookEventName"] != r.event {
			return fmt.Errorf("answer to %s names event %v: %s", r.event, specific["hookEventName"], r.stdout)
		}
		if text, _ := specific["additionalContext"].(string); len(utf16.Encode([]rune(text))) > 10_000 {
			return fmt.Errorf("context of %s is longer than the client passes on: %d bytes", r.event, len(text))
		}
	}
	switch r.event {
	case "PreCompact", "PostCompact", "SessionEnd", "CwdChanged", "StopFailure":
		return fmt.Errorf("%s was answered, which the client refuses or ignores: %s", r.event, r.stdout)
	}
	return nil
}

// program is the path of a hook.
func (w *world) program(name string) string { return filepath.Join(w.env("HOOKS"), "devflow-"+name) }

// deliver runs a hook and keeps its answer.
func (w *world) deliver(name string, payload []byte) (*reply, error) {
	r, err := w.process([]string{w.program(name)}, payload, w.environ())
	if err != nil {
		return nil, err
	}
	w.keep(r)
	return r, nil
}

func (w *world) keep(r *reply) {
	w.replies[r.event], w.last = r, r
	_, _ = w.ts.Stdout().Write(r.stdout) // the buffer of the script
}

// begin forgets the answers of the client command before.
func (w *world) begin() { w.replies, w.last = map[string]*reply{}, nil }

// event delivers a recorded payload to its program.
func (w *world) event(fixture string, set ...string) (*reply, error) {
	data, err := w.payload(fixture, set...)
	if err != nil {
		return nil, err
	}
	return w.deliver(hookOf(eventOf(data)), data)
}

func (w *world) hook(args []string) error {
	if err := need(args, 2, -1); err != nil {
		return err
	}
	w.begin()
	data, err := w.payload(args[1], args[2:]...)
	if err != nil {
		return err
	}
	_, err = w.deliver(args[0], data)
	return err
}

// burst runs hooks of different sessions at the same time.
func (w *world) burst(args []string) error {
	if err := need(args, 3, -1); err != nil {
		return err
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	w.begin()
	payloads := make([][]byte, n)
	for i := range payloads {
		set := append([]string{"session_id=" + w.env("SESSION") + "-" + strconv.Itoa(i+1)}, args[3:]...)
		if payloads[i], err = w.payload(args[2], set...); err != nil {
			return err
		}
	}
	env, argv := w.environ(), []string{w.program(args[1])}
	start := make(chan struct{})
	errs := make([]error, n)
	var all sync.WaitGroup
	for i, payload := range payloads {
		all.Go(func() {
			<-start
			_, errs[i] = w.execute(argv, payload, env)
		})
	}
	close(start)
	all.Wait()
	return errors.Join(errs...)
}

// find is the answer that a check is about.
func (w *world) find(args []string) (*reply, []string, error) {
	if len(args) > 0 && hookOf(args[0]) != "" {
		r := w.replies[args[0]]
		if r == nil {
			return nil, nil, fmt.Errorf("%s did not happen", args[0])
		}
		return r, args[1:], nil
	}
	if w.last == nil {
		return nil, nil, errors.New("no event happened")
	}
	return w.last, args, nil
}

func (w *world) silent(args []string) error {
	r, rest, err := w.find(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("surplus argument %q", rest[0])
	}
	if len(r.stdout) > 0 {
		return fmt.Errorf("%s was answered: %s", r.event, r.stdout)
	}
	return nil
}

func (w *world) answer(neg bool, args []string) error {
	r, rest, err := w.find(args)
	if err != nil {
		return err
	}
	if err := need(rest, 1, 2); err != nil {
		return err
	}
	text, said := r.said(rest[0])
	if len(rest) == 1 {
		if said == neg {
			return fmt.Errorf("%s is answered with %s: %v, want %v: %s", r.event, rest[0], said, !neg, r.stdout)
		}
		return nil
	}
	re, err := regexp.Compile(`(?s)` + rest[1])
	if err != nil {
		return err
	}
	if (said && re.MatchString(text)) == neg {
		return fmt.Errorf("%s of %s is %q, want a match of %s: %v; answer: %s", rest[0], r.event, text, rest[1], !neg, r.stdout)
	}
	return nil
}

// said is a part of the answer by the name of what it does.
func (r *reply) said(what string) (string, bool) {
	one := func(path string) string {
		text, _ := r.at(path)
		return text
	}
	switch what {
	case "context":
		return r.at("hookSpecificOutput.additionalContext")
	case "deny", "ask":
		text, ok := r.at("hookSpecificOutput.permissionDecisionReason")
		return text, ok && one("hookSpecificOutput.permissionDecision") == what
	case "block":
		text, ok := r.at("reason")
		return text, ok && one("decision") == "block"
	case "halt":
		text, ok := r.at("stopReason")
		return text, ok && one("continue") == "false"
	case "message":
		return r.at("systemMessage")
	}
	return r.at(what)
}

// at is the text of a dotted path in the answer.
func (r *reply) at(path string) (string, bool) {
	var v any = r.fields
	for key := range strings.SplitSeq(path, ".") {
		object, _ := v.(map[string]any)
		var ok bool
		if v, ok = object[key]; !ok {
			return "", false
		}
	}
	if text, ok := v.(string); ok {
		return text, true
	}
	data, err := json.Marshal(v)
	return string(data), err == nil
}

// used bounds what the last hook has read, in bytes.
func (w *world) used(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	limit, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || w.last == nil {
		return fmt.Errorf("no hook ran, or no number: %w", err)
	}
	w.ts.Logf("%d bytes read", w.last.read)
	if w.last.read == 0 || w.last.read > limit {
		return fmt.Errorf("%d bytes read, want at most %d", w.last.read, limit)
	}
	return nil
}
