package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
	"github.com/google/go-cmp/cmp"
)

// same compares JSON texts by what they mean.
func same(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options openai.Options
		in      string
		want    string
	}{
		{
			"what the client sends", openai.Options{Model: "qwen"},
			`{"model":"claude","system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.197.0df"},{"type":"text","text":"You are"},{"type":"text","text":"\nRules","cache_control":{"type":"ephemeral"}}],
			"messages":[{"role":"user","content":[{"type":"text","text":"<r>"},{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]},{"role":"system","content":"# Environment"}],
			"tools":[{"name":"Bash","description":"Runs <it>","input_schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}},
			{"name":"DeferredToolPlaceholder","input_schema":{"type":"object","properties":{}},"defer_loading":true},{"type":"web_search_20250305","name":"web_search"}],
			"max_tokens":32000,"thinking":{"type":"adaptive"},"context_management":{"edits":[]},"output_config":{"effort":"high"},"metadata":{"user_id":"u"},"temperature":1,"top_k":3,"stream":true}`,
			`{"model":"qwen","messages":[{"role":"system","content":"You are\n\nRules"},{"role":"user","content":"<r>\ngo\n# Environment"}],
			"tools":[{"type":"function","function":{"name":"Bash","description":"Runs <it>","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}}}],
			"max_tokens":32000,"temperature":1,"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"parallel calls, results in another order and with an error, thinking of this turn", openai.Options{},
			`{"model":"m","messages":[{"role":"user","content":"old"},{"role":"assistant","content":[{"type":"thinking","thinking":"of before","signature":"devflock:reasoning_content"},{"type":"text","text":"done"}]},
			{"role":"user","content":"go"},
			{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"devflock:reasoning_content"},{"type":"thinking","thinking":"foreign","signature":"c2ln"},{"type":"redacted_thinking","data":"x"},{"type":"text","text":"I"},{"type":"text","text":"look"},
			{"type":"tool_use","id":"a","name":"Read","input":{"p": "x<y", "n": 12345678901234567890}},{"type":"tool_use","id":"functions.Bash:1","name":"Bash"}]},
			{"role":"user","content":[{"type":"text","text":"<system-reminder>"},{"type":"tool_result","tool_use_id":"functions.Bash:1","is_error":true,"content":[{"type":"text","text":"exit 1"}]}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`,
			`{"model":"m","messages":[{"role":"user","content":"old"},{"role":"assistant","content":"done"},{"role":"user","content":"go"},
			{"role":"assistant","content":"I\nlook","reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{\"p\":\"x<y\",\"n\":12345678901234567890}"}},{"id":"functions.Bash:1","type":"function","function":{"name":"Bash","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"functions.Bash:1","content":"Error: exit 1"},{"role":"tool","tool_call_id":"a","content":"(no output)"},{"role":"user","content":"<system-reminder>"}]}`,
		},
		{
			"only calls; one without a result, a result without a call", openai.Options{},
			`{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"thinking","thinking":"r","signature":"devflock:reasoning"},{"type":"tool_use","id":"a","name":"Read","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"z","content":"late"}]},{"role":"assistant","content":[]}]}`,
			`{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"reasoning":"r","tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"(this call has no result: it was interrupted)"},{"role":"user","content":"Result of the tool call z:\nlate"}]}`,
		},
		{
			"images, in a prompt and in a result", openai.Options{},
			`{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}},{"type":"text","text":"what?"},{"type":"image","source":{"type":"url","url":"https://e.example/a.png"}}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lG"}}]}]}]}`,
			`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}},{"type":"text","text":"what?"},{"type":"image_url","image_url":{"url":"https://e.example/a.png"}}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"(the image follows in the next message)"},
			{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lG"}}]}]}`,
		},
		{
			"documents and search results", openai.Options{},
			`{"model":"m","messages":[{"role":"user","content":[{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"body"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBE"}},
			{"type":"document","source":{"type":"content","content":[{"type":"text","text":"c"}]}},{"type":"search_result","title":"S","source":"https://s.example","content":[{"type":"text","text":"found"}]},{"type":"image","source":{"type":"file","file_id":"f"}},{"type":"new_thing"}]}]}`,
			`{"model":"m","messages":[{"role":"user","content":"T\nbody\n(a document that this endpoint cannot read was left out)\nc\nS\nhttps://s.example\nfound\n(an image that this endpoint cannot read was left out)"}]}`,
		},
		{
			"a model of OpenAI's that reasons", openai.Options{Model: "openai/gpt-5.1-codex"},
			`{"model":"m","messages":[{"role":"user","content":"a"}],"max_tokens":9,"temperature":1,"top_p":0.5,"output_config":{"effort":"max"},"stop_sequences":["1","2","3","4","5"]}`,
			`{"model":"openai/gpt-5.1-codex","messages":[{"role":"user","content":"a"}],"max_completion_tokens":9,"reasoning_effort":"high","stop":["1","2","3","4"]}`,
		},
		{
			"a tool must be used, one at a time, and its schema is bare", openai.Options{},
			`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"name":"a","input_schema":{}},{"name":"b","type":"custom"}],"tool_choice":{"type":"any","disable_parallel_tool_use":true}}`,
			`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"b","parameters":{"type":"object","properties":{}}}}],
			"tool_choice":"required","parallel_tool_calls":false}`,
		},
		{
			"a certain tool", openai.Options{},
			`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"name":"a","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"type":"tool","name":"a"}}`,
			`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}}}}],"tool_choice":{"type":"function","function":{"name":"a"}}}`,
		},
		{
			"a choice without tools, a schema for the answer", openai.Options{},
			`{"model":"m","messages":[{"role":"user","content":"a"}],"tool_choice":{"type":"auto"},"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}`,
			`{"model":"m","messages":[{"role":"user","content":"a"}],"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}}}`,
		},
		{
			"an answer that would not fit", openai.Options{Window: 8192, MaxOutput: 30000},
			`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("word ", 600) + `"}],"max_tokens":64000}`,
			`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("word ", 600) + `"}],"max_tokens":7168}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.options.Request([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, tt.want)
		})
	}
}

func TestNoRequest(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                               "read messages request: unexpected end of JSON input",
		`[]`:                             "read messages request: json: cannot unmarshal array",
		`{"messages":[{"role":"user"}]}`: "no model is named",
		`{"model":"m"}`:                  "no message has content",
		`{"model":"m","messages":[{"role":"user","content":7}]}`:                                                                    "read message 0: content is neither text nor blocks",
		`{"model":"m","system":7,"messages":[]}`:                                                                                    "read system prompt",
		`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"input_schema":{}}]}`:                                    "a tool has no name",
		`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"name":"a","input_schema":[]}]}`:                         "read schema of tool \"a\"",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":"x"}]}]}`:                                      "source of an image",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":{"type":"text"}}]}]}`: "result of \"a\"",
	} {
		if got, err := openai.Request([]byte(in), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Request(%s) = %s, %v, want an error with %q", in, got, err, want)
		}
	}
}

// Everything that is accepted is a conversation that servers accept: each call is answered, in order, before anybody speaks again.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","system":"s","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":{}},{"type":"tool_use","id":"a","name":"Read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"text","text":"t"}]}],"tools":[{"name":"Read","input_schema":{"type":"object"}}],"max_tokens":5}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":"x"}},{"type":"image","source":{}}]},{"role":"assistant","content":"x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := openai.Request(body, "qwen")
		if err != nil {
			return
		}
		var r struct {
			Model    string
			Messages []struct {
				Role      string
				ID        string                `json:"tool_call_id"`
				ToolCalls []struct{ ID string } `json:"tool_calls"`
			}
		}
		if err := json.Unmarshal(out, &r); err != nil || r.Model != "qwen" || len(r.Messages) == 0 {
			t.Fatalf("Request(%s) = %s (%v)", body, out, err)
		}
		open := map[string]int{}
		waiting := 0
		for i, m := range r.Messages {
			switch {
			case m.Role == "tool":
				if open[m.ID] == 0 {
					t.Fatalf("message %d answers no call: %s", i, out)
				}
				open[m.ID]--
				waiting--
			case waiting > 0:
				t.Fatalf("message %d comes before %d results: %s", i, waiting, out)
			}
			for _, c := range m.ToolCalls {
				open[c.ID]++
				waiting++
			}
		}
	})
}
