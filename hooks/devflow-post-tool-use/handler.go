package main

import (
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// registered is the timeout in settings.json; the own deadline is 80 % of it.
const registered = 10 * time.Second

func hook() hooks.Hook {
	return hooks.Hook{Name: "devflow-post-tool-use", Deadline: registered * 8 / 10, Late: event.Late, Handle: handle}
}

func handle(c *hooks.Call) (claude.Output, error) {
	if c.Session == "" {
		return claude.Output{}, nil
	}
	s := event.New(c)
	if c.In.Event != claude.EventPostToolUse && c.In.Event != claude.EventPostToolUseFailure {
		if c.In.NewCwd != "" {
			s.Fact.Cwd = c.In.NewCwd // the event's own cwd is still the old one
		}
		_ = s.Commit(nil) // SubagentStart and CwdChanged are facts; logged and spooled by Commit
		return claude.Output{}, nil
	}
	w := look(s)
	var said []claude.Output
	err := s.Commit(func(tx *store.Tx, t *telemetry.Task) error {
		said = said[:0]
		if len(w.changed)+len(w.deleted) > 0 && s.Cfg.Enabled(config.ModuleTDD) {
			s.Module("tdd", func() (hooks.Outcome, error) {
				out, err := missingTests(s, tx, t, w)
				said = append(said, out)
				return spoken(out, hooks.Context), err
			})
		}
		s.Module("tokens", func() (hooks.Outcome, error) {
			out, outcome, err := tokens(s, tx, t)
			said = append(said, out)
			return outcome, err
		})
		return nil
	})
	if err != nil {
		return claude.Output{}, nil // logged and in the spool
	}
	return claude.Merge(c.In.Event, said...), nil
}

func spoken(out claude.Output, o hooks.Outcome) hooks.Outcome {
	if out.Empty() {
		return hooks.OK
	}
	return o
}
