package schedule_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// crasher kills a simulated process at the nth step of trees, workers and checks: from then on nothing reaches ledger or trees.
type crasher struct {
	s *sim

	mu    sync.Mutex
	at, n int
	dead  bool
}

func (c *crasher) point(string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.n == c.at {
		c.dead = true
		_ = c.s.db.Close()
	}
	if c.dead {
		return flocksim.ErrDead
	}
	return nil
}

func (c *crasher) arm(at int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.n, c.dead = at, 0, false
}

func (c *crasher) steps() (n int, dead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.dead
}

// surviving runs a scenario with a kill at each of the given steps, counted anew after each, and then to its end. It gives the files of
// the result, what is wrong, and how many steps the last part had.
func surviving(ctx context.Context, dir string, sc flocksim.Scenario, change func(*sim), kills ...int) (files map[string]string, wrong []string, steps int) {
	c := &crasher{}
	s, err := simulate(dir, sc, func(s *sim) {
		c.s = s
		s.mem.Point, s.world.Point = c.point, c.point
		if change != nil {
			change(s)
		}
	})
	if err != nil {
		return nil, []string{err.Error()}, 0
	}
	defer func() { _ = s.db.Close() }()
	for _, at := range append(kills, 0) {
		c.arm(at)
		sum, err := s.run(ctx)
		n, dead := c.steps()
		steps = n
		if dead {
			if err == nil {
				wrong = append(wrong, fmt.Sprintf("killed at step %d, and the run is %s", at, sum.State))
			}
			synctest.Wait()
			if err := s.open(); err != nil {
				return nil, append(wrong, err.Error()), n
			}
			continue
		}
		if err != nil || sum.State != orchestrator.RunDone {
			wrong = append(wrong, fmt.Sprintf("run ended %s: %s, %v", sum.State, sum.Reason, err))
		}
		break
	}
	rows, err := s.ledger.Tasks(s.id)
	if err != nil {
		return nil, append(wrong, err.Error()), steps
	}
	for _, r := range rows {
		if r.State == orchestrator.TaskDone && r.Attempts < 1 {
			wrong = append(wrong, fmt.Sprintf("%s is done after %d attempts that count", r.ID, r.Attempts))
		}
	}
	return s.mem.Result(), append(wrong, s.wrong()...), steps
}

// kinds of trouble in one scenario; every step of it is killed once.
func troubled() flocksim.Scenario {
	return scenario(none("a1", "a"), work("a2", "a", flocksim.Faults{Wrong: 1}, "a1"), none("b1", "b"), work("b2", "b", flocksim.Faults{Infra: 1}, "a1"),
		work("c1", "c", flocksim.Faults{Poison: 1}), none("c2", "c", "b2", "a2"), work("d1", "d", flocksim.Faults{Turns: 1}, "c2"))
}

func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, judged := range []bool{false, true} {
		name := map[bool]string{false: "alone", true: "judged"}[judged]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := func(s *sim) {
				s.world.CheckTakes, s.world.TestTakes = 5*time.Second, 20*time.Second
				s.o.Settings.Attempts, s.o.Settings.Test = 5, "all"
				if judged {
					s.o.Judge = &judge{answer: func(int, schedule.Change) (schedule.Ruling, error) { return schedule.Ruling{OK: true}, nil }}
				}
			}
			var want string
			last := 1
			for at := 0; at <= last; at++ {
				dir := folder(t)
				synctest.Test(t, func(t *testing.T) {
					var kills []int
					if at > 0 {
						kills = []int{at}
					}
					files, wrong, steps := surviving(t.Context(), dir, troubled(), change, kills...)
					if at == 0 {
						want, last = flocksim.TreeID(files), steps
					} else if got := flocksim.TreeID(files); got != want {
						wrong = append(wrong, fmt.Sprintf("result is tree %s, want %s: %v", got, want, files))
					}
					for _, w := range wrong {
						t.Errorf("killed at step %d: %s", at, w)
					}
				})
				if t.Failed() {
					return
				}
			}
			if last < 100 {
				t.Errorf("killed at %d steps only", last)
			}
			t.Logf("killed at each of %d steps", last)
		})
	}
}

// drawn is a random scenario with any trouble.
func drawn(rt *rapid.T) flocksim.Scenario {
	regions := rapid.IntRange(1, 4).Draw(rt, "regions")
	sc := flocksim.Scenario{Settings: orchestrator.Settings{Attempts: rapid.IntRange(1, 3).Draw(rt, "attempts"), TaskTimeout: 10 * time.Minute}}
	for i := range regions {
		sc.Regions = append(sc.Regions, fmt.Sprintf("r%d", i))
	}
	for i := range rapid.IntRange(1, 12).Draw(rt, "tasks") {
		task := flocksim.Task{ID: fmt.Sprintf("t%d", i), Region: sc.Regions[rapid.IntRange(0, regions-1).Draw(rt, "region")],
			Takes: time.Duration(rapid.IntRange(0, 120).Draw(rt, "takes")) * time.Second, Unchecked: rapid.IntRange(0, 9).Draw(rt, "unchecked") == 0}
		for range rapid.IntRange(0, 2).Draw(rt, "after") {
			if d := rapid.IntRange(0, i).Draw(rt, "dep"); d < i && !slices.Contains(task.After, sc.Tasks[d].ID) {
				task.After = append(task.After, sc.Tasks[d].ID)
			}
		}
		n := rapid.IntRange(1, 4).Draw(rt, "times")
		switch f := &task.Faults; rapid.IntRange(0, 15).Draw(rt, "fault") {
		case 0:
			f.Infra = n
		case 1:
			f.Error = n
		case 2:
			f.Hang = n
		case 3:
			f.Wrong, task.Unchecked = n, false
		case 4:
			f.Outside = n
		case 5:
			f.Turns = n
		case 6:
			f.Poison = n
		case 7:
			f.Clash = n
		case 8:
			f.Idle = n
		case 9:
			f.Asks = []string{sc.Regions[rapid.IntRange(0, regions-1).Draw(rt, "asked")]}
		}
		sc.Tasks = append(sc.Tasks, task)
	}
	return sc
}

// Whatever goes wrong: never two tasks in a region, nothing starts before its dependencies are integrated, dependants of a failure never
// run, infrastructure errors do not count, requests are bounded, every done task is in the result exactly once, and the run ends.
func TestRulesHoldWhateverGoesWrong(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		sc := drawn(rt)
		test := rapid.SampledFrom([]string{"", "all"}).Draw(rt, "test")
		flaky := rapid.IntRange(0, 2).Draw(rt, "flaky")
		for i := range sc.Tasks { // without a check of the tree wrong work that nothing else was merged with is not seen
			if f := &sc.Tasks[i].Faults; test == "" {
				f.Poison = 0
			}
		}
		n++
		var wrong []string
		synctest.Test(t, func(t *testing.T) {
			s, err := simulate(fmt.Sprintf("%s/%d", dir, n), sc, func(s *sim) {
				s.o.Settings.Test = test
				s.world.FlakyTests, s.world.TestTakes = flaky, time.Second
				s.world.Ask = func(from orchestrator.TaskRow, region string) error {
					_, _, err := s.ledger.Request(s.id, from.ID, orchestrator.TaskRow{Region: region, Origin: from.Region,
						Task: orchestrator.Task{Module: region, Description: "change for " + from.ID}}, orchestrator.RequestLimits{Total: 5})
					return err
				}
			})
			if err != nil {
				wrong = []string{err.Error()}
				return
			}
			defer func() { _ = s.db.Close() }()
			sum, err := s.run(t.Context())
			wrong = append(s.wrong(), s.rules(sum, err)...)
		})
		if len(wrong) > 0 {
			rt.Fatalf("%s\nscenario: %+v", strings.Join(wrong, "\n"), sc)
		}
	})
}

// rules checks rows and attempts of a run that has ended.
func (s *sim) rules(sum schedule.Summary, err error) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if err != nil {
		bad("error %v", err)
	}
	rows, _ := s.ledger.Tasks(s.id)
	attempts, _ := s.ledger.Attempts(s.id)
	byID := map[string]orchestrator.TaskRow{}
	requests := 0
	for _, r := range rows {
		byID[r.ID] = r
		if r.Origin != "" {
			requests++
		}
	}
	if requests > 5 {
		bad("%d requests", requests)
	}
	counted, tried := map[string]int{}, map[string]int{}
	for _, a := range attempts {
		tried[a.Task]++
		if a.State == orchestrator.AttemptAccepted || a.State == orchestrator.AttemptRejected {
			counted[a.Task]++
		}
		if a.State == orchestrator.AttemptRunning {
			bad("attempt %s-%d still runs", a.Task, a.Number)
		}
	}
	failed := false
	for _, r := range rows {
		if r.Attempts != counted[r.ID] || r.Attempts > s.o.Settings.Attempts {
			bad("%s: %d attempts counted, %d ended by its work, %d allowed", r.ID, r.Attempts, counted[r.ID], s.o.Settings.Attempts)
		}
		switch r.State {
		case orchestrator.TaskBlocked:
			failed = true
			if tried[r.ID] > 0 {
				bad("%s is blocked and was tried", r.ID)
			}
		case orchestrator.TaskFailed:
			failed = true
		case orchestrator.TaskDone:
			for _, d := range r.DependsOn {
				if byID[d].State != orchestrator.TaskDone {
					bad("%s is done, %s is %s", r.ID, d, byID[d].State)
				}
			}
		default:
			if sum.State != orchestrator.RunStopped {
				bad("%s is %s in a run that is %s", r.ID, r.State, sum.State)
			}
		}
		if r.State != orchestrator.TaskDone && r.State != orchestrator.TaskBlocked && r.Reason == "" && tried[r.ID] > 0 {
			bad("%s is %s without a reason", r.ID, r.State)
		}
	}
	if failed == (sum.State == orchestrator.RunDone) && sum.State != orchestrator.RunStopped {
		bad("run is %s (%s), something failed: %t", sum.State, sum.Reason, failed)
	}
	return wrong
}

// Any scenario that comes to its end undisturbed comes to the same end with kills in it.
func TestKillsDoNotChangeTheResult(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		sc := drawn(rt)
		for i := range sc.Tasks { // faults that end by themselves, and no file whose content is the last one's
			f := &sc.Tasks[i].Faults
			*f = flocksim.Faults{Infra: min(f.Infra, 2), Wrong: min(f.Wrong, 1), Turns: f.Turns, Poison: min(f.Poison, 1), Outside: min(f.Outside, 1), Hang: min(f.Hang, 1)}
		}
		sc.Settings.Attempts = 9
		kills := rapid.SliceOfN(rapid.IntRange(1, 150), 1, 4).Draw(rt, "kills")
		var wrong []string
		n++
		synctest.Test(t, func(t *testing.T) {
			tested := func(s *sim) { s.o.Settings.Test = "all" }
			plain, bad, _ := surviving(t.Context(), fmt.Sprintf("%s/%d-plain", dir, n), sc, tested)
			killed, worse, _ := surviving(t.Context(), fmt.Sprintf("%s/%d-killed", dir, n), sc, tested, kills...)
			wrong = append(bad, worse...)
			if a, b := flocksim.TreeID(plain), flocksim.TreeID(killed); a != b {
				wrong = append(wrong, fmt.Sprintf("undisturbed %v\nkilled %v", plain, killed))
			}
		})
		if len(wrong) > 0 {
			rt.Fatalf("%s\nscenario: %+v", strings.Join(wrong, "\n"), sc)
		}
	})
}
