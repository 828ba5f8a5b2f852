package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/internal/proc"
)

const (
	// slow is from when an answer is called slow. Hooks take some 5 ms; a
	// second of waiting at every tool call would be felt.
	slow = time.Second
	// patience bounds one probe. The client itself would wait 10 s at least.
	patience = 8 * time.Second
	// session of the canned events. It never reaches the real database.
	session = "devflow-doctor"
)

// probeScript starts its argument as the client would: without the marker that
// package proc sets, which makes hooks do nothing.
const probeScript = `unset DEVFLOW_CHILD; exec "$0"`

// payload is the canned input of one event.
func payload(event, cwd string) []byte {
	in := map[string]any{
		"session_id": session, "transcript_path": filepath.Join(cwd, "no-transcript.jsonl"), "cwd": cwd,
		"hook_event_name": event, "permission_mode": "default", "prompt_id": "p1",
	}
	more := map[string]map[string]any{
		"SessionStart":        {"source": "startup"},
		"UserPromptSubmit":    {"prompt": "say hello"},
		"UserPromptExpansion": {"expansion_type": "command", "command_name": "help", "command_args": "", "command_source": "user", "prompt": "/help"},
		"PreToolUse":          {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": "true"}},
		"PostToolUse": {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": "true"}, "duration_ms": 1,
			"tool_response": map[string]any{"stdout": "", "stderr": "", "interrupted": false, "isImage": false}},
		"PostToolUseFailure": {"tool_name": "Bash", "tool_use_id": "t2", "tool_input": map[string]any{"command": "false"}, "error": "Exit code 1", "is_interrupt": false, "duration_ms": 1},
		"SubagentStart":      {"agent_id": "a1", "agent_type": "Explore"},
		"CwdChanged":         {"old_cwd": cwd, "new_cwd": cwd},
		"PreCompact":         {"trigger": "manual", "custom_instructions": nil},
		"PostCompact":        {"trigger": "manual", "compact_summary": "nothing"},
		"Stop":               {"stop_hook_active": false, "last_assistant_message": "", "background_tasks": []any{}, "session_crons": []any{}},
		"StopFailure":        {"error": "unknown", "last_assistant_message": ""},
		"SubagentStop":       {"stop_hook_active": false, "agent_id": "a1", "agent_type": "Explore", "last_assistant_message": ""},
		"SessionEnd":         {"reason": "other"},
	}
	maps.Copy(in, more[event])
	data, err := json.Marshal(in)
	if err != nil {
		return nil // unreachable: strings and numbers only
	}
	return append(data, '\n')
}

// errNothingStored says that all hooks ran and none of them made a database.
var errNothingStored = errors.New("the hooks answer, but made no database")

// answer is what one hook did with one canned event.
type answer struct {
	event, binary string
	took          time.Duration
	err           error
}

// Probe runs every hook executable in dir on one canned event of each kind, in
// a temporary root and project, and returns what was wrong: a status other than
// 0, output that is neither empty nor one JSON object, or no answer in time. It
// suits install.Options.Probe.
func Probe(ctx context.Context, dir string) error {
	answers, _, err := probe(ctx, dir, "", proc.Run)
	if errors.Is(err, errNothingStored) {
		err = nil // hooks fail open; that is for Run to tell
	}
	for _, a := range answers {
		if a.err != nil {
			err = errors.Join(err, fmt.Errorf("%s on %s: %w", a.binary, a.event, a.err))
		}
	}
	return err
}

// probe returns one answer for each registration, and the reasons that the
// hooks wrote to their own log meanwhile.
func probe(ctx context.Context, dir, tempDir string, run func(context.Context, proc.Cmd) (proc.Result, error)) (answers []answer, log []string, err error) {
	temp, err := os.MkdirTemp(tempDir, "devflow-doctor-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	root, project := filepath.Join(temp, "root"), filepath.Join(temp, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for _, reg := range settings.Registrations() {
		if seen[reg.Event] {
			continue
		}
		seen[reg.Event] = true
		a := answer{event: reg.Event, binary: reg.Binary}
		limited, cancel := context.WithTimeout(ctx, patience)
		res, runErr := run(limited, proc.Cmd{
			Argv: []string{"/bin/sh", "-c", probeScript, filepath.Join(dir, reg.Binary)}, Dir: project, Stdin: payload(reg.Event, project),
			Env: []string{"DEVFLOW_HOME=" + root, "DEVFLOW_DB=", "HOME=" + temp, "TMPDIR=" + temp, "CLAUDECODE=1",
				"CLAUDE_PROJECT_DIR=" + project, "CLAUDE_CODE_SESSION_ID=" + session},
		})
		cancel()
		a.took, a.err = res.Elapsed, judge(res, runErr)
		answers = append(answers, a)
	}
	log = causes(filepath.Join(root, "logs", "hooks.jsonl"), time.Time{})
	if _, err := os.Stat(filepath.Join(root, "telemetry", "devflow.db")); err != nil {
		return answers, log, errNothingStored
	}
	return answers, log, nil
}

// judge says what is wrong with an answer.
func judge(res proc.Result, err error) error {
	out := bytes.TrimSpace(res.Stdout)
	switch {
	case err != nil:
		return err
	case res.Exit != 0:
		first, _, _ := bytes.Cut(bytes.TrimSpace(res.Stderr), []byte("\n"))
		return fmt.Errorf("status %d, want 0: %s", res.Exit, first)
	case len(out) > 0 && (out[0] != '{' || !json.Valid(out)):
		return fmt.Errorf("stdout is neither empty nor one JSON object: %.80q", out)
	}
	return nil
}

func (e *exam) checkProbe(ctx context.Context) {
	if e.missing {
		e.add("self-test", Fail, rebuildHint, "skipped: executables are missing")
		return
	}
	answers, log, err := probe(ctx, e.bin, e.Temp, e.Config.Run)
	if err != nil && !errors.Is(err, errNothingStored) {
		e.add("self-test", Fail, "check the temporary folder", "%v", err)
		return
	}
	var bad, late []string
	var slowest answer
	for _, a := range answers {
		if a.err != nil {
			bad = append(bad, fmt.Sprintf("%s on %s: %v", a.binary, a.event, a.err))
		} else if a.took >= slow {
			late = append(late, fmt.Sprintf("%s on %s took %d ms", a.binary, a.event, a.took.Milliseconds()))
		}
		if a.took > slowest.took {
			slowest = a
		}
	}
	switch {
	case len(bad) > 0:
		e.add("self-test", Fail, rebuildHint, "%s", list(bad))
	case err != nil:
		e.add("self-test", Fail, rebuildHint, "%s", list(append([]string{err.Error()}, log...)))
	case len(log) > 0:
		e.add("self-test", Warn, rebuildHint, "the hooks answer, but complain: %s", list(log))
	case len(late) > 0:
		e.add("self-test", Warn, "look for a slow disk or a virus scanner", "%s", list(late))
	default:
		e.add("self-test", OK, "", "%d events answered, slowest %s with %.1f ms", len(answers), slowest.event, float64(slowest.took.Microseconds())/1000)
	}
}
