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
	Input         *int64   `json:"input_tokens"`      // null: no reply was counted, as the next four
	Output        *int64   `json:"output_tokens"`     //
	CacheRead     *int64   `json:"cache_read_tokens"` //
	CacheCreation *int64   `json:"cache_creation_tokens"`
	WorkTokens    *int64   `json:"work_tokens"`          //
	CostUSD       *float64 `json:"cost_usd"`             // of the tasks whose cost is known; null: of none
	CostUnknown   int64    `json:"cost_unknown_tasks"`   // tasks that used tokens but have no known cost
	Uncounted     int64    `json:"uncounted_tasks"`      // tasks of which no reply was counted: tokens and cost are not known
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
const statsColumns = `count(*), count(DISTINCT session_id), sum(iif(` + counted + `,input_tokens,NULL)), sum(iif(` + counted + `,output_tokens,NULL)),
  sum(iif(` + counted + `,cache_read_tokens,NULL)), sum(iif(` + counted + `,cache_creation_tokens,NULL)),
  sum(` + knownWork + `), round(sum(` + knownCost + `),9), sum(` + priceless + `), sum(` + uncounted + `), avg(task_time_seconds),
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
				Model: textOf(r, 0), Tasks: r.Int(1), Sessions: r.Int(2), Input: intOf(r, 3), Output: intOf(r, 4), CacheRead: intOf(r, 5),
				CacheCreation: intOf(r, 6), WorkTokens: intOf(r, 7), CostUSD: floatOf(r, 8), CostUnknown: r.Int(9), Uncounted: r.Int(10),
				MeanSeconds: floatOf(r, 11), Pass: r.Int(12), Warn: r.Int(13), Fail: r.Int(14), NotJudged: r.Int(15), Unjudged: r.Int(16),
				Vibe: r.Int(17), Standard: r.Int(18), Strict: r.Int(19), HumanReview: r.Int(20),
				ToolCalls: r.Int(21), Compactions: r.Int(22), TestRetries: r.Int(23),
			})
			return nil
		})
	})
	return rows, err
}
