package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// transcriptFixtures holds a recorded session of a client version: the main transcript and a subagent's.
func transcriptFixtures(version string) string {
	return filepath.Join("..", "internal", "claude", "testdata", "transcript", version)
}

type transcriptLine struct {
	Type        string `json:"type"`
	IsSidechain bool   `json:"isSidechain"`
	PromptID    string `json:"promptId"`
	RequestID   string `json:"requestId"`
	Message     struct {
		ID      string            `json:"id"`
		Model   string            `json:"model"`
		Content json.RawMessage   `json:"content"`
		Usage   map[string]any    `json:"usage"`
		Blocks  []json.RawMessage `json:"-"`
	} `json:"message"`
}

// TestTranscriptKeepsTheShapeThatWeCountBy checks what the token count rests on: one line for each block of a message, each with the
// same final usage, and subagents in files of their own.
func TestTranscriptKeepsTheShapeThatWeCountBy(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		r := record(t, c, func(path func(string) string) mockapi.Script {
			usage := &mockapi.Usage{Input: 1000, Output: 77, CacheRead: 5000, CacheWrite5m: 300, CacheWrite1h: 400}
			agent := mockapi.Agent("dd", "SUBTASK do it")
			agent.Input["run_in_background"] = false
			return mockapi.Script{
				Usage: usage,
				Steps: []mockapi.Step{
					mockapi.Turn(mockapi.Thinking("let me think"), mockapi.Text("txt"), mockapi.Bash("echo a"), mockapi.Bash("echo b")),
					mockapi.Turn(mockapi.Text("mid"), agent),
					mockapi.Turn(mockapi.Write(path("a.py"), "def f():\n    return 1\n")),
					mockapi.Say("final"), mockapi.Say("second prompt"), mockapi.Say("after compaction"),
				},
				Talks: map[string][]mockapi.Step{"SUBTASK": {mockapi.Turn(mockapi.Bash("echo sub")), mockapi.Say("sfinal")}},
			}
		})
		res := r.run(claudecli.Options{Prompts: []string{"do it", "again", "/compact", "more"}})
		main := onlyFile(t, filepath.Join(r.home.Dir, ".claude", "projects", "*", res.SessionID+".jsonl"))
		sub := onlyFile(t, filepath.Join(r.home.Dir, ".claude", "projects", "*", res.SessionID, "subagents", "agent-a*.jsonl"))
		if *update && c.Version != "2.1.197" { // the one of 2.1.197 was handed to us
			writeTranscript(t, r, "session.jsonl", main)
			writeTranscript(t, r, "subagent.jsonl", sub)
		}

		blocks, first := map[string]int{}, map[string]transcriptLine{}
		for _, l := range readTranscript(t, main) {
			if l.IsSidechain {
				t.Errorf("a subagent's line is in the main transcript: %+v", l)
			}
			if l.Type == "user" && l.PromptID == "" {
				t.Errorf("user line without promptId: %s", l.Message.Content)
			}
			if l.Type != "assistant" {
				continue
			}
			id := l.Message.ID
			blocks[id] += len(l.Message.Blocks)
			if len(l.Message.Blocks) != 1 || l.RequestID == "" || l.Message.Model == "" {
				t.Errorf("assistant line: %d blocks, requestId %q, model %q; want one block and both names", len(l.Message.Blocks), l.RequestID, l.Message.Model)
			}
			if _, seen := first[id]; !seen {
				first[id] = l
			} else if d := cmp.Diff(first[id].Message.Usage, l.Message.Usage); d != "" {
				t.Errorf("lines of message %s differ in usage:\n%s", id, d)
			}
			checkUsage(t, l)
		}
		var sizes []int
		for _, q := range r.srv.Talk("") {
			if n := blocks[mockapi.MessageID(q.N)]; n > 0 {
				sizes = append(sizes, n)
			}
		}
		if d := cmp.Diff([]int{4, 2, 1, 1, 1, 1}, sizes); d != "" {
			t.Errorf("lines per message (-want +got):\n%s", d)
		}
		for _, l := range readTranscript(t, sub) {
			if (l.Type == "assistant" || l.Type == "user") && !l.IsSidechain {
				t.Errorf("line of a subagent is not marked as such: %+v", l)
			}
			if l.Type == "assistant" {
				checkUsage(t, l)
			}
		}
	})
}

func checkUsage(t *testing.T, l transcriptLine) {
	t.Helper()
	want := map[string]any{"input_tokens": 1000.0, "output_tokens": 77.0, "cache_read_input_tokens": 5000.0, "cache_creation_input_tokens": 700.0,
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": 300.0, "ephemeral_1h_input_tokens": 400.0}}
	for k, v := range want {
		if d := cmp.Diff(v, l.Message.Usage[k]); d != "" {
			t.Errorf("usage of message %s, %s (-want +got):\n%s", l.Message.ID, k, d)
		}
	}
}

func readTranscript(t *testing.T, data []byte) []transcriptLine {
	t.Helper()
	var out []transcriptLine
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var l transcriptLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		_ = json.Unmarshal(l.Message.Content, &l.Message.Blocks) // a text content has no blocks
		out = append(out, l)
	}
	return out
}

// onlyFile is the content of the one file that matches a pattern and is not the compaction agent's.
func onlyFile(t *testing.T, pattern string) []byte {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var keep []string
	for _, n := range names {
		data, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("Your task is to create a detailed summary")) {
			keep = append(keep, n)
		}
	}
	if len(keep) != 1 {
		t.Fatalf("%s: %d files %v, want one", pattern, len(keep), keep)
	}
	data, err := os.ReadFile(keep[0])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeTranscript(t *testing.T, r *recording, name string, data []byte) {
	t.Helper()
	dir := transcriptFixtures(r.client.Version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), shorten(t, r.normalise(data)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// keepText is how much of a long text a recorded transcript keeps, in bytes. The client writes its own prompts into its transcripts;
// they are large and not ours.
const keepText = 60

// shorten cuts long texts in all lines but those of the conversation itself.
func shorten(t *testing.T, data []byte) []byte {
	t.Helper()
	var cut func(v any) any
	cut = func(v any) any {
		switch v := v.(type) {
		case string:
			if len(v) > 2*keepText {
				return v[:keepText] + "…"
			}
		case []any:
			if len(v) > 2 {
				v = v[:1] // tool schemas and the like
			}
			for i := range v {
				v[i] = cut(v[i])
			}
			return v
		case map[string]any:
			for k := range v {
				v[k] = cut(v[k])
			}
		}
		return v
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if v["type"] == "user" && v["isCompactSummary"] == nil || v["type"] == "assistant" {
			out.Write(append(line, '\n'))
			continue
		}
		if err := enc.Encode(cut(v)); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}
