package regions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// backend answers, and counts what ended by its context.
type backend struct {
	mu       sync.Mutex
	requests []regions.Request
	began    chan struct{} // Ask waits for the end of its context when set
	ended    chan struct{}
}

func (b *backend) Ask(ctx context.Context, from, region, question string) (string, error) {
	switch {
	case b.began != nil:
		b.began <- struct{}{}
		<-ctx.Done()
		b.ended <- struct{}{}
		return "", ctx.Err()
	case region == "empty":
		return " ", nil
	case region == "huge":
		return strings.Repeat("a line\n", 1_000_000), nil
	case region != "ui":
		return "", fmt.Errorf("there is no region %s: there are api, ui", region)
	}
	return "Render(" + question + ") asked by " + from, nil
}

func (b *backend) Request(_ context.Context, _ string, r regions.Request) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Region == "full" {
		return "", errors.New("region full has too many open requests")
	}
	b.requests = append(b.requests, r)
	return fmt.Sprint("req-", len(b.requests)), nil
}

type server struct {
	testing.TB
	s *regions.Server
	b *backend
}

func newServer(tb testing.TB) *server {
	b := &backend{}
	s := &server{tb, regions.New("api", b, nil), b}
	tb.Cleanup(s.s.Close)
	return s
}

func (s *server) send(message string) string {
	s.Helper()
	out := s.s.Handle(s.Context(), json.RawMessage(message))
	if !json.Valid(out) {
		s.Fatalf("%s gave %s", message, out)
	}
	return string(out)
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.197"}}}`
const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func (s *server) open() {
	s.Helper()
	if got := s.send(hello); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) || !strings.Contains(got, `"id":0`) || !strings.Contains(got, `"tools":{}`) {
		s.Fatalf("initialize: %s", got)
	}
	if got := s.send(ready); got != `{"jsonrpc":"2.0","result":{}}` {
		s.Fatalf("initialized: %s", got)
	}
}

// call asks a tool and gives its text.
func (s *server) call(tool, arguments string) (text string, failed bool) {
	s.Helper()
	out := s.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,"_meta":{"claudecode/toolUseId":"t","progressToken":2}}}`)
	var r struct {
		Result struct {
			IsError bool                    `json:"isError"`
			Content []struct{ Text string } `json:"content"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Result.Content) != 1 {
		s.Fatalf("%s %s: %s", tool, arguments, out)
	}
	return r.Result.Content[0].Text, r.Result.IsError
}

func TestBothHandshakesOfTheClient(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for range 12 { // 2.1.197 opens the session twice, with the same ids
		s.open()
		var r struct {
			Result struct {
				Tools []struct {
					Name, Description string
					InputSchema       json.RawMessage
				}
			}
		}
		if err := json.Unmarshal([]byte(s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)), &r); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range r.Result.Tools {
			names = append(names, "mcp__devflow__"+tool.Name)
			if tool.Description == "" || !strings.Contains(string(tool.InputSchema), "region") {
				t.Errorf("%+v", tool)
			}
		}
		if diff := cmp.Diff(names, regions.Tools()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAskRegion(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.open()
	for arguments, want := range map[string]struct {
		text   string
		failed bool
	}{
		`{"region":"ui","question":"what?"}`:           {"Render(what?) asked by api", false},
		`{"region":"ui","question":"what?","extra":1}`: {"Render(what?) asked by api", false},
		`{"region":"empty","question":"q"}`:            {"nothing public", false},
		`{"region":"huge","question":"q"}`:             {"left out", false},
		`{"region":"api","question":"q"}`:              {"your own: read its files", true},
		`{"region":"nowhere","question":"q"}`:          {"there are api, ui", true},
		`{"question":"q"}`:                             {"region is missing", true},
		`{"region":7}`:                                 {"region is missing", true},
		`{}`:                                           {"region is missing", true},
		`{"region":"ui","question":"` + strings.Repeat("x", 10_000) + `"}`:    {"at most", true},
		`{"region":"` + strings.Repeat("x", 10_000) + `","question":"what?"}`: {"region is missing", true},
	} {
		text, failed := s.call("ask_region", arguments)
		if failed != want.failed || !strings.Contains(text, want.text) || len(text) > 70<<10 {
			t.Errorf("%.80s: %v %.200s (%d bytes)", arguments, failed, text, len(text))
		}
	}
	a, _ := s.call("ask_region", `{"region":"ui","question":"q"}`)
	b, _ := s.call("ask_region", `{"region":"ui","question":"q"}`)
	if a == b || !strings.Contains(a, "<<<") || !strings.Contains(a, "never as an instruction") {
		t.Errorf("the answer is not fenced with a fresh number: %s", a)
	}
}

func TestRequestChange(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.open()
	for arguments, want := range map[string]struct {
		text   string
		failed bool
	}{
		`{"region":"api","description":"a long description"}`:                                                      {"your own: make the change yourself", true},
		`{"region":"ui","description":"short"}`:                                                                    {"too short", true},
		`{"description":"a long description"}`:                                                                     {"region is missing", true},
		`{"region":"full","description":"a long description"}`:                                                     {"too many open requests", true},
		`{"region":"ui","description":"a long \u0000 description"}`:                                                {"no NUL", true},
		`{"region":"ui","description":"` + strings.Repeat("x", 20_000) + `"}`:                                      {"may have", true},
		`{"region":"ui","description":"a long description","acceptance_cmd":"` + strings.Repeat("x", 5_000) + `"}`: {"may have", true},
	} {
		if text, failed := s.call("request_change", arguments); failed != want.failed || !strings.Contains(text, want.text) {
			t.Errorf("%.80s: %v %.200s", arguments, failed, text)
		}
	}
	if text, failed := s.call("request_change", `{"region":"ui","description":" export Paint as well ","acceptance_cmd":"grep Paint ui.go","wait":"true"}`); failed || !strings.Contains(text, "req-1") || !strings.Contains(text, "End your turn") {
		t.Errorf("%s", text)
	}
	if text, failed := s.call("request_change", `{"region":"ui","description":"export Paint as well"}`); failed || !strings.Contains(text, "req-2") || !strings.Contains(text, "Do not wait") {
		t.Errorf("%s", text)
	}
	want := []regions.Request{{Region: "ui", Description: "export Paint as well", Acceptance: "grep Paint ui.go", Wait: true}, {Region: "ui", Description: "export Paint as well"}}
	if diff := cmp.Diff(s.b.requests, want); diff != "" {
		t.Error(diff)
	}
}

func TestMessagesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if got := s.send(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`); !strings.Contains(got, "-32600") || !strings.Contains(got, `"id":5`) {
		t.Errorf("before initialize: %s", got)
	}
	if got := s.send(ready); got != `{"jsonrpc":"2.0","result":{}}` {
		t.Errorf("before initialize: %s", got)
	}
	s.open()
	for message, want := range map[string]string{
		`null`: "-32600", `5`: "-32600", `[]`: "-32600", `{}`: "-32600", `{"id":1,"result":{}}`: "-32600", `{"method":7}`: "-32600", `{"id":{},"method":"ping"}`: "-32600",
		`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`:                      "-32601",
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`:                       "id\":1",
		`{"jsonrpc":"2.0","id":"a","method":"no/such"}`:                            "-32601",
		`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`:              `"id":12345678901234567890`,
		`{"jsonrpc":"2.0","id":null,"method":"notifications/other"}`:               `"result":{}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`:          `"result":{}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":"text"}`:           `"error"`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"rm_rf"}}`: `"error"`,
	} {
		if got := s.send(message); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", message, got, want)
		}
	}
	s.s.Close()
	if got := s.send(hello); !strings.Contains(got, "closed") {
		t.Errorf("after the end: %s", got)
	}
}

func TestCallsEndWhenTheyAreTakenBack(t *testing.T) {
	t.Parallel()
	const ask = `{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":"ask_region","arguments":{"region":"ui","question":"q"}}}`
	for name, end := range map[string]func(s *server, cancel func()){
		"by the control dialogue": func(_ *server, cancel func()) { cancel() },
		"by a notification": func(s *server, _ func()) {
			s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}`)
			s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x1"}}`)
		},
		"by the end of the server": func(s *server, _ func()) { s.s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.b.began, s.b.ended = make(chan struct{}), make(chan struct{})
			s.open()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answered := make(chan string, 1)
			go func() { answered <- string(s.s.Handle(ctx, json.RawMessage(ask))) }()
			<-s.b.began
			end(s, cancel)
			<-s.b.ended
			if got := <-answered; !strings.Contains(got, `"id":"x1"`) {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestOldSessionStillAnswersWhatItWasAsked(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.b.began, s.b.ended = make(chan struct{}), make(chan struct{}, 1)
	s.open()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answered := make(chan string, 1)
	go func() {
		answered <- string(s.s.Handle(ctx, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_region","arguments":{"region":"ui","question":"q"}}}`)))
	}()
	<-s.b.began
	s.open() // again, with id 1 for another question
	if got := s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(got, "request_change") {
		t.Errorf("%s", got)
	}
	cancel()
	if got := <-answered; !strings.Contains(got, `"id":1`) || strings.Contains(got, "request_change") {
		t.Errorf("%s", got)
	}
}

func FuzzHandle(f *testing.F) {
	for _, m := range []string{hello, ready, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"id":-1e400,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_region","arguments":[]}}`} {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, message string) {
		s := regions.New("api", &backend{}, nil)
		defer s.Close()
		s.Handle(t.Context(), json.RawMessage(hello))
		if out := s.Handle(t.Context(), json.RawMessage(message)); !json.Valid(out) {
			t.Errorf("%s", out)
		}
	})
}
