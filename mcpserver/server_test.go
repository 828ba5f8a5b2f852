package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
)

// connect opens a session with the client of the SDK.
func connect(t *testing.T, p *project) *mcp.ClientSession {
	t.Helper()
	s := start(t, p)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: s.out, Writer: s.in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call asks a tool and gives its structured answer.
func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		t.Fatalf("%s: %+v, %v", tool, res, err)
	}
	var text map[string]any
	if err := json.Unmarshal([]byte(res.Content[0].(*mcp.TextContent).Text), &text); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, res.StructuredContent); diff != "" {
		t.Errorf("%s: text and structure differ: %s", tool, diff)
	}
	return text
}

func TestThreeToolsAnswerTheClientOfTheSDK(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := connect(t, p)
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s says too little: %+v", tool.Name, tool)
		}
	}
	if want := []string{"apply_devflow_governance", "evaluate_task", "get_task_health"}; !cmp.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
	args := map[string]any{"project_root": p.root}
	for tool, want := range map[string]string{
		"evaluate_task":            `{"attempt":1,"diff_sha":"d1","forced_fail_reasons":[],"soft_fail_notes":["[test] weak"],"verdict":"warn","violated_axes":["test_integrity"]}`,
		"get_task_health":          `{"attempts":0,"cost_usd":null,"halted":false,"last_verdict":"none","oversight_level":null,"risk_flags":[],"tdd_violations":[]}`,
		"apply_devflow_governance": `{"forced_fail_reasons":[],"oversight_level":null,"ready_to_push":false,"risk":null,"shadow_started":false,"soft_fail_notes":["[judge] could not judge: the present diff cannot be told: ` + p.root + ` is in no git work tree"],"verdict":"none"}`,
	} {
		got, err := json.Marshal(call(t, s, tool, args))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v\nwant %s", tool, got, err, want)
		}
	}
	if err := s.Ping(t.Context(), nil); err != nil {
		t.Errorf("ping: %v", err)
	}
}

func TestWhatCannotBeAnsweredIsAResultWithError(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := connect(t, p)
	for tool, args := range map[string]map[string]any{
		"get_task_health": {"project_root": p.root + "/nowhere"},
		"evaluate_task":   {"project_root": p.root, "session_id": "s9"},
	} {
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || !res.IsError || len(res.Content) != 1 {
			t.Errorf("%s %v: %+v, %v", tool, args, res, err)
		}
	}
	p.deps.Open = func() (*store.DB, error) { return nil, store.ErrCorrupt }
	s = connect(t, p)
	if got := call(t, s, "apply_devflow_governance", map[string]any{"project_root": p.root}); got["ready_to_push"] != false || !strings.Contains(fmt.Sprint(got["forced_fail_reasons"]), "[sec] swarm-reports-unavailable") {
		t.Errorf("without a store: %v", got)
	}
	if res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_task_health", Arguments: map[string]any{"project_root": p.root}}); err != nil || !res.IsError {
		t.Errorf("health without a store: %+v, %v", res, err)
	}
}

func TestCallsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var running, most, all atomic.Int64
	full := make(chan struct{})
	p.deps.Judge = func(ctx context.Context, _ string, _ int64) (judge.Result, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if all.Add(1) == 4 {
			close(full)
		}
		select {
		case <-full:
		case <-ctx.Done():
		}
		return judge.Result{Verdict: judge.Pass}, nil
	}
	s := connect(t, p)
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() { call(t, s, "evaluate_task", map[string]any{"project_root": p.root}) })
	}
	wg.Wait()
	if most.Load() != 4 || all.Load() != 40 {
		t.Errorf("%d calls, %d at once, want 40 and 4", all.Load(), most.Load())
	}
}

// held is a project whose judge waits until its context ends, and tells when it begins and ends.
func held(t *testing.T) (p *project, began, ended chan struct{}) {
	t.Helper()
	p, began, ended = newProject(t), make(chan struct{}), make(chan struct{})
	p.deps.Judge = func(ctx context.Context, _ string, _ int64) (judge.Result, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return judge.Result{}, ctx.Err()
	}
	return p, began, ended
}

func TestCancelledCallIsCancelled(t *testing.T) {
	t.Parallel()
	p, began, ended := held(t)
	s := connect(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "evaluate_task", Arguments: map[string]any{"project_root": p.root}}); err == nil {
		t.Error("a cancelled call has an answer")
	}
	<-ended
	if err := s.Ping(t.Context(), nil); err != nil {
		t.Errorf("ping after a cancelled call: %v", err)
	}
}

func evaluate(id int, root string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"evaluate_task","arguments":{"project_root":%q}}}`, id, root)
}

func TestEndOfTheServerCancelsItsCalls(t *testing.T) {
	t.Parallel()
	p, began, ended := held(t)
	s := start(t, p)
	s.open()
	s.send(evaluate(1, p.root))
	<-began
	s.stop()
	<-ended
	_, _ = io.Copy(io.Discard, s.r)
	if err := <-s.done; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

func TestClientThatIsGoneEndsTheServer(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := start(t, p)
	s.open()
	_ = s.out.Close() // nobody reads
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	_ = s.in.Close()
	<-s.done
}

func TestWhatWasAskedBeforeTheEndIsAnswered(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	release := make(chan struct{})
	p.deps.Judge = func(context.Context, string, int64) (judge.Result, error) {
		<-release
		return judge.Result{Verdict: judge.Pass}, nil
	}
	s := start(t, p)
	s.open()
	s.send(evaluate(1, p.root))
	_ = s.in.Close()
	close(release)
	if a := s.answer(); string(a.ID) != "1" || !strings.Contains(string(a.Result), `"verdict":"pass"`) {
		t.Errorf("answer %+v", a)
	}
	if err := <-s.done; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}
