package gateway_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

func TestAStreamPassesUnchanged(t *testing.T) {
	t.Parallel()
	var seen http.Header
	var body string
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen, body = r.Header.Clone(), string(b)
		want(t, "path", r.URL.String(), "/v1/messages?beta=true")
		rw.Header().Add("Request-Id", "req_1")
		rw.Header().Add("X-Twice", "a")
		rw.Header().Add("X-Twice", "b")
		rw.Header().Set("Keep-Alive", "timeout=5")
		rw.Header().Set("Connection", "X-Hop")
		rw.Header().Set("X-Hop", "1")
		say(rw, streamed)
	}))
	got := w.do(w.request("POST", "/v1/messages?beta=true", ask, func(r *http.Request) {
		r.Header.Set("Accept-Encoding", "gzip, br, zstd")
		r.Header.Set("Anthropic-Beta", "a,b")
		r.Header.Set("Te", "trailers")
		r.Header.Set("Connection", "X-Mine")
		r.Header.Set("X-Mine", "1")
		r.Header.Set("Proxy-Authorization", "Basic x")
		r.Header.Set("Cookie", "a=b")
		r.Header.Set("Authorization", "Bearer other")
	}))
	want(t, "status", got.status, 200)
	want(t, "stream", got.body, streamed)
	want(t, "duplicate headers", got.header["X-Twice"], []string{"a", "b"})
	want(t, "request id", got.header.Get("Request-Id"), "req_1")
	for _, name := range []string{"Keep-Alive", "X-Hop"} {
		if got.header.Get(name) != "" {
			t.Errorf("header %s of the connection reached the client", name)
		}
	}
	want(t, "body", body, ask)
	want(t, "key", seen.Get("X-Api-Key"), key)
	want(t, "coding", seen.Get("Accept-Encoding"), "identity")
	want(t, "beta", seen.Get("Anthropic-Beta"), "a,b")
	for _, name := range []string{"Authorization", "Te", "X-Mine", "Proxy-Authorization", "Cookie", "Connection"} {
		if v := seen.Get(name); v != "" {
			t.Errorf("header %s: %s reached the endpoint", name, v)
		}
	}
	r := w.replies()
	if len(r) != 1 {
		t.Fatalf("%d replies, want 1", len(r))
	}
	want(t, "usage", r[0].Usage, gateway.Usage{Input: 11, Output: 42, CacheRead: 7, CacheWrite: 5, Requests: 1})
	want(t, "reply", []any{r[0].Message, r[0].Model, r[0].Stop, r[0].Complete, r[0].Streamed, r[0].Endpoint, r[0].Priced}, []any{"msg_1", "m-1", "end_turn", true, true, "one", false})
	s := w.Stats()
	want(t, "stats", []any{s.Requests, s.Tries, s.Served, s.Failures, s.Cut, s.BytesIn, s.BytesOut, s.Endpoint}, []any{1, 1, 1, 0, 0, len(ask), len(streamed), "one"})
}

func TestAWholeAnswerPassesAndIsPriced(t *testing.T) {
	t.Parallel()
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		want(t, "bearer", r.Header.Get("Authorization"), "Bearer "+key)
		want(t, "x-api-key", r.Header.Get("X-Api-Key"), "")
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, whole)
	}))
	w.swap(func(e *gateway.Endpoint) {
		e.Auth, e.Prices = "bearer", &gateway.Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	})
	got := w.post(plain)
	want(t, "body", got.body, whole)
	want(t, "length", got.header.Get("Content-Length"), strconv.Itoa(len(whole)))
	r := w.replies()[0]
	want(t, "reply", []any{r.Usage, r.Priced, r.Streamed, r.Complete}, []any{gateway.Usage{Input: 3, Output: 4, Requests: 1}, true, false, true})
	if d := r.CostUSD - (3*3+4*15)/1e6; d > 1e-12 || d < -1e-12 {
		t.Errorf("cost %v", r.CostUSD)
	}
	want(t, "cost in stats", w.Stats().CostUSD, r.CostUSD)
}

func TestTheSocketIsForTheWorkerAlone(t *testing.T) {
	t.Parallel()
	asked := 0
	w := serve(t, api(t, func(http.ResponseWriter, *http.Request) { asked++ }))
	info, err := os.Lstat(w.socket)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "mode", info.Mode(), fs.ModeSocket|0o600)
	if _, err := gateway.Start(gateway.Options{Socket: w.socket, Token: token, Upstream: w.endpoint}); !errors.Is(err, gateway.ErrServed) {
		t.Errorf("a second gateway on the socket: %v", err)
	}
	for name, auth := range map[string]func(*http.Request){
		"none":            func(r *http.Request) { r.Header.Del("X-Api-Key") },
		"empty":           func(r *http.Request) { r.Header.Set("X-Api-Key", "") },
		"other":           func(r *http.Request) { r.Header.Set("X-Api-Key", token+"x") },
		"shorter":         func(r *http.Request) { r.Header.Set("X-Api-Key", token[:4]) },
		"the real key":    func(r *http.Request) { r.Header.Set("X-Api-Key", key) },
		"basic":           func(r *http.Request) { r.Header.Del("X-Api-Key"); r.Header.Set("Authorization", "Basic "+token) },
		"bearer of other": func(r *http.Request) { r.Header.Del("X-Api-Key"); r.Header.Set("Authorization", "Bearer x") },
	} {
		for _, path := range []string{"/v1/messages", "/v1/models", "/", "/nosuch"} {
			if got := w.do(w.request("POST", path, ask, auth)); got.status != 401 {
				t.Errorf("%s at %s: status %d, want 401", name, path, got.status)
			}
		}
		if got := w.do(w.request("HEAD", "/", "", auth)); got.status != 401 {
			t.Errorf("HEAD / with token %s: status %d, want 401", name, got.status)
		}
	}
	want(t, "times the endpoint was asked", asked, 0)
	want(t, "status with bearer", w.do(w.request("HEAD", "/", "", func(r *http.Request) {
		r.Header.Del("X-Api-Key")
		r.Header.Set("Authorization", "bearer "+token)
	})).status, 200)
}

func TestOnlyThePathsOfTheClientExist(t *testing.T) {
	t.Parallel()
	asked := 0
	w := serve(t, api(t, func(http.ResponseWriter, *http.Request) { asked++ }))
	for _, c := range [][2]string{
		{"POST", "/_devflock/upstream"}, {"GET", "/_devflock/stats"}, {"POST", "/v1/messages/batches"}, {"GET", "/v1/messages"}, {"POST", "/v1/messages/"},
		{"POST", "/v1/complete"}, {"DELETE", "/v1/models/x"}, {"POST", "/v1/files"}, {"GET", "/v1/organizations/api_keys"}, {"POST", "//v1/messages"},
		{"POST", "/v1/../v1/messages"}, {"POST", "/v1/%6dessages"}, {"GET", "/v1/models/..%2f..%2fx"}, {"GET", "/v1/models/a/b"}, {"GET", "/v1/models/%2e%2e"}, {"POST", "/"}, {"PUT", "/v1/messages"},
	} {
		if got := w.do(w.request(c[0], c[1], ask)); got.status != 404 || !strings.Contains(got.body, "not_found_error") {
			t.Errorf("%s %s: %d %s", c[0], c[1], got.status, got.body)
		}
	}
	want(t, "times the endpoint was asked", asked, 0)
	want(t, "refused", w.Stats().Refused, 17)
}

func TestNothingThatTheWorkerSeesHoldsTheKey(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"error body and header": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("X-Echo", "key "+r.Header.Get("X-Api-Key"))
			rw.WriteHeader(401)
			_, _ = io.WriteString(rw, "invalid key "+r.Header.Get("X-Api-Key"))
		},
		"redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "https://user:"+key+"@elsewhere.invalid/p?key="+key, http.StatusTemporaryRedirect)
		},
		"error with status 200": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, `{"type":"error","error":{"type":"invalid_request_error","message":"`+key+`"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serve(t, api(t, answer))
			got := w.post(ask)
			dump, err := json.Marshal(map[string]any{"h": got.header, "events": w.events, "stats": w.Stats(), "replies": w.replies()})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(got.body+string(dump), key) {
				t.Errorf("the key is in %s\n%s", got.body, dump)
			}
			if got.status < 400 {
				t.Errorf("status %d %s", got.status, got.body)
			}
		})
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	followed := 0
	other := api(t, func(http.ResponseWriter, *http.Request) { followed++ })
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, other+"/v1/messages", http.StatusPermanentRedirect)
	}))
	got := w.post(ask)
	want(t, "status and hint", []any{got.status, strings.Contains(got.body, other), got.header.Get("X-Should-Retry"), followed}, []any{502, true, "false", 0})
}

func TestBodiesOfAnySize(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var sizes []int
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		sizes = append(sizes, len(b))
		mu.Unlock()
		want(t, "announced length", r.ContentLength, len(b))
		say(rw, streamed)
	}))
	for _, size := range []int{len(ask), 100 << 10, 9 << 20} {
		body := ask[:len(ask)-1] + strings.Repeat(" ", size-len(ask)) + "}"
		want(t, "stream", w.post(body).body, streamed)
		chunked := w.request("POST", "/v1/messages", "")
		chunked.Body, chunked.ContentLength = io.NopCloser(strings.NewReader(body)), -1
		want(t, "stream of a chunked request", w.do(chunked).body, streamed)
	}
	want(t, "sizes at the endpoint", sizes, []int{len(ask), len(ask), 100 << 10, 100 << 10, 9 << 20, 9 << 20})
	// One byte more than the limit: announced, it is refused before it is read.
	c, err := net.Dial("unix", w.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	write(c, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: "+token+"\r\nContent-Length: "+strconv.Itoa(gateway.MaxBody+1)+"\r\n\r\n")
	buf := make([]byte, 4096)
	n, err := c.Read(buf)
	if err != nil || !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 413 ") || !strings.Contains(string(buf[:n]), "request_too_large") {
		t.Errorf("answer to a body that is too large: %q %v", buf[:n], err)
	}
}

func TestBodiesThatAreNoRequest(t *testing.T) {
	t.Parallel()
	asked := 0
	w := serve(t, api(t, func(http.ResponseWriter, *http.Request) { asked++ }))
	for _, body := range []string{"", "null", "[]", "{", `{"a"`, `{"a":}`, `{"model":"x"}x`, "\x00\x01", `"x"`, `{"a":1,}`} {
		if got := w.post(body); got.status != 400 || !strings.Contains(got.body, "invalid_request_error") {
			t.Errorf("body %q: %d %s", body, got.status, got.body)
		}
	}
	want(t, "times the endpoint was asked", asked, 0)
}

func TestTheModelIsReplacedAndThePromptMadeEqual(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies = append(bodies, string(b))
		mu.Unlock()
		say(rw, streamed)
	}))
	w.swap(func(e *gateway.Endpoint) { e.Model = "local" })
	for _, digits := range []string{"0df", "e38"} {
		w.post(`{"model":"claude-x","stream":true,"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.197.` + digits + `; cc_entrypoint=sdk-cli;"},{"type":"text","text":"You"}]}`)
	}
	if len(bodies) != 2 || bodies[0] != bodies[1] || !strings.Contains(bodies[0], `"model":"local"`) || !strings.Contains(bodies[0], `{"type":"text","text":"You"}]}`) {
		t.Errorf("bodies of two sessions:\n%s", strings.Join(bodies, "\n"))
	}
}

func TestExpectedToolsAreWantedOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		asked++
		say(rw, streamed)
	}), func(o *gateway.Options) {
		o.Expect = []string{"mcp__devflow__ask_region", "mcp__devflow__request_change"}
	})
	tools := func(names ...string) string {
		var list []string
		for _, n := range names {
			list = append(list, `{"name":"`+n+`"}`)
		}
		return ask[:len(ask)-1] + `,"tools":[` + strings.Join(list, ",") + `]}`
	}
	want(t, "side request without tools", w.post(ask).status, 200)
	want(t, "side request with an empty list", w.post(tools()).status, 200)
	got := w.post(tools("Bash", "mcp__devflow__ask_region"))
	want(t, "refused", []any{got.status, strings.Contains(got.body, "mcp__devflow__request_change"), strings.Contains(got.body, "ask_region"), asked}, []any{400, true, false, 2})
	w.await(gateway.EventTools)
	want(t, "complete", w.post(tools("mcp__devflow__request_change", "Bash", "mcp__devflow__ask_region")).status, 200)
	want(t, "later ones", w.post(tools("Bash")).status, 200)
	want(t, "asked", asked, 4)
}

func TestACapIsToldAndNotRetried(t *testing.T) {
	t.Parallel()
	asked := 0
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		asked++
		rw.Header().Set("Retry-After", "0")
		rw.WriteHeader(529)
	}), func(o *gateway.Options) {
		o.Allow = func() error {
			if asked == 2 {
				return errors.New("the token cap of the run is reached")
			}
			return nil
		}
	})
	got := w.post(ask)
	want(t, "answer", []any{got.status, strings.Contains(got.body, "billing_error"), strings.Contains(got.body, "the token cap of the run is reached"), got.header.Get("X-Should-Retry"), asked}, []any{402, true, true, "false", 2})
	w.await(gateway.EventCap)
}

func TestSideRequestsAreAnsweredWithoutTheEndpointWhereItLacksThem(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 405, 501, 401, 500} {
		asked := 0
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			asked++
			rw.Header().Set("Retry-After", "100")
			rw.Header().Set("X-Should-Retry", "false")
			rw.WriteHeader(status)
		}))
		w.swap(func(e *gateway.Endpoint) { e.Model = "local" })
		for range 2 {
			got := w.do(w.request("POST", "/v1/messages/count_tokens?beta=true", plain))
			want(t, "count", []any{got.status, got.body}, []any{200, `{"input_tokens":` + strconv.Itoa(len(plain)/4) + `}`})
			got = w.do(w.request("GET", "/v1/models", ""))
			if got.status != 200 || !strings.Contains(got.body, `"id":"local"`) {
				t.Errorf("models: %d %s", got.status, got.body)
			}
		}
		want(t, "one model", w.do(w.request("GET", "/v1/models/local", "")).status, 200)
		want(t, "another model", w.do(w.request("GET", "/v1/models/other", "")).status, 404)
		learned := status == 404 || status == 405 || status == 501
		if learned && asked != 4 || !learned && asked != 6 {
			t.Errorf("status %d: asked %d times", status, asked)
		}
	}
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"input_tokens":5}`)
	}))
	want(t, "count of the endpoint", w.do(w.request("POST", "/v1/messages/count_tokens", plain)).body, `{"input_tokens":5}`)
	want(t, "usage of side requests", len(w.replies()), 0)
	want(t, "head", w.do(w.request("HEAD", "/", "")).status, 200)
}

func TestSockets(t *testing.T) {
	t.Parallel()
	up := func() gateway.Endpoint { return gateway.Endpoint{} }
	start := func(path string) error {
		g, err := gateway.Start(gateway.Options{Socket: path, Token: token, Upstream: up})
		if err == nil {
			err = errors.Join(g.Close(), g.Close())
		}
		return err
	}
	dir, err := os.MkdirTemp("", "gw")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	stale := filepath.Join(dir, "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	want(t, "stale socket", start(stale), nil)
	if _, err := os.Lstat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := start(file); err == nil {
		t.Error("a file in the way was replaced")
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "x" {
		t.Errorf("the file: %q %v", b, err)
	}
	if err := start(filepath.Join(dir, strings.Repeat("x", 110))); !errors.Is(err, gateway.ErrSocketPath) {
		t.Errorf("long path: %v", err)
	}
	for _, o := range []gateway.Options{{}, {Socket: stale, Token: token}, {Socket: stale, Upstream: up}, {Token: token, Upstream: up}} {
		if _, err := gateway.Start(o); !errors.Is(err, gateway.ErrOptions) {
			t.Errorf("options %+v: %v", o, err)
		}
	}
}
