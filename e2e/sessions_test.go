package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// session provokes events and names the payloads to keep.
type session struct {
	name     string
	run      func(*testing.T, claudecli.Client) *recording
	fixtures []fixture
}

func is(key, value string) func(payload) bool {
	return func(p payload) bool { return p.text(key) == value }
}

func starts(key, prefix string) func(payload) bool {
	return func(p payload) bool { return strings.HasPrefix(p.text(key), prefix) }
}

func tool(name string) func(payload) bool { return is("tool_name", name) }

func command(text string) func(payload) bool {
	return func(p payload) bool { return p.tool("command") == text }
}

func has(text string) func(payload) bool {
	return func(p payload) bool { return strings.Contains(string(p.raw), text) }
}

func all(ms ...func(payload) bool) func(payload) bool {
	return func(p payload) bool {
		for _, m := range ms {
			if !m(p) {
				return false
			}
		}
		return true
	}
}

func sessions() []session {
	return []session{toolSession(), agentSession(), compactSession(), autoCompactSession(), stopSession(), terminalSession(), mcpSession()}
}

func toolSession() session {
	return session{name: "tools", run: runTools, fixtures: []fixture{
		{name: "session_start_startup_headless", event: "SessionStart"},
		{name: "instructions_loaded", event: "InstructionsLoaded"},
		{name: "user_prompt_submit", event: "UserPromptSubmit", match: is("prompt", "do it")},
		{name: "message_display", event: "MessageDisplay"},
		{name: "pre_tool_use_write", event: "PreToolUse", match: tool("Write")},
		{name: "post_tool_use_write_create", event: "PostToolUse", match: all(tool("Write"), has(`"type":"create"`))},
		{name: "post_tool_use_write_update", event: "PostToolUse", match: all(tool("Write"), has(`"type":"update"`))},
		{name: "pre_tool_use_edit", event: "PreToolUse", match: tool("Edit")},
		{name: "post_tool_use_edit", event: "PostToolUse", match: tool("Edit")},
		{name: "post_tool_use_read", event: "PostToolUse", match: tool("Read")},
		{name: "pre_tool_use_bash", event: "PreToolUse", match: command("echo hello; pwd")},
		{name: "post_tool_use_bash", event: "PostToolUse", match: command("echo hello; pwd")},
		{name: "post_tool_use_failure_bash", event: "PostToolUseFailure", match: command("exit 3")},
		{name: "post_tool_batch", event: "PostToolBatch", match: has("exit 3")},
		{name: "cwd_changed", event: "CwdChanged"},
		{name: "post_tool_use_bash_background", event: "PostToolUse", match: has("backgroundTaskId")},
		{name: "user_prompt_submit_background_command", event: "UserPromptSubmit", match: starts("prompt", "<task-notification>"), since: "2.1.332"},
		{name: "post_tool_use_failure_timeout", event: "PostToolUseFailure", match: command("sleep 5")},
		{name: "pre_tool_use_mcp", event: "PreToolUse", match: tool("mcp__ping__ping")},
		{name: "post_tool_use_mcp", event: "PostToolUse", match: tool("mcp__ping__ping")},
		{name: "task_created", event: "TaskCreated"},
		{name: "task_completed", event: "TaskCompleted"},
		{name: "post_tool_use_task_update", event: "PostToolUse", match: tool("TaskUpdate")},
		{name: "stop", event: "Stop"},
		{name: "user_prompt_submit_command", event: "UserPromptSubmit", match: is("prompt", "/mycmd Bob")},
		{name: "user_prompt_expansion", event: "UserPromptExpansion"},
		{name: "pre_skill_shell_command", event: "PreSkillShellCommand", since: "2.1.332"},
		{name: "user_prompt_submit_unknown_command", event: "UserPromptSubmit", match: is("prompt", "/nosuch x"), since: "2.1.332"},
		{name: "post_tool_use_bash_edit_diff", event: "PostToolUse", match: has("bashEditDiff"), since: "2.1.332"},
		{name: "session_end_other", event: "SessionEnd"},
	}}
}

func runTools(t *testing.T, c claudecli.Client) *recording {
	r := record(t, c, func(path func(string) string) mockapi.Script {
		bash := func(extra map[string]any) mockapi.Block {
			extra["description"] = "d"
			return mockapi.Tool("Bash", extra)
		}
		return mockapi.Script{Steps: []mockapi.Step{
			mockapi.Turn(mockapi.Thinking("let me think"), mockapi.Text("hi"), mockapi.Write(path("a.py"), "def f():\n    return 1\n")),
			mockapi.Turn(mockapi.Write(path("a.py"), "def f():\n    return 2\n")),
			mockapi.Turn(mockapi.Edit(path("a.py"), "return 2", "return 3")),
			mockapi.Turn(mockapi.Tool("Read", map[string]any{"file_path": path("a.py"), "limit": 1})),
			mockapi.Turn(mockapi.Bash("echo hello; pwd"), mockapi.Bash("exit 3"), mockapi.Read("/nonexistent")),
			mockapi.Turn(mockapi.Bash("echo 3 > b.txt")),
			mockapi.Turn(mockapi.Bash("mkdir d1; cd d1")),
			mockapi.Turn(mockapi.Bash("cd ..")),
			mockapi.Turn(bash(map[string]any{"command": "echo x", "run_in_background": true})),
			mockapi.Turn(bash(map[string]any{"command": "sleep 5", "timeout": 1000})),
			mockapi.Turn(mockapi.Tool("mcp__ping__ping", map[string]any{"x": "1"})),
			mockapi.Turn(mockapi.Tool("TaskCreate", map[string]any{"subject": "T1", "description": "dd"})),
			mockapi.Turn(mockapi.Tool("TaskUpdate", map[string]any{"taskId": "1", "status": "in_progress"})),
			mockapi.Turn(mockapi.Tool("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"})),
			mockapi.Say("all done"),
			mockapi.Say("hello Bob"),
		}}
	})
	r.repo.Write("CLAUDE.md", "rules\n")
	r.repo.Write(".claude/commands/mycmd.md", "---\nallowed-tools: Bash(echo:*)\n---\nsay hello to $1\n!`echo hello`\n")
	r.run(claudecli.Options{
		Prompts: []string{"do it", "/mycmd Bob", "/nosuch x"}, Args: []string{"--mcp-config", r.mcpConfig()},
		Env: []string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1", "CLAUDE_CODE_BASH_EDIT_DIFF=1"}, // both off by default in 2.1.332, headless
	})
	return r
}

func agentSession() session {
	async := has(`"isAsync":true`)
	return session{name: "agents", run: runAgents, fixtures: []fixture{
		{name: "pre_tool_use_agent", event: "PreToolUse", match: tool("Agent")},
		{name: "post_tool_use_agent", event: "PostToolUse", match: all(tool("Agent"), func(p payload) bool { return !async(p) })},
		{name: "post_tool_use_agent_async", event: "PostToolUse", match: async},
		{name: "subagent_start", event: "SubagentStart"},
		{name: "pre_tool_use_in_subagent", event: "PreToolUse", match: has(`"agent_id"`)},
		{name: "post_tool_use_in_subagent", event: "PostToolUse", match: has(`"agent_id"`)},
		{name: "subagent_stop", event: "SubagentStop"},
		{name: "stop_background_tasks", event: "Stop", match: has(`"type":"subagent"`)},
		{name: "user_prompt_submit_task_notification", event: "UserPromptSubmit", match: starts("prompt", "<task-notification>")},
	}}
}

func runAgents(t *testing.T, c claudecli.Client) *recording {
	agent := func(prompt string, background any) mockapi.Step {
		b := mockapi.Agent("dd", prompt)
		if background != nil {
			b.Input["run_in_background"] = background
		}
		return mockapi.Turn(b)
	}
	var foreground any // 2.1.197 waits by default; 2.1.332 does so only when told
	if c.Version != "2.1.197" {
		foreground = false
	}
	r := record(t, c, func(func(string) string) mockapi.Script {
		return mockapi.Script{
			Steps: []mockapi.Step{agent("SUBTASK do it", foreground), agent("LATER do it", true), mockapi.Say("main end 1"), mockapi.Say("main end 2")},
			Talks: map[string][]mockapi.Step{
				"SUBTASK": {mockapi.Turn(mockapi.Bash("echo SUBRAN")), mockapi.Say("sub final answer")},
				"LATER":   {mockapi.Turn(mockapi.Bash("sleep 1")), mockapi.Say("late final answer")},
			},
		}
	})
	r.run(claudecli.Options{Prompts: []string{"do it"}})
	return r
}

func compactSession() session {
	return session{name: "compact", run: runCompact, fixtures: []fixture{
		{name: "pre_compact_manual", event: "PreCompact", match: is("custom_instructions", "keep it")},
		{name: "pre_compact_manual_bare", event: "PreCompact", match: has(`"custom_instructions":null`)},
		{name: "subagent_stop_compaction", event: "SubagentStop"},
		{name: "session_start_compact", event: "SessionStart", match: is("source", "compact")},
		{name: "post_compact_manual", event: "PostCompact"},
		{name: "session_start_resume", event: "SessionStart", match: is("source", "resume")},
	}}
}

func runCompact(t *testing.T, c claudecli.Client) *recording {
	r := record(t, c, func(func(string) string) mockapi.Script {
		return mockapi.Script{Steps: []mockapi.Step{mockapi.Say("reply1"), mockapi.Say("reply2"), mockapi.Say("reply3"), mockapi.Say("reply4")}}
	})
	r.run(claudecli.Options{Prompts: []string{"one", "two", "/compact keep it", "three"}})
	r.run(claudecli.Options{Prompts: []string{"/compact", "four"}, Continue: true})
	return r
}

func autoCompactSession() session {
	return session{name: "autocompact", run: runAutoCompact, fixtures: []fixture{
		{name: "pre_compact_auto", event: "PreCompact"}, {name: "post_compact_auto", event: "PostCompact"},
	}}
}

func runAutoCompact(t *testing.T, c claudecli.Client) *recording {
	full := mockapi.Turn(mockapi.Bash("echo 1"))
	full.Usage = &mockapi.Usage{Input: 95000, Output: 10}
	r := record(t, c, func(func(string) string) mockapi.Script {
		return mockapi.Script{Summary: "<summary>SUM</summary>", Steps: []mockapi.Step{mockapi.Say("reply1"), full, mockapi.Say("reply2")}}
	})
	r.run(claudecli.Options{Prompts: []string{"one", "two"}, Env: []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}})
	return r
}

func stopSession() session {
	return session{name: "stop", run: runStop, fixtures: []fixture{
		{name: "stop_active", event: "Stop", match: has(`"stop_hook_active":true`)}, {name: "stop_failure", event: "StopFailure"},
	}}
}

func runStop(t *testing.T, c claudecli.Client) *recording {
	r := record(t, c, func(func(string) string) mockapi.Script {
		return mockapi.Script{Steps: []mockapi.Step{mockapi.Say("first"), mockapi.Say("second"), mockapi.Fail(529, "mock error"), mockapi.Say("third")}}
	})
	r.answer("Stop.once.json", `{"decision":"block","reason":"go on"}`)
	// The client does not wait for StopFailure hooks: at the end of its last turn it kills them. So one more turn follows.
	r.run(claudecli.Options{Prompts: []string{"one", "two", "three"}, Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"}})
	return r
}

func terminalSession() session {
	return session{name: "terminal", run: runTerminal, fixtures: []fixture{
		{name: "session_start_startup_tui", event: "SessionStart", match: is("source", "startup")},
		{name: "notification_idle", event: "Notification", match: is("notification_type", "idle_prompt")},
		{name: "permission_request", event: "PermissionRequest"},
		{name: "notification_permission", event: "Notification", match: is("notification_type", "permission_prompt")},
		{name: "pre_model_switch", event: "PreModelSwitch", since: "2.1.332"},
		{name: "post_model_switch", event: "PostModelSwitch", since: "2.1.332"},
		{name: "directory_added", event: "DirectoryAdded", since: "2.1.332"},
		{name: "config_change", event: "ConfigChange"},
		{name: "file_changed", event: "FileChanged"},
		{name: "session_end_clear", event: "SessionEnd", match: is("reason", "clear")},
		{name: "session_start_clear", event: "SessionStart", match: is("source", "clear")},
		{name: "session_end_exit", event: "SessionEnd", match: is("reason", "prompt_input_exit")},
		{name: "statusline", event: "StatusLine", match: has("current_usage\":{")},
	}}
}

func runTerminal(t *testing.T, c claudecli.Client) *recording {
	r := record(t, c, func(func(string) string) mockapi.Script {
		return mockapi.Script{Steps: []mockapi.Step{mockapi.Say("answer-one"), mockapi.Turn(mockapi.Bash("touch made.txt; echo RAN")), mockapi.Say("answer-two")}}
	})
	more := filepath.Join(r.root, "more")
	if err := os.Mkdir(more, 0o755); err != nil {
		t.Fatal(err)
	}
	r.repo.Write(".claude/settings.local.json", "{}\n")
	r.answer("SessionStart.json", `{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["`+r.repo.Path("notes.txt")+`"]}}`)
	tm := r.terminal("--permission-mode", "default")
	r.await(tm, "SessionStart", 1)
	tm.Wait("? for shortcuts", "❯")
	tm.Enter("say one")
	tm.Wait("answer-one")
	r.await(tm, "Notification", 1) // idle, a second later
	tm.Enter("run it")
	r.await(tm, "PermissionRequest", 1)
	r.await(tm, "Notification", 2) // six seconds later
	tm.KeysUntil("answer-two", "Enter")
	r.await(tm, "Stop", 2)
	tm.Enter("/model claude-haiku-4-5")
	tm.Wait("Switch model?")
	tm.KeysUntil("Set model to", "Enter")
	if c.Version != "2.1.197" { // which has no event for it
		tm.Enter("/add-dir " + more)
		tm.Wait("Adding a new directory")
		tm.KeysUntil("❯ Yes, add it", "Down") // the cursor is on No
		tm.KeysUntil("Added", "Enter")
	}
	r.repo.Write(".claude/settings.local.json", `{"env":{"A":"1"}}`)
	r.await(tm, "ConfigChange", 1)
	r.repo.Write("notes.txt", "two\n")
	r.await(tm, "FileChanged", 1)
	tm.Enter("/clear")
	r.await(tm, "SessionStart", 2)
	tm.Enter("/exit")
	tm.Until("end of the client", tm.Gone)
	return r
}

func mcpSession() session {
	return session{name: "mcp", run: runMCP, fixtures: []fixture{
		{name: "setup_init", event: "Setup"},
		{name: "elicitation", event: "Elicitation"},
	}}
}

func runMCP(t *testing.T, c claudecli.Client) *recording {
	r := record(t, c, func(func(string) string) mockapi.Script {
		return mockapi.Script{Steps: []mockapi.Step{mockapi.Turn(mockapi.Tool("mcp__ping__ask", nil)), mockapi.Say("asked")}}
	})
	r.answer("Elicitation.json", `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"name":"Bob"}}}`)
	r.run(claudecli.Options{Prompts: []string{"do it"}, Args: []string{"--init", "--mcp-config", r.mcpConfig()}})
	return r
}
