package main

import (
	"errors"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/instinct"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// registered is the timeout in settings.json; the own deadline is 80 % of it.
const registered = 30 * time.Second

func hook() hooks.Hook {
	return hooks.Hook{Name: "devflow-session-start", Deadline: registered * 8 / 10, Late: event.Late, Handle: handle}
}

func handle(c *hooks.Call) (claude.Output, error) {
	if c.Session == "" {
		return claude.Output{}, nil
	}
	s := event.New(c)
	found := others(s)
	var said []claude.Output
	err := s.Commit(func(tx *store.Tx, _ *telemetry.Task) error {
		said = said[:0]
		if err := s.KeepModel(tx); err != nil {
			return err
		}
		if c.In.Source == "compact" {
			out, err := rescue(s, tx)
			said = append(said, out)
			return err
		}
		if s.Cfg.Learned {
			s.Module("learned", func() (hooks.Outcome, error) {
				text, err := instinct.Injection(tx, s.Root)
				if err != nil || text == "" {
					return hooks.OK, err
				}
				said = append(said, claude.Context(s.In.Event, text))
				return hooks.Context, nil
			})
		}
		s.Module("silence", func() (hooks.Outcome, error) {
			out, err := silence(s, tx, found)
			said = append(said, out)
			return outcome(out, hooks.Message), err
		})
		return nil
	})
	if err != nil && !errors.Is(err, event.ErrNoSession) {
		said = []claude.Output{unstored(s, err)}
	}
	if c.In.Source != "compact" {
		said = append(said, problems(s.Problems))
	}
	return claude.Merge(c.In.Event, said...), nil
}

// rescue brings back what the compaction took.
func rescue(s *event.Scene, tx *store.Tx) (claude.Output, error) {
	if !s.Cfg.Enabled(config.ModuleRescue) {
		return claude.Output{}, nil
	}
	text, err := journal.RenderRescue(tx, s.Session, s.In.Source)
	if err != nil || text == "" {
		return claude.Output{}, err
	}
	s.Note("rescue", 0, hooks.Context)
	return claude.Rescue(s.In.Event, text), nil
}

// problems says what the configuration files got wrong, once per session.
func problems(list []config.Problem) claude.Output {
	if len(list) == 0 {
		return claude.Output{}
	}
	var b strings.Builder
	b.WriteString("[devflow:config]")
	for i, p := range list {
		if i == 5 {
			b.WriteString("\n…")
			break
		}
		b.WriteString("\n" + p.String())
	}
	return claude.Message(b.String())
}

// unstored tells the person once per session that nothing can be remembered. A busy database is no reason: its facts wait
// in the spool and are recorded later.
func unstored(s *event.Scene, err error) claude.Output {
	if errors.Is(err, store.ErrBusy) {
		return claude.Output{}
	}
	return claude.Message("[devflow] The store cannot be used, so this session is not judged: " + err.Error() + ". Check it with: devflow doctor")
}

func outcome(out claude.Output, spoken hooks.Outcome) hooks.Outcome {
	if out.Empty() {
		return hooks.OK
	}
	return spoken
}
