package wizard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/access"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/ask"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
)

// endpoint asks for one endpoint and probes it. again is true when the person wants to give another. An empty line is fallback, which
// must be the URL of an endpoint that is there.
func (w *Wizard) endpoint(ctx context.Context, q ask.Question, name, fallback string) (e engine.Endpoint, again bool, err error) {
	line, err := w.Ask.Line(ctx, q, fallback, func(s string) error {
		_, err := access.Parse(s, w.Getenv)
		return err
	})
	if err != nil {
		return e, false, err
	}
	if line == fallback && fallback != "" {
		return w.order.Endpoints[0], false, nil
	}
	a, err := access.Parse(line, w.Getenv)
	if err != nil {
		return e, false, err
	}
	if known, ok := w.known(a); ok {
		return known, false, nil
	}
	if a.Key == "" {
		key, err := w.Ask.Hidden(ctx, ask.Question{Title: "Key for " + grid.Clean(a.URL), Help: "Not shown while you type; empty: the endpoint needs none"}, func(s string) error {
			_, err := access.Parse(a.URL+" "+s, w.Getenv)
			return err
		})
		if err != nil {
			return e, false, err
		}
		if a, err = access.Parse(strings.TrimSpace(a.URL+" "+key), w.Getenv); err != nil {
			return e, false, err
		}
	}
	for _, warning := range a.Warnings {
		if err := show.Notes(w.Out, []string{warning}, w.width()); err != nil {
			return e, false, err
		}
	}
	return w.probed(ctx, engine.Endpoint{Name: name, URL: a.URL, Key: a.Key})
}

// known gives the endpoint that was given before: the same address, and no key or the same.
func (w *Wizard) known(a access.Access) (engine.Endpoint, bool) {
	for _, e := range w.order.Endpoints {
		if e.URL == a.URL && (a.Key == "" || a.Key == e.Key) {
			return e, true
		}
	}
	return engine.Endpoint{}, false
}

// Answers to an endpoint that does not do well.
const (
	probeAgain, other, anyway = "probe", "other", "anyway"
)

// probed probes an endpoint, line by line, and asks what to do when something fails.
func (w *Wizard) probed(ctx context.Context, e engine.Endpoint) (engine.Endpoint, bool, error) {
	for {
		w.Say("\nProbing %s", grid.Clean(e.URL))
		done := w.Waiting("Waiting for " + grid.Clean(e.URL))
		found, err := w.Engine.Probe(ctx, engine.ProbeRequest{Endpoint: e, Progress: func(doing string) {
			done()
			done = w.Waiting("Probing: " + grid.Clean(doing))
		}}, func(c engine.Check) {
			done()
			_ = show.Check(w.Out, c, w.width()) // a screen that cannot be written to fails at the next question
		})
		done()
		switch {
		case ctx.Err() != nil:
			return e, false, context.Cause(ctx)
		case err != nil:
			w.Say("The probe did not get to its end: %s", grid.Clean(err.Error()))
			found.Endpoint = e
		case found.OK:
			e, err = w.withModel(ctx, found.Endpoint)
			return e, false, err
		}
		answer, err := w.Ask.Choose(ctx, ask.Question{Title: "The endpoint does not do everything that workers need"}, other,
			ask.Option{Key: probeAgain, Text: "Probe it again"},
			ask.Option{Key: other, Text: "Give another endpoint or key"},
			ask.Option{Key: anyway, Text: "Use it anyway"},
			ask.Option{Key: leave, Text: "Leave"},
		)
		switch {
		case err != nil:
			return e, false, err
		case answer == other:
			return e, true, nil
		case answer == leave:
			return e, false, ErrLeft
		case answer == anyway:
			e, err = w.withModel(ctx, found.Endpoint)
			return e, false, err
		}
	}
}

// withModel asks for the name of the model when the endpoint did not tell.
func (w *Wizard) withModel(ctx context.Context, e engine.Endpoint) (engine.Endpoint, error) {
	if e.Model != "" {
		return e, nil
	}
	name, err := w.Ask.Line(ctx, ask.Question{Title: "Name of the model", Help: "The endpoint did not say which it has"}, "", func(s string) error {
		if s == "" || strings.ContainsAny(s, " \t") {
			return errors.New("one word")
		}
		return nil
	})
	e.Model = name
	return e, err
}

// Ways to give the workers their endpoints.
const (
	shared, single = "shared", "single"
)

// endpoints asks which endpoint each worker talks to.
func (w *Wizard) endpoints(ctx context.Context) error {
	manager := w.order.Endpoints[0]
	how := shared
	if len(w.order.Regions) > 0 {
		var err error
		if how, err = w.Ask.Choose(ctx, ask.Question{Title: "Endpoints of the workers"}, shared,
			ask.Option{Key: shared, Text: "All workers use the manager's"},
			ask.Option{Key: single, Text: "I give one for each worker"},
		); err != nil {
			return err
		}
	}
	for _, r := range w.order.Regions {
		e := manager
		for again := how == single; again; {
			var err error
			if e, again, err = w.endpoint(ctx, ask.Question{Title: "Endpoint of worker " + r.Name, Help: "URL, URL KEY or URL|KEY; empty: the manager's"}, w.free(r.Name), manager.URL); err != nil {
				return err
			}
		}
		if _, ok := w.known(access.Access{URL: e.URL, Key: e.Key}); !ok {
			w.order.Endpoints = append(w.order.Endpoints, e)
		}
		w.order.Assign[r.Name] = e.Name
		if how == single {
			w.said("Worker", r.Name+" at "+engine.Shown(e)+model(e))
		}
	}
	if how == shared {
		w.said("Endpoints", "all workers at "+engine.Shown(manager))
	}
	return show.Notes(w.Out, Crowded(w.order), w.width())
}

// free is a name that no endpoint has.
func (w *Wizard) free(name string) string {
	for n, candidate := 2, name; ; n++ {
		taken := false
		for _, e := range w.order.Endpoints {
			taken = taken || e.Name == candidate
		}
		if !taken {
			return candidate
		}
		candidate = fmt.Sprintf("%s-%d", name, n)
	}
}

// Crowded names the endpoints that have more workers than they answer at once.
func Crowded(o engine.Order) []string {
	var notes []string
	for _, e := range o.Endpoints {
		n := 0
		for _, r := range o.Regions {
			if o.Assign[r.Name] == e.Name {
				n++
			}
		}
		if e.Parallel > 0 && n > e.Parallel {
			notes = append(notes, fmt.Sprintf("%s answers %s at once, and %s share it: they will wait for each other", grid.Clean(e.URL), grid.Plural(e.Parallel, "request"), grid.Plural(n, "worker")))
		}
	}
	return notes
}
