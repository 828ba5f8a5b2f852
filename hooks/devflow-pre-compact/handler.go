package main

import (
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// registered is the timeout in settings.json; the own deadline is 80 % of it.
const registered = 30 * time.Second

func hook() hooks.Hook {
	return hooks.Hook{Name: "devflow-pre-compact", Deadline: registered * 8 / 10, Late: event.Late, Handle: handle}
}

// handle keeps the rescue at PreCompact. It may fire without a compaction, and once per step while there is none, so the
// snapshot replaces the one before.
func handle(c *hooks.Call) (claude.Output, error) {
	if c.Session == "" {
		return claude.Output{}, nil
	}
	s := event.New(c)
	_ = s.Commit(func(tx *store.Tx, t *telemetry.Task) error { // logged and spooled by Commit
		if c.In.Event != claude.EventPreCompact || !s.Cfg.Enabled(config.ModuleRescue) {
			return nil
		}
		s.Module("rescue", func() (hooks.Outcome, error) { return hooks.OK, rescue(s, tx, t) })
		return nil
	})
	return claude.Output{}, nil
}

func rescue(s *event.Scene, tx *store.Tx, t *telemetry.Task) error {
	o, err := s.Reading(tx)
	if err != nil {
		return err
	}
	o.Force = true
	res, err := usage.Ingest(tx, t, s.In.TranscriptPath, o)
	if err != nil {
		return err
	}
	s.Stale = true
	x := journal.RescueExtra{Plan: s.Plan(t), Branch: s.Branch(), Cwd: s.In.Cwd, Todos: usage.TodoLines(res.Todos)}
	if s.HasRepo {
		x.Head = s.Repo.Head()
	}
	return journal.BuildRescue(tx, s.Session, x, s.Now.UnixMilli())
}
