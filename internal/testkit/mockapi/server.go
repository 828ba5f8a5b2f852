package mockapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// Server answers on a loopback port of its own. Its methods are safe for concurrent use.
type Server struct {
	URL string // http://127.0.0.1:PORT, for ANTHROPIC_BASE_URL

	http *http.Server
	play *player
	mu   sync.Mutex
	seen []Request
	done chan struct{}
}

// Start listens on 127.0.0.1 and serves the script until [Server.Close]. Go sets TCP_NODELAY on every connection, so a streamed
// event is on its way as soon as it is flushed.
func Start(script Script) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), play: &player{script: script, next: map[string]int{}}, done: make(chan struct{})}
	s.http = &http.Server{Handler: s}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // always ErrServerClosed: Close is the only way out
	}()
	return s, nil
}

// New is [Start] for a test, which it ends when the server cannot listen; the server is closed with the test.
func New(tb testing.TB, script Script) *Server {
	tb.Helper()
	s, err := Start(script)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// Close drops all connections and waits for the listener. It may be called twice.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// Requests are all requests so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

// Talk are the requests of one conversation, "" being the main one.
func (s *Server) Talk(mark string) []Request {
	var out []Request
	for _, r := range s.Requests() {
		if r.Kind == Talk && r.Mark == mark {
			out = append(out, r)
		}
	}
	return out
}

// Overrun is the number of requests that came after the last step of their conversation.
func (s *Server) Overrun() int {
	s.play.mu.Lock()
	defer s.play.mu.Unlock()
	return s.play.over
}

// Skip makes the n-th step, counted from 0, the next one of a conversation, "" being the main one.
func (s *Server) Skip(mark string, n int) { s.play.skip(mark, n) }

func (s *Server) record(r Request) Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Kind == Talk {
		r.Mark = s.play.mark(r)
	}
	r.N = len(s.seen) + 1
	s.seen = append(s.seen, r)
	return r
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	body, err := io.ReadAll(hr.Body)
	if err != nil {
		return // the client went away
	}
	r := s.record(decode(hr, body))
	w.Header().Set("request-id", fmt.Sprintf("req_%04d", r.N))
	switch r.Kind {
	case Talk:
		s.answer(w, r, s.play.step(r))
	case Summary:
		s.answer(w, r, Say(s.play.summary()))
	case Side:
		s.answer(w, r, sideAnswer(r))
	case Count:
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": len(body) / 4}) // about four bytes a token
	default:
		s.other(w, hr)
	}
}

// sideAnswer suits both shapes of side request: a forced JSON answer with a title, or free text.
func sideAnswer(r Request) Step {
	if strings.Contains(string(r.Body), `"json_schema"`) {
		return Say(`{"title":"Scripted session","isNewTopic":false}`)
	}
	return Say("Scripted session")
}

func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodHead, r.URL.Path == "/":
		w.WriteHeader(http.StatusOK)
	case r.URL.Path == "/v1/models":
		writeJSON(w, http.StatusOK, map[string]any{"data": []any{}, "has_more": false, "first_id": nil, "last_id": nil})
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(Fail(http.StatusNotFound, "no such path").errorBody(w.Header().Get("request-id")))
	}
}

// MessageID is the id of the message that answers the n-th request, [Request.N].
func MessageID(n int) string { return fmt.Sprintf("msg_%04d", n) }

func (s *Server) answer(w http.ResponseWriter, r Request, step Step) {
	if step.Status != 0 && step.Status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(step.Status)
		_, _ = w.Write(step.errorBody(w.Header().Get("request-id")))
		return
	}
	m := message{id: MessageID(r.N), model: r.Model, step: step, usage: s.play.usage(step)}
	if s.play.script.Model != "" {
		m.model = s.play.script.Model
	}
	m.step.Blocks = append([]Block(nil), step.Blocks...)
	for i := range m.step.Blocks {
		if m.step.Blocks[i].Type == "tool_use" && m.step.Blocks[i].ID == "" {
			m.step.Blocks[i].ID = fmt.Sprintf("toolu_%04d_%d", r.N, i)
		}
	}
	if r.Stream {
		m.stream(w)
		return
	}
	writeJSON(w, http.StatusOK, m.whole())
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that went away is not our concern
}
