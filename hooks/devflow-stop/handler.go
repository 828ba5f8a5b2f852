package main

import (
	"context"
	"os"
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// registered is the timeout in settings.json; the own deadline is 80 % of it.
const registered = 600 * time.Second

// busy is how long this hook waits for the database: nobody waits for it but the end of the turn.
const busy = 5 * time.Second

func hook() hooks.Hook {
	return hooks.Hook{Name: "devflow-stop", Deadline: registered * 8 / 10, Late: event.Late, Handle: handle}
}

func handle(c *hooks.Call) (claude.Output, error) {
	if c.Session == "" {
		return claude.Output{}, nil
	}
	c.Busy(busy)
	s := event.New(c)
	s.Fact.AgentTranscript = c.In.AgentTranscriptPath
	drain(s)
	counted := tokens(s)
	if c.In.Event != claude.EventStop {
		_ = s.Commit(nil) // StopFailure and SubagentStop are facts; logged and spooled by Commit
		return claude.Output{}, nil
	}
	s.ImportMarker()
	reason, err := gate(s)
	if err != nil {
		return claude.Output{}, nil // logged and in the spool: the end of a turn fails open
	}
	if err := c.Update(func(tx *store.Tx) error { return s.Rollup(tx, counted) }); err != nil {
		c.Log("telemetry", err)
	}
	if reason != "" {
		return claude.Block(reason), nil
	}
	out := boundary(s)
	if out.Outcome() != string(hooks.Block) { // else the turn goes on
		advance(s)
	}
	return out, nil
}

// drain records what waited in the spool, exactly once. It is the first lane, so that the others see those facts.
func drain(s *event.Scene) {
	s.Module("drain", func() (hooks.Outcome, error) {
		db, err := s.DB()
		if err != nil {
			return hooks.OK, err
		}
		_, err = s.Spool().Drain(db, telemetry.Replay)
		return hooks.OK, err
	})
}

// tokens counts the new lines of the transcript. The last message reaches the transcript a little after the event, so it
// is waited for.
func tokens(s *event.Scene) (res usage.Result) {
	s.Module("tokens", func() (hooks.Outcome, error) {
		if _, err := os.Stat(s.In.TranscriptPath); err == nil && s.In.LastAssistantMessage != "" { // a session may keep none
			ctx, cancel := context.WithTimeout(context.Background(), lag)
			claude.WaitTail(ctx, s.In.TranscriptPath, s.In.LastAssistantMessage)
			cancel()
		}
		var err error
		res, err = s.CatchUp()
		return hooks.OK, err
	})
	return res
}

// lag is how long the last message of a turn is waited for; 3 to 110 ms were measured (docs/claude-hooks.md).
const lag = 250 * time.Millisecond

// rate scores a changed task once more, by what it did: PreToolUse scores what a call is about to do, so that the last edit
// counts as read, and the test that it wrote not at all.
func rate(s *event.Scene, tx *store.Tx, t *telemetry.Task) error {
	if !t.Edited || t.Ended() || !s.Cfg.Enabled(config.ModuleProfiler) {
		return nil
	}
	score, err := s.Rate(tx, t, event.Intent{})
	if err != nil {
		return err // the level of the last call stands
	}
	if next := event.Scored(score); next != event.ScoreOf(t) {
		s.Fact.Score = &next
	}
	return nil
}

// gate records the event and asks the spec guard, in one transaction. The reason is empty when the turn may end.
func gate(s *event.Scene) (reason string, err error) {
	err = s.Commit(func(tx *store.Tx, t *telemetry.Task) error {
		reason = ""
		if err := telemetry.ExpireSignals(tx, s.Session, s.Now.UnixMilli()); err != nil {
			return err
		}
		if t == nil {
			return nil
		}
		s.Module("risk", func() (hooks.Outcome, error) { return hooks.OK, rate(s, tx, t) })
		s.Module("gate", func() (hooks.Outcome, error) {
			var err error
			if reason, err = specGuard(s, tx, t); reason == "" {
				return hooks.OK, err
			}
			s.Stale = true
			return hooks.Block, err
		})
		return nil
	})
	return reason, err
}

// specGuard asks the spec guard, unless the end of this very turn completes or pauses the spec: the tests are green since
// the last edit, or the marker claims it.
func specGuard(s *event.Scene, tx *store.Tx, t *telemetry.Task) (reason string, err error) {
	if t.SpecStatus != telemetry.SpecImplementing {
		return "", nil
	}
	next, err := s.Foresee(tx)
	if err != nil || next == nil || next.SpecStatus != telemetry.SpecImplementing {
		return "", err
	}
	return telemetry.SpecGuard(tx, s.Session, t.Seq, telemetry.Stopping{
		Prompt: s.In.PromptID, Background: len(s.In.BackgroundTasks) > 0, LastMessage: s.In.LastAssistantMessage,
	})
}
