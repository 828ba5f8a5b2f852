package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/control"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
	"github.com/devflow-suite/devflow/orchestrator/worker"
	"github.com/devflow-suite/devflow/orchestrator/worker/prompt"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

// crew is the worker of one region with its gateway. The gateway lives as long as the run is driven, the client's process as long as an
// attempt, its session for many. Its schedule.Worker methods are called one at a time; the rest is locked.
type crew struct {
	d      *drive
	region orchestrator.Region
	tree   trees.Tree
	gate   *gateway.Gateway
	token  string
	socket string

	w       *worker.Worker
	lent    []sandbox.Bind // what w sees of the person's dependency folders
	session string         // that goes on; "" = none yet
	record  *os.File

	mu       sync.Mutex
	endpoint string // name
	usage    gateway.Usage
	cost     float64
	context  int64
	live     control.Worker
}

// newCrew starts the gateway of a region.
func (d *drive) newCrew(row orchestrator.RegionState, region orchestrator.Region, tree trees.Tree) (*crew, error) {
	c := &crew{
		d: d, region: region, tree: tree, token: rand.Text() + rand.Text(), socket: filepath.Join(d.sockets, "w-"+region.Name), session: row.Session,
		endpoint: row.Endpoint, context: row.Context, live: control.Worker{Region: region.Name, Endpoint: row.Endpoint, Doing: "idle", Context: row.Context},
	}
	if _, ok := d.book.Endpoint(row.Endpoint); !ok {
		return nil, fmt.Errorf("region %s: %w: %s", region.Name, ErrNoEndpoint, row.Endpoint)
	}
	var err error
	c.gate, err = d.gateway(region.Name, c.socket, c.token, c.upstream, c.expected(), c.used)
	if err != nil {
		return nil, fmt.Errorf("region %s: %w", region.Name, err)
	}
	return c, nil
}

// upstream is read before every try of a request, so that a swap takes effect in the middle of one.
func (c *crew) upstream() gateway.Endpoint {
	c.mu.Lock()
	name := c.endpoint
	c.mu.Unlock()
	e, _ := c.d.book.Endpoint(name)
	return e
}

func (c *crew) expected() []string {
	if c.offers() {
		return regions.Tools()
	}
	return nil
}

// offers is whether the worker may ask other regions: there must be some.
func (c *crew) offers() bool { return c.d.run.Settings.CrossRegion && len(c.d.regions) > 1 }

// used counts what a reply has used.
func (c *crew) used(r gateway.Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.usage = c.usage.Add(r.Usage)
	c.cost += r.CostUSD
	c.live.Tokens += r.Usage.Input + r.Usage.Output + r.Usage.CacheRead + r.Usage.CacheWrite
	c.live.LastAt = c.d.Now()
	c.d.spend(r)
}

func (c *crew) doing(what string, task string, attempt int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live.Doing, c.live.Task, c.live.Attempt, c.live.LastAt = what, task, attempt, c.d.Now()
}

// Do makes one attempt; see schedule.Worker.
func (c *crew) Do(ctx context.Context, j schedule.Job) (schedule.Report, error) {
	c.doing("starting", j.Task.ID, j.Attempt.Number)
	defer c.doing("idle", "", 0)
	before, spent := c.total()
	fresh, err := c.ready(ctx)
	if err != nil {
		return schedule.Report{}, infra(err)
	}
	if err := j.Began(c.w.PID(), c.w.Started(), c.w.Session()); err != nil {
		return schedule.Report{Session: c.w.Session()}, err
	}
	text, err := c.ask(j, fresh)
	if err != nil {
		return schedule.Report{Session: c.w.Session()}, infra(err)
	}
	c.doing("working", j.Task.ID, j.Attempt.Number)
	stop := c.report(j, before, spent)
	res, err := c.w.Turn(ctx, text)
	stop()
	c.d.lender.Tidy(context.WithoutCancel(ctx), c.tree.Dir)
	rep := schedule.Report{Session: c.w.Session(), Context: res.Context, Text: res.Text, MaxTurns: res.MaxTurns}
	rep.Usage, rep.CostUSD = c.since(before, spent)
	c.mu.Lock()
	if res.Context > 0 {
		c.context, c.live.Context = res.Context, res.Context
	}
	c.mu.Unlock()
	if err != nil {
		return rep, c.failed(ctx, err)
	}
	// What the worker has started must not run on while others look at its tree, check and commit it: a program in the background could
	// put a link in the place of a folder just when git reads or writes there, with our rights. The session goes on in another process.
	if err := c.Close(); err != nil {
		return rep, infra(fmt.Errorf("end worker: %w", err))
	}
	c.remember(j, res)
	return rep, nil
}

// ready has a process that waits for a prompt. fresh says that its session knows nothing yet.
func (c *crew) ready(ctx context.Context) (fresh bool, err error) {
	home := c.d.place.Home(c.region.Name)
	loan, err := c.d.lender.Show(ctx, c.tree.Dir, home+".lent") // no region's name holds a dot
	if err != nil {
		return false, err
	}
	if c.w != nil && (loan.Made || !slices.Equal(loan.ReadOnly, c.lent)) { // it was started before something was lent: its session goes on
		if err := c.Close(); err != nil {
			c.d.log.Warn("close worker", "region", c.region.Name, "error", err)
		}
	}
	if c.w != nil {
		return false, nil
	}
	resume := c.session != "" && worker.HasSession(home, c.primary(), c.session)
	if c.record == nil {
		path := c.d.place.Record(c.region.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return false, fmt.Errorf("make folder of records: %w", err)
		}
		if c.record, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			return false, fmt.Errorf("open record: %w", err)
		}
	}
	e := c.upstream()
	environ, read := c.d.tools().Worker()
	o := worker.Options{
		Client: c.d.run.Settings.Client, Sandbox: c.d.box, Home: home, Socket: c.socket, Token: c.token, Tree: c.tree.Root, Dir: c.primary(), Writable: c.folders(),
		CommonDir: c.tree.CommonDir, Model: e.Model, Window: e.Window, Foreign: e.Foreign(), MaxTurns: c.d.run.Settings.MaxTurns, Region: c.region.Name,
		System: prompt.System(c.about(ctx)), ReadOnly: append(read, loan.ReadOnly...), ReadWrite: loan.ReadWrite, Env: environ, Procs: maxProcs, Memory: maxMemory(), Stall: c.d.run.Settings.Stall, Resume: resume, Record: c.record, Log: c.d.log,
	}
	if resume {
		o.Session = c.session
	}
	if c.offers() {
		o.Regions = c.d.desk()
	}
	w, err := worker.Start(ctx, o)
	if err != nil {
		return false, err
	}
	c.w, c.lent = w, loan.ReadOnly
	if c.session = w.Session(); !w.Resumed() {
		c.mu.Lock()
		c.context, c.live.Context = 0, 0
		c.mu.Unlock()
	}
	if err := c.d.Ledger.SetSession(c.d.run.ID, c.region.Name, c.session, c.context); err != nil {
		return false, err
	}
	return !w.Resumed(), nil
}

// failed says whether an error of a turn counts against the task. Only the end of the attempt's own time does: what the endpoint,
// the client or the machine did is not the work's fault.
func (c *crew) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return infra(err)
}

func infra(err error) error {
	var api *worker.APIError
	if errors.As(err, &api) && api.Status == 429 {
		return &schedule.InfraError{Err: err, After: 5 * time.Second}
	}
	return &schedule.InfraError{Err: err}
}

// Close ends the process; the session can go on in another one.
func (c *crew) Close() error {
	if c.w == nil {
		return nil
	}
	err := c.w.Close()
	c.w = nil
	return err
}

// end closes everything of the region.
func (c *crew) end() error {
	err := errors.Join(c.Close(), c.gate.Close())
	if c.record != nil {
		err = errors.Join(err, c.record.Close())
		c.record = nil
	}
	return err
}

func (c *crew) total() (gateway.Usage, float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage, c.cost
}

// since is what was used after a moment.
func (c *crew) since(u gateway.Usage, cost float64) (orchestrator.Usage, float64) {
	now, total := c.total()
	return orchestrator.Usage{
		Input: now.Input - u.Input, Output: now.Output - u.Output, CacheRead: now.CacheRead - u.CacheRead, CacheWrite: now.CacheWrite - u.CacheWrite,
		Requests: now.Requests - u.Requests,
	}, total - cost
}

// report tells the scheduler what an attempt has used so far, until stop is called.
func (c *crew) report(j schedule.Job, u gateway.Usage, cost float64) (stop func()) {
	if j.Used == nil {
		return func() {}
	}
	tick, done, ended := time.NewTicker(time.Second), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				j.Used(c.since(u, cost))
			case <-done:
				return
			}
		}
	}()
	return func() { tick.Stop(); close(done); <-ended }
}

// note is one line of what the worker said, without secrets.
func note(text string) string { return redact.Clip(text, 200) }
