package hooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/internal/claude"
)

// world is one process: what it reads, prints and logs.
type world struct {
	env    hooks.Env
	stdout bytes.Buffer
	stderr bytes.Buffer
	exits  chan int
	root   string
}

func newWorld(t *testing.T, stdin io.Reader, vars map[string]string) *world {
	t.Helper()
	w := &world{root: filepath.Join(t.TempDir(), "root"), exits: make(chan int, 1)}
	w.env = hooks.Env{
		Stdin: stdin, Stdout: &w.stdout, Stderr: &w.stderr, Now: time.Now, Exe: "/opt/bin/devflow-x", Exit: func(code int) { w.exits <- code },
		Getenv: func(k string) string {
			if v, ok := vars[k]; ok {
				return v
			}
			return map[string]string{"DEVFLOW_HOME": w.root, "TMPDIR": filepath.Dir(w.root)}[k]
		},
	}
	return w
}

func (w *world) log(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.root, "logs", "hooks.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

const stopEvent = `{"session_id":"s1","cwd":"/p","hook_event_name":"Stop"}`

func TestAnswerIsOneObjectOrNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handle func(*hooks.Call) (claude.Output, error)
		want   string
		log    string
	}{
		"nothing": {func(*hooks.Call) (claude.Output, error) { return claude.Output{}, nil }, "", ""},
		"block":   {func(*hooks.Call) (claude.Output, error) { return claude.Block("why"), nil }, `"decision":"block"`, ""},
		"error":   {func(*hooks.Call) (claude.Output, error) { return claude.Block("why"), errors.New("broken thing") }, "", "broken thing"},
		"panic":   {func(*hooks.Call) (claude.Output, error) { panic("ouch") }, "", "panic: ouch at main_test.go:"},
		"runtime": {func(*hooks.Call) (claude.Output, error) { return claude.Message(strings.Repeat("x", -1)), nil }, "", "negative Repeat count"},
		"wrong":   {func(*hooks.Call) (claude.Output, error) { return claude.Deny("not a tool event"), nil }, "", ""},
		"log only": {func(c *hooks.Call) (claude.Output, error) {
			c.Log("part", errors.New("cause"))
			return claude.Output{}, nil
		}, "", `"cause":"cause"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, strings.NewReader(stopEvent), nil)
			if code := hooks.Main(hooks.Hook{Name: "x", Handle: tc.handle}, w.env); code != 0 {
				t.Errorf("exit status %d, want 0", code)
			}
			got := w.stdout.String()
			if got != "" && !json.Valid([]byte(got)) {
				t.Errorf("stdout %q is not one JSON value", got)
			}
			if tc.want == "" && name != "wrong" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("stdout %q, want %q", got, tc.want)
			}
			if log := w.log(t); !strings.Contains(log, tc.log) || tc.log != "" && strings.Count(log, "\n") != 1 {
				t.Errorf("log %q, want one line with %q", log, tc.log)
			}
		})
	}
}

func TestFailClosedAnswersEveryFailure(t *testing.T) {
	t.Parallel()
	closed := func(_ claude.Input, raw []byte, cause error) claude.Output {
		return claude.Deny("closed: " + cause.Error())
	}
	ok := `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`
	for name, handle := range map[string]func(*hooks.Call) (claude.Output, error){
		"error": func(*hooks.Call) (claude.Output, error) { return claude.Output{}, errors.New("boom") },
		"panic": func(*hooks.Call) (claude.Output, error) { panic("boom") },
	} {
		w := newWorld(t, strings.NewReader(ok), nil)
		hooks.Main(hooks.Hook{Name: "x", Closed: closed, Handle: handle}, w.env)
		if got := w.stdout.String(); !strings.Contains(got, `"permissionDecision":"deny"`) || !strings.Contains(got, "boom") {
			t.Errorf("%s: stdout %q, want a deny that names the cause", name, got)
		}
	}
}

func TestMalformedInputDoesNothing(t *testing.T) {
	t.Parallel()
	called := func(*hooks.Call) (claude.Output, error) { return claude.Block("called"), nil }
	for _, in := range []string{"", "[]", "null", "7", `{"session_id":`, "\x00\xff\xfe binary", `{} {}`, "nonsense"} {
		w := newWorld(t, strings.NewReader(in), nil)
		if code := hooks.Main(hooks.Hook{Name: "x", Handle: called}, w.env); code != 0 || w.stdout.Len() > 0 {
			t.Errorf("input %q: status %d, stdout %q, want 0 and nothing", in, code, w.stdout.String())
		}
		if log := w.log(t); strings.Count(log, "\n") != 1 || !strings.Contains(log, "decode input") {
			t.Errorf("input %q: log %q, want one line that says why", in, log)
		}
	}
}

func TestChildSessionsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, marker := range []string{"DEVFLOW_CHILD", "DEVFLOW_JUDGE_SUBPROCESS", "PAPERWEIGHT_RUN_ID"} {
		for _, guards := range []bool{false, true} {
			w := newWorld(t, strings.NewReader(stopEvent), map[string]string{marker: "1"})
			ran, child := false, false
			hooks.Main(hooks.Hook{Name: "x", Guards: guards, Handle: func(c *hooks.Call) (claude.Output, error) {
				ran, child = true, c.Child
				return claude.Output{}, nil
			}}, w.env)
			if ran != guards || child != guards {
				t.Errorf("%s, guards %v: handler ran %v with child %v, want %v", marker, guards, ran, child, guards)
			}
			if _, err := os.Stat(w.root); err == nil {
				t.Errorf("%s: the root was created", marker)
			}
		}
	}
}

func TestDeadlineAnswersOnceAndEndsTheProcess(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w := newWorld(t, strings.NewReader(`{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`), nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		hooks.Main(hooks.Hook{
			Name: "slow", Deadline: time.Hour, // until the input is read, or a busy machine answers without having seen it
			Closed: func(claude.Input, []byte, error) claude.Output { return claude.Deny("too slow") },
			Late:   func(in claude.Input, session string, _ time.Time) []byte { return []byte(in.Event + " of " + session) },
			Handle: func(c *hooks.Call) (claude.Output, error) {
				c.Extend(time.Millisecond)
				<-release
				return claude.Ask("late"), nil
			},
		}, w.env)
	}()
	if code := <-w.exits; code != 0 {
		t.Errorf("exit status %d at the deadline, want 0", code)
	}
	close(release)
	<-done
	if got := w.stdout.String(); !json.Valid([]byte(got)) || !strings.Contains(got, "too slow") || strings.Contains(got, "late") {
		t.Errorf("stdout %q, want one deny", got)
	}
	if log := w.log(t); !strings.Contains(log, "not done within") || !strings.Contains(log, "kept in the spool") {
		t.Errorf("log %q, want the deadline and what became of the event", log)
	}
	kept, err := filepath.Glob(filepath.Join(w.root, "spool", "s1*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("spool holds %v (%v), want one file", kept, err)
	}
	if data, err := os.ReadFile(kept[0]); err != nil || !strings.Contains(string(data), "PreToolUse of s1") {
		t.Errorf("spool %q (%v), want the late event", data, err)
	}
}

// A deadline that passes before any input came leaves one line and no answer: there is no event to answer.
func TestDeadlineBeforeTheInput(t *testing.T) {
	t.Parallel()
	blocked, release := io.Pipe()
	w := newWorld(t, blocked, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		hooks.Main(hooks.Hook{
			Name: "slow", Deadline: time.Millisecond,
			Closed: func(_ claude.Input, raw []byte, _ error) claude.Output {
				if len(raw) > 0 {
					t.Errorf("input %q", raw)
				}
				return claude.Output{}
			},
			Handle: func(*hooks.Call) (claude.Output, error) { return claude.Output{}, nil },
		}, w.env)
	}()
	if code := <-w.exits; code != 0 {
		t.Errorf("exit status %d at the deadline, want 0", code)
	}
	_ = release.Close()
	<-done
	if w.stdout.Len() > 0 || !strings.Contains(w.log(t), "not done within") {
		t.Errorf("stdout %q, log %q", w.stdout.String(), w.log(t))
	}
}

func TestUnwritableRootFallsBackToTheTemporaryFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.NewReader("["), nil)
	if err := os.WriteFile(w.root, []byte("a file where the root should be"), 0o600); err != nil {
		t.Fatal(err)
	}
	hooks.Main(hooks.Hook{Name: "x", Handle: nil}, w.env)
	logs, err := filepath.Glob(filepath.Join(filepath.Dir(w.root), "devflow-*", "hooks.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Errorf("logs in the temporary folder: %v (%v), want one", logs, err)
	}
}

func TestLogHoldsNoSecretAndStaysBounded(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8"
	w := newWorld(t, strings.NewReader(stopEvent), nil)
	hooks.Main(hooks.Hook{Name: "x", Handle: func(c *hooks.Call) (claude.Output, error) {
		return claude.Output{}, errors.New("bad " + secret + strings.Repeat("x", 1<<20))
	}}, w.env)
	if log := w.log(t); strings.Contains(log, secret) || len(log) > 2000 || !strings.Contains(log, "[redacted]") {
		t.Errorf("log of %d bytes: secret or size not held back", len(log))
	}
}

func TestNoEnvironmentMeansNoFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.NewReader(stopEvent), map[string]string{"DEVFLOW_HOME": "", "HOME": ""})
	hooks.Main(hooks.Hook{Name: "x", Handle: func(*hooks.Call) (claude.Output, error) { return claude.Block("called"), nil }}, w.env)
	if w.stdout.Len() > 0 || !strings.Contains(w.stderr.String(), "DEVFLOW_HOME") {
		t.Errorf("stdout %q, stderr %q; want nothing and a line on stderr", w.stdout.String(), w.stderr.String())
	}
}

func TestModulesFailOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.NewReader(stopEvent), nil)
	var names []string
	var worst hooks.Outcome
	hooks.Main(hooks.Hook{Name: "x", Handle: func(c *hooks.Call) (claude.Output, error) {
		c.Module("a", func() (hooks.Outcome, error) { return hooks.OK, errors.New("broken") })
		c.Module("b", func() (hooks.Outcome, error) { return hooks.Context, nil })
		for _, p := range c.Parts() {
			names = append(names, p.Name+":"+string(p.Outcome))
		}
		worst = c.Outcome()
		return claude.Message("still here"), nil
	}}, w.env)
	if got := strings.Join(names, " "); got != "a:error b:ctx" || worst != hooks.Failed {
		t.Errorf("parts %q, outcome %q; want a:error b:ctx and error", got, worst)
	}
	if !strings.Contains(w.stdout.String(), "still here") || !strings.Contains(w.log(t), "broken") {
		t.Errorf("stdout %q, log %q", w.stdout.String(), w.log(t))
	}
}
