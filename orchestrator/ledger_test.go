package orchestrator_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator"
)

const run = orchestrator.RunID("20300101-000000-abcd")

var ignoreTimes = cmpopts.IgnoreTypes(time.Time{})

func open(t *testing.T) *orchestrator.Ledger {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return orchestrator.Open(db, time.Now)
}

func task(id, region string, deps ...string) orchestrator.TaskRow {
	return orchestrator.TaskRow{
		Task:   orchestrator.Task{ID: id, Module: region, Description: "do " + id, DependsOn: deps, Acceptance: "test -f " + id},
		Run:    run,
		Region: region,
	}
}

// started gives a running run of region a with a1 and a2, and region b with b1, which waits for a1.
func started(t *testing.T) *orchestrator.Ledger {
	t.Helper()
	l := open(t)
	must(t, l.Create(
		orchestrator.Run{ID: run, Project: "/p", Base: "c0", Mode: orchestrator.ModeIdea, Request: "shop", Settings: orchestrator.Settings{Attempts: 3}},
		[]orchestrator.RegionState{{Name: "a", Modules: []string{"a"}, Endpoint: "m"}, {Name: "b", Modules: []string{"b"}}},
		[]orchestrator.TaskRow{task("a1", "a"), task("a2", "a"), task("b1", "b", "a1")}))
	must(t, l.SetState(run, orchestrator.RunRunning, ""))
	return l
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func claim(t *testing.T, l *orchestrator.Ledger, id string) orchestrator.Attempt {
	t.Helper()
	a, err := l.Claim(run, id, orchestrator.AttemptWork)
	must(t, err)
	return a
}

func states(t *testing.T, l *orchestrator.Ledger) string {
	t.Helper()
	tasks, err := l.Tasks(run)
	must(t, err)
	var s string
	for _, x := range tasks {
		s += fmt.Sprintf("%s %s %d;", x.ID, x.State, x.Attempts)
	}
	return s
}

func wantStates(t *testing.T, l *orchestrator.Ledger, want string) {
	t.Helper()
	if got := states(t, l); got != want {
		t.Errorf("states = %q, want %q", got, want)
	}
}

func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestTheWayOfATask(t *testing.T) {
	t.Parallel()
	l := started(t)
	first := claim(t, l, "a1")
	must(t, l.Began(first, 42, 7, "s-1"))
	_, err := l.Claim(run, "a2", orchestrator.AttemptWork)
	wantErr(t, "second task of a region", err, orchestrator.ErrNotClaimable)
	must(t, l.Reject(first, "red: token=ghp_0123456789abcdefghijABCDEFGHIJ012345", false, orchestrator.Usage{Input: 10, Output: 1, Requests: 1}, 0.5))
	wantStates(t, l, "a1 verify_failed 1;a2 pending 0;b1 pending 0;")
	repair := claim(t, l, "a1")
	must(t, l.Accept(repair, "c1", orchestrator.Usage{Input: 5, CacheRead: 2, Requests: 2}, 0.25))
	_, err = l.Claim(run, "a2", orchestrator.AttemptWork)
	wantErr(t, "task behind one that waits for its integration", err, orchestrator.ErrNotClaimable)
	must(t, l.Land(run, []string{"a1"}, "i1"))
	must(t, l.Land(run, []string{"a1"}, "i1"))
	wantStates(t, l, "a1 done 2;a2 pending 0;b1 pending 0;")

	infra := claim(t, l, "a2")
	must(t, l.Infra(infra, "endpoint is gone", orchestrator.Usage{}, 0))
	wantStates(t, l, "a1 done 2;a2 pending 0;b1 pending 0;")
	must(t, l.Reject(claim(t, l, "a2"), "no", true, orchestrator.Usage{}, 0))
	must(t, l.Block(run, "b1", "a2 failed"))
	wantStates(t, l, "a1 done 2;a2 failed 1;b1 blocked 0;")

	usage, cost, err := l.Spent(run)
	must(t, err)
	if want := (orchestrator.Usage{Input: 15, Output: 1, CacheRead: 2, Requests: 3}); usage != want || cost != 0.75 {
		t.Errorf("spent %+v %v, want %+v 0.75", usage, cost, want)
	}
	attempts, err := l.Attempts(run)
	must(t, err)
	if len(attempts) != 4 || attempts[0].PID != 42 || attempts[0].PIDStart != 7 || attempts[0].Session != "s-1" || attempts[0].State != orchestrator.AttemptRejected {
		t.Errorf("attempts = %+v", attempts)
	}
	if got := attempts[0].Failure; got == "" || got == "red: token=ghp_0123456789abcdefghijABCDEFGHIJ012345" {
		t.Errorf("failure = %q, want it without the secret", got)
	}
	got, err := l.Run(run)
	must(t, err)
	if got.Integration != "i1" || got.Base != "c0" || got.Settings.Attempts != 3 {
		t.Errorf("run = %+v", got)
	}
}

func TestAnOldAttemptIsRefusedWhateverItSays(t *testing.T) {
	t.Parallel()
	l := started(t)
	old := claim(t, l, "a1")
	lost, err := l.Recover(run)
	must(t, err)
	if len(lost) != 1 || lost[0].Fence != old.Fence {
		t.Fatalf("recovered %+v, want the attempt that ran", lost)
	}
	present := claim(t, l, "a1")
	if present.Number != 2 || present.Fence == old.Fence {
		t.Errorf("second attempt = %+v", present)
	}
	forged := present
	forged.Fence = old.Fence
	for what, err := range map[string]error{
		"begin": l.Began(old, 1, 1, "s"), "accept": l.Accept(old, "c", orchestrator.Usage{}, 0), "reject": l.Reject(old, "x", true, orchestrator.Usage{}, 0),
		"infra": l.Infra(old, "x", orchestrator.Usage{}, 0), "adopt behind a newer one": l.Adopt(lost[0], "c"), "forged": l.Accept(forged, "c", orchestrator.Usage{}, 0),
	} {
		wantErr(t, what, err, orchestrator.ErrFenced)
	}
	wantStates(t, l, "a1 running 0;a2 pending 0;b1 pending 0;")
	must(t, l.Accept(present, "c1", orchestrator.Usage{}, 0))
	wantErr(t, "the same report twice", l.Accept(present, "c1", orchestrator.Usage{}, 0), orchestrator.ErrFenced)
}

func TestALostAttemptWhoseCommitIsThereIsAdoptedOnce(t *testing.T) {
	t.Parallel()
	l := started(t)
	claim(t, l, "a1")
	lost, err := l.Recover(run)
	must(t, err)
	must(t, l.Adopt(lost[0], "c1"))
	wantStates(t, l, "a1 verified 1;a2 pending 0;b1 pending 0;")
	wantErr(t, "adopt twice", l.Adopt(lost[0], "c1"), orchestrator.ErrFenced)
	must(t, l.Return(run, "a1", "red after the merge", false))
	wantStates(t, l, "a1 verify_failed 1;a2 pending 0;b1 pending 0;")
	again, err := l.Recover(run)
	if err != nil || len(again) != 0 {
		t.Errorf("second recovery gives %v, %v", again, err)
	}
}

func TestOnlyOneOfManyClaims(t *testing.T) {
	t.Parallel()
	l := started(t)
	var won [2]int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if _, err := l.Claim(run, []string{"a1", "a2"}[i%2], orchestrator.AttemptWork); err == nil {
				mu.Lock()
				won[i%2]++
				mu.Unlock()
			} else if !errors.Is(err, orchestrator.ErrNotClaimable) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won[0]+won[1] != 1 {
		t.Errorf("%v claims succeeded in one region, want one", won)
	}
}

func TestNothingIsClaimedUnlessTheRunIsRunning(t *testing.T) {
	t.Parallel()
	l := started(t)
	must(t, l.SetState(run, orchestrator.RunStopped, "token cap"))
	_, err := l.Claim(run, "a1", orchestrator.AttemptWork)
	wantErr(t, "claim in a stopped run", err, orchestrator.ErrNotClaimable)
	must(t, l.SetState(run, orchestrator.RunFailed, "given up"))
	wantErr(t, "state of an ended run", l.SetState(run, orchestrator.RunRunning, ""), orchestrator.ErrState)
	_, err = l.Claim(run, "zz", orchestrator.AttemptWork)
	wantErr(t, "unknown task", err, orchestrator.ErrUnknown)
	wantErr(t, "unknown run", l.SetState("no", orchestrator.RunRunning, ""), orchestrator.ErrUnknown)
	wantErr(t, "unknown region", l.SetMemory(run, "zz", "", ""), orchestrator.ErrUnknown)
	wantErr(t, "verified task only", l.Return(run, "a1", "", false), orchestrator.ErrState)
	wantErr(t, "landing a pending task", l.Land(run, []string{"a1"}, "i"), orchestrator.ErrState)
	wantErr(t, "a run twice", l.Create(orchestrator.Run{ID: run}, nil, nil), orchestrator.ErrExists)
}

func TestRequestsAreDeduplicatedAndBounded(t *testing.T) {
	t.Parallel()
	l := started(t)
	ask := func(caller, from, region, words string) (string, bool, error) {
		return l.Request(run, caller, orchestrator.TaskRow{Task: orchestrator.Task{Module: region, Description: words}, Region: region, Origin: from}, orchestrator.RequestLimits{Depth: 2, Total: 3})
	}
	one, created, err := ask("a1", "a", "b", "Add a  field")
	if err != nil || !created {
		t.Fatal(one, created, err)
	}
	if same, created, err := ask("a1", "a", "b", "add a field"); err != nil || created || same != one {
		t.Errorf("the same request gives %q, %v, %v; want %q", same, created, err, one)
	}
	two, _, err := ask(one, "b", "a", "then this")
	must(t, err)
	_, _, err = ask(two, "a", "b", "and that")
	wantErr(t, "third level", err, orchestrator.ErrLimit)
	_, _, err = ask("a1", "a", "b", "other")
	must(t, err)
	_, _, err = ask("a1", "a", "b", "one more")
	wantErr(t, "fourth request", err, orchestrator.ErrLimit)
	tasks, err := l.Tasks(run)
	must(t, err)
	if last := tasks[3]; last.ID != one || last.Seq != 3 || last.Depth != 1 || last.Origin != "a" {
		t.Errorf("first request = %+v", last)
	}
}

func TestEnqueuedRequestsWaitOnce(t *testing.T) {
	t.Parallel()
	db, err := store.Open(filepath.Join(t.TempDir(), "devflow.db"), store.Options{})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	l := orchestrator.Open(db, time.Now)
	req := orchestrator.Request{Project: "/p", Mode: orchestrator.ModeExisting, Text: "add a shop", Session: "s-1", Plan: &orchestrator.Plan{Summary: "one"}}
	id, err := l.Enqueue(req)
	must(t, err)
	if again, err := l.Enqueue(req); err != nil || again != id {
		t.Errorf("the same request gives %q, %v; want %q", again, err, id)
	}
	var waiting []orchestrator.Run
	must(t, db.View(func(tx *store.Tx) error {
		waiting, err = orchestrator.OfSession(tx, "s-1")
		return err
	}))
	want := []orchestrator.Run{{ID: id, Project: "/p", Mode: orchestrator.ModeExisting, Request: "add a shop", State: orchestrator.RunQueued, Session: "s-1"}}
	if d := cmp.Diff(want, waiting, ignoreTimes); d != "" {
		t.Errorf("waiting (-want +got):\n%s", d)
	}
	if run, err := l.Run(id); err != nil || run.Plan.Summary != "one" {
		t.Errorf("run = %+v, %v; want its plan", run, err)
	}
	must(t, l.Create(orchestrator.Run{ID: id, Project: "/p", Session: "s-1", Request: "add a shop"}, nil, nil))
	must(t, l.SetState(id, orchestrator.RunFailed, "x"))
	if other, err := l.Enqueue(req); err != nil || other == id {
		t.Errorf("after the end the same request gives %q, %v", other, err)
	}
}

func TestATaskAwaitsAnother(t *testing.T) {
	t.Parallel()
	l := started(t)
	claim(t, l, "a1")
	req, _, err := l.Request(run, "a1", orchestrator.TaskRow{Task: orchestrator.Task{Module: "b", Description: "give me x"}, Region: "b", Origin: "a"}, orchestrator.RequestLimits{})
	must(t, err)
	must(t, l.Await(run, "a1", req))
	must(t, l.Await(run, "a1", req))
	tasks, err := l.Tasks(run)
	must(t, err)
	want := map[string][]string{"a1": {req}, "a2": nil, "b1": {"a1", req}, req: nil}
	for _, x := range tasks {
		if d := cmp.Diff(want[x.ID], x.DependsOn, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s depends on (-want +got):\n%s", x.ID, d)
		}
	}
	wantErr(t, "a circle", l.Await(run, req, "b1"), orchestrator.ErrState)
	wantErr(t, "nobody", l.Await(run, "a1", "zz"), orchestrator.ErrUnknown)
}
