package telemetry

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/pack"
)

// The newest task of a session is kept packed in kv, and its row in tasks is written at the turns of a session only: prompts, the end of
// a turn, compactions, verdicts, and when a task begins or ends. A tool call then reads one small row instead of 46 columns. Measured,
// user-space instructions of the first use of a statement in a process: selecting the newest row 490,000, updating it 75,000 to 117,000;
// the packed task 30,000 to read and 25,000 to write.

// taskColumns are the columns of tasks after its key, in the order of Task.columns.
const taskColumns = "project_root,cwd,branch,base_commit,base_tree,category,description," +
	"spec_status,plan_path,spec_ms,spec_block_prompt,oversight,p,i,d,r," +
	"state,attempts,judged_sha,resume_code,token_baseline,armed," +
	"tok_in,tok_out,tok_read,tok_w5,tok_w1h,cost_nusd,cost_unknown,model," +
	"after_work,first_action_tokens,last_prompt_id,first_prompt_id," +
	"prompts,stops,compactions,reflected,drift,rules,ctx_warned,started_ms,updated_ms,ended_ms"

const columnCount = 44

// columns lists where each column of a row is kept.
func (t *Task) columns() [columnCount]any {
	return [columnCount]any{
		&t.ProjectRoot, &t.Cwd, &t.Branch, &t.BaseCommit, &t.BaseTree, &t.Category, &t.Description,
		(*string)(&t.SpecStatus), &t.PlanPath, &t.SpecMS, &t.SpecBlockPrompt, &t.Oversight, &t.P, &t.I, &t.D, &t.R,
		(*string)(&t.State), &t.Attempts, &t.JudgedSHA, &t.ResumeCode, &t.TokenBaseline, &t.Armed,
		&t.TokIn, &t.TokOut, &t.TokRead, &t.TokW5, &t.TokW1h, &t.CostNanoUSD, &t.CostUnknown, &t.Model,
		&t.AfterWork, &t.FirstActionTokens, &t.LastPromptID, &t.FirstPromptID,
		&t.Prompts, &t.Stops, &t.Compactions, &t.Reflected, &t.Drift, &t.Rules, &t.CtxWarned, &t.StartedMS, &t.UpdatedMS, &t.EndedMS,
	}
}

// Places of the columns whose zero is NULL.
const (
	columnSpecMS      = 9
	columnScore       = 12 // p i d r
	columnFirstAction = 31
	columnEndedMS     = columnCount - 1
)

// Current is the newest task of a session, nil if it has none.
func Current(tx *store.Tx, session string) (*Task, error) {
	t, err := live(tx, session)
	if t != nil || err != nil {
		return t, err
	}
	var seq int64
	if _, err := tx.One("SELECT max(seq) FROM tasks WHERE session_id=?", []any{session}, &seq); err != nil {
		return nil, fmt.Errorf("load task of %s: %w", session, err)
	}
	if seq == 0 {
		return nil, nil
	}
	return row(tx, session, "seq=?", seq)
}

// Find is one task, nil if there is none.
func Find(tx *store.Tx, session string, seq int64) (*Task, error) {
	t, err := live(tx, session)
	if err != nil || t != nil && t.Seq == seq {
		return t, err
	}
	return row(tx, session, "seq=?", seq)
}

// at is the task that was the newest at a time, else the first, and whether it still is the newest; nil if the session has none.
func at(tx *store.Tx, session string, ms int64) (t *Task, newest bool, err error) {
	t, err = Current(tx, session)
	if t == nil || err != nil || t.StartedMS <= ms || t.Seq == 1 {
		return t, true, err
	}
	t, err = row(tx, session, "started_ms<=? ORDER BY seq DESC LIMIT 1", ms)
	if t == nil && err == nil {
		t, err = row(tx, session, "seq=?", 1)
	}
	return t, false, err
}

// Change loads a task, lets fn alter it and saves it with its row if it did. It is how other packages move a task's state.
func Change(tx *store.Tx, session string, seq int64, fn func(*Task) error) (*Task, error) {
	return change(tx, session, seq, true, fn)
}

func change(tx *store.Tx, session string, seq int64, withRow bool, fn func(*Task) error) (*Task, error) {
	t, err := Current(tx, session)
	newest := t != nil && t.Seq == seq
	if err == nil && !newest {
		t, err = row(tx, session, "seq=?", seq)
	}
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("change task %s: no such task", TaskID(session, seq))
	}
	before := *t
	if err := fn(t); err != nil || *t == before {
		return t, err
	}
	return t, save(tx, t, newest, withRow)
}

// Begin stores a task as the next one of its session and returns it; Seq is given by the store.
func Begin(tx *store.Tx, t Task) (*Task, error) {
	if t.SessionID == "" || t.StartedMS == 0 {
		return nil, fmt.Errorf("begin task: no session or no start time")
	}
	last, err := Current(tx, t.SessionID)
	if err != nil {
		return nil, err
	}
	t.Seq = 1
	if last != nil {
		t.Seq = last.Seq + 1
	}
	t.normalize()
	if err := Put(tx, liveKey(t.SessionID), pack.Join(t.fields())); err != nil {
		return nil, err
	}
	return &t, writeRow(tx, &t)
}

// save keeps a task: packed if it is the session's newest, as a row if it is not or withRow says so.
func save(tx *store.Tx, t *Task, newest, withRow bool) error {
	if newest {
		if err := Put(tx, liveKey(t.SessionID), pack.Join(t.fields())); err != nil || !withRow {
			return err
		}
	}
	return writeRow(tx, t)
}

// retire writes the row of a session's newest task and forgets the packed one; it comes back when the session is resumed.
func retire(tx *store.Tx, t *Task) error {
	if err := writeRow(tx, t); err != nil {
		return err
	}
	if err := Drop(tx, ledgerKey(t.SessionID)); err != nil {
		return err
	}
	return Drop(tx, liveKey(t.SessionID))
}

// The two keys of a session are neighbours, so that one page holds both.
func liveKey(session string) string   { return "task:" + session }
func ledgerKey(session string) string { return "task:" + session + "/files" }

// live is the packed task of a session, nil if there is none or it is damaged: then its row counts.
func live(tx *store.Tx, session string) (*Task, error) {
	packed, err := Get(tx, liveKey(session))
	if err != nil || packed == "" {
		return nil, err
	}
	t := &Task{SessionID: session}
	if !pack.Split(packed, t.fields()) || t.Seq < 1 || t.StartedMS == 0 {
		return nil, nil
	}
	t.normalize()
	return t, nil
}

// fields lists what a packed task holds. New ones are added at the end.
func (t *Task) fields() []any {
	columns := t.columns()
	return append(append(make([]any, 0, columnCount+2), &t.Seq, &t.Edited), columns[:]...)
}

// normalize gives the two states their words.
func (t *Task) normalize() {
	if t.SpecStatus == "" {
		t.SpecStatus = SpecNone
	}
	if t.State == "" {
		t.State = Idle
	}
}

// row reads a task from its table.
func row(tx *store.Tx, session, which string, arg int64) (*Task, error) {
	var t *Task
	err := tx.Query("SELECT seq,"+taskColumns+" FROM tasks WHERE session_id=? AND "+which, []any{session, arg}, func(r *store.Row) error {
		t = &Task{SessionID: session, Seq: r.Int(0), Edited: !r.Null(columnFirstAction + 1)}
		for i, c := range t.columns() {
			switch p := c.(type) {
			case *string:
				*p = r.Text(i + 1)
			case *int64:
				*p = r.Int(i + 1)
			case *bool:
				*p = r.Bool(i + 1)
			}
		}
		t.normalize()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load task of %s: %w", session, err)
	}
	return t, nil
}

// writeRow writes a task to its table.
func writeRow(tx *store.Tx, t *Task) error {
	args := make([]any, 0, columnCount+2)
	args = append(args, t.SessionID, t.Seq)
	for i, c := range t.columns() {
		var v any
		switch p := c.(type) {
		case *string:
			v = text(*p)
		case *int64:
			v = *p
			unknown := (i == columnSpecMS || i == columnEndedMS) && *p == 0 || i == columnFirstAction && !t.Edited ||
				i >= columnScore && i < columnScore+4 && t.Oversight == ""
			if unknown {
				v = nil
			}
		case *bool:
			v = *p
		}
		args = append(args, v)
	}
	if _, err := tx.Exec("INSERT OR REPLACE INTO tasks(session_id,seq,"+taskColumns+") VALUES(?"+strings.Repeat(",?", columnCount+1)+")", args...); err != nil {
		return fmt.Errorf("store task %s: %w", t.ID(), err)
	}
	return nil
}
