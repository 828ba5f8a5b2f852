package graph_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/graph"
)

func row(id, region string, state orchestrator.TaskState, after ...string) orchestrator.TaskRow {
	return orchestrator.TaskRow{Task: orchestrator.Task{ID: id, Module: region, DependsOn: after}, Region: region, State: state}
}

func ids(rows []orchestrator.TaskRow) (out []string) {
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

func all(string) (string, bool) { return "", true }

func TestNextTakesOnePerFreeRegionTheMostUrgentFirst(t *testing.T) {
	t.Parallel()
	weights := map[string]float64{"a1": 1, "a2": 1, "b1": 9, "c1": 2, "b2": 1, "c2": 1, "d1": 5}
	g := graph.New(orchestrator.Plan{}, func(t orchestrator.TaskRow) float64 { return weights[t.ID] })
	g.Update([]orchestrator.TaskRow{
		row("a1", "a", orchestrator.TaskPending), row("a2", "a", orchestrator.TaskPending), row("b1", "b", orchestrator.TaskPending, "a2"), // a2 has the longer chain
		row("c1", "c", orchestrator.TaskVerified), row("c2", "c", orchestrator.TaskPending), // c waits for its integration
		row("d1", "d", orchestrator.TaskPending, "c1"),
	})
	if got := ids(g.Next(all)); !slices.Equal(got, []string{"a2"}) {
		t.Errorf("next %v", got)
	}
	if got := ids(g.Next(func(region string) (string, bool) { return "a1", region == "a" })); !slices.Equal(got, []string{"a1"}) {
		t.Errorf("next with unfinished work of a1 in the tree: %v", got)
	}
	if got := g.Next(func(string) (string, bool) { return "", false }); len(got) > 0 {
		t.Errorf("next without a free region: %v", got)
	}
}

func TestRepairComesBeforeNewWork(t *testing.T) {
	t.Parallel()
	g := graph.New(orchestrator.Plan{}, func(orchestrator.TaskRow) float64 { return 1 })
	g.Update([]orchestrator.TaskRow{row("a1", "a", orchestrator.TaskPending), row("a2", "a", orchestrator.TaskVerifyFailed), row("b1", "b", orchestrator.TaskPending, "a1")})
	if got := ids(g.Next(all)); !slices.Equal(got, []string{"a2"}) {
		t.Errorf("next %v", got)
	}
}

func TestUpdateTellsWhatIsNew(t *testing.T) {
	t.Parallel()
	g := graph.New(orchestrator.Plan{Modules: []orchestrator.Module{{Name: "a", Weight: 3}}}, nil)
	rows := []orchestrator.TaskRow{row("a1", "a", orchestrator.TaskDone)}
	if got := ids(g.Update(rows)); !slices.Equal(got, []string{"a1"}) {
		t.Errorf("new at first: %v", got)
	}
	rows = append(rows, row("a2", "a", orchestrator.TaskPending, "a1"))
	if got := ids(g.Update(rows)); !slices.Equal(got, []string{"a2"}) {
		t.Errorf("new then: %v", got)
	}
	if got := ids(g.Update(slices.Clone(rows))); len(got) > 0 {
		t.Errorf("new at last: %v", got)
	}
	if len(g.Open()) != 1 || len(g.In(orchestrator.TaskDone)) != 1 {
		t.Error("states are not those of the rows")
	}
}

func TestDoomedGoesThroughAll(t *testing.T) {
	t.Parallel()
	g := graph.New(orchestrator.Plan{}, nil)
	failed := row("x", "a", orchestrator.TaskFailed)
	failed.Reason = "check is red\nand more"
	g.Update([]orchestrator.TaskRow{row("z", "a", orchestrator.TaskPending, "y"), row("y", "b", orchestrator.TaskPending, "x"), failed, row("lost", "gone", orchestrator.TaskPending), row("w", "a", orchestrator.TaskRunning, "x")})
	ends := g.Doomed(func(region string) bool { return region != "gone" })
	var got []string
	for _, e := range ends {
		got = append(got, e.Task.ID+" "+string(e.State))
	}
	if !slices.Equal(got, []string{"lost failed", "y blocked", "z blocked"}) {
		t.Errorf("ends %v", got)
	}
	if r := ends[2].Reason; !strings.HasPrefix(r, "it waits for y, which is blocked: it waits for x, which failed: check is red") || strings.Contains(r, "\n") {
		t.Errorf("reason %q", r)
	}
	if again := g.Doomed(func(region string) bool { return region != "gone" }); len(again) > 0 {
		t.Errorf("again %v", again)
	}
	if m := g.Missing(); m != "failed: x, lost; blocked: z, y" {
		t.Errorf("missing %q", m)
	}
}

func TestOwners(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1000)
	try := func(task string, n int, kind orchestrator.AttemptKind, state orchestrator.AttemptState, session string, ms int) orchestrator.Attempt {
		return orchestrator.Attempt{Task: task, Number: n, Kind: kind, State: state, Session: session, StartedAt: at.Add(time.Duration(ms) * time.Millisecond)}
	}
	const (
		first, repair, resume      = orchestrator.AttemptWork, orchestrator.AttemptRepair, orchestrator.AttemptResume
		lost, infra, red, accepted = orchestrator.AttemptLost, orchestrator.AttemptInfra, orchestrator.AttemptRejected, orchestrator.AttemptAccepted
	)
	tests := []struct {
		name     string
		attempts []orchestrator.Attempt
		state    orchestrator.TaskState // of t1
		want     string
	}{
		{"killed in its work", []orchestrator.Attempt{try("t1", 1, first, lost, "s", 1)}, orchestrator.TaskPending, "t1"},
		{"killed before it began", []orchestrator.Attempt{try("t1", 1, first, lost, "", 1)}, orchestrator.TaskPending, ""},
		{"killed between two attempts", []orchestrator.Attempt{try("t1", 1, first, red, "s", 1)}, orchestrator.TaskVerifyFailed, "t1"},
		{"killed before the repair began", []orchestrator.Attempt{try("t1", 1, first, red, "s", 1), try("t1", 2, repair, lost, "", 2)}, orchestrator.TaskPending, "t1"},
		{"killed before the resumption began", []orchestrator.Attempt{try("t1", 1, first, infra, "s", 1), try("t1", 2, resume, lost, "", 2)}, orchestrator.TaskPending, "t1"},
		{"came back from the merge", []orchestrator.Attempt{try("t1", 1, first, accepted, "s", 1)}, orchestrator.TaskVerifyFailed, ""},
		{"killed before the repair after the merge began", []orchestrator.Attempt{try("t1", 1, first, accepted, "s", 1), try("t1", 2, repair, lost, "", 2)}, orchestrator.TaskPending, ""},
		{"waits for its integration", []orchestrator.Attempt{try("t1", 1, first, accepted, "s", 1)}, orchestrator.TaskVerified, ""},
		{"has failed", []orchestrator.Attempt{try("t1", 1, first, red, "s", 1)}, orchestrator.TaskFailed, ""},
		{"another task came after it", []orchestrator.Attempt{try("t1", 1, first, infra, "s", 1), try("t2", 1, first, accepted, "s", 2)}, orchestrator.TaskPending, ""},
		{"another task came before it", []orchestrator.Attempt{try("t2", 1, first, accepted, "s", 1), try("t1", 1, first, lost, "s", 2)}, orchestrator.TaskPending, "t1"},
		{"another task in the same millisecond", []orchestrator.Attempt{try("t2", 1, first, accepted, "s", 1), try("t1", 1, first, lost, "s", 1)}, orchestrator.TaskPending, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := graph.Owners(tt.attempts, []orchestrator.TaskRow{row("t1", "a", tt.state), row("t2", "a", orchestrator.TaskDone)})
			if got["a"] != tt.want || len(got) > 1 {
				t.Errorf("got %v, want %q", got, tt.want)
			}
		})
	}
}
