package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line, id string
		code           int
	}{
		{"no JSON", `hello`, "null", -32700},
		{"half a message", `{"jsonrpc":"2.0","id":1,`, "null", -32700},
		{"two messages in a line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, "null", -32700},
		{"a long line", `"` + strings.Repeat("x", 2<<20) + `"`, "null", -32700},
		{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "1", -32601},
		{"no object", `17`, "null", -32600},
		{"null", `null`, "null", -32600},
		{"no version", `{"id":1,"method":"ping"}`, "1", -32600},
		{"no method", `{"jsonrpc":"2.0"}`, "null", -32600},
		{"a method that is no string", `{"jsonrpc":"2.0","id":1,"method":5}`, "1", -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", -32600},
		{"id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "null", -32600},
		{"id too large", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "null", -32600},
		{"id an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		{"empty batch", `[]`, "null", -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":"a","method":"nothing/here"}`, `"a"`, -32601},
		{"unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}`, "1", -32602},
		{"params that are none", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}`, "1", -32602},
		{"no arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task_health"}}`, "1", -32602},
		{"arguments of another type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task_health","arguments":[1]}}`, "1", -32602},
		{"no project", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task_health","arguments":{"session_id":"s1"}}}`, "1", -32602},
		{"a project that is no string", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task_health","arguments":{"project_root":null}}}`, "1", -32602},
		{"an unknown argument", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task_health","arguments":{"project_root":"/","force":true}}}`, "1", -32602},
		{"a second beginning", hello, `"hello"`, -32600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, newProject(t))
			s.open()
			s.send(tt.line)
			if a := s.answer(); a.Error == nil || a.Error.Code != tt.code || string(a.ID) != tt.id || a.Error.Message == "" {
				t.Errorf("answer %+v, want %d for id %s", a, tt.code, tt.id)
			}
			s.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}`)
			if a := s.answer(); a.Error != nil || string(a.ID) != "99" {
				t.Errorf("ping afterwards: %+v", a)
			}
		})
	}
}

func TestRequestBeforeTheBeginning(t *testing.T) {
	t.Parallel()
	s := start(t, newProject(t))
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if a := s.answer(); a.Error == nil || a.Error.Code != -32600 {
		t.Errorf("answer %+v, want -32600", a)
	}
	s.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if a := s.answer(); a.Error != nil {
		t.Errorf("ping: %+v", a.Error)
	}
	s.open()
}

func TestProtocolVersions(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "1999-01-01": "2025-11-25",
	} {
		t.Run(asked, func(t *testing.T) {
			t.Parallel()
			s := start(t, newProject(t))
			s.send(strings.Replace(hello, "2025-06-18", asked, 1))
			var got struct {
				ProtocolVersion string         `json:"protocolVersion"`
				Capabilities    map[string]any `json:"capabilities"`
				ServerInfo      struct{ Name string }
			}
			if a := s.answer(); json.Unmarshal(a.Result, &got) != nil || got.ProtocolVersion != want || got.ServerInfo.Name != "devflow" || !cmp.Equal(got.Capabilities, map[string]any{"tools": map[string]any{}}) {
				t.Errorf("asked for %s: %s, want %s", asked, a.Result, want)
			}
		})
	}
}

func TestBatchHasOneAnswerForEachRequest(t *testing.T) {
	t.Parallel()
	s := start(t, newProject(t))
	s.open()
	s.send(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`) // no answer
	s.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},5,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}},{"jsonrpc":"2.0","id":"x","method":"nothing"}]`)
	line := s.next()
	var list []answer
	if err := json.Unmarshal([]byte(line), &list); err != nil || len(list) != 3 {
		t.Fatalf("%v: %s", err, line)
	}
	got := map[string]int{}
	for _, a := range list {
		got[string(a.ID)] = 0
		if a.Error != nil {
			got[string(a.ID)] = a.Error.Code
		}
	}
	if want := map[string]int{"1": 0, "null": -32600, `"x"`: -32601}; !cmp.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
}

func TestIDInUse(t *testing.T) {
	t.Parallel()
	p, began, _ := held(t)
	s := start(t, p)
	s.open()
	s.send(evaluate(1, p.root))
	<-began
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if a := s.answer(); a.Error == nil || a.Error.Code != -32600 || string(a.ID) != "null" {
		t.Errorf("answer %+v, want -32600 without an id", a)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if a := s.answer(); a.Error == nil || a.Error.Code != -32603 || string(a.ID) != "1" {
		t.Errorf("answer of the cancelled call %+v", a)
	}
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if a := s.answer(); a.Error != nil || string(a.ID) != "1" {
		t.Errorf("the id is free again: %+v", a)
	}
}

// A client of the newest protocol has no beginning, and may listen until it goes.
func TestListeningClientThatGoes(t *testing.T) {
	t.Parallel()
	s := start(t, newProject(t))
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`)
	if a := s.answer(); a.Error != nil || !strings.Contains(string(a.Result), "evaluate_task") {
		t.Errorf("tools without a beginning: %+v", a)
	}
	s.send(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{` + meta + `,"notifications":{"toolsListChanged":true}}}`)
	s.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + meta + `}}`)
	_ = s.in.Close()
	if out, err := io.ReadAll(s.r); err != nil || !strings.Contains(string(out), `"id":3`) {
		t.Errorf("output %s, %v", out, err)
	}
	<-s.done
}

// FuzzLines sends anything: every line of output is an answer, and a request behind it is answered.
func FuzzLines(f *testing.F) {
	for _, line := range []string{
		hello, `[]`, `[[]]`, `{`, "\x00", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task_health","arguments":{"project_root":"~"}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"x"}}`,
	} {
		f.Add([]byte(line))
	}
	p := newProject(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := start(t, p)
		s.open()
		go func() {
			_, _ = s.in.Write(append(data, "\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n"...))
			_ = s.in.Close()
		}()
		out, err := io.ReadAll(s.r)
		if err != nil {
			t.Fatal(err)
		}
		last := false
		for line := range strings.Lines(string(out)) {
			var one struct{ JSONRPC string }
			var many []struct{ JSONRPC string }
			if json.Unmarshal([]byte(line), &one) != nil && json.Unmarshal([]byte(line), &many) != nil || many == nil && one.JSONRPC != "2.0" {
				t.Fatalf("%q: output %q", data, line)
			}
			last = last || strings.Contains(line, `"id":"last"`)
		}
		if !last && !strings.Contains(string(data), "last") {
			t.Fatalf("%q: no answer to what came behind it; output %s", data, fmt.Sprintf("%.500s", out))
		}
	})
}
