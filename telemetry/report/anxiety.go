package report

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
)

// Source of the anxiety score and its limits: the published telemetry tool. Depth is measured in reads, not in tokens.
const (
	anxietyDepth  = 15 // reads before the first write that count as the most
	anxietyMedium = 0.4
	anxietyHigh   = 0.7
)

// AnxietyRow is one task that read much before it acted.
type AnxietyRow struct {
	TaskID            string   `json:"task_id"`
	Timestamp         string   `json:"timestamp"`
	Model             *string  `json:"model"`
	FirstActionTokens int64    `json:"context_tokens_at_first_action"` // work tokens
	Score             *float64 `json:"context_anxiety_score"`          // share of the model's window, 0 to 1
	// The following are filled only when the composite was asked for.
	ReadsBefore *int64   `json:"reads_before_first_write,omitempty"`
	ReadRatio   *float64 `json:"read_ratio,omitempty"` // reads before the first write ÷ all reads of the task
	Composite   *float64 `json:"composite,omitempty"`  // 0.6·min(reads before ÷ 15, 1) + 0.4·read ratio
	Level       string   `json:"level,omitempty"`      // low below 0.4, medium below 0.7, else high
}

const anxietySQL = `SELECT task_id, timestamp, model, context_tokens_at_first_action, context_anxiety_score
FROM task_executions WHERE context_tokens_at_first_action > ? ORDER BY context_tokens_at_first_action DESC, task_id LIMIT ?`

// Reads are the reading tools and Bash commands of the class read; writes are the tools that change a file.
const depthSQL = `SELECT tool IN ('Read','Grep','Glob','LS','NotebookRead') OR class = 'read',
  tool IN ('Write','Edit','MultiEdit','NotebookEdit') FROM tool_log WHERE session_id = ? AND seq = ? ORDER BY n`

// Anxiety lists at most n tasks that spent more than threshold work tokens before their first source edit, the highest
// first. With composite the reads of each task are looked up too.
func Anxiety(db *store.DB, threshold int64, n int, composite bool) ([]AnxietyRow, error) {
	rows := []AnxietyRow{}
	err := view(db, "anxiety", func(tx *store.Tx) error {
		err := tx.Query(anxietySQL, []any{threshold, n}, func(r *store.Row) error {
			rows = append(rows, AnxietyRow{
				TaskID: r.Text(0), Timestamp: r.Text(1), Model: textOf(r, 2), FirstActionTokens: r.Int(3), Score: floatOf(r, 4),
			})
			return nil
		})
		if err != nil || !composite {
			return err
		}
		for i := range rows {
			if err := rows[i].addComposite(tx); err != nil {
				return err
			}
		}
		return nil
	})
	return rows, err
}

func (a *AnxietyRow) addComposite(tx *store.Tx) error {
	session, seq, ok := splitTaskID(a.TaskID)
	if !ok {
		return nil
	}
	var before, reads int64
	wrote := false
	err := tx.Query(depthSQL, []any{session, seq}, func(r *store.Row) error {
		if r.Bool(0) {
			reads++
			if !wrote {
				before++
			}
		}
		wrote = wrote || r.Bool(1)
		return nil
	})
	if err != nil {
		return err
	}
	share := 0.0
	if reads > 0 {
		share = float64(before) / float64(reads)
	}
	score := 0.6*min(float64(before)/anxietyDepth, 1) + 0.4*share
	a.ReadsBefore, a.ReadRatio, a.Composite = &before, &share, &score
	switch {
	case score < anxietyMedium:
		a.Level = "low"
	case score < anxietyHigh:
		a.Level = "medium"
	default:
		a.Level = "high"
	}
	return nil
}

// splitTaskID is the reverse of telemetry.TaskID; ok is false for anything else.
func splitTaskID(id string) (session string, seq int64, ok bool) {
	i := strings.LastIndexByte(id, '#')
	if i < 1 {
		return "", 0, false
	}
	seq, err := strconv.ParseInt(id[i+1:], 10, 64)
	return id[:i], seq, err == nil && seq > 0
}
