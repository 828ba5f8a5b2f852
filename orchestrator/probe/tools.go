package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const (
	toolRuns   = 5
	withinTool = 2 * time.Minute
)

// writeFile is a tool with arguments, as the client's own Write has.
func writeFile() request {
	text := func(what string) request { return request{"type": "string", "description": what} }
	return request{
		"name": "write_file", "description": "Writes a file. Creates it when it is missing.",
		"input_schema": request{
			"type": "object", "properties": request{"path": text("Path of the file"), "content": text("The whole content of the file")},
			"required": []string{"path", "content"}, "additionalProperties": false,
		},
	}
}

// tools counts how often a call comes with both of its arguments.
func (p *prober) tools(ctx context.Context) {
	good, exact := 0, 0
	wrong := ""
	for i := range toolRuns {
		p.doing("tool calls: %d of %d", i+1, toolRuns)
		path, word := fmt.Sprintf("notes/%d-%s.txt", i, p.fresh()), "blue-"+p.fresh()
		r := p.request(1024, fmt.Sprintf("Use the tool write_file to create the file %s with exactly this content: %s", path, word)).
			with(request{"stream": true, "tools": []any{writeFile()}})
		a := p.ask(ctx, r, withinTool)
		if a.Failure != nil {
			if a.Failure.Kind == wire.Ended {
				return
			}
			wrong = a.Failure.Text
			if i == 0 && (a.Failure.Kind == wire.Refusal || a.Failure.Kind == wire.Fault) {
				p.failed("tool calls", Fail, a.Failure)
				return
			}
			continue
		}
		ok, same, why := called(a, path, word)
		if ok {
			good++
		} else {
			wrong = why
		}
		if same {
			exact++
		}
	}
	detail := fmt.Sprintf("%d of %d with both arguments", good, toolRuns)
	if exact < good {
		detail += fmt.Sprintf(", %d of them with the right text", exact)
	}
	if wrong != "" {
		detail += "; " + wrong
	}
	switch {
	case good == 0:
		p.line("tool calls", Fail, detail, "a worker lives on tool calls: use a model that has them, with its own chat template (llama-server: --jinja)")
	case good < toolRuns || exact < good:
		p.line("tool calls", Warn, detail, "expect repairs; a larger model or a finer quantisation calls tools more reliably")
	default:
		p.line("tool calls", Pass, detail, "")
	}
}

// called looks at one answer: is it a call of the tool with both arguments as texts, and are they the right ones?
func called(a *wire.Answer, path, word string) (ok, exact bool, why string) {
	if len(a.Calls) == 0 {
		if strings.Contains(a.Text, "write_file") {
			return false, false, "the call came as text"
		}
		return false, false, "no call came"
	}
	call := a.Calls[0]
	if call.Name != "write_file" {
		return false, false, "a tool was called that was not offered: " + wire.Printable(call.Name, "")
	}
	var args map[string]any
	if json.Unmarshal(call.Input, &args) != nil {
		return false, false, "the arguments are no JSON object"
	}
	gotPath, pathOK := args["path"].(string)
	gotContent, contentOK := args["content"].(string)
	switch {
	case !pathOK || gotPath == "":
		return false, false, "the argument path is missing"
	case !contentOK || gotContent == "":
		return false, false, "the argument content is missing"
	case call.ID == "":
		return false, false, "the call has no id"
	case a.Stop != "tool_use":
		return false, false, "the stop reason is " + wire.Printable(a.Stop, "") + " instead of tool_use"
	}
	return true, strings.HasSuffix(gotPath, path) && strings.TrimSpace(gotContent) == word, ""
}

// results goes on after two calls with their results, of which one is an error: some templates cannot.
func (p *prober) results(ctx context.Context) {
	p.doing("tool results")
	call := func(id, path string) request {
		return request{"type": "tool_use", "id": id, "name": "write_file", "input": request{"path": path, "content": "x"}}
	}
	r := p.request(256, "").with(request{
		"stream": true, "tools": []any{writeFile()},
		"messages": []any{
			user("Create a.txt and b.txt with the content x. Then say: finished."),
			assistant([]any{request{"type": "text", "text": "I write both."}, call("toolu_probe_1", "a.txt"), call("toolu_probe_2", "b.txt")}),
			user([]any{
				request{"type": "tool_result", "tool_use_id": "toolu_probe_1", "content": "written"},
				request{"type": "tool_result", "tool_use_id": "toolu_probe_2", "is_error": true, "content": []any{request{"type": "text", "text": "b.txt exists already and is to stay"}}},
			}),
		},
	})
	a := p.ask(ctx, r, withinTool)
	switch {
	case a.Failure != nil:
		p.failed("tool results", Fail, a.Failure)
	case a.Text == "" && a.Thinking == 0 && len(a.Calls) == 0:
		p.line("tool results", Warn, "the model says nothing after the results of two calls", "look at the model's chat template")
	default:
		p.line("tool results", Pass, "it goes on after the results of two calls", "")
	}
}
