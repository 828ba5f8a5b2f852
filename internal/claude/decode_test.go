package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/claude"
)

func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "hooks", "2.1.197", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// samples are the captured events of every recorded client, named version/variant.
func samples(tb testing.TB) map[string][]byte {
	tb.Helper()
	root := filepath.Join("testdata", "hooks")
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no samples: %v", err)
	}
	all := make(map[string][]byte)
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(f, root+string(filepath.Separator)), ".json")
		if all[name], err = os.ReadFile(f); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

func decode(tb testing.TB, data []byte) claude.Input {
	tb.Helper()
	in, err := claude.Decode(data)
	if err != nil {
		tb.Fatalf("Decode(%.200q): %v", data, err)
	}
	return in
}

// Every member of every captured event is either in a field or in Extra.
func TestDecodeLosesNoMemberOfACapturedEvent(t *testing.T) {
	t.Parallel()
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := decode(t, data)
			if filepath.Base(name) == "statusline" { // no hook event, but close enough to be sent by mistake
				return
			}
			var want map[string]json.RawMessage
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			if len(in.Malformed) > 0 {
				t.Errorf("malformed: %q", in.Malformed)
			}
			for key := range in.Extra {
				if !bytes.Equal(in.Extra[key], want[key]) {
					t.Errorf("Extra[%q] = %s, want %s", key, in.Extra[key], want[key])
				}
				delete(want, key)
			}
			flat, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			for key, value := range want {
				if string(value) == "null" || string(value) == "false" || string(value) == "[]" {
					continue
				}
				var text string
				if json.Unmarshal(value, &text) != nil {
					text = ""
				}
				if quoted, _ := json.Marshal(text); text != "" && !bytes.Contains(flat, quoted) {
					t.Errorf("%s = %s is lost", key, value)
				}
			}
		})
	}
}

func TestDecodeFillsTheFieldsOfEachEvent(t *testing.T) {
	t.Parallel()
	const session = "57e8f243-00a6-48ea-9f77-4be0b74d506a"
	const project = "/home/dev/.claude/projects/-home-dev-proj/"
	for _, tc := range []struct {
		name string
		want claude.Input
	}{
		{"session_start_compact", claude.Input{
			SessionID: "3e457c66-ef25-4a14-ad85-dbbe25e903fa", TranscriptPath: project + "3e457c66-ef25-4a14-ad85-dbbe25e903fa.jsonl",
			Cwd: "/home/dev/proj", PromptID: "91f600ae-4354-476d-bdb7-42a6dd497b6f", Event: claude.EventSessionStart,
			Source: "compact", Model: "claude-opus-4-8[1m]",
		}},
		{"subagent_stop", claude.Input{
			SessionID: session, TranscriptPath: project + session + ".jsonl", Cwd: "/home/dev/proj", Event: claude.EventSubagentStop,
			PromptID: "11d9c9aa-5a2a-49f2-9395-8185ac224006", PermissionMode: "bypassPermissions", AgentID: "ae1a24f1dbd80b6b1",
			AgentType: "general-purpose", Effort: "high", LastAssistantMessage: "sub final answer",
			AgentTranscriptPath: project + session + "/subagents/agent-ae1a24f1dbd80b6b1.jsonl",
			Extra:               map[string]json.RawMessage{"session_crons": json.RawMessage("[]")},
		}},
		{"stop_background_tasks", claude.Input{
			SessionID: "36f5382f-066b-4f81-8f36-550d76315e95", TranscriptPath: project + "36f5382f-066b-4f81-8f36-550d76315e95.jsonl",
			Cwd: "/home/dev/proj", Event: claude.EventStop, PromptID: "83cb435a-64b1-4be4-9da5-8305558d71fa",
			PermissionMode: "bypassPermissions", Effort: "high", LastAssistantMessage: "main end 1",
			BackgroundTasks: []claude.BackgroundTask{{ID: "a5d7151f247819613", Type: "subagent", Status: "running", Description: "dd", AgentType: "general-purpose"}},
			Extra:           map[string]json.RawMessage{"session_crons": json.RawMessage("[]")},
		}},
		{"post_tool_use_failure_timeout", claude.Input{
			Event: claude.EventPostToolUseFailure, ToolName: "Bash", ToolUseID: "toolu_0010_0",
			Error: "Exit code 143\nCommand timed out after 1s", DurationMS: 1052,
		}},
		{"user_prompt_expansion", claude.Input{
			SessionID: "41afdc1e-d9b7-41de-a524-733d79fe8cbe", TranscriptPath: project + "41afdc1e-d9b7-41de-a524-733d79fe8cbe.jsonl",
			Cwd: "/home/dev/proj", Event: claude.EventUserPromptExpansion, PromptID: "7267b58c-b129-4a29-85ec-09575892f1d3",
			PermissionMode: "bypassPermissions", ExpansionType: "slash_command", CommandName: "mycmd", CommandArgs: "Bob",
			CommandSource: "projectSettings", Prompt: "/mycmd Bob",
		}},
		{"cwd_changed", claude.Input{
			SessionID: "42b16b4d-948c-46f6-bc2d-7eb9efafd404", TranscriptPath: project + "42b16b4d-948c-46f6-bc2d-7eb9efafd404.jsonl",
			Cwd: "/home/dev/proj/d1", Event: claude.EventCwdChanged, PromptID: "8f3ba87d-56a2-4e9c-b0c9-bed02b555a7e",
			OldCwd: "/home/dev/proj", NewCwd: "/home/dev/proj/d1",
		}},
		{"pre_compact_manual", claude.Input{
			SessionID: "3e457c66-ef25-4a14-ad85-dbbe25e903fa", TranscriptPath: project + "3e457c66-ef25-4a14-ad85-dbbe25e903fa.jsonl",
			Cwd: "/home/dev/proj", Event: claude.EventPreCompact, PromptID: "91f600ae-4354-476d-bdb7-42a6dd497b6f",
			Trigger: "manual", CustomInstructions: "keep it",
		}},
		{"post_compact_auto", claude.Input{
			SessionID: "fa2caf21-3e58-4548-ade8-851ea5dd13f7", TranscriptPath: project + "fa2caf21-3e58-4548-ade8-851ea5dd13f7.jsonl",
			Cwd: "/home/dev/proj", Event: claude.EventPostCompact, PromptID: "d975c2ad-2349-4ffc-a24d-b0f2ce2bb68c",
			Trigger: "auto", CompactSummary: "<summary>SUM</summary>",
		}},
		{"session_end_exit", claude.Input{
			SessionID: "2366709a-bf1f-429b-a0e1-dc28dcd24245", TranscriptPath: project + "2366709a-bf1f-429b-a0e1-dc28dcd24245.jsonl",
			Cwd: "/home/dev/proj", Event: claude.EventSessionEnd, PromptID: "09687303-06c8-4353-988c-842e93469601", Reason: "prompt_input_exit",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := decode(t, sample(t, tc.name))
			if tc.want.SessionID == "" { // only the event's own fields are of interest
				got = claude.Input{Event: got.Event, ToolName: got.ToolName, ToolUseID: got.ToolUseID, Error: got.Error, IsInterrupt: got.IsInterrupt, DurationMS: got.DurationMS}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if !decode(t, sample(t, "stop_active")).StopHookActive {
		t.Error("stop_active: stop_hook_active is lost")
	}
}

func TestDecodeRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"[]", "null", `""`, "3", "true", " \n[1,2]\n", "\ufeff[]"} {
		if _, err := claude.Decode([]byte(data)); !errors.Is(err, claude.ErrNotObject) {
			t.Errorf("Decode(%q): %v, want ErrNotObject", data, err)
		}
	}
	whole := sample(t, "post_tool_use_write_update")
	whole = bytes.TrimSpace(whole)
	for n := range whole {
		if _, err := claude.Decode(whole[:n]); err == nil || errors.Is(err, claude.ErrNotObject) {
			t.Fatalf("Decode of the first %d bytes: %v, want a syntax error", n, err)
		}
	}
	for _, data := range []string{"", " ", "{", "{]", `{"a":1}{"a":1}`, `{"a":1} x`, "\xff\xfe{\x00}\x00", "\x1f\x8b\x08\x00", "{\"a\":\"\x00\"}", "\ufeff\ufeff{}", "// c\n{}", "{'a':1}"} {
		if _, err := claude.Decode([]byte(data)); err == nil || errors.Is(err, claude.ErrNotObject) {
			t.Errorf("Decode(%q): %v, want a syntax error", data, err)
		}
	}
}

func TestDecodeAcceptsByteOrderMarkAndWhiteSpace(t *testing.T) {
	t.Parallel()
	plain := bytes.TrimSpace(sample(t, "pre_tool_use_bash"))
	want := decode(t, plain)
	for _, frame := range [][2]string{{"\ufeff", ""}, {"", "\n"}, {"", "\r\n"}, {"\n\t ", " \n\n"}, {"\ufeff \n", "\t"}} {
		got := decode(t, []byte(frame[0]+string(plain)+frame[1]))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("framed in %q: -want +got\n%s", frame, diff)
		}
	}
}

func TestDecodeSurvivesWrongTypes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, data string
		want       claude.Input
	}{
		{"cwd is a number", `{"session_id":"s","cwd":7}`, claude.Input{
			SessionID: "s", Malformed: []string{"cwd"}, Extra: map[string]json.RawMessage{"cwd": json.RawMessage("7")}}},
		{"tool_name is an object", `{"tool_name":{"a":1},"cwd":"/p"}`, claude.Input{
			Cwd: "/p", Malformed: []string{"tool_name"}, Extra: map[string]json.RawMessage{"tool_name": json.RawMessage(`{"a":1}`)}}},
		{"tool_input is a string", `{"tool_input":"rm"}`, claude.Input{ToolInput: json.RawMessage(`"rm"`), Malformed: []string{"tool_input"}}},
		{"tool_input is null", `{"tool_input":null}`, claude.Input{ToolInput: json.RawMessage("null"), Malformed: []string{"tool_input"}}},
		{"tool_input is an array", `{"tool_input":[1]}`, claude.Input{ToolInput: json.RawMessage("[1]"), Malformed: []string{"tool_input"}}},
		{"tool_response may be anything", `{"tool_response":[1]}`, claude.Input{ToolResponse: json.RawMessage("[1]")}},
		{"null is absent", `{"session_id":null,"custom_instructions":null,"stop_hook_active":null,"effort":null,"duration_ms":null,"background_tasks":null}`, claude.Input{}},
		{"the order is that of the fields", `{"stop_hook_active":"yes","duration_ms":"1","effort":3,"session_id":true}`, claude.Input{
			Malformed: []string{"session_id", "effort", "duration_ms", "stop_hook_active"},
			Extra: map[string]json.RawMessage{"session_id": json.RawMessage("true"), "effort": json.RawMessage("3"),
				"duration_ms": json.RawMessage(`"1"`), "stop_hook_active": json.RawMessage(`"yes"`)}}},
		{"the last duplicate counts", `{"cwd":"/a","cwd":"/b","x":1,"x":2}`, claude.Input{Cwd: "/b", Extra: map[string]json.RawMessage{"x": json.RawMessage("2")}}},
		{"a right type after a wrong one", `{"cwd":1,"cwd":"/b"}`, claude.Input{Cwd: "/b"}},
		{"a wrong type after a right one", `{"cwd":"/a","cwd":1}`, claude.Input{Malformed: []string{"cwd"}, Extra: map[string]json.RawMessage{"cwd": json.RawMessage("1")}}},
		{"names are matched as the client spells them", `{"CWD":"/a","cw\u0064":"/b"}`, claude.Input{Cwd: "/b", Extra: map[string]json.RawMessage{"CWD": json.RawMessage(`"/a"`)}}},
		{"effort as a bare string", `{"effort":"low"}`, claude.Input{Effort: "low"}},
		{"effort without a string level", `{"effort":{"level":1}}`, claude.Input{Malformed: []string{"effort"}, Extra: map[string]json.RawMessage{"effort": json.RawMessage(`{"level":1}`)}}},
		{"fractions of a millisecond", `{"duration_ms":12.9}`, claude.Input{DurationMS: 12}},
		{"background tasks of a wrong type", `{"background_tasks":[1,null,{"id":5,"status":"x"}]}`, claude.Input{BackgroundTasks: []claude.BackgroundTask{{Status: "x"}}}},
		{"not UTF-8", "{\"cwd\":\"/a\xffb\",\"reason\":\"\\ud800\"}", claude.Input{Cwd: "/a\ufffdb", Reason: "\ufffd"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := decode(t, []byte(tc.data))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			got.Tool()
			got.Response()
		})
	}
}

func TestDecodeKeepsWhatStoodBeforeTheFault(t *testing.T) {
	t.Parallel()
	in, err := claude.Decode([]byte(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -r`))
	if err == nil {
		t.Fatal("truncated input decoded")
	}
	if in.Event != claude.EventPreToolUse || in.ToolName != "Bash" || in.SessionID != "s" || in.ToolInput != nil {
		t.Errorf("got %+v", in)
	}
}

func TestDecodeBoundsHostileInput(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString(`{"cwd":"/p"`)
	for i := range 100_000 {
		many.WriteString(`,"k` + strings.Repeat("x", i%3) + string(rune('a'+i%26)) + string(rune(0x4e00+i%20000)) + `":[]`)
	}
	many.WriteString(`,"background_tasks":[` + strings.Repeat("{},", 100_000) + `{}]}`)
	in := decode(t, []byte(many.String()))
	if in.Cwd != "/p" || len(in.Extra) > 1024 || len(in.BackgroundTasks) > 4096 {
		t.Errorf("cwd %q, %d extra, %d tasks", in.Cwd, len(in.Extra), len(in.BackgroundTasks))
	}
	deep := `{"tool_input":` + strings.Repeat("[", 1<<20)
	if _, err := claude.Decode([]byte(deep)); err == nil {
		t.Error("a million brackets decoded")
	}
}

// A decoded event costs no more memory than its input, whatever its size, and the texts asked for are copied once.
func TestDecodeOfLargeInputIsFrugal(t *testing.T) {
	for _, size := range []int{10 << 20, 60 << 20} {
		text := bytes.Repeat([]byte(`line of text with \"quotes\" and \u00e9\n`), size/40)
		data := append(append([]byte(`{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/p/a","content":"`), text...), `"}}`...)
		var before, mid, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := decode(t, data)
		runtime.ReadMemStats(&mid)
		tool := in.Tool()
		runtime.ReadMemStats(&after)
		if used := mid.TotalAlloc - before.TotalAlloc; used > 64<<10 {
			t.Errorf("Decode of %d bytes allocates %d", len(data), used)
		}
		if used := after.TotalAlloc - mid.TotalAlloc; used > uint64(len(data))+64<<10 {
			t.Errorf("Tool of %d bytes allocates %d", len(data), used)
		}
		if !strings.HasPrefix(tool.Content, "line of text with \"quotes\" and é\n") || tool.FilePath != "/p/a" {
			t.Errorf("content starts with %.60q", tool.Content)
		}
	}
}

func FuzzDecodeAgreesWithEncodingJSON(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	for _, seed := range []string{"[]", "null", `""`, "{", "\ufeff{}", `{"tool_input":"x","cwd":1,"tool_name":{}}`, `{"cwd":"a","cwd":2}`, "{\"cwd\":\"\xff\"}", `{"effort":{"level":"x"},"background_tasks":[{"id":"1"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := claude.Decode(data)
		trimmed := bytes.TrimPrefix(data, []byte("\ufeff"))
		var want map[string]json.RawMessage
		valid := json.Unmarshal(trimmed, &want) == nil && want != nil
		if (err == nil) != valid {
			t.Fatalf("Decode(%q): %v, encoding/json says object = %v", data, err, valid)
		}
		if errors.Is(err, claude.ErrNotObject) != (json.Valid(trimmed) && !valid) {
			t.Fatalf("Decode(%q): %v", data, err)
		}
		in.Tool()
		in.Response()
		if err != nil {
			return
		}
		for key, field := range map[string]string{
			"session_id": in.SessionID, "cwd": in.Cwd, "hook_event_name": in.Event, "tool_name": in.ToolName, "prompt": in.Prompt,
			"error": in.Error, "last_assistant_message": in.LastAssistantMessage, "new_cwd": in.NewCwd,
		} {
			var text string
			if json.Unmarshal(want[key], &text) != nil {
				text = ""
			}
			if field != text {
				t.Fatalf("Decode(%q): %s = %q, want %q", data, key, field, text)
			}
		}
		if !bytes.Equal(in.ToolInput, want["tool_input"]) || !bytes.Equal(in.ToolResponse, want["tool_response"]) {
			t.Fatalf("Decode(%q): input %q, response %q", data, in.ToolInput, in.ToolResponse)
		}
	})
}
