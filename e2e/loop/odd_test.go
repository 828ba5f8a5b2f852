package loop_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What is no text where a command or a content belongs cannot be checked, and is refused; an empty text can.
func TestOddToolInput(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	for _, c := range []struct{ tool, input, want string }{
		{"Bash", `{"command":["git reset --hard"],"description":""}`, "deny"},
		{"Bash", `{"command":5}`, "deny"},
		{"Bash", `{"\u0063ommand":{"a":1}}`, "deny"},
		{"Bash", `{"command":""}`, "pass"},
		{"Write", `{"file_path":"/home/dev/proj/x","content":["a"]}`, "deny"},
		{"Write", `{"file_path":"/home/dev/proj/x","content":{"a":"b"}}`, "deny"},
		{"Write", `{"file_path":"/home/dev/proj/x","content":""}`, "pass"},
		{"Edit", `{"file_path":"/home/dev/proj/x","old_string":"a","new_string":["b"]}`, "deny"},
		{"Edit", `{"file_path":"/home/dev/proj/x","old_string":"a","new_string":""}`, "pass"},
		{"MultiEdit", `{"file_path":"/home/dev/proj/x","edits":{"old_string":"a"}}`, "deny"},
		{"MultiEdit", `{"file_path":"/home/dev/proj/x","edits":[{"old_string":"a","new_string":7}]}`, "deny"},
		{"MultiEdit", `{"file_path":"/home/dev/proj/x","edits":[{"old_string":"a","new_string":"b"}]}`, "pass"},
		{"NotebookEdit", `{"notebook_path":"/home/dev/proj/x.ipynb","new_source":["a"]}`, "deny"},
		{"NotebookEdit", `{"notebook_path":"/home/dev/proj/x.ipynb","new_source":"a"}`, "pass"},
	} {
		payload := `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"` + c.tool + `","tool_input":` + c.input + `}`
		if got := s.call(t, payload).decision(); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.input, got, c.want)
		}
	}
}

// A variable that leaves devflow without a place for its files does not switch the guard off.
func TestGuardWithoutAPlace(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{{}, {"HOME=."}, {"HOME=/home/dev", "DEVFLOW_DB=x.db"}, {"HOME=/home/dev", "DEVFLOW_HOME=x"}} {
		for command, want := range map[string]bool{"rm -rf /": true, "git reset --hard": true, "git status": false, "ls > a.txt": false} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			cmd := exec.CommandContext(ctx, filepath.Join(programs, "devflow-pre-tool-use"))
			var out bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Env = strings.NewReader(bashCall(command)), &out, append([]string{"PATH=/usr/bin:/bin"}, env...)
			err := cmd.Run()
			cancel()
			if refused := strings.Contains(out.String(), `"permissionDecision":"deny"`); err != nil || refused != want {
				t.Errorf("%q with %q: refused %v, want %v (%v)", command, env, refused, want, err)
			}
		}
	}
}
