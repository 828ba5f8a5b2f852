package transcript_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/claude/transcript"
)

// FuzzLines holds the reader to three properties: the size of its buffer does not matter, lines are found where newlines
// are, and what encoding/json takes for a line of the known shapes is read with the same content.
func FuzzLines(f *testing.F) {
	for _, path := range []string{session, handed} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(line, uint16(7))
		}
		f.Add(data, uint16(100))
	}
	for _, seed := range []string{
		`{"type":"user","uuid":"a\"b\\","message":{"content":[{"type":"text","text":"\u00e9\n"}]},"timestamp":"2026-02-30T00:00:00.000Z"}` + "\n",
		`{"type":"assistant","message":{"content":[{"text":"x\\\\","type":"text"},{"type":"tool_use","id":"\u0041","name":"N","input":{"a":[1,{"b":"}"}]}}],"id":"m","usage":{"input_tokens":1e3}}}` + "\r\n \n{}\n[]\n",
		"\n\n{\n}\n", `{"a":{}}` + "\n" + `{"a":"\`, "\xef\xbb\xbf{}\n",
	} {
		f.Add([]byte(seed), uint16(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, buffer uint16) {
		lines, next := transcript.Lines(data, 1<<16)
		small, smallNext := transcript.Lines(data, int(buffer%300)+1)
		if diff := cmp.Diff(lines, small); diff != "" || next != smallNext {
			t.Fatalf("%q: a buffer of %d changes the lines: -want +got\n%s", data, buffer%300+1, diff)
		}
		at := int64(0)
		for _, l := range lines {
			for blank(data[at : at+int64(bytes.IndexByte(data[at:], '\n'))+1]) {
				at += int64(bytes.IndexByte(data[at:], '\n')) + 1
			}
			if l.Offset != at || l.End != at+int64(bytes.IndexByte(data[at:], '\n'))+1 {
				t.Fatalf("%q: line at %d to %d, want %d", data, l.Offset, l.End, at)
			}
			at = l.End
			compare(t, data[l.Offset:l.End], l)
		}
		if rest := data[at:]; bytes.IndexByte(rest, '\n') >= 0 && !blank(rest[:bytes.LastIndexByte(rest, '\n')+1]) {
			t.Fatalf("%q: stopped at %d", data, at)
		}
	})
}

func blank(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, " \t\r\n")) == 0 }

// wire is the slow and sure way to read a line.
type wire struct {
	Type        string `json:"type"`
	UUID        string `json:"uuid"`
	PromptID    string `json:"promptId"`
	RequestID   string `json:"requestId"`
	IsSidechain bool   `json:"isSidechain"`
	Timestamp   string `json:"timestamp"`
	Message     struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			ID    string          `json:"id"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Usage *struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

func compare(t *testing.T, line []byte, l transcript.Line) {
	t.Helper()
	if !utf8.ValidString(l.UUID) || !utf8.ValidString(l.Text) || len(l.Text) > transcript.MaxText || len(l.ToolUses) > transcript.MaxToolUses {
		t.Fatalf("%q: out of bounds: %+v", line, l)
	}
	for _, u := range l.ToolUses {
		if len(u.Input) > transcript.MaxToolInput || json.Valid(line) && u.Input != nil && !json.Valid(u.Input) {
			t.Fatalf("%q: tool input %q", line, u.Input)
		}
	}
	var w wire
	if json.Unmarshal(line, &w) != nil || len(line) > 1000 || w.Type != "assistant" && w.Type != "user" || ambiguous(line) {
		return
	}
	want := transcript.Line{Type: w.Type, UUID: w.UUID, PromptID: w.PromptID, RequestID: w.RequestID, Sidechain: w.IsSidechain}
	want.At, _ = time.Parse(time.RFC3339Nano, w.Timestamp)
	for _, c := range w.Message.Content {
		switch {
		case c.Type == "text" && w.Type == "assistant":
			want.Text = c.Text
		case c.Type == "tool_use" && w.Type == "assistant":
			want.ToolUses = append(want.ToolUses, transcript.ToolUse{ID: c.ID, Name: c.Name, Input: c.Input})
		}
	}
	if u := w.Message.Usage; u != nil && w.Type == "assistant" {
		want.Usage = &transcript.Usage{Input: max(0, u.Input), Output: max(0, u.Output)}
	}
	got := transcript.Line{Type: l.Type, UUID: l.UUID, PromptID: l.PromptID, RequestID: l.RequestID, Sidechain: l.Sidechain, At: l.At, Text: l.Text, ToolUses: l.ToolUses}
	if l.Usage != nil {
		got.Usage = &transcript.Usage{Input: l.Usage.Input, Output: l.Usage.Output}
	}
	if diff := cmp.Diff(want, got); diff != "" || l.Broken {
		t.Fatalf("%q: broken = %v, -want +got\n%s", line, l.Broken, diff)
	}
}

// ambiguous reports lines that encoding/json reads in its own way: it matches names without regard to case, and folds
// duplicate objects in each other.
func ambiguous(line []byte) bool {
	found := false
	var walk func(d *json.Decoder) bool
	walk = func(d *json.Decoder) bool {
		tok, err := d.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'):
			seen := map[string]bool{}
			for d.More() {
				name, err := d.Token()
				if err != nil {
					return false
				}
				key, _ := name.(string)
				if seen[strings.ToLower(key)] || key != strings.ToLower(key) && !strings.Contains(" promptId requestId isSidechain parentUuid ", " "+key+" ") {
					found = true
				}
				for _, r := range key {
					found = found || r > 0x7f
				}
				seen[strings.ToLower(key)] = true
				if !walk(d) {
					return false
				}
			}
			_, err = d.Token()
		case json.Delim('['):
			for d.More() {
				if !walk(d) {
					return false
				}
			}
			_, err = d.Token()
		case nil:
			found = true // null leaves the Go value, but a name that comes again is found above
		}
		return err == nil
	}
	walk(json.NewDecoder(bytes.NewReader(line)))
	return found
}
