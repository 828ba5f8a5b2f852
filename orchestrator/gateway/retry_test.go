package gateway_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

// failing answers with a status, to be tried again at once, until the n-th request.
func failing(status, times int) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) > int64(times) {
			say(w, streamed)
			return
		}
		w.Header().Set("Retry-After", "0")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"api_error","message":"no"}}`)
	}
}

func TestStatusesThatAreTriedAgain(t *testing.T) {
	t.Parallel()
	again := map[int]bool{408: true, 425: true, 429: true, 500: true, 502: true, 503: true, 504: true, 520: true, 521: true, 522: true, 523: true, 524: true, 529: true, 530: true}
	for status := 400; status < 600; status++ {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			w := serve(t, api(t, failing(status, 3)))
			got := w.post(ask)
			if again[status] {
				want(t, "answer and tries", []any{got.status, got.body, w.Stats().Tries, w.Stats().Retries}, []any{200, streamed, 4, 3})
				return
			}
			want(t, "answer and tries", []any{got.status, w.Stats().Tries, w.Stats().Failures, w.has(gateway.EventRetry)}, []any{status, 1, 1, false})
		})
	}
}

func TestTheEndpointSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		header, value string
		least, most   time.Duration
	}{
		"seconds":      {"Retry-After", "70", 70 * time.Second, 73 * time.Second},
		"date":         {"Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second, 93 * time.Second},
		"milliseconds": {"Retry-After-Ms", "65000", 65 * time.Second, 68 * time.Second},
		"nonsense":     {"Retry-After", "soon", 0, time.Second},
		"negative":     {"Retry-After", "-5", 0, time.Second},
	} {
		for _, status := range []int{429, 500} {
			t.Run(fmt.Sprint(name, status), func(t *testing.T) {
				t.Parallel()
				n := 0
				w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
					if n++; n > 1 {
						say(rw, streamed)
						return
					}
					rw.Header().Set(c.header, c.value)
					rw.WriteHeader(status)
				}), func(o *gateway.Options) { o.Now = func() time.Time { return now } })
				done := make(chan got)
				go func() { done <- w.post(ask) }()
				e := w.await(gateway.EventRetry)
				if e.Wait < c.least-time.Second || e.Wait > c.most || e.Status != status {
					t.Errorf("event %+v, want a wait of %v", e, c.least)
				}
				// Somebody who replaces the endpoint ends the wait.
				w.swap(func(e *gateway.Endpoint) { e.Key += "2" })
				want(t, "stream", (<-done).body, streamed)
			})
		}
	}
}

func TestTheBudgetEndsWithTheLastWordOfTheEndpoint(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 500} {
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Retry-After", "3600")
			rw.Header().Set("Request-Id", "req_9")
			rw.WriteHeader(status)
			_, _ = io.WriteString(rw, "last word")
		}), func(o *gateway.Options) { o.Budget = 50 * time.Millisecond })
		got := w.post(ask)
		want(t, "answer", []any{got.status, got.body, got.header.Get("Request-Id"), got.header.Get("Retry-After")}, []any{status, "last word", "req_9", "3600"})
		w.await(gateway.EventGiveUp)
		s := w.Stats()
		want(t, "a failure is no success", []any{s.Failures, s.Served, s.LastOK.IsZero(), s.LastError != ""}, []any{1, 0, true, true})
	}
	// The client's own time-out counts, too.
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) { rw.WriteHeader(500) }))
	got := w.do(w.request("POST", "/v1/messages", ask, func(r *http.Request) { r.Header.Set("X-Stainless-Timeout", "0.1") }))
	want(t, "status", got.status, 500)
	// Nobody there at all.
	w = serve(t, "http://127.0.0.1:1", func(o *gateway.Options) { o.Budget = 50 * time.Millisecond })
	got = w.post(ask)
	if got.status != 502 || !strings.Contains(got.body, "endpoint one: dial: connect: connection refused") {
		t.Errorf("nobody: %d %s", got.status, got.body)
	}
	// An endpoint that is not usable.
	for _, url := range []string{"", "ftp://x", "http://", "http://u:p@h", "::"} {
		w = serve(t, url, func(o *gateway.Options) { o.Budget = 20 * time.Millisecond })
		if got := w.post(ask); got.status != 502 || strings.Contains(got.body, "u:p") {
			t.Errorf("url %q: %d %s", url, got.status, got.body)
		}
	}
}

func TestAnEndpointCanBeReplacedAtAnyMoment(t *testing.T) {
	t.Parallel()
	second := api(t, func(rw http.ResponseWriter, r *http.Request) {
		want(t, "key", r.Header.Get("X-Api-Key"), "second-key")
		say(rw, streamed)
	})
	swap := func(w *world) {
		w.swap(func(e *gateway.Endpoint) { *e = gateway.Endpoint{Name: "two", URL: second, Key: "second-key"} })
	}
	t.Run("while a refused connection is tried again", func(t *testing.T) {
		t.Parallel()
		w := serve(t, "http://127.0.0.1:1")
		done := make(chan got)
		go func() { done <- w.post(ask) }()
		w.await(gateway.EventRetry)
		swap(w)
		want(t, "stream", (<-done).body, streamed)
		w.await(gateway.EventSwap)
	})
	t.Run("while it is limited for an hour", func(t *testing.T) {
		t.Parallel()
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Retry-After", "3600")
			rw.WriteHeader(429)
		}))
		done := make(chan got)
		go func() { done <- w.post(ask) }()
		w.await(gateway.EventRetry)
		swap(w)
		want(t, "stream", (<-done).body, streamed)
	})
	t.Run("while it hangs", func(t *testing.T) {
		t.Parallel()
		for _, sent := range []string{"", head, head + evPing} {
			arrived := make(chan struct{})
			w := serve(t, raw(t, func(_ int, c net.Conn, _ *http.Request) {
				write(c, sent)
				close(arrived)
				_, _ = c.Read(make([]byte, 1))
			}))
			done := make(chan got)
			go func() { done <- w.post(ask) }()
			<-arrived
			swap(w)
			want(t, "stream", (<-done).body, streamed)
		}
	})
	t.Run("while others are before it", func(t *testing.T) {
		t.Parallel()
		release, arrived := make(chan struct{}), make(chan struct{})
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			say(rw, evStart)
			close(arrived)
			<-release
			say(rw, strings.TrimPrefix(streamed, evStart))
		}))
		w.swap(func(e *gateway.Endpoint) { e.Parallel = 1 })
		first, second := make(chan got), make(chan got)
		go func() { first <- w.post(ask) }()
		<-arrived
		go func() { second <- w.post(ask) }()
		w.await(gateway.EventWait)
		swap(w)
		want(t, "the one that waited", (<-second).body, streamed)
		close(release)
		want(t, "the one that was being answered", (<-first).body, streamed)
	})
	t.Run("without being told", func(t *testing.T) {
		t.Parallel()
		w := serve(t, "http://127.0.0.1:1", func(o *gateway.Options) { o.Changed = nil })
		done := make(chan got)
		go func() { done <- w.post(ask) }()
		w.await(gateway.EventRetry)
		swap(w)
		want(t, "stream", (<-done).body, streamed)
	})
	t.Run("prices and limits do not matter", func(t *testing.T) {
		t.Parallel()
		release, arrived := make(chan struct{}), make(chan struct{})
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-release
			say(rw, streamed)
		}))
		done := make(chan got)
		go func() { done <- w.post(ask) }()
		<-arrived
		w.swap(func(e *gateway.Endpoint) { e.Prices, e.Parallel, e.Window = &gateway.Prices{Input: 1}, 3, 9 })
		w.Wake()
		close(release)
		want(t, "stream and tries", []any{(<-done).body, w.Stats().Tries}, []any{streamed, 1})
	})
}

func TestAnEditOfTheFileReachesAWaitingRequest(t *testing.T) {
	t.Parallel()
	book, err := gateway.OpenBook(filepath.Join(t.TempDir(), "endpoints.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Set(gateway.Endpoint{Name: "worker", URL: "http://127.0.0.1:1", Key: key}); err != nil {
		t.Fatal(err)
	}
	w := serve(t, "", func(o *gateway.Options) {
		o.Upstream = func() gateway.Endpoint { e, _ := book.Endpoint("worker"); return e }
		o.Changed = book.Changed
	})
	done := make(chan got)
	go func() { done <- w.post(ask) }()
	w.await(gateway.EventRetry)
	if err := book.Set(gateway.Endpoint{Name: "worker", URL: api(t, failing(0, 0)), Key: key}); err != nil {
		t.Fatal(err)
	}
	want(t, "stream", (<-done).body, streamed)
}

func TestAConnectionThatBreaksIsTriedAgain(t *testing.T) {
	t.Parallel()
	n := 0
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		if n++; n < 3 {
			hangup(rw)
			return
		}
		say(rw, streamed)
	}))
	want(t, "stream and tries", []any{w.post(ask).body, w.Stats().Tries}, []any{streamed, 3})
}

func TestADeadEndpointIsToldOnceAndItsReturn(t *testing.T) {
	t.Parallel()
	w := serve(t, api(t, failing(530, 5)))
	want(t, "stream", w.post(ask).body, streamed)
	dead, alive := 0, 0
	for _, k := range w.kinds() {
		switch k {
		case gateway.EventDead:
			dead++
		case gateway.EventAlive:
			alive++
		}
	}
	want(t, "events dead, alive", []any{dead, alive, w.Stats().Dead}, []any{1, 1, false})
}

// TestTwelveWorkersAtALimitedEndpoint: twelve gateways start at once at an endpoint that takes three requests at a time and answers
// 429 to more. Every one gets its answer, and the endpoint is not stormed.
func TestTwelveWorkersAtALimitedEndpoint(t *testing.T) {
	t.Parallel()
	const workers, most, rounds = 12, 3, 4
	var mu sync.Mutex
	active, refused, served := 0, 0, 0
	url := api(t, func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		active++
		over := active > most
		if over {
			refused++
		} else {
			served++
		}
		mu.Unlock()
		defer func() { mu.Lock(); active--; mu.Unlock() }()
		if over {
			rw.Header().Set("Retry-After-Ms", "20")
			rw.WriteHeader(429)
			return
		}
		say(rw, evStart)
		time.Sleep(2 * time.Millisecond) // the time that an answer takes
		say(rw, strings.TrimPrefix(streamed, evStart))
	})
	gates := &gateway.Gates{}
	var wg sync.WaitGroup
	for range workers {
		w := serve(t, url, func(o *gateway.Options) { o.Gates = gates })
		wg.Go(func() {
			for range rounds {
				if got := w.post(ask); got.body != streamed {
					t.Errorf("%d %s", got.status, got.body)
				}
			}
		})
	}
	wg.Wait()
	if served != workers*rounds || refused > 2*workers*rounds { // about one each is what learning costs; without a gate there were dozens
		t.Errorf("served %d of %d, refused %d", served, workers*rounds, refused)
	}
	t.Logf("served %d, refused %d", served, refused)
}

func TestTheBoundOfAnEndpointIsKeptAcrossWorkers(t *testing.T) {
	t.Parallel()
	var active, peak atomic.Int64
	url := api(t, func(rw http.ResponseWriter, r *http.Request) {
		n := active.Add(1)
		defer active.Add(-1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		say(rw, streamed)
	})
	gates := &gateway.Gates{}
	var wg sync.WaitGroup
	for range 8 {
		w := serve(t, url, func(o *gateway.Options) { o.Gates = gates })
		w.swap(func(e *gateway.Endpoint) { e.Parallel = 2 })
		wg.Go(func() {
			for range 10 {
				want(t, "stream", w.post(ask).body, streamed)
			}
		})
	}
	wg.Wait()
	if peak.Load() > 2 {
		t.Errorf("%d requests at once, want at most 2", peak.Load())
	}
}

func TestChatCompletionsAreTranslated(t *testing.T) {
	t.Parallel()
	var body string
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
		want(t, "path and key", []any{r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("Anthropic-Beta")}, []any{"/v1/chat/completions", "Bearer " + key, ""})
		if strings.Contains(body, `"stream":true`) {
			say(rw, `data: {"id":"c1","model":"q","choices":[{"index":0,"delta":{"role":"assistant","content":"hi"}}]}`+"\n\n",
				`data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`+"\n\n", "data: [DONE]\n\n")
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"id":"c2","model":"q","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	}))
	w.swap(func(e *gateway.Endpoint) { e.API, e.Model = "openai", "q" })
	got := w.do(w.request("POST", "/v1/messages?beta=true", ask, func(r *http.Request) { r.Header.Set("Anthropic-Beta", "x") }))
	if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") || !strings.HasPrefix(got.body, "event: message_start\n") || !strings.HasSuffix(got.body, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n") {
		t.Errorf("stream: %d %s", got.status, got.body)
	}
	if got := w.post(plain); got.status != 200 || !strings.Contains(got.body, `"type":"message"`) {
		t.Errorf("whole: %d %s", got.status, got.body)
	}
	for _, r := range w.replies() {
		want(t, "usage", []any{r.Usage, r.Complete}, []any{gateway.Usage{Input: 9, Output: 2, Requests: 1}, true})
	}
	want(t, "replies", len(w.replies()), 2)
	want(t, "count", w.do(w.request("POST", "/v1/messages/count_tokens", plain)).status, 200)
	want(t, "models", w.do(w.request("GET", "/v1/models", "")).status, 200)
}

func TestAChatCompletionThatDies(t *testing.T) {
	t.Parallel()
	for name, first := range map[string][]string{
		"before anything": {head},
		"error first":     {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n", `{"error":{"message":"overloaded","type":"server_error","code":503}}`},
		"limited":         {"HTTP/1.1 429 Too Many\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serve(t, raw(t, func(n int, c net.Conn, _ *http.Request) {
				if n == 1 {
					write(c, first...)
					return
				}
				write(c, head, `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			}))
			w.swap(func(e *gateway.Endpoint) { e.API = "openai" })
			got := w.post(ask)
			want(t, "answer and tries", []any{got.status, strings.Contains(got.body, "event: message_stop"), w.Stats().Tries}, []any{200, true, 2})
		})
	}
	w := serve(t, raw(t, func(_ int, c net.Conn, _ *http.Request) {
		write(c, head, `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"hi"}}]}`+"\n\n")
	}))
	w.swap(func(e *gateway.Endpoint) { e.API = "openai" })
	got := w.post(ask)
	if strings.Contains(got.body, "message_stop\n") || !strings.Contains(got.body, "event: error\n") {
		t.Errorf("cut in the middle: %s", got.body)
	}
}
