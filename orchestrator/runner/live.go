package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/control"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/place"
)

// Live implements control.Driver.
func (d *drive) Live() control.Live {
	d.mu.Lock()
	live := control.Live{
		PID: os.Getpid(), Confine: string(d.box.Kind()), Lacks: d.box.Lacks(), CostUSD: d.paid + d.cost,
		Tokens: d.earlier + d.spent.Input + d.spent.Output + d.spent.CacheRead + d.spent.CacheWrite,
	}
	crews := make([]*crew, 0, len(d.crews))
	for _, c := range d.crews {
		crews = append(crews, c)
	}
	d.mu.Unlock()
	health := map[string]*control.Health{}
	for _, c := range crews {
		c.mu.Lock()
		live.Workers = append(live.Workers, c.live)
		c.mu.Unlock()
		s, e := c.gate.Stats(), c.upstream()
		h := health[e.Name]
		if h == nil {
			h = &control.Health{Endpoint: e.Name, URL: e.URL}
			health[e.Name] = h
		}
		h.Dead = h.Dead || s.Dead
		h.Requests += s.Requests
		h.Retries += s.Retries
		h.Failures += s.Failures + s.Cut
		if s.LastFailed.After(s.LastOK) {
			h.Error = s.LastError
		}
	}
	for _, h := range health {
		live.Endpoints = append(live.Endpoints, *h)
	}
	slices.SortFunc(live.Workers, func(a, b control.Worker) int { return strings.Compare(a.Region, b.Region) })
	slices.SortFunc(live.Endpoints, func(a, b control.Health) int { return strings.Compare(a.Endpoint, b.Endpoint) })
	return live
}

// Swap implements control.Driver: requests that wait go on with the new endpoint, the workers keep their sessions.
func (d *drive) Swap(e gateway.Endpoint) error { return swap(d.book, e) }

func swap(book *gateway.Book, e gateway.Endpoint) error {
	old, ok := book.Endpoint(e.Name)
	if !ok {
		return fmt.Errorf("swap endpoint %s: %w; the run has: %s", e.Name, ErrNoEndpoint, strings.Join(book.Names(), ", "))
	}
	if e.URL == "" {
		e.URL = old.URL
	}
	if e.URL == old.URL { // the same server: what is not said stays
		e.API, e.Auth = first(e.API, old.API), first(e.Auth, old.Auth)
		if e.Key == "" {
			e.Key = old.Key
		}
	}
	e.Model = first(e.Model, old.Model)
	if e.Window == 0 {
		e.Window = old.Window
	}
	if e.Parallel == 0 {
		e.Parallel = old.Parallel
	}
	if e.Prices == nil {
		e.Prices = old.Prices
	}
	return book.Set(e)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Stop implements control.Driver.
func (d *drive) Stop(reason string) {
	if reason == "" {
		reason = "stopped by a person"
	}
	d.stop(fmt.Errorf("%w: %s", errStopped, reason))
}

// View is a run as anybody can see it: its rows, and what its driver knows when there is one.
type View struct {
	Run      orchestrator.Run           `json:"run"`
	Regions  []orchestrator.RegionState `json:"regions"`
	Tasks    []orchestrator.TaskRow     `json:"tasks"`
	Attempts []orchestrator.Attempt     `json:"attempts"`
	Usage    orchestrator.Usage         `json:"usage"`
	CostUSD  float64                    `json:"cost_usd"`
	Driven   bool                       `json:"driven"` // a process drives it now
	Live     *control.Live              `json:"live,omitempty"`
	Size     int64                      `json:"size"` // bytes of its folder
}

// Status reads a run.
func Status(ctx context.Context, deps Deps, id orchestrator.RunID) (v View, err error) {
	if v.Run, err = deps.Ledger.Run(id); err != nil {
		return v, err
	}
	if v.Regions, err = deps.Ledger.Regions(id); err != nil {
		return v, err
	}
	if v.Tasks, err = deps.Ledger.Tasks(id); err != nil {
		return v, err
	}
	if v.Attempts, err = deps.Ledger.Attempts(id); err != nil {
		return v, err
	}
	if v.Usage, v.CostUSD, err = deps.Ledger.Spent(id); err != nil {
		return v, err
	}
	p := place.Of(deps.Root, string(id))
	v.Size = p.Size()
	live, err := control.Client{Socket: p.ControlSocket(deps.Getenv)}.Live(ctx)
	switch {
	case errors.Is(err, control.ErrNobody):
		return v, nil
	case err != nil:
		return v, err
	}
	v.Driven, v.Live = true, &live
	return v, nil
}

// Swap replaces an endpoint of a run, whether somebody drives it or not: fields of e that are empty keep their values, but a key is
// never sent to another URL than it was given for.
func Swap(ctx context.Context, deps Deps, id orchestrator.RunID, e gateway.Endpoint) error {
	if _, err := deps.Ledger.Run(id); err != nil {
		return err
	}
	p := place.Of(deps.Root, string(id))
	err := control.Client{Socket: p.ControlSocket(deps.Getenv)}.Swap(ctx, e)
	if !errors.Is(err, control.ErrNobody) {
		return err
	}
	book, err := gateway.OpenBook(p.Endpoints())
	if err != nil {
		return err
	}
	return swap(book, e)
}

// Stop asks the one who drives a run to end it so that it can be resumed; control.ErrNobody when nobody does.
func Stop(ctx context.Context, deps Deps, id orchestrator.RunID, reason string) error {
	if _, err := deps.Ledger.Run(id); err != nil {
		return err
	}
	return control.Client{Socket: place.Of(deps.Root, string(id)).ControlSocket(deps.Getenv)}.Stop(ctx, reason)
}
