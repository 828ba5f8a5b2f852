package mockapi_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

const tools = `"tools":[{"name":"Bash"}]`

func post(t *testing.T, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(out)
}

func talk(text, extra string) string {
	return `{"model":"m-1",` + extra + tools + `,"messages":[{"role":"user","content":[{"type":"text","text":"` + text + `"}]}]}`
}

func TestStreamHasEventsInTheOrderOfTheRealEndpoint(t *testing.T) {
	t.Parallel()
	s := mockapi.New(t, mockapi.Script{Steps: []mockapi.Step{
		mockapi.Turn(mockapi.Thinking("hm"), mockapi.Text("ok"), mockapi.Bash("true"), mockapi.Tool("Empty", nil)),
	}})
	_, body := post(t, s.URL+"/v1/messages?beta=true", talk("hi", `"stream":true,`))
	var kinds []string
	for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
		if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			var e struct {
				Type  string `json:"type"`
				Delta struct {
					Type string `json:"type"`
				} `json:"delta"`
			}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("event %s: %v", data, err)
			}
			kinds = append(kinds, strings.TrimSpace(e.Type+" "+e.Delta.Type))
		}
	}
	block := func(deltas ...string) []string {
		return append(append([]string{"content_block_start"}, deltas...), "content_block_stop")
	}
	want := []string{"message_start", "ping"}
	want = append(want, block("content_block_delta thinking_delta", "content_block_delta signature_delta")...)
	want = append(want, block("content_block_delta text_delta")...)
	want = append(want, block("content_block_delta input_json_delta")...)
	want = append(want, block("content_block_delta input_json_delta")...)
	want = append(want, "message_delta", "message_stop")
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if !strings.Contains(body, `"stop_reason":"tool_use"`) || !strings.Contains(body, `"partial_json":"{}"`) {
		t.Errorf("stream lacks its stop reason or the empty input: %s", body)
	}
}

func TestWholeMessageRepeatsTheFiguresOfTheScript(t *testing.T) {
	t.Parallel()
	s := mockapi.New(t, mockapi.Script{
		Usage: &mockapi.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite5m: 4, CacheWrite1h: 5},
		Steps: []mockapi.Step{mockapi.Turn(mockapi.Tool("Empty", nil))},
	})
	_, body := post(t, s.URL+"/v1/messages", talk("hi", ""))
	var m struct {
		Model   string
		Content []map[string]any
		Usage   struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
			Read   int `json:"cache_read_input_tokens"`
			Write  int `json:"cache_creation_input_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	if got, want := [5]any{m.Model, m.Usage.Input, m.Usage.Output, m.Usage.Read, m.Usage.Write}, [5]any{"m-1", 1, 2, 3, 9}; got != want {
		t.Errorf("model and usage = %v, want %v", got, want)
	}
	if _, ok := m.Content[0]["input"].(map[string]any); !ok {
		t.Errorf("tool call without input: %v", m.Content[0])
	}
}

func TestOnlyConversationsUseUpSteps(t *testing.T) {
	t.Parallel()
	s := mockapi.New(t, mockapi.Script{
		Steps: []mockapi.Step{mockapi.Say("first"), mockapi.Fail(529, "busy"), mockapi.Say("second")},
		Talks: map[string][]mockapi.Step{"SUBTASK": {mockapi.Say("sub")}},
	})
	cases := []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"quota probe", "/v1/messages", `{"model":"m","max_tokens":1,` + tools + `,"messages":[{"role":"user","content":"quota"}]}`, 200, "Scripted session"},
		{"title", "/v1/messages", `{"model":"m","output_config":{"format":{"type":"json_schema"}},"messages":[{"role":"user","content":"x"}]}`, 200, `\"title\"`},
		{"first", "/v1/messages", talk("hi", ""), 200, "first"},
		{"count", "/v1/messages/count_tokens", talk("hi", ""), 200, "input_tokens"},
		{"subagent", "/v1/messages", talk("SUBTASK look", ""), 200, "sub"},
		{"summary", "/v1/messages", talk("Your task is to create a detailed summary of the conversation so far", ""), 200, "in short"},
		{"error", "/v1/messages", talk("hi", ""), 529, "overloaded_error"},
		{"second", "/v1/messages", talk("hi", ""), 200, "second"},
		{"after the script", "/v1/messages", talk("hi", ""), 200, "done"},
		{"unknown path", "/v1/nothing", "{}", 404, "not_found_error"},
		{"not JSON", "/v1/messages", "{", 404, "not_found_error"},
	}
	for _, c := range cases { // one after the other: the order matters
		status, body := post(t, s.URL+c.path, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: status %d, body %s; want %d and %q", c.name, status, body, c.status, c.want)
		}
	}
	if got := s.Overrun(); got != 1 {
		t.Errorf("overrun = %d, want 1", got)
	}
	if got := len(s.Talk("")); got != 4 {
		t.Errorf("main requests = %d, want 4", got)
	}
	if got := len(s.Requests()); got != len(cases) {
		t.Errorf("requests = %d, want %d", got, len(cases))
	}
}

func TestLastIsWhatIsNew(t *testing.T) {
	t.Parallel()
	s := mockapi.New(t, mockapi.Script{})
	post(t, s.URL+"/v1/messages", `{"model":"m",`+tools+`,"messages":[{"role":"user","content":"old"},{"role":"assistant","content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]},
		{"role":"user","content":[{"type":"tool_result","content":"a.txt"}]},{"role":"system","content":[{"type":"text","text":"note"}]}]}`)
	r := s.Requests()[0]
	if got, want := r.Last(), "\na.txt\nnote\n"; got != want {
		t.Errorf("Last() = %q, want %q", got, want)
	}
	for _, want := range []string{"old", `Bash {"command":"ls"}`, "note"} {
		if !strings.Contains(r.Text(), want) {
			t.Errorf("Text() = %q lacks %q", r.Text(), want)
		}
	}
}
