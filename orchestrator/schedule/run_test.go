package schedule_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// work is a task that takes a minute.
func work(id, region string, f flocksim.Faults, after ...string) flocksim.Task {
	return flocksim.Task{ID: id, Region: region, After: after, Takes: time.Minute, Faults: f}
}

func none(id, region string, after ...string) flocksim.Task {
	return work(id, region, flocksim.Faults{}, after...)
}

func scenario(tasks ...flocksim.Task) flocksim.Scenario {
	sc := flocksim.Scenario{Tasks: tasks, Settings: orchestrator.Settings{Attempts: 3, TaskTimeout: 10 * time.Minute}}
	for _, t := range tasks {
		if !slices.Contains(sc.Regions, t.Region) {
			sc.Regions = append(sc.Regions, t.Region)
		}
	}
	return sc
}

func kindsOf(list []orchestrator.Attempt) (out []string) {
	for _, a := range list {
		out = append(out, string(a.Kind)+" "+string(a.State))
	}
	return out
}

func want[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Defect A8.2: the code of a dependency of another region is in the tree of its dependant, and it starts at once.
func TestDependencyOfAnotherRegionIsVisible(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "api"), none("t2", "ui", "t1"), none("t3", "ui")), nil, func(t *testing.T, s *sim) {
		start := time.Now()
		sum := s.drive(t, orchestrator.RunDone)
		if got := time.Since(start); got != 2*time.Minute {
			t.Errorf("took %s, want 2m: t2 starts the moment t1 is integrated", got)
		}
		if sum.Done != 3 || sum.Integration == "" {
			t.Errorf("summary: %+v", sum)
		}
	})
}

// Defect A8.1: two ready tasks of a region never run together, however many workers there are.
func TestOneTaskAtATimeInARegion(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a"), none("t2", "a"), none("t3", "b"), none("t4", "c")), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		if s.world.Most() != 3 {
			t.Errorf("%d workers at once, want 3", s.world.Most())
		}
	})
}

func TestRedCheckIsRepairedInTheSameSession(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Wrong: 2})), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work rejected", "repair rejected", "repair accepted"})
		starts := s.world.Starts()
		if starts[1].Session != starts[0].Session || !strings.Contains(starts[1].Failure, `t1 is "wrong"`) {
			t.Errorf("repair: session %s after %s, failure %q", starts[1].Session, starts[0].Session, starts[1].Failure)
		}
		if got := s.tasks(t)["t1"].Attempts; got != 3 {
			t.Errorf("%d attempts counted, want 3", got)
		}
	})
}

// Defects A8.4 and A8's cascade: what a failed task left is kept aside and not committed by the next task of the region; its
// dependants are blocked with the reason, through all of them, and the run ends.
func TestFailureBlocksItsDependantsAndTheRunEnds(t *testing.T) {
	t.Parallel()
	sc := scenario(work("t1", "a", flocksim.Faults{Wrong: 9}), none("t2", "b", "t1"), none("t3", "c", "t2"), none("t4", "a"), none("t5", "b"))
	bubble(t, sc, nil, func(t *testing.T, s *sim) {
		sum := s.drive(t, orchestrator.RunFailed)
		want(t, "failed", sum.Failed, []string{"t1"})
		want(t, "blocked", sum.Blocked, []string{"t2", "t3"})
		if sum.Done != 2 || sum.Reason != "failed: t1; blocked: t2, t3" {
			t.Errorf("summary: %+v", sum)
		}
		rows := s.tasks(t)
		if r := rows["t3"].Reason; !strings.Contains(r, "t2") || !strings.Contains(r, "blocked") {
			t.Errorf("t3 is blocked because %q", r)
		}
		if r := rows["t2"].Reason; !strings.Contains(r, "waits for t1, which failed") {
			t.Errorf("t2 is blocked because %q", r)
		}
		if _, there := s.mem.Result()["a/t1.txt"]; there || s.mem.Kept() == 0 {
			t.Errorf("wrong work of t1: in the result %t, kept aside %d times", there, s.mem.Kept())
		}
		if n := len(s.attempts(t, "t1")); n != 3 {
			t.Errorf("%d attempts, want 3", n)
		}
	})
}

// Infrastructure errors do not count, are waited out longer each time, and the session goes on with its tree.
func TestInfrastructureErrorsDoNotCount(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Infra: 4, Wrong: 2})), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work infra", "resume infra", "resume infra", "resume infra", "resume rejected", "repair rejected", "repair accepted"})
		var waits []time.Duration
		for _, e := range s.events {
			if e.Kind == schedule.TaskInfra {
				waits = append(waits, e.Wait)
			}
		}
		want(t, "waits", waits, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second})
		starts := s.world.Starts()
		if d := starts[4].At.Sub(starts[3].At); d != 8*time.Second+30*time.Second {
			t.Errorf("fifth attempt %s after the fourth began, want 38s", d)
		}
	})
}

// Defects A8.9 and D49: a dead endpoint burns no attempts and is not tried for ever; the other regions go on; the run can be resumed.
func TestDeadEndpointStopsItsRegionOnly(t *testing.T) {
	t.Parallel()
	sc := scenario(work("t1", "a", flocksim.Faults{Infra: 5}), none("t2", "b"), none("t3", "b"), none("t4", "c", "t1"))
	bubble(t, sc, nil, func(t *testing.T, s *sim) {
		sum := s.drive(t, orchestrator.RunStopped)
		want(t, "open", sum.Open, []string{"t1", "t4"})
		if !strings.Contains(sum.Reason, "region a: 5 times in a row: simulated endpoint is down") {
			t.Errorf("reason %q", sum.Reason)
		}
		if got := s.tasks(t)["t1"]; got.Attempts != 0 || got.State != orchestrator.TaskPending {
			t.Errorf("t1 is %s after %d attempts that count", got.State, got.Attempts)
		}
		s.drive(t, orchestrator.RunDone)
		if last := kindsOf(s.attempts(t, "t1"))[5]; last != "resume accepted" {
			t.Errorf("t1 ended by %s", last)
		}
	})
}

func TestRegionMovesToAnotherEndpoint(t *testing.T) {
	t.Parallel()
	moved := 0
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Infra: 12})), func(s *sim) {
		s.o.Move = func(_ context.Context, region string, cause error) bool {
			moved++
			_, infra := errors.AsType[*schedule.InfraError](cause)
			return infra && region == "a"
		}
	}, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		if moved != 2 {
			t.Errorf("moved %d times, want 2", moved)
		}
	})
}

func TestTimeoutCountsAndTheWorkIsCheckedOnce(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Hang: 1})), nil, func(t *testing.T, s *sim) {
		start := time.Now()
		s.drive(t, orchestrator.RunDone)
		if got := time.Since(start); got != 11*time.Minute {
			t.Errorf("took %s, want 11m", got)
		}
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work rejected", "repair accepted"})
		if f := s.world.Starts()[1].Failure; !strings.Contains(f, "time-out of 10m0s") || !strings.Contains(f, "acceptance check is red") {
			t.Errorf("failure %q", f)
		}
	})
}

// Defect A6.5: the limit of turns is no failure when the work is there.
func TestWorkThatReachedTheLimitOfTurnsIsChecked(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Turns: 1})), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work accepted"})
	})
}

func TestErrorOfTheWorkIsCheckedAndRepaired(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Error: 1})), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work rejected", "repair accepted"})
		if f := s.world.Starts()[1].Failure; !strings.Contains(f, "simulated error of the work") {
			t.Errorf("failure %q", f)
		}
	})
}

// The fourth write barrier: what lies outside of the region is never committed, and said.
func TestChangesOutsideOfTheRegionAreRejected(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Outside: 1}), none("t2", "b", "t1")), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		if f := s.world.Starts()[1].Failure; !strings.Contains(f, "elsewhere/t1") {
			t.Errorf("failure %q", f)
		}
		for name := range s.mem.Result() {
			if strings.HasPrefix(name, "elsewhere/") {
				t.Errorf("%s was integrated", name)
			}
		}
	})
}

// Defects A6.1 and A8.8: who says that he is done and changed nothing is not believed.
func TestNothingChangedIsNotDone(t *testing.T) {
	t.Parallel()
	idle := work("t1", "a", flocksim.Faults{Idle: 1})
	idle.Unchecked = true
	bubble(t, scenario(idle), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work rejected", "repair accepted"})
	})
}

// Defects A8.6 and C3: what can never start is named, and the run ends.
func TestStallIsDiagnosed(t *testing.T) {
	t.Parallel()
	sc := scenario(none("t1", "a"), none("t2", "a", "nobody"), none("t3", "b", "t4"), none("t4", "a", "t3"), none("t5", "b", "t2"))
	bubble(t, sc, nil, func(t *testing.T, s *sim) {
		sum := s.drive(t, orchestrator.RunFailed)
		for _, part := range []string{"stalled", "t2 waits for nobody, which the run does not have", "t3 waits for itself, by way of t4", "t4 waits for itself", "t5 waits for t2"} {
			if !strings.Contains(sum.Reason, part) {
				t.Errorf("reason %q lacks %q", sum.Reason, part)
			}
		}
		if sum.Done != 1 || len(sum.Blocked) != 4 {
			t.Errorf("summary %+v", sum)
		}
	})
}

func TestTaskOfARegionWithoutWorkerFails(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a"), none("t2", "b"), none("t3", "a", "t2")), func(s *sim) {
		s.o.Regions = s.o.Regions[:1]
	}, func(t *testing.T, s *sim) {
		sum := s.drive(t, orchestrator.RunFailed)
		want(t, "failed", sum.Failed, []string{"t2"})
		want(t, "blocked", sum.Blocked, []string{"t3"})
	})
}

func TestEndedRunStaysAsItIs(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a")), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		n := len(s.world.Starts())
		s.drive(t, orchestrator.RunDone)
		if len(s.world.Starts()) != n {
			t.Error("an ended run worked again")
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	if _, err := schedule.Run(t.Context(), schedule.Options{}); !errors.Is(err, schedule.ErrOptions) {
		t.Errorf("got %v", err)
	}
}
