package taskmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// Serve is [Start] for a test, with which it ends.
func Serve(t testing.TB, m Model) (url string, s *mockapi.Server) {
	t.Helper()
	url, s, stop, err := Start(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url, s
}

// Start starts an endpoint that does what `devflock probe` asks, and works on tasks as the model says, until stop is called; the
// requests of the workers are those of the server.
func Start(m Model) (url string, s *mockapi.Server, stop func(), err error) {
	if s, err = mockapi.Start(m.Script()); err != nil {
		return "", nil, nil, err
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "devflock-probe" {
			s.ServeHTTP(w, r)
			return
		}
		probed(w, r)
	}))
	return front.URL, s, func() { front.Close(); s.Close() }, nil
}

// What the probe asks for.
var (
	fileRule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`create the file (\S+) with exactly this content: ([\w-]+)`)
	})
	lastRule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`numbers from 1 to (\d+)`) })
	wordRule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`code word of this session is ([\w-]+)`) })
)

// probed does as it is told.
func probed(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return // the client went away
	case r.URL.Path == "/v1/models":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":[{"id":"scripted-1"}],"has_more":false}`)
		return
	case r.URL.Path != "/v1/messages":
		http.NotFound(w, r)
		return
	}
	block, delta, stop := map[string]any{"type": "text", "text": ""}, []map[string]any{}, "end_turn"
	say := func(words ...string) {
		for _, word := range words {
			delta = append(delta, map[string]any{"type": "text_delta", "text": word + " "})
		}
	}
	file, last, word := fileRule().FindSubmatch(body), lastRule().FindSubmatch(body), wordRule().FindSubmatch(body)
	switch {
	case file != nil:
		input, _ := json.Marshal(map[string]string{"path": string(file[1]), "content": string(file[2])})
		block, stop = map[string]any{"type": "tool_use", "id": "toolu_1", "name": "write_file", "input": map[string]any{}}, "tool_use"
		delta = append(delta, map[string]any{"type": "input_json_delta", "partial_json": string(input)})
	case last != nil:
		var n int
		_, _ = fmt.Sscan(string(last[1]), &n)
		for i := range n {
			say(fmt.Sprint(i + 1))
		}
	case word != nil:
		say(string(word[1]))
	default:
		say("ok")
	}
	send(w, strings.Contains(string(body), `"stream":true`), block, delta, stop, len(body)/4) // about four bytes a token
}

// send answers with one block.
func send(w http.ResponseWriter, stream bool, block map[string]any, delta []map[string]any, stop string, prompt int) {
	usage := map[string]any{"input_tokens": prompt, "output_tokens": max(1, len(delta))}
	message := map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1", "content": []any{}, "usage": usage}
	if !stream {
		message["content"], message["stop_reason"] = []any{map[string]any{"type": "text", "text": "ok"}}, stop
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(message) // a client that went away is not our concern
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind string, data map[string]any) {
		data["type"] = kind
		text, _ := json.Marshal(data)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, text)
		_ = http.NewResponseController(w).Flush()
	}
	event("message_start", map[string]any{"message": message})
	event("content_block_start", map[string]any{"index": 0, "content_block": block})
	for _, d := range delta {
		event("content_block_delta", map[string]any{"index": 0, "delta": d})
	}
	event("content_block_stop", map[string]any{"index": 0})
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event("message_stop", map[string]any{})
}
