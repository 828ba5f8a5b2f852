package wire_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const key = "sk-secret-0123456789"

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// server answers every request with the same bytes.
func server(api, kind string, status int, body string) wire.Server {
	return wire.Server{
		Base: "http://host", Key: key, Auth: "bearer", API: api, Model: "m", Now: time.Now,
		HTTP: wire.Client(&http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}, "Location": {body}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})}),
	}
}

func TestWhereAContextEnds(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000"}}`:                          8192,
		`{"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try increasing it","type":"x"}}`:    4096,
		`{"error":{"message":"request (5000 tokens) exceeds the available context size","type":"exceed_context_size_error","n_ctx":2048}}`: 2048,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`:         200000,
		`{"error":{"message":"the prompt exceeds the context window of 32768 tokens"}}`:                                                    32768,
		`{"error":{"message":"context length exceeded"}}`:                                                                                  0,
		`{"error":{"message":"maximum context length is 7 tokens"}}`:                                                                       0,
		`{"error":{"message":"maximum context length is 99999999999999999999 tokens"}}`:                                                    0,
	} {
		a := server("anthropic", "application/json", 400, body).Ask(t.Context(), []byte(`{}`), "", time.Minute, nil)
		if a.Failure == nil || a.Failure.Kind != wire.Context || a.Failure.Limit != want {
			t.Errorf("%s: %+v, want limit %d", body, a.Failure, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\r\n\tb":                           "a b",
		"\x1b[31mred\x1b[0m":                 "[31mred[0m",
		"key " + key + "!":                   "key [key]!",
		"bad \xff\xfe byte \u202e\u200b end": "bad byte end",
		strings.Repeat("ä", 1000):            strings.Repeat("ä", 150) + "…",
	} {
		if got := wire.Printable(in, key); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
	if got := wire.Printable("xylophone", "x"); got != "xylophone" {
		t.Errorf("a key of one letter: %q", got)
	}
}

func TestEveryFailureHasAnAdvice(t *testing.T) {
	t.Parallel()
	for _, k := range []wire.Kind{
		wire.Address, wire.Lookup, wire.Refused, wire.Network, wire.TLS, wire.Plain, wire.Silent, wire.Slow, wire.Cut, wire.Redirect, wire.Login, wire.Page, wire.Tunnel, wire.Type,
		wire.Giant, wire.Key, wire.Forbidden, wire.Billing, wire.Missing, wire.Model, wire.Refusal, wire.Context, wire.Busy, wire.Loading, wire.Fault,
	} {
		if f := (&wire.Failure{Kind: k}); f.Advice() == "" {
			t.Errorf("no advice for %s", k)
		}
	}
}

// Whatever a server sends: an answer or a failure, nothing that steers a terminal, and no key.
func FuzzAsk(f *testing.F) {
	f.Add("anthropic", "text/event-stream", 200, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
	f.Add("openai", "text/event-stream", 200, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n")
	f.Add("openai", "application/json", 200, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)
	f.Add("anthropic", "text/html", 502, "<html>ERR_NGROK_8012 "+key)
	f.Add("anthropic", "application/json", 302, "https://x.cloudflareaccess.com/"+key)
	f.Fuzz(func(t *testing.T, api, kind string, status int, body string) {
		if status < 100 || status > 999 || strings.ContainsAny(kind, "\r\n") {
			return
		}
		s := server(api, kind, status, body)
		for _, request := range []string{`{"stream":true,"model":"m","messages":[{"role":"user","content":"a"}]}`, `{"model":"m","messages":[{"role":"user","content":"a"}]}`} {
			a := s.Ask(t.Context(), []byte(request), "", time.Minute, nil)
			if a.Failure == nil {
				if status != http.StatusOK {
					t.Errorf("status %d is an answer", status)
				}
				continue
			}
			for _, text := range []string{a.Failure.Text, a.Failure.Where, a.Failure.Advice()} {
				if strings.Contains(text, key) || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 600 {
					t.Errorf("text %q", text)
				}
			}
			if a.Failure.Kind == "" {
				t.Errorf("a failure without a kind: %+v", a.Failure)
			}
		}
		if _, _, f := s.Get(t.Context(), "/x", time.Minute); f == nil && status != http.StatusOK {
			t.Errorf("GET with status %d is an answer", status)
		}
	})
}
