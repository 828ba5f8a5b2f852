package sse_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
)

// parse gives name=data of each event, fed in pieces.
func parse(pieces ...string) []string {
	var p sse.Parser
	var out []string
	for _, piece := range pieces {
		p.Feed([]byte(piece), func(e sse.Event) bool {
			out = append(out, e.Name+"="+string(e.Data))
			return true
		})
	}
	return out
}

func TestEventsAreParsedAsTheStandardSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"named":                    {"event: a\ndata: 1\n\n", []string{"a=1"}},
		"nameless":                 {"data: 1\n\n", []string{"=1"}},
		"lines are joined":         {"data: 1\ndata: 2\n\n", []string{"=1\n2"}},
		"no blank after the colon": {"event:a\ndata:1\n\n", []string{"a=1"}},
		"only one blank goes":      {"data:  1\n\n", []string{"= 1"}},
		"CRLF":                     {"event: a\r\ndata: 1\r\n\r\n", []string{"a=1"}},
		"CR":                       {"event: a\rdata: 1\r\r", []string{"a=1"}},
		"mixed":                    {"event: a\rdata: 1\r\n\n", []string{"a=1"}},
		"comments and other lines": {": hi\nid: 1\nretry: 5\nfoo\ndata: 1\n\n", []string{"=1"}},
		"no data, no event":        {"event: a\n\ndata: 1\n\n", []string{"=1"}},
		"empty data":               {"data\n\ndata:\n\n", []string{"=", "="}},
		"unfinished":               {"data: 1\n", nil},
		"byte order mark":          {"\xef\xbb\xbfdata: 1\n\n", []string{"=1"}},
		"the last name counts":     {"event: a\nevent: b\ndata: 1\n\n", []string{"b=1"}},
		"a colon in the data":      {"data: a: b\n\n", []string{"=a: b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, parse(c.in)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.want, parse(strings.Split(c.in, "")...)); diff != "" {
				t.Errorf("byte by byte: %s", diff)
			}
		})
	}
}

// stream draws a text with many line ends.
func stream(r *rapid.T) string {
	return strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"\n", "\r", "\r\n", "\n\n", "event: a", "data: b", "data", ":c", "x", "{}"})).Draw(r, "stream"), "")
}

func TestPiecesDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := stream(r)
		cut := rapid.IntRange(0, len(text)).Draw(r, "cut")
		if diff := cmp.Diff(parse(text), parse(text[:cut], text[cut:])); diff != "" {
			r.Fatalf("%q cut at %d: %s", text, cut, diff)
		}
		var whole, halves sse.Splitter
		end := whole.Feed([]byte(text))
		first := halves.Feed([]byte(text[:cut]))
		if second := halves.Feed([]byte(text[cut:])); second > 0 {
			first = cut + second
		}
		if first != end || whole.Between() != halves.Between() {
			r.Fatalf("%q cut at %d: ends at %d and %d", text, cut, end, first)
		}
		// What is behind the end is no event, and what is before it holds them all.
		if n := len(parse(text[:end])); n != len(parse(text)) {
			r.Fatalf("%q: %d events before the end at %d, %d in all", text, n, end, len(parse(text)))
		}
	})
}

func FuzzParser(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: 1\n\n"), 3)
	f.Add([]byte("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":-1e400}}}\n\n"), 9)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = max(0, min(cut, len(data)))
		var p sse.Parser
		var s sse.Splitter
		var c sse.Checker
		for _, piece := range [][]byte{data[:cut], data[cut:]} {
			if end := s.Feed(piece); end < 0 || end > len(piece) {
				t.Fatalf("end %d of %d", end, len(piece))
			}
			p.Feed(piece, func(e sse.Event) bool { c.Event(e); return true })
		}
		u := c.Usage()
		if u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 {
			t.Fatalf("usage %+v", u)
		}
		if first, _ := c.Problems(); len(first) > 8 {
			t.Fatalf("%d problems", len(first))
		}
	})
}

func TestLargeEventsAreNotKept(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one line":   "data: " + strings.Repeat("x", sse.MaxEvent+1) + "\n\n",
		"many lines": strings.Repeat("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", sse.MaxEvent/40+1) + "\n",
	} {
		var p sse.Parser
		n, over := 0, false
		for i := 0; i < len(text); i += 60_000 {
			p.Feed([]byte(text[i:min(i+60_000, len(text))]), func(e sse.Event) bool { n++; over = e.Over && len(e.Data) == 0; return true })
		}
		p.Feed([]byte("data: 1\n\n"), func(e sse.Event) bool { n++; over = over && !e.Over; return true })
		if n != 2 || !over {
			t.Errorf("%s: %d events, over %v", name, n, over)
		}
	}
}

func check(events ...string) *sse.Checker {
	var c sse.Checker
	for _, e := range events {
		name, data, _ := strings.Cut(e, " ")
		if data == "" {
			data = fmt.Sprintf(`{"type":%q}`, name)
		} else if strings.HasPrefix(data, "{") {
			data = fmt.Sprintf(`{"type":%q,%s`, name, data[1:])
		}
		c.Event(sse.Event{Name: name, Data: []byte(data)})
	}
	return &c
}

func TestTheGrammarOfAMessage(t *testing.T) {
	t.Parallel()
	start, text, delta, shut := `message_start {"message":{"id":"m"}}`, `content_block_start {"index":0,"content_block":{"type":"text"}}`, `content_block_delta {"index":0,"delta":{"type":"text_delta","text":"}\"{"}}`, `content_block_stop {"index":0}`
	tool := `content_block_start {"index":0,"content_block":{"type":"tool_use","name":"Bash"}}`
	part := `content_block_delta {"index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`
	end := `message_delta {"delta":{"stop_reason":"end_turn"}}`
	use := `message_delta {"delta":{"stop_reason":"tool_use"}}`
	for name, c := range map[string]struct {
		events []string
		want   string // in the first problem; "" = none
	}{
		"in order":                {[]string{start, "ping", text, delta, shut, end, "message_stop", "ping"}, ""},
		"no content":              {[]string{start, end, "message_stop"}, ""},
		"unknown events":          {[]string{start, "new_thing", end, "message_stop"}, ""},
		"two starts":              {[]string{start, start, end, "message_stop"}, "second message_start"},
		"no start":                {[]string{text}, "before message_start"},
		"delta without a block":   {[]string{start, delta}, "not open"},
		"delta behind the end":    {[]string{start, text, shut, delta}, "not open"},
		"end without a block":     {[]string{start, shut}, "not open"},
		"block twice":             {[]string{start, text, text}, "begins twice"},
		"gap":                     {[]string{start, `content_block_start {"index":1,"content_block":{}}`}, "where 0 was due"},
		"no index":                {[]string{start, "content_block_stop"}, "without an index"},
		"open at the end":         {[]string{start, text, end, "message_stop"}, "still open"},
		"no message_delta":        {[]string{start, "message_stop"}, "without message_delta"},
		"something after the end": {[]string{start, end, "message_stop", end}, "after message_stop"},
		"half a tool call":        {[]string{start, tool, part, shut, use}, `input of tool "Bash" is not whole`},
		"half, for want of room":  {[]string{start, tool, part, shut, `message_delta {"delta":{"stop_reason":"max_tokens"}}`, "message_stop"}, ""},
		"empty tool call":         {[]string{start, tool, shut, use, "message_stop"}, ""},
		"not JSON":                {[]string{start, `message_delta nonsense`}, "not the JSON"},
		"[DONE]":                  {[]string{start, "x [DONE]"}, "[DONE]"},
		"half a text delta":       {[]string{start, text, `content_block_delta {"index":0,"delta":{"text":"x"}`}, "not the JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := check(c.events...)
			first, _ := got.Problems()
			if (len(first) > 0) != (c.want != "") || c.want != "" && !strings.Contains(first[0], c.want) {
				t.Errorf("problems %q, want %q", first, c.want)
			}
			if stop := c.events[len(c.events)-1] == "message_stop"; stop && !got.Stopped() {
				t.Error("not stopped")
			}
		})
	}
	if _, more := check(strings.Split(strings.Repeat("message_stop|", 30), "|")...).Problems(); more == 0 {
		t.Error("problems are not bounded")
	}
	mixed := check(start)
	mixed.Event(sse.Event{Name: "ping", Data: []byte(`{"type":"message_stop"}`)})
	if first, _ := mixed.Problems(); len(first) != 1 {
		t.Errorf("name and type differ: %q", first)
	}
}

func TestUsageIsTheLargestOfEachReport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []string
		want   sse.Usage
	}{
		"as Anthropic reports":  {[]string{`message_start {"message":{"usage":{"input_tokens":10,"output_tokens":1,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}}}`, `message_delta {"usage":{"output_tokens":20}}`}, sse.Usage{10, 20, 3, 4}},
		"cumulative at the end": {[]string{`message_start {"message":{"usage":{"input_tokens":10,"output_tokens":1}}}`, `message_delta {"usage":{"input_tokens":10,"output_tokens":5}}`, `message_delta {"usage":{"input_tokens":10,"output_tokens":9}}`}, sse.Usage{10, 9, 0, 0}},
		"everything at the end": {[]string{`message_start {"message":{"usage":{"input_tokens":0,"output_tokens":0}}}`, `message_delta {"usage":{"input_tokens":7,"output_tokens":8}}`}, sse.Usage{7, 8, 0, 0}},
		"nothing":               {[]string{`message_start {"message":{}}`}, sse.Usage{}},
		"nonsense":              {[]string{`message_start {"message":{"usage":{"input_tokens":"x","output_tokens":-5,"cache_read_input_tokens":null,"cache_creation_input_tokens":1e300}}}`}, sse.Usage{}},
		"floats":                {[]string{`message_start {"message":{"usage":{"input_tokens":12.0}}}`}, sse.Usage{Input: 12}},
	} {
		if got := check(c.events...).Usage(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestErrorsAreRead(t *testing.T) {
	t.Parallel()
	c := check(`error {"error":{"type":"overloaded_error","message":"m"}}`, `error {"error":{"type":"other"}}`)
	if f := c.Fault(); f == nil || *f != (sse.Fault{Type: "overloaded_error", Message: "m"}) {
		t.Errorf("%+v", f)
	}
	for text, want := range map[string]bool{`{"type":"error","error":{"type":"x"}}`: true, `{"type":"message"}`: false, `{"error":{"type":"x"}}`: false, `x`: false, ``: false} {
		if _, ok := sse.ParseError([]byte(text)); ok != want {
			t.Errorf("%s: %v", text, ok)
		}
	}
}

// TestTheFastWayIsTheSlowWay: deltas spelled with other blanks take the slow way; nothing may differ.
func TestTheFastWayIsTheSlowWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var fast, slow sse.Checker
		both := func(name, data string) {
			fast.Event(sse.Event{Name: name, Data: []byte(data)})
			slow.Event(sse.Event{Name: name, Data: []byte(" " + data)})
		}
		both("message_start", `{"type":"message_start","message":{"id":"m"}}`)
		kind := rapid.SampledFrom([]string{"text", "tool_use", "thinking"}).Draw(r, "kind")
		both("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"`+kind+`"}}`)
		for range rapid.IntRange(0, 5).Draw(r, "deltas") {
			text, err := json.Marshal(rapid.String().Draw(r, "text"))
			if err != nil {
				r.Fatal(err)
			}
			index := rapid.SampledFrom([]string{"0", "1", "12345", "x", ""}).Draw(r, "index")
			both("content_block_delta", `{"type":"content_block_delta","index":`+index+`,"delta":{"type":"text_delta","text":`+string(text)+`}}`)
		}
		a, _ := fast.Problems()
		b, _ := slow.Problems()
		if diff := cmp.Diff(b, a); diff != "" {
			r.Fatal(diff)
		}
	})
}
