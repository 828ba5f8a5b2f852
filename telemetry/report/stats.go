package report

import (
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// StatsRow sums the tasks of one model, or all of them.
type StatsRow struct {
	Model         *string  `json:"model"` // null: all models, or tasks whose model is not known
	Tasks         int64    `json:"tasks"`
	Sessions      int64    `json:"sessions"`
	Input         int64    `json:"input_tokens"`
	Output        int64    `json:"output_tokens"`
	CacheRead     int64    `json:"cache_read_tokens"`
	CacheCreation int64    `json:"cache_creation_tokens"`
	WorkTokens    int64    `json:"work_tokens"`
	CostUSD       float64  `json:"cost_usd"`             // of the tasks whose cost is known
	CostUnknown   int64    `json:"cost_unknown_tasks"`   // tasks that used tokens but have no known cost
	MeanSeconds   *float64 `json:"mean_seconds"`         // wall time of a task
	Pass          int64    `json:"pass"`                 // last verdict of the task, as the next four
	Warn          int64    `json:"warn"`                 //
	Fail          int64    `json:"fail"`                 //
	NotJudged     int64    `json:"could_not_judge"`      // judge_error
	Unjudged      int64    `json:"unjudged"`             // no verdict, or skipped without a diff
	Vibe          int64    `json:"oversight_vibe"`       //
	Standard      int64    `json:"oversight_standard"`   //
	Strict        int64    `json:"oversight_strict"`     //
	HumanReview   int64    `json:"oversight_human"`      //
	ToolCalls     int64    `json:"tool_calls"`           //
	Compactions   int64    `json:"compaction_events"`    //
	TestRetries   int64    `json:"failed_test_commands"` // before the first green one
}

// statsColumns follow the model, or NULL, in both queries. Costs are rounded to the nano-USD they were counted in.
const statsColumns = `count(*), count(DISTINCT session_id), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_creation_tokens),
  sum(context_tokens_consumed), round(sum(cost_usd),9), sum(cost_usd IS NULL AND context_tokens_consumed > 0), avg(task_time_seconds),
  sum(judge_verdict = 'pass'), sum(judge_verdict = 'warn'), sum(judge_verdict = 'fail'), sum(judge_verdict = 'judge_error'),
  sum(judge_verdict IS NULL OR judge_verdict = 'skipped_no_diff'),
  sum(oversight_level = 'vibe'), sum(oversight_level = 'standard'), sum(oversight_level = 'strict'), sum(oversight_level = 'human_review'),
  sum(tool_calls_total), sum(compaction_events), sum(test_retry_count)
FROM task_executions WHERE timestamp >= ?`

const (
	statsAllSQL   = `SELECT NULL, ` + statsColumns
	statsModelSQL = `SELECT model, ` + statsColumns + ` GROUP BY model ORDER BY count(*) DESC, model`
)

// Stats sums the tasks of the last days (0: all), in one row or in one per model, the most used first. Without tasks there
// is no row.
func Stats(db *store.DB, now time.Time, days int, byModel bool) ([]StatsRow, error) {
	query := statsAllSQL
	if byModel {
		query = statsModelSQL
	}
	rows := []StatsRow{}
	err := view(db, "statistics", func(tx *store.Tx) error {
		return tx.Query(query, []any{stamp(since(now, days))}, func(r *store.Row) error {
			if r.Int(1) == 0 {
				return nil
			}
			rows = append(rows, StatsRow{
				Model: textOf(r, 0), Tasks: r.Int(1), Sessions: r.Int(2), Input: r.Int(3), Output: r.Int(4), CacheRead: r.Int(5),
				CacheCreation: r.Int(6), WorkTokens: r.Int(7), CostUSD: r.Float(8), CostUnknown: r.Int(9), MeanSeconds: floatOf(r, 10),
				Pass: r.Int(11), Warn: r.Int(12), Fail: r.Int(13), NotJudged: r.Int(14), Unjudged: r.Int(15),
				Vibe: r.Int(16), Standard: r.Int(17), Strict: r.Int(18), HumanReview: r.Int(19),
				ToolCalls: r.Int(20), Compactions: r.Int(21), TestRetries: r.Int(22),
			})
			return nil
		})
	})
	return rows, err
}
