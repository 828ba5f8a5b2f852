package schedule_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}

// folder is a temporary folder in memory where there is one: the rows are written with fdatasync.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(memory(), "devflow-schedule-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func memory() string {
	if s, err := os.Stat("/dev/shm"); err == nil && s.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// sim is a scenario on a ledger and trees in memory.
type sim struct {
	dir    string
	db     *store.DB
	ledger *orchestrator.Ledger
	mem    *flocksim.Memory
	world  *flocksim.World
	id     orchestrator.RunID
	o      schedule.Options

	mu     sync.Mutex
	events []schedule.Event
}

const runID = "20260101-000000-test"

// simulate makes a sim; call it inside the bubble whose time it uses. change may set what it likes before the rows are made.
func simulate(dir string, sc flocksim.Scenario, change func(*sim)) (*sim, error) {
	s := &sim{dir: dir, id: runID, mem: flocksim.NewMemory()}
	if sc.Settings.Attempts == 0 {
		sc.Settings.Attempts = 3
	}
	s.world = &flocksim.World{Scenario: sc, Files: s.mem, Root: s.mem.Root, Release: make(chan struct{})}
	if err := s.open(); err != nil {
		return nil, err
	}
	s.o = schedule.Options{Run: s.id, Trees: s.mem, Worker: s.world.Worker, Verifier: s.world, Regions: s.world.Regions(), Settings: sc.Settings,
		Backoff: schedule.Backoff{First: time.Second, Most: time.Minute, Tries: 5},
		Observe: func(e schedule.Event) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, e)
		}}
	if change != nil {
		change(s)
	}
	return s, s.ledger.Create(s.world.Rows(s.id, false))
}

func (s *sim) open() (err error) {
	if s.db, err = store.Open(filepath.Join(s.dir, "sim.db"), store.Options{}); err == nil {
		s.ledger = orchestrator.Open(s.db, time.Now)
	}
	return err
}

func (s *sim) run(ctx context.Context) (schedule.Summary, error) {
	o := s.o
	o.Ledger = s.ledger
	return schedule.Run(ctx, o)
}

func (s *sim) tasks(t *testing.T) map[string]orchestrator.TaskRow {
	t.Helper()
	rows, err := s.ledger.Tasks(s.id)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]orchestrator.TaskRow{}
	for _, r := range rows {
		out[r.ID] = r
	}
	return out
}

func (s *sim) attempts(t *testing.T, task string) (out []orchestrator.Attempt) {
	t.Helper()
	all, err := s.ledger.Attempts(s.id)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(a orchestrator.Attempt) bool { return a.Task != task })
}

func (s *sim) kinds() (out []schedule.EventKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		out = append(out, e.Kind)
	}
	return out
}

func (s *sim) event(kind schedule.EventKind) (found schedule.Event, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.Kind == kind {
			return e, true
		}
	}
	return schedule.Event{}, false
}

// wrong lists what is not as it must be after a run: rules that were broken, tasks that are done and whose effect is not exactly once
// in the result, throw-away trees that are left.
func (s *sim) wrong() (wrong []string) {
	wrong = s.world.Violations()
	rows, err := s.ledger.Tasks(s.id)
	if err != nil {
		return append(wrong, err.Error())
	}
	var done []string
	for _, r := range rows {
		if r.State == orchestrator.TaskDone && r.Origin == "" {
			done = append(done, r.ID)
		}
	}
	result := s.mem.Result()
	wrong = append(wrong, s.world.Audit(done, func(name string) (string, bool) { c, ok := result[name]; return c, ok })...)
	if n := s.mem.Checkouts(); n > 0 {
		wrong = append(wrong, "throw-away trees are left")
	}
	return wrong
}

// bubble runs a test of a scenario in simulated time.
func bubble(t *testing.T, sc flocksim.Scenario, change func(*sim), test func(t *testing.T, s *sim)) {
	t.Helper()
	dir := folder(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := simulate(dir, sc, change)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.db.Close() }()
		test(t, s)
		for _, w := range s.wrong() {
			t.Error(w)
		}
	})
}

// drive runs to the end and wants a state.
func (s *sim) drive(t *testing.T, want orchestrator.RunState) schedule.Summary {
	t.Helper()
	sum, err := s.run(t.Context())
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if sum.State != want {
		t.Fatalf("run is %s (%s), want %s", sum.State, sum.Reason, want)
	}
	row, err := s.ledger.Run(s.id)
	if err != nil {
		t.Fatal(err)
	}
	if row.State != sum.State || row.Reason != sum.Reason {
		t.Errorf("row says %s (%s), summary %s (%s)", row.State, row.Reason, sum.State, sum.Reason)
	}
	return sum
}
