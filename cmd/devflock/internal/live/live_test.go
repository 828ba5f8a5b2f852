package live_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/orchestrator"
)

var update = flag.Bool("update", false, "write the golden files anew")

var begin = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// shop is a run of three regions before its first event.
func shop() live.Rows {
	r := live.Rows{Run: orchestrator.Run{
		ID: "20261130-120000-x7k2", Project: "/src/shop", State: orchestrator.RunReady, CreatedAt: begin, Settings: orchestrator.Settings{TokenCap: 2_000_000},
		Plan: orchestrator.Plan{Modules: []orchestrator.Module{{Name: "core", Path: "core", Weight: 2}, {Name: "api", Path: "api", Weight: 3}, {Name: "ui", Path: "ui", Weight: 3}}},
	}}
	for _, name := range []string{"api", "core", "ui"} {
		r.Regions = append(r.Regions, orchestrator.RegionState{Name: name, Modules: []string{name}, Endpoint: "gpu-" + name[:1]})
	}
	for i, t := range []struct {
		id, module string
		after      []string
	}{{"t1", "core", nil}, {"t2", "api", []string{"t1"}}, {"t3", "ui", []string{"t1"}}, {"t4", "api", []string{"t2"}}, {"t5", "ui", []string{"t3", "t4"}}} {
		r.Tasks = append(r.Tasks, orchestrator.TaskRow{Task: orchestrator.Task{ID: t.id, Module: t.module, DependsOn: t.after}, Region: t.module, State: orchestrator.TaskPending, Seq: i})
	}
	return r
}

// story is a run with everything that can happen, and at which seconds it is looked at.
func story() (events []live.Event, looks []int) {
	used := func(n int64) orchestrator.Usage { return orchestrator.Usage{Input: n, Output: n / 10, Requests: 1} }
	at := func(s int, e live.Event) {
		e.At = begin.Add(time.Duration(s) * time.Second)
		events = append(events, e)
	}
	at(0, live.Event{Kind: live.RunStarted})
	at(1, live.Event{Kind: live.TaskStarted, Region: "core", Task: "t1", Attempt: 1})
	at(5, live.Event{Kind: live.TaskProgress, Region: "core", Task: "t1", Text: "Write core/types.go"})
	at(9, live.Event{Kind: live.Usage, Region: "core", Task: "t1", Usage: used(8000), Context: 8800})
	at(20, live.Event{Kind: live.TaskChecking, Region: "core", Task: "t1"})
	at(25, live.Event{Kind: live.TaskVerified, Region: "core", Task: "t1", Attempt: 1, Usage: used(20_000)})
	at(30, live.Event{Kind: live.TaskDone, Region: "core", Task: "t1"})
	at(31, live.Event{Kind: live.TaskStarted, Region: "api", Task: "t2", Attempt: 1})
	at(32, live.Event{Kind: live.TaskStarted, Region: "ui", Task: "t3", Attempt: 1})
	at(40, live.Event{Kind: live.Health, Endpoint: "gpu-a", Health: live.HealthWaiting, Text: "HTTP 429, tries again in 12 s\x1b[31m"})
	at(50, live.Event{Kind: live.TaskRejected, Region: "api", Task: "t2", Attempt: 1, Usage: used(30_000), Text: "go test ./api: exit 1\n--- FAIL: TestServe"})
	at(51, live.Event{Kind: live.TaskStarted, Region: "api", Task: "t2", Attempt: 2})
	at(55, live.Event{Kind: live.TaskInfra, Region: "ui", Task: "t3", Attempt: 1, Usage: used(4000), Text: "endpoint gpu-u: connection refused", Wait: 4 * time.Second})
	at(56, live.Event{Kind: live.Health, Endpoint: "gpu-u", Health: live.HealthDown, Text: "connection refused"})
	at(70, live.Event{Kind: live.TaskVerified, Region: "api", Task: "t2", Attempt: 2, Usage: used(15_000), CostUSD: 0.1234})
	at(71, live.Event{Kind: live.TaskDone, Region: "api", Task: "t2"})
	at(72, live.Event{Kind: live.Health, Endpoint: "gpu-u", Health: live.HealthOK})
	at(73, live.Event{Kind: live.TaskStarted, Region: "ui", Task: "t3", Attempt: 2})
	at(74, live.Event{Kind: live.TaskAdded, Region: "api", Task: "req-1", Text: "ui asks: add a search"})
	at(80, live.Event{Kind: live.SessionFresh, Region: "ui", Text: "context of 61k tokens: a new session with the hand-over"})
	at(90, live.Event{Kind: live.TaskFailed, Region: "ui", Task: "t3", Attempt: 2, Usage: used(9000), Text: "not accepted after 3 attempts: test -s index.html: exit 1"})
	at(91, live.Event{Kind: live.TaskBlocked, Region: "ui", Task: "t5", Text: "depends on t3, which has failed"})
	at(92, live.Event{Kind: live.Kind("merge_red"), Text: "the merged tree fails: make test"})
	at(99, live.Event{Kind: live.TaskStarted, Region: "api", Task: "t4", Attempt: 1})
	return events, []int{6, 26, 42, 57, 100}
}

// The pictures of a whole run on two screens, as a person sees them.
func TestPicturesOfARun(t *testing.T) {
	t.Parallel()
	events, looks := story()
	for _, width := range []int{80, 120} {
		var b strings.Builder
		m := live.NewModel(shop(), begin)
		next := 0
		for _, s := range looks {
			now := begin.Add(time.Duration(s) * time.Second)
			for next < len(events) && !events[next].At.After(now) {
				m.Apply(events[next])
				next++
			}
			fmt.Fprintf(&b, "--- %d s\n%s\n", s, strings.Join(m.Draw(live.Look{Width: width, Height: 24}, now), "\n"))
		}
		golden(t, fmt.Sprintf("run-%d.txt", width), b.String())
	}
}

func TestPlainLinesOfARun(t *testing.T) {
	t.Parallel()
	var b, j strings.Builder
	events, _ := story()
	enc := json.NewEncoder(&j)
	for _, e := range events {
		if line := live.Line(e); line != "" {
			b.WriteString(line + "\n")
		}
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "run-plain.txt", b.String())
	golden(t, "run-json.txt", j.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestTokensAreCountedOnce(t *testing.T) {
	t.Parallel()
	m := live.NewModel(shop(), begin)
	events, _ := story()
	for _, e := range events {
		m.Apply(e)
	}
	if got, want := m.Tokens(), int64(22_000+33_000+4400+16_500+9900); got != want {
		t.Errorf("tokens = %d, want %d", got, want)
	}
	m.Apply(live.Event{Kind: live.TaskFailed, Region: "ui", Task: "t3", Usage: orchestrator.Usage{Input: 9000}}) // told again after the end
	m.Merge(live.Snapshot{Tokens: 100_000, Workers: []live.Worker{{Region: "ui", Tokens: 50_000, State: "idle", Last: "x"}}}, begin)
	if got := m.Tokens(); got != 100_000 {
		t.Errorf("the driver says 100000 tokens, the model %d", got)
	}
	s := m.Summary()
	if s.Done != 2 || s.Failed != 1 || s.Blocked != 1 || s.Open != 2 || s.Tasks != 6 || len(s.Missing) != 2 || !s.Priced {
		t.Errorf("summary = %+v", s)
	}
}

func TestEndpointsChangeOnce(t *testing.T) {
	t.Parallel()
	m := live.NewModel(shop(), begin)
	down := live.Snapshot{Endpoints: []live.Endpoint{{Name: "gpu-a", Health: live.HealthDown, Text: "x"}, {Name: "gpu-c", Health: live.HealthOK}, {Name: "new", Health: live.HealthOK}}}
	if got := m.Merge(down, begin); len(got) != 1 || got[0].Endpoint != "gpu-a" {
		t.Errorf("first: %+v", got)
	}
	if got := m.Merge(down, begin); len(got) != 0 {
		t.Errorf("again: %+v", got)
	}
	down.Endpoints[0].Health = live.HealthOK
	if got := m.Merge(down, begin); len(got) != 1 || got[0].Health != live.HealthOK {
		t.Errorf("back: %+v", got)
	}
}

func TestTheTimeLeftFollowsTheWeights(t *testing.T) {
	t.Parallel()
	m := live.NewModel(shop(), begin)
	m.Apply(live.Event{Kind: live.RunStarted})
	if _, ok := m.ETA(begin.Add(time.Minute)); ok {
		t.Error("there is an ETA before anything was done")
	}
	m.Apply(live.Event{Kind: live.TaskDone, Region: "core", Task: "t1"}) // 2 of the 6.5 units of the longest way: t1, t2, t4, half of ui
	got, ok := m.ETA(begin.Add(20 * time.Second))
	if want := 45 * time.Second; !ok || got != want {
		t.Errorf("ETA = %s, %v, want %s", got, ok, want)
	}
}

// Whatever happens, in whatever order, a picture fits its screen and has no escape sequence that we did not make.
func TestPicturesFit(t *testing.T) {
	t.Parallel()
	kinds := []live.Kind{live.RunStarted, live.TaskStarted, live.TaskProgress, live.TaskChecking, live.TaskRejected, live.TaskInfra, live.TaskVerified, live.TaskAdopted, live.TaskDone, live.TaskReturned, live.TaskFailed, live.TaskBlocked, live.TaskAdded, live.RegionParked, live.RegionMoved, live.SessionFresh, live.Usage, live.Health, live.Note, live.Ended, "from_a_newer_one"}
	rapid.Check(t, func(t *rapid.T) {
		m := live.NewModel(shop(), begin)
		name := rapid.SampledFrom([]string{"", "api", "core", "ui", "new", "日本\x1b[2J", strings.Repeat("x", 300)})
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			m.Apply(live.Event{At: begin, Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Region: name.Draw(t, "region"), Task: rapid.SampledFrom([]string{"", "t1", "t2", "t3", "t4", "t5", "req-1"}).Draw(t, "task"), Attempt: rapid.IntRange(0, 9).Draw(t, "attempt"), Endpoint: name.Draw(t, "endpoint"), Health: rapid.SampledFrom([]string{"", "ok", "waiting", "down"}).Draw(t, "health"), Text: rapid.String().Draw(t, "text"), Usage: orchestrator.Usage{Input: rapid.Int64Range(0, 1<<40).Draw(t, "tokens")}})
		}
		look := live.Look{Width: rapid.IntRange(20, 200).Draw(t, "width"), Height: rapid.IntRange(2, 60).Draw(t, "height")}
		lines := m.Draw(look, begin.Add(time.Hour))
		if len(lines) >= look.Height {
			t.Fatalf("%d lines on a screen of %d", len(lines), look.Height)
		}
		for _, line := range lines {
			if grid.Width(line) > look.Width || strings.ContainsRune(line, '\x1b') {
				t.Fatalf("width %d: %q", look.Width, line)
			}
		}
	})
}

func TestThePainterGoesBack(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := live.Painter{W: &b, Redraw: true}
	for _, lines := range [][]string{{"a", "b"}, {"c"}} {
		if err := p.Paint(lines); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.String(), "\r\x1b[Ka\n\r\x1b[Kb\n\x1b[J\x1b[2A\r\x1b[Kc\n\x1b[J"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	p = live.Painter{W: &b}
	for _, lines := range [][]string{{"12:00", "a", "", "b"}, {"12:01", "a", "c"}} {
		if err := p.Paint(lines); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.String(), "a\nb\nc\n"; got != want {
		t.Errorf("without a cursor: got %q, want %q", got, want)
	}
}
