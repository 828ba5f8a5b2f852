package report

import (
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Tier1 are the four numbers that tell whether the loop works. Each says from how many tasks it was taken.
type Tier1 struct {
	Days int `json:"days"` // 0: everything
	// PassRate is pass ÷ (pass + warn + fail) over the tasks' last verdicts.
	PassRate Rate `json:"pass_rate"`
	// UnderstandRatio is the median of work tokens before the first source edit ÷ work tokens after it.
	UnderstandRatio Rate `json:"understand_ratio"`
	// CorrectionIterations is the mean number of FAILs before the first PASS, over tasks that passed.
	CorrectionIterations Rate `json:"correction_iterations"`
	// ReflectionEfficiency is the share of tasks with an injected reflection whose next verdict was a PASS.
	ReflectionEfficiency Rate `json:"reflection_efficiency"`
}

const tier1TasksSQL = `SELECT judge_verdict, context_tokens_consumed, context_tokens_at_first_action, reflection_injected, task_id
FROM task_executions WHERE timestamp >= ?`

const tier1RunsSQL = `SELECT session_id, seq, verdict FROM judge_runs
WHERE started_ms >= ? AND verdict IN ('pass','warn','fail') ORDER BY session_id, seq, n`

// ReadTier1 computes the four numbers over the last days (0: over everything).
func ReadTier1(db *store.DB, now time.Time, days int) (Tier1, error) {
	from := since(now, days)
	out := Tier1{Days: max(days, 0)}
	var passed, judged int64
	var ratios []float64
	reflected := map[string]bool{}
	loops := map[string]*loop{}
	err := view(db, "tier 1", func(tx *store.Tx) error {
		err := tx.Query(tier1TasksSQL, []any{stamp(from)}, func(r *store.Row) error {
			switch r.Text(0) {
			case "pass":
				passed++
				judged++
			case "warn", "fail":
				judged++
			}
			if !r.Null(1) && !r.Null(2) && r.Int(1) > r.Int(2) {
				ratios = append(ratios, float64(r.Int(2))/float64(r.Int(1)-r.Int(2)))
			}
			if r.Bool(3) {
				reflected[r.Text(4)] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Query(tier1RunsSQL, []any{from.UnixMilli()}, func(r *store.Row) error {
			id := telemetry.TaskID(r.Text(0), r.Int(1))
			if loops[id] == nil {
				loops[id] = &loop{}
			}
			loops[id].add(r.Text(2))
			return nil
		})
	})
	if err != nil {
		return Tier1{}, err
	}
	out.PassRate = ratio(float64(passed), judged)
	if len(ratios) > 0 {
		m := median(ratios)
		out.UnderstandRatio = Rate{&m, int64(len(ratios))}
	}
	var fails, done, healed float64
	for id, l := range loops {
		if l.passed {
			done++
			fails += float64(l.fails)
		}
		if reflected[id] && l.healed {
			healed++
		}
	}
	out.CorrectionIterations = ratio(fails, int64(done))
	out.ReflectionEfficiency = ratio(healed, int64(len(reflected)))
	return out, nil
}

// loop follows the verdicts of one task in order.
type loop struct {
	fails  int64 // before the first pass
	passed bool
	bad    bool // the first warn or fail was seen: it is what a reflection shows
	next   bool // the verdict after that was seen
	healed bool // and it was a pass
}

func (l *loop) add(verdict string) {
	if l.bad && !l.next {
		l.next, l.healed = true, verdict == "pass"
	}
	switch verdict {
	case "pass":
		l.passed = true
	case "fail":
		if !l.passed {
			l.fails++
		}
		l.bad = true
	case "warn":
		l.bad = true
	}
}
