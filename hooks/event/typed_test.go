package event_test

import (
	"testing"

	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/lineage"
)

func TestFromTool(t *testing.T) {
	t.Parallel()
	const exe, client = "/home/dev/.claude/devflow/bin/devflow-user-prompt-submit", "/usr/lib/claude-code/claude"
	env := []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1"}
	registered := lineage.Process{PID: 30, Args: []string{"/bin/sh", "-c", "'" + exe + "' || exit 0"}, Env: env}
	person := lineage.Process{PID: 20, Args: []string{client}, Env: []string{"HOME=/home/dev"}}
	tool := lineage.Process{PID: 25, Args: []string{"/bin/bash", "-c", "source snapshot && eval 'python3 x.py'"}, Env: env}
	login := lineage.Process{PID: 10, Args: []string{"-bash"}}
	initial := lineage.Process{PID: 1, Args: []string{"/sbin/init"}}
	with := func(p lineage.Process, args ...string) lineage.Process { p.Args = args; return p }
	for _, c := range []struct {
		name  string
		chain []lineage.Process
		want  bool
	}{
		{"the client runs the hook", []lineage.Process{registered, person, login, initial}, false},
		{"a test harness runs the hook", []lineage.Process{login, initial}, false},
		{"a harness with the session in its environment", []lineage.Process{registered, with(tool, "harness"), login, initial}, false},
		{"a script that was taken in by another process", []lineage.Process{registered, with(tool, "sh", "x.sh"), {PID: 7, SID: 7, Args: []string{"/usr/lib/systemd/systemd", "--user"}}, initial}, true},
		{"a harness inside another session", []lineage.Process{{PID: 40, Args: []string{"harness"}}, {PID: 25, Args: tool.Args, Env: []string{"CLAUDE_CODE_SESSION_ID=s2"}}, person, initial}, false},
		{"the tool pipes into the hook", []lineage.Process{tool, person, login, initial}, true},
		{"the tool imitates the client's shell", []lineage.Process{registered, tool, person, login, initial}, true},
		{"a script of the tool pipes into the hook", []lineage.Process{with(tool, "python3", "x.py"), tool, person, initial}, true},
		{"the tool starts a client that goes on with the session", []lineage.Process{registered, with(tool, client, "-p", "devflow approve ABCD"), tool, person, initial}, true},
		{"the client is a script of node", []lineage.Process{tool, with(person, "node", "/x/@anthropic-ai/claude-code/cli.js"), initial}, true},
		{"a script that has left its parents", []lineage.Process{with(tool, "python3", "x.py"), initial}, true},
		{"nothing is known", nil, false},
	} {
		if got := event.FromTool(c.chain, "s1", exe); got != c.want {
			t.Errorf("%s: FromTool = %v, want %v", c.name, got, c.want)
		}
	}
	if event.FromTool([]lineage.Process{tool, person}, "", exe) {
		t.Error("without a session nothing is known")
	}
}
