package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/terminal"
)

// events are all hook events that a client accepts. 2.1.197 asks at its start in a terminal about names that it does not know.
func events(version string) []string {
	known := []string{
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit", "UserPromptExpansion",
		"SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact",
		"PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation",
		"ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged",
		"MessageDisplay",
	}
	if version != "2.1.197" {
		known = append(known, "PreModelSwitch", "PostModelSwitch", "DirectoryAdded", "PreSkillShellCommand")
	}
	return known
}

// recording is a session whose every hook is the recorder.
type recording struct {
	t      *testing.T
	client claudecli.Client
	root   string // stands for / in the recorded paths
	home   claudecli.Home
	repo   gitrepo.Repo
	srv    *mockapi.Server
	dir    string // of the recorder
}

// bound is how long one client run may take before it counts as hung. A run takes about two seconds.
const bound = 3 * time.Minute

// record prepares a session. script gets the function that makes paths of the repository absolute.
func record(t *testing.T, c claudecli.Client, script func(path func(string) string) mockapi.Script) *recording {
	t.Helper()
	root := t.TempDir()
	r := &recording{t: t, client: c, root: root, dir: filepath.Join(root, "rec"), home: claudecli.Home{Dir: filepath.Join(root, "home", "dev")}}
	r.repo = gitrepo.New(t, filepath.Join(r.home.Dir, "proj"), "feat/demo")
	r.repo.Write("notes.txt", "one\n")
	r.repo.Commit("start")
	r.srv = mockapi.New(t, script(r.repo.Path))
	tools, err := testTools()
	if err != nil {
		t.Fatal(err)
	}
	hooks := map[string]any{}
	for _, e := range events(c.Version) {
		hooks[e] = []any{map[string]any{"hooks": []any{
			map[string]any{"type": "command", "command": filepath.Join(tools, "recorder") + " " + r.dir, "timeout": 30},
		}}}
	}
	for _, d := range []string{"in", "out"} {
		if err := os.MkdirAll(filepath.Join(r.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.home.Prepare(r.repo.Dir); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, r.home.Settings(), map[string]any{"hooks": hooks, "statusLine": map[string]any{
		"type": "command", "command": filepath.Join(tools, "recorder") + " " + r.dir,
	}})
	return r
}

// answer makes the recorder print this for an event; name is "Stop.json", "Stop.once.json" or "Stop.err".
func (r *recording) answer(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "out", name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recording) run(o claudecli.Options) claudecli.Result {
	r.t.Helper()
	o.Home, o.URL = r.home.Dir, r.srv.URL
	if o.Dir == "" {
		o.Dir = r.repo.Dir
	}
	return runClient(r.t, r.client, o)
}

func (r *recording) terminal(args ...string) *terminal.Terminal {
	r.t.Helper()
	return terminal.Start(r.t, r.repo.Dir, claudecli.Environ(r.home.Dir, r.srv.URL), append([]string{r.client.Path}, args...))
}

// mcpConfig is a configuration file with the server that e2e/mcpping is.
func (r *recording) mcpConfig() string {
	r.t.Helper()
	tools, err := testTools()
	if err != nil {
		r.t.Fatal(err)
	}
	file := filepath.Join(r.root, "mcp.json")
	writeJSON(r.t, file, map[string]any{"mcpServers": map[string]any{"ping": map[string]any{"command": filepath.Join(tools, "mcpping")}}})
	return file
}

// await waits until an event came n times.
func (r *recording) await(tm *terminal.Terminal, event string, n int) {
	r.t.Helper()
	tm.Until(fmt.Sprintf("%d × %s", n, event), func() bool { return r.count(event) >= n })
}

// payload is one recorded hook input.
type payload struct {
	event  string
	fields map[string]any
	raw    []byte
}

func (p payload) text(key string) string {
	s, _ := p.fields[key].(string)
	return s
}

// tool is a field of tool_input.
func (p payload) tool(key string) string {
	in, _ := p.fields["tool_input"].(map[string]any)
	s, _ := in[key].(string)
	return s
}

// payloads are all inputs so far, oldest first.
func (r *recording) payloads() []payload {
	r.t.Helper()
	names, err := filepath.Glob(filepath.Join(r.dir, "in", "*.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	sort.Strings(names) // they start with the time
	var out []payload
	for _, n := range names {
		data, err := os.ReadFile(n)
		if err != nil {
			r.t.Fatal(err)
		}
		p := payload{raw: data}
		if err := json.Unmarshal(data, &p.fields); err != nil {
			r.t.Fatalf("%s: %v: %s", n, err, data)
		}
		if p.event = p.text("hook_event_name"); p.event == "" {
			p.event = "StatusLine"
		}
		out = append(out, p)
	}
	return out
}

// count tells how often an event came.
func (r *recording) count(event string) int {
	n := 0
	for _, p := range r.payloads() {
		if p.event == event {
			n++
		}
	}
	return n
}

func contextFor(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), bound)
}

func runClient(t *testing.T, c claudecli.Client, o claudecli.Options) claudecli.Result {
	t.Helper()
	ctx, cancel := contextFor(t)
	defer cancel()
	res, err := c.Run(ctx, o)
	if err != nil {
		t.Fatalf("%v\nstdout: %s", err, res.Stdout)
	}
	return res
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
