package probe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// model answers prompts of the probe as a model that does as it is told.
type model struct {
	pace  time.Duration // between two words of a stream
	read  time.Duration // for each thousand tokens of the prompt
	slots chan struct{} // conversations at once; nil = any number
	keep  int           // tokens that are kept of a prompt; 0 = all
	args  func(i int, args map[string]any) any
	calls int
}

type asked struct {
	Model    string            `json:"model"`
	Max      int               `json:"max_tokens"`
	System   json.RawMessage   `json:"system"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
	Stream   bool              `json:"stream"`
	Thinking json.RawMessage   `json:"thinking"`
	raw      string
}

type said struct {
	words  []string
	call   string // arguments of a call of write_file, as JSON
	prompt int
}

func (s said) output() int { return len(s.words) + len(s.call)/4 }

var (
	fileRule = regexp.MustCompile(`create the file (\S+) with exactly this content: ([\w-]+)`)
	lastRule = regexp.MustCompile(`numbers from 1 to (\d+)`)
	wordRule = regexp.MustCompile(`code word of this session is ([\w-]+)`)
)

func (m *model) say(body []byte) (asked, said) {
	a := asked{raw: string(body)}
	if err := json.Unmarshal(body, &a); err != nil {
		return a, said{words: []string{"what?"}}
	}
	s := said{prompt: len(body) / 4}
	text := a.raw
	if m.keep > 0 && s.prompt > m.keep {
		s.prompt = m.keep
		text = text[len(text)-4*m.keep:]
	}
	file, last, word := fileRule.FindStringSubmatch(text), lastRule.FindStringSubmatch(text), wordRule.FindStringSubmatch(text)
	switch {
	case file != nil && len(a.Tools) > 0:
		args := map[string]any{"path": file[1], "content": file[2]}
		var v any = args
		if m.args != nil {
			v = m.args(m.calls, args)
		}
		m.calls++
		if v == nil {
			s.words = []string{"I", "shall", "call", "write_file"}
			break
		}
		out, _ := json.Marshal(v)
		s.call = string(out)
	case last != nil:
		var n int
		_, _ = fmt.Sscan(last[1], &n)
		for i := 1; i <= n && len(s.words) < a.Max; i++ {
			s.words = append(s.words, fmt.Sprint(i))
		}
	case word != nil:
		s.words = []string{word[1]}
	default:
		s.words = []string{"ok"}
	}
	return a, s
}

func (m *model) take() func() {
	if m.slots == nil {
		return func() {}
	}
	m.slots <- struct{}{}
	return func() { <-m.slots }
}

// messages answers POST /v1/messages in the wire format of Anthropic.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a, s := m.say(body)
	defer m.take()()
	time.Sleep(m.read * time.Duration(s.prompt) / 1000)
	usage := fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d}`, s.prompt, s.output())
	stop := "end_turn"
	if s.call != "" {
		stop = "tool_use"
	}
	if !a.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":%q}],"stop_reason":%q,"usage":%s}`, a.Model, strings.Join(s.words, " "), stop, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind, data string) {
		fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, data)
		_ = http.NewResponseController(w).Flush()
	}
	send("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":0,"output_tokens":0}}`)
	send("ping", "")
	if s.call != "" {
		send("content_block_start", fmt.Sprintf(`,"index":0,"content_block":{"type":"tool_use","id":"toolu_%d","name":"write_file","input":{}}`, m.calls))
		send("content_block_delta", fmt.Sprintf(`,"index":0,"delta":{"type":"input_json_delta","partial_json":%q}`, s.call))
	} else {
		send("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
		for _, word := range s.words {
			time.Sleep(m.pace)
			send("content_block_delta", fmt.Sprintf(`,"index":0,"delta":{"type":"text_delta","text":%q}`, word+" "))
		}
	}
	send("content_block_stop", `,"index":0`)
	send("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":%s`, stop, usage))
	send("message_stop", "")
}

// completions answers POST /v1/chat/completions in the wire format of OpenAI.
func (m *model) completions(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a, s := m.say(body)
	defer m.take()()
	usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, s.prompt, s.output(), s.prompt+s.output())
	if !a.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"c1","object":"chat.completion","model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":%s}`, a.Model, strings.Join(s.words, " "), usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(choice string) {
		fmt.Fprintf(w, "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",%s}\n\n", choice)
		_ = http.NewResponseController(w).Flush()
	}
	stop := "stop"
	if s.call != "" {
		stop = "tool_calls"
		send(fmt.Sprintf(`"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"write_file","arguments":""}}]},"finish_reason":null}]`, m.calls))
		half := len(s.call) / 2
		for _, piece := range [...]string{s.call[:half], s.call[half:]} {
			send(fmt.Sprintf(`"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":%q}}]},"finish_reason":null}]`, piece))
		}
	}
	for _, word := range s.words {
		time.Sleep(m.pace)
		send(fmt.Sprintf(`"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]`, word+" "))
	}
	send(fmt.Sprintf(`"choices":[{"index":0,"delta":{},"finish_reason":%q}]`, stop))
	send(`"choices":[],"usage":` + usage)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

const key = "sk-test-0123456789abcdef"

func bearer(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+key }
func xkey(r *http.Request) bool   { return r.Header.Get("X-Api-Key") == key }

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// llama is like llama-server: both ways to show the key, /health and /props open.
func llama(m *model, slots, window int) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"status":"ok"}`) })
	guard := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !bearer(r) && !xkey(r) {
				answer(w, 401, `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`)
				return
			}
			h(w, r)
		}
	}
	mux.HandleFunc("GET /props", guard(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, fmt.Sprintf(`{"default_generation_settings":{"id":0,"n_ctx":%d,"params":{}},"total_slots":%d,"model_path":"/m.gguf","chat_template":"x"}`, window, slots))
	}))
	mux.HandleFunc("GET /v1/models", guard(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"object":"list","data":[{"id":"qwen3-coder","object":"model","owned_by":"llamacpp","meta":{"n_ctx_train":262144}}]}`)
	}))
	mux.HandleFunc("POST /v1/messages", guard(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if len(body)/4 > window {
			answer(w, 400, fmt.Sprintf(`{"error":{"code":400,"message":"the request exceeds the available context size (%d tokens), try increasing it","type":"exceed_context_size_error","n_ctx":%d}}`, window, window))
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		m.messages(w, r)
	}))
	return mux
}

// litellm is like LiteLLM's proxy: the key as bearer or x-api-key, also for /health; errors in OpenAI's form.
func litellm(m *model) http.Handler {
	mux := http.NewServeMux()
	guard := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !bearer(r) && !xkey(r) {
				answer(w, 401, `{"error":{"message":"Authentication Error, No api key passed in.","type":"auth_error","param":"None","code":"401"}}`)
				return
			}
			h(w, r)
		}
	}
	mux.HandleFunc("GET /health", guard(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"healthy_endpoints":[],"unhealthy_endpoints":[]}`)
	}))
	mux.HandleFunc("GET /v1/models", guard(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"data":[{"id":"claude-local","object":"model","created":1,"owned_by":"openai"},{"id":"other","object":"model"}],"object":"list"}`)
	}))
	mux.HandleFunc("POST /v1/messages", guard(m.messages))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"detail":"Not Found"}`) })
	return mux
}

// anthropic is like the original: x-api-key only, a version header, no /health.
func anthropic(m *model) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail := func(status int, kind, text string) {
			answer(w, status, fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, kind, text))
		}
		switch {
		case !xkey(r):
			fail(401, "authentication_error", "invalid x-api-key")
		case r.Header.Get("Anthropic-Version") == "":
			fail(400, "invalid_request_error", "anthropic-version: header is required")
		case r.URL.Path == "/v1/models":
			answer(w, 200, `{"data":[{"type":"model","id":"claude-x","display_name":"X","created_at":"2026-01-01T00:00:00Z"}],"has_more":false}`)
		case r.URL.Path == "/v1/messages":
			m.messages(w, r)
		default:
			fail(404, "not_found_error", "Not found")
		}
	})
}

// openaiOnly knows chat completions and nothing else.
func openaiOnly(m *model) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !bearer(r):
			answer(w, 401, `{"error":{"message":"You didn't provide an API key.","type":"invalid_request_error","param":null,"code":null}}`)
		case r.URL.Path == "/v1/models":
			answer(w, 200, `{"object":"list","data":[{"id":"gpt-oss","object":"model","max_model_len":65536}]}`)
		case r.URL.Path == "/v1/chat/completions":
			m.completions(w, r)
		default:
			answer(w, 404, `{"error":{"message":"Invalid URL (`+r.Method+` `+r.URL.Path+`)","type":"invalid_request_error","param":null,"code":null}}`)
		}
	})
}
