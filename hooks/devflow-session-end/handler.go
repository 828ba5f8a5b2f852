package main

import (
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// registered is the timeout in settings.json; the own deadline is 80 % of it.
const registered = 30 * time.Second

// keepObjects is how long the snapshots of a project stay after the last one was taken.
const keepObjects = 30 * 24 * time.Hour

func hook() hooks.Hook {
	return hooks.Hook{Name: "devflow-session-end", Deadline: registered * 8 / 10, Late: event.Late, Handle: handle}
}

func handle(c *hooks.Call) (claude.Output, error) {
	if c.Session == "" {
		return claude.Output{}, nil
	}
	s := event.New(c)
	var res usage.Result
	c.Module("tokens", func() (hooks.Outcome, error) {
		var err error
		res, err = s.CatchUp()
		return hooks.OK, err
	})
	err := s.Commit(func(tx *store.Tx, _ *telemetry.Task) error {
		if _, err := telemetry.PruneSignals(tx, c.Now.UnixMilli()); err != nil {
			return err
		}
		return s.Rollup(tx, res)
	})
	if err != nil {
		return claude.Output{}, nil // logged and spooled
	}
	c.Module("prune", func() (hooks.Outcome, error) {
		_, err := gitx.Prune(c.Paths.Objects, c.Now.Add(-keepObjects))
		return hooks.OK, err
	})
	return claude.Output{}, nil
}
