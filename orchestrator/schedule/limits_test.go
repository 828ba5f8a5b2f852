package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// The cap counts what running attempts say too: they are ended, nothing new starts, what was accepted is integrated, and a later run
// with a higher cap goes on where it stood.
func TestTokenCapStopsTheRun(t *testing.T) {
	t.Parallel()
	sc := scenario(none("t1", "a"), none("t2", "a"), none("t3", "b"), none("t4", "b"), none("t5", "b"))
	bubble(t, sc, func(s *sim) {
		s.world.Tokens = 1000
		s.o.Settings.TokenCap = 2500
	}, func(t *testing.T, s *sim) {
		start := time.Now()
		sum := s.drive(t, orchestrator.RunStopped)
		if !strings.Contains(sum.Reason, "cap of 2500 tokens is reached") {
			t.Errorf("reason %q", sum.Reason)
		}
		if got := time.Since(start); got != 90*time.Second {
			t.Errorf("stopped after %s, want 90s: at the middle of the second tasks", got)
		}
		if sum.Done != 2 || sum.Usage.Tokens() < 2500 || sum.Usage.Tokens() > 3000 {
			t.Errorf("%d done with %d tokens", sum.Done, sum.Usage.Tokens())
		}
		n := len(s.world.Starts())
		s.drive(t, orchestrator.RunStopped)
		if len(s.world.Starts()) != n {
			t.Error("an attempt started although the cap was reached before")
		}
		s.o.Settings.TokenCap = 0
		s.drive(t, orchestrator.RunDone)
		if a := s.attempts(t, "t2"); a[len(a)-1].Kind != orchestrator.AttemptResume {
			t.Errorf("t2 went on by %s", a[len(a)-1].Kind)
		}
	})
}

// dear makes every attempt cost money.
type dear struct{ schedule.Worker }

func (d dear) Do(ctx context.Context, j schedule.Job) (schedule.Report, error) {
	rep, err := d.Worker.Do(ctx, j)
	rep.CostUSD = 0.5
	return rep, err
}

func TestMoneyCapStopsTheRun(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a"), none("t2", "a"), none("t3", "a"), none("t4", "a")), func(s *sim) {
		s.o.Settings.MoneyCap = 1
		employ := s.o.Worker
		s.o.Worker = func(region string) (schedule.Worker, error) {
			w, err := employ(region)
			return dear{w}, err
		}
	}, func(t *testing.T, s *sim) {
		sum := s.drive(t, orchestrator.RunStopped)
		if sum.Done != 2 || sum.CostUSD != 1 || !strings.Contains(sum.Reason, "$1.00") {
			t.Errorf("summary %+v", sum)
		}
	})
}

// The end of the context stops workers and checks, and the run goes on later.
func TestInterruptedRunGoesOn(t *testing.T) {
	t.Parallel()
	sc := scenario(none("t1", "a"), none("t2", "a", "t1"), none("t3", "b"), none("t4", "b", "t2"))
	bubble(t, sc, func(s *sim) { s.world.CheckTakes = 30 * time.Second }, func(t *testing.T, s *sim) {
		for _, after := range []time.Duration{0, 20 * time.Second, 70 * time.Second, 100 * time.Second} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, errors.New("the person went home"))
			start := time.Now()
			sum, err := s.run(ctx)
			cancel()
			if err != nil || sum.State != orchestrator.RunStopped || sum.Reason != "the person went home" {
				t.Fatalf("after %s: %+v, %v", after, sum, err)
			}
			if got := time.Since(start); got != after {
				t.Errorf("ended %s after the end of its context", got-after)
			}
		}
		s.drive(t, orchestrator.RunDone)
		for id, row := range s.tasks(t) {
			if row.Attempts != 1 {
				t.Errorf("%s: %d attempts counted, want 1", id, row.Attempts)
			}
		}
	})
}

// Defect A8.8: requested tasks join at once, and two regions cannot keep each other busy for ever.
func TestRequestsJoinAndAreBounded(t *testing.T) {
	t.Parallel()
	sc := scenario(work("t1", "a", flocksim.Faults{Asks: []string{"b"}}), none("t2", "c"))
	sc.Regions = []string{"a", "b", "c"}
	bubble(t, sc, func(s *sim) {
		wake := make(chan struct{}, 1) // of the bubble
		s.o.Wake = wake
		s.world.Ask = func(from orchestrator.TaskRow, region string) error {
			_, _, err := s.ledger.Request(s.id, from.ID, orchestrator.TaskRow{Region: region, Origin: from.Region,
				Task: orchestrator.Task{Module: region, Description: "change for " + from.ID}}, orchestrator.RequestLimits{})
			select {
			case wake <- struct{}{}:
			default:
			}
			return err
		}
		ask := s.world.Ask
		employ := s.o.Worker
		s.o.Worker = func(region string) (schedule.Worker, error) {
			w, err := employ(region)
			return pingPong{w, func(j schedule.Job) error {
				to := map[string]string{"a": "b", "b": "a"}[j.Region]
				if j.Task.Origin == "" {
					return nil
				}
				return ask(j.Task, to)
			}}, err
		}
	}, func(t *testing.T, s *sim) {
		start := time.Now()
		sum := s.drive(t, orchestrator.RunDone)
		if got := time.Since(start); got > 2*time.Minute {
			t.Errorf("took %s", got)
		}
		if want := 2 + orchestrator.DefaultRequestDepth; sum.Done != want {
			t.Errorf("%d tasks done, want %d", sum.Done, want)
		}
		if starts := s.world.Starts(); !starts[2].At.Equal(starts[0].At) {
			t.Errorf("the requested task started %s later, want at once", starts[2].At.Sub(starts[0].At))
		}
		if _, told := s.event(schedule.TaskAdded); !told {
			t.Error("nobody was told")
		}
	})
}

type pingPong struct {
	schedule.Worker
	ask func(schedule.Job) error
}

func (p pingPong) Do(ctx context.Context, j schedule.Job) (schedule.Report, error) {
	if err := p.ask(j); err != nil && !errors.Is(err, orchestrator.ErrLimit) {
		return schedule.Report{}, err
	}
	return p.Worker.Do(ctx, j)
}

// C2: a session that holds too much is replaced before the next task, never within one.
func TestSessionIsReplacedBetweenTasks(t *testing.T) {
	t.Parallel()
	sc := scenario(none("t1", "a"), work("t2", "a", flocksim.Faults{Wrong: 1}, "t1"), none("t3", "a", "t2"), none("t4", "a", "t3"))
	bubble(t, sc, func(s *sim) {
		s.world.Context = 40_000
		s.o.Settings.Recycle = 60_000
	}, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "replaced", s.world.Recycled(), []string{"a after 2"})
		var sessions []string
		for _, st := range s.world.Starts() {
			sessions = append(sessions, st.Session)
		}
		want(t, "sessions", sessions, []string{"s-a-0", "s-a-0", "s-a-0", "s-a-1", "s-a-1"})
		regions, err := s.ledger.Regions(s.id)
		if err != nil || regions[0].Session != "s-a-1" || regions[0].Context != 80_000 {
			t.Errorf("row of the region: %+v, %v", regions, err)
		}
	})
}

// E63: workers do not start all at once.
func TestWorkersStartOneAfterTheOther(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a"), none("t2", "b"), none("t3", "c"), none("t4", "a")), func(s *sim) { s.o.Stagger = 5 * time.Second }, func(t *testing.T, s *sim) {
		start := time.Now()
		s.drive(t, orchestrator.RunDone)
		var at []time.Duration
		for _, st := range s.world.Starts() {
			at = append(at, st.At.Sub(start))
		}
		want(t, "starts", at, []time.Duration{0, 5 * time.Second, 10 * time.Second, time.Minute})
	})
}

// D51: a worker that does not end although it was told to holds its region up, and nothing else.
func TestDeafWorkerIsLeftAlone(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(work("t1", "a", flocksim.Faults{Deaf: true}), none("t2", "b"), none("t3", "a", "t2")), nil, func(t *testing.T, s *sim) {
		start := time.Now()
		sum := s.drive(t, orchestrator.RunStopped)
		if got := time.Since(start); got != 11*time.Minute {
			t.Errorf("took %s, want the time-out and the grace", got)
		}
		if sum.Done != 1 || !strings.Contains(sum.Reason, "the worker did not end") {
			t.Errorf("summary %+v", sum)
		}
		if a := s.attempts(t, "t1"); len(a) != 1 || a[0].State != orchestrator.AttemptRunning {
			t.Errorf("its attempt: %+v", a)
		}
		close(s.world.Release)
		synctest.Wait()
		s.world.Scenario.Tasks[0].Faults.Deaf = false
		s.world.Reset()
		s.drive(t, orchestrator.RunDone)
	})
}

type judge struct {
	mu     sync.Mutex
	answer func(n int, c schedule.Change) (schedule.Ruling, error)
	n      int
}

func (j *judge) Judge(_ context.Context, c schedule.Change) (schedule.Ruling, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.n++
	return j.answer(j.n, c)
}

func TestJudgeRefusesAndIsHeard(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a")), func(s *sim) {
		s.o.Judge = &judge{answer: func(n int, c schedule.Change) (schedule.Ruling, error) {
			if c.Commit == "" || c.Base == "" || c.Task.ID != "t1" || c.Run != s.id {
				return schedule.Ruling{}, fmt.Errorf("change %+v", c)
			}
			switch n {
			case 1:
				return schedule.Ruling{}, errors.New("no answer")
			case 2:
				return schedule.Ruling{Failure: "weakened test"}, nil
			}
			return schedule.Ruling{OK: true, Notes: []string{"looks good"}}, nil
		}}
	}, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunDone)
		want(t, "attempts", kindsOf(s.attempts(t, "t1")), []string{"work rejected", "repair accepted"})
		if f := s.world.Starts()[1].Failure; !strings.Contains(f, "weakened test") {
			t.Errorf("failure %q", f)
		}
		if e, _ := s.event(schedule.JudgeNote); e.Text != "looks good" {
			t.Errorf("note %q", e.Text)
		}
	})
}

// A judge that cannot judge is never a pass: the run stops, and no attempt is burnt.
func TestNoJudgementIsNoPass(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a")), func(s *sim) {
		s.o.Judge = &judge{answer: func(int, schedule.Change) (schedule.Ruling, error) { return schedule.Ruling{}, errors.New("no model") }}
	}, func(t *testing.T, s *sim) {
		sum := s.drive(t, orchestrator.RunStopped)
		if sum.Done != 0 || !strings.Contains(sum.Reason, "no model") || s.tasks(t)["t1"].Attempts != 0 {
			t.Errorf("summary %+v", sum)
		}
		s.o.Judge = nil
		s.drive(t, orchestrator.RunDone)
	})
}

// A13: somebody who stops the run in the ledger is obeyed.
func TestRunThatSomebodyElseStoppedEnds(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a"), none("t2", "a", "t1")), nil, func(t *testing.T, s *sim) {
		time.AfterFunc(30*time.Second, func() { _ = s.ledger.SetState(s.id, orchestrator.RunStopped, "by hand") })
		sum, err := s.run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "it is stopped now") || sum.State != orchestrator.RunStopped {
			t.Errorf("got %+v, %v", sum, err)
		}
		s.drive(t, orchestrator.RunDone)
	})
}

// A3 and A5: done means reachable from the integration branch. A branch that was moved back is not worked on.
func TestBranchThatWasMovedBackIsRefused(t *testing.T) {
	t.Parallel()
	bubble(t, scenario(none("t1", "a"), none("t2", "a", "t1")), func(s *sim) { s.o.Settings.TokenCap, s.world.Tokens = 1, 1 }, func(t *testing.T, s *sim) {
		s.drive(t, orchestrator.RunStopped)
		if s.tasks(t)["t1"].State != orchestrator.TaskDone {
			t.Fatal("t1 is not done")
		}
		good := s.mem
		s.mem = flocksim.NewMemory()
		s.o.Trees = s.mem
		s.o.Settings.TokenCap = 0
		if _, err := s.run(t.Context()); err == nil || !strings.Contains(err.Error(), "moved it back") {
			t.Errorf("got %v", err)
		}
		s.mem, s.o.Trees = good, good
		s.drive(t, orchestrator.RunDone)
	})
}

func TestPoolBoundsAndEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most, ran := 0, 0, 0
		task := func(ctx context.Context) {
			mu.Lock()
			running, ran = running+1, ran+1
			most = max(most, running)
			mu.Unlock()
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			mu.Lock()
			running--
			mu.Unlock()
		}
		tasks := []func(context.Context){task, task, task, task, task}
		start := time.Now()
		schedule.Pool{N: 2}.Run(t.Context(), tasks)
		if most != 2 || ran != 5 || time.Since(start) != 3*time.Second {
			t.Errorf("%d at once, %d ran, in %s", most, ran, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		ran = 0
		schedule.Pool{N: 2}.Run(ctx, tasks)
		if ran != 4 {
			t.Errorf("%d ran before the end of the context, want 4", ran)
		}
		ran, most = 0, 0
		schedule.Pool{}.Run(t.Context(), tasks)
		if ran != 5 || most != 5 {
			t.Errorf("without a bound %d ran, %d at once", ran, most)
		}
	})
}
