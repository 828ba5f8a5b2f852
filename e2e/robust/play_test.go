package robust_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// play is a session as a client would drive the hooks. Its programs include the boundary lane, which a Stop at high risk
// waits for; at standard risk it would outlive the test, so that risk is played with the lone hooks.
type play struct {
	*world
	session string
	prompts int
}

func newPlay(t testing.TB, bin string) *play {
	t.Helper()
	w := newWorld(t).withRepo()
	w.bin = bin
	return &play{world: w, session: "s1"}
}

// prompt is a new turn.
func (p *play) prompt(text string) string {
	p.t.Helper()
	p.prompts++
	return p.say(p.session, "UserPromptSubmit", fields{"prompt": text, "prompt_id": p.id()})
}

// id of the present prompt.
func (p *play) id() string { return "p" + string(rune('0'+p.prompts)) }

// write writes a file as the model's Write does, and gives what the hooks said before and after it.
func (p *play) write(path, content string) (before, after string) {
	p.t.Helper()
	full := filepath.Join(p.repo, path)
	call := fields{"prompt_id": p.id(), "tool_name": "Write", "tool_use_id": "t1", "tool_input": fields{"file_path": full, "content": content}}
	before = p.say(p.session, "PreToolUse", call)
	old, err := os.ReadFile(full)
	res := fields{"type": "create", "filePath": full, "content": content, "structuredPatch": []any{}, "originalFile": nil}
	if err == nil {
		res["type"], res["originalFile"] = "update", string(old)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
	call["tool_response"] = res
	return before, p.say(p.session, "PostToolUse", call)
}

// bash runs nothing: it tells the hooks of a command that ended well or not.
func (p *play) bash(command string, ok bool, output string) string {
	p.t.Helper()
	call := fields{"prompt_id": p.id(), "tool_name": "Bash", "tool_use_id": "t2", "tool_input": fields{"command": command}}
	p.say(p.session, "PreToolUse", call)
	if !ok {
		call["error"] = "Exit code 1\n" + output
		return p.say(p.session, "PostToolUseFailure", call)
	}
	call["tool_response"] = fields{"stdout": output, "stderr": "", "interrupted": false}
	return p.say(p.session, "PostToolUse", call)
}

// stop ends the turn.
func (p *play) stop() string {
	p.t.Helper()
	return p.say(p.session, "Stop", fields{"prompt_id": p.id(), "stop_hook_active": false})
}

// spend adds a message of the model to the transcript, in several lines as the client writes one per block.
func (p *play) spend(message string, tokens, lines int) {
	p.t.Helper()
	f, err := os.OpenFile(filepath.Join(p.dir, p.session+".jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	for range lines {
		line, err := json.Marshal(fields{"type": "assistant", "requestId": "r-" + message, "message": fields{
			"id": message, "role": "assistant", "model": "claude-sonnet-4-5", "content": []fields{{"type": "text", "text": strings.Repeat("so ", 400)}},
			"usage": fields{"input_tokens": tokens, "output_tokens": 0, "cache_read_input_tokens": 7_000_000, "cache_creation_input_tokens": 0},
		}})
		if err == nil {
			_, err = f.Write(append(line, '\n'))
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// task is the session's newest task as the programs have it.
func (p *play) task() *telemetry.Task {
	p.t.Helper()
	db, err := store.Open(p.database(), store.Options{ReadOnly: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	var task *telemetry.Task
	err = db.View(func(tx *store.Tx) error {
		task, err = telemetry.Current(tx, p.session)
		return err
	})
	if err != nil || task == nil {
		p.t.Fatalf("read the task: %v, %v", task, err)
	}
	return task
}

// stands checks the state of the task and its attempts.
func (p *play) stands(when string, state telemetry.State, attempts int64) {
	p.t.Helper()
	if got := p.task(); got.State != state || got.Attempts != attempts {
		p.t.Errorf("%s: the task is %s with %d attempts, want %s with %d", when, got.State, got.Attempts, state, attempts)
	}
}

// says checks which texts an answer holds.
func says(t testing.TB, what, answer string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(answer, s) {
			t.Errorf("%s: the answer does not hold %q: %s", what, s, answer)
		}
	}
}

// lacks checks which texts an answer does not hold.
func lacks(t testing.TB, what, answer string, not ...string) {
	t.Helper()
	for _, s := range not {
		if strings.Contains(answer, s) {
			t.Errorf("%s: the answer holds %q: %s", what, s, answer)
		}
	}
}

// silent checks that nothing was said.
func silent(t testing.TB, what, answer string) {
	t.Helper()
	if answer != "" {
		t.Errorf("%s: it answers: %s", what, answer)
	}
}
