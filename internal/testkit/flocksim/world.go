package flocksim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// clashFolder holds the file that clashing tasks of all regions change; it counts as every region's own.
const clashFolder = "shared/"

// World simulates workers and checks of a scenario, and watches that the scheduler keeps its rules. Its fields are set before use; its
// methods may be called from many goroutines.
type World struct {
	Scenario
	Files Files
	Root  func(region string) string // of a region's tree
	Point func(name string) error    // as in Memory; nil = never
	// Ask adds a task that a worker asks for; nil = asking does nothing.
	Ask func(from orchestrator.TaskRow, region string) error
	// TestTakes is how long a check of a merged tree takes, CheckTakes one of a region's.
	TestTakes, CheckTakes time.Duration
	FlakyTests            int   // first checks of merged trees that are red for no reason
	Tokens                int64 // that an attempt uses; half of them at its middle
	Context               int64 // tokens that each task adds to its session
	Release               chan struct{}

	mu         sync.Mutex
	tasks      map[string]Task
	running    map[string]string
	tries      map[string]int
	done       map[string]int
	recycled   []string
	violations []string
	starts     []Start
	flaked     int
	most       int
}

// Start is a begin of an attempt.
type Start struct {
	Task, Region string
	Kind         orchestrator.AttemptKind
	Failure      string
	Session      string
	At           time.Time
}

func (w *World) lock() func() {
	w.mu.Lock()
	if w.tasks == nil {
		w.tasks, w.running, w.tries, w.done = map[string]Task{}, map[string]string{}, map[string]int{}, map[string]int{}
		for _, t := range w.Scenario.Tasks {
			w.tasks[t.ID] = t
		}
	}
	return w.mu.Unlock
}

func (w *World) point(name string) error {
	if w.Point == nil {
		return nil
	}
	return w.Point(name)
}

// Violations lists the rules that were broken.
func (w *World) Violations() []string {
	defer w.lock()()
	return slices.Clone(w.violations)
}

// Starts lists the attempts.
func (w *World) Starts() []Start {
	defer w.lock()()
	return slices.Clone(w.starts)
}

// Most is how many workers worked at once, at most.
func (w *World) Most() int {
	defer w.lock()()
	return w.most
}

// Recycled lists the regions whose sessions were replaced, in order.
func (w *World) Recycled() []string {
	defer w.lock()()
	return slices.Clone(w.recycled)
}

func (w *World) broken(format string, args ...any) {
	defer w.lock()()
	w.violations = append(w.violations, fmt.Sprintf(format, args...))
}

// Regions gives the options' regions.
func (w *World) Regions() []schedule.Region {
	var out []schedule.Region
	for _, r := range w.Scenario.Regions {
		out = append(out, schedule.Region{Name: r, Dir: w.Root(r)})
	}
	return out
}

// Want is the content of a task's file.
func (w *World) Want(id string) string {
	defer w.lock()()
	return w.want(id)
}

func (w *World) want(id string) string {
	parts := []string{"work " + id}
	for _, d := range w.tasks[id].After {
		parts = append(parts, d+" "+hash(w.want(d)))
	}
	return strings.Join(parts, "\n") + "\n"
}

// see makes the content of a task's file from what is in a tree, and reports what is missing there.
func (w *World) see(root, id string) (content string, err error) {
	w.mu.Lock()
	t := w.tasks[id]
	w.mu.Unlock()
	parts := []string{"work " + id}
	for _, d := range t.After {
		w.mu.Lock()
		other := w.tasks[d]
		w.mu.Unlock()
		c, found, err := w.Files.Read(root, other.Region+"/"+d+".txt")
		if err != nil {
			return "", err
		}
		if !found {
			w.broken("%s started without the work of %s in its tree", id, d)
		}
		parts = append(parts, d+" "+hash(c))
	}
	return strings.Join(parts, "\n") + "\n", nil
}

// Verify implements schedule.Verifier. The check of a task wants its file to be right, and counted once; that of a merged tree is also
// red for poison. "all" wants no poison only.
func (w *World) Verify(ctx context.Context, c schedule.Check) (schedule.Verdict, error) {
	if err := w.point("verify"); err != nil {
		return schedule.Verdict{}, err
	}
	takes := w.CheckTakes
	if c.Region == "" {
		takes = w.TestTakes
	}
	if err := sleep(ctx, takes); err != nil {
		return schedule.Verdict{}, err
	}
	if c.Region == "" {
		unlock := w.lock()
		flaky := w.flaked < w.FlakyTests
		if flaky {
			w.flaked++
		}
		unlock()
		if flaky {
			return schedule.Verdict{Output: "flaky"}, nil
		}
	}
	var ids []string
	id, one := strings.CutPrefix(c.Command, "done ")
	if one {
		ids = []string{id}
	} else {
		for _, t := range w.Scenario.Tasks {
			ids = append(ids, t.ID)
		}
	}
	for _, id := range ids {
		w.lock()()
		got, found, err := w.Files.Read(c.Root, w.tasks[id].Region+"/"+id+".txt")
		if err != nil {
			return schedule.Verdict{}, err
		}
		want := w.Want(id)
		switch poisoned := got == want+"poison\n"; {
		case poisoned && c.Region == "":
			return schedule.Verdict{Output: id + " is poisoned"}, nil
		case poisoned, got == want, !found && !one:
		default:
			return schedule.Verdict{Output: fmt.Sprintf("%s is %q, want %q", id, got, want)}, nil
		}
	}
	return schedule.Verdict{OK: true}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// counts reads how often the tasks of a region were done.
func counts(content string) map[string]int {
	out := map[string]int{}
	for line := range strings.Lines(content) {
		var id string
		var n int
		if _, err := fmt.Sscanf(line, "%s %d", &id, &n); err == nil {
			out[id] = n
		}
	}
	return out
}

// Audit compares a result with what the tasks make: every file right and counted once. read gives a file of the result.
func (w *World) Audit(done []string, read func(name string) (string, bool)) (wrong []string) {
	w.lock()()
	for _, id := range done {
		region := w.tasks[id].Region
		if got, _ := read(region + "/" + id + ".txt"); got != w.Want(id) {
			wrong = append(wrong, fmt.Sprintf("%s is %q, want %q", id, got, w.Want(id)))
		}
		list, _ := read(region + "/counts")
		if n := counts(list)[id]; n != 1 {
			wrong = append(wrong, fmt.Sprintf("%s was done %d times", id, n))
		}
	}
	return wrong
}

// Reset makes the world take its scenario anew; how often each task was tried is kept.
func (w *World) Reset() {
	defer w.lock()()
	for _, t := range w.Scenario.Tasks {
		w.tasks[t.ID] = t
	}
}
