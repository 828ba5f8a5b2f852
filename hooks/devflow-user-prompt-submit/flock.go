package main

import (
	"fmt"
	"os"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// enqueue keeps the request of `/flock`; the stop hook has the run started. A run costs money, so only a person may ask for one.
func enqueue(s *event.Scene, tx *store.Tx) (claude.Output, error) {
	if !asksForRun(s) {
		return claude.Output{}, nil
	}
	if !s.Typed() {
		s.Note("flock", 0, hooks.Block)
		return claude.Block("[devflow:flock] This prompt was sent by a tool of the same session, not typed by a person. No run was asked for."), nil
	}
	if !s.HasRepo {
		return noRun(s, "this folder is in no git repository. See: devflock run --init"), nil
	}
	if _, err := os.Stat(s.Sibling("devflock")); err != nil {
		return noRun(s, "the program devflock is not installed. Build it and install again: make install"), nil
	}
	id, err := orchestrator.Enqueue(tx, s.Now, orchestrator.Request{Project: s.Root, Mode: orchestrator.ModeExisting, Text: s.Fact.Command.Text, Session: s.Session})
	if err != nil {
		return claude.Output{}, err
	}
	s.Note("flock", 0, hooks.Message)
	if _, err := os.Stat(place.Standing(s.Paths.Root)); err != nil {
		return claude.Message(fmt.Sprintf("[devflow:flock] Run %s is queued and waits: there is no endpoint for its workers. Add one with: devflock probe URL --save manager", id)), nil
	}
	return claude.Message(fmt.Sprintf("[devflow:flock] Run %s is queued. It is planned and started when this turn ends; see: devflock status %s", id, id)), nil
}

// asksForRun is whether the prompt is `/flock` with some words.
func asksForRun(s *event.Scene) bool {
	return s.In.Event == claude.EventUserPromptSubmit && s.Fact.Command.Verb == spec.VerbFlock && s.Fact.Command.Text != ""
}

// noRun tells the person why there is no run, and the model, which would say that there is one.
func noRun(s *event.Scene, why string) claude.Output {
	text := "[devflow:flock] No run was asked for: " + why
	return claude.Merge(s.In.Event, claude.Message(text), claude.Context(s.In.Event, text))
}

// runs tells of runs of the session that have ended, or that wait for a person, since the last prompt, once each.
func runs(s *event.Scene, tx *store.Tx) (claude.Output, error) {
	list, err := orchestrator.OfSession(tx, s.Session)
	if err != nil {
		return claude.Output{}, err
	}
	var out []claude.Output
	for _, r := range list {
		key, now := "flock:"+string(r.ID), ""
		if asked := r.State == orchestrator.RunQueued && r.Mode == orchestrator.ModeFixed; asked || r.State.Over() || r.State == orchestrator.RunStopped {
			now = string(r.State) + " " + r.Reason
		}
		told, err := telemetry.Get(tx, key)
		if err != nil {
			return claude.Output{}, err
		}
		if told == now {
			continue
		}
		if err := telemetry.Put(tx, key, now); err != nil { // also that it goes on: it may stop once more
			return claude.Output{}, err
		}
		if now != "" {
			out = append(out, claude.Message(say(r)))
		}
	}
	return claude.Merge(s.In.Event, out...), nil
}

func say(r orchestrator.Run) string {
	switch r.State {
	case orchestrator.RunQueued:
		return fmt.Sprintf("[devflow:flock] The finished specification holds a plan for devflock (%s): run %s is queued. Start it with: devflock run --queued %s", redact.Clip(r.Request, maxDescription), r.ID, r.ID)
	case orchestrator.RunDone:
		return fmt.Sprintf("[devflow:flock] Run %s is done and on the branch devflock/integration. Look at it with: git diff HEAD...devflock/integration", r.ID)
	case orchestrator.RunStopped:
		return fmt.Sprintf("[devflow:flock] Run %s has stopped: %s. Go on with: devflock resume %s", r.ID, r.Reason, r.ID)
	}
	return fmt.Sprintf("[devflow:flock] Run %s has failed: %s. See: devflock status %s", r.ID, r.Reason, r.ID)
}
