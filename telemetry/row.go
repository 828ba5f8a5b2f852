package telemetry

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
)

// taskColumns are the columns of tasks after its key, in the order of Task.columns.
const taskColumns = "project_root,cwd,branch,base_commit,base_tree,category,description," +
	"spec_status,plan_path,spec_ms,spec_block_prompt,oversight,p,i,d,r," +
	"state,attempts,judged_sha,resume_code,token_baseline,armed," +
	"tok_in,tok_out,tok_read,tok_w5,tok_w1h,cost_nusd,cost_unknown,model," +
	"after_work,first_action_tokens,last_prompt_id,first_prompt_id," +
	"prompts,stops,compactions,reflected,drift,rules,ctx_warned,started_ms,updated_ms,ended_ms"

// columnCount is how many columns that is; column names are found by walking taskColumns once.
const columnCount = 44

// columns lists where each column of a row is kept. The token counters come first_action_tokens included, but are written by their own
// statements only: see save.
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

const firstActionColumn = 31

// Current is the newest task of a session, nil if it has none.
func Current(tx *store.Tx, session string) (*Task, error) {
	return load(tx, "SELECT seq,"+taskColumns+" FROM tasks WHERE session_id=? ORDER BY seq DESC LIMIT 1", session)
}

// Find is one task, nil if there is none.
func Find(tx *store.Tx, session string, seq int64) (*Task, error) {
	return load(tx, "SELECT seq,"+taskColumns+" FROM tasks WHERE session_id=? AND seq=?", session, seq)
}

// at is the task that was the newest at a time, else the first; nil if the session has none.
func at(tx *store.Tx, session string, ms int64) (*Task, error) {
	t, err := load(tx, "SELECT seq,"+taskColumns+" FROM tasks WHERE session_id=? AND started_ms<=? ORDER BY seq DESC LIMIT 1", session, ms)
	if t == nil && err == nil {
		t, err = Find(tx, session, 1)
	}
	return t, err
}

func load(tx *store.Tx, query string, args ...any) (*Task, error) {
	var t *Task
	err := tx.Query(query, args, func(r *store.Row) error {
		t = &Task{SessionID: args[0].(string), Seq: r.Int(0)}
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
		t.Edited = !r.Null(firstActionColumn + 1)
		if t.SpecStatus == "" {
			t.SpecStatus = SpecNone
		}
		if t.State == "" {
			t.State = Idle
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load task of %s: %w", args[0], err)
	}
	return t, nil
}

// Begin inserts a task as the next one of its session and returns it. Only SessionID and what is known at birth have to be set; Seq and
// StartedMS are required to be zero and set. It must not be called with two processes' transactions open, which BEGIN IMMEDIATE ensures.
func Begin(tx *store.Tx, t Task) (*Task, error) {
	if t.SessionID == "" || t.StartedMS == 0 {
		return nil, fmt.Errorf("begin task: no session or no start time")
	}
	if _, err := tx.One("SELECT coalesce(max(seq),0)+1 FROM tasks WHERE session_id=?", []any{t.SessionID}, &t.Seq); err != nil {
		return nil, fmt.Errorf("begin task of %s: %w", t.SessionID, err)
	}
	if t.State == "" {
		t.State = Idle
	}
	if t.SpecStatus == "" {
		t.SpecStatus = SpecNone
	}
	if _, err := tx.Exec("INSERT INTO tasks(session_id,seq) VALUES(?,?)", t.SessionID, t.Seq); err != nil {
		return nil, fmt.Errorf("begin task %s: %w", t.ID(), err)
	}
	born := Task{SessionID: t.SessionID, Seq: t.Seq, State: Idle, SpecStatus: SpecNone}
	return &t, save(tx, &born, &t)
}

// save writes the columns in which now differs from before, in one statement, or does nothing. first_action_tokens is not among them.
func save(tx *store.Tx, before, now *Task) error {
	var (
		sets     = make([]byte, 0, 256)
		args     = make([]any, 0, 16)
		from, to = before.columns(), now.columns()
		names    = taskColumns
	)
	for i := range to {
		name := names
		if j := strings.IndexByte(names, ','); j >= 0 {
			name, names = names[:j], names[j+1:]
		}
		var value any
		switch p := to[i].(type) {
		case *string:
			if *p == *from[i].(*string) {
				continue
			}
			if *p != "" {
				value = *p
			}
		case *int64:
			if *p == *from[i].(*int64) || i == firstActionColumn {
				continue
			}
			value = *p
			if *p == 0 && (name == "ended_ms" || name == "spec_ms") {
				value = nil
			}
		case *bool:
			if *p == *from[i].(*bool) {
				continue
			}
			value = *p
		}
		if len(args) > 0 {
			sets = append(sets, ',')
		}
		sets = append(append(sets, name...), "=?"...)
		args = append(args, value)
	}
	if len(args) == 0 {
		return nil
	}
	args = append(args, now.SessionID, now.Seq)
	n, err := tx.Exec("UPDATE tasks SET "+string(sets)+" WHERE session_id=? AND seq=?", args...)
	if err != nil {
		return fmt.Errorf("save task %s: %w", now.ID(), err)
	}
	if n != 1 {
		return fmt.Errorf("save task %s: no such task", now.ID())
	}
	return nil
}

// Change loads a task, lets fn alter it and saves the difference. It is how packages below this one move a task's state; the token counters
// and Edited are not theirs to alter.
func Change(tx *store.Tx, session string, seq int64, fn func(*Task) error) (*Task, error) {
	t, err := Find(tx, session, seq)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("change task %s: no such task", TaskID(session, seq))
	}
	before := *t
	if err := fn(t); err != nil {
		return nil, err
	}
	return t, save(tx, &before, t)
}
