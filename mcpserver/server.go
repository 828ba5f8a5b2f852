// Package mcpserver offers the governance of a task to MCP clients: evaluate_task, get_task_health and
// apply_devflow_governance, as JSON-RPC 2.0 on two streams, one message a line.
//
// It owns no table and decides nothing; package governance answers. The protocol is that of the official SDK, in whichever
// of its versions the client asks for. Beneath it lie lines of our own (conn.go), because the SDK ends a session at the first
// line that is no JSON: here such a line is answered with an error and the session goes on, batches are answered in every
// version, and what was asked before the end of the input is answered after it.
//
// A question that makes no sense to the protocol (a missing argument, one of another type) is error -32602. One that was
// understood and cannot be answered is a result with isError, which models can read.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/devflow-suite/devflow/judge/governance"
)

// Deps is what the server works with.
type Deps struct {
	Governance governance.Deps
	Version    string       // of devflow
	Log        *slog.Logger // nil = none; never on the stream of answers
}

// maxAtOnce bounds how many calls are answered at the same time; others wait.
const maxAtOnce = 4

const instructions = "devflow judges what was changed in a task. Ask apply_devflow_governance before a push and push only when ready_to_push is true; " +
	"it is about the files as they are now, so an edit after a pass makes it stale. evaluate_task judges again."

// Run answers until the input ends and everything that was asked is answered, or until ctx ends, which cancels what is being
// answered. The error is that of the streams. A reader that ignores its end keeps one goroutine.
func Run(ctx context.Context, in io.Reader, out io.Writer, d Deps) error {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "devflow", Title: "devflow", Version: d.Version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: slog.New(quiet{d.Log.Handler(), ctx.Done()}), Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	t := tools{done: ctx.Done(), room: make(chan struct{}, maxAtOnce)}
	harmless := false
	t.add(s, &mcp.Tool{
		Name: "evaluate_task", Title: "Judge the task now",
		Description:  "Runs the devflow judge on the change of a task as it is now and returns its verdict. A fail at high risk counts as an attempt.",
		OutputSchema: json.RawMessage(evaluationSchema), Annotations: &mcp.ToolAnnotations{DestructiveHint: &harmless, OpenWorldHint: &harmless},
	}, func(ctx context.Context, a governance.Args) (any, error) {
		return governance.Evaluate(ctx, d.Governance, a)
	})
	t.add(s, &mcp.Tool{
		Name: "get_task_health", Title: "How the task stands",
		Description:  "Returns cost, missing tests, open signals, the last verdict and the attempts of a task. Changes nothing.",
		OutputSchema: json.RawMessage(healthSchema), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &harmless},
	}, func(ctx context.Context, a governance.Args) (any, error) {
		return governance.GetHealth(ctx, d.Governance, a)
	})
	t.add(s, &mcp.Tool{
		Name: "apply_devflow_governance", Title: "May this be pushed?",
		Description:  "Says whether the present work tree of a task may be pushed: ready_to_push is true only for a pass of exactly this diff with nothing that blocks.",
		OutputSchema: json.RawMessage(answerSchema), Annotations: &mcp.ToolAnnotations{DestructiveHint: &harmless, IdempotentHint: true, OpenWorldHint: &harmless},
	}, func(ctx context.Context, a governance.Args) (any, error) {
		return governance.Apply(ctx, d.Governance, a)
	})
	err := s.Run(ctx, newTransport(in, out))
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("serve MCP: %w", err)
	}
	return nil
}

// tools puts the answers of governance into those of MCP.
type tools struct {
	done <-chan struct{} // the server ends: the SDK does not hand that on to calls
	room chan struct{}
}

func (t tools) add(s *mcp.Server, tool *mcp.Tool, answer func(context.Context, governance.Args) (any, error)) {
	tool.InputSchema = json.RawMessage(argsSchema)
	s.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := arguments(req.Params.Arguments)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: tool.Name + ": " + err.Error()}
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-t.done:
				cancel()
			case <-ctx.Done():
			}
		}()
		select {
		case t.room <- struct{}{}:
			defer func() { <-t.room }()
		case <-ctx.Done():
			return nil, internal("cancelled")
		}
		value, err := answer(ctx, args)
		if ctx.Err() != nil {
			return nil, internal("cancelled")
		}
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, internal("encode answer: " + err.Error())
		}
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(data), Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}, nil
	})
}

func internal(text string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}
}

// arguments reads those of a call as argsSchema has them.
func arguments(raw json.RawMessage) (a governance.Args, err error) {
	var fields map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &fields); err != nil {
			return a, errors.New("arguments are no object")
		}
	}
	to := map[string]*string{"state_dir": &a.StateDir, "session_id": &a.SessionID, "project_root": &a.ProjectRoot}
	for name, value := range fields {
		dst, known := to[name]
		switch {
		case !known:
			return a, fmt.Errorf("unknown argument %.40q", name)
		case len(value) == 0 || value[0] != '"' || json.Unmarshal(value, dst) != nil:
			return a, fmt.Errorf("argument %s is no string", name)
		}
	}
	if a.ProjectRoot == "" {
		return a, errors.New("argument project_root is missing")
	}
	return a, nil
}

// quiet keeps out of the log what the SDK tells of every session, and that it was told to end.
type quiet struct {
	slog.Handler
	done <-chan struct{}
}

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	select {
	case <-q.done:
		return false
	default:
	}
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quiet{q.Handler.WithAttrs(attrs), q.done}
}

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name), q.done} }
