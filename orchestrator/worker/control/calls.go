package control

import (
	"context"
	"encoding/json"
	"fmt"
)

// Hello is what the client is told first.
type Hello struct {
	Guard        string // callback id of the PreToolUse hook for every tool; "" = none
	GuardTimeout int    // seconds in which the guard must answer, after which the client refuses the tool
	System       string // appended to the client's system prompt
}

// Initialize opens the dialogue. A hook that is registered here fails closed: when nobody answers it the tool does not run
// (measured on 2.1.197), and no settings file can switch it off.
func (s *Session) Initialize(ctx context.Context, h Hello) error {
	body := map[string]any{}
	if h.Guard != "" {
		hook := map[string]any{"matcher": "*", "hookCallbackIds": []string{h.Guard}}
		if h.GuardTimeout > 0 {
			hook["timeout"] = h.GuardTimeout
		}
		body["hooks"] = map[string]any{"PreToolUse": []any{hook}}
	}
	if h.System != "" {
		body["appendSystemPrompt"] = h.System
	}
	_, err := s.Call(ctx, "initialize", body)
	return err
}

// Server is the state of an MCP server as the client sees it.
type Server struct {
	Name   string `json:"name"`
	Status string `json:"status"` // pending, connected, failed
	Tools  []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// MCPStatus asks for the MCP servers; it works before the first prompt. A server that is missing is one that is not there yet.
func (s *Session) MCPStatus(ctx context.Context) ([]Server, error) {
	raw, err := s.Call(ctx, "mcp_status", nil)
	if err != nil {
		return nil, err
	}
	var r struct {
		Servers []Server `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("read mcp_status: %w", err)
	}
	return r.Servers, nil
}

// Interrupt ends the running turn: its result is an error_during_execution. Without one it does nothing.
func (s *Session) Interrupt(ctx context.Context) error {
	_, err := s.Call(ctx, "interrupt", nil)
	return err
}

// Prompt sends what a person would type. id is repeated in the client's echo of it (--replay-user-messages). One that is sent
// during a turn is mixed into that turn, and both get one result: the caller takes turns.
func (s *Session) Prompt(id, text string) error {
	return s.send(map[string]any{
		"type": "user", "uuid": id, "message": map[string]any{"role": "user", "content": text},
	})
}
