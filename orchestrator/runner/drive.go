package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/flock"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/control"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/lend"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/runner/neighbours"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
	"github.com/devflow-suite/devflow/orchestrator/verify"
	"github.com/devflow-suite/devflow/orchestrator/worker"
)

// Summary is how a run stands when nobody drives it any more.
type Summary struct {
	schedule.Summary
	Run     orchestrator.RunID `json:"run"`
	Branch  string             `json:"branch"` // where the integrated work is; "" when there is none
	Confine string             `json:"confine"`
	Lacks   []string           `json:"lacks,omitempty"` // protections that were missing
	Notes   []string           `json:"notes,omitempty"`
}

// errStopped is the cause of a context that Stop ended.
var errStopped = errors.New("stopped")

// drive is one process driving one run.
type drive struct {
	Deps
	run     orchestrator.Run
	place   place.Place
	project trees.Project
	sockets string
	book    *gateway.Book
	gates   gateway.Gates
	box     sandbox.Sandbox
	trees   *trees.Trees
	regions []orchestrator.Region
	lender  *lend.Shelf
	crews   map[string]*crew
	wake    chan struct{}
	stop    context.CancelCauseFunc
	log     *slog.Logger

	mu      sync.Mutex
	spent   gateway.Usage // of this process, attempts that have not ended included
	cost    float64
	earlier int64 // tokens of the processes before
	paid    float64
}

// Drive takes a run to its end, or as far as it gets: fresh, stopped, or left behind by a driver that was killed, it is the same
// call. It returns when everything that it started has ended. A context that ends stops the run so that it can be resumed. Errors
// that wrap ErrHeld, ErrUnplanned, trees.RefusedError or sandbox.ErrUnavailable have changed nothing.
func Drive(ctx context.Context, deps Deps, id orchestrator.RunID) (Summary, error) {
	p := place.Of(deps.Root, string(id))
	run, err := deps.Ledger.Run(id)
	if err != nil {
		return Summary{}, err
	}
	switch {
	case run.State == orchestrator.RunQueued || len(run.Plan.Tasks) == 0:
		return Summary{}, fmt.Errorf("drive run %s: %w", id, ErrUnplanned)
	}
	unlock, err := hold(p)
	if err != nil {
		return Summary{}, fmt.Errorf("drive run %s: %w", id, err)
	}
	defer unlock()
	if run.State.Over() {
		return ended(ctx, deps, run)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	d := &drive{Deps: deps, run: run, place: p, wake: make(chan struct{}, 1), stop: stop, crews: map[string]*crew{}}
	sum, err := d.drive(ctx)
	if err != nil {
		return sum, fmt.Errorf("drive run %s: %w", id, err)
	}
	return sum, nil
}

// Hold keeps a run to this process until release is called: nobody else plans or drives it. ErrHeld when somebody does.
func Hold(deps Deps, id orchestrator.RunID) (release func(), err error) {
	p := place.Of(deps.Root, string(id))
	if err := p.Make(); err != nil {
		return nil, err
	}
	if release, err = hold(p); err != nil {
		return nil, fmt.Errorf("hold run %s: %w", id, err)
	}
	return release, nil
}

// leave is how long a driver that ends may still be seen: its lock goes with the last copy of the descriptor, and a child that is
// just being started has one until its exec.
const leave = 2 * time.Second

// hold takes the lock of a run, or says that somebody has it.
func hold(p place.Place) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), leave, ErrHeld)
	defer cancel()
	return flock.Lock(ctx, p.Lock())
}

func (d *drive) drive(ctx context.Context) (sum Summary, err error) {
	file, err := os.OpenFile(d.place.Log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return Summary{}, fmt.Errorf("open log: %w", err)
	}
	defer file.Close()
	d.log = slog.New(slog.NewJSONHandler(file, nil)).With("run", d.run.ID)
	if d.Log != nil {
		d.log = slog.New(slog.NewMultiHandler(d.log.Handler(), d.Log.Handler()))
	}
	if err := d.open(ctx); err != nil {
		return Summary{}, err
	}
	watching, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		if err := d.book.Watch(watching, d.changed); err != nil && watching.Err() == nil {
			d.log.Warn("endpoints file is not watched", "error", err)
		}
	})
	defer watch.Wait()
	defer end()
	socket, err := control.Serve(d.place.ControlSocket(d.Getenv), d)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, socket.Close(), os.RemoveAll(d.sockets)) }()
	crews, err := d.hire(ctx)
	defer func() { err = errors.Join(err, d.dismiss()) }()
	if err != nil {
		return Summary{}, err
	}
	s, err := schedule.Run(ctx, d.options(crews))
	sum = Summary{Summary: s, Run: d.run.ID, Confine: string(d.box.Kind()), Lacks: d.box.Lacks(), Notes: d.lender.Notes()}
	if err != nil {
		return sum, err
	}
	err = errors.Join(d.dismiss(), d.settle(&sum))
	return sum, err
}

// open looks at everything that the run needs before anything is started.
func (d *drive) open(ctx context.Context) error {
	var err error
	if d.project, err = trees.Examine(ctx, d.run.Project); err != nil {
		return err
	}
	if d.book, err = gateway.OpenBook(d.place.Endpoints()); err != nil {
		return err
	}
	if d.box, err = sandbox.Find(ctx, sandbox.Kind(d.run.Settings.Confine), d.Self); err != nil {
		return err
	}
	if d.trees, err = trees.Open(ctx, trees.Options{Run: string(d.run.ID), Base: d.run.Base, Project: d.project, Dir: d.place.Trees(), Log: d.log}); err != nil {
		return err
	}
	if d.run.Base == "" {
		d.run.Base = d.trees.Base()
		if err := d.Ledger.SetBase(d.run.ID, d.run.Base); err != nil {
			return err
		}
	}
	u, cost, err := d.Ledger.Spent(d.run.ID)
	if err != nil {
		return err
	}
	d.earlier, d.paid = u.Tokens(), cost
	d.lender = lend.New(lend.Options{
		Project: d.project, Modules: lend.Modules(d.run.Plan), Paths: d.run.Settings.Share, Kind: d.box.Kind(), Visible: d.tools().ReadOnly,
		Tell: func(sentence string) { d.observe(schedule.Event{At: d.Now(), Kind: "note", Text: sentence}) },
	})
	d.sockets, err = d.place.MakeSockets(d.Getenv)
	return err
}

// hire gives each region its tree, its gateway and its crew.
func (d *drive) hire(ctx context.Context) (list []schedule.Region, err error) {
	rows, err := d.Ledger.Regions(d.run.ID)
	if err != nil {
		return nil, err
	}
	if d.regions, err = regionsOf(d.run, rows); err != nil {
		return nil, err
	}
	for i, r := range d.regions {
		if d.box.Kind() == sandbox.None { // what a killed driver's worker has left could still write
			worker.EndStrays(d.place.Home(r.Name))
		}
		tree, err := d.trees.Region(ctx, r.Name, r.Paths())
		if err != nil {
			return nil, err
		}
		c, err := d.newCrew(rows[i], r, tree)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		d.crews[r.Name] = c
		d.mu.Unlock()
		list = append(list, schedule.Region{Name: r.Name, Dir: tree.Dir})
	}
	return list, nil
}

// desk is where workers ask about other regions.
func (d *drive) desk() *neighbours.Desk {
	return &neighbours.Desk{Run: d.run.ID, Ledger: d.Ledger, Trees: d.trees, Project: d.project, Regions: d.regions, Poke: d.poke, Log: d.log}
}

// dismiss ends all crews, once.
func (d *drive) dismiss() error {
	d.mu.Lock()
	crews := d.crews
	d.crews = nil
	d.mu.Unlock()
	errs := make(chan error, len(crews))
	for _, c := range crews {
		go func() { errs <- c.end() }()
	}
	var err error
	for range crews {
		err = errors.Join(err, <-errs)
	}
	return err
}

// stagger lies between the starts of two workers: twelve at once hit an endpoint's limits together.
const stagger = 500 * time.Millisecond

func (d *drive) options(list []schedule.Region) schedule.Options {
	return schedule.Options{
		Run: d.run.ID, Ledger: d.Ledger, Trees: d.trees, Verifier: d.verifier(), Judge: d.governor(), Regions: list, Settings: d.run.Settings, Stagger: stagger,
		Worker: func(region string) (schedule.Worker, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if c := d.crews[region]; c != nil {
				return c, nil
			}
			return nil, fmt.Errorf("region %s: %w", region, orchestrator.ErrUnknown)
		},
		Recycle: d.threshold, Wake: d.wake, Observe: d.observe, Now: d.Now, Log: d.log,
	}
}

func (d *drive) governor() schedule.Judge {
	if !d.run.Settings.Governed {
		return nil
	}
	return d.Judge
}

// verifier runs acceptance commands where they can touch nothing but the region's tree.
func (d *drive) verifier() schedule.Verifier {
	tools := d.tools()
	return verify.New(d.box, verify.Options{
		Home: d.place.Checks(), Evidence: d.place.Evidence(), Timeout: d.run.Settings.CheckTimeout, ReadOnly: tools.ReadOnly, Env: tools.Environ, CommonDir: d.project.CommonDir, Log: d.log, Procs: maxProcs, Memory: maxMemory(),
		Caches: tools.Caches, Lend: d.lender.Lend, Protect: verify.Protect{Paths: d.run.Settings.Protect, Commit: d.run.Base},
	})
}

// Recycling: the smaller of 60,000 tokens and half of the endpoint's window; source: requirement C2 of the project's orchestrator.
const mostContext = 60_000

// threshold is how many tokens a region's session may hold before it is replaced.
func (d *drive) threshold(region string) int64 {
	if n := d.run.Settings.Recycle; n > 0 {
		return n
	}
	d.mu.Lock()
	c := d.crews[region]
	d.mu.Unlock()
	if c == nil {
		return mostContext
	}
	if w := c.upstream().Window; w > 0 {
		return min(mostContext, w/2)
	}
	return mostContext
}

// observe passes an event on and keeps what each region does.
func (d *drive) observe(e schedule.Event) {
	if d.Observe != nil {
		d.Observe(e)
	}
	d.log.Info(string(e.Kind), "region", e.Region, "task", e.Task, "attempt", e.Attempt, "text", note(e.Text))
	d.mu.Lock()
	c := d.crews[e.Region]
	d.mu.Unlock()
	if c != nil {
		c.mu.Lock()
		c.live.Last, c.live.LastAt = note(string(e.Kind)+" "+e.Text), e.At
		c.mu.Unlock()
	}
}

// settle gives the work its final name and clears up what is not needed any more.
func (d *drive) settle(sum *Summary) error { return settle(d.trees, sum) }

func settle(t *trees.Trees, sum *Summary) error {
	ctx := context.Background() // the one who stops a run waits for this
	if sum.Done > 0 {
		sum.Branch = "devflock/" + string(sum.Run) + "/integration"
	}
	if sum.State == orchestrator.RunDone {
		name, err := t.Finish(ctx)
		if err != nil {
			return err
		}
		sum.Branch = name
	}
	if sum.State.Over() {
		return t.Remove(ctx)
	}
	return nil
}

// ended is the summary of a run that is over. When its driver was killed before it had cleared up, that is done now.
func ended(ctx context.Context, deps Deps, run orchestrator.Run) (Summary, error) {
	tasks, err := deps.Ledger.Tasks(run.ID)
	if err != nil {
		return Summary{}, err
	}
	u, cost, err := deps.Ledger.Spent(run.ID)
	if err != nil {
		return Summary{}, err
	}
	sum := Summary{Run: run.ID, Summary: schedule.Summary{State: run.State, Reason: run.Reason, Integration: run.Integration, Usage: u, CostUSD: cost}}
	for _, t := range tasks {
		switch t.State {
		case orchestrator.TaskDone:
			sum.Done++
			sum.Branch = "devflock/" + string(run.ID) + "/integration"
		case orchestrator.TaskFailed:
			sum.Failed = append(sum.Failed, t.ID)
		case orchestrator.TaskBlocked:
			sum.Blocked = append(sum.Blocked, t.ID)
		}
	}
	if run.State == orchestrator.RunDone {
		sum.Branch = trees.Final
	}
	p := place.Of(deps.Root, string(run.ID))
	if left, err := os.ReadDir(p.Trees()); err != nil || len(left) == 0 {
		return sum, nil
	}
	project, err := trees.Examine(ctx, run.Project)
	if err != nil {
		return sum, err
	}
	t, err := trees.Open(ctx, trees.Options{Run: string(run.ID), Base: run.Base, Project: project, Dir: p.Trees(), Log: deps.Log})
	if err != nil {
		return sum, err
	}
	if tip, err := t.Tip(ctx); err != nil || tip != run.Integration { // the final name has it already
		return sum, errors.Join(err, t.Remove(ctx))
	}
	return sum, settle(t, &sum)
}
