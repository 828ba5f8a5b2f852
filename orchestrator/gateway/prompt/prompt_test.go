package prompt_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/gateway/prompt"
)

func scan(t testing.TB, text string) prompt.Body {
	t.Helper()
	b, err := prompt.Scan([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b
}

func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	b := scan(t, ` { "a" : [ { "model" : "no" , "b]" : "}\"" } ] , "model" : "m" , "stream":true, "tools":[ {"input_schema":{"name":"no"},"name":"A"},{"name":"\u0042"},{"type":"x"},7] } `)
	if b.Model() != "m" || !b.Stream {
		t.Errorf("model %q, stream %v", b.Model(), b.Stream)
	}
	if diff := cmp.Diff([]string{"A", "B"}, b.Tools()); diff != "" {
		t.Error(diff)
	}
	if b := scan(t, `{"stream":true,"stream":false}`); b.Stream || b.Tools() != nil || b.Model() != "" {
		t.Errorf("%+v", b)
	}
}

func TestTheModelIsReplacedWhereverItIs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"model":"a","x":{"model":"a"}}`: `{"model":"q\"","x":{"model":"a"}}`,
		`{"x":1, "model" : "a" }`:         `{"x":1, "model" : "q\"" }`,
		`{"model":"a","\u006dodel":"b"}`:  `{"model":"q\"","\u006dodel":"q\""}`,
		`{"model":null}`:                  `{"model":"q\""}`,
		`{}`:                              `{"model":"q\""}`,
		` {"x":1}`:                        ` {"model":"q\"","x":1}`,
		`{"model":"q\""}`:                 `{"model":"q\""}`,
		`{"messages":[{"content":"\"model\":"}]}`: `{"model":"q\"","messages":[{"content":"\"model\":"}]}`,
	} {
		if got := string(scan(t, in).For(prompt.Way{Model: `q"`})); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	in := []byte(`{"model":"a","system":"x-anthropic-billing-header: a"}`)
	b, err := prompt.Scan(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.For(prompt.Way{}); &got[0] != &in[0] {
		t.Error("without an edit the body is copied")
	}
}

const billing = "x-anthropic-billing-header: cc_version=2.1.197.0df; cc_entrypoint=sdk-cli;"

func TestTheBillingBlockIsTheSameForAll(t *testing.T) {
	t.Parallel()
	way := prompt.Way{Foreign: true}
	constant := "x-anthropic-billing-header: cc_version=0; cc_entrypoint=devflock;"
	for in, want := range map[string]string{
		`{"system":[{"type":"text","text":"` + billing + `"},{"type":"text","text":"You"}],"x":1}`:           `{"system":[{"type":"text","text":"` + constant + `"},{"type":"text","text":"You"}],"x":1}`,
		`{"system":[{"text":"You"},{"text":"` + billing + ` cch=00af1;","type":"text","cache_control":{}}]}`: `{"system":[{"text":"You"},{"text":"` + constant + `","type":"text","cache_control":{}}]}`,
		`{"system":"` + billing + `\nYou \u00e9"}`:                                                           `{"system":"` + constant + `\nYou \u00e9"}`,
		`{"system":"` + billing + `"}`:                                                                       `{"system":"` + constant + `"}`,
		`{"system":"` + billing + `\u000aYou"}`:                                                              `{"system":"` + constant + `\nYou"}`,
		`{"system":"You ` + billing + `"}`:                                                                   `{"system":"You ` + billing + `"}`,
		`{"system":[` + `"` + billing + `",7,null]}`:                                                         `{"system":[` + `"` + billing + `",7,null]}`,
		`{"messages":[{"content":"` + billing + `"}]}`:                                                       `{"messages":[{"content":"` + billing + `"}]}`,
	} {
		if got := string(scan(t, in).For(way)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
		if got := string(scan(t, in).For(prompt.Way{})); got != in {
			t.Errorf("Anthropic's own endpoint got %s for %s", got, in)
		}
	}
}

func TestSystemMessagesAreFolded(t *testing.T) {
	t.Parallel()
	way := prompt.Way{Foreign: true}
	for in, want := range map[string]string{
		`[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`:                                              `[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`,
		`[{"role":"user","content":[{"type":"text","text":"a"}]}, {"role":"system","content":"s"}]`:                       `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"s"}]}]`,
		`[{"role":"system","content":"s"},{"role":"user","content":[ {"type":"tool_result"} ]},{"role":"assistant"}]`:     `[{"role":"user","content":[{"type":"tool_result"},{"type":"text","text":"s"}]},{"role":"assistant"}]`,
		`[{"role":"assistant","content":"b"},{"role":"system","content":[{"type":"text","text":"s"},{"text":"\u0042"}]}]`: `[{"role":"assistant","content":"b"},{"role":"user","content":[{"type":"text","text":"s"},{"text":"\u0042"}]}]`,
		`[{"role":"user","content":"the word \"system\""}]`:                                                               `[{"role":"user","content":"the word \"system\""}]`,
		`[{"role":"user","content":[]},{"role":"system","content":null},{"role":"system","content":"s"}]`:                 `[{"role":"user","content":[{"type":"text","text":"s"}]}]`,
	} {
		in, want = `{"messages":`+in+`}`, `{"messages":`+want+`}`
		if got := string(scan(t, in).For(way)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
	}
}

func TestForeignThinkingIsTakenOut(t *testing.T) {
	t.Parallel()
	way := prompt.Way{Forget: []string{"ours:a", "ours:b"}}
	for in, want := range map[string]string{
		`[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"ours:a"},{"type":"text","text":"t"}]}]`:       `[{"role":"assistant","content":[{"type":"text","text":"t"}]}]`,
		`[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"ours:b"}]}]`:                                  `[{"role":"assistant","content":[{"type":"text","text":"(nothing)"}]}]`,
		`[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"sig"},{"type":"text","text":"\"ours:a\""}]}]`: `[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"sig"},{"type":"text","text":"\"ours:a\""}]}]`,
	} {
		in, want = `{"messages":`+in+`}`, `{"messages":`+want+`}`
		if got := string(scan(t, in).For(way)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
	}
}

func TestTheAnswerFitsTheWindow(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 30_000)
	for _, c := range []struct {
		window int64
		want   string
	}{{0, "32000"}, {100_000, "32000"}, {32_768, "22759"}, {9_000, "1024"}} {
		b := scan(t, `{"max_tokens":32000,"x":"`+pad+`"}`)
		var got struct {
			Max json.Number `json:"max_tokens"`
		}
		if err := json.Unmarshal(b.For(prompt.Way{Foreign: true, Window: c.window}), &got); err != nil || got.Max.String() != c.want {
			t.Errorf("window %d: %s %v, want %s", c.window, got.Max, err, c.want)
		}
	}
}

func TestWhatIsNoObjectIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "null", "[]", "{", "{}}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":"`, `{"a":"\\"`, `{"a":[1}`, `{} x`, `{"\x":1}`} {
		if text == `{"a":[1}` {
			continue // what is wrong deeper inside is left to the endpoint
		}
		if _, err := prompt.Scan([]byte(text)); err == nil {
			t.Errorf("%s is taken for an object", text)
		}
	}
	deep := strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20)
	if _, err := prompt.Scan([]byte(`{"a":` + deep + `}`)); err != nil {
		t.Error(err)
	}
}

// TestEditsKeepTheJSON is the property: an edited body is JSON again and differs only where it should.
func TestEditsKeepTheJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.SampledFrom([]string{`1`, `"x"`, `"\\\""`, `{"model":"no"}`, `[1,{"a":[]}]`, `null`, `"` + billing + `"`})
		space := rapid.SampledFrom([]string{"", " ", "\n\t"})
		var in strings.Builder
		in.WriteString("{")
		n := rapid.IntRange(0, 6).Draw(r, "members")
		for i := range n {
			if i > 0 {
				in.WriteString(",")
			}
			key := rapid.SampledFrom([]string{"model", "system", "tools", "messages", "max_tokens", "stream", "other"}).Draw(r, "key")
			in.WriteString(space.Draw(r, "space") + `"` + key + `"` + space.Draw(r, "space") + ":" + space.Draw(r, "space") + value.Draw(r, "value") + space.Draw(r, "space"))
		}
		in.WriteString("}")
		b, err := prompt.Scan([]byte(in.String()))
		if err != nil {
			r.Fatalf("%s: %v", in.String(), err)
		}
		out := b.For(prompt.Way{Model: "q", Foreign: true, Window: 10, Forget: []string{"x"}})
		var before, after map[string]json.RawMessage
		if json.Unmarshal([]byte(in.String()), &before) != nil || json.Unmarshal(out, &after) != nil || string(after["model"]) != `"q"` || !bytes.Equal(before["other"], after["other"]) || !bytes.Equal(before["tools"], after["tools"]) {
			r.Fatalf("%s\nbecame\n%s", in.String(), out)
		}
	})
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"model":"a","system":[{"text":"` + billing + `"}],"messages":[{"role":"system","content":"s"},{"role":"user","content":[]}],"max_tokens":9}`))
	f.Add([]byte(`{"messages":[{"content":[{"type":"thinking","signature":"s"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := prompt.Scan(data)
		if err != nil {
			if json.Valid(data) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
				t.Fatalf("JSON is refused: %q", data)
			}
			return
		}
		_, _ = b.Tools(), b.Model()
		out := b.For(prompt.Way{Model: "m", Foreign: true, Window: 100, Forget: []string{"s"}})
		if json.Valid(data) && !json.Valid(out) {
			t.Fatalf("%q became %q", data, out)
		}
	})
}
