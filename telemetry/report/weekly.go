package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Week sums the tasks whose last write fell in one ISO week (Monday to Sunday, UTC).
type Week struct {
	Week        string        `json:"week"` // 2026-W48
	From        string        `json:"from"` // its Monday, 2026-11-23
	Tasks       int64         `json:"tasks"`
	Pass        int64         `json:"pass"`
	Warn        int64         `json:"warn"`
	Fail        int64         `json:"fail"`
	NotJudged   int64         `json:"could_not_judge"`
	HighRisk    int64         `json:"high_risk"`   // strict or human_review
	WorkTokens  *int64        `json:"work_tokens"` // null: no reply was counted
	CostUSD     *float64      `json:"cost_usd"`    // of the tasks whose cost is known; null: of none
	CostUnknown int64         `json:"cost_unknown_tasks"`
	Uncounted   int64         `json:"uncounted_tasks"`        // tasks of which no reply was counted
	TDD         Rate          `json:"tdd_followthrough_rate"` // mean over the tasks that have one
	Reasons     []ReasonCount `json:"top_reasons"`            // the most frequent reasons of warnings and failures
}

// ReasonCount says how many tasks had a reason.
type ReasonCount struct {
	Reason string `json:"reason"`
	Tasks  int64  `json:"tasks"`
}

const topReasons = 5

const weeklySQL = `SELECT timestamp, judge_verdict, oversight_level, ` + knownWork + `, ` + knownCost + `, tdd_followthrough_rate, judge_categories_failed,
  ` + priceless + `, ` + uncounted + ` FROM task_executions WHERE timestamp >= ?`

// Weekly sums the last weeks, the newest first. Weeks without a task are left out.
func Weekly(db *store.DB, now time.Time, weeks int) ([]Week, error) {
	from := monday(now).AddDate(0, 0, -7*(min(max(weeks, 1), maxDays/7)-1))
	sums := map[string]*weekSum{}
	err := view(db, "weekly summary", func(tx *store.Tx) error {
		return tx.Query(weeklySQL, []any{stamp(from)}, func(r *store.Row) error {
			at, err := time.Parse(stampFormat, r.Text(0))
			if err != nil {
				return nil // not a timestamp of ours: it belongs to no week
			}
			key := monday(at).Format(time.DateOnly)
			if sums[key] == nil {
				sums[key] = newWeek(monday(at))
			}
			sums[key].add(r)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	out := make([]Week, 0, len(sums))
	for _, s := range sums {
		out = append(out, s.finish())
	}
	slices.SortFunc(out, func(a, b Week) int { return cmp.Compare(b.From, a.From) })
	return out, nil
}

// monday is the beginning of the ISO week of t.
func monday(t time.Time) time.Time {
	t = t.UTC()
	back := (int(t.Weekday()) + 6) % 7
	return time.Date(t.Year(), t.Month(), t.Day()-back, 0, 0, 0, 0, time.UTC)
}

type weekSum struct {
	Week
	tdd     float64
	reasons map[string]int64
}

func newWeek(start time.Time) *weekSum {
	year, week := start.ISOWeek()
	return &weekSum{Week: Week{Week: fmt.Sprintf("%04d-W%02d", year, week), From: start.Format(time.DateOnly)}, reasons: map[string]int64{}}
}

func (w *weekSum) add(r *store.Row) {
	w.Tasks++
	switch r.Text(1) {
	case "pass":
		w.Pass++
	case "warn":
		w.Warn++
	case "fail":
		w.Fail++
	case "judge_error":
		w.NotJudged++
	}
	if level := r.Text(2); level == "strict" || level == "human_review" {
		w.HighRisk++
	}
	w.WorkTokens = plus(w.WorkTokens, intOf(r, 3))
	w.CostUSD = plus(w.CostUSD, floatOf(r, 4))
	w.CostUnknown += r.Int(7)
	w.Uncounted += r.Int(8)
	if !r.Null(5) {
		w.tdd += r.Float(5)
		w.TDD.N++
	}
	for _, reason := range reasonsOf(r.Text(6)) {
		w.reasons[reason]++
	}
}

// plus adds what is known; nil is the sum of nothing.
func plus[T int64 | float64](sum, v *T) *T {
	if sum == nil || v == nil {
		return cmp.Or(sum, v)
	}
	both := *sum + *v
	return &both
}

// reasonsOf reads a JSON array of strings, each once; anything else has none.
func reasonsOf(text string) []string {
	var list []string
	if text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (w *weekSum) finish() Week {
	w.TDD = ratio(w.tdd, w.TDD.N)
	if w.CostUSD != nil {
		*w.CostUSD = math.Round(*w.CostUSD*1e9) / 1e9 // the nano-USD it was counted in
	}
	w.Reasons = make([]ReasonCount, 0, len(w.reasons))
	for reason, n := range w.reasons {
		w.Reasons = append(w.Reasons, ReasonCount{reason, n})
	}
	slices.SortFunc(w.Reasons, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(a.Reason, b.Reason))
	})
	w.Reasons = w.Reasons[:min(len(w.Reasons), topReasons)]
	return w.Week
}
