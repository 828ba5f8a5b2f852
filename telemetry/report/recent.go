package report

import "github.com/devflow-suite/devflow/internal/store"

// TaskRow is one task as `recent` lists it.
type TaskRow struct {
	TaskID      string   `json:"task_id"`
	Timestamp   string   `json:"timestamp"` // last write
	SessionID   string   `json:"session_id"`
	Category    *string  `json:"category"`
	Description *string  `json:"description"`
	Stack       *string  `json:"stack"`
	Model       *string  `json:"model"`
	WorkTokens  *int64   `json:"work_tokens"` // null: no reply was counted
	CostUSD     *float64 `json:"cost_usd"`    // null: a model without a known price took part, or no reply was counted
	Oversight   *string  `json:"oversight"`
	Verdict     *string  `json:"verdict"`
	Seconds     *int64   `json:"task_time_seconds"`
}

const recentSQL = `SELECT task_id, timestamp, session_id, task_category, task_description, stack, model,
  ` + knownWork + `, ` + knownCost + `, oversight_level, judge_verdict, task_time_seconds
FROM task_executions ORDER BY timestamp DESC, task_id DESC LIMIT ?`

// Recent lists the n tasks that were written last, the newest first.
func Recent(db *store.DB, n int) ([]TaskRow, error) {
	rows := []TaskRow{}
	err := view(db, "recent tasks", func(tx *store.Tx) error {
		return tx.Query(recentSQL, []any{n}, func(r *store.Row) error {
			rows = append(rows, TaskRow{
				TaskID: r.Text(0), Timestamp: r.Text(1), SessionID: r.Text(2), Category: textOf(r, 3), Description: textOf(r, 4),
				Stack: textOf(r, 5), Model: textOf(r, 6), WorkTokens: intOf(r, 7), CostUSD: floatOf(r, 8),
				Oversight: textOf(r, 9), Verdict: textOf(r, 10), Seconds: intOf(r, 11),
			})
			return nil
		})
	})
	return rows, err
}
