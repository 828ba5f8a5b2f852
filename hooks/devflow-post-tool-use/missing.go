package main

import (
	"encoding/json"
	"fmt"

	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/profiler"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// maxChecked bounds how many implementation files one edit of a test is matched with.
const maxChecked = 50

// missingTests raises the signals of implementation without a test, and resolves them when a test with an assertion comes. It
// never refuses an edit.
func missingTests(s *event.Scene, tx *store.Tx, t *telemetry.Task, w *work) (claude.Output, error) {
	var said []claude.Output
	for i := range w.changed {
		out, err := missingTest(s, tx, t, &w.changed[i])
		if err != nil {
			return claude.Output{}, err
		}
		said = append(said, out)
	}
	err := deletedWhileRed(s, tx, t, w)
	return claude.Merge(s.In.Event, said...), err
}

// deletedWhileRed raises a signal for each test that a command deleted although the last run of the tests had failed.
func deletedWhileRed(s *event.Scene, tx *store.Tx, t *telemetry.Task, w *work) error {
	if len(w.deleted) == 0 {
		return nil
	}
	last, err := lastRun(tx, t)
	if err != nil || last != tdd.RunRed {
		return err
	}
	for _, rel := range w.deleted {
		s.Fact.Raise = append(s.Fact.Raise, telemetry.Signal{
			Kind: telemetry.KindTest, Key: rel, Severity: "hard", Source: "post-tool-use",
			Payload: payload("file", rel, "summary", rel+" was deleted while the tests were red"),
		})
	}
	return nil
}

func missingTest(s *event.Scene, tx *store.Tx, t *telemetry.Task, w *change) (claude.Output, error) {
	if w.target.Kind == tdd.Test {
		s.Fact.Resolve = append(s.Fact.Resolve, telemetry.Key{Kind: telemetry.KindTest, Key: w.target.Rel, By: w.target.Rel}) // it is back
		return claude.Output{}, tested(s, tx, t, w)
	}
	if w.target.Kind != tdd.Impl || !tdd.InScope(w.target.Rel, s.Cfg.TDD.SourceDirs) {
		return claude.Output{}, nil
	}
	last, err := lastRun(tx, t)
	if err != nil {
		return claude.Output{}, err
	}
	decision := tdd.Judge(tdd.Edit{Rel: w.target.Rel, Delta: w.delta, Test: w.cover.Found, HasTest: w.cover.Has, LastRun: last})
	if w.cover.Has && !w.cover.Found.Stub {
		s.Fact.Resolve = append(s.Fact.Resolve, telemetry.Key{Kind: telemetry.KindTDD, Key: w.target.Rel, By: w.cover.Found.Path})
	}
	if decision.Outcome != tdd.Violation {
		return claude.Output{}, nil
	}
	s.Fact.Raise = append(s.Fact.Raise, telemetry.Signal{
		Kind: telemetry.KindTDD, Key: w.target.Rel, Severity: "hard", Source: "post-tool-use",
		Payload: payload("file", w.target.Rel, "suggest", tdd.Suggest(w.target.Rel), "why", decision.Why),
	})
	if told, err := told(tx, t, w.target.Rel); err != nil || told {
		return claude.Output{}, err
	}
	return claude.Context(s.In.Event, tdd.Message(w.target.Rel, w.cover.Found, w.cover.Has)), nil
}

// lastRun is what the newest test command of the task has shown.
func lastRun(tx *store.Tx, t *telemetry.Task) (tdd.LastRun, error) {
	if t == nil {
		return tdd.RunUnknown, nil
	}
	last, err := journal.LastTest(tx, t, false)
	switch {
	case err != nil || last == nil:
		return tdd.RunUnknown, err
	case last.OK:
		return tdd.RunGreen, nil
	}
	return tdd.RunRed, nil
}

// told reports whether the model heard of this file in this task already: the signal is open, or a verdict has answered it.
// Where a test came and went again it is told again.
func told(tx *store.Tx, t *telemetry.Task, rel string) (bool, error) {
	if t == nil || t.Ended() {
		return false, nil
	}
	found, err := tx.One("SELECT 1 FROM signals WHERE session_id=? AND seq=? AND kind=? AND key=? AND state IN('open','claimed','consumed')",
		[]any{t.SessionID, t.Seq, telemetry.KindTDD, rel}, new(int64))
	if err != nil {
		return false, fmt.Errorf("find signal of %s: %w", rel, err)
	}
	return found, nil
}

// tested matches an edited test with the implementation files of the task: an open signal whose file now has a test with
// an assertion is resolved, and the files that this very test covers count as tested in this task.
func tested(s *event.Scene, tx *store.Tx, t *telemetry.Task, w *change) error {
	if t == nil || !tdd.HasAssertion(w.lang, []byte(w.after)) {
		return nil
	}
	finder := s.Finder()
	open, err := telemetry.OpenSignals(tx, s.Session, t.Seq)
	if err != nil {
		return err
	}
	for i, sig := range open {
		if i == maxChecked {
			break
		}
		if sig.Kind != telemetry.KindTDD {
			continue
		}
		found, ok, err := finder.Find(sig.Key)
		if err != nil {
			return err
		}
		if ok && !found.Stub {
			s.Fact.Resolve = append(s.Fact.Resolve, telemetry.Key{Kind: telemetry.KindTDD, Key: sig.Key, By: found.Path})
		}
	}
	facts, err := journal.TaskFacts(tx, t)
	if err != nil {
		return err
	}
	for i, file := range facts.Files {
		if i == maxChecked {
			break
		}
		if file.Kind != profiler.KindImpl || file.TestState == profiler.TestChanged {
			continue
		}
		if found, ok, err := finder.Find(file.Path); err == nil && ok && !found.Stub && found.Path == w.target.Rel {
			s.Fact.Tested = append(s.Fact.Tested, file.Path)
		}
	}
	return nil
}

// payload is a flat JSON object of names and texts.
func payload(pairs ...string) string {
	fields := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return "{}" // unreachable: strings encode
	}
	return string(data)
}
