package upstream_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
	"github.com/devflow-suite/devflow/orchestrator/gateway/upstream"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	from := http.Header{"X-Api-Key": {"dummy"}, "Authorization": {"Bearer dummy"}, "Anthropic-Beta": {"a", "b"}, "Connection": {"close, x-one", "X-Two"}, "X-One": {"1"}, "X-Two": {"2"}, "Transfer-Encoding": {"chunked"}, "Accept-Encoding": {"br"}, "User-Agent": {"claude-cli"}}
	for name, c := range map[string]struct {
		e    endpoint.Endpoint
		want http.Header
	}{
		"key":    {endpoint.Endpoint{Key: "k"}, http.Header{"X-Api-Key": {"k"}, "Anthropic-Beta": {"a", "b"}}},
		"bearer": {endpoint.Endpoint{Key: "k", Auth: "bearer"}, http.Header{"Authorization": {"Bearer k"}, "Anthropic-Beta": {"a", "b"}}},
		"none":   {endpoint.Endpoint{Key: "k", Auth: "none"}, http.Header{"Anthropic-Beta": {"a", "b"}}},
		"no key": {endpoint.Endpoint{}, http.Header{"Anthropic-Beta": {"a", "b"}}},
		"openai": {endpoint.Endpoint{Key: "k", API: "openai"}, http.Header{"Authorization": {"Bearer k"}}},
	} {
		c.want["Accept-Encoding"], c.want["User-Agent"] = []string{"identity"}, []string{"claude-cli"}
		if diff := cmp.Diff(c.want, upstream.Headers(from, c.e)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if len(from) != 9 || from.Get("X-Api-Key") != "dummy" {
		t.Error("the client's own headers were changed")
	}
}

func TestTheKeyIsConcealed(t *testing.T) {
	t.Parallel()
	e := endpoint.Endpoint{Key: "sk-secret"}
	if got := string(upstream.Conceal([]byte("a sk-secret b sk-secret"), e)); got != "a *** b ***" {
		t.Error(got)
	}
	h := http.Header{"A": {"x", "k=sk-secret"}}
	if got := upstream.ConcealHeader(h, e); got["A"][1] != "k=***" || got["A"][0] != "x" {
		t.Error(got)
	}
	if got := string(upstream.Conceal([]byte("abc"), endpoint.Endpoint{Key: "a"})); got != "abc" {
		t.Error(got)
	}
}

// pieces reads a text in pieces of a size.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// TestPiecesOfABodyDoNotMatterForTheKey is the property of the reader that conceals: it gives what replacing the key in the whole gives,
// and everything at once that cannot be a part of it.
func TestPiecesOfABodyDoNotMatterForTheKey(t *testing.T) {
	t.Parallel()
	e := endpoint.Endpoint{Key: "sk-aab-aab-aac-0123456789/+"}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "parts") {
			text.WriteString(rapid.SampledFrom([]string{e.Key, e.Key[:7], e.Key[:20], e.Key[3:], "sk-aab-aab-aab-", "\n\n", "data: x", `sk-aab-aab-aac-0123456789\/+`, "sk-aab-aab-aac-0123456789%2F%2B", "s"}).Draw(t, "part"))
		}
		whole := text.String()
		r := &pieces{text: whole, size: rapid.IntRange(1, 40).Draw(t, "size")}
		got, err := io.ReadAll(upstream.Concealed(r, e))
		if err != nil || string(got) != upstream.ConcealText(whole, e) {
			t.Fatalf("%q becomes %q, want %q, %v", whole, got, upstream.ConcealText(whole, e), err)
		}
		if strings.Contains(string(got), e.Key) {
			t.Fatalf("the key is in %q", got)
		}
	})
	r, w := io.Pipe()
	defer r.Close()
	go func() { _, _ = io.WriteString(w, "data: s\n\n") }()
	b := make([]byte, 100)
	if n, err := upstream.Concealed(r, e).Read(b); err != nil || string(b[:n]) != "data: s\n\n" {
		t.Errorf("an event is held back: %q, %v", b[:n], err)
	}
	if body := strings.NewReader("none"); upstream.Concealed(body, endpoint.Endpoint{Key: "none"}) != io.Reader(body) {
		t.Error("a key that is a word is taken out of answers")
	}
}

// TestPiecesOfAChatCompletionDoNotMatter is the property of the translation as a reader.
func TestPiecesOfAChatCompletionDoNotMatter(t *testing.T) {
	t.Parallel()
	text := `data: {"id":"c","model":"q","choices":[{"delta":{"content":"hé"}}]}` + "\n\n" + `data: {"id":"c","choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	read := func(r io.Reader) string {
		out, err := io.ReadAll(upstream.Translate(r, openai.Options{Model: "q"}))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	whole := read(strings.NewReader(text))
	if !strings.HasSuffix(whole, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n") {
		t.Fatal(whole)
	}
	if got := read(iotest.OneByteReader(strings.NewReader(text))); got != whole {
		t.Error(got)
	}
	rapid.Check(t, func(r *rapid.T) {
		cut := rapid.IntRange(0, len(text)).Draw(r, "cut")
		got := read(io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:])))
		if got != whole {
			r.Fatalf("cut at %d: %s", cut, got)
		}
		half := read(strings.NewReader(text[:cut]))
		if cut < strings.Index(text, "finish_reason") && strings.Contains(half, "event: message_stop") {
			r.Fatalf("ended at %d, and a stop was made up: %s", cut, half)
		}
	})
}
