package main

import (
	"bufio"
	"encoding/json"
	"io"
)

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version   string          `json:"protocolVersion"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
}

func run(in io.Reader, out io.Writer) int {
	enc, r := json.NewEncoder(out), bufio.NewReader(in)
	var asking json.RawMessage // the call of ask that waits for the user
	for {
		line, readErr := r.ReadBytes('\n')
		var m message
		var reply map[string]any
		switch {
		case json.Unmarshal(line, &m) != nil || m.ID == nil: // a notification, or nothing
		case m.Method == "":
			reply = result(asking, text("answered "+string(m.Result)))
		case m.Method == "tools/call" && m.Params.Name == "ask":
			asking = m.ID
			reply = map[string]any{"jsonrpc": "2.0", "id": "ask-1", "method": "elicitation/create", "params": map[string]any{
				"message": "Your name?", "requestedSchema": schema("name")}}
		default:
			reply = result(m.ID, answer(m))
		}
		if reply != nil && enc.Encode(reply) != nil {
			return 1
		}
		if readErr != nil {
			return 0
		}
	}
}

func result(id json.RawMessage, r map[string]any) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": id, "result": r}
}

func text(s string) map[string]any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}}
}

func schema(field string) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{field: map[string]any{"type": "string"}}}
}

func answer(m message) map[string]any {
	switch m.Method {
	case "initialize":
		return map[string]any{"protocolVersion": m.Params.Version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "ping", "version": "1"}}
	case "tools/list":
		return map[string]any{"tools": []any{
			map[string]any{"name": "ping", "description": "echoes", "inputSchema": schema("x")},
			map[string]any{"name": "ask", "description": "asks the user", "inputSchema": map[string]any{"type": "object"}},
		}}
	case "tools/call":
		return text("pong " + string(m.Params.Arguments))
	}
	return map[string]any{}
}
