package worker_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// player is this test binary in the part of the client.
type player struct {
	in    *bufio.Reader
	out   *bufio.Writer
	noMCP bool // mcp_status stays pending
}

type line struct {
	Type      string `json:"type"`
	UUID      string `json:"uuid"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string `json:"subtype"`
		System  string `json:"appendSystemPrompt"`
	} `json:"request"`
	Response struct {
		RequestID string          `json:"request_id"`
		Subtype   string          `json:"subtype"`
		Error     string          `json:"error"`
		Response  json.RawMessage `json:"response"`
	} `json:"response"`
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
}

func (p *player) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", args...)
	_ = p.out.Flush()
}

// next is the next line, after those that every client answers.
func (p *player) next() (line, bool) {
	for {
		data, err := p.in.ReadBytes('\n')
		if err != nil {
			return line{}, false
		}
		var l line
		if json.Unmarshal(data, &l) != nil {
			p.say("not JSON: %.100s", data)
			continue
		}
		switch {
		case l.Type == "control_request" && l.Request.Subtype == "initialize":
			p.reply(l, `{"commands":[]}`)
		case l.Type == "control_request" && l.Request.Subtype == "mcp_status" && p.noMCP:
			p.reply(l, `{"mcpServers":[{"name":"devflow","status":"pending"}]}`)
		case l.Type == "control_request" && l.Request.Subtype == "mcp_status":
			p.reply(l, `{"mcpServers":[{"name":"devflow","status":"connected"}]}`)
		default:
			return l, true
		}
	}
}

func (p *player) reply(l line, response string) {
	p.say(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":%s}}`, l.RequestID, response)
}

// answer waits for the answer to a question of ours.
func (p *player) answer(id string) line {
	for {
		l, ok := p.next()
		if !ok || l.Type == "control_response" && l.Response.RequestID == id {
			return l
		}
	}
}

func (p *player) init(tools ...string) {
	names, _ := json.Marshal(tools)
	p.say(`{"type":"system","subtype":"init","session_id":"s","tools":%s}`, names)
}

func (p *player) echo(l line) { p.say(`{"type":"user","uuid":%q,"isReplay":true}`, l.UUID) }

func (p *player) result(text string) {
	data, _ := json.Marshal(text)
	p.say(`{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"result":%s,"usage":{"input_tokens":7}}`, data)
}

// turns answers prompts until the input ends.
func (p *player) turns(act func(l line)) int {
	for {
		l, ok := p.next()
		if !ok {
			return 0
		}
		if l.Type == "user" {
			act(l)
		}
	}
}

func (p *player) good(l line) {
	p.init(askTool, requestTool)
	p.echo(l)
	p.result("did " + l.Message.Content)
}

// mark notes a start in the home folder and gives how many there were.
func mark() int {
	file := filepath.Join(os.Getenv("HOME"), "starts")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return -1
	}
	_, _ = f.WriteString(strings.Join(os.Args[1:], " ") + "\n")
	_ = f.Close()
	data, _ := os.ReadFile(file)
	return strings.Count(string(data), "\n")
}

func play(role string) int {
	p := &player{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout)}
	n := mark()
	switch role {
	case "good":
		return p.turns(p.good)
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "late": // ready at the second start
		if n == 1 {
			_, _ = io.Copy(io.Discard, os.Stdin)
			return 0
		}
		return p.turns(p.good)
	case "pending":
		p.noMCP = true
		return p.turns(p.good)
	case "inuse":
		if n == 1 {
			fmt.Fprintln(os.Stderr, "Error: Session ID "+os.Args[slices.Index(os.Args, "--session-id")+1]+" is already in use.")
			return 1
		}
		return p.turns(p.good)
	case "unknown":
		if i := slices.Index(os.Args, "--resume"); i > 0 {
			p.say(`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: x"]}`)
			fmt.Fprintln(os.Stderr, "No conversation found with session ID: x")
			return 1
		}
		return p.turns(p.good)
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot start: key "+os.Getenv("ANTHROPIC_API_KEY"))
		return 3
	case "exit":
		return p.turns(func(l line) {
			p.init(askTool, requestTool)
			p.echo(l)
			fmt.Fprintln(os.Stderr, "panic: no luck with "+os.Getenv("ANTHROPIC_API_KEY"))
			os.Exit(7)
		})
	case "silent":
		return p.turns(func(line) {})
	case "deaf":
		_, _ = p.next() // the prompt does not fit in the pipe and is never read
		return 0
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		return p.turns(func(l line) {
			p.init(askTool, requestTool)
			_ = exec.Command("/bin/sh", "-c", "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000' & setsid env -i sleep 1001 & echo $! > \"$HOME/grandchild\"; mv \"$HOME/grandchild\" \"$HOME/ready\"; sleep 1000").Start()
		})
	case "nice": // keeps its child from the end of its own input
		_ = exec.Command("/bin/sh", "-c", "sleep 1000").Start()
		return p.turns(p.good)
	case "twice":
		return p.turns(func(l line) {
			p.good(l)
			p.result("again " + l.Message.Content)
			p.say(`{"type":"control_response","response":{"subtype":"success","request_id":"devflow-1","response":{}}}`)
			p.say(`{"type":"control_response","response":{"subtype":"success","request_id":"nobody","response":{}}}`)
		})
	case "own": // a turn of its own is running when the prompt comes, and its result is not ours
		return p.turns(func(l line) {
			p.init(askTool, requestTool)
			p.result("of my own")
			p.good(l)
		})
	case "toolless":
		return p.turns(func(l line) {
			p.init("Read")
			p.echo(l)
			p.result("nothing")
		})
	case "garbage":
		return p.turns(p.garbage)
	case "flood":
		return p.turns(p.flood)
	case "asks":
		return p.turns(p.asks)
	case "cancels":
		return p.turns(p.cancels)
	}
	return 99
}

func (p *player) garbage(l line) {
	p.init(askTool, requestTool)
	for _, s := range []string{
		"", "   ", "hello", "{", "[1,2]", "null", "42", `"text"`, "\x00\xff\xfe", `{"type":7}`, `{"TYPE":"result","subtype":"success","result":"wrong case"}`,
		`{"type":"result"`, `{"type":"assistant","message":"no object"}`, `{"type":"assistant","message":{"id":5,"usage":[]}}`, `{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":-5}}}`,
		`{"type":"system","subtype":"init","tools":{"a":1}}`, `{"type":"control_request"}`, `{"type":"control_request","request_id":5,"request":{}}`, `{"type":"control_cancel_request","request_id":"none"}`,
		`{"type":"control_response"}`, `{"type":"control_response","response":[]}`, `{"type":"keep_alive"}`, `{"type":"brand_new_thing","x":1}`, strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 50_000),
	} {
		p.say("%s", s)
	}
	p.echo(l)
	p.result("survived")
}

func (p *player) flood(l line) {
	p.init(askTool, requestTool)
	p.echo(l)
	for i := range 50_000 {
		_, _ = fmt.Fprintf(p.out, `{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"%d"}}}`+"\n", i)
	}
	block := strings.Repeat("x", 1<<20)
	giant := func(head string) {
		_, _ = p.out.WriteString(head)
		for range 80 {
			_, _ = p.out.WriteString(block)
		}
		p.say(`"}}}`)
	}
	giant(`{"type":"user","message":{"content":"`)
	giant(`{"type":"control_request","request_id":"big1","request":{"subtype":"hook_callback","callback_id":"guard","input":{"x":"`)
	big1 := p.answer("big1")
	giant(`{"type":"control_request","request_id":"big2","request":{"subtype":"other","x":{"x":"`)
	big2 := p.answer("big2")
	giant(block) // no JSON, no line end for long
	p.result(big1.Response.Subtype + " " + string(big1.Response.Response) + " | " + big2.Response.Subtype)
}

// asks reports what it is answered.
func (p *player) asks(l line) {
	p.init(askTool, requestTool)
	p.echo(l)
	var said []string
	for i, request := range []string{
		`{"subtype":"never_heard_of"}`,
		`{"subtype":"can_use_tool","tool_name":"Write","input":{}}`,
		`{"subtype":"hook_callback","callback_id":"guard","input":"nonsense"}`,
		`{"subtype":"hook_callback","callback_id":"other","input":{"tool_name":"Read"}}`,
		`{"subtype":"hook_callback","callback_id":"guard","input":{"tool_name":"Read","tool_input":{}}}`,
		`{"subtype":"hook_callback","callback_id":"guard","input":{"tool_name":"Write","tool_input":{"file_path":"/etc/passwd"}}}`,
		`{"subtype":"mcp_message","server_name":"stranger","message":{}}`,
		`{"subtype":"mcp_message","server_name":"devflow","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}`,
		`{"subtype":"mcp_message","server_name":"devflow","message":{"jsonrpc":"2.0","id":1,"method":"server/discover"}}`,
	} {
		id := fmt.Sprint("q", i)
		p.say(`{"type":"control_request","request_id":%q,"request":%s}`, id, request)
		a := p.answer(id)
		said = append(said, a.Response.Subtype+" "+a.Response.Error+string(a.Response.Response))
	}
	p.result(strings.Join(said, "\n"))
}

// cancels takes a question back, asks another one, and tells whether the first was answered.
func (p *player) cancels(l line) {
	p.init(askTool, requestTool)
	p.echo(l)
	message := func(id, message string) {
		p.say(`{"type":"control_request","request_id":%q,"request":{"subtype":"mcp_message","server_name":"devflow","message":%s}}`, id, message)
	}
	message("m1", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	p.answer("m1")
	message("m2", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_region","arguments":{"region":"ui","question":"q"}}}`)
	message("m2", `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`) // the same id again
	p.say(`{"type":"control_cancel_request","request_id":"m2"}`)
	message("m3", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	p.result(string(p.answer("m3").Response.Response))
}
