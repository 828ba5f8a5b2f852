package usage_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// world is a store with one session that has one task, and the session's transcript.
type world struct {
	tb      testing.TB
	db      *store.DB
	session string
	path    string
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	dir := tb.TempDir()
	db, err := store.Open(filepath.Join(dir, "telemetry", "devflow.db"), store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	w := &world{tb: tb, db: db, session: "s1", path: filepath.Join(dir, "projects", "s1.jsonl")}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o755); err != nil {
		tb.Fatal(err)
	}
	w.begin()
	return w
}

func (w *world) begin() {
	w.tb.Helper()
	w.update(func(tx *store.Tx) error {
		_, err := telemetry.Begin(tx, telemetry.Task{SessionID: w.session, StartedMS: now.UnixMilli()})
		return err
	})
}

func (w *world) update(fn func(*store.Tx) error) {
	w.tb.Helper()
	if err := w.db.Update(fn); err != nil {
		w.tb.Fatal(err)
	}
}

// append adds text to the transcript.
func (w *world) append(text string) {
	w.tb.Helper()
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		w.tb.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		w.tb.Fatal(err)
	}
}

func (w *world) ingest(o usage.Options) usage.Result {
	w.tb.Helper()
	o.Now = now
	var res usage.Result
	w.update(func(tx *store.Tx) error {
		t, err := telemetry.Current(tx, w.session)
		if err != nil {
			return err
		}
		res, err = usage.Ingest(tx, t, w.path, o)
		return err
	})
	return res
}

// sums are the token counters and the cost of a task.
type sums struct {
	In, Out, Read, W5, W1h, Nano int64
	Unknown                      bool
	Model                        string
}

func (w *world) sums() sums {
	w.tb.Helper()
	var s sums
	w.update(func(tx *store.Tx) error {
		t, err := telemetry.Current(tx, w.session)
		if err == nil && t != nil {
			s = sums{t.TokIn, t.TokOut, t.TokRead, t.TokW5, t.TokW1h, t.CostNanoUSD, t.CostUnknown, t.Model}
		}
		return err
	})
	return s
}

func (w *world) want(want sums) {
	w.tb.Helper()
	if diff := cmp.Diff(want, w.sums()); diff != "" {
		w.tb.Errorf("task (-want +got):\n%s", diff)
	}
}

// reply is one assistant line.
type reply struct {
	id, request, model   string
	in, out, read, write int64
	hour                 int64 // of write
	extra                string
	content              string
	sidechain            bool
}

func (r reply) String() string {
	if r.model == "" {
		r.model = "claude-opus-4-8"
	}
	if r.content == "" {
		r.content = `{"type":"text","text":"x"}`
	}
	req := ""
	if r.request != "" {
		req = fmt.Sprintf(`"requestId":%q,`, r.request)
	}
	return fmt.Sprintf(`{"type":"assistant",%s%s"isSidechain":%t,"timestamp":"2026-11-20T10:00:00.000Z","message":{"id":%q,"role":"assistant","model":%q,"content":[%s],`+
		`"usage":{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_1h_input_tokens":%d,"ephemeral_5m_input_tokens":%d}}}}`+"\n",
		req, r.extra, r.sidechain, r.id, r.model, r.content, r.in, r.out, r.read, r.write, r.hour, r.write-r.hour)
}

var force = usage.Options{Force: true, Subagents: true}

func copyFile(tb testing.TB, from, to string) {
	tb.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// The transcript handed with case I9: replies without request id, streamed output counts, a broken last line. With a second
// session that resumes the first, ccusage 18 counts in 40 and out 179, gryph 0.6 out 277 for the first alone.
func TestCaseI9(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	copyFile(t, "testdata/11111111-1111-4111-8111-111111111111.jsonl", w.path)
	res := w.ingest(force)
	first := sums{In: 20, Out: 209, Read: 10000, W5: 2000, Nano: 20*3000 + 209*15000 + 10000*300 + 2000*3750, Model: "claude-sonnet-4-5-20250929"}
	w.want(first)
	if res.Messages != 2 || res.Occupancy != 6060 {
		t.Errorf("got %d messages and occupancy %d, want 2 and 6060", res.Messages, res.Occupancy)
	}
	w.ingest(force)
	w.want(first)

	w.session, w.path = "s2", filepath.Join(filepath.Dir(w.path), "s2.jsonl")
	w.begin()
	old, err := os.ReadFile("testdata/11111111-1111-4111-8111-111111111111.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	w.append(string(old[:bytes.LastIndexByte(old, '\n')+1]))
	w.append(reply{id: "msg_C", model: "claude-sonnet-4-5-20250929", in: 10, out: 70, read: 5000, write: 1000}.String())
	w.ingest(force)
	w.want(sums{In: 10, Out: 70, Read: 5000, W5: 1000, Nano: 10*3000 + 70*15000 + 5000*300 + 1000*3750, Model: "claude-sonnet-4-5-20250929"})
}

func TestCapturedSessionWithSubagent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const id = "b237628d-1532-47ad-8d0b-512096508d0b"
	copyFile(t, "testdata/session/"+id+".jsonl", w.path)
	const agent = "subagents/agent-a4c37f07b57aa5153.jsonl"
	copyFile(t, "testdata/session/"+id+"/"+agent, filepath.Join(strings.TrimSuffix(w.path, ".jsonl"), agent))
	res := w.ingest(usage.Options{Force: true})
	if res.Messages != 3 || res.Occupancy != 6799 || res.Window != 1_000_000 {
		t.Errorf("main transcript: got %d messages, occupancy %d, window %d; want 3, 6799 and 1000000", res.Messages, res.Occupancy, res.Window)
	}
	res = w.ingest(force)
	if res.Messages != 2 || res.Occupancy != 6799 {
		t.Errorf("subagent: got %d messages, occupancy %d; want 2 and still 6799", res.Messages, res.Occupancy)
	}
	w.ingest(force)
	w.want(sums{In: 5000, Out: 287, Read: 25000, W5: 1500, W1h: 2000, Nano: 74_050_000, Model: "claude-opus-4-8"})
	var work, cost int64
	w.update(func(tx *store.Tx) error {
		_, err := tx.One("SELECT work_tokens, cost_nusd FROM subagents WHERE session_id = 's1' AND agent_id = 'a4c37f07b57aa5153'", nil, &work, &cost)
		return err
	})
	if wantWork, wantCost := int64(2*1700+23), int64(2*(5_000_000+2_500_000+1_875_000+4_000_000)+23*25_000); work != wantWork || cost != wantCost {
		t.Errorf("subagent row: got %d work tokens and %d nano-USD, want %d and %d", work, cost, wantWork, wantCost)
	}
}

func TestCounting(t *testing.T) {
	t.Parallel()
	const opusIn, opusOut = 5000, 25000
	a := reply{id: "A", request: "r1", in: 10, out: 20}
	tests := []struct {
		name  string
		lines []string
		want  sums
	}{
		{"I3: no request id", []string{reply{id: "A", in: 10, out: 20}.String(), reply{id: "A", in: 10, out: 20}.String()},
			sums{In: 10, Out: 20, Nano: 10*opusIn + 20*opusOut}},
		{"I5: one line per content block", []string{a.String(), reply{id: "A", request: "r1", in: 10, out: 20, content: `{"type":"tool_use","id":"t","name":"Bash","input":{}}`}.String()},
			sums{In: 10, Out: 20, Nano: 10*opusIn + 20*opusOut}},
		{"I7: 1-hour cache writes", []string{reply{id: "A", write: 8989, hour: 8989}.String()},
			sums{W1h: 8989, Nano: 8989 * 2 * opusIn}},
		{"proxy that sends one id for ever", []string{a.String(), reply{id: "A", request: "r2", in: 10, out: 20}.String(), reply{id: "A", request: "r2", in: 11, out: 20}.String()},
			sums{In: 31, Out: 60, Nano: 31*opusIn + 60*opusOut}},
		{"output grows while it streams", []string{reply{id: "A", request: "r1", in: 10, out: 1}.String(), a.String(), reply{id: "A", request: "r1", in: 10, out: 7}.String()},
			sums{In: 10, Out: 20, Nano: 10*opusIn + 20*opusOut}},
		{"two models", []string{a.String(), reply{id: "B", model: "claude-haiku-4-5-20251001", in: 100, out: 10, sidechain: true}.String()},
			sums{In: 110, Out: 30, Nano: 10*opusIn + 20*opusOut + 100*1000 + 10*5000}},
		{"unknown model", []string{a.String(), reply{id: "B", model: "claude-opus-9", in: 100, sidechain: true}.String()},
			sums{In: 110, Out: 20, Nano: 10*opusIn + 20*opusOut, Unknown: true}},
		{"synthetic and other lines", []string{`{"type":"assistant","message":{"id":"S","model":"<synthetic>","usage":{"input_tokens":5,"output_tokens":5}}}` + "\n",
			`{"type":"user","message":{"content":"usage"}}` + "\n", "\n", "{broken\n", "null\n", "[]\n", a.String()},
			sums{In: 10, Out: 20, Nano: 10*opusIn + 20*opusOut}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.want.Model = "claude-opus-4-8"
			w.append(strings.Join(tt.lines, ""))
			w.ingest(force)
			w.want(tt.want)

			piecewise := newWorld(t)
			for _, line := range tt.lines {
				piecewise.append(line[:len(line)/2])
				piecewise.ingest(force)
				piecewise.append(line[len(line)/2:])
				piecewise.ingest(force)
			}
			piecewise.want(tt.want)
		})
	}
}

func TestUnknownModelLeavesTheCostNull(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(reply{id: "A", in: 10, out: 20}.String() + reply{id: "B", model: "claude-opus-9", in: 1}.String())
	w.ingest(force)
	var cost any
	w.update(func(tx *store.Tx) error {
		task, err := telemetry.Current(tx, w.session)
		if err != nil {
			return err
		}
		if err := journal.Rollup(tx, task, journal.Extra{NowMS: now.UnixMilli()}); err != nil {
			return err
		}
		_, err = tx.One("SELECT cost_usd FROM task_executions WHERE task_id = ?", []any{task.ID()}, &cost)
		return err
	})
	if cost != nil {
		t.Errorf("cost_usd is %v, want NULL", cost)
	}
	w.ingest(force)
	configured := newWorld(t)
	configured.append(reply{id: "B", model: "claude-opus-9", in: 1}.String())
	configured.ingest(usage.Options{Force: true, Prices: usage.Table{}.With("claude-opus-9", 4, 20)})
	configured.want(sums{In: 1, Nano: 4000, Model: "claude-opus-9"})
}

// Case I1: one line of 100 MB between two replies.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(reply{id: "A", in: 1, out: 1}.String())
	w.append(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"`)
	block := strings.Repeat("0123456789abcdef", 1<<16)
	for range 100 {
		w.append(block)
	}
	w.append(`"}]}}` + "\n" + reply{id: "B", in: 2, out: 2}.String())
	if res := w.ingest(force); res.Messages != 2 || res.More {
		t.Errorf("got %d messages, more %v; want 2 and no more", res.Messages, res.More)
	}
	w.want(sums{In: 3, Out: 3, Nano: 3*5000 + 3*25000, Model: "claude-opus-4-8"})
}
