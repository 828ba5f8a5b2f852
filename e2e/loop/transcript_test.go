package loop_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// usageOf are the counts of one reply.
type usageOf struct {
	in, out, read, w5, w1h int
}

// say adds one reply of the model to the transcript of the session, or of a subagent: one line for each block of content, all with the
// same id and usage, as the client writes it.
//
//	-in -out -read -w5 -w1h N   tokens: input, output, cache read, cache writes for 5 minutes and for 1 hour
//	-id, -req, -model TEXT      ids and model; -req none leaves the request out
//	-blocks N                   content blocks (1)
//	-agent ID                   in the transcript of a subagent
//	-kb N                       a block of N KiB
func (w *world) say(args []string) error {
	flags := flag.NewFlagSet("say", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var u usageOf
	n := w.number()
	flags.IntVar(&u.in, "in", 0, "")
	flags.IntVar(&u.out, "out", 0, "")
	flags.IntVar(&u.read, "read", 0, "")
	flags.IntVar(&u.w5, "w5", 0, "")
	flags.IntVar(&u.w1h, "w1h", 0, "")
	id := flags.String("id", fmt.Sprintf("msg_%04d", n), "")
	req := flags.String("req", fmt.Sprintf("req_%04d", n), "")
	model := flags.String("model", "claude-opus-5-5", "")
	blocks := flags.Int("blocks", 1, "")
	agent := flags.String("agent", "", "")
	kb := flags.Int("kb", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := need(flags.Args(), 1, 1); err != nil {
		return err
	}
	text := flags.Arg(0) + strings.Repeat("x", *kb<<10)
	file := w.transcript()
	if *agent != "" {
		file = filepath.Join(strings.TrimSuffix(file, ".jsonl"), "subagents", "agent-"+*agent+".jsonl")
	}
	if err := w.firstLine(file); err != nil {
		return err
	}
	for range *blocks {
		line, err := w.line(text, *id, *req, *model, u, *agent != "")
		if err != nil {
			return err
		}
		if err := add(file, line); err != nil {
			return err
		}
	}
	return nil
}

// line is one line of a transcript of 2.1.332 (internal/claude/testdata/transcript), without the fields that only the client reads.
func (w *world) line(text, id, req, model string, u usageOf, sidechain bool) ([]byte, error) {
	message := map[string]any{
		"id": id, "model": model, "role": "assistant", "type": "message", "stop_reason": "end_turn", "stop_sequence": nil,
		"content": []any{map[string]any{"type": "text", "text": text}},
		"usage": map[string]any{
			"input_tokens": u.in, "output_tokens": u.out, "cache_read_input_tokens": u.read, "cache_creation_input_tokens": u.w5 + u.w1h,
			"cache_creation": map[string]any{"ephemeral_5m_input_tokens": u.w5, "ephemeral_1h_input_tokens": u.w1h}, "service_tier": "standard",
		},
	}
	line := map[string]any{
		"parentUuid": nil, "isSidechain": sidechain, "message": message, "type": "assistant", "uuid": fmt.Sprintf("44444444-0000-4000-8000-%012d", w.number()),
		"timestamp": "2026-11-20T10:00:00.000Z", "cwd": w.cwd(), "sessionId": w.env("SESSION"), "version": w.env("CLIENT"), "gitBranch": "feat/demo",
	}
	if req != "none" {
		line["requestId"] = req
	}
	return json.Marshal(line)
}

// firstLine begins a transcript as the client does.
func (w *world) firstLine(file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	line, err := json.Marshal(map[string]any{
		"type": "queue-operation", "operation": "enqueue", "content": "x", "sessionId": w.env("SESSION"), "timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	})
	if err != nil {
		return err
	}
	return add(file, line)
}

// bigLine adds a line of a user, as long as the output of a tool can be.
func (w *world) bigLine(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	mib, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	const head = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"`
	line := make([]byte, 0, len(head)+mib<<20+8)
	line = append(line, head...)
	for range mib << 20 {
		line = append(line, 'x')
	}
	return add(w.transcript(), append(line, `"}]}}`...))
}

// add appends a line to a file.
func add(file string, line []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return err
}

// lastWords makes sure that the transcript ends with a text, as it does when a turn ends. Such a reply costs 3 tokens.
func (w *world) lastWords(text string) error {
	data, err := os.ReadFile(w.transcript())
	if err == nil {
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		if strings.Contains(lines[len(lines)-1], `"text":`+string(quoted(text))) {
			return nil
		}
	}
	return w.say([]string{"-in", "2", "-out", "1", text})
}
