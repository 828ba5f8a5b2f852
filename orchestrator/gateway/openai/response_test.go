package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
)

func TestResponse(t *testing.T) {
	t.Parallel()
	got, err := openai.Response([]byte(`{"id":"c1","model":"qwen","choices":[{"index":0,"message":{"role":"assistant","content":"a","reasoning_content":"r","tool_calls":[{"id":"x","type":"function","function":{"name":"Read","arguments":"{\"p\":1}"}},{"id":"x","type":"function","function":{"name":"Now","arguments":""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_cache_hit_tokens":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	at := strings.Index(text, `"id":"call_`)
	if at < 0 {
		t.Fatalf("the repeated id is still there: %s", text)
	}
	text = text[:at] + `"id":"made` + text[at+len(`"id":"call_`)+24:]
	same(t, []byte(text), `{"id":"c1","type":"message","role":"assistant","model":"qwen","content":[{"type":"thinking","thinking":"r","signature":"devflock:reasoning_content"},{"type":"text","text":"a"},
	{"type":"tool_use","id":"x","name":"Read","input":{"p":1}},{"type":"tool_use","id":"made","name":"Now","input":{}}],"stop_reason":"tool_use","stop_sequence":null,
	"usage":{"input_tokens":7,"cache_read_input_tokens":3,"cache_creation_input_tokens":0,"output_tokens":4}}`)
	if !openai.Ours("devflock:reasoning") || openai.Ours("c2ln") {
		t.Error("Ours does not know its own signatures")
	}
}

func TestNoResponse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:     "not a JSON object",
		`{}`:   "neither choices nor usage",
		`null`: "neither choices nor usage",
		`{"choices":[{"message":{"content":"a"}}]}`: "ended before it was complete",
		`{"choices":[]}`: "ended before it was complete",
		`{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{}"}}]},"finish_reason":"stop"}]}`:                "without a name",
		`{"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":"{\"x"}}]},"finish_reason":"length"}]}`: "arguments are not JSON",
		`{"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":"[1]"}}]},"finish_reason":"stop"}]}`:    "arguments are not JSON",
	} {
		if got, err := openai.Response([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Response(%s) = %s, %v, want an error with %q", in, got, err, want)
		}
	}
	_, err := openai.Response([]byte(`{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`))
	if e, ok := errors.AsType[*openai.ResponseError](err); !ok || e.Kind != "rate_limit_error" || e.Message != "slow down" {
		t.Errorf("Response of an error: %v", err)
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"OpenAI", 401, `{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}`, `{"type":"error","error":{"type":"authentication_error","message":"Incorrect API key"}}`},
		{"llama-server", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, `{"type":"error","error":{"type":"invalid_request_error","message":"the request exceeds the available context size"}}`},
		{"Ollama", 404, `{"error":"model not found"}`, `{"type":"error","error":{"type":"not_found_error","message":"model not found"}}`},
		{"text", 503, "Loading model", `{"type":"error","error":{"type":"overloaded_error","message":"the endpoint answered Service Unavailable: Loading model"}}`},
		{"page", 502, "<html>", `{"type":"error","error":{"type":"api_error","message":"the endpoint answered Bad Gateway with a web page: is the address right, and the tunnel open?"}}`},
		{"nothing", 524, "", `{"type":"error","error":{"type":"api_error","message":"the endpoint answered with status 524"}}`},
		{"object without a text", 429, `{"error":{"x":1}}`, `{"type":"error","error":{"type":"rate_limit_error","message":"{\"x\":1}"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, got := openai.Error(tt.status, []byte(tt.body))
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			same(t, got, tt.want)
		})
	}
	if _, got := openai.Error(500, []byte(strings.Repeat("ä", 5000))); len(got) > 2200 || !strings.Contains(string(got), "ä…") {
		t.Errorf("a long text is not cut at a character: %d bytes", len(got))
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://127.0.0.1:8080":                       "http://127.0.0.1:8080/v1/chat/completions",
		"http://127.0.0.1:8080/":                      "http://127.0.0.1:8080/v1/chat/completions",
		" https://api.example.com/v1/ ":               "https://api.example.com/v1/chat/completions",
		"https://x.example/api/paas/v4":               "https://x.example/api/paas/v4/chat/completions",
		"https://g.example/v1beta/openai/":            "https://g.example/v1beta/openai/chat/completions",
		"https://x.example/v1/chat/completions?api=1": "https://x.example/v1/chat/completions?api=1",
		"https://x.example/very":                      "https://x.example/very/v1/chat/completions",
	} {
		if got, err := openai.URL(in, "chat/completions"); err != nil || got != want {
			t.Errorf("URL(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	if _, err := openai.URL("http://a b:x", "models"); err == nil {
		t.Error("no error for an address that is none")
	}
}
