package probe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/probe"
)

// around puts f before the messages of a good server; f says whether it has answered.
func around(m *model, f func(w http.ResponseWriter, r *http.Request, a asked) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" {
			answer(w, 404, `{"detail":"Not Found"}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var a asked
		_ = json.Unmarshal(body, &a)
		a.raw = string(body)
		if f != nil && f(w, r, a) {
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		m.messages(w, r)
	})
}

func refuse(w http.ResponseWriter, text string) bool {
	answer(w, 400, fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, text))
	return true
}

// Servers that answer, but not as a worker needs it.
func TestWhatIsWrongWithAServer(t *testing.T) {
	t.Parallel()
	quick := func() *model { return &model{pace: time.Millisecond} }
	tests := []struct {
		name    string
		handler func() http.Handler
		options probe.Options
		check   string
		level   probe.Level
		text    string
		ok      bool
	}{
		{"a tunnel that buffers", func() http.Handler {
			m := quick()
			return around(m, func(w http.ResponseWriter, r *http.Request, a asked) bool {
				if strings.Contains(a.raw, "from 1 to 300") {
					time.Sleep(20 * time.Second)
				}
				return false
			})
		}, probe.Options{}, "stream", probe.Warn, "all at once, so something on the way holds it back", true},
		{"a server that does not stream", func() http.Handler {
			m := quick()
			return around(m, func(w http.ResponseWriter, r *http.Request, a asked) bool {
				r.Body = io.NopCloser(strings.NewReader(strings.Replace(a.raw, `"stream":true`, `"stream":false`, 1)))
				m.messages(w, r)
				return true
			})
		}, probe.Options{}, "stream", probe.Fail, "it sent the answer in one piece", false},
		{"a stream that is cut", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				if a.Stream {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n")
				}
				return a.Stream
			})
		}, probe.Options{}, "stream", probe.Fail, "the connection broke in the middle of an answer", false},
		{"a stream without an event", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				if a.Stream {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, ": nothing\n\n")
				}
				return a.Stream
			})
		}, probe.Options{}, "stream", probe.Fail, "a stream without a single event", false},
		{"events of another order", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				if a.Stream {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
				}
				return a.Stream
			})
		}, probe.Options{}, "stream", probe.Warn, "events are not in order: ", false},
		{"an error in the stream", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				if a.Stream {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n")
				}
				return a.Stream
			})
		}, probe.Options{}, "stream", probe.Fail, "Overloaded → the endpoint limits requests", false},
		{"slow", func() http.Handler { return around(&model{pace: 300 * time.Millisecond}, nil) }, probe.Options{}, "stream", probe.Warn, "3 tokens/s → a worker writes thousands", true},
		{"no tool calls", func() http.Handler {
			return around(&model{pace: 1, args: func(int, map[string]any) any { return nil }}, nil)
		}, probe.Options{}, "tool calls", probe.Fail, "0 of 5 with both arguments; the call came as text → a worker lives on tool calls", false},
		{"tool calls that lack an argument now and then", func() http.Handler {
			return around(&model{pace: 1, args: func(i int, args map[string]any) any {
				if i%2 == 1 {
					delete(args, "content")
				}
				return args
			}}, nil)
		}, probe.Options{}, "tool calls", probe.Warn, "3 of 5 with both arguments; the argument content is missing", true},
		{"tool calls with other texts", func() http.Handler {
			return around(&model{pace: 1, args: func(i int, args map[string]any) any {
				args["content"] = "something"
				return args
			}}, nil)
		}, probe.Options{}, "tool calls", probe.Warn, "5 of 5 with both arguments, 0 of them with the right text", true},
		{"arguments of a wrong type", func() http.Handler {
			return around(&model{pace: 1, args: func(int, map[string]any) any { return map[string]any{"path": 1, "content": nil} }}, nil)
		}, probe.Options{}, "tool calls", probe.Fail, "the argument path is missing", false},
		{"a template that cannot go on after results", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				if strings.Contains(a.raw, "tool_result") {
					answer(w, 500, `{"error":{"code":500,"message":"Value is not callable: null at row 1","type":"server_error"}}`)
					return true
				}
				return false
			})
		}, probe.Options{}, "tool results", probe.Fail, "status 500: Value is not callable", false},
		{"prompts are shortened in silence", func() http.Handler { return around(&model{pace: 1, keep: 2048}, nil) }, probe.Options{}, "real request", probe.Fail, "are 2048 tokens: it was shortened without a word", false},
		{"longer prompts are shortened in silence", func() http.Handler { return around(&model{pace: 1, keep: 8192}, nil) }, probe.Options{}, "prefill 16k", probe.Fail, "it shortens prompts without a word", false},
		{"a small context that is refused", func() http.Handler { return llama(&model{pace: 1}, 4, 4096) }, probe.Options{Key: key}, "real request", probe.Fail, "available context size (4096 tokens)", false},
		{"a small context", func() http.Handler { return llama(&model{pace: 1}, 4, 8192) }, probe.Options{Key: key}, "context", probe.Warn, "8192 tokens (/props); a worker's first request alone has 5", true},
		{"a context of middle size", func() http.Handler { return llama(&model{pace: 1}, 4, 16384) }, probe.Options{Key: key}, "context", probe.Warn, "sessions have to be replaced often", true},
		{"a context that only a refusal tells", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				return len(a.raw) > 30000 && refuse(w, "This model's maximum context length is 8192 tokens. However, you requested 20000 tokens")
			})
		}, probe.Options{}, "context", probe.Warn, "8192 tokens (its refusal of a long prompt)", true},
		{"a system message among the messages is refused", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				return strings.Contains(a.raw, `"role":"system"`) && refuse(w, "messages: Unexpected role \"system\"")
			})
		}, probe.Options{}, "real request", probe.Warn, "it does not take a system message among the messages (status 400: messages: Unexpected role", true},
		{"thinking is refused", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				return len(a.Thinking) > 0 && refuse(w, "thinking: Extra inputs are not permitted")
			})
		}, probe.Options{}, "real request", probe.Fail, "it does not take thinking and effort", false},
		{"max_tokens is refused", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				return a.Max > 8192 && refuse(w, "max_tokens: 32000 > 8192, which is the maximum allowed")
			})
		}, probe.Options{}, "real request", probe.Fail, "it does not take max_tokens of 32000", false},
		{"blocks of the system prompt are refused", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				return strings.HasPrefix(string(a.System), "[") && refuse(w, "system must be a string")
			})
		}, probe.Options{}, "real request", probe.Fail, "it does not take a system prompt in blocks", false},
		{"a slow reader behind no tunnel", func() http.Handler { return around(&model{pace: 1, read: 6 * time.Second}, nil) }, probe.Options{}, "prefill 16k", probe.Warn, "near the limit of 100 s", true},
		{"a slow reader behind a tunnel", func() http.Handler {
			return around(&model{pace: 1}, func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				if len(a.raw) > 30000 {
					time.Sleep(100 * time.Second)
					page(524, "<html>A timeout occurred")(w, nil)
					return true
				}
				return false
			})
		}, probe.Options{}, "prefill 16k", probe.Fail, "no answer after 100.0 s: ", false},
		{"a full context takes too long", func() http.Handler { return llama(&model{pace: 1, read: 2 * time.Second}, 4, 131072) }, probe.Options{Key: key}, "context", probe.Warn, "a full context takes about 262 s to read", true},
		{"one at a time", func() http.Handler {
			return around(&model{pace: 10 * time.Millisecond, slots: make(chan struct{}, 1)}, nil)
		}, probe.Options{}, "parallel", probe.Warn, "4 of 4 answered, 1 side by side, the last after 2.4 s: one conversation waits for the other", true},
		{"three at a time", func() http.Handler {
			return around(&model{pace: 10 * time.Millisecond, slots: make(chan struct{}, 3)}, nil)
		}, probe.Options{}, "parallel", probe.Pass, "3 side by side", true},
		{"a limit of requests at once", func() http.Handler {
			m := &model{pace: 10 * time.Millisecond}
			var n atomic.Int32
			return around(m, func(w http.ResponseWriter, r *http.Request, a asked) bool {
				if !strings.Contains(a.raw, "from 1 to 60") {
					return false
				}
				defer n.Add(-1)
				if n.Add(1) > 2 {
					answer(w, 429, `{"type":"error","error":{"type":"rate_limit_error","message":"2 at once"}}`)
					return true
				}
				r.Body = io.NopCloser(strings.NewReader(a.raw))
				m.messages(w, r)
				return true
			})
		}, probe.Options{}, "parallel", probe.Warn, "2 of 4 answered, 2 side by side", true},
		{"a long answer comes through", func() http.Handler { return around(&model{pace: 100 * time.Millisecond}, nil) }, probe.Options{Long: true}, "long", probe.Pass, "one answer of 200.", true},
		{"a long answer is cut", func() http.Handler {
			return around(quick(), func(w http.ResponseWriter, _ *http.Request, a asked) bool {
				if !strings.Contains(a.raw, "from 1 to 2000") {
					return false
				}
				w.Header().Set("Content-Type", "text/event-stream")
				for range 100 {
					fmt.Fprint(w, "event: ping\ndata: {\"type\":\"ping\"}\n\n")
					_ = http.NewResponseController(w).Flush()
					time.Sleep(time.Second)
				}
				panic(http.ErrAbortHandler)
			})
		}, probe.Options{Long: true}, "long", probe.Fail, "cut off after 100.", false},
		{"no tokens are reported", func() http.Handler {
			return around(nil, func(w http.ResponseWriter, r *http.Request, a asked) bool {
				m := quick()
				rec := &stripper{ResponseWriter: w}
				r.Body = io.NopCloser(strings.NewReader(a.raw))
				m.messages(rec, r)
				return true
			})
		}, probe.Options{}, "usage", probe.Warn, "does not report tokens", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, lines := run(t, tt.handler(), tt.options)
				if r.OK != tt.ok || !has(r, tt.check, tt.level, tt.text) {
					t.Errorf("OK %t, want %t and %s %s: %q\n%s", r.OK, tt.ok, tt.level, tt.check, tt.text, strings.Join(lines, "\n"))
				}
			})
		})
	}
}

// stripper takes the token counts out of an answer.
type stripper struct{ http.ResponseWriter }

func (s *stripper) Write(p []byte) (int, error) {
	text := strings.ReplaceAll(strings.ReplaceAll(string(p), "input_tokens", "in"), "output_tokens", "out")
	_, err := s.ResponseWriter.Write([]byte(text))
	return len(p), err
}

func (s *stripper) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// The chat completions of a server are tried as hard as its messages.
func TestWhatIsWrongWithChatCompletions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &model{pace: time.Millisecond, keep: 2048, args: func(i int, args map[string]any) any {
			if i > 0 {
				return nil
			}
			return args
		}}
		r, lines := run(t, openaiOnly(m), probe.Options{Key: key, Model: "other"})
		for _, want := range []struct {
			check string
			level probe.Level
			text  string
		}{
			{"models", probe.Warn, "other is not among the 1 listed → name one with --model: gpt-oss"},
			{"tool calls", probe.Warn, "1 of 5 with both arguments"},
			{"real request", probe.Fail, "shortened without a word"},
		} {
			if !has(r, want.check, want.level, want.text) {
				t.Errorf("no %v in\n%s", want, strings.Join(lines, "\n"))
			}
		}
		if r.OK || r.API != "openai" {
			t.Errorf("%+v", r)
		}
	})
}

// What is sent as a real request has the size of one.
func TestTheRealRequestHasItsSize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		size := 0
		run(t, around(&model{pace: time.Millisecond}, func(_ http.ResponseWriter, _ *http.Request, a asked) bool {
			if strings.Contains(a.raw, "code word") {
				size = len(a.raw)
			}
			return false
		}), probe.Options{})
		if size < 21800 || size > 22800 { // Claude Code 2.1.332 with six tools: 22.3 kB
			t.Errorf("a real request of %d bytes", size)
		}
	})
}
