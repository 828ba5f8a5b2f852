package transcript_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/claude/transcript"
)

const (
	session = "testdata/b237628d-1532-47ad-8d0b-512096508d0b.jsonl"
	handed  = "testdata/11111111-1111-4111-8111-111111111111.jsonl"
)

func read(tb testing.TB, path string, from int64) (lines []transcript.Line, next int64) {
	tb.Helper()
	next, err := transcript.Read(path, from, func(l transcript.Line) error {
		lines = append(lines, l)
		return nil
	})
	if err != nil {
		tb.Fatalf("Read(%s, %d): %v", path, from, err)
	}
	return lines, next
}

func write(tb testing.TB, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// total counts each reply once, with its largest output.
func total(lines []transcript.Line) (sum transcript.Usage) {
	once := map[uint64]transcript.Usage{}
	for _, l := range lines {
		if l.Usage == nil || l.Usage.Synthetic() {
			continue
		}
		if have, ok := once[l.Usage.Key()]; !ok || l.Usage.Output > have.Output {
			once[l.Usage.Key()] = *l.Usage
		}
	}
	for _, u := range once {
		sum.Input += u.Input
		sum.Output += u.Output
		sum.CacheRead += u.CacheRead
		sum.CacheWrite5m += u.CacheWrite5m
		sum.CacheWrite1h += u.CacheWrite1h
	}
	return sum
}

func TestEachReplyCountsOnce(t *testing.T) {
	t.Parallel()
	lines, _ := read(t, handed, 0)
	want := transcript.Usage{Input: 20, Output: 209, CacheWrite5m: 2000, CacheRead: 10000}
	if diff := cmp.Diff(want, total(lines)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if last := lines[len(lines)-1]; !last.Broken {
		t.Errorf("the broken last line is %+v", last)
	}
	lines, _ = read(t, session, 0)
	want = transcript.Usage{Input: 3000, Output: 77 + 88 + 99, CacheWrite5m: 900, CacheWrite1h: 1200, CacheRead: 15000}
	if diff := cmp.Diff(want, total(lines)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestReadGivesTheLinesOfARealSession(t *testing.T) {
	t.Parallel()
	lines, next := read(t, session, 0)
	info, err := os.Stat(session)
	if err != nil {
		t.Fatal(err)
	}
	if next != info.Size() || len(lines) != 14 {
		t.Errorf("%d lines, next %d of %d", len(lines), next, info.Size())
	}
	at := func(ms int) time.Time { return time.Date(2026, 11, 30, 12, 52, 24, ms*1e6, time.UTC) }
	want := []transcript.Line{
		{Type: "user", PromptID: "6f2e4b35-88db-4f2e-aabf-24d1293dd634", UUID: "69dcda66-45af-444d-a3f5-e77bc55f7b4c", At: at(879), Prompt: true},
		{Type: "assistant", UUID: "a16200f8-7760-49e4-a189-10ac1fded48b", At: at(959), Usage: &transcript.Usage{MessageID: "msg_0001",
			Model: "claude-opus-4-8", Input: 1000, Output: 77, CacheRead: 5000, CacheWrite5m: 300, CacheWrite1h: 400, Speed: "standard"}},
	}
	got := []transcript.Line{lines[2], lines[3]}
	for i := range got {
		got[i].Offset, got[i].End = 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if l := lines[4]; l.Text != "txt" || len(l.ToolUses) != 0 {
		t.Errorf("text line is %+v", l)
	}
	uses := []transcript.ToolUse{{ID: "toolu_0001_0", Name: "Bash", Input: json.RawMessage(`{"command":"echo a","description":"d"}`)}}
	if diff := cmp.Diff(uses, lines[5].ToolUses); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if l := lines[7]; l.Type != "user" || l.Prompt || l.UUID != "e4a29c66-c59e-4225-bc05-cb8ae7db763c" || l.At.IsZero() {
		t.Errorf("tool result line is %+v", l)
	}
	files, err := transcript.SubagentFiles(session)
	if err != nil || len(files) != 1 {
		t.Fatalf("SubagentFiles: %q, %v", files, err)
	}
	agent, _ := read(t, files[0], 0)
	if l := agent[1]; !l.Sidechain || l.AgentID != "a4c37f07b57aa5153" || l.Usage.Output != 11 {
		t.Errorf("subagent line is %+v", l)
	}
}

// A reading in two halves, cut at any byte, sees every line once.
func TestReadGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := read(t, session, 0)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	for cut := 0; cut <= len(data); cut += 97 {
		if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		first, next := read(t, path, 0)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		second, end := read(t, path, next)
		if diff := cmp.Diff(all, append(first, second...)); diff != "" || end != int64(len(data)) {
			t.Fatalf("cut at %d: end %d, -want +got\n%s", cut, end, diff)
		}
	}
}

func TestReadSkipsWhatIsBroken(t *testing.T) {
	t.Parallel()
	const good = `{"type":"assistant","uuid":"u","message":{"id":"m","usage":{"output_tokens":5}}}`
	for _, tc := range []struct {
		name, line string
		broken     bool
	}{
		{"white space around", " \t" + good + " \r", false},
		{"an array", `[1]`, true},
		{"text", `hello`, true},
		{"null", `null`, true},
		{"torn", good[:40], true},
		{"torn inside a string", `{"type":"assistant","message":{"id":"m`, true},
		{"torn and gone on", good[:40] + good, true},
		{"two objects", good + good, true},
		{"binary", "\x00\xff\xfe{", true},
		{"no comma", `{"type":"assistant" "uuid":"u"}`, true},
		{"no colon", `{"type""assistant"}`, true},
		{"no value", `{"type":"assistant","uuid":}`, true},
		{"torn in an uninteresting line", `{"type":"progress","data":{"a":[`, true},
		{"deep", `{"type":"assistant","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, false},
		{"deep and torn", `{"type":"assistant","x":` + strings.Repeat("[", 100_000), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			lines, next := read(t, write(t, good+"\n"+tc.line+"\n\n \r\n"+good+"\n"), 0)
			if len(lines) != 3 || lines[1].Broken != tc.broken || lines[0].Usage == nil || lines[2].Usage == nil || lines[2].Usage.Output != 5 {
				t.Errorf("got %+v", lines)
			}
			if tc.broken {
				if diff := cmp.Diff(transcript.Line{Offset: lines[0].End, End: lines[0].End + int64(len(tc.line)) + 1, Broken: true}, lines[1]); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
			if next != lines[2].End {
				t.Errorf("next %d, want %d", next, lines[2].End)
			}
		})
	}
}

func TestReadLeavesATornLastLine(t *testing.T) {
	t.Parallel()
	const line = `{"type":"user","message":{"content":"x"}}`
	for _, rest := range []string{"", "{", line[:20], line, "   ", "\xff"} {
		lines, next := read(t, write(t, line+"\n"+rest), 0)
		if len(lines) != 1 || next != int64(len(line))+1 {
			t.Errorf("rest %q: %d lines, next %d", rest, len(lines), next)
		}
	}
}

func TestReadTakesByteOrderMarkAndCarriageReturns(t *testing.T) {
	t.Parallel()
	lines, _ := read(t, write(t, "\ufeff{\"type\":\"user\",\"uuid\":\"1\"}\r\n{\"type\":\"user\",\"uuid\":\"2\"}\r\n"), 0)
	if len(lines) != 2 || lines[0].UUID != "1" || lines[1].UUID != "2" || lines[1].Broken {
		t.Errorf("got %+v", lines)
	}
}

func TestReadReportsAnOffsetThatIsNoLineStart(t *testing.T) {
	t.Parallel()
	path := write(t, "{}\n{}\n")
	for _, from := range []int64{-1, 1, 2, 4, 5, 7, 1 << 40} {
		if next, err := transcript.Read(path, from, nil); !errors.Is(err, transcript.ErrOffset) || next != from {
			t.Errorf("from %d: %d, %v; want ErrOffset", from, next, err)
		}
	}
	for _, from := range []int64{3, 6} {
		if _, next := read(t, path, from); next != 6 {
			t.Errorf("from %d: next %d", from, next)
		}
	}
	if _, err := transcript.Read(path+"x", 0, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestReadStopsInFrontOfTheLineThatEachRefuses(t *testing.T) {
	t.Parallel()
	path := write(t, "{\"type\":\"user\"}\n{\"type\":\"system\"}\n{\"type\":\"user\"}\n")
	refused := errors.New("no")
	next, err := transcript.Read(path, 0, func(l transcript.Line) error {
		if l.Type == "system" {
			return refused
		}
		return nil
	})
	if err != refused || next != 16 {
		t.Errorf("next %d, %v", next, err)
	}
}

func TestUsageOfOddShapes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		line string
		want *transcript.Usage
	}{
		"one hour":              {`{"type":"assistant","message":{"id":"m","usage":{"cache_creation_input_tokens":8989,"cache_creation":{"ephemeral_1h_input_tokens":8989,"ephemeral_5m_input_tokens":0}}}}`, &transcript.Usage{MessageID: "m", CacheWrite1h: 8989}},
		"no split":              {`{"type":"assistant","message":{"id":"m","usage":{"cache_creation_input_tokens":7}}}`, &transcript.Usage{MessageID: "m", CacheWrite5m: 7}},
		"no sum":                {`{"type":"assistant","message":{"id":"m","usage":{"cache_creation":{"ephemeral_1h_input_tokens":3,"ephemeral_5m_input_tokens":4}}}}`, &transcript.Usage{MessageID: "m", CacheWrite5m: 4, CacheWrite1h: 3}},
		"sum above the split":   {`{"type":"assistant","message":{"id":"m","usage":{"cache_creation":{"ephemeral_1h_input_tokens":3},"cache_creation_input_tokens":10}}}`, &transcript.Usage{MessageID: "m", CacheWrite5m: 7, CacheWrite1h: 3}},
		"null split":            {`{"type":"assistant","message":{"id":"m","usage":{"input_tokens":1,"cache_creation":null}}}`, &transcript.Usage{MessageID: "m", Input: 1}},
		"wrong types":           {`{"type":"assistant","message":{"id":5,"usage":{"input_tokens":"1","output_tokens":2.9,"cache_read_input_tokens":-4}},"requestId":"r"}`, &transcript.Usage{RequestID: "r", Output: 2}},
		"type last":             {`{"message":{"usage":{"output_tokens":2},"model":"x","id":"m"},"type":"assistant"}`, &transcript.Usage{MessageID: "m", Model: "x", Output: 2}},
		"the last usage counts": {`{"type":"assistant","message":{"id":"m","usage":{"output_tokens":2,"input_tokens":9},"usage":{"output_tokens":3}}}`, &transcript.Usage{MessageID: "m", Output: 3}},
		"escaped names":         {`{"t\u0079pe":"assistant","message":{"id":"m","us\u0061ge":{"output_tokens":3}}}`, &transcript.Usage{MessageID: "m", Output: 3}},
		"nested usage":          {`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","input":{"usage":{"output_tokens":99}}}],"usage":{"output_tokens":3,"iterations":[{"output_tokens":50}]}}}`, &transcript.Usage{MessageID: "m", Output: 3}},
		"no ids":                {`{"type":"assistant","uuid":"u1","message":{"usage":{"output_tokens":3}}}`, &transcript.Usage{MessageID: "uuid:u1", Output: 3}},
		"a user's":              {`{"type":"user","message":{"usage":{"output_tokens":3}}}`, nil},
		"null":                  {`{"type":"assistant","message":{"id":"m","usage":null}}`, nil},
		"none":                  {`{"type":"assistant","message":{"id":"m"}}`, nil},
	} {
		lines, _ := read(t, write(t, tc.line+"\n"), 0)
		if diff := cmp.Diff(tc.want, lines[0].Usage); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestKeyTellsRepliesApart(t *testing.T) {
	t.Parallel()
	base := transcript.Usage{MessageID: "m", RequestID: "r", Model: "x", Input: 1, Output: 2, CacheRead: 3, CacheWrite5m: 4, CacheWrite1h: 5}
	same := base
	same.Output, same.Model, same.CacheWrite5m, same.CacheWrite1h = 99, "y", 5, 4
	if base.Key() != same.Key() {
		t.Error("output, model and the split of cache writes must not matter")
	}
	if got, want := base.Key(), uint64(0x2704fce84aea7656); got != want { // stores hold it
		t.Errorf("key is %#x, want %#x", got, want)
	}
	for _, change := range []func(*transcript.Usage){
		func(u *transcript.Usage) { u.MessageID = "n" }, func(u *transcript.Usage) { u.RequestID = "" },
		func(u *transcript.Usage) { u.MessageID, u.RequestID = "mr", "" }, func(u *transcript.Usage) { u.Input++ },
		func(u *transcript.Usage) { u.CacheRead++ }, func(u *transcript.Usage) { u.CacheWrite1h++ },
	} {
		u := base
		change(&u)
		if u.Key() == base.Key() {
			t.Errorf("%+v has the key of %+v", u, base)
		}
	}
}

func TestHookLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]*transcript.HookRun{
		`{"isSidechain":false,"attachment":{"type":"hook_non_blocking_error","hookName":"PreToolUse:Bash","toolUseID":"t","hookEvent":"PreToolUse","stderr":"Failed","stdout":"noise\n","exitCode":1,"command":"echo noise; exit 1","durationMs":26},"type":"attachment","uuid":"u"}`: {Kind: "hook_non_blocking_error", Name: "PreToolUse:Bash", Event: "PreToolUse", Command: "echo noise; exit 1", ExitCode: 1, DurationMS: 26},
		`{"attachment":{"type":"hook_blocking_error","hookName":"Stop","hookEvent":"Stop","blockingError":{"blockingError":"GOON","command":"c \"q\""}},"type":"attachment"}`:                                                                                                         {Kind: "hook_blocking_error", Name: "Stop", Event: "Stop", Command: `c "q"`},
		`{"attachment":{"type":"hook_cancelled","hookName":"Stop","hookEvent":"Stop","timedOut":true},"type":"attachment"}`:                                                                                                                                                           {Kind: "hook_cancelled", Name: "Stop", Event: "Stop", TimedOut: true},
		`{"attachment":{"type":"skill_listing","command":"x"},"type":"attachment"}`:                                                                                                                                                                                                   nil,
		`{"attachment":"hook_success","type":"attachment"}`: nil,
	} {
		lines, _ := read(t, write(t, line+"\n"), 0)
		if diff := cmp.Diff(want, lines[0].Hook); diff != "" || lines[0].Broken || lines[0].Type != "attachment" {
			t.Errorf("%s: %+v -want +got\n%s", line, lines[0], diff)
		}
	}
}

func TestCompaction(t *testing.T) {
	t.Parallel()
	lines, _ := read(t, write(t, `{"parentUuid":null,"isSidechain":false,"type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"timestamp":"2026-11-30T14:50:53.344Z","uuid":"u","compactMetadata":{"trigger":"manual","preTokens":212,"preservedSegment":{"a":[]}}}
{"type":"user","promptId":"p","message":{"role":"user","content":"This session is being continued"},"isVisibleInTranscriptOnly":true,"isCompactSummary":true,"uuid":"u2","timestamp":"2026-11-30T14:50:53.344Z"}
{"type":"user","promptId":"p","message":{"role":"user","content":"Stop hook feedback:\nx"},"isMeta":true,"uuid":"u2","timestamp":"2026-11-30T14:50:53.344Z"}
`), 0)
	if l := lines[0]; l.Subtype != "compact_boundary" || l.CompactTokens != 212 || l.Type != "system" {
		t.Errorf("boundary is %+v", l)
	}
	if l := lines[1]; !l.CompactSummary || !l.Prompt || l.Meta {
		t.Errorf("summary is %+v", l)
	}
	if l := lines[2]; l.CompactSummary || !l.Meta {
		t.Errorf("feedback is %+v", l)
	}
}

func TestBoundsOfALine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`a\n\u00e9\"\\`, 20_000)
	uses := strings.Repeat(`{"name":"T","id":"i","input":{},"type":"tool_use"},`, 200)
	lines, _ := read(t, write(t, `{"type":"assistant","message":{"content":[`+uses+`{"input":{"x":"`+long+`"},"type":"tool_use","id":"big"},{"text":"`+long+`","type":"text"}]}}`+"\n"+
		`{"type":"assistant","message":{"content":[{"input":{"x":"`+long+`"},"type":"tool_use","id":"big"}]}}`+"\n"), 0)
	if l := lines[0]; len(l.ToolUses) != transcript.MaxToolUses || string(l.ToolUses[0].Input) != "{}" {
		t.Errorf("%d tool uses, the first is %+v", len(l.ToolUses), l.ToolUses[0])
	}
	if u := lines[1].ToolUses[0]; u.ID != "big" || u.Input != nil {
		t.Errorf("a large input is %.40q", u.Input)
	}
	whole := strings.Repeat("a\né\"\\", 20_000)
	if text := lines[0].Text; len(text) > transcript.MaxText || len(text) < transcript.MaxText/3 || !strings.HasSuffix(whole, text) {
		t.Errorf("text of %d bytes: %.40q", len(text), text)
	}
}

// One line of 100 MB, of any kind, is read with bounded memory, and the replies around and inside it count.
func TestAHugeLineCostsBoundedMemory(t *testing.T) {
	const reply = `{"type":"assistant","message":{"id":"ID","usage":{"output_tokens":1}}}` + "\n"
	fill := func(w io.Writer) {
		chunk := bytes.Repeat([]byte(`0123456789 \"text\" \\ \n`), 40<<10)
		for range 100 {
			_, _ = w.Write(chunk)
		}
	}
	for _, tc := range []struct {
		name, before, after string
		want                int
	}{
		{"tool result", `{"promptId":"p","type":"user","message":{"content":[{"type":"tool_result","content":"`, `"}]},"uuid":"u"}`, 2},
		{"unknown line", `{"type":"progress","data":"`, `"}`, 2},
		{"text", `{"type":"assistant","message":{"content":[{"text":"`, `","type":"text"}],"id":"big","usage":{"output_tokens":1}}}`, 3},
		{"tool input", `{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"content":"`, `"}}],"id":"big","usage":{"output_tokens":1}}}`, 3},
		{"member name", `{"type":"assistant","message":{"`, `":1,"id":"big","usage":{"output_tokens":1}}}`, 3},
		{"unclosed", `{"type":"assistant","message":{"content":"`, ``, 2},
		{"no object", `"`, `"`, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.jsonl")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w := bufio.NewWriter(f)
			_, _ = w.WriteString(strings.Replace(reply, "ID", "one", 1) + tc.before)
			fill(w)
			_, _ = w.WriteString(tc.after + "\n" + strings.Replace(reply, "ID", "two", 1))
			if err := errors.Join(w.Flush(), f.Close()); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			lines, next := read(t, path, 0)
			runtime.ReadMemStats(&after)
			// TotalAlloc only grows: what was ever allocated bounds what was ever held.
			if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
				t.Errorf("%d bytes were allocated", used)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if sum := total(lines); sum.Output != int64(tc.want) || len(lines) != 3 || next != info.Size() {
				t.Errorf("%d lines, %d replies, next %d of %d", len(lines), sum.Output, next, info.Size())
			}
		})
	}
}
