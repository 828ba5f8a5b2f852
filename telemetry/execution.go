package telemetry

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Fill stores columns of a task's row in task_executions by name, in one statement. A nil value is left out, because NULL never overwrites a
// value, except for cost_usd: a cost that turned unknown is cleared. A verdict skipped_no_diff never replaces a real one.
func Fill(tx *store.Tx, session string, seq int64, values map[string]any, now int64) error {
	names := make([]string, 0, len(values))
	for name, v := range values {
		if !slices.Contains(strings.Split(executionColumns, ","), name) {
			return fmt.Errorf("fill %s: no column %q", TaskID(session, seq), name)
		}
		if v != nil || name == "cost_usd" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	args := []any{TaskID(session, seq), stamp(now), session}
	var insert, marks, update strings.Builder
	for _, name := range names {
		insert.WriteString("," + name)
		marks.WriteString(",?")
		update.WriteString("," + name + "=")
		if name == "judge_verdict" {
			update.WriteString("iif(excluded.judge_verdict='skipped_no_diff',coalesce(judge_verdict,excluded.judge_verdict),excluded.judge_verdict)")
		} else {
			update.WriteString("excluded." + name)
		}
		args = append(args, values[name])
	}
	if _, err := tx.Exec("INSERT INTO task_executions(task_id,timestamp,session_id"+insert.String()+") VALUES(?,?,?"+marks.String()+
		") ON CONFLICT DO UPDATE SET timestamp=excluded.timestamp"+update.String(), args...); err != nil {
		return fmt.Errorf("fill %s: %w", TaskID(session, seq), err)
	}
	return nil
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

// firstDiagnostics keeps the number of diagnostics of a task's first build or test command.
func firstDiagnostics(tx *store.Tx, t *Task, now, n int64) error {
	_, err := tx.Exec("INSERT INTO task_executions(task_id,timestamp,session_id,compile_errors_first_attempt) VALUES(?,?,?,?) "+
		"ON CONFLICT DO UPDATE SET compile_errors_first_attempt=coalesce(compile_errors_first_attempt,excluded.compile_errors_first_attempt)",
		t.ID(), stamp(now), t.SessionID, n)
	return err
}

// stamp is the one time that is kept as text.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
