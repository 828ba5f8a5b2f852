package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/orchestrator/worker/control"
	"github.com/devflow-suite/devflow/orchestrator/worker/fence"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

const (
	// handshakeLimit is how long the client may take until it can be prompted. Its slowest honest start was 27 s, with every
	// answer of ours delayed by 4 s.
	handshakeLimit = 30 * time.Second
	// statusPause lies between two looks at the MCP servers.
	statusPause = 100 * time.Millisecond
	// guardTimeout is how long the client waits for the guard, in seconds, before it refuses the tool.
	guardTimeout = 60
	// closeGrace is how long the client may take to end by itself.
	closeGrace = 3 * time.Second
	// killGrace lies between TERM and KILL of a client that is not wanted any more.
	killGrace = time.Second
	// starts bounds how often Start starts the client.
	starts = 3
)

// Worker is one client process. Its methods may be called from many goroutines; Close must be called.
type Worker struct {
	o       Options
	id      string
	resumed bool
	child   *proc.Child
	session *control.Session
	server  *regions.Server // nil = none
	guard   *fence.Guard
	stall   time.Duration
	lines   atomic.Int64  // lines that came from the client: its signs of life
	slot    chan struct{} // held by the turn that runs

	mu     sync.Mutex
	turn   *turn
	busy   bool          // the client is in a turn, ours or one of its own
	change chan struct{} // closed and replaced when it has finished one
	why    error         // why it was ended; nil = it was not, or by Close

	once   sync.Once
	closed chan struct{}
}

// Start starts the client and returns when it can be prompted: it has greeted, and the region tools are connected. ctx bounds the
// start, not the worker's life. A client that does not get ready within 30 s is killed and started once more, one that does not
// find the session to resume is started with a new one, see Session and Resumed.
func Start(ctx context.Context, o Options) (*Worker, error) {
	if err := o.complete(); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	client, err := filepath.EvalSymlinks(o.Client) // the links on the way to it are not inside
	if err != nil {
		return nil, fmt.Errorf("start worker: find client: %w", err)
	}
	o.Client = client
	if err := prepareHome(o.Home); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	guard, err := fence.New(o.Dir, o.Writable, o.Regions != nil)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	policy, err := o.policy(ctx)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	id, resume := o.choose()
	for n, late := 1, 0; ; n++ {
		args, err := o.arguments(id, resume)
		if err != nil {
			return nil, fmt.Errorf("start worker: %w", err)
		}
		cmd, err := o.Sandbox.Wrap(policy, append([]string{o.Client}, args...))
		if err != nil {
			return nil, fmt.Errorf("confine worker: %w", err)
		}
		cmd.Grace = killGrace
		w, err := begin(ctx, o, cmd, guard)
		if err == nil {
			w.id, w.resumed = id, resume
			return w, nil
		}
		var again bool
		if errors.Is(err, ErrNotReady) {
			late++
		}
		if id, resume, again = retry(err, id, resume); !again || late == 2 || n == starts || ctx.Err() != nil {
			return nil, fmt.Errorf("start worker: %w", err)
		}
		o.Log.Warn("client is started again", "region", o.Region, "error", err)
	}
}

// choose picks the session. The client refuses an id that has a transcript unless it is resumed.
func (o *Options) choose() (id string, resume bool) {
	has := o.Session != "" && HasSession(o.Home, o.Dir, o.Session)
	switch {
	case has && o.Resume:
		return o.Session, true
	case o.Session == "" || has:
		return newSession(), false
	}
	return o.Session, false
}

// startError is a client that did not get ready.
type startError struct {
	stderr string
	err    error
}

func (e *startError) Error() string {
	if e.stderr == "" {
		return e.err.Error()
	}
	return e.err.Error() + " (it said: " + e.stderr + ")"
}

func (e *startError) Unwrap() error { return e.err }

// retry decides whether another start makes sense, and with which session.
func retry(err error, id string, resume bool) (newID string, newResume, again bool) {
	var s *startError
	if !errors.As(err, &s) {
		return id, resume, false
	}
	switch {
	case strings.Contains(s.stderr, "already in use"): // another process has it, or had it and left its mark
		return newSession(), false, true
	case resume && errors.Is(err, ErrEnded): // no conversation found, or one that cannot be read
		return newSession(), false, true
	case errors.Is(err, ErrNotReady):
		return id, resume, true
	}
	return id, resume, false
}

// begin starts one client and leads it through its handshake.
func begin(ctx context.Context, o Options, cmd proc.Cmd, guard *fence.Guard) (*Worker, error) {
	child, err := proc.Start(context.WithoutCancel(ctx), cmd)
	if err != nil {
		return nil, err
	}
	w := &Worker{
		o: o, child: child, guard: guard, stall: o.Stall, slot: make(chan struct{}, 1), change: make(chan struct{}), closed: make(chan struct{}),
	}
	if o.Regions != nil {
		w.server = regions.New(o.Region, o.Regions, o.Log)
	}
	w.session = control.New(control.Options{
		In: child.Stdin(), Out: child.Stdout(), Answer: w.answer, TooLong: w.tooLong, Event: w.event,
		Seen: func() { w.lines.Add(1) }, Record: o.Record, Log: o.Log,
	})
	limit := handshakeLimit
	if o.seams.handshake > 0 {
		limit = o.seams.handshake
	}
	err = w.handshake(ctx, limit)
	if err == nil {
		return w, nil
	}
	w.kill(err)
	s := &startError{stderr: w.said(), err: err}
	w.shut()
	return nil, s
}

func (w *Worker) handshake(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %s", ErrNotReady, limit))
	defer cancel()
	err := w.session.Initialize(ctx, control.Hello{Guard: guardID, GuardTimeout: guardTimeout, System: w.o.System})
	if errors.Is(err, control.ErrClosed) {
		<-w.child.Done() // so that its last words are there
		return fmt.Errorf("%w before it was ready", ErrEnded)
	}
	if err != nil || w.server == nil {
		return err
	}
	pause := time.NewTicker(statusPause)
	defer pause.Stop()
	for {
		servers, err := w.session.MCPStatus(ctx)
		if errors.Is(err, control.ErrClosed) {
			<-w.child.Done()
			return fmt.Errorf("%w before it was ready", ErrEnded)
		}
		if err != nil {
			return err
		}
		for _, s := range servers {
			if s.Name == regions.Name && s.Status == "connected" {
				return nil
			}
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// guardID is the name of our hook callback.
const guardID = "guard"

// answer answers the client's requests.
func (w *Worker) answer(ctx context.Context, r control.Request) (any, error) {
	switch r.Subtype {
	case "hook_callback":
		return w.hook(r.Raw), nil
	case "mcp_message":
		return w.mcp(ctx, r.Raw)
	}
	return nil, control.ErrUnknown
}

func (w *Worker) mcp(ctx context.Context, raw json.RawMessage) (any, error) {
	var r struct {
		Server  string          `json:"server_name"`
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(raw, &r) != nil || w.server == nil || r.Server != regions.Name {
		return nil, fmt.Errorf("no such MCP server: %w", control.ErrUnknown)
	}
	if w.o.seams.hold != nil {
		var m struct {
			Method string `json:"method"`
		}
		_ = json.Unmarshal(r.Message, &m) // a test's own business
		w.o.seams.hold(m.Method)
	}
	return map[string]any{"mcp_response": w.server.Handle(ctx, r.Message)}, nil
}

// hook answers the client's question before a tool call. Whatever cannot be read is refused.
func (w *Worker) hook(raw json.RawMessage) any {
	var r struct {
		Callback string `json:"callback_id"`
		Input    struct {
			Event string          `json:"hook_event_name"`
			Tool  string          `json:"tool_name"`
			Input json.RawMessage `json:"tool_input"`
			CWD   string          `json:"cwd"`
		} `json:"input"`
	}
	if json.Unmarshal(raw, &r) != nil || r.Callback != guardID || r.Input.Tool == "" {
		return deny("The guard could not read this call.")
	}
	if w.o.seams.unguarded {
		return struct{}{}
	}
	reason := w.guard.Decide(r.Input.Tool, r.Input.Input, r.Input.CWD)
	if reason == "" {
		return struct{}{} // not "allow": the permission rules decide, too
	}
	var input map[string]json.RawMessage
	_ = json.Unmarshal(r.Input.Input, &input) // only for the name of what was refused
	w.mu.Lock()
	if w.turn != nil && len(w.turn.denied) < maxDenied {
		w.turn.denied = append(w.turn.denied, target(cut(r.Input.Tool, 100), input))
	}
	w.mu.Unlock()
	return deny(reason)
}

func deny(reason string) any {
	return map[string]any{"hookSpecificOutput": map[string]any{
		"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
	}}
}

func (w *Worker) tooLong(subtype string) (any, bool) {
	if subtype != "hook_callback" {
		return nil, false
	}
	return deny("This call is too large to be checked: write the file in parts."), true
}
