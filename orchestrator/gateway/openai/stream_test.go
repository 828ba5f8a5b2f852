package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// stream gives the bytes of a streamed completion from the data of its events.
func stream(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

func say(delta string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

func end(reason string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

const usage = `{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60}}}`

// options make the ids that no server gave countable.
func options() openai.Options {
	n := 0
	return openai.Options{Model: "m", ID: func() string { n++; return fmt.Sprint("made", n) }}
}

// translate feeds the pieces and ends the answer.
func translate(tb testing.TB, o openai.Options, pieces ...string) (string, *openai.Stream) {
	tb.Helper()
	var out bytes.Buffer
	s := o.Stream(&out)
	for _, p := range pieces {
		if _, err := s.Write([]byte(p)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String(), s
}

// short writes events as lines that are easy to compare.
func short(tb testing.TB, out string) []string {
	tb.Helper()
	var lines []string
	for _, e := range events(tb, out) {
		switch v := e.data; e.name {
		case "message_start":
			lines = append(lines, fmt.Sprint("start ", v.Message.ID, " ", v.Message.Model))
		case "content_block_start":
			lines = append(lines, strings.TrimRight(fmt.Sprint(v.Index, " ", v.Block.Type, " ", v.Block.ID, " ", v.Block.Name), " "))
		case "content_block_delta":
			lines = append(lines, fmt.Sprint(v.Index, " ", v.Delta.Type, " ", v.Delta.Text, v.Delta.Thinking, v.Delta.Signature, v.Delta.JSON))
		case "content_block_stop":
			lines = append(lines, fmt.Sprint(v.Index, " stop"))
		case "message_delta":
			sequence := ""
			if v.Delta.Sequence != nil {
				sequence = " " + *v.Delta.Sequence
			}
			lines = append(lines, fmt.Sprint("delta ", v.Delta.Reason, sequence, " ", v.Usage.Input, "+", v.Usage.CacheRead, " ", v.Usage.Output))
		case "error":
			lines = append(lines, "error "+v.Error.Type+" "+v.Error.Message)
		default:
			lines = append(lines, e.name)
		}
	}
	return lines
}

type event struct {
	name string
	data struct {
		Type    string
		Index   int
		Message struct{ ID, Model string }
		Block   struct{ Type, ID, Name string } `json:"content_block"`
		Delta   struct {
			Type, Text, Thinking, Signature string
			JSON                            string  `json:"partial_json"`
			Reason                          string  `json:"stop_reason"`
			Sequence                        *string `json:"stop_sequence"`
		}
		Usage struct {
			Input     int64 `json:"input_tokens"`
			CacheRead int64 `json:"cache_read_input_tokens"`
			Output    int64 `json:"output_tokens"`
		}
		Error struct{ Type, Message string }
	}
}

// events reads what was written and checks the grammar of a streamed message on the way.
func events(tb testing.TB, out string) []event {
	tb.Helper()
	var all []event
	open, next, state := -1, 0, "begin"
	for _, text := range strings.SplitAfter(out, "\n\n") {
		if text == "" {
			continue
		}
		var e event
		name, data, ok := strings.Cut(strings.TrimSuffix(text, "\n\n"), "\ndata: ")
		e.name = strings.TrimPrefix(name, "event: ")
		if !ok || json.Unmarshal([]byte(data), &e.data) != nil || e.data.Type != e.name {
			tb.Fatalf("event %q is no event", text)
		}
		was := state
		switch e.name {
		case "message_start":
			ok, state = state == "begin", "open"
		case "content_block_start":
			ok = state == "open" && open < 0 && e.data.Index == next
			open, next = next, next+1
		case "content_block_delta":
			ok = state == "open" && e.data.Index == open
		case "content_block_stop":
			ok = state == "open" && e.data.Index == open && open >= 0
			open = -1
		case "message_delta":
			ok, state = state == "open" && open < 0, "ending"
		case "message_stop":
			ok, state = state == "ending", "over"
		case "error":
			ok, state = state != "over" && state != "ending", "over"
		default:
			ok = false
		}
		if !ok {
			tb.Fatalf("event %s does not fit (state %s, open block %d)\n%s", e.name, was, open, out)
		}
		all = append(all, e)
	}
	if state != "over" {
		tb.Fatalf("stream ends in state %s\n%s", state, out)
	}
	return all
}

func streamCases() []struct {
	name, in string
	want     []string
} {
	return []struct {
		name, in string
		want     []string
	}{
		{
			"text", stream(say(`{"role":"assistant","content":""}`), say(`{"content":"Hal"}`), say(`{"content":"lo"}`), end("stop"), usage, "[DONE]"),
			[]string{"start chatcmpl-1 m", "0 text", "0 text_delta Hal", "0 text_delta lo", "0 stop", "delta end_turn 40+60 7", "message_stop"},
		},
		{
			"reasoning, text and a call with arguments in pieces",
			stream(say(`{"reasoning_content":"hm"}`), say(`{"content":"ok"}`),
				say(`{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"Write","arguments":""}}]}`),
				say(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":\"}"}}]}`), say(`{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}`),
				end("tool_calls"), "[DONE]"),
			[]string{
				"start chatcmpl-1 m", "0 thinking", "0 thinking_delta hm", "0 signature_delta devflock:reasoning_content", "0 stop", "1 text",
				"1 text_delta ok", "1 stop", "2 tool_use call_a Write", `2 input_json_delta {"a":"}`, `2 input_json_delta "}`, "2 stop", "delta tool_use 0+0 0", "message_stop",
			},
		},
		{
			"parallel calls whose pieces are interleaved",
			stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{\"x\":"}},{"index":1,"id":"b","function":{"name":"Bash","arguments":"{"}}]}`),
				say(`{"tool_calls":[{"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":"1}"}}]}`), end("tool_calls"), "[DONE]"),
			[]string{
				"start chatcmpl-1 m", "0 tool_use a Read", `0 input_json_delta {"x":`, `0 input_json_delta 1}`, "0 stop",
				"1 tool_use b Bash", "1 input_json_delta {", "1 input_json_delta }", "1 stop", "delta tool_use 0+0 0", "message_stop",
			},
		},
		{
			"every call has index 0, whole in one piece; finish says stop",
			stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{}"}}]}`), say(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"Read","arguments":"{}"}}]}`), end("stop")),
			[]string{"start chatcmpl-1 m", "0 tool_use a Read", "0 input_json_delta {}", "0 stop", "1 tool_use b Read", "1 input_json_delta {}", "1 stop", "delta tool_use 0+0 0", "message_stop"},
		},
		{
			"no index, no id, arguments as an object",
			stream(say(`{"tool_calls":[{"function":{"name":"Read","arguments":{"p": "a"}}},{"function":{"name":"Read","arguments":{"p":"b"}}}]}`), end("stop"), "[DONE]"),
			[]string{"start chatcmpl-1 m", "0 tool_use call_made1 Read", `0 input_json_delta {"p":"a"}`, "0 stop", "1 tool_use call_made2 Read", `1 input_json_delta {"p":"b"}`, "1 stop", "delta tool_use 0+0 0", "message_stop"},
		},
		{
			"the same id twice, and the name again with each piece",
			stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{"}}]}`), say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"}"}}]}`),
				say(`{"tool_calls":[{"index":1,"id":"a","function":{"name":"Bash","arguments":"{}"}}]}`), end("tool_calls")),
			[]string{"start chatcmpl-1 m", "0 tool_use a Read", "0 input_json_delta {", "0 input_json_delta }", "0 stop", "1 tool_use call_made1 Bash", "1 input_json_delta {}", "1 stop", "delta tool_use 0+0 0", "message_stop"},
		},
		{
			"a call without arguments, then text",
			stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Now"}}]}`), say(`{"content":"x"}`), end("tool_calls")),
			[]string{"start chatcmpl-1 m", "0 tool_use a Now", "0 stop", "1 text", "1 text_delta x", "1 stop", "delta tool_use 0+0 0", "message_stop"},
		},
		{
			"a call of the old form", stream(say(`{"function_call":{"name":"Read","arguments":"{"}}`), say(`{"function_call":{"arguments":"}"}}`), end("function_call")),
			[]string{"start chatcmpl-1 m", "0 tool_use call_made1 Read", "0 input_json_delta {", "0 input_json_delta }", "0 stop", "delta tool_use 0+0 0", "message_stop"},
		},
		{
			"cut by the limit in the middle of arguments", stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Write","arguments":"{\"x"}}]}`), end("length"), "[DONE]"),
			[]string{"start chatcmpl-1 m", "0 tool_use a Write", `0 input_json_delta {"x`, "0 stop", "delta max_tokens 0+0 0", "message_stop"},
		},
		{
			"reasoning in the other field, refusal, unknown fields", stream(say(`{"reasoning":"r","reasoning_details":[{}],"audio":null}`), say(`{"refusal":"no"}`), end("stop")),
			[]string{"start chatcmpl-1 m", "0 thinking", "0 thinking_delta r", "0 signature_delta devflock:reasoning", "0 stop", "1 text", "1 text_delta no", "1 stop", "delta refusal 0+0 0", "message_stop"},
		},
		{
			"content in parts", stream(say(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}`), say(`{"content":[{"type":"text","text":"a"}]}`), end("stop")),
			[]string{"start chatcmpl-1 m", "0 thinking", "0 thinking_delta t", "0 signature_delta devflock:reasoning_content", "0 stop", "1 text", "1 text_delta a", "1 stop", "delta end_turn 0+0 0", "message_stop"},
		},
		{
			"a stop string that the server names", stream(`{"id":7,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop","stop_reason":"END"}]}`),
			[]string{"start msg_made1 m", "0 text", "0 text_delta a", "0 stop", "delta stop_sequence END 0+0 0", "message_stop"},
		},
		{
			"comments, other fields, CRLF and an event over two lines", "\ufeff: hi\r\nevent: x\r\nid: 1\r\ndata: {\"choices\":\r\ndata: [{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n",
			[]string{"start msg_made1 m", "0 text", "0 text_delta a", "0 stop", "delta end_turn 0+0 0", "message_stop"},
		},
		{
			"one JSON object instead of a stream", ` {"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"a","tool_calls":[{"id":"t","function":{"name":"Read","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
			[]string{"start c m", "0 text", "0 text_delta a", "0 stop", "1 tool_use t Read", "1 input_json_delta {}", "1 stop", "delta tool_use 3+0 2", "message_stop"},
		},
		{
			"an empty answer", stream(end("stop"), "[DONE]"),
			[]string{"start chatcmpl-1 m", "delta end_turn 0+0 0", "message_stop"},
		},
		{
			"other choices are dropped", stream(`{"id":"c","choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"stop"},{"index":0,"delta":{"content":"a"}}]}`, end("stop")),
			[]string{"start c m", "0 text", "0 text_delta a", "0 stop", "delta end_turn 0+0 0", "message_stop"},
		},
	}
}

const cutShort = "error api_error the endpoint's answer ended before it was complete"

func brokenCases() []struct {
	name, in string
	want     []string
} {
	return []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", []string{cutShort}},
		{"only white space", "\n\n \n", []string{cutShort}},
		{"text and then nothing", stream(say(`{"content":"a"}`)), []string{"start chatcmpl-1 m", "0 text", "0 text_delta a", cutShort}},
		{"cut inside an event", stream(say(`{"content":"a"}`)) + `data: {"choices":[{"del`, []string{"start chatcmpl-1 m", "0 text", "0 text_delta a", cutShort}},
		{
			"cut inside arguments that are complete JSON so far", stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Bash","arguments":"{}"}}]}`)),
			[]string{"start chatcmpl-1 m", "0 tool_use a Bash", "0 input_json_delta {}", cutShort},
		},
		{"done without a reason to end", stream(say(`{"content":"a"}`), "[DONE]"), []string{"start chatcmpl-1 m", "0 text", "0 text_delta a", cutShort}},
		{
			"error in the middle, then the end", stream(say(`{"content":"a"}`), `{"error":{"message":"CUDA out of memory","type":"server_error","code":500}}`, end("stop"), "[DONE]"),
			[]string{"start chatcmpl-1 m", "0 text", "0 text_delta a", "error api_error CUDA out of memory"},
		},
		{"error first", stream(`{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`), []string{"error rate_limit_error Rate limit reached"}},
		{"error as text", stream(`{"error":"model is overloaded"}`), []string{"error overloaded_error model is overloaded"}},
		{"error of vLLM", stream(`{"object":"error","message":"This model's maximum context length is 8 tokens","code":400}`), []string{"error invalid_request_error This model's maximum context length is 8 tokens"}},
		{"error of another kind", stream(`{"detail":[{"msg":"bad"}]}`), []string{`error api_error [{"msg":"bad"}]`}},
		{"reason to end is error", stream(say(`{"content":"a"}`), end("error")), []string{"start chatcmpl-1 m", "0 text", "0 text_delta a", "error api_error the endpoint ended its answer with an error"}},
		{"not JSON", stream("hello"), []string{"error api_error the endpoint sent something that is no chat completion: not a JSON object"}},
		{"another object", stream(`{"type":"ping"}`), []string{"error api_error the endpoint sent something that is no chat completion: neither choices nor usage nor an error"}},
		{"choices of a wrong type", stream(`{"choices":7}`), []string{"error api_error the endpoint sent something that is no chat completion: fields of other types than expected"}},
		{"a call without a name", stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}`), end("stop")), []string{"start chatcmpl-1 m", "error api_error the endpoint sent a tool call without a name"}},
		{"a web page", "\n<!doctype html><title>ngrok</title>", []string{"error api_error the endpoint answered with a web page instead of events: is the address right, and the tunnel open?"}},
		{"half an object instead of a stream", `{"choices":[`, []string{"error api_error the endpoint sent something that is no chat completion: not a JSON object"}},
		{"plain text", "Service Unavailable", []string{cutShort}},
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	for _, tt := range append(streamCases(), brokenCases()...) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, s := translate(t, options(), tt.in)
			var parser sse.Parser
			var check sse.Checker
			parser.Feed([]byte(out), func(e sse.Event) bool { check.Event(e); return true })
			if problems, _ := check.Problems(); len(problems) > 0 || check.Stopped() != s.Complete() || (check.Fault() != nil) == s.Complete() {
				t.Errorf("the gateway's own check says %q, stopped %t, fault %v", problems, check.Stopped(), check.Fault())
			}
			if diff := cmp.Diff(tt.want, short(t, out)); diff != "" {
				t.Errorf("translate %s (-want +got):\n%s", tt.in, diff)
			}
			if got, want := s.Complete(), strings.HasSuffix(tt.want[len(tt.want)-1], "message_stop"); got != want {
				t.Errorf("Complete() = %t, want %t", got, want)
			}
		})
	}
}

func TestAnyCutGivesTheSameStream(t *testing.T) {
	t.Parallel()
	cases := append(streamCases(), brokenCases()...)
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom(cases).Draw(t, "case").in
		whole, _ := translate(&testing.T{}, options(), in)
		var pieces []string
		for rest := in; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 40)).Draw(t, "piece")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got, _ := translate(&testing.T{}, options(), pieces...); got != whole {
			t.Fatalf("cut into %q:\n%s\nwhole:\n%s", pieces, got, whole)
		}
	})
}

// Whatever is lost at the end, a message_stop is only written when the server's own end was there.
func TestNoPrefixIsTakenForTheWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range streamCases() {
		for n := range len(tt.in) {
			out, s := translate(t, options(), tt.in[:n])
			if last := short(t, out); s.Complete() && !strings.Contains(tt.in[:n], `finish_reason":"`) {
				t.Fatalf("%s, first %d bytes: complete without a reason to end: %s", tt.name, n, last)
			}
		}
	}
}

func TestFailEndsAStreamOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := openai.NewStream(&out, "m")
	if s.Begun() {
		t.Error("begun before the first byte")
	}
	_, _ = s.Write([]byte(stream(say(`{"content":"a"}`))))
	for _, text := range []string{"nothing came for 60 s", "again"} {
		if err := s.Fail("timeout_error", text); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = s.Write([]byte(stream(end("stop"), "[DONE]")))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := short(t, out.String())
	if want := "error timeout_error nothing came for 60 s"; got[len(got)-1] != want || len(got) != 4 || !s.Begun() || s.Complete() {
		t.Errorf("got %q, want the end %q", got, want)
	}
}

type broken struct{}

var errBroken = errors.New("client is gone")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestTheWritersErrorIsGivenBack(t *testing.T) {
	t.Parallel()
	s := openai.NewStream(broken{}, "m")
	if _, err := s.Write([]byte(stream(say(`{"content":"a"}`)))); !errors.Is(err, errBroken) {
		t.Errorf("Write: %v", err)
	}
	if err := s.Close(); !errors.Is(err, errBroken) {
		t.Errorf("Close: %v", err)
	}
}

func TestAnEstimateStandsInForUsage(t *testing.T) {
	t.Parallel()
	o := options()
	o.Estimate = 123
	out, _ := translate(t, o, stream(say(`{"content":"a"}`), end("stop")))
	if got := short(t, out); got[4] != "delta end_turn 123+0 0" {
		t.Errorf("got %q", got)
	}
}

func TestGiantAnswersAreRefused(t *testing.T) {
	t.Parallel()
	piece := strings.Repeat("x", 1<<20)
	feed := map[string]string{"one event": "data: ", "one object": "{"}
	for name, begin := range feed {
		s := openai.NewStream(&bytes.Buffer{}, "m")
		_, _ = s.Write([]byte(begin))
		for range 40 {
			_, _ = s.Write([]byte(piece))
		}
		if !s.Begun() || s.Complete() {
			t.Errorf("%s of 40 MiB: begun %t, complete %t, want an error event", name, s.Begun(), s.Complete())
		}
	}
	var held bytes.Buffer
	s := openai.NewStream(&held, "m")
	_, _ = s.Write([]byte(stream(say(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{"}}]}`))))
	for range 70 {
		_, _ = s.Write([]byte(stream(say(`{"content":"` + piece + `"}`))))
	}
	if got := short(t, held.String()); got[len(got)-1] != "error api_error the endpoint sent more interleaved content than can be held" {
		t.Errorf("got the end %q", got[len(got)-1])
	}
}

func FuzzStream(f *testing.F) {
	for _, tt := range append(streamCases(), brokenCases()...) {
		f.Add(tt.in, 7)
	}
	f.Fuzz(func(t *testing.T, in string, cut int) {
		whole, s := translate(t, options(), in)
		short(t, whole) // checks the grammar
		if s.Complete() && !strings.Contains(strings.ToLower(in), "finish_reason") && !strings.Contains(in, `\u`) {
			t.Errorf("complete without a reason to end: %q", in)
		}
		if cut = min(max(cut, 1), 64); len(in) > 0 {
			var pieces []string
			for rest := in; rest != ""; {
				n := min(cut, len(rest))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			if got, _ := translate(t, options(), pieces...); got != whole {
				t.Errorf("cut every %d bytes:\n%s\nwhole:\n%s", cut, got, whole)
			}
		}
	})
}
