// Package graph answers what a run's tasks allow: which may start, in which order, which can never come, and whose unfinished work a
// region's tree holds.
//
// It is pure: rows in, answers out. It owns no table and no file.
package graph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/rank"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

// Graph is the tasks of a run as they stood at the last Update. One goroutine at a time.
type Graph struct {
	weight func(orchestrator.TaskRow) float64
	tasks  []orchestrator.TaskRow
	index  map[string]int
	start  []float64 // planned
}

// New makes an empty graph. weight is the expected work of a task; nil = that of its module in the plan, spread evenly over the
// module's tasks.
func New(p orchestrator.Plan, weight func(orchestrator.TaskRow) float64) *Graph {
	g := &Graph{weight: weight, index: map[string]int{}}
	if weight == nil {
		g.weight = func(t orchestrator.TaskRow) float64 {
			n := 0
			for _, o := range g.tasks {
				if o.Module == t.Module {
					n++
				}
			}
			m, _ := p.Module(t.Module)
			return m.Weight / float64(max(n, 1))
		}
	}
	return g
}

// Update takes the rows as they stand now and gives those that are new. What is left is planned again when tasks or dependencies
// were added.
func (g *Graph) Update(tasks []orchestrator.TaskRow) (added []orchestrator.TaskRow) {
	changed := false
	for _, t := range tasks {
		i, known := g.index[t.ID]
		if !known {
			added = append(added, t)
		}
		changed = changed || !known || !slices.Equal(g.tasks[i].DependsOn, t.DependsOn)
	}
	g.tasks = tasks
	for i, t := range tasks {
		g.index[t.ID] = i
	}
	if changed {
		g.plan()
	}
	return added
}

// plan simulates what is left and keeps when each task should start.
func (g *Graph) plan() {
	numbers, at := map[string]int{}, map[string]int{}
	var nodes []rank.Node
	var which []int
	for i, t := range g.tasks {
		if t.State.Over() {
			continue
		}
		at[t.ID] = len(nodes)
		which = append(which, i)
		if _, known := numbers[t.Region]; !known {
			numbers[t.Region] = len(numbers)
		}
		nodes = append(nodes, rank.Node{Weight: g.weight(t), Region: numbers[t.Region]})
	}
	for n, i := range which {
		for _, d := range g.tasks[i].DependsOn {
			if k, open := at[d]; open {
				nodes[n].After = append(nodes[n].After, k)
			}
		}
	}
	best := rank.Best(nodes)
	g.start = make([]float64, len(g.tasks))
	for n, i := range which {
		g.start[i] = best.Start[n]
	}
}

// Tasks gives the rows.
func (g *Graph) Tasks() []orchestrator.TaskRow { return g.tasks }

// In lists the tasks in a state, in the order of their making.
func (g *Graph) In(state orchestrator.TaskState) (list []orchestrator.TaskRow) {
	for _, t := range g.tasks {
		if t.State == state {
			list = append(list, t)
		}
	}
	return list
}

// Open lists the tasks on which the last word is not spoken.
func (g *Graph) Open() (open []orchestrator.TaskRow) {
	for _, t := range g.tasks {
		if !t.State.Over() {
			open = append(open, t)
		}
	}
	return open
}

// waits reports whether a task could be claimed if it were ready.
func waits(t orchestrator.TaskRow) bool {
	return t.State == orchestrator.TaskPending || t.State == orchestrator.TaskVerifyFailed
}

// ready reports whether all that a waiting task depends on is integrated.
func (g *Graph) ready(t orchestrator.TaskRow) bool {
	for _, d := range t.DependsOn {
		if i, known := g.index[d]; !known || g.tasks[i].State != orchestrator.TaskDone {
			return false
		}
	}
	return waits(t)
}

// Next gives the task to start in each region that is free and has one, in the order in which to start them. free also tells whose
// unfinished work the region's tree holds ("" = nobody's): that goes first, then what has to be repaired, then what was planned
// earlier. A region whose last work is not integrated yet is not free, whatever free says.
func (g *Graph) Next(free func(region string) (owner string, ok bool)) []orchestrator.TaskRow {
	occupied := map[string]bool{}
	for _, t := range g.tasks {
		if t.State == orchestrator.TaskRunning || t.State == orchestrator.TaskVerified {
			occupied[t.Region] = true
		}
	}
	next := map[string]int{}
	for i, t := range g.tasks {
		if occupied[t.Region] || !g.ready(t) {
			continue
		}
		owner, ok := free(t.Region)
		if !ok {
			continue
		}
		if old, has := next[t.Region]; !has || g.before(owner, i, old) {
			next[t.Region] = i
		}
	}
	var starts []int
	for _, i := range next {
		starts = append(starts, i)
	}
	slices.SortFunc(starts, func(a, b int) int { return cmp.Or(cmp.Compare(g.start[a], g.start[b]), cmp.Compare(a, b)) })
	out := make([]orchestrator.TaskRow, len(starts))
	for n, i := range starts {
		out[n] = g.tasks[i]
	}
	return out
}

func (g *Graph) before(owner string, a, b int) bool {
	class := func(i int) int {
		switch t := g.tasks[i]; {
		case t.ID == owner:
			return 0
		case t.State == orchestrator.TaskVerifyFailed:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(g.start[a], g.start[b]), cmp.Compare(a, b)) < 0
}

// End is a task that will not be worked on any more, and why.
type End struct {
	Task   orchestrator.TaskRow
	State  orchestrator.TaskState // failed or blocked
	Reason string
}

// Doomed lists the waiting tasks that depend on what failed or is blocked, each after the one that it waits for, and those whose
// region has no worker. The graph takes their states at once.
func (g *Graph) Doomed(worker func(region string) bool) (ends []End) {
	end := func(i int, state orchestrator.TaskState, reason string) {
		g.tasks[i].State, g.tasks[i].Reason = state, reason
		ends = append(ends, End{g.tasks[i], state, reason})
	}
	for i, t := range g.tasks {
		if waits(t) && !worker(t.Region) {
			end(i, orchestrator.TaskFailed, fmt.Sprintf("no worker for region %q", t.Region))
		}
	}
	for more := true; more; {
		more = false
		for i, t := range g.tasks {
			if !waits(t) {
				continue
			}
			for _, d := range t.DependsOn {
				k, known := g.index[d]
				if !known || g.tasks[k].State != orchestrator.TaskFailed && g.tasks[k].State != orchestrator.TaskBlocked {
					continue
				}
				what := "failed"
				if g.tasks[k].State == orchestrator.TaskBlocked {
					what = "is blocked"
				}
				end(i, orchestrator.TaskBlocked, fmt.Sprintf("it waits for %s, which %s: %s", d, what, words.Line(g.tasks[k].Reason, 300)))
				more = true
				break
			}
		}
	}
	return ends
}

// Stalled says of each open task why it can never start, for when nothing runs.
func (g *Graph) Stalled() (ends []End) {
	for _, t := range g.Open() {
		ends = append(ends, End{t, orchestrator.TaskBlocked, "it " + g.waitsFor(t)})
	}
	return ends
}

func (g *Graph) waitsFor(t orchestrator.TaskRow) string {
	var unknown, known []string
	for _, d := range t.DependsOn {
		if i, there := g.index[d]; !there {
			unknown = append(unknown, d)
		} else if g.tasks[i].State != orchestrator.TaskDone {
			known = append(known, d)
		}
	}
	switch {
	case len(unknown) > 0:
		return "waits for " + words.Names(unknown) + ", which the run does not have"
	case g.circular(t.ID):
		return "waits for itself, by way of " + words.Names(known)
	case len(known) > 0:
		return "waits for " + words.Names(known)
	}
	return "is " + string(t.State) + " and nobody works on it"
}

// circular reports whether a task waits for itself.
func (g *Graph) circular(id string) bool {
	seen := map[string]bool{}
	for todo := []string{id}; len(todo) > 0; {
		i, known := g.index[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if !known {
			continue
		}
		for _, d := range g.tasks[i].DependsOn {
			if d == id {
				return true
			}
			if !seen[d] {
				seen[d] = true
				todo = append(todo, d)
			}
		}
	}
	return false
}
