package robust_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// answering is an input that every program with something to say answers: a prompt with a wrong code, a tool call that
// cannot be read, and so on.
func answering(w *world) map[string][]byte {
	return map[string][]byte{
		"devflow-user-prompt-submit": w.event("s1", "UserPromptSubmit", fields{"prompt": "devflow approve ABCD"}),
		"devflow-pre-tool-use":       w.event("s1", "PreToolUse", fields{"tool_name": "Write", "tool_input": 7}),
	}
}

// A client that no longer listens must not make a hook fail: exit status 0, and the row is written.
func TestNobodyReadsTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, data := range answering(w) {
		if out := w.ok(name, data); out == "" {
			t.Fatalf("%s does not answer: the test tests nothing", name)
		}
		before := len(w.log())
		r, wr, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		cmd, errs := w.start(t, name), &bytes.Buffer{}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(data), wr, errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("%s with a broken pipe: %v, stderr %q", name, err, errs)
		}
		if err := wr.Close(); err != nil {
			t.Fatal(err)
		}
		if added := strings.Join(w.log()[before:], ""); !strings.Contains(added, "write output") {
			t.Errorf("%s with a broken pipe: the log does not say so: %q", name, added)
		}
	}
	if got := w.count("SELECT count(*) FROM hook_runs WHERE event = 'UserPromptSubmit'"); got != 2 {
		t.Errorf("%d rows of prompts, want 2", got)
	}
}

// start prepares a hook with the streams of nobody.
func (w *world) start(t testing.TB, name string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, name))
	cmd.Dir, cmd.Env = w.repo, w.env
	return cmd
}

// Streams that are not there at all, as a shell closes them.
func TestClosedStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range programs {
		for _, closed := range []string{"<&-", ">&-", "2>&-", "<&- >&- 2>&-"} {
			before := w.count("SELECT count(*) FROM hook_runs")
			data := w.event("s1", p.events[0], fields{"prompt": "devflow approve ABCD", "tool_name": "Read", "tool_input": fields{"file_path": "a.py"}})
			r := w.exec([]string{"sh", "-c", `exec "$0" ` + closed, filepath.Join(w.bin, p.name)}, data)
			if r.err != nil || len(r.stderr) > 0 || valid(p.events[0], r.stdout) != nil {
				t.Errorf("%s %s: %v, stdout %q, stderr %q", p.name, closed, r.err, r.stdout, r.stderr)
			}
			want := 1
			if strings.HasPrefix(closed, "<") {
				want = 0
			}
			if got := w.count("SELECT count(*) FROM hook_runs") - before; got != want {
				t.Errorf("%s %s: %d rows, want %d", p.name, closed, got, want)
			}
		}
	}
	for _, name := range []string{"telemetry/devflow.db", "telemetry/devflow.db-wal"} {
		data, err := os.ReadFile(filepath.Join(w.root, name))
		if err != nil || bytes.Contains(data, []byte("systemMessage")) {
			t.Errorf("%s: the answer went into it (a file that took the number of stdout), or %v", name, err)
		}
	}
}

// Input that never ends: the hook answers by its own deadline, before the client would kill it. The write end stays open
// until the process has ended, so that an end at all proves it.
func TestInputThatNeverEnds(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"nothing comes": "", "half a tool call comes": `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash",`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r, wr, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := wr.WriteString(data); err != nil {
				t.Fatal(err)
			}
			cmd := w.start(t, "devflow-pre-tool-use")
			var out, errs bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = r, &out, &errs
			if err := cmd.Run(); err != nil || out.Len() > 0 || errs.Len() > 0 {
				t.Errorf("it ended with %v, stdout %q, stderr %q", err, &out, &errs)
			}
			if err := wr.Close(); err != nil {
				t.Error(err)
			}
			if log := w.log(); len(log) != 1 || !strings.Contains(log[0], "deadline") {
				t.Errorf("log = %q, want one line about the deadline", log)
			}
		})
	}
}
