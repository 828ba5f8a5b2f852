package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/schedule/check"
	"github.com/devflow-suite/devflow/orchestrator/schedule/graph"
	"github.com/devflow-suite/devflow/orchestrator/schedule/meter"
)

// Numbers of ours.
const (
	defaultGrace = time.Minute
	maxMoves     = 8 // of one region to other endpoints, without anything but infrastructure errors between them
)

// run is the state of one Run. Only loop touches the fields below mu, and the goroutines that it starts; those say what they did by
// notes. Everything in it can be made again from the ledger and the trees.
type run struct {
	o      Options
	row    orchestrator.Run
	queue  *land.Queue
	checks check.Runner
	meter  *meter.Meter
	graph  *graph.Graph
	notes  chan note
	end    context.CancelCauseFunc // of everything
	cut    context.CancelCauseFunc // of what uses tokens, and of waits

	mu       sync.Mutex
	observed sync.Mutex // one Observe at a time
	startAt  time.Time  // when the next worker may start
	lost     map[string]lostChange
	home     map[string]string // region of each task

	active   int // goroutines that will send an ended note
	regions  map[string]*region
	attempt  map[string]orchestrator.Attempt // last attempt at each task, from before this Run
	failures map[string]string               // of the last one that was rejected
	landing  landing
	fatal    error
}

// region is a region and its worker. While busy only the goroutine of its task touches the rest.
type region struct {
	Region
	busy    bool
	worker  Worker
	slot    time.Time // when the worker may start; zero = none is given
	context int64     // tokens of the session
	infra   int       // infrastructure errors in a row
	moves   int       // to other endpoints since anything but an infrastructure error
	parked  string    // why nothing more is tried here; "" = it is in use
	owner   string    // task whose unfinished work is in the tree, from before this Run; "" = none
	adopt   *orchestrator.Attempt
	commit  string // of adopt
}

// landing is how the merge queue stands.
type landing struct {
	busy   bool
	failed int       // in a row
	until  time.Time // of the wait after a failure
	parked string
}

// lostChange is a commit that was returned, to remind its worker of it.
type lostChange struct{ base, commit string }

// note is what a goroutine says to loop.
type note struct {
	region *region // whose task has ended its stay; nil otherwise
	landed bool    // the merge queue has ended a batch
	err    error   // of the queue, or fatal when there is a region
}

// Run drives a run until it is done, has failed, or cannot go on now. A fresh run, one that was stopped and one that was killed are
// driven by the same call; only one process may drive a run at a time, which its caller sees to. A run that has ended stays as it is.
//
// The end of ctx stops it, resumable, after its workers have ended. The error is that of rows that could not be written, of a
// process that could not be ended, or ErrOptions; the run is resumable then, too.
func Run(ctx context.Context, o Options) (Summary, error) {
	r, err := prepare(o)
	if err != nil {
		return Summary{}, err
	}
	if r.row.State.Over() {
		return r.summary(r.row.State, r.row.Reason)
	}
	hard, end := context.WithCancelCause(ctx)
	defer end(nil)
	soft, cut := context.WithCancelCause(hard)
	defer cut(nil)
	r.end, r.cut = end, cut
	used, cost, err := o.Ledger.Spent(o.Run)
	if err != nil {
		return Summary{}, err
	}
	r.meter = meter.New(o.Settings.TokenCap, o.Settings.MoneyCap, used, cost, cut)
	r.meter.Check()
	if err := r.persist(hard, func() error { return o.Ledger.SetState(o.Run, orchestrator.RunRunning, "") }); err != nil {
		return Summary{}, err
	}
	r.event(Event{Kind: RunStarted, State: orchestrator.RunRunning})
	if err := r.recover(hard); err != nil {
		r.fatal = err
	} else {
		r.loop(hard, soft)
	}
	r.dismiss(slices.Collect(maps.Values(r.regions))...)
	return r.settle(hard, soft)
}

// prepare checks the options and reads what they speak of.
func prepare(o Options) (*run, error) {
	switch {
	case o.Ledger == nil || o.Trees == nil || o.Worker == nil || o.Verifier == nil:
		return nil, fmt.Errorf("%w: ledger, trees, worker and verifier are wanted", ErrOptions)
	case len(o.Regions) == 0:
		return nil, fmt.Errorf("%w: no region", ErrOptions)
	}
	o.defaults()
	row, err := o.Ledger.Run(o.Run)
	if err != nil {
		return nil, err
	}
	r := &run{o: o, row: row, notes: make(chan note), regions: map[string]*region{},
		lost: map[string]lostChange{}, home: map[string]string{}, attempt: map[string]orchestrator.Attempt{}, failures: map[string]string{}}
	for _, g := range o.Regions {
		if r.regions[g.Name] != nil {
			return nil, fmt.Errorf("%w: region %s is there twice", ErrOptions, g.Name)
		}
		r.regions[g.Name] = &region{Region: g}
	}
	states, err := o.Ledger.Regions(o.Run)
	if err != nil {
		return nil, err
	}
	for _, s := range states {
		if g := r.regions[s.Name]; g != nil && s.Session != "" {
			g.context = s.Context
		}
	}
	r.graph = graph.New(row.Plan, o.Weight)
	r.checks = check.Runner{Verifier: o.Verifier, Plan: row.Plan, Test: o.Settings.Test, Limit: o.Settings.CheckTimeout, Grace: o.Grace}
	r.queue = land.New(land.Options{Trees: o.Trees, Test: r.checks.Merged, Whole: o.Settings.Test != "", Landed: r.landed, Returned: r.returned, Notice: r.notice, Log: o.Log})
	return r, nil
}

func (o *Options) defaults() {
	o.Backoff = o.Backoff.WithDefaults()
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.Settings.Attempts <= 0 {
		o.Settings.Attempts = 1
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Orphan == nil {
		o.Orphan = func(ctx context.Context, a orchestrator.Attempt) error { return proc.StopGroup(ctx, a.PID, a.PIDStart) }
	}
}

// loop starts what can start and waits for what happens, until nothing runs and nothing can start. It is never left while a
// goroutine of the run is alive.
func (r *run) loop(hard, soft context.Context) {
	wake, ended, cut := r.o.Wake, hard.Done(), soft.Done()
	for {
		var retry <-chan time.Time
		if r.fatal == nil && hard.Err() == nil {
			var err error
			if retry, err = r.step(hard, soft); err != nil {
				r.fail(err)
			}
		}
		if r.active == 0 && retry == nil {
			return
		}
		select {
		case n := <-r.notes:
			r.take(n)
		case _, open := <-wake:
			if !open {
				wake = nil
			}
		case <-retry:
		case <-cut:
			cut = nil
		case <-ended:
			ended = nil
		}
	}
}

// step starts what can start now. The channel is when to look again even if nothing happens; nil = never.
func (r *run) step(hard, soft context.Context) (retry <-chan time.Time, err error) {
	if err := r.refresh(); err != nil {
		return nil, err
	}
	if err := r.giveUp(hard, r.graph.Doomed(func(region string) bool { return r.regions[region] != nil })); err != nil {
		return nil, err
	}
	retry = r.land(hard, soft)
	r.dispatch(hard, soft)
	return retry, nil
}

// persist writes a row. An error is the end of the Run: what cannot be written did not happen.
func (r *run) persist(ctx context.Context, write func() error) error {
	return r.o.Backoff.Persist(ctx, r.o.Log, write)
}

func (r *run) take(n note) {
	switch {
	case n.region != nil:
		r.active--
		n.region.busy = false
		if n.err != nil {
			r.fail(n.err)
		}
	case n.landed:
		r.active--
		r.landing.busy = false
		r.landingEnded(n.err)
	}
}

// fail ends the run for an error that is none of its tasks'.
func (r *run) fail(err error) {
	if r.fatal == nil {
		r.fatal = err
	}
	r.end(err)
}

// event tells a line, one at a time.
func (r *run) event(e Event) {
	if r.o.Observe == nil {
		return
	}
	r.observed.Lock()
	defer r.observed.Unlock()
	e.At = r.o.Now()
	r.o.Observe(e)
}
