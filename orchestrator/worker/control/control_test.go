package control_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/worker/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the client's side of a session.
type peer struct {
	testing.TB
	s   *control.Session
	in  *io.PipeReader // what the session writes
	out *io.PipeWriter // what it reads
	r   *bufio.Reader
}

func newPeer(tb testing.TB, o control.Options) *peer {
	tb.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o.In, o.Out = inW, outR
	p := &peer{TB: tb, in: inR, out: outW, r: bufio.NewReader(inR), s: control.New(o)}
	tb.Cleanup(p.end)
	return p
}

func (p *peer) end() {
	_ = p.out.Close()
	_ = p.in.Close()
	p.s.Close()
}

func (p *peer) say(format string, args ...any) {
	if _, err := fmt.Fprintf(p.out, format+"\n", args...); err != nil {
		p.Errorf("say: %v", err)
	}
}

func (p *peer) hear() map[string]any {
	p.Helper()
	line, err := p.r.ReadBytes('\n')
	if err != nil {
		p.Fatalf("hear: %v", err)
	}
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		p.Fatalf("heard %s: %v", line, err)
	}
	return m
}

func TestRecordedDialogueIsUnderstood(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join("testdata", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	kinds := map[string]int{}
	dec := control.NewDecoder(file, 0)
	for {
		l, err := dec.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || l.Long || l.Type == "" {
			t.Fatalf("%+v, %v", l, err)
		}
		kinds[l.Type+"/"+l.Subtype]++
		if strings.HasPrefix(l.Type, "control_") && l.RequestID == "" {
			t.Errorf("no id: %s", l.Raw)
		}
	}
	for kind, want := range map[string]int{"control_request/mcp_message": 7, "control_request/hook_callback": 2, "control_response/success": 2, "system/init": 1, "assistant/": 3, "user/": 2, "result/success": 1} {
		if kinds[kind] != want {
			t.Errorf("%s: %d, want %d (%v)", kind, kinds[kind], want, kinds)
		}
	}
}

func TestLongLinesKeepTheirNames(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 300_000)
	for text, want := range map[string]control.Line{
		`{"type":"control_request","request_id":"r1","request":{"subtype":"hook_callback","a":"` + pad + `"}}`:    {Type: "control_request", Subtype: "hook_callback", RequestID: "r1"},
		`{"type":"user","message":"` + pad + `"}`:                                                                 {Type: "user"},
		`{"message":"` + pad + `","type":"user"}`:                                                                 {},
		`{"type":"control_response","response":{"request_id":"r2","subtype":"success","response":"` + pad + `"}}`: {Type: "control_response", Subtype: "success", RequestID: "r2"},
		pad: {}, `[` + pad: {}, `{"type":"` + pad: {}, `{"a":{"type":"x"},"b":"` + pad: {},
	} {
		dec := control.NewDecoder(strings.NewReader(text+"\n"+`{"type":"next"}`), 100_000)
		l, err := dec.Next()
		if err != nil || !l.Long || l.Type != want.Type || l.Subtype != want.Subtype || l.RequestID != want.RequestID || len(l.Raw) > 64<<10 {
			t.Errorf("%.60s: type %q subtype %q id %q long %v, %d bytes, %v", text, l.Type, l.Subtype, l.RequestID, l.Long, len(l.Raw), err)
		}
		if l, err = dec.Next(); err != nil || l.Type != "next" {
			t.Errorf("%.60s: the line after it: %+v, %v", text, l, err)
		}
		if _, err = dec.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

func TestNamesAreTakenByTheLetter(t *testing.T) {
	t.Parallel()
	l, err := control.NewDecoder(strings.NewReader(`{"TYPE":"result","Type":"result","type":"user"}`), 0).Next()
	if err != nil || l.Type != "user" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestAnswersComeToWhoAsked(t *testing.T) {
	t.Parallel()
	p := newPeer(t, control.Options{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		var ids []any
		for range 20 {
			ids = append(ids, p.hear()["request_id"])
		}
		for i := range ids { // in the other order, each twice
			id := ids[len(ids)-1-i]
			for range 2 {
				p.say(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{"for":%q}}}`, id, id)
			}
		}
	}()
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for range 20 {
		wg.Go(func() {
			raw, err := p.s.Call(t.Context(), "mcp_status", nil)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || seen[string(raw)] {
				t.Errorf("%s, %v", raw, err)
			}
			seen[string(raw)] = true
		})
	}
	wg.Wait()
	<-told
}

func TestRefusalsAndEndsReachTheCaller(t *testing.T) {
	t.Parallel()
	p := newPeer(t, control.Options{})
	go func() {
		p.say(`{"type":"control_response","response":{"subtype":"error","request_id":%q,"error":"no such thing"}}`, p.hear()["request_id"])
		p.say(`{"type":"control_response","response":{"subtype":"strange","request_id":%q}}`, p.hear()["request_id"])
		p.hear()
		p.end()
	}()
	var refused *control.RefusedError
	if err := p.s.Interrupt(t.Context()); !errors.As(err, &refused) || refused.Message != "no such thing" {
		t.Errorf("%v", err)
	}
	if err := p.s.Interrupt(t.Context()); err == nil {
		t.Error("a strange answer is taken for success")
	}
	if err := p.s.Interrupt(t.Context()); !errors.Is(err, control.ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := p.s.Interrupt(t.Context()); !errors.Is(err, control.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	q := newPeer(t, control.Options{})
	cause := errors.New("enough")
	go func() { q.hear(); cancel(cause) }()
	if err := q.s.Interrupt(ctx); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

func TestHelloRegistersTheGuard(t *testing.T) {
	t.Parallel()
	p := newPeer(t, control.Options{})
	go func() {
		m := p.hear()
		data, _ := json.Marshal(m["request"])
		const want = `{"appendSystemPrompt":"rules","hooks":{"PreToolUse":[{"hookCallbackIds":["guard"],"matcher":"*","timeout":60}]},"subtype":"initialize"}`
		if string(data) != want {
			p.Errorf("%s", data)
		}
		p.say(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{}}}`, m["request_id"])
	}()
	if err := p.s.Initialize(t.Context(), control.Hello{Guard: "guard", GuardTimeout: 60, System: "rules"}); err != nil {
		t.Error(err)
	}
}

func TestQuestionsAreAnsweredInTheirOwnTime(t *testing.T) {
	t.Parallel()
	slow := make(chan struct{})
	p := newPeer(t, control.Options{Answer: func(ctx context.Context, r control.Request) (any, error) {
		if r.Subtype == "slow" {
			<-slow
		}
		if r.Subtype == "unknown" {
			return nil, control.ErrUnknown
		}
		return map[string]string{"you": r.Subtype}, nil
	}})
	p.say(`{"type":"control_request","request_id":"1","request":{"subtype":"slow"}}`)
	p.say(`{"type":"control_request","request_id":"2","request":{"subtype":"fast"}}`)
	if m := p.hear()["response"].(map[string]any); m["request_id"] != "2" {
		t.Errorf("%v", m)
	}
	if p.s.Open() != 1 {
		t.Errorf("%d open", p.s.Open())
	}
	close(slow)
	if m := p.hear()["response"].(map[string]any); m["request_id"] != "1" || m["subtype"] != "success" {
		t.Errorf("%v", m)
	}
	p.say(`{"type":"control_request","request_id":"3","request":{"subtype":"unknown"}}`)
	if m := p.hear()["response"].(map[string]any); m["subtype"] != "error" || m["error"] != "unknown request" {
		t.Errorf("%v", m)
	}
}

func TestOpenQuestionsAreBoundedAndEndWithTheSession(t *testing.T) {
	t.Parallel()
	var began, ended sync.WaitGroup
	began.Add(256)
	ended.Add(256)
	p := newPeer(t, control.Options{Answer: func(ctx context.Context, _ control.Request) (any, error) {
		began.Done()
		<-ctx.Done()
		ended.Done()
		return nil, ctx.Err()
	}})
	for i := range 300 {
		if i >= 256 {
			began.Wait()
		}
		p.say(`{"type":"control_request","request_id":"%d","request":{"subtype":"x"}}`, i)
		if i >= 256 {
			if m := p.hear()["response"].(map[string]any); m["subtype"] != "error" || m["request_id"] != fmt.Sprint(i) {
				t.Fatalf("%v", m)
			}
		}
	}
	p.say(`{"type":"control_cancel_request","request_id":"7"}`)
	_ = p.out.Close()
	ended.Wait()
}

func TestClientThatDoesNotReadIsNoticed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, control.Options{})
		big := strings.Repeat("x", 10<<20)
		var err error
		for n := 0; err == nil && n < 20; n++ {
			err = p.s.Prompt("id", big)
		}
		if !errors.Is(err, control.ErrStuck) || !errors.Is(p.s.Err(), control.ErrStuck) {
			t.Errorf("%v, %v", err, p.s.Err())
		}
		p.end()
	})
}

func TestEventsComeInOrderAndRaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{`{"type":"a"}`, `{"type":"b","subtype":"c"}`, "junk", "", `{"type":"control_response"}`, `{"type":"keep_alive"}`, "\xff"}), 0, 30).Draw(rt, "lines")
		var got, want []string
		for _, l := range lines {
			if strings.HasPrefix(l, `{"type":"a"`) || strings.HasPrefix(l, `{"type":"b"`) {
				want = append(want, l)
			}
		}
		s := control.New(control.Options{In: io.Discard, Out: strings.NewReader(strings.Join(lines, "\n")), Event: func(e control.Event) { got = append(got, string(e.Raw)) }})
		<-s.Done()
		s.Close()
		if strings.Join(got, "|") != strings.Join(want, "|") {
			rt.Errorf("%v, want %v", got, want)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"hook_callback"}}`+"\n\n{}"), 50)
	f.Add([]byte("{\"type\":\n[[[["), 3)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = limit%1000 + 1
		dec := control.NewDecoder(strings.NewReader(string(data)), limit)
		for range len(data) + 2 {
			l, err := dec.Next()
			if err != nil {
				return
			}
			if len(l.Raw) > 64<<10 || !l.Long && l.Type != "" && !json.Valid(l.Raw) {
				t.Fatalf("%+v", l)
			}
		}
		t.Fatal("more lines than bytes")
	})
}

func FuzzSession(f *testing.F) {
	f.Add([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"x"}}` + "\n" + `{"type":"control_cancel_request","request_id":"r"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := control.New(control.Options{In: io.Discard, Out: strings.NewReader(string(data)), Event: func(control.Event) {}})
		<-s.Done()
		s.Close()
	})
}
