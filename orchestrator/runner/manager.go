package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/plan"
	"github.com/devflow-suite/devflow/orchestrator/planner"
	"github.com/devflow-suite/devflow/orchestrator/trees"
	"github.com/devflow-suite/devflow/orchestrator/worker"
)

// ManagerSpec says who plans.
type ManagerSpec struct {
	Project  trees.Project // read, never written
	Mode     orchestrator.Mode
	Tools    []string // of the session, see planner.Tools; none = it cannot look at the project
	Endpoint gateway.Endpoint
	Settings orchestrator.Settings // Client, Confine, Stall and Expose are used
}

// Manager is a confined session that reads the project and makes a plan. It belongs to one goroutine.
type Manager struct {
	d    *drive
	spec ManagerSpec
	dir  string // everything of this session, removed at the end
	work string // where it starts
	gate *gateway.Gateway
	w    *worker.Worker
	tok  string
}

// NewManager starts the gateway of a manager; the session begins with the first turn. The caller closes it.
func NewManager(ctx context.Context, deps Deps, s ManagerSpec) (*Manager, error) {
	id := "plan-" + strings.ToLower(rand.Text()[:10])
	p := place.Of(deps.Root, id)
	if err := p.Make(); err != nil {
		return nil, err
	}
	m := &Manager{spec: s, dir: p.Dir, work: s.Project.Dir, tok: rand.Text() + rand.Text(), d: &drive{Deps: deps, place: p, log: deps.Log, run: orchestrator.Run{Settings: Defaults(s.Settings)}}}
	err := m.open(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start manager: %w", err), m.Close())
	}
	return m, nil
}

func (m *Manager) open(ctx context.Context) (err error) {
	if m.d.box, err = sandbox.Find(ctx, sandbox.Kind(m.spec.Settings.Confine), m.d.Self); err != nil {
		return err
	}
	if m.spec.Mode == orchestrator.ModeIdea { // it sees nothing of the machine but an empty folder
		m.work = filepath.Join(m.dir, "idea")
		if err := os.Mkdir(m.work, 0o700); err != nil {
			return err
		}
	}
	if m.d.sockets, err = m.d.place.MakeSockets(m.d.Getenv); err != nil {
		return err
	}
	m.gate, err = gateway.Start(gateway.Options{
		Socket: filepath.Join(m.d.sockets, "manager"), Token: m.tok, Gates: &m.d.gates, Upstream: func() gateway.Endpoint { return m.spec.Endpoint }, OnUsage: m.d.spend,
	})
	return err
}

// Turn implements planner.Manager.
func (m *Manager) Turn(ctx context.Context, prompt string) (planner.Reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, planner.Timeout, fmt.Errorf("no plan within %s", planner.Timeout))
	defer cancel()
	if m.w == nil {
		e := m.spec.Endpoint
		o := worker.Options{
			Client: m.d.run.Settings.Client, Sandbox: m.d.box, Home: m.d.place.Home("manager"), Socket: filepath.Join(m.d.sockets, "manager"), Token: m.tok, Tree: m.work, Dir: m.work,
			Model: e.Model, Window: e.Window, Foreign: e.Foreign(), MaxTurns: planner.MaxTurns, Tools: append([]string{}, m.spec.Tools...), Schema: plan.Schema(), ReadOnly: m.d.tools().ReadOnly, Env: m.d.tools().Environ, Stall: m.d.run.Settings.Stall, Log: m.d.log,
			Hide:  []string{filepath.Join(m.spec.Project.Top, ".git")}, // its configuration may hold credentials
			Procs: maxProcs, Memory: maxMemory(),
		}
		w, err := worker.Start(ctx, o)
		if err != nil {
			return planner.Reply{}, err
		}
		m.w = w
	}
	res, err := m.w.Turn(ctx, prompt)
	if err != nil {
		return planner.Reply{}, errors.Join(err, m.Fresh(ctx))
	}
	return planner.Reply{Text: res.Text, Structured: res.Structured}, nil
}

// Fresh implements planner.Manager.
func (m *Manager) Fresh(context.Context) error {
	if m.w == nil {
		return nil
	}
	err := m.w.Close()
	m.w = nil
	return err
}

// Used is what the manager has used so far.
func (m *Manager) Used() (gateway.Usage, float64) {
	m.d.mu.Lock()
	defer m.d.mu.Unlock()
	return m.d.spent, m.d.cost
}

// Close ends the session and removes everything of it.
func (m *Manager) Close() error {
	err := m.Fresh(context.Background())
	if m.gate != nil {
		err = errors.Join(err, m.gate.Close())
	}
	if m.d.sockets != "" {
		err = errors.Join(err, os.RemoveAll(m.d.sockets))
	}
	return errors.Join(err, os.RemoveAll(m.dir))
}
