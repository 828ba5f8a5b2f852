package orchestrator

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
)

// Request asks for a run.
type Request struct {
	Project string // absolute folder
	Mode    Mode
	Text    string // what is wanted
	Session string // Claude Code session that asks
	Plan    *Plan  // already made; nil leaves it to a manager
}

// Enqueue stores a request in a transaction of the caller, who may be a hook: the run is queued and nothing is started. The same
// request of the same session in the same project, while it has not ended, gives the run that is there.
func Enqueue(tx *store.Tx, now time.Time, r Request) (RunID, error) {
	id := NewRunID(now)
	text := redact.String(r.Text)
	found, err := tx.One(`SELECT id FROM runs WHERE project=? AND request=? AND session=? AND state NOT IN('done','failed')`, []any{r.Project, text, r.Session}, (*string)(&id))
	if err != nil {
		return "", fmt.Errorf("enqueue run: %w", err)
	}
	if found {
		return id, nil
	}
	plan := []byte("{}")
	if r.Plan != nil {
		if plan, err = json.Marshal(r.Plan); err != nil {
			return "", fmt.Errorf("enqueue run: %w", err)
		}
	}
	if _, err := tx.Exec(`INSERT INTO runs VALUES(?,?,'',?,?,?,'{}',?,'','',?,?,NULL)`, id, r.Project, r.Mode, text, string(plan), RunQueued, r.Session, now.UnixMilli()); err != nil {
		return "", fmt.Errorf("enqueue run: %w", err)
	}
	return id, nil
}

// OfSession gives the runs that a Claude Code session asked for, the oldest first. The plan and the settings are not read.
func OfSession(tx *store.Tx, session string) ([]Run, error) {
	runs, err := readRuns(tx, `SELECT id,project,base,mode,request,'{}','{}',state,integration,reason,session,created_ms,ended_ms FROM runs WHERE session=? ORDER BY created_ms,id`, session)
	if err != nil {
		return nil, fmt.Errorf("read runs of session: %w", err)
	}
	return runs, nil
}
