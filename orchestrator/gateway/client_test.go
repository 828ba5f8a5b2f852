package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

// session is a real client behind a gateway.
type session struct {
	*world
	client claudecli.Client
	dir    string
}

// eachClient runs a test with each pinned client, in front of a scripted endpoint that sabotage can get in the way of: it gets the
// number of the POST, from 1, and answers itself when it returns true.
func eachClient(t *testing.T, script mockapi.Script, sabotage func(n int64, rw http.ResponseWriter, r *http.Request) bool, change func(*gateway.Options), test func(*testing.T, *session, *mockapi.Server)) {
	t.Helper()
	for _, version := range claudecli.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c, err := claudecli.Find("../..", version)
			if err != nil {
				t.Fatal(err)
			}
			server := mockapi.New(t, script)
			var n atomic.Int64
			w := serve(t, api(t, func(rw http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && sabotage != nil && sabotage(n.Add(1), rw, r) {
					return
				}
				server.ServeHTTP(rw, r)
			}), func(o *gateway.Options) {
				o.Ping = 0 // as it comes
				if change != nil {
					change(o)
				}
			})
			dir, err := os.MkdirTemp("", "gwc")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			for _, d := range []string{"home", "work"} {
				if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			test(t, &session{w, c, dir}, server)
		})
	}
}

func (s *session) run(t *testing.T, prompts ...string) claudecli.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	res, err := s.client.Run(ctx, claudecli.Options{
		Home: filepath.Join(s.dir, "home"), Dir: filepath.Join(s.dir, "work"), URL: "http://devflow.invalid", Prompts: prompts,
		Args: []string{"--setting-sources", "", "--tools", "Bash,Read"},
		Env:  []string{"ANTHROPIC_UNIX_SOCKET=" + s.socket, "ANTHROPIC_API_KEY=" + token, "CLAUDE_CODE_MAX_RETRIES=2", "ENABLE_TOOL_SEARCH=false"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func (s *session) made(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, "work", name))
	return err == nil
}

// cutTool is a stream that dies in the middle of a tool call which would do harm.
const cutTool = evStart + "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{}}}\n\n" +
	"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"command\\\":\\\"touch harm\"}}\n\n"

func work() mockapi.Script {
	return mockapi.Script{Steps: []mockapi.Step{mockapi.Turn(mockapi.Bash("env > env.txt; touch made.txt")), mockapi.Say("all done")}}
}

func TestARealClientWorksBehindTheGateway(t *testing.T) {
	t.Parallel()
	eachClient(t, work(), nil, nil, func(t *testing.T, s *session, server *mockapi.Server) {
		res := s.run(t, "go")
		want(t, "result", []any{res.Final().Result, res.Final().IsError, s.made("made.txt")}, []any{"all done", false, true})
		env, err := os.ReadFile(filepath.Join(s.dir, "work", "env.txt"))
		if err != nil || strings.Contains(string(env), key) {
			t.Errorf("environment of a command (%v):\n%s", err, env)
		}
		for _, r := range server.Talk("") {
			want(t, "key at the endpoint", r.Header.Get("X-Api-Key"), key)
			if strings.Contains(r.System, "2.1.") && strings.Contains(r.System, "x-anthropic-billing-header: cc_version=2") {
				t.Error("the billing block differs between sessions")
			}
			for _, m := range r.Messages {
				if m.Role == "system" {
					t.Error("a message of role system reached a foreign endpoint")
				}
			}
		}
		usage := gateway.Usage{Requests: 2, Input: 200, Output: 84, CacheRead: 100, CacheWrite: 40}
		want(t, "usage", s.Stats().Usage, usage)
	})
}

func TestARealClientDoesNotSeeFailures(t *testing.T) {
	t.Parallel()
	sabotage := func(n int64, rw http.ResponseWriter, _ *http.Request) bool {
		switch n {
		case 1:
			rw.Header().Set("Retry-After", "0")
			rw.WriteHeader(529)
		case 2:
			say(rw, evPing, evFault)
		case 3:
			hangup(rw)
		case 4:
			rw.WriteHeader(524)
		case 6:
			say(rw, cutTool)
			hangup(rw)
		default:
			return false
		}
		return true
	}
	eachClient(t, work(), sabotage, func(o *gateway.Options) { o.Store = true }, func(t *testing.T, s *session, server *mockapi.Server) {
		res := s.run(t, "go")
		want(t, "result", []any{res.Final().Result, res.Final().IsError, s.made("made.txt"), s.made("harm")}, []any{"all done", false, true, false})
		want(t, "requests and tries", []any{s.Stats().Served, s.Stats().Failures, s.Stats().Retries}, []any{2, 0, 5})
		if strings.Contains(string(res.Stdout), "api_retry") {
			t.Error("the client had to try again")
		}
	})
}

func TestARealClientRecoversFromAStreamThatIsCut(t *testing.T) {
	t.Parallel()
	sabotage := func(n int64, rw http.ResponseWriter, _ *http.Request) bool {
		if n != 1 {
			return false
		}
		say(rw, cutTool)
		hangup(rw)
		return true
	}
	eachClient(t, work(), sabotage, nil, func(t *testing.T, s *session, server *mockapi.Server) {
		res := s.run(t, "go")
		want(t, "result", []any{res.Final().Result, res.Final().IsError, s.made("made.txt"), s.made("harm")}, []any{"all done", false, true, false})
		s.await(gateway.EventCut)
	})
}

func TestARealClientAsksOnceWhenACapIsReached(t *testing.T) {
	t.Parallel()
	refuse := func(o *gateway.Options) {
		o.Allow = func() error { return errors.New("the run has used all of its 1000 tokens") }
	}
	eachClient(t, work(), nil, refuse, func(t *testing.T, s *session, server *mockapi.Server) {
		res := s.run(t, "go")
		if f := res.Final(); !f.IsError || !strings.Contains(f.Result, "used all of its 1000 tokens") || !strings.Contains(string(f.Raw), `"api_error_status":402`) {
			t.Errorf("result %s", f.Raw)
		}
		want(t, "requests at the endpoint", len(server.Talk("")), 0)
		caps := 0
		for _, k := range s.kinds() {
			if k == gateway.EventCap {
				caps++
			}
		}
		want(t, "requests that were refused", caps, 1)
	})
}

func TestARealClientWithoutItsToolsSpendsNothing(t *testing.T) {
	t.Parallel()
	expect := func(o *gateway.Options) { o.Expect = []string{"Bash", "mcp__devflow__ask_region"} }
	eachClient(t, work(), nil, expect, func(t *testing.T, s *session, server *mockapi.Server) {
		res := s.run(t, "go")
		if f := res.Final(); !f.IsError || !strings.Contains(f.Result, "mcp__devflow__ask_region") {
			t.Errorf("result %s", f.Raw)
		}
		want(t, "requests at the endpoint", len(server.Requests()), 0)
		s.await(gateway.EventTools)
	})
}

func TestARealSessionGoesOnWithAnotherEndpoint(t *testing.T) {
	t.Parallel()
	eachClient(t, work(), nil, nil, func(t *testing.T, s *session, server *mockapi.Server) {
		url := s.endpoint().URL
		s.swap(func(e *gateway.Endpoint) { e.URL = "http://127.0.0.1:1" })
		done := make(chan claudecli.Result)
		go func() { done <- s.run(t, "go") }()
		s.await(gateway.EventRetry)
		s.swap(func(e *gateway.Endpoint) { e.URL = url })
		res := <-done
		want(t, "result", []any{res.Final().Result, res.Final().IsError}, []any{"all done", false})
		for _, e := range res.Events {
			if e.SessionID != "" && e.SessionID != res.SessionID {
				t.Errorf("sessions %s and %s", e.SessionID, res.SessionID)
			}
		}
	})
}

// TestARealClientWaitsBehindPings: an answer that takes its time is waited for; pings come meanwhile and do no harm.
func TestARealClientWaitsBehindPings(t *testing.T) {
	t.Parallel()
	sabotage := func(n int64, rw http.ResponseWriter, r *http.Request) bool {
		if n == 1 {
			select {
			case <-time.After(700 * time.Millisecond): // of the endpoint
			case <-r.Context().Done():
			}
		}
		return false
	}
	eachClient(t, work(), sabotage, func(o *gateway.Options) { o.Ping = 20 * time.Millisecond }, func(t *testing.T, s *session, server *mockapi.Server) {
		res := s.run(t, "go")
		want(t, "result", []any{res.Final().Result, res.Final().IsError, s.made("made.txt")}, []any{"all done", false, true})
		want(t, "requests", s.Stats().Served, 2)
	})
}
