package usage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

func TestSmallGrowthWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(reply{id: "A", in: 10, out: 1}.String())
	if res := w.ingest(usage.Options{}); res.Bytes != 0 || res.Occupancy != 0 {
		t.Errorf("a few hundred bytes were read: %+v", res)
	}
	w.append(reply{id: "B", in: 30, out: 1, content: `{"type":"text","text":"` + strings.Repeat("x", usage.MinGrowth) + `"}`}.String())
	if res := w.ingest(usage.Options{}); res.Messages != 2 || res.Occupancy != 31 {
		t.Errorf("got %+v, want two messages and occupancy 31", res)
	}
	w.append(reply{id: "C", in: 50, out: 1}.String())
	if res := w.ingest(usage.Options{}); res.Messages != 0 || res.Occupancy != 31 || res.Model != "claude-opus-4-8" {
		t.Errorf("got %+v, want what the cursor remembers", res)
	}
	if res := w.ingest(force); res.Messages != 1 || res.Occupancy != 51 {
		t.Errorf("got %+v, want the third message", res)
	}
}

// A hook on a tool call that meets a large transcript for the first time reads a bounded part of it, yet knows how full the
// context is; the following events catch up, and Stop reads the rest.
func TestHotReadingIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const n = 40
	filler := `{"type":"text","text":"` + strings.Repeat("x", 100<<10) + `"}`
	for i := range n {
		w.append(reply{id: fmt.Sprint("m", i), in: int64(i + 1), content: filler}.String())
	}
	res := w.ingest(usage.Options{})
	if res.Bytes > usage.HotBytes || res.Bytes < usage.HotBytes/2 || !res.More {
		t.Errorf("read %d bytes, more %v; want at most %d and more", res.Bytes, res.More, usage.HotBytes)
	}
	if res.Occupancy != n {
		t.Errorf("occupancy %d, want %d from the last message", res.Occupancy, n)
	}
	events := 1
	for ; res.More; events++ {
		res = w.ingest(usage.Options{})
		if res.Occupancy != n {
			t.Errorf("event %d: occupancy %d, want %d", events, res.Occupancy, n)
		}
	}
	if events < 4 || events > 6 {
		t.Errorf("caught up after %d events, want 4 to 6", events)
	}
	w.want(sums{In: n * (n + 1) / 2, Nano: n * (n + 1) / 2 * 5000, Model: "claude-opus-4-8"})
}

func TestOneLongLineIsReadEvenBeyondTheBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(reply{id: "A", in: 1, content: `{"type":"text","text":"` + strings.Repeat("x", 3*usage.HotBytes) + `"}`}.String())
	w.append(reply{id: "B", in: 2, content: `{"type":"text","text":"` + strings.Repeat("x", 2000) + `"}`}.String())
	if res := w.ingest(usage.Options{}); res.Messages != 1 || !res.More || res.Occupancy != 2 {
		t.Errorf("first event: %+v, want one message, more and occupancy 2", res)
	}
	if res := w.ingest(usage.Options{}); res.Messages != 1 || res.More {
		t.Errorf("second event: %+v, want the other message", res)
	}
}

func TestCatchReadsEverythingInSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	filler := `{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}`
	for i := range 20 {
		w.append(reply{id: fmt.Sprint("m", i), in: 1, content: filler}.String())
	}
	w.append(reply{id: "last", in: 7, content: `{"type":"tool_use","id":"t","name":"Skill","input":{"skill":"spec"}}`}.String())
	agents := filepath.Join(strings.TrimSuffix(w.path, ".jsonl"), "subagents")
	if err := os.MkdirAll(agents, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(agents, "agent-a1.jsonl"), []byte(reply{id: "sub", in: 100, sidechain: true}.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	o := force
	o.Now = now
	res, err := usage.Catch(w.db, w.session, w.path, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Messages != 22 || res.More || res.Occupancy != 7 || res.Added.In != 127 || len(res.Skills) != 1 {
		t.Errorf("got %d messages, more %v, occupancy %d, input %d, skills %v; want 22, no more, 7, 127 and one",
			res.Messages, res.More, res.Occupancy, res.Added.In, res.Skills)
	}
	w.want(sums{In: 127, Nano: 127 * 5000, Model: "claude-opus-4-8"})
	if res, err := usage.Catch(w.db, "no such session", w.path, o); err != nil || res.Bytes != 0 {
		t.Errorf("session without a task: %+v, %v", res, err)
	}
}

func TestReplacedTranscripts(t *testing.T) {
	t.Parallel()
	a, b, c := reply{id: "A", in: 1}.String(), reply{id: "B", in: 2}.String(), reply{id: "C", in: 4}.String()
	tests := []struct {
		name    string
		replace func(w *world) error
	}{
		{"cut short, then other lines", func(w *world) error { return os.WriteFile(w.path, []byte(a+c), 0o644) }},
		{"rewritten longer in place", func(w *world) error { return os.WriteFile(w.path, []byte(" \n"+a+c+b+b), 0o644) }},
		{"another file", func(w *world) error {
			if err := os.WriteFile(w.path+".new", []byte(a+b+c), 0o644); err != nil {
				return err
			}
			return os.Rename(w.path+".new", w.path)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.append(a + b + b)
			w.ingest(force)
			if err := tt.replace(w); err != nil {
				t.Fatal(err)
			}
			w.ingest(force)
			w.want(sums{In: 7, Nano: 7 * 5000, Model: "claude-opus-4-8"})
		})
	}
}

func TestOccupancyFollowsTheMainChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(reply{id: "A", in: 1000, read: 100_000, write: 50, hour: 20, out: 7}.String())
	w.append(reply{id: "B", in: 9, sidechain: true}.String())
	w.append(`{"type":"assistant","message":{"id":"S","model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}` + "\n")
	if got := w.ingest(force).Occupancy; got != 101_057 {
		t.Errorf("occupancy %d, want 101057", got)
	}
	w.append(`{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":101057}}` + "\n")
	if got := w.ingest(force).Occupancy; got != 0 {
		t.Errorf("after the compaction: occupancy %d, want 0 (not known)", got)
	}
	w.append(reply{id: "C", in: 20_000, out: 5}.String())
	if got := w.ingest(force).Occupancy; got != 20_005 {
		t.Errorf("first message after it: occupancy %d, want 20005", got)
	}
}

func TestNothingIsLostBeforeTheFirstTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session = "young"
	w.append(reply{id: "A", in: 10}.String())
	if res := w.ingest(force); res.Bytes != 0 || res.Window != 200_000 {
		t.Errorf("without a task: %+v", res)
	}
	w.begin()
	w.ingest(force)
	w.want(sums{In: 10, Nano: 50_000, Model: "claude-opus-4-8"})
}

func TestMissingTranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ingest(force) // not there: no error
	if err := os.Mkdir(w.path, 0o755); err != nil {
		t.Fatal(err)
	}
	err := w.db.Update(func(tx *store.Tx) error {
		task, err := telemetry.Current(tx, w.session)
		if err != nil {
			return err
		}
		_, err = usage.Ingest(tx, task, w.path, usage.Options{Now: now, Force: true})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: error %v", err)
	}
	w.want(sums{})
}

func TestUnreadableSubagentDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(reply{id: "A", in: 1}.String())
	agents := filepath.Join(strings.TrimSuffix(w.path, ".jsonl"), "subagents")
	if err := os.MkdirAll(agents, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		os.Symlink("agent-bad.jsonl", filepath.Join(agents, "agent-bad.jsonl")),
		os.WriteFile(filepath.Join(agents, "agent-x.jsonl"), []byte(reply{id: "B", in: 10, sidechain: true}.String()), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	w.ingest(force)
	w.want(sums{In: 11, Nano: 55_000, Model: "claude-opus-4-8"})
}

// A hook that dies between reading and commit leaves nothing; the next one counts the same bytes, once.
func TestCrashBeforeCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(reply{id: "A", in: 1}.String() + reply{id: "B", in: 2}.String())
	boom := errors.New("killed")
	err := w.db.Update(func(tx *store.Tx) error {
		task, err := telemetry.Current(tx, w.session)
		if err != nil {
			return err
		}
		if _, err := usage.Ingest(tx, task, w.path, usage.Options{Now: now, Force: true}); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	w.want(sums{})
	w.ingest(force)
	w.want(sums{In: 3, Nano: 15_000, Model: "claude-opus-4-8"})
}

func TestSkillsAndTodos(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := 0
	use := func(name, input string) string {
		n++
		return reply{id: fmt.Sprint("m", n), content: fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":%q,"input":%s}`, n, name, input)}.String()
	}
	check := func(step string, skills, todos []string) {
		t.Helper()
		for range 2 { // the second reading finds nothing new and still knows all of it
			res := w.ingest(force)
			if diff := cmp.Diff([][]string{skills, todos}, [][]string{res.Skills, usage.TodoLines(res.Todos)}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step, diff)
			}
		}
	}
	w.append(use("Skill", `{"skill":"spec-driven-dev"}`) + use("TodoWrite", `{"todos":[{"content":"one","status":"pending","activeForm":"x"}]}`))
	check("first list", []string{"spec-driven-dev"}, []string{"[ ] one"})
	w.append(use("Skill", `{"command":"wizard"}`) + use("Skill", `{"skill":"spec-driven-dev"}`) + use("Skill", `{"skill":7}`) +
		use("TodoWrite", `{"todos":[{"content":"one","status":"completed"},{"content":"two","status":"in_progress"}]}`) + use("TodoWrite", `{"todos":"x"}`))
	check("second list", []string{"spec-driven-dev", "wizard"}, []string{"[x] one", "[>] two"})
	w.append(use("TodoWrite", `{"todos":[]}`))
	check("emptied", []string{"spec-driven-dev", "wizard"}, []string{})
	w.append(use("TaskCreate", `{"subject":"write the test","description":"d"}`) + use("TaskCreate", `{"subject":"key AKIA2E0A8F3B244C9986 leaks"}`) +
		use("TaskUpdate", `{"taskId":"1","status":"completed"}`) + use("TaskCreate", `{"subject":"third"}`) + use("TaskUpdate", `{"taskId":"2","status":"deleted"}`) +
		use("TaskUpdate", `{"taskId":"3","status":"in_progress","subject":"the third"}`) + use("TaskUpdate", `{"taskId":"9","status":"completed"}`))
	check("tasks", []string{"spec-driven-dev", "wizard"}, []string{"[x] write the test", "[>] the third"})
	w.update(func(tx *store.Tx) error {
		kept, err := telemetry.Get(tx, "todos:s1")
		if strings.Contains(kept, "AKIA2E0A8F3B244C9986") {
			t.Errorf("a secret was kept: %s", kept)
		}
		return err
	})
	w.update(forget)
	if got := usage.TodoLines(w.ingest(force).Todos); len(got) != 2 {
		t.Errorf("after reading everything again: %q", got)
	}
}

// Example 17 of the specification: each reply counts once; 150,001 work tokens after a FAIL halt once, and a PASS begins anew.
func TestTokenGuardOverATranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var halts int
	step := func(name string, want usage.Decision) {
		t.Helper()
		w.ingest(force)
		w.update(func(tx *store.Tx) error {
			task, err := telemetry.Current(tx, w.session)
			if err != nil {
				return err
			}
			b := usage.Budget{Work: task.Work(), Baseline: task.TokenBaseline, Limit: 150_000, Armed: task.Armed,
				Halted: task.State == telemetry.Halted || task.State == telemetry.Emergency, Advised: task.CtxWarned&usage.WarnedTokens != 0}
			if got := usage.TokenGuard(b); got != want {
				t.Errorf("%s: %v with %+v, want %v", name, got, b, want)
			}
			if want != usage.GuardHalt {
				return nil
			}
			_, fired, err := breaker.HaltEmergency(tx, w.session, task.Seq, b.Delta(), now.UnixMilli())
			if fired {
				halts++
			}
			return err
		})
	}
	verdict := func(outcome string) {
		t.Helper()
		w.update(func(tx *store.Tx) error {
			_, err := breaker.SetVerdict(tx, w.session, 1, breaker.Verdict{Outcome: outcome, AtMS: now.UnixMilli()})
			return err
		})
	}
	verdict(breaker.OutcomeFail)
	w.append(strings.Repeat(reply{id: "A", in: 140_000, out: 10_000}.String(), 3))
	step("exactly the limit", usage.GuardNone)
	verdict(breaker.OutcomePass)
	verdict(breaker.OutcomeFail)
	w.append(reply{id: "B", in: 150_000, read: 9_000_000}.String())
	step("a PASS moved the baseline; cache reads do not count", usage.GuardNone)
	w.append(reply{id: "C", in: 1}.String())
	step("one more", usage.GuardHalt)
	w.append(reply{id: "D", in: 1}.String())
	step("already halted", usage.GuardNone)
	if halts != 1 {
		t.Errorf("%d halts, want 1", halts)
	}
}

// Two hooks of one session that end at the same time may read the same bytes.
func TestReadersAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 200 {
		w.append(reply{id: fmt.Sprint("m", i/2), in: 1, out: int64(i)}.String())
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			o := force
			o.Now = now
			if _, err := usage.Catch(w.db, w.session, w.path, o); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	w.want(sums{In: 100, Out: 10_000, Nano: 100*5000 + 10_000*25_000, Model: "claude-opus-4-8"})
}

// However a transcript is cut into readings, and however often lines and whole files come back, the totals are the same.
func TestAnySplitGivesTheSameTotals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := filepath.Dir(w.path)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		models := []string{"claude-opus-4-8", "claude-haiku-5-5", "claude-sonnet-4-5-20250929", "claude-opus-9"}
		var replies []reply
		for i := range rapid.IntRange(1, 12).Draw(rt, "replies") {
			write := rapid.Int64Range(0, 300_000).Draw(rt, "write")
			replies = append(replies, reply{
				id: fmt.Sprintf("run%d-m%d", run, i), request: rapid.SampledFrom([]string{"", "r"}).Draw(rt, "request"),
				model: rapid.SampledFrom(models).Draw(rt, "model"), in: rapid.Int64Range(0, 1000).Draw(rt, "in"), out: rapid.Int64Range(0, 5000).Draw(rt, "out"),
				read: rapid.Int64Range(0, 100_000).Draw(rt, "read"), write: write, hour: rapid.Int64Range(0, write).Draw(rt, "hour"),
			})
		}
		// lines repeats replies, some with a smaller output, in any order that keeps the last reply last.
		var lines []string
		for _, r := range replies {
			for range rapid.IntRange(0, 2).Draw(rt, "partial lines") {
				early := r
				early.out = rapid.Int64Range(0, r.out).Draw(rt, "partial output")
				lines = append(lines, early.String())
			}
			lines = append(lines, r.String())
			if rapid.Bool().Draw(rt, "repeat an old line") {
				lines = append(lines, rapid.SampledFrom(lines).Draw(rt, "old line"))
			}
		}
		text := strings.Join(lines, "")
		want := expected(replies)

		w.session, w.path = fmt.Sprintf("split%d", run), filepath.Join(dir, fmt.Sprintf("split%d.jsonl", run))
		w.begin()
		for len(text) > 0 {
			n := rapid.IntRange(1, len(text)).Draw(rt, "bytes")
			w.append(text[:n])
			text = text[n:]
			w.ingest(usage.Options{Force: rapid.Bool().Draw(rt, "force"), MaxBytes: rapid.SampledFrom([]int64{0, 1, 700}).Draw(rt, "bound")})
			if rapid.IntRange(0, 3).Draw(rt, "what else") == 0 {
				w.update(func(tx *store.Tx) error {
					_, err := tx.Exec("DELETE FROM cursors WHERE path = ?", w.path)
					return err
				})
			}
		}
		for w.ingest(usage.Options{Force: true, MaxBytes: 2000}).More {
		}
		got := w.sums()
		got.Model = ""
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("totals (-want +got):\n%s", diff)
		}
	})
}

// expected adds replies up without any of the code under test but the price of one message.
func expected(replies []reply) sums {
	var s sums
	for _, r := range replies {
		s.In += r.in
		s.Out += r.out
		s.Read += r.read
		s.W5 += r.write - r.hour
		s.W1h += r.hour
		p, ok := usage.Table{}.Lookup(r.model, now)
		if !ok {
			s.Unknown = true
			continue
		}
		s.Nano += p.Cost(usage.Tokens{Input: r.in, Output: r.out, CacheRead: r.read, CacheWrite5m: r.write - r.hour, CacheWrite1h: r.hour})
	}
	return s
}
