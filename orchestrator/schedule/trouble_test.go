package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// A commit that makes the merged tree red goes back to its worker, with the output and the change that it has to make again; the
// others land.
func TestRedAfterTheMergeIsRepairedOnTheNewTip(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a"), work("t2", "b", flocksim.Faults{Poison: 1}), none("t3", "c")), func(s *sim) { s.o.Settings.Test = "all" }, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t2")), []string{"work accepted", "repair accepted"})
		f := s.world.Starts()[3].Failure
		for _, part := range []string{"t2 is poisoned", "The change as it was", "+++ b/t2.txt"} {
			if !strings.Contains(f, part) {
				t.Errorf("failure %q lacks %q", f, part)
			}
		}
		if e, _ := s.event(schedule.MergeRed); e.Task != "t2" || e.Region != "b" {
			t.Errorf("event %+v", e)
		}
	})
}

func TestConflictIsRepairedOnTheNewTip(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Clash: 1}), work("t2", "b", flocksim.Faults{Clash: 1}), none("t3", "c", "t2")), nil, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		var back []string
		for _, e := range s.events {
			if e.Kind == schedule.TaskReturned {
				back = append(back, e.Task)
			}
		}
		if len(back) != 1 || !slices.Contains(s.kinds(), schedule.MergeConflict) {
			t.Errorf("returned %v", back)
		}
	})
}

// A task whose commit is never good after the merge fails, what it made is kept, and its dependants are blocked.
func TestCommitThatIsAlwaysRedFails(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Poison: 9}), none("t2", "b", "t1"), none("t3", "a")), func(s *sim) { s.o.Settings.Test = "all" }, func(t *testing.T, s *sim) {
		sum := s.drive(t, orchestrator.RunFailed)
		want(t, "failed", sum.Failed, []string{"t1"})
		want(t, "blocked", sum.Blocked, []string{"t2"})
		if s.mem.Kept() < 3 {
			t.Errorf("%d changes kept, want 3", s.mem.Kept())
		}
	})
}

// B25: the process of an attempt whose orchestrator died is ended before anything is touched; when that fails nothing is.
func TestOrphansAreEndedFirst(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a")), nil, func(t *testing.T, s *sim) {
		if err := s.ledger.SetState(s.id, orchestrator.RunRunning, ""); err != nil {
			t.Fatal(err)
		}
		old, err := s.ledger.Claim(s.id, "t1", orchestrator.AttemptWork)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ledger.Began(old, 4711, 99, "s-old"); err != nil {
			t.Fatal(err)
		}
		var ended []string
		fail := errors.New("it does not end")
		s.o.Orphan = func(_ context.Context, a orchestrator.Attempt) error {
			ended = append(ended, fmt.Sprint(a.PID, a.PIDStart, len(s.world.Starts())))
			return fail
		}
		if _, err := s.run(t.Context()); !errors.Is(err, fail) || len(s.world.Starts()) > 0 {
			t.Errorf("error %v, %d attempts", err, len(s.world.Starts()))
		}
		fail = nil
		s.drive(t, orchestrator.RunDone)
		want(t, "ended", ended, []string{"4711 99 0", "4711 99 0"})
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work lost", "resume accepted"})
		if err := s.ledger.Accept(old, "forged", orchestrator.Usage{}, 0); !errors.Is(err, orchestrator.ErrFenced) {
			t.Errorf("a late result of the old attempt: %v", err)
		}
	})
}

// troubledTrees fails steps as it is told to.
type troubledTrees struct {
	*flocksim.Memory
	mu    sync.Mutex
	fails map[string][]error
}

func (x *troubledTrees) fail(step string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.fails[step]) == 0 {
		return nil
	}
	err := x.fails[step][0]
	x.fails[step] = x.fails[step][1:]
	return err
}

func (x *troubledTrees) Begin(ctx context.Context, region string) (string, error) {
	if err := x.fail("begin"); err != nil {
		return "", err
	}
	return x.Memory.Begin(ctx, region)
}

func (x *troubledTrees) Outside(ctx context.Context, region string) ([]string, error) {
	if err := x.fail("outside"); err != nil {
		return nil, err
	}
	return x.Memory.Outside(ctx, region)
}

func (x *troubledTrees) Commit(ctx context.Context, region string, m trees.Message) (string, bool, error) {
	if err := x.fail("commit"); err != nil {
		return "", false, err
	}
	return x.Memory.Commit(ctx, region, m)
}

func (x *troubledTrees) Advance(ctx context.Context, from, to string) error {
	if err := x.fail("advance"); err != nil {
		return err
	}
	return x.Memory.Advance(ctx, from, to)
}

func TestTroubleOfTheTrees(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	thrice := []error{full, full, full}
	tests := []struct {
		name  string
		fails map[string][]error
		want  []string
	}{
		{"passes by itself", map[string][]error{"begin": {full}, "outside": {full}, "commit": {full, full}, "advance": {full}}, []string{"work accepted"}},
		{"no begin", map[string][]error{"begin": thrice}, []string{"work infra", "work accepted"}},
		{"no commit", map[string][]error{"commit": thrice}, []string{"work infra", "resume accepted"}},
		{"tree is gone", map[string][]error{"outside": {trees.ErrRegion, trees.ErrRegion, trees.ErrRegion}}, []string{"work infra", "resume accepted"}},
		{"git does not take a file", map[string][]error{"commit": {&trees.RefusedError{Reason: "a repository in it"}}}, []string{"work rejected", "repair accepted"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bubble(t, scenario(none("t1", "a")), func(s *sim) { s.o.Trees = &troubledTrees{Memory: s.mem, fails: tt.fails} }, func(t *testing.T, s *sim) {
				s.drive(t, orchestrator.RunDone)
				want(t, "attempts", kindsOf(s.attempts(t, "t1")), tt.want)
			})
		})
	}
}

// A branch that cannot be moved stops the run, resumable, after a bounded number of tries; the accepted work lands in the next Run.
func TestMergeThatCannotBeDoneStopsTheRun(t *testing.T) {
	t.Parallel()
	broken := slices.Repeat([]error{errors.New("read-only file system")}, 5)
	bubble(t, scenario(none("t1", "a"), none("t2", "b", "t1")), func(s *sim) {
		s.o.Trees = &troubledTrees{Memory: s.mem, fails: map[string][]error{"advance": broken}}
	}, func(t *testing.T, s *sim) {
		start := time.Now()
		sum := s.drive(t, orchestrator.RunStopped)
		if !strings.Contains(sum.Reason, "after 5 tries: advance integration branch: read-only file system") {
			t.Errorf("reason %q", sum.Reason)
		}
		if got := time.Since(start); got != time.Minute+15*time.Second {
			t.Errorf("took %s, want the work and 1+2+4+8 seconds", got)
		}
		s.drive(t, orchestrator.RunDone)
		if n := len(s.attempts(t, "t1")); n != 1 {
			t.Errorf("%d attempts at work that was accepted", n)
		}
	})
}

// What the check itself leaves outside of the region is not its worker's fault.
func TestLeftoversOfTheCheckAreNotTheWorkers(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Wrong: 2})), func(s *sim) {
		s.o.Verifier = messy{s.world, s}
	}, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		for _, st := range s.world.Starts() {
			if strings.Contains(st.Failure, "outside") {
				t.Errorf("failure %q", st.Failure)
			}
		}
		if _, there := s.mem.Result()["build/log"]; there {
			t.Error("leftovers were integrated")
		}
	})
}

type messy struct {
	schedule.Verifier
	s *sim
}

func (m messy) Verify(ctx context.Context, c schedule.Check) (schedule.Verdict, error) {
	v, err := m.Verifier.Verify(ctx, c)
	if err == nil {
		err = m.s.mem.Write(c.Root, "build/log", "noise")
	}
	return v, err
}

// The plan only knows weights; work takes as long as it takes. The bound against a list schedule with the same knowledge stays small.
func TestMakespanWithWrongWeights(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		dir := folder(t)
		synctest.Test(t, func(t *testing.T) {
			sc := flocksim.Random(seed, flocksim.Shape{Regions: 12, Tasks: 200, After: 2, Unit: time.Minute})
			sc.Blind = true
			m, err := flocksim.Makespan(t.Context(), dir, sc)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("seed %d: %s, %.4f of a list schedule that knows all times", seed, m.Makespan, float64(m.Makespan)/float64(m.List))
			if ratio := float64(m.Makespan) / float64(m.List); ratio > 1.3 {
				t.Errorf("seed %d: makespan is %.4f of a list schedule that knows all times", seed, ratio)
			}
		})
	}
}

// movedTrees are trees in which the first check has moved the region's folder.
type movedTrees struct {
	*flocksim.Memory
	asked, begun int
}

func (m *movedTrees) Stands(string) (bool, error) {
	m.asked++
	return m.asked != 1, nil
}

func (m *movedTrees) Begin(ctx context.Context, region string) (string, error) {
	m.begun++
	return m.Memory.Begin(ctx, region)
}

// A repair does not go on in a tree whose folders a check has moved: it begins anew, with a worker that sees the new tree.
func TestRepairBeginsAnewWhenACheckHasMovedTheFolders(t *testing.T) {
	t.Parallel()
	sc := scenario(work("t1", "a", flocksim.Faults{Wrong: 2}))
	m := &movedTrees{}
	bubble(t, sc, func(s *sim) { m.Memory = s.mem; s.o.Trees = m }, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work rejected", "repair rejected", "repair accepted"})
		if m.asked != 2 || m.begun != 2 {
			t.Errorf("asked %d times, begun %d times, want 2 and 2", m.asked, m.begun)
		}
	})
}
