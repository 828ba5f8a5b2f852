package telemetry

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// advance moves a task by one fact. It changes t only; Record saves the difference.
func (f *Fact) advance(tx *store.Tx, t *Task) error {
	t.Rules = addRules(t.Rules, f.Modules)
	t.Drift = t.Drift || f.Drift
	if f.Score != nil {
		t.Oversight, t.P, t.I, t.D, t.R = f.Score.Level, f.Score.P, f.Score.I, f.Score.D, f.Score.R
	}
	if f.Base != nil {
		setBase(t, *f.Base)
	}
	if f.Marker != nil {
		if err := f.importMarker(tx, t); err != nil {
			return err
		}
	}
	switch {
	case f.isPrompt():
		return f.prompt(tx, t)
	case f.edited():
		return f.sourceEdit(tx, t)
	case f.Event == "Stop":
		t.Stops++
		return f.inferCompleted(tx, t)
	case f.Event == "PreCompact", f.Event == "PostCompact":
		return f.compaction(tx, t)
	}
	return nil
}

func (f *Fact) prompt(tx *store.Tx, t *Task) error {
	if f.Command.Verb == spec.VerbNotice {
		return nil // written by the client: neither a turn of a person nor a reason to end a task
	}
	if !f.again(t) {
		t.Prompts++
		t.LastPromptID = f.Prompt
		if t.FirstPromptID == "" {
			t.FirstPromptID = f.Prompt
		}
		if !t.Ended() && t.SpecStatus == SpecNone && (t.State == Passed || t.State == Warned) {
			t.EndedMS = f.MS
		}
	}
	switch f.Command.Verb {
	case spec.VerbStart:
		return f.startSpec(tx, t)
	case spec.VerbPause:
		return f.moveSpec(tx, t, spec.EventPause)
	case spec.VerbResume:
		return f.moveSpec(tx, t, spec.EventResume)
	case spec.VerbAbort:
		return f.moveSpec(tx, t, spec.EventAbort)
	}
	if t.Ended() {
		return Put(tx, requestKey(f.Session), f.Category+"\n"+f.Prompt+"\n"+f.Description)
	}
	if !t.Edited && f.Description != "" && (t.Description == "" || vague(t.Category) && !vague(f.Category)) {
		t.Description, t.Category = f.Description, f.Category
	}
	return nil
}

// vague tells whether a request that no edit has followed yet may give way to a clearer one.
func vague(category string) bool {
	return category == "" || category == "unknown" || category == "question"
}

// sourceEdit is a finished change of the project's files.
func (f *Fact) sourceEdit(tx *store.Tx, t *Task) error {
	if !t.Edited {
		t.FirstActionTokens = t.Work()
		if t.SpecMS == 0 && t.Seq > 1 {
			// What was read and thought after the last task ended was for this one, unless a spec drew the line.
			var before int64
			if _, err := tx.One("SELECT after_work FROM tasks WHERE session_id=? AND seq=?", []any{t.SessionID, t.Seq - 1}, &before); err != nil {
				return fmt.Errorf("record first edit of %s: %w", t.ID(), err)
			}
			t.FirstActionTokens += before
		}
		t.Edited = true
	}
	switch t.State {
	case Passed, Warned, Judging:
		t.State = Stale
	case Halted, Emergency:
		t.Drift = true
	}
	switch {
	case t.SpecStatus == SpecPending:
		return f.moveSpec(tx, t, spec.EventEdit)
	case t.SpecStatus == SpecCompleted && t.State == Idle:
		// Claimed too early: nobody has judged it yet and the work goes on.
		return setSpec(tx, t, SpecImplementing, f.MS)
	}
	return nil
}

// finish ends a task because another one begins.
func finish(tx *store.Tx, before, t *Task, ms int64) error {
	if t.SpecStatus.Active() {
		t.SpecStatus = SpecAborted
		if err := addPhase(tx, t, "aborted(superseded)", ms); err != nil {
			return err
		}
	}
	if !t.Ended() {
		t.EndedMS = ms
	}
	if *t != *before {
		t.UpdatedMS = ms
	}
	return writeRow(tx, t) // tool calls since its last turn are not in it yet
}

// succeed begins the task that follows an ended one: by /spec, or by a source edit, which answers the newest prompt.
func succeed(tx *store.Tx, old *Task, f *Fact) (*Task, error) {
	next := Task{SessionID: old.SessionID, StartedMS: f.MS, UpdatedMS: f.MS, Cwd: old.Cwd, ProjectRoot: old.ProjectRoot}
	if f.Cwd != "" {
		next.Cwd = f.Cwd
	}
	if f.Root != "" {
		next.ProjectRoot = f.Root
	}
	next.inherit(old)
	if f.isPrompt() {
		return Begin(tx, next) // the prompt itself is counted by prompt
	}
	raw, err := Get(tx, requestKey(f.Session))
	if err != nil {
		return nil, err
	}
	next.Prompts, next.LastPromptID = 1, old.LastPromptID
	if request := strings.SplitN(raw, "\n", 3); len(request) == 3 {
		next.Category, next.LastPromptID, next.Description = request[0], request[1], request[2]
	}
	next.FirstPromptID = next.LastPromptID
	if err := Drop(tx, requestKey(f.Session)); err != nil {
		return nil, err
	}
	return Begin(tx, next)
}

// inherit hands an emergency halt on: a new task is no way out of it.
func (t *Task) inherit(old *Task) {
	if old.State == Emergency {
		t.State, t.ResumeCode, t.Attempts, t.Armed = Emergency, old.ResumeCode, old.Attempts, old.Armed
	}
}

// compaction counts one compaction once, whichever of its two events arrives.
func (f *Fact) compaction(tx *store.Tx, t *Task) error {
	key := "compact:" + f.Session
	if f.Event == "PreCompact" {
		t.Compactions++
		t.CtxWarned &^= WarnedNear | WarnedFull
		return Put(tx, key, "1")
	}
	n, err := tx.Exec("DELETE FROM kv WHERE k=?", key)
	if err != nil {
		return fmt.Errorf("record compaction of %s: %w", t.ID(), err)
	}
	if n == 0 {
		t.Compactions++
		t.CtxWarned &^= WarnedNear | WarnedFull
	}
	return nil
}

// setBase stores what a task is measured against, once: the first base wins.
func setBase(t *Task, b Base) {
	if t.BaseTree != "" || b.Tree == "" {
		return
	}
	t.BaseTree, t.BaseCommit, t.Branch = b.Tree, b.Commit, b.Branch
	if b.Root != "" {
		t.ProjectRoot = b.Root
	}
}
