package runner

import (
	"fmt"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// Defaults of a run's limits. Attempts is that of the published DevFlock; the times are longer than its 180 s, because a task there
// was cut off in the middle of a test suite.
const (
	DefaultAttempts     = 3
	DefaultTaskTimeout  = 20 * time.Minute
	DefaultStall        = 12 * time.Minute // a command of the client may say nothing for ten
	DefaultCheckTimeout = 5 * time.Minute
	DefaultMaxTurns     = 60
)

// Defaults fills the limits that are not set. A negative Stall means never.
func Defaults(s orchestrator.Settings) orchestrator.Settings {
	if s.Attempts <= 0 {
		s.Attempts = DefaultAttempts
	}
	if s.TaskTimeout <= 0 {
		s.TaskTimeout = DefaultTaskTimeout
	}
	switch {
	case s.Stall == 0:
		s.Stall = DefaultStall
	case s.Stall < 0:
		s.Stall = 0
	}
	if s.CheckTimeout <= 0 {
		s.CheckTimeout = DefaultCheckTimeout
	}
	if s.MaxTurns <= 0 {
		s.MaxTurns = DefaultMaxTurns
	}
	return s
}

// Spec is a run that a person, or a session, has decided on.
type Spec struct {
	ID        orchestrator.RunID // of a queued run that gets its plan now; "" makes a new one
	Project   trees.Project
	Base      string // commit; "" = the project's HEAD
	Mode      orchestrator.Mode
	Request   string
	Session   string
	Plan      orchestrator.Plan
	Regions   []orchestrator.Region
	Endpoints []gateway.Endpoint
	Assign    map[string]string // region → name of its endpoint; a region that is missing gets the first
	Settings  orchestrator.Settings
}

// Prepare makes the rows and the folder of a run. Nothing of the project is touched, and nothing is started.
func Prepare(d Deps, s Spec) (orchestrator.Run, error) {
	if err := s.check(); err != nil {
		return orchestrator.Run{}, fmt.Errorf("prepare run: %w", err)
	}
	if s.ID == "" {
		s.ID = orchestrator.NewRunID(d.Now())
	}
	run := orchestrator.Run{
		ID: s.ID, Project: s.Project.Dir, Base: s.Base, Mode: s.Mode, Request: s.Request, Session: s.Session, Plan: s.Plan, Settings: Defaults(s.Settings),
	}
	if run.Base == "" {
		run.Base = s.Project.Head
	}
	p := place.Of(d.Root, string(s.ID))
	if err := p.Make(); err != nil {
		return orchestrator.Run{}, err
	}
	book, err := gateway.OpenBook(p.Endpoints())
	if err != nil {
		return orchestrator.Run{}, fmt.Errorf("prepare run: %w", err)
	}
	for _, e := range s.Endpoints {
		if err := book.Set(e); err != nil {
			return orchestrator.Run{}, fmt.Errorf("prepare run: %w", err)
		}
	}
	if err := d.Ledger.Create(run, s.regions(), s.tasks()); err != nil {
		return orchestrator.Run{}, err
	}
	return d.Ledger.Run(s.ID)
}

func (s Spec) check() error {
	if len(s.Endpoints) == 0 {
		return fmt.Errorf("%w: none was given", ErrNoEndpoint)
	}
	if len(s.Regions) == 0 || len(s.Plan.Tasks) == 0 {
		return ErrUnplanned
	}
	for region, name := range s.Assign {
		if !slices.ContainsFunc(s.Endpoints, func(e gateway.Endpoint) bool { return e.Name == name }) {
			return fmt.Errorf("region %s: %w: %s", region, ErrNoEndpoint, name)
		}
	}
	owner := map[string]string{}
	for _, r := range s.Regions {
		if len(r.Modules) == 0 {
			return fmt.Errorf("region %s has no module", r.Name)
		}
		for _, m := range r.Modules {
			if other, taken := owner[m.Name]; taken {
				return fmt.Errorf("module %s is in the regions %s and %s", m.Name, other, r.Name)
			}
			owner[m.Name] = r.Name
		}
	}
	for _, t := range s.Plan.Tasks {
		if owner[t.Module] == "" {
			return fmt.Errorf("task %s: module %s is in no region", t.ID, t.Module)
		}
	}
	if s.Settings.MoneyCap > 0 {
		for _, e := range s.Endpoints {
			if e.Prices == nil {
				return fmt.Errorf("a cap in money needs prices, and endpoint %s has none", e.Name)
			}
		}
	}
	return nil
}

func (s Spec) regions() []orchestrator.RegionState {
	list := make([]orchestrator.RegionState, len(s.Regions))
	for i, r := range s.Regions {
		endpoint := s.Assign[r.Name]
		if endpoint == "" {
			endpoint = s.Endpoints[0].Name
		}
		list[i] = orchestrator.RegionState{Name: r.Name, Endpoint: endpoint}
		for _, m := range r.Modules {
			list[i].Modules = append(list[i].Modules, m.Name)
		}
	}
	return list
}

func (s Spec) tasks() []orchestrator.TaskRow {
	list := make([]orchestrator.TaskRow, len(s.Plan.Tasks))
	for i, t := range s.Plan.Tasks {
		list[i] = orchestrator.TaskRow{Task: t}
		for _, r := range s.Regions {
			if slices.ContainsFunc(r.Modules, func(m orchestrator.Module) bool { return m.Name == t.Module }) {
				list[i].Region = r.Name
			}
		}
	}
	return list
}

// regionsOf gives the regions of a run as its rows have them.
func regionsOf(run orchestrator.Run, rows []orchestrator.RegionState) ([]orchestrator.Region, error) {
	list := make([]orchestrator.Region, len(rows))
	for i, row := range rows {
		list[i].Name = row.Name
		for _, name := range row.Modules {
			m, ok := run.Plan.Module(name)
			if !ok {
				return nil, fmt.Errorf("region %s: module %s: %w", row.Name, name, orchestrator.ErrUnknown)
			}
			list[i].Modules = append(list[i].Modules, m)
		}
	}
	return list, nil
}
