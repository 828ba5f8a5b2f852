package live

import (
	"cmp"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/pack"
)

// Worker is one region's line.
type Worker struct {
	Region   string    `json:"region"`
	Modules  []string  `json:"modules"`
	Endpoint string    `json:"endpoint"`
	Task     string    `json:"task,omitempty"` // that it works on, or worked on last
	State    string    `json:"state"`          // idle, works, checks, retries, waits, ended, …
	Attempt  int       `json:"attempt,omitempty"`
	Tokens   int64     `json:"tokens"`
	Context  int64     `json:"context"`
	Last     string    `json:"last,omitempty"`
	LastAt   time.Time `json:"last_at,omitzero"`

	open bool               // an attempt runs that we saw start
	used orchestrator.Usage // by it so far, and what that costs
	cost float64
}

// Endpoint is how one endpoint does.
type Endpoint struct {
	Name   string    `json:"name"`
	Health string    `json:"health"`
	Text   string    `json:"text,omitempty"`
	At     time.Time `json:"at,omitzero"`
}

// Model is a run as far as one knows.
type Model struct {
	Run       orchestrator.Run
	Workers   []Worker
	Endpoints []Endpoint
	Tasks     []orchestrator.TaskRow
	Usage     orchestrator.Usage
	CostUSD   float64
	Priced    bool // costs are shown
	Attempts  int
	Note      string // newest thing that belongs to no worker
	Confine   string // how workers are confined; "" = not known
	Lacks     []string
	Driven    bool // a process drives the run

	tokens int64 // as the driver counts, running attempts included

	since time.Time // when watching began, and
	todo  float64   // the makespan that was left then
}

// Rows is what the database knows of a run.
type Rows struct {
	Run      orchestrator.Run
	Regions  []orchestrator.RegionState
	Tasks    []orchestrator.TaskRow
	Attempts []orchestrator.Attempt
}

// NewModel starts from the rows. now is when watching begins.
func NewModel(r Rows, now time.Time) *Model {
	m := &Model{Run: r.Run, Tasks: slices.Clone(r.Tasks), since: now, Attempts: len(r.Attempts)}
	for _, region := range r.Regions {
		m.Workers = append(m.Workers, Worker{Region: region.Name, Modules: region.Modules, Endpoint: region.Endpoint, State: "idle", Context: region.Context})
		if !slices.ContainsFunc(m.Endpoints, func(e Endpoint) bool { return e.Name == region.Endpoint }) && region.Endpoint != "" {
			m.Endpoints = append(m.Endpoints, Endpoint{Name: region.Endpoint, Health: HealthOK})
		}
	}
	for _, a := range r.Attempts {
		m.Usage, m.CostUSD = m.Usage.Add(a.Usage), m.CostUSD+a.CostUSD
		i := slices.IndexFunc(m.Tasks, func(t orchestrator.TaskRow) bool { return t.ID == a.Task })
		if i < 0 {
			continue
		}
		w := m.worker(m.Tasks[i].Region)
		w.Tokens += a.Usage.Tokens()
		w.Task, w.Attempt, w.Last, w.LastAt = a.Task, a.Number, string(a.State), cmp.Or(a.EndedAt, a.StartedAt)
		if a.Failure != "" {
			w.Last += ": " + a.Failure
		}
	}
	for i := range m.Workers {
		m.Workers[i].State = m.stateOf(m.Workers[i].Region)
	}
	m.Priced = m.CostUSD > 0
	m.todo = m.remaining()
	return m
}

// stateOf is what the rows say about a region.
func (m *Model) stateOf(region string) string {
	open := false
	for _, t := range m.Tasks {
		if t.Region != region {
			continue
		}
		switch {
		case t.State == orchestrator.TaskRunning:
			return "works"
		case !t.State.Over():
			open = true
		}
	}
	if !open {
		return "ended"
	}
	return "idle"
}

// worker gives a region's line, a new one for a region that nobody knew.
func (m *Model) worker(region string) *Worker {
	i := slices.IndexFunc(m.Workers, func(w Worker) bool { return w.Region == region })
	if i < 0 {
		m.Workers, i = append(m.Workers, Worker{Region: region, State: "idle"}), len(m.Workers)
	}
	return &m.Workers[i]
}

func (m *Model) task(id string) *orchestrator.TaskRow {
	i := slices.IndexFunc(m.Tasks, func(t orchestrator.TaskRow) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &m.Tasks[i]
}

// Apply takes one event.
func (m *Model) Apply(e Event) {
	switch e.Kind {
	case Ended:
		if e.Summary != nil {
			m.Run.State, m.Run.Reason = e.Summary.State, e.Summary.Reason
		}
		return
	case Health:
		m.health(e)
		return
	case TaskAdded:
		if m.task(e.Task) == nil && e.Task != "" {
			m.Tasks = append(m.Tasks, orchestrator.TaskRow{Task: orchestrator.Task{ID: e.Task, Description: e.Text, Module: m.primary(e.Region)}, Run: m.Run.ID, Region: e.Region, State: orchestrator.TaskPending, Seq: len(m.Tasks)})
		}
		return
	case RunStarted:
		m.Run.State = orchestrator.RunRunning
	}
	if t := m.task(e.Task); t != nil {
		m.move(t, e)
	}
	if e.Region == "" {
		if e.Text != "" && words(e.Kind) == "same" {
			m.Note = e.Text
		}
		return
	}
	w := m.worker(e.Region)
	m.spend(w, e)
	m.line(w, e)
}

// spend counts what an attempt has used since it was last told. What an event says after the attempt's end is not counted twice.
func (m *Model) spend(w *Worker, e Event) {
	if e.Kind == TaskStarted {
		w.open, w.used, w.cost = true, orchestrator.Usage{}, 0
	}
	if !w.open || e.Usage == (orchestrator.Usage{}) && e.CostUSD == 0 {
		w.open = w.open && !ends(e.Kind)
		return
	}
	more := minus(e.Usage, w.used)
	m.Usage, m.CostUSD = m.Usage.Add(more), m.CostUSD+e.CostUSD-w.cost
	m.Priced = m.Priced || e.CostUSD > 0
	w.Tokens += more.Tokens()
	w.used, w.cost = e.Usage, e.CostUSD
	w.open = !ends(e.Kind)
}

func minus(u, v orchestrator.Usage) orchestrator.Usage {
	return orchestrator.Usage{Input: u.Input - v.Input, Output: u.Output - v.Output, CacheRead: u.CacheRead - v.CacheRead, CacheWrite: u.CacheWrite - v.CacheWrite, Requests: u.Requests - v.Requests}
}

// ends reports whether an attempt is over with an event.
func ends(k Kind) bool {
	return k == TaskRejected || k == TaskInfra || k == TaskVerified || k == TaskFailed || k == TaskAdopted
}

func (m *Model) primary(region string) string {
	if w := m.worker(region); len(w.Modules) > 0 {
		return w.Modules[0]
	}
	return ""
}

func (m *Model) health(e Event) {
	i := slices.IndexFunc(m.Endpoints, func(p Endpoint) bool { return p.Name == e.Endpoint })
	if i < 0 {
		m.Endpoints, i = append(m.Endpoints, Endpoint{Name: e.Endpoint}), len(m.Endpoints)
	}
	m.Endpoints[i].Health, m.Endpoints[i].Text, m.Endpoints[i].At = e.Health, e.Text, e.At
}

// move is the arrow of a task's life that an event stands for.
func (m *Model) move(t *orchestrator.TaskRow, e Event) {
	switch e.Kind {
	case TaskStarted:
		t.State = orchestrator.TaskRunning
		m.Attempts++
	case TaskChecking, TaskProgress:
		t.State = orchestrator.TaskRunning
	case TaskRejected, TaskReturned:
		t.State, t.Reason, t.Attempts = orchestrator.TaskVerifyFailed, e.Text, t.Attempts+1
	case TaskInfra:
		t.State = orchestrator.TaskPending
	case TaskVerified:
		t.State, t.Attempts = orchestrator.TaskVerified, t.Attempts+1
	case TaskAdopted:
		t.State = orchestrator.TaskVerified
	case TaskDone:
		t.State = orchestrator.TaskDone
	case TaskFailed:
		t.State, t.Reason = orchestrator.TaskFailed, e.Text
	case TaskBlocked:
		t.State, t.Reason = orchestrator.TaskBlocked, e.Text
	}
}

// line is what an event says about a worker.
func (m *Model) line(w *Worker, e Event) {
	if e.Context > 0 {
		w.Context = e.Context
	}
	if e.Endpoint != "" {
		w.Endpoint = e.Endpoint
	}
	state := words(e.Kind)
	if state == "" {
		return
	}
	switch e.Kind {
	case TaskDone, TaskBlocked, TaskReturned: // of a task that the worker may have left behind
		if w.Task != e.Task || w.State == "works" || w.State == "checks" {
			return
		}
	case TaskProgress:
		if w.State == "checks" {
			state = "checks"
		}
	}
	if state == "same" {
		state = w.State
	}
	w.State, w.LastAt = state, e.At
	if e.Task != "" {
		w.Task = e.Task
	}
	if e.Attempt > 0 {
		w.Attempt = e.Attempt
	}
	w.Last = Said(e.Kind, e.Text)
	if (state == "idle" || state == "lands") && m.stateOf(w.Region) == "ended" {
		w.State = "ended"
	}
}

// words is the worker's state after an event; "" for an event that says nothing about it, "same" for one that leaves it.
func words(k Kind) string {
	switch k {
	case TaskStarted, TaskProgress:
		return "works"
	case TaskChecking:
		return "checks"
	case TaskRejected, TaskReturned:
		return "retries"
	case TaskInfra:
		return "waits"
	case TaskVerified, TaskAdopted:
		return "lands"
	case TaskDone, TaskFailed, TaskBlocked:
		return "idle"
	case RegionParked:
		return "parked"
	case Usage, Health, Ended, TaskAdded, RunStarted, RunEnded:
		return ""
	}
	return "same" // also what a newer scheduler says
}

// Said is what an event says in a few words. The texts of some events are for programs: what kind of attempt it is, which commit.
func Said(k Kind, text string) string {
	switch {
	case text == "", k == TaskVerified, k == TaskAdopted, k == TaskDone, k == TaskStarted && text == string(orchestrator.AttemptWork):
		return sentence(k)
	case k == TaskStarted:
		return "started: " + text
	}
	return text
}

// sentence stands for an event that brought no text.
func sentence(k Kind) string {
	switch k {
	case TaskStarted:
		return "started"
	case TaskProgress:
		return "working"
	case TaskChecking:
		return "acceptance command runs"
	case TaskRejected:
		return "not accepted"
	case TaskInfra:
		return "endpoint, client or machine failed; tries again"
	case TaskVerified:
		return "accepted"
	case TaskDone:
		return "integrated"
	case TaskReturned:
		return "red after the merge"
	case TaskFailed:
		return "failed"
	case TaskBlocked:
		return "blocked"
	case TaskAdopted:
		return "the work of an earlier attempt was accepted"
	case RegionParked:
		return "nothing more is tried here"
	case RegionMoved:
		return "moved to another endpoint"
	case SessionFresh:
		return "goes on in a new session"
	}
	return string(k)
}

// Snapshot is what only the process that drives a run knows.
type Snapshot struct {
	Confine   string     `json:"confine,omitempty"`
	Lacks     []string   `json:"lacks,omitempty"` // protections that the confinement does not have
	Tokens    int64      `json:"tokens"`          // running attempts included
	CostUSD   float64    `json:"cost_usd"`
	Workers   []Worker   `json:"workers"`
	Endpoints []Endpoint `json:"endpoints"`
}

// Merge takes what the driver says now, and gives the changes of endpoints as events.
func (m *Model) Merge(s Snapshot, now time.Time) []Event {
	m.Driven, m.Confine, m.Lacks = true, s.Confine, s.Lacks
	m.tokens, m.CostUSD = max(m.tokens, s.Tokens), max(m.CostUSD, s.CostUSD)
	m.Priced = m.Priced || s.CostUSD > 0
	for _, now := range s.Workers {
		w := m.worker(now.Region)
		w.Tokens, w.Context = max(w.Tokens, now.Tokens), cmp.Or(now.Context, w.Context)
		w.Endpoint, w.Task, w.Attempt = cmp.Or(now.Endpoint, w.Endpoint), cmp.Or(now.Task, w.Task), cmp.Or(now.Attempt, w.Attempt)
		if now.State != "" && !(now.State == "idle" && (w.State == "ended" || w.State == "parked" || w.State == "retries" || w.State == "waits")) {
			w.State = now.State
		}
		if now.Last != "" && !now.LastAt.Before(w.LastAt) {
			w.Last, w.LastAt = now.Last, now.LastAt
		}
	}
	var changes []Event
	for _, e := range s.Endpoints {
		i := slices.IndexFunc(m.Endpoints, func(p Endpoint) bool { return p.Name == e.Name })
		if i >= 0 && m.Endpoints[i].Health == e.Health {
			m.Endpoints[i].Text = e.Text
			continue
		}
		event := Event{At: now, Kind: Health, Endpoint: e.Name, Health: e.Health, Text: e.Text}
		m.health(event)
		if i >= 0 || e.Health != HealthOK {
			changes = append(changes, event)
		}
	}
	return changes
}

// Tokens is all that was read and written.
func (m *Model) Tokens() int64 { return max(m.tokens, m.Usage.Tokens()) }

// Counts are the tasks by what became of them.
func (m *Model) Counts() (done, failed, blocked, open int) {
	for _, t := range m.Tasks {
		switch t.State {
		case orchestrator.TaskDone:
			done++
		case orchestrator.TaskFailed:
			failed++
		case orchestrator.TaskBlocked:
			blocked++
		default:
			open++
		}
	}
	return done, failed, blocked, open
}

// remaining is the simulated makespan of what is not over, in units of weight.
func (m *Model) remaining() float64 {
	p := orchestrator.Plan{Modules: m.Run.Plan.Modules}
	total, left := map[string]int{}, map[string]int{}
	for _, t := range m.Tasks {
		total[t.Module]++
		if !t.State.Over() {
			left[t.Module]++
		}
	}
	p.Modules = slices.Clone(p.Modules)
	for i, mod := range p.Modules {
		if n := total[mod.Name]; n > 0 {
			p.Modules[i].Weight = mod.Weight * float64(left[mod.Name]) / float64(n)
		}
	}
	open := map[string]bool{}
	for _, t := range m.Tasks {
		open[t.ID] = !t.State.Over()
	}
	for _, t := range m.Tasks {
		if !open[t.ID] {
			continue
		}
		task := t.Task
		task.DependsOn = slices.DeleteFunc(slices.Clone(task.DependsOn), func(id string) bool { return !open[id] })
		p.Tasks = append(p.Tasks, task)
	}
	if len(p.Tasks) == 0 {
		return 0
	}
	var regions []orchestrator.Region
	for _, w := range m.Workers {
		r := orchestrator.Region{Name: w.Region}
		for _, name := range w.Modules {
			if mod, ok := p.Module(name); ok {
				r.Modules = append(r.Modules, mod)
			}
		}
		regions = append(regions, r)
	}
	return pack.Makespan(p, regions)
}

// ETA is how long the rest takes if it goes on as since the watching began; false before anything is known.
func (m *Model) ETA(now time.Time) (time.Duration, bool) {
	left := m.remaining()
	gone := m.todo - left
	if !now.After(m.since) || gone <= 0 || left <= 0 || m.Run.State != orchestrator.RunRunning {
		return 0, false
	}
	return time.Duration(float64(now.Sub(m.since)) * left / gone), true
}

// Summary is where the run stands.
func (m *Model) Summary() Summary {
	s := Summary{Run: m.Run.ID, State: m.Run.State, Reason: m.Run.Reason, Project: m.Run.Project, Tasks: len(m.Tasks), Usage: m.Usage, CostUSD: m.CostUSD, Priced: m.Priced, Base: m.Run.Base, Commit: m.Run.Integration, Missing: []Missing{}, Attempts: m.Attempts}
	s.Done, s.Failed, s.Blocked, s.Open = m.Counts()
	for _, t := range m.Tasks {
		if t.State == orchestrator.TaskFailed || t.State == orchestrator.TaskBlocked {
			s.Missing = append(s.Missing, Missing{Task: t.ID, Region: t.Region, State: t.State, Reason: t.Reason})
		}
	}
	return s
}
