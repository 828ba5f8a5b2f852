package telemetry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
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
func Rollup(tx *store.Tx, t *Task, x Extra) error {
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
	for _, part := range []func(*store.Tx, *Task, Extra) error{c.usage, c.activity, c.signals, c.verdict} {
		if err := part(tx, t, x); err != nil {
			return fmt.Errorf("roll up %s: %w", t.ID(), err)
		}
	}
	return c.store(tx, t.SessionID, t.Seq, x.NowMS)
}

// Fill stores columns of task_executions that other parts of devflow derive, by name. A nil value is left out.
func Fill(tx *store.Tx, session string, seq int64, values map[string]any, now int64) error {
	c := columns{}
	for name, v := range values {
		if !slices.Contains(strings.Split(executionColumns, ","), name) {
			return fmt.Errorf("fill %s: no column %q", TaskID(session, seq), name)
		}
		if v != nil {
			c.set(name, v)
		}
	}
	return c.store(tx, session, seq, now)
}

// executionColumns are the columns of task_executions that may be filled, all but the three that name the row.
const executionColumns = "task_category,task_description,stack,iterations_to_completion,tool_calls_total,tool_calls_without_output," +
	"context_tokens_consumed,context_tokens_at_first_action,backtrack_count,compile_errors_first_attempt,compaction_events,spiral_detected," +
	"judge_verdict,judge_categories_failed,lob_violations,duplication_detected,type_contract_violations,unjustified_complexity," +
	"naming_consistency_score,edge_case_coverage,arch_pattern_violations,probability_score,impact_score,detectability_score,oversight_level," +
	"skills_loaded,rules_triggered,harness_drift_detected,task_time_seconds,firewall_delegated,firewall_task_id,firewall_success," +
	"firewall_duration_ms,estimated_usd,test_retry_count,tdd_followthrough_rate,instincts_captured_count,cost_usd,context_anxiety_score,model," +
	"input_tokens,output_tokens,cache_read_tokens,cache_creation_tokens,monetary_math_status,idempotency_status,contract_status," +
	"user_intent_status,judge_reasoning,judge_evidence_fragments,reflection_injected"

// columns are the values to be stored, by column.
type columns map[string]any

func (c columns) set(name string, v any) { c[name] = v }

func (c columns) text(name, v string) {
	if v != "" {
		c[name] = v
	}
}

// usage sets tokens and cost. A task is charged what was spent from the end of the task before, where no spec draws the line, to its own.
func (c columns) usage(tx *store.Tx, t *Task, x Extra) error {
	var before int64
	if t.SpecMS == 0 && t.Seq > 1 {
		if _, err := tx.One("SELECT after_work FROM tasks WHERE session_id=? AND seq=?", []any{t.SessionID, t.Seq - 1}, &before); err != nil {
			return err
		}
	}
	c.set("context_tokens_consumed", t.Work()-t.AfterWork+before)
	if t.Edited {
		c.set("context_tokens_at_first_action", t.FirstActionTokens)
		if x.Window > 0 {
			c.set("context_anxiety_score", min(1, float64(t.FirstActionTokens)/float64(x.Window)))
		}
	}
	c.text("model", t.Model)
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

func (c columns) signals(tx *store.Tx, t *Task, _ Extra) error {
	var raised, resolved, open, drift int64
	if _, err := tx.One("SELECT count(*) FILTER(WHERE kind=?3),count(*) FILTER(WHERE kind=?3 AND resolved_by IS NOT NULL),"+
		"count(*) FILTER(WHERE kind=?3 AND state IN('open','claimed')),count(*) FILTER(WHERE kind=?4) FROM signals WHERE session_id=?1 AND seq=?2",
		[]any{t.SessionID, t.Seq, KindTDD, KindDrift}, &raised, &resolved, &open, &drift); err != nil {
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
func (c columns) verdict(tx *store.Tx, t *Task, _ Extra) error {
	verdict, reasons, found, err := lastVerdict(tx, t)
	if err != nil || !found {
		return err
	}
	c.set("judge_verdict", verdict)
	list, err := json.Marshal(reasons)
	if err != nil {
		return err
	}
	c.set("judge_categories_failed", string(list))
	return nil
}

// lastVerdict reads the judge's table: the verdict and the texts of its reasons.
func lastVerdict(tx *store.Tx, t *Task) (verdict string, reasons []string, found bool, err error) {
	var raw string
	found, err = tx.One("SELECT verdict,reasons FROM judge_runs WHERE session_id=? AND seq=? AND verdict IS NOT NULL "+
		"ORDER BY verdict='skipped_no_diff',n DESC LIMIT 1", []any{t.SessionID, t.Seq}, &verdict, &raw)
	if err != nil {
		return "", nil, false, err
	}
	return verdict, reasonTexts(raw), found, nil
}

// reasonTexts reads reasons as the judge stores them: a JSON array of strings, or of objects with a prefix and a text.
func reasonTexts(raw string) []string {
	texts := []string{}
	var items []json.RawMessage
	if raw == "" || json.Unmarshal([]byte(raw), &items) != nil {
		return texts
	}
	for _, item := range items {
		var s string
		var o struct{ Prefix, Text string }
		switch {
		case json.Unmarshal(item, &s) == nil:
			texts = append(texts, s)
		case json.Unmarshal(item, &o) != nil:
		case o.Prefix == "":
			texts = append(texts, o.Text)
		default:
			texts = append(texts, "["+strings.Trim(o.Prefix, "[]")+"] "+o.Text)
		}
	}
	return texts
}

// store upserts the row in one statement.
func (c columns) store(tx *store.Tx, session string, seq, now int64) error {
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	stamp := time.UnixMilli(now).UTC().Format("2006-01-02T15:04:05.000Z")
	args := []any{TaskID(session, seq), stamp, session}
	var insert, values, update strings.Builder
	for _, name := range names {
		insert.WriteString("," + name)
		values.WriteString(",?")
		switch name {
		case "judge_verdict":
			update.WriteString(",judge_verdict=iif(excluded.judge_verdict='skipped_no_diff',coalesce(judge_verdict,excluded.judge_verdict),excluded.judge_verdict)")
		default:
			update.WriteString("," + name + "=excluded." + name)
		}
		args = append(args, c[name])
	}
	if _, err := tx.Exec("INSERT INTO task_executions(task_id,timestamp,session_id"+insert.String()+") VALUES(?,?,?"+values.String()+
		") ON CONFLICT DO UPDATE SET timestamp=excluded.timestamp"+update.String(), args...); err != nil {
		return fmt.Errorf("store execution %s: %w", TaskID(session, seq), err)
	}
	return nil
}

// firstDiagnostics keeps the number of diagnostics of a task's first build or test command.
func firstDiagnostics(tx *store.Tx, t *Task, now, n int64) error {
	stamp := time.UnixMilli(now).UTC().Format("2006-01-02T15:04:05.000Z")
	_, err := tx.Exec("INSERT INTO task_executions(task_id,timestamp,session_id,compile_errors_first_attempt) VALUES(?,?,?,?) "+
		"ON CONFLICT DO UPDATE SET compile_errors_first_attempt=coalesce(compile_errors_first_attempt,excluded.compile_errors_first_attempt)",
		t.ID(), stamp, t.SessionID, n)
	return err
}
