package telemetry

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/ledger"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// readLookback bounds how many tool calls back a file's reading is remembered; more would make an edit late in a long session dear.
const readLookback = 1000

// Record stores a fact and moves the session's newest task along: it begins a task where the event needs one, applies prompts, spec
// commands, edits, scores and the base tree, and raises and resolves signals. t is a copy of that task which is brought up to date as well,
// or nil. The returned task is the one the fact belongs to, nil while the session has none. A fact without a session is dropped.
func Record(tx *store.Tx, t *Task, f *Fact) (*Task, error) {
	if f.Session == "" {
		return nil, nil
	}
	now, err := Current(tx, f.Session)
	if err != nil {
		return nil, err
	}
	if now, err = record(tx, now, true, f); err == nil && t != nil && now != nil {
		*t = *now
	}
	return now, err
}

// Replay records an encoded fact that waited in the spool, in the task that was the newest when it happened. A fact that is already in
// the store changes nothing.
func Replay(tx *store.Tx, encoded []byte) error {
	var f Fact
	if err := json.Unmarshal(encoded, &f); err != nil {
		return fmt.Errorf("decode spooled fact: %w", err)
	}
	if f.Session == "" || f.ID == 0 || f.MS == 0 {
		return fmt.Errorf("decode spooled fact: no session, id or time")
	}
	known, err := tx.One("SELECT 1 FROM hook_runs WHERE id=?", []any{f.ID}, new(int64))
	if err != nil || known {
		return err
	}
	t, newest, err := at(tx, f.Session, f.MS)
	if err != nil {
		return err
	}
	_, err = record(tx, t, newest, &f)
	return err
}

// Amend corrects the outcome of a recorded event whose answer was found after its facts were stored: a turn that was judged.
func Amend(tx *store.Tx, f *Fact) error {
	_, err := tx.Exec("UPDATE hook_runs SET outcome=?,us=?,modules=? WHERE id=?", f.outcome(), f.US, text(f.modules()), f.ID)
	return err
}

func record(tx *store.Tx, t *Task, newest bool, f *Fact) (*Task, error) {
	t, before, err := place(tx, t, newest, f)
	if err != nil {
		return nil, err
	}
	var seq int64
	if t != nil {
		seq = t.Seq
	}
	if _, err := tx.Exec("INSERT OR IGNORE INTO hook_runs VALUES(?,?,?,?,?,?,?,?,?,?)",
		f.ID, f.MS, f.Session, seq, text(f.Agent), f.Event, text(f.Tool), f.outcome(), f.US, text(f.modules())); err != nil {
		return nil, fmt.Errorf("record %s of %s: %w", f.Event, f.Session, err)
	}
	if t == nil {
		return nil, f.subagent(tx)
	}
	if err := f.tool(tx, t, newest); err != nil {
		return nil, fmt.Errorf("record %s of %s: %w", f.Event, t.ID(), err)
	}
	if err := f.signals(tx, t); err != nil {
		return nil, err
	}
	if err := f.subagent(tx); err != nil {
		return nil, err
	}
	if err := f.advance(tx, t); err != nil {
		return nil, err
	}
	if f.Event == "SessionEnd" && newest {
		return t, retire(tx, t)
	}
	if *t == before {
		return t, nil
	}
	t.UpdatedMS = f.MS
	return t, save(tx, t, newest, !f.isTool())
}

// place finds or begins the task of a fact; only the newest task is followed by another. before is the task as the store has it.
func place(tx *store.Tx, t *Task, newest bool, f *Fact) (task *Task, before Task, err error) {
	if t == nil {
		if !f.isPrompt() && !f.isTool() {
			return nil, before, nil
		}
		t, err = Begin(tx, Task{SessionID: f.Session, StartedMS: f.MS, UpdatedMS: f.MS, Cwd: f.Cwd, ProjectRoot: f.Root})
		if err != nil {
			return nil, before, err
		}
		return t, *t, nil
	}
	before = *t
	if t.SpecStatus.Active() && f.MS-t.SpecMS > spec.LifeMS {
		if err := setSpec(tx, t, SpecExpired, f.MS); err != nil {
			return nil, before, err
		}
	}
	if !newest || !f.begins(t) {
		return t, before, nil
	}
	if err := finish(tx, &before, t, f.MS); err != nil {
		return nil, before, err
	}
	if t, err = succeed(tx, t, f); err != nil {
		return nil, before, err
	}
	return t, *t, nil
}

// begins tells whether a fact begins a task after t: the first source edit after its end, or /spec where something has happened already.
func (f *Fact) begins(t *Task) bool {
	if f.Mutates && f.isTool() {
		return t.Ended() && f.Outcome != "deny" && f.MS >= t.EndedMS
	}
	if !f.isPrompt() || f.Command.Verb != spec.VerbStart || f.again(t) && t.SpecStatus == SpecPending {
		return false
	}
	return t.Edited || t.Ended() || t.SpecStatus != SpecNone || t.State == Passed || t.State == Warned
}

// again tells whether a prompt was seen already: one with a command arrives as two events of one id.
func (f *Fact) again(t *Task) bool { return f.Prompt != "" && f.Prompt == t.LastPromptID }

func (f *Fact) isPrompt() bool {
	return f.Event == "UserPromptSubmit" || f.Event == "UserPromptExpansion"
}

func (f *Fact) isTool() bool { return f.Event == "PreToolUse" || f.done() }

func (f *Fact) done() bool { return f.Event == "PostToolUse" || f.Event == "PostToolUseFailure" }

func (f *Fact) ok() bool { return f.Event == "PostToolUse" }

// edited tells whether a source edit has taken place. A failed command may have changed files all the same, a failed Write has not.
func (f *Fact) edited() bool {
	return f.Mutates && (f.ok() || f.Event == "PostToolUseFailure" && f.Tool == "Bash")
}

func (f *Fact) outcome() string {
	if f.Outcome == "" {
		return "ok"
	}
	return f.Outcome
}

func (f *Fact) modules() string {
	if len(f.Modules) == 0 {
		return ""
	}
	b := make([]byte, 0, 64)
	for i, m := range f.Modules {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, m.Name...), ':')
		b = append(strconv.AppendInt(b, m.US, 10), ':')
		b = append(b, m.Outcome...)
	}
	return string(b)
}

// tool writes what a finished tool call leaves: one line of tool_log, one of edits per changed file, the first build's diagnostics.
func (f *Fact) tool(tx *store.Tx, t *Task, newest bool) error {
	if !f.done() {
		return nil
	}
	class := f.Class
	if f.Mutates && f.Tool == "Bash" && (class == "" || class == "other") {
		class = "mutate"
	}
	if len(f.Edits) > 0 || len(f.Tested) > 0 || class != "" && class != "read" {
		if err := f.changes(tx, t, newest, class); err != nil {
			return err
		}
	}
	if _, err := tx.Exec("INSERT OR IGNORE INTO tool_log VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		f.Session, f.ID, t.Seq, text(f.Agent), f.Tool, text(f.Path), text(f.InputSHA), f.ok(), text(f.Runner), text(class), f.Empty,
		text(f.Detail), f.MS, f.DurMS); err != nil {
		return err
	}
	if f.Class == "build" || f.Class == "test" {
		return firstDiagnostics(tx, t, f.MS, f.Diagnostics)
	}
	return nil
}

// changes writes the edits of a call and sums them up in the ledger of the newest task.
func (f *Fact) changes(tx *store.Tx, t *Task, newest bool, class string) error {
	sum, err := Ledger(tx, t)
	if err != nil {
		return err
	}
	changed := sum.Ran(class)
	for i, e := range f.Edits {
		read := e.ReadBefore || e.Created || sum.Find(e.Path) != nil
		if !read {
			// The newest calls first, and one hit is enough: reading, writing or editing a file makes its content known.
			if read, err = tx.One("SELECT 1 FROM (SELECT path FROM tool_log WHERE session_id=? AND n<? ORDER BY n DESC LIMIT ?) WHERE path=? LIMIT 1",
				[]any{f.Session, f.ID, readLookback, e.Path}, new(int64)); err != nil {
				return err
			}
		}
		sum.Add(ledger.File{Path: e.Path, Kind: e.Kind, Lines: e.Added + e.Removed, ReadBefore: read, TestState: e.TestState, LastMS: f.MS})
		if _, err := tx.Exec("INSERT OR IGNORE INTO edits VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", f.Session, f.ID+int64(i), t.Seq, e.Path, f.Tool, e.Kind,
			text(e.Before), text(e.After), read, e.Added, e.Removed, text(e.TestState), f.MS); err != nil {
			return err
		}
	}
	for _, path := range f.Tested {
		if file := sum.Find(path); file != nil {
			file.TestState = "changed"
		}
		if _, err := tx.Exec("UPDATE edits SET test_state='changed' WHERE session_id=? AND n>=? AND seq=? AND path=?",
			t.SessionID, t.FirstRow(), t.Seq, path); err != nil {
			return err
		}
	}
	if !newest || !changed && len(f.Edits) == 0 && len(f.Tested) == 0 {
		return nil
	}
	return Put(tx, ledgerKey(t.SessionID), sum.Encode())
}

// Ledger is the sum of what a task has changed. It is not whole for a task that is no longer the newest, or whose session was resumed.
func Ledger(tx *store.Tx, t *Task) (ledger.Ledger, error) {
	text, err := Get(tx, ledgerKey(t.SessionID))
	if err != nil {
		return ledger.Ledger{}, err
	}
	sum := ledger.Parse(text)
	if sum.Seq < t.Seq {
		sum = ledger.Ledger{Seq: t.Seq, Whole: !t.Edited}
	}
	if sum.Seq > t.Seq {
		return ledger.Ledger{Seq: t.Seq}, nil
	}
	return sum, nil
}

func (f *Fact) signals(tx *store.Tx, t *Task) error {
	for _, s := range f.Raise {
		s.Session, s.Seq = t.SessionID, t.Seq
		if err := Raise(tx, s, f.MS); err != nil {
			return err
		}
		f.Drift = f.Drift || s.Kind == KindDrift
	}
	for _, k := range f.Resolve {
		if _, err := Resolve(tx, f.Session, 0, k.Kind, k.Key, k.By, f.MS); err != nil {
			return err
		}
	}
	return nil
}

// subagent keeps when a subagent began and ended. The client's own compaction stops one without a type.
func (f *Fact) subagent(tx *store.Tx) error {
	if f.Agent == "" || f.AgentType == "" {
		return nil
	}
	var query string
	switch f.Event {
	case "SubagentStart":
		query = "INSERT INTO subagents(session_id,agent_id,type,started_ms,transcript) VALUES(?1,?2,?3,?4,?5) " +
			"ON CONFLICT DO UPDATE SET type=?3,started_ms=min(?4,coalesce(started_ms,?4)),transcript=coalesce(?5,transcript)"
	case "SubagentStop":
		query = "INSERT INTO subagents(session_id,agent_id,type,ended_ms,transcript) VALUES(?1,?2,?3,?4,?5) " +
			"ON CONFLICT DO UPDATE SET type=?3,ended_ms=max(?4,coalesce(ended_ms,?4)),transcript=coalesce(?5,transcript)"
	default:
		return nil
	}
	if _, err := tx.Exec(query, f.Session, f.Agent, f.AgentType, f.MS, text(f.AgentTranscript)); err != nil {
		return fmt.Errorf("record subagent %s of %s: %w", f.Agent, f.Session, err)
	}
	return nil
}

// AddSubagentUsage adds work tokens and 10⁻⁹ USD to a subagent, which it makes known if its start was missed.
func AddSubagentUsage(tx *store.Tx, session, agent string, work, costNanoUSD int64) error {
	_, err := tx.Exec("INSERT INTO subagents(session_id,agent_id,work_tokens,cost_nusd) VALUES(?1,?2,?3,?4) "+
		"ON CONFLICT DO UPDATE SET work_tokens=coalesce(work_tokens,0)+?3,cost_nusd=coalesce(cost_nusd,0)+?4", session, agent, work, costNanoUSD)
	if err != nil {
		return fmt.Errorf("add usage of subagent %s of %s: %w", agent, session, err)
	}
	return nil
}

// addRules adds the modules that said something to a comma list.
func addRules(list string, modules []Module) string {
	for _, m := range modules {
		if m.Outcome == "ok" || m.Outcome == "" || m.Outcome == "error" || strings.Contains(","+list+",", ","+m.Name+",") {
			continue
		}
		if list != "" {
			list += ","
		}
		list += m.Name
	}
	return list
}

// text is a string for the store, where NULL means unknown.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
