package journal

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Extra is what Rollup cannot find in its own tables.
type Extra struct {
	NowMS  int64
	Stop   bool     // a turn has just ended: the task's time is measured up to now
	Window int64    // context window of the model in tokens, 0 = unknown
	Stack  string   // node flutter go rust maven python other none, "" = unknown
	Skills []string // names of the skills loaded, from the transcript; nil = unknown
}

// Rollup derives the columns of task_executions that follow from a task's rows and stores them. A value that is unknown never overwrites a
// known one, except the cost: once some tokens had no known price, there is none. Columns that the judge fills are left alone.
func Rollup(tx *store.Tx, t *telemetry.Task, x Extra) error {
	c := columns{}
	c.text("task_category", t.Category)
	c.text("task_description", t.Description)
	c.text("stack", x.Stack)
	c.set("iterations_to_completion", t.Stops)
	c.set("compaction_events", t.Compactions)
	if t.Oversight != "" {
		c.set("probability_score", float64(t.P)/1000)
		c.set("impact_score", float64(t.I)/1000)
		c.set("detectability_score", float64(t.D)/1000)
		c.set("oversight_level", t.Oversight)
	}
	if x.Skills != nil {
		c.set("skills_loaded", strings.Join(x.Skills, ","))
	}
	c.set("rules_triggered", t.Rules)
	if x.Stop {
		c.set("task_time_seconds", max(0, x.NowMS-t.StartedMS)/1000)
	}
	if t.Reflected {
		c.set("reflection_injected", true)
	}
	for _, part := range []func(*store.Tx, *telemetry.Task, Extra) error{c.usage, c.activity, c.signals, c.verdict} {
		if err := part(tx, t, x); err != nil {
			return fmt.Errorf("roll up %s: %w", t.ID(), err)
		}
	}
	return telemetry.Fill(tx, t.SessionID, t.Seq, c, x.NowMS)
}

// columns are the values to be stored, by column.
type columns map[string]any

func (c columns) set(name string, v any) { c[name] = v }

func (c columns) text(name, v string) {
	if v != "" {
		c[name] = v
	}
}

// usage sets tokens and cost; without any counted reply they stay unknown. A task is charged what was spent from the end of the task before, where no spec draws the line, to its own.
func (c columns) usage(tx *store.Tx, t *telemetry.Task, x Extra) error {
	c.text("model", t.Model)
	var before int64
	if t.SpecMS == 0 && t.Seq > 1 {
		if _, err := tx.One("SELECT after_work FROM tasks WHERE session_id=? AND seq=?", []any{t.SessionID, t.Seq - 1}, &before); err != nil {
			return err
		}
	}
	counted := t.Work()+t.TokRead > 0 || t.CostUnknown
	if counted || before > 0 {
		c.set("context_tokens_consumed", t.Work()-t.AfterWork+before)
	}
	if !counted {
		return nil // no reply was counted: nothing is known, which is not the same as nothing spent
	}
	if t.Edited {
		c.set("context_tokens_at_first_action", t.FirstActionTokens)
		if x.Window > 0 {
			c.set("context_anxiety_score", min(1, float64(t.FirstActionTokens)/float64(x.Window)))
		}
	}
	c.set("input_tokens", t.TokIn)
	c.set("output_tokens", t.TokOut)
	c.set("cache_read_tokens", t.TokRead)
	c.set("cache_creation_tokens", t.TokW5+t.TokW1h)
	c.set("cost_usd", float64(t.CostNanoUSD)/1e9)
	if t.CostUnknown {
		c.set("cost_usd", nil) // a wrong number is worse than none
	}
	return nil
}

func (c columns) signals(tx *store.Tx, t *telemetry.Task, _ Extra) error {
	var raised, resolved, open, drift int64
	if _, err := tx.One("SELECT count(*) FILTER(WHERE kind=?3),count(*) FILTER(WHERE kind=?3 AND resolved_by IS NOT NULL),"+
		"count(*) FILTER(WHERE kind=?3 AND state IN('open','claimed')),count(*) FILTER(WHERE kind=?4) FROM signals WHERE session_id=?1 AND seq=?2",
		[]any{t.SessionID, t.Seq, telemetry.KindTDD, telemetry.KindDrift}, &raised, &resolved, &open, &drift); err != nil {
		return err
	}
	c.set("tdd_followthrough_rate", 1.0)
	if raised > 0 {
		c.set("tdd_followthrough_rate", float64(resolved)/float64(raised))
	}
	c.set("harness_drift_detected", t.Drift || open > 0 || drift > 0)
	return nil
}

// verdict takes the newest judge run, a real verdict before one without a diff.
func (c columns) verdict(tx *store.Tx, t *telemetry.Task, _ Extra) error {
	v, err := LastVerdict(tx, t)
	if err != nil || v == nil {
		return err
	}
	c.set("judge_verdict", v.Outcome)
	list, err := json.Marshal(v.Reasons)
	if err != nil {
		return err
	}
	c.set("judge_categories_failed", string(list))
	return nil
}
