package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// ErrOffset reports a start offset that is not the start of a line of the present file: it was replaced or truncated.
var ErrOffset = errors.New("offset is not the start of a line")

// ReadTranscript calls each for every whole line from the offset on and returns the offset of the first byte that was not
// consumed: the end, or the start of a last line that has no newline yet. An error of each stops the reading before its line.
func ReadTranscript(path string, from int64, each func(Line) error) (next int64, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return from, err
	}
	if from < 0 || from > int64(len(data)) || from > 0 && data[from-1] != '\n' {
		return from, ErrOffset
	}
	for next = from; ; {
		i := bytes.IndexByte(data[next:], '\n')
		if i < 0 {
			return next, nil
		}
		l := parseLine(data[next : next+int64(i)])
		l.Offset, l.End = next, next+int64(i)+1
		if err := each(l); err != nil {
			return next, err
		}
		next = l.End
	}
}

func parseLine(b []byte) Line {
	var w struct {
		Type, Subtype, PromptID, UUID, RequestID, AgentID string
		IsSidechain                                       bool
		Timestamp                                         time.Time
		Message                                           struct {
			ID, Model string
			Content   json.RawMessage
			Usage     *struct {
				In   int64 `json:"input_tokens"`
				Out  int64 `json:"output_tokens"`
				Read int64 `json:"cache_read_input_tokens"`
				Mk   int64 `json:"cache_creation_input_tokens"`
				C    struct {
					H int64 `json:"ephemeral_1h_input_tokens"`
				} `json:"cache_creation"`
			}
		}
	}
	if json.Unmarshal(b, &w) != nil {
		return Line{Broken: true}
	}
	l := Line{Type: w.Type, Subtype: w.Subtype, PromptID: w.PromptID, UUID: w.UUID, AgentID: w.AgentID, RequestID: w.RequestID, Sidechain: w.IsSidechain, At: w.Timestamp}
	if u := w.Message.Usage; u != nil && w.Type == "assistant" {
		l.Usage = &Usage{MessageID: w.Message.ID, RequestID: w.RequestID, Model: w.Message.Model, Input: u.In, Output: u.Out, CacheRead: u.Read, CacheWrite1h: u.C.H, CacheWrite5m: max(0, u.Mk-u.C.H)}
	}
	var items []struct {
		Type, ID, Name, Text string
		Input                json.RawMessage
	}
	_ = json.Unmarshal(w.Message.Content, &items)
	for _, it := range items {
		switch it.Type {
		case "text":
			l.Text, l.Prompt = it.Text, w.Type == "user"
		case "tool_use":
			l.ToolUses = append(l.ToolUses, ToolUse{ID: it.ID, Name: it.Name, Input: it.Input})
		}
	}
	l.Prompt = l.Prompt || w.Type == "user" && len(w.Message.Content) > 0 && w.Message.Content[0] == '"'
	return l
}

// TailHas reports whether the transcript's newest assistant text is text, with nothing of the conversation after it. For ""
// it is true: there is nothing to wait for.
func TailHas(path, text string) bool {
	if text == "" {
		return true
	}
	var last string
	_, err := ReadTranscript(path, 0, func(l Line) error {
		if l.Type == "user" {
			last = ""
		}
		if l.Text != "" {
			last = l.Text
		}
		return nil
	})
	return err == nil && last != "" && strings.HasSuffix(text, strings.TrimSpace(last))
}

// WaitTail polls the transcript until TailHas, at most 250 ms: at Stop the client writes the last message some milliseconds
// after it started the hook. False means that the transcript is still incomplete.
func WaitTail(ctx context.Context, path, lastMessage string) bool {
	ctx, cancel := context.WithTimeout(ctx, 250*time.Millisecond)
	defer cancel()
	for {
		if TailHas(path, lastMessage) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(8 * time.Millisecond):
		}
	}
}

// SubagentFiles lists the transcripts of a session's subagents, sorted by name. None is no error.
func SubagentFiles(transcriptPath string) ([]string, error) {
	dir := filepath.Join(strings.TrimSuffix(transcriptPath, ".jsonl"), "subagents")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, "agent-") && strings.HasSuffix(n, ".jsonl") && e.Type().IsRegular() {
			files = append(files, filepath.Join(dir, n))
		}
	}
	sort.Strings(files)
	return files, err
}
