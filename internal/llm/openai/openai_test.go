package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key looks like no known format, so only the backend itself can keep it out of texts.
const key = "the key of this test"

const schema = `{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}},"additionalProperties":false}`

// sent is what arrives at the endpoint.
type sent struct {
	path, auth string
	body       map[string]any
}

func (s sent) format() string {
	f, _ := s.body["response_format"].(map[string]any)
	kind, _ := f["type"].(string)
	return kind
}

type endpoint struct {
	*httptest.Server
	mu   sync.Mutex
	seen []sent
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int, s sent)) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := sent{path: r.URL.Path, auth: r.Header.Get("Authorization")}
		if json.NewDecoder(r.Body).Decode(&s.body) != nil {
			t.Error("the request is no JSON")
		}
		e.mu.Lock()
		e.seen = append(e.seen, s)
		n := len(e.seen)
		e.mu.Unlock()
		answer(w, r, n, s)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) formats() []string {
	var out []string
	for _, s := range e.seen {
		out = append(out, s.format())
	}
	return out
}

func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func completion(message, finish string) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"small-2","choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}`, message, finish)
}

func content(text string) string {
	quoted, _ := json.Marshal(text)
	return completion(`{"role":"assistant","content":`+string(quoted)+`}`, "stop")
}

func backend(t *testing.T, url string) *openai.Backend {
	t.Helper()
	b, err := openai.New(openai.Options{BaseURL: url + "/v1/", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func question() llm.Request {
	return llm.Request{System: "You judge.", Prompt: "Is it?", Schema: []byte(schema), SchemaName: "vote", Model: "small", MaxTokens: 50, Temperature: 0.5}
}

func TestAsksForAStrictSchema(t *testing.T) {
	t.Parallel()
	e := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ sent) { say(w, 200, content(`{"ok":true}`)) })
	got, err := backend(t, e.URL).Ask(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(llm.Reply{Raw: `{"ok":true}`, Model: "small-2", TokensIn: 12, TokensOut: 3}, got); d != "" {
		t.Errorf("reply (-want +got):\n%s", d)
	}
	s := e.seen[0]
	var want map[string]any
	if err := json.Unmarshal([]byte(`{"model":"small","stream":false,"max_completion_tokens":50,"temperature":0.5,
		"messages":[{"role":"system","content":"You judge."},{"role":"user","content":"Is it?"}],
		"response_format":{"type":"json_schema","json_schema":{"name":"vote","strict":true,"schema":`+schema+`}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, s.body); d != "" || s.path != "/v1/chat/completions" || s.auth != "Bearer "+key {
		t.Errorf("%s %s (-want +got):\n%s", s.path, s.auth, d)
	}
}

func TestLoosensTheFormThatTheEndpointRefusesAndRemembers(t *testing.T) {
	t.Parallel()
	refuse := func(what string) string {
		return `{"error":{"message":"` + what + ` is not supported","type":"invalid_request_error","param":null,"code":null}}`
	}
	for name, c := range map[string]struct {
		accepts string
		want    []string
	}{
		"no schema":        {"json_object", []string{"json_schema", "json_object", "json_object"}},
		"no format at all": {"", []string{"json_schema", "json_object", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, s sent) {
				if s.format() != c.accepts {
					say(w, 400, refuse("response_format"))
					return
				}
				if system := fmt.Sprint(s.body["messages"]); !strings.Contains(system, `"required":["ok"]`) {
					t.Errorf("the schema is not in the words: %s", system)
				}
				say(w, 200, content("{}"))
			})
			b := backend(t, e.URL)
			for range 2 {
				if _, err := b.Ask(t.Context(), question()); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(c.want, e.formats()); d != "" {
				t.Errorf("formats (-want +got):\n%s", d)
			}
		})
	}
	t.Run("temperature and limit", func(t *testing.T) {
		t.Parallel()
		e := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, s sent) {
			switch {
			case s.body["max_completion_tokens"] != nil:
				say(w, 400, refuse("unknown field max_completion_tokens: it"))
			case s.body["temperature"] != nil:
				say(w, 400, refuse("temperature"))
			default:
				say(w, 200, content("{}"))
			}
		})
		if _, err := backend(t, e.URL).Ask(t.Context(), question()); err != nil || len(e.seen) != 3 || e.seen[2].format() != "json_schema" {
			t.Errorf("%v, requests %v", err, e.seen)
		}
	})
	t.Run("a model that the library knows", func(t *testing.T) {
		t.Parallel()
		e := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ sent) { say(w, 200, content("{}")) })
		q := question()
		q.Model = "gpt-5-mini"
		if _, err := backend(t, e.URL).Ask(t.Context(), q); err != nil || len(e.seen) != 1 || e.seen[0].body["max_completion_tokens"] != 50.0 || e.seen[0].body["temperature"] != nil {
			t.Errorf("%v, requests %v", err, e.seen)
		}
	})
	t.Run("a bad request for another reason is not remembered", func(t *testing.T) {
		t.Parallel()
		e := serve(t, func(w http.ResponseWriter, _ *http.Request, n int, _ sent) {
			if n <= 3 {
				say(w, 400, refuse("your request"))
				return
			}
			say(w, 200, content("{}"))
		})
		b := backend(t, e.URL)
		if _, err := b.Ask(t.Context(), question()); !errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("err = %v", err)
		}
		if _, err := b.Ask(t.Context(), question()); err != nil || e.seen[3].format() != "json_schema" {
			t.Errorf("%v, formats %v", err, e.formats())
		}
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	apiError := func(kind, text string) string {
		return `{"error":{"message":"` + text + `","type":"` + kind + `","code":"` + kind + `"}}`
	}
	for name, c := range map[string]struct {
		status    int
		body      string
		header    string // content type
		kind      error
		permanent bool
		says      string
	}{
		"rate limit":             {429, apiError("rate_limit_exceeded", "slow down"), "", llm.ErrQuota, false, "429"},
		"rate limit, bare":       {429, "Too Many Requests", "text/plain", llm.ErrQuota, false, "429"},
		"no credit":              {429, apiError("insufficient_quota", "You exceeded your current quota"), "", llm.ErrQuota, true, "quota"},
		"no credit as 400":       {400, apiError("invalid_request_error", "credit balance is too low"), "", llm.ErrQuota, false, "credit"},
		"payment":                {402, apiError("billing", "pay"), "", llm.ErrQuota, true, ""},
		"wrong key":              {401, apiError("invalid_api_key", "Incorrect API key provided: "+key), "", llm.ErrUnavailable, true, "key"},
		"forbidden":              {403, "no", "text/plain", llm.ErrUnavailable, true, "403"},
		"unknown model":          {404, apiError("model_not_found", "no such model"), "", llm.ErrUnavailable, true, "no such model"},
		"unknown model as 400":   {400, apiError("model_not_found", "no such model"), "", llm.ErrUnavailable, true, "no such model"},
		"too long":               {400, apiError("context_length_exceeded", "maximum context length is 10"), "", llm.ErrUnavailable, true, "context"},
		"filter as 400":          {400, apiError("content_filter", "filtered"), "", llm.ErrRefused, false, "filter"},
		"server error":           {500, apiError("server_error", "boom"), "", llm.ErrUnavailable, false, "boom"},
		"server error, a page":   {502, "<html>bad gateway " + key + "</html>", "text/html", llm.ErrUnavailable, false, "502"},
		"overloaded":             {503, "", "text/plain", llm.ErrUnavailable, false, "503"},
		"gateway timeout":        {504, "", "text/plain", llm.ErrTimeout, false, "504"},
		"refusal":                {200, completion(`{"role":"assistant","content":null,"refusal":"I cannot help with that."}`, "stop"), "", llm.ErrRefused, false, "cannot help"},
		"filter":                 {200, completion(`{"role":"assistant","content":"part"}`, "content_filter"), "", llm.ErrRefused, false, "filter"},
		"length":                 {200, completion(`{"role":"assistant","content":"{\"ok\":tr"}`, "length"), "", llm.ErrTruncated, false, "limit"},
		"tool call":              {200, completion(`{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"Bash","arguments":"{}"}}]}`, "tool_calls"), "", llm.ErrSchema, false, "tool"},
		"nothing":                {200, content(""), "", llm.ErrSchema, false, "empty"},
		"no choice":              {200, `{"object":"chat.completion","choices":[]}`, "", llm.ErrUnavailable, false, "choice"},
		"truncated body":         {200, content(`{"ok":true}`)[:40], "", llm.ErrTruncated, false, "breaks off"},
		"an empty body":          {200, "", "", llm.ErrUnavailable, false, ""},
		"a page":                 {200, "<html>Sign in</html>", "text/html", llm.ErrUnavailable, false, "/v1"},
		"a stream":               {200, "data: {}\n\n", "text/event-stream", llm.ErrUnavailable, false, "JSON"},
		"a list":                 {200, `[1]`, "", llm.ErrUnavailable, false, "no chat completion"},
		"an error with 200":      {200, `{"error":{"message":"boom"}}`, "", llm.ErrUnavailable, false, "choice"},
		"wrong types":            {200, `{"choices":"x"}`, "", llm.ErrUnavailable, false, "no chat completion"},
		"too large":              {200, `{"choices":[],"x":"` + strings.Repeat("x", 5<<20) + `"}`, "", llm.ErrUnavailable, false, "bytes"},
		"a redirect":             {302, "", "", llm.ErrUnavailable, true, "redirects"},
		"no JSON without a type": {200, "hello", "application/octet-stream", llm.ErrUnavailable, false, "JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ sent) {
				if c.header != "" {
					w.Header().Set("Content-Type", c.header)
				} else {
					w.Header().Set("Content-Type", "application/json")
				}
				if c.status == 302 {
					w.Header().Set("Location", "http://127.0.0.1:1/v1/chat/completions")
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := backend(t, e.URL).Ask(t.Context(), question())
			var known *llm.Error
			if !errors.As(err, &known) || !errors.Is(err, c.kind) || known.Permanent != c.permanent || !strings.Contains(err.Error(), c.says) {
				t.Errorf("err = %v (%+v), want %v, permanent %t, saying %q", err, known, c.kind, c.permanent, c.says)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key stands in %q", err)
			}
		})
	}
}

func TestConnectionsThatDie(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if _, err := backend(t, "http://"+closed.Addr().String()).Ask(t.Context(), question()); !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody listens: %v", err)
	}
	for name, c := range map[string]struct {
		write string
		kind  error
	}{
		"before an answer": {"", llm.ErrUnavailable},
		"within an answer": {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"choices\":[", llm.ErrTruncated},
	} {
		e := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ sent) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, c.write)
			conn.Close()
		})
		if _, err := backend(t, e.URL).Ask(t.Context(), question()); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head bool // the endpoint sends its headers and then nothing
		how  func(ctx context.Context) (context.Context, context.CancelFunc)
		kind error
	}{
		"deadline, nothing comes": {false, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, llm.ErrTimeout},
		"deadline within the body": {true, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, llm.ErrTimeout},
	} {
		done := make(chan struct{})
		e := serve(t, func(w http.ResponseWriter, r *http.Request, _ int, _ sent) {
			if c.head {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"choices":`)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
			close(done)
		})
		ctx, cancel := c.how(t.Context())
		_, err := backend(t, e.URL).Ask(ctx, question())
		cancel()
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
		<-done // the endpoint sees that nobody listens any more
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int, _ sent) { cancel(); <-r.Context().Done() })
	var known *llm.Error
	if _, err := backend(t, e.URL).Ask(ctx, question()); !errors.As(err, &known) || !known.Permanent {
		t.Errorf("canceled: %v", err)
	}
}

func TestNoProxyOfTheEnvironment(t *testing.T) {
	proxy := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ sent) { say(w, 200, content("{}")) })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	// not loopback by name, so that a proxy of the environment would apply, but nobody is there
	if _, err := backend(t, "http://0.0.0.0:1").Ask(t.Context(), question()); !errors.Is(err, llm.ErrUnavailable) || len(proxy.seen) != 0 {
		t.Errorf("%v, %d requests reached the proxy", err, len(proxy.seen))
	}
	b, err := openai.New(openai.Options{BaseURL: "http://0.0.0.0:1/v1", Proxy: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if _, err := b.Ask(t.Context(), question()); err != nil || len(proxy.seen) != 1 || proxy.seen[0].auth != "" {
		t.Errorf("%v, the proxy that was asked for saw %v", err, proxy.seen)
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "localhost:8080", "ftp://x/v1", "http://user:pass-" + key + "@x/v1", "http://x/v1?key=" + key, "http://[::1", "file:///etc"} {
		if _, err := openai.New(openai.Options{BaseURL: url}); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("address %q: %v", url, err)
		}
	}
	for _, o := range []openai.Options{{BaseURL: "http://x/v1", Key: "a\nb"}, {BaseURL: "http://x/v1", Proxy: "nonsense"}} {
		if _, err := openai.New(o); err == nil {
			t.Errorf("options %+v were taken", o)
		}
	}
}
