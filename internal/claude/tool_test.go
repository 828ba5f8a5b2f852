package claude_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/claude"
)

func TestToolReadsTheInputOfEachTool(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]claude.ToolIn{
		"pre_tool_use_bash":             {Command: "echo hello; pwd", Description: "d"},
		"post_tool_use_bash_background": {Command: "sleep 3 & echo x", Description: "d", RunInBackground: true},
		"pre_tool_use_write":            {FilePath: "/home/dev/proj/a.py", Content: "def f():\n    return 1\n"},
		"pre_tool_use_edit":             {FilePath: "/home/dev/proj/a.py", OldString: "return 2", NewString: "return 3"},
		"pre_tool_use_agent":            {Description: "dd", Prompt: "SUBTASK do it", SubagentType: "general-purpose"},
		"post_tool_use_task_update":     {TaskID: "1", Status: "in_progress"},
		"stop":                          {},
	} {
		in := decode(t, sample(t, name))
		if diff := cmp.Diff(want, in.Tool()); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	in := claude.Input{ToolInput: json.RawMessage(`{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"},7,{"old_string":"z","new_string":5,"replace_all":true}],
		"notebook_path":"/n","new_source":"s","edit_mode":"insert","skill":"k","subject":"t","command":["rm"],"replace_all":"true"}`)}
	want := claude.ToolIn{FilePath: "/a", Edits: []claude.EditIn{{OldString: "x", NewString: "y"}, {OldString: "z", ReplaceAll: true}},
		NotebookPath: "/n", NewSource: "s", EditMode: "insert", Skill: "k", Subject: "t"}
	if diff := cmp.Diff(want, in.Tool()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestResponseReadsTheResponseOfEachTool(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]claude.ToolOut{
		"post_tool_use_bash":            {Stdout: "hello\n/home/dev/proj"},
		"post_tool_use_bash_background": {BackgroundTaskID: "b99inz0rs"},
		"post_tool_use_write_create":    {Kind: "create", FilePath: "/home/dev/proj/a.py", Content: "def f():\n    return 1\n", Added: 2},
		"post_tool_use_write_update": {Kind: "update", FilePath: "/home/dev/proj/a.py", Content: "def f():\n    return 2\n",
			OriginalFile: "def f():\n    return 1\n", HasOriginal: true, Added: 1, Removed: 1},
		"post_tool_use_edit":        {FilePath: "/home/dev/proj/a.py", OriginalFile: "def f():\n    return 2\n", HasOriginal: true, Added: 1, Removed: 1},
		"post_tool_use_read":        {Kind: "text", FilePath: "/home/dev/proj/a.py", NumLines: 1, StartLine: 1, TotalLines: 3},
		"post_tool_use_mcp":         {Text: `pong {"x": "1"}`},
		"post_tool_use_task_update": {StatusFrom: "pending", StatusTo: "in_progress"},
		"post_tool_use_agent": {AgentStatus: "completed", AgentID: "ae1a24f1dbd80b6b1", Text: "sub final answer",
			ResolvedModel: "claude-opus-4-8[1m]", TotalTokens: 212},
		"pre_tool_use_bash": {},
	} {
		in := decode(t, sample(t, name))
		if diff := cmp.Diff(want, in.Response()); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestResponseReadsWhatACommandChanged(t *testing.T) {
	t.Parallel()
	in := decode(t, samples(t)["2.1.332/post_tool_use_bash_edit_diff"])
	want := claude.ToolOut{ChangedFiles: []string{"/home/dev/proj/b.txt"}, Added: 1}
	if diff := cmp.Diff(want, in.Response()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestResponseSurvivesOddShapes(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]claude.ToolOut{
		``:              {},
		`null`:          {},
		`7`:             {},
		`"Exit code 3"`: {Text: "Exit code 3"},
		`"`:             {},
		`{`:             {},
		`{"stdout":`:    {},
		`[{"text":"a"},{"text":7},3,{"text":"b"}]`:                              {Text: "a\nb"},
		`{"type":"create","content":"a\nb"}`:                                    {Kind: "create", Content: "a\nb", Added: 2},
		`{"originalFile":""}`:                                                   {HasOriginal: true},
		`{"structuredPatch":[{"lines":["+","-","+a","",5," "]},{"lines":7},9]}`: {Added: 2, Removed: 1},
	} {
		in := claude.Input{ToolResponse: json.RawMessage(raw)}
		if diff := cmp.Diff(want, in.Response()); diff != "" {
			t.Errorf("%s: -want +got\n%s", raw, diff)
		}
	}
}
