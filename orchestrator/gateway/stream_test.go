package gateway_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

// fast gives the deadlines of tests in which they are to pass.
func fast(o *gateway.Options) {
	o.Idle, o.FirstByte = 50*time.Millisecond, 50*time.Millisecond
}

func TestAStreamThatEndsAnywhereIsNeverTakenForWhole(t *testing.T) {
	t.Parallel()
	cuts := len(streamed)
	w := serve(t, raw(t, func(_ int, c net.Conn, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		var at int
		_, _ = fmt.Sscanf(string(b[bytes.LastIndexByte(b, ',')+1:]), `"at":%d}`, &at)
		write(c, head, streamed[:at])
	}))
	for at := len(evStart); at <= cuts; at++ {
		got := w.post(ask[:len(ask)-1] + fmt.Sprintf(`,"at":%d}`, at))
		switch {
		case at == cuts:
			want(t, "whole stream", got.body, streamed)
			continue
		case got.err != nil || got.status != 200:
			t.Fatalf("cut at %d: %d %v", at, got.status, got.err)
		}
		events := strings.SplitAfter(streamed[:at], "\n\n")
		last := got.body[strings.LastIndex(got.body[:len(got.body)-2], "\n\n")+2:]
		kept := strings.TrimSuffix(got.body, last)
		if strings.Contains(kept, "event: error") || !strings.HasPrefix(last, "event: error\ndata: {") || strings.Contains(got.body, "event: message_stop") {
			t.Fatalf("cut at %d:\n%s", at, got.body)
		}
		if sent := strings.Join(events[:len(events)-1], ""); kept != sent {
			t.Fatalf("cut at %d: kept\n%q\nof\n%q", at, kept, sent)
		}
	}
	s := w.Stats()
	want(t, "cut, served", []any{s.Cut, s.Served}, []any{cuts - len(evStart), 1})
	for _, r := range w.replies() {
		if want := r.Message == "msg_1" && r.Usage.Input == 11; !want {
			t.Fatalf("reply %+v", r)
		}
	}
}

func TestAStreamThatEndsBeforeItsFirstEventIsTriedAgainUnseen(t *testing.T) {
	t.Parallel()
	for at := range len(evPing) + len(evStart) {
		if at%23 != 0 && at < len(evPing)+len(evStart)-3 {
			continue
		}
		t.Run(strconv.Itoa(at), func(t *testing.T) {
			t.Parallel()
			w := serve(t, raw(t, func(n int, c net.Conn, _ *http.Request) {
				if n == 1 {
					write(c, head, (evPing + evStart)[:at])
					return
				}
				write(c, head, streamed)
			}))
			got := w.post(ask)
			want(t, fmt.Sprintf("stream after a cut at %d", at), got.body, streamed)
			want(t, "tries", w.Stats().Tries, 2)
		})
	}
}

// TestBytesInAreBytesOut is the property: whatever a complete stream looks like and however it is cut, it passes unchanged.
func TestBytesInAreBytesOut(t *testing.T) {
	t.Parallel()
	var pieces []string
	w := serve(t, raw(t, func(_ int, c net.Conn, _ *http.Request) {
		write(c, head)
		for _, p := range pieces {
			write(c, p)
		}
	}))
	rapid.Check(t, func(r *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(r, "line end")
		junk := rapid.SampledFrom([]string{"", ":\n\n", ": comment\n\n", "id: 7\n\n", "retry: 10\n\n", evPing, "event: new_kind\ndata: {\"type\":\"new_kind\"}\n\n", "data: {}\n\n", "\n", "data\ndata\n\n", "event: vendor\ndata: not json\n\n", evOpen, evText})
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"", evPing, ": hi\n\n", "\xef\xbb\xbf"}).Draw(r, "before"))
		for _, e := range []string{evStart, evOpen, evText, evClose, evDelta} {
			b.WriteString(e)
			b.WriteString(junk.Draw(r, "junk"))
		}
		b.WriteString(evStop)
		b.WriteString(rapid.SampledFrom([]string{"", evPing, "data: half", ": x", evStart}).Draw(r, "after"))
		stream := strings.ReplaceAll(b.String(), "\n", end)
		pieces = nil
		for rest := stream; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "piece")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got := w.post(ask); got.body != stream || got.err != nil {
			r.Fatalf("in\n%q\nout\n%q (%v)", stream, got.body, got.err)
		}
	})
}

func TestErrorsInPlaceOfAnAnswerAreTriedAgain(t *testing.T) {
	t.Parallel()
	type answer = func(http.ResponseWriter)
	sse := func(kind string) answer {
		return func(w http.ResponseWriter) {
			say(w, evPing, ": x\n\n", `event: error`+"\n"+`data: {"type":"error","error":{"type":"`+kind+`","message":"m"}}`+"\n\n")
		}
	}
	document := func(kind string) answer {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"`+kind+`","message":"m"}}`)
		}
	}
	for _, c := range []struct {
		name  string
		first answer
		tries int64
		shows string
	}{
		{"overloaded event", sse("overloaded_error"), 2, streamed},
		{"api error event", sse("api_error"), 2, streamed},
		{"limit event", sse("rate_limit_error"), 2, streamed},
		{"time-out event", sse("timeout_error"), 2, streamed},
		{"a refusal as an event is passed on", sse("invalid_request_error"), 1, "invalid_request_error"},
		{"an unknown error is passed on", sse("what_error"), 1, "what_error"},
		{"overloaded document", document("overloaded_error"), 2, streamed},
		{"limit document", document("rate_limit_error"), 2, streamed},
		{"a refusal as a document is passed on", document("permission_error"), 1, "permission_error"},
		{"nameless error", func(w http.ResponseWriter) {
			say(w, "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n")
		}, 2, streamed},
		{"no events", func(w http.ResponseWriter) { say(w) }, 2, streamed},
		{"comments only", func(w http.ResponseWriter) { say(w, ": a\n\n", evPing) }, 2, streamed},
		{"a tunnel's page", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html>data: ")
		}, 2, streamed},
		{"no content type, text", func(w http.ResponseWriter) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "Hello")
		}, 2, streamed},
		{"no content type, events", func(w http.ResponseWriter) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, streamed)
		}, 1, streamed},
		{"no content", func(w http.ResponseWriter) { w.WriteHeader(204) }, 2, streamed},
		{"half a document", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, whole[:30])
		}, 2, streamed},
		{"unasked brotli", func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "br"); say(w, streamed) }, 2, streamed},
		{"false gzip", func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip"); say(w, streamed) }, 2, streamed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			w := serve(t, api(t, func(rw http.ResponseWriter, _ *http.Request) {
				if n++; n == 1 {
					c.first(rw)
					return
				}
				say(rw, streamed)
			}))
			got := w.post(ask)
			if !strings.Contains(got.body, c.shows) || w.Stats().Tries != c.tries {
				t.Errorf("%d after %d tries: %s", got.status, w.Stats().Tries, got.body)
			}
		})
	}
}

func TestUnaskedGzipIsUndone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{streamed, whole} {
		w := serve(t, api(t, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			rw.Header().Set("Content-Type", "text/event-stream")
			if text == whole {
				rw.Header().Set("Content-Type", "application/json")
			}
			z := gzip.NewWriter(rw)
			for i := range len(text) {
				_, _ = z.Write([]byte{text[i]})
				if i%50 == 0 {
					_ = z.Flush()
				}
			}
			_ = z.Close()
		}))
		got := w.post(ask)
		want(t, "answer", []any{got.body, got.header.Get("Content-Encoding")}, []any{text, ""})
	}
	// Cut in the middle of the compressed stream.
	w := serve(t, api(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Header().Set("Content-Type", "text/event-stream")
		z := gzip.NewWriter(rw)
		_, _ = io.WriteString(z, evStart+evOpen)
		_ = z.Flush()
		_ = http.NewResponseController(rw).Flush()
	}))
	if got := w.post(ask); !strings.HasPrefix(got.body, evStart+evOpen+"event: error") {
		t.Errorf("cut gzip: %s", got.body)
	}
}

func TestASilentEndpointIsLeft(t *testing.T) {
	t.Parallel()
	for name, pieces := range map[string][]string{
		"no status":          nil,
		"half a status":      {"HTTP/1.1 20"},
		"only a header":      {head},
		"pings for ever":     {head, evPing},
		"half a first event": {head, evStart[:40]},
	} {
		t.Run("before the answer: "+name, func(t *testing.T) {
			t.Parallel()
			w := serve(t, raw(t, func(n int, c net.Conn, _ *http.Request) {
				if n > 1 {
					write(c, head, streamed)
					return
				}
				write(c, pieces...)
				_, _ = c.Read(make([]byte, 1)) // until the gateway hangs up
			}), fast)
			want(t, "stream", w.post(ask).body, streamed)
			w.await(gateway.EventStall)
		})
	}
	t.Run("in the answer", func(t *testing.T) {
		t.Parallel()
		w := serve(t, raw(t, func(_ int, c net.Conn, _ *http.Request) {
			write(c, head, evStart, evOpen[:10])
			_, _ = c.Read(make([]byte, 1))
		}), fast)
		got := w.post(ask)
		if !strings.HasPrefix(got.body, evStart+"event: error\n") || !strings.Contains(got.body, "overloaded_error") {
			t.Errorf("body %s", got.body)
		}
		w.await(gateway.EventStall)
		w.await(gateway.EventCut)
	})
	t.Run("behind the answer", func(t *testing.T) {
		t.Parallel()
		w := serve(t, raw(t, func(_ int, c net.Conn, _ *http.Request) {
			write(c, head, streamed)
			_, _ = c.Read(make([]byte, 1))
		}))
		want(t, "stream", w.post(ask).body, streamed)
		want(t, "events", w.kinds(), "[]")
	})
}

func TestHostileEndpoints(t *testing.T) {
	t.Parallel()
	for name, pieces := range map[string][]string{
		"garbage":              {"\x00\x01\x02\r\n\r\n"},
		"nothing":              {},
		"another protocol":     {"SSH-2.0-OpenSSH_9.2\r\n"},
		"huge header":          {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n"},
		"many headers":         {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 300_000) + "\r\n"},
		"bad chunk":            {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"},
		"two lengths":          {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"},
		"too short":            {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n" + whole},
		"endless 1xx":          {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 30_000)},
		"a stream of no event": {head, strings.Repeat("x", 10<<20)},
		"switching protocols":  {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"},
		"proxy authentication": {"HTTP/1.1 502 Bad\r\nConnection: close\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serve(t, raw(t, func(n int, c net.Conn, _ *http.Request) {
				if n == 1 {
					write(c, pieces...)
					return
				}
				write(c, head, streamed)
			}))
			got := w.post(ask)
			want(t, "stream", []any{got.body, w.Stats().Tries}, []any{streamed, 2})
		})
	}
	for name, pieces := range map[string][]string{
		"HTTP/1.0 without a length": {"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", streamed},
		"after hints":               {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n", head, streamed},
		"byte by byte":              append([]string{head}, strings.Split(streamed, "")...),
		"with a trailer":            {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\nX-T: 1\r\n\r\n", len(streamed), streamed)},
	} {
		t.Run("odd but right: "+name, func(t *testing.T) {
			t.Parallel()
			w := serve(t, raw(t, func(_ int, c net.Conn, _ *http.Request) { write(c, pieces...) }))
			got := w.post(ask)
			want(t, "stream", []any{got.body, w.Stats().Tries}, []any{streamed, 1})
		})
	}
}

func TestAStoredStreamThatDiesIsTriedAgainUnseen(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{
		"in a tool call": evStart + evOpen, "half an event": evStart + evOpen[:30], "error in the middle": evStart + evOpen + evText + evFault,
		"before the stop": strings.TrimSuffix(streamed, evStop),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serve(t, raw(t, func(n int, c net.Conn, _ *http.Request) {
				write(c, head)
				if n == 1 {
					write(c, first)
					return
				}
				write(c, streamed)
			}), func(o *gateway.Options) { o.Store = true })
			got := w.post(ask)
			want(t, "stream", []any{got.body, w.Stats().Tries, w.has(gateway.EventCut)}, []any{streamed, 2, false})
			r := w.replies()
			if len(r) != 2 || r[0].Complete || !r[1].Complete || r[0].Usage.Input != 11 {
				t.Errorf("replies %+v: both used tokens", r)
			}
		})
	}
}

func TestPingsKeepAWaitingClient(t *testing.T) {
	t.Parallel()
	for _, store := range []bool{false, true} {
		release := make(chan struct{})
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			if store {
				say(rw, evStart, evOpen)
			}
			<-release
			if store {
				say(rw, strings.TrimPrefix(streamed, evStart+evPing+evOpen))
				return
			}
			say(rw, streamed)
		}), func(o *gateway.Options) { o.Ping, o.Store = 5*time.Millisecond, store })
		resp, err := w.client.Do(w.request("POST", "/v1/messages", ask))
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 3*len(evPing))
		if _, err := io.ReadFull(resp.Body, buf); err != nil || string(buf) != strings.Repeat(evPing, 3) {
			t.Fatalf("while waiting: %q %v", buf, err)
		}
		close(release)
		rest, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		text := strings.TrimLeft(strings.ReplaceAll(string(rest), evPing, ""), "\n")
		if err != nil || text != strings.ReplaceAll(streamed, evPing, "") {
			t.Errorf("store %v: %q %v", store, rest, err)
		}
	}
}

func TestAFailureBehindPingsIsAnErrorEvent(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]string{400: "invalid_request_error", 401: "authentication_error", 529: "overloaded_error", 502: "overloaded_error"} {
		release := make(chan struct{})
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			<-release
			rw.Header().Set("X-Should-Retry", "false")
			rw.WriteHeader(status)
			_, _ = io.WriteString(rw, "{\"type\":\"error\",\n\"error\":{\"type\":\""+map[bool]string{true: kind, false: "api_error"}[status != 502]+"\",\"message\":\"a\\nb\"}}")
		}), func(o *gateway.Options) { o.Ping = time.Millisecond })
		resp, err := w.client.Do(w.request("POST", "/v1/messages", ask))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(resp.Body, make([]byte, len(evPing)))
		close(release)
		rest, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		text := strings.ReplaceAll(string(rest), evPing, "")
		if !strings.HasPrefix(text, "event: error\ndata: {") || !strings.Contains(text, `"`+kind+`"`) || strings.Count(text, "\n") != 3 {
			t.Errorf("status %d: %q", status, text)
		}
	}
}

func TestAClientThatGoesAwayStopsTheEndpoint(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"", evStart} {
		arrived, stopped := make(chan struct{}), make(chan struct{})
		w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
			close(arrived)
			if sent != "" {
				say(rw, sent)
			}
			<-r.Context().Done()
			close(stopped)
		}))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			resp, err := w.client.Do(w.request("POST", "/v1/messages", ask).WithContext(ctx))
			if err == nil {
				_, _ = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
		}()
		<-arrived
		cancel()
		<-done
		<-stopped
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	t.Parallel()
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
		say(rw, evStart)
		<-r.Context().Done()
	}))
	resp, err := w.client.Do(w.request("POST", "/v1/messages", ask))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, len(evStart))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(resp.Body); err == nil && !strings.HasPrefix(string(rest), "event: error") {
		t.Errorf("the stream ended well after %q", rest)
	}
}

func TestAStreamOutOfOrderPassesAndIsReported(t *testing.T) {
	t.Parallel()
	text := evStart + evStart + evText + evDelta + evStop
	w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) { say(rw, text) }))
	want(t, "stream", w.post(ask).body, text)
	if e := w.await(gateway.EventGrammar); !strings.Contains(e.Detail, "second message_start") {
		t.Errorf("detail %q", e.Detail)
	}
}

func TestEndpointsThatSpeakHTTP2(t *testing.T) {
	t.Parallel()
	n := 0
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		want(t, "protocol", r.Proto, "HTTP/2.0")
		if n++; n == 1 {
			rw.Header().Set("Retry-After", "0")
			rw.WriteHeader(529)
			return
		}
		say(rw, evStart)
		if n == 2 {
			panic(http.ErrAbortHandler) // resets the stream
		}
		say(rw, strings.TrimPrefix(streamed, evStart))
	}))
	up.EnableHTTP2 = true
	up.StartTLS()
	t.Cleanup(up.Close)
	tr := up.Client().Transport.(*http.Transport)
	t.Cleanup(tr.CloseIdleConnections)
	w := serve(t, up.URL, func(o *gateway.Options) { o.Transport = tr })
	if got := w.post(ask); !strings.HasPrefix(got.body, evStart+"event: error\n") {
		t.Errorf("a stream that was reset: %q", got.body)
	}
	want(t, "stream", w.post(ask).body, streamed)
}

// TestAnswersThatComeBeforeTheRequestIsReadAreWhole is golang/go#40747: stock proxies cut three of a hundred of these.
func TestAnswersThatComeBeforeTheRequestIsReadAreWhole(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("busy") != "" {
			rw.Header().Set("X-Should-Retry", "false")
			rw.WriteHeader(529)
			_, _ = io.WriteString(rw, streamed)
			return
		}
		rw.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(rw, streamed)
	}))
	t.Cleanup(up.Close)
	w := serve(t, up.URL)
	for i := range 600 {
		body := ask[:len(ask)-1] + strings.Repeat(" ", i*300) + "}"
		if got := w.post(body); got.body != streamed || got.err != nil {
			t.Fatalf("stream %d: %q %v", i, got.body, got.err)
		}
		if got := w.do(w.request("POST", "/v1/messages?busy=1", body)); got.status != 529 || got.body != streamed || got.err != nil {
			t.Fatalf("refusal %d: %d %q %v", i, got.status, got.body, got.err)
		}
	}
}
