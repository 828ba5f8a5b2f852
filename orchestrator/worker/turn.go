package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/worker/control"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

// turn is a prompt that waits for its result. The worker's mutex guards it.
type turn struct {
	id     string
	echoed bool // the client has begun with this prompt
	calls  map[string]bool
	tools  map[string]bool
	denied []string
	usage  orchestrator.Usage // of the last model call
	last   string             // its message id

	ready chan struct{} // closed when it is over, with a result or with what makes one impossible
	over  bool
	out   outcome
	err   error
}

func newTurn() *turn {
	return &turn{id: newSession(), calls: map[string]bool{}, tools: map[string]bool{}, ready: make(chan struct{})}
}

// finish ends the turn; only the first one counts.
func (t *turn) finish(o outcome, err error) {
	if t.over {
		return
	}
	t.over, t.out, t.err = true, o, err
	close(t.ready)
}

// Turn says prompt and waits for the end of the model's turn. Turns are serial: a second one waits. When ctx ends everything that
// the worker has started is killed; the session can be resumed in a new worker. The result is filled as far as it goes with
// *APIError and *TurnError, after which the worker can take the next turn; after every other error it has ended.
func (w *Worker) Turn(ctx context.Context, prompt string) (Result, error) {
	select {
	case w.slot <- struct{}{}:
		defer func() { <-w.slot }()
	case <-ctx.Done():
		return Result{}, fmt.Errorf("begin turn: %w", context.Cause(ctx)) // somebody else's turn goes on
	}
	t := newTurn()
	if err := w.free(ctx); err != nil {
		return Result{}, w.end(ctx, err)
	}
	w.mu.Lock()
	w.turn = t
	w.mu.Unlock()
	w.lines.Add(1) // the silence before this was nobody's fault
	defer func() {
		w.mu.Lock()
		w.turn = nil
		w.mu.Unlock()
	}()
	if strings.HasPrefix(strings.TrimSpace(prompt), "/") {
		prompt = "Task:\n" + prompt // the client would take it for a command of its own
	}
	if err := w.session.Prompt(t.id, prompt); err != nil {
		return Result{}, w.end(ctx, err)
	}
	out, err := w.await(ctx, t)
	if err != nil {
		return w.result(t, outcome{}), w.end(ctx, err)
	}
	return w.result(t, out), out.verdict()
}

// free waits until the client has finished a turn that it began on its own, which it does when a command in the background ends.
func (w *Worker) free(ctx context.Context) error {
	for {
		w.mu.Lock()
		busy, change := w.busy, w.change
		w.mu.Unlock()
		if !busy {
			return nil
		}
		if err := w.watch(ctx, change); err != nil {
			return err
		}
	}
}

// await waits for the result of a turn.
func (w *Worker) await(ctx context.Context, t *turn) (outcome, error) {
	err := w.watch(ctx, t.ready)
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.over { // perhaps in the last moment
		return t.out, t.err
	}
	return outcome{}, err
}

// watch waits for a channel, the end of the client, the end of ctx, or silence.
func (w *Worker) watch(ctx context.Context, ready <-chan struct{}) error {
	var tick <-chan time.Time
	if w.stall > 0 {
		ticker := time.NewTicker(max(w.stall/8, time.Millisecond))
		defer ticker.Stop()
		tick = ticker.C
	}
	seen, since := w.lines.Load(), time.Now()
	for {
		select {
		case <-ready:
			return nil
		case <-w.session.Done():
			select {
			case <-ready: // the last line was the result
				return nil
			default:
				return ErrEnded
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case now := <-tick:
			if n := w.lines.Load(); n != seen || w.session.Open() > 0 {
				seen, since = n, now
			} else if now.Sub(since) >= w.stall {
				return ErrStalled
			}
		}
	}
}

func (w *Worker) result(t *turn, o outcome) Result {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := Result{
		Text: cut(o.Result, maxAnswer), Subtype: cut(o.Subtype, 100), MaxTurns: o.Subtype == "error_max_turns", Usage: o.Usage.onto(orchestrator.Usage{}),
		Context: t.usage.Tokens(), Denied: slices.Clone(t.denied), ToolCalls: len(t.tools),
	}
	r.Usage.Requests = int64(len(t.calls))
	if o.APIStatus != nil {
		r.APIStatus = *o.APIStatus
	}
	if s := string(o.Structured); s != "" && s != "null" {
		r.Structured = o.Structured
	}
	for _, d := range o.Denials {
		r.Denied = append(r.Denied, target(d.Tool, d.Input))
	}
	slices.Sort(r.Denied)
	r.Denied = slices.Compact(r.Denied) // the guard's refusals are among the client's, too
	if len(r.Denied) > maxDenied {
		r.Denied = r.Denied[:maxDenied]
	}
	return r
}

// streamed is what matters of the client's other lines.
type streamed struct {
	UUID    string  `json:"uuid"`
	Replay  bool    `json:"isReplay"`
	Parent  *string `json:"parent_tool_use_id"` // set in what subagents do
	Message message `json:"message"`
	Event   struct {
		Type    string  `json:"type"`
		Message message `json:"message"`
		Usage   counts  `json:"usage"`
	} `json:"event"`
	Tools   []string `json:"tools"`
	Servers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
}

type message struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Usage   counts          `json:"usage"`
	Content json.RawMessage `json:"content"`
}

// event takes a line of the client. It runs on the reading goroutine.
func (w *Worker) event(e control.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Type == "result" {
		w.finished(e)
		return
	}
	if e.Raw == nil || e.Type != "system" && e.Type != "assistant" && e.Type != "stream_event" && e.Type != "user" {
		return
	}
	var s streamed
	if json.Unmarshal(e.Raw, &s) != nil && e.Type != "user" {
		return
	}
	switch {
	case e.Type == "system" && e.Subtype == "init":
		w.busy = true
		if missing := w.lacks(s); missing != "" && w.turn != nil {
			w.turn.finish(outcome{}, fmt.Errorf("%w: first turn without %s", ErrNotReady, missing))
		}
	case w.turn == nil || s.Parent != nil:
	case e.Type == "user":
		w.turn.echoed = w.turn.echoed || s.Replay && s.UUID == w.turn.id
	case e.Type == "assistant":
		w.turn.assistant(s.Message)
	case e.Type == "stream_event" && s.Event.Type == "message_start":
		w.turn.call(s.Event.Message)
	case e.Type == "stream_event" && s.Event.Type == "message_delta":
		w.turn.usage = s.Event.Usage.onto(w.turn.usage)
	}
}

// lacks names what the client does not offer although it must.
func (w *Worker) lacks(s streamed) string {
	if w.o.Regions == nil {
		return ""
	}
	for _, name := range regions.Tools() {
		if !slices.Contains(s.Tools, name) {
			return name
		}
	}
	return ""
}

// maxCounted bounds the model calls and tool calls that are counted in one turn.
const maxCounted = 100_000

// synthetic is the model of messages that the client makes up itself.
const synthetic = "<synthetic>"

// call begins a model call: its usage replaces that of the one before.
func (t *turn) call(m message) {
	if m.ID == "" || m.Model == synthetic {
		return
	}
	if len(t.calls) < maxCounted {
		t.calls[m.ID] = true
	}
	if m.ID != t.last {
		t.last, t.usage = m.ID, orchestrator.Usage{}
	}
	t.usage = m.Usage.onto(t.usage)
}

// assistant takes a line of an answer: there is one for each block, all with the same id and with the usage of the beginning.
func (t *turn) assistant(m message) {
	if m.ID != t.last {
		t.call(m)
	}
	var blocks []struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
	if json.Unmarshal(m.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "tool_use" && b.ID != "" && len(t.tools) < maxCounted {
			t.tools[b.ID] = true
		}
	}
}

// finished takes a result. One that came before the client has begun with our prompt belongs to a turn of its own.
func (w *Worker) finished(e control.Event) {
	w.busy = false
	close(w.change)
	w.change = make(chan struct{})
	var o outcome
	bad := e.Raw == nil || json.Unmarshal(e.Raw, &o) != nil
	switch {
	case w.turn == nil:
		w.o.Log.Info("client finished a turn of its own", "region", w.o.Region)
	case bad:
		w.turn.finish(outcome{}, fmt.Errorf("%w: its result cannot be read", ErrEnded))
	case !w.turn.echoed && (o.Subtype == "error_max_turns" || o.Subtype == "success" && !o.IsError):
		w.o.Log.Info("client finished a turn of its own", "region", w.o.Region)
	default:
		w.turn.finish(o, nil)
	}
}
