package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Format is how Export writes.
type Format string

// The two formats. JSONL keeps numbers and NULL; CSV writes NULL as an empty field and quotes as RFC 4180 says.
const (
	JSONL Format = "jsonl"
	CSV   Format = "csv"
)

// columns are the 54 columns of task_executions in their order; see docs/schema.md for units.
const columns = `task_id timestamp task_category task_description stack iterations_to_completion tool_calls_total tool_calls_without_output
context_tokens_consumed context_tokens_at_first_action backtrack_count compile_errors_first_attempt compaction_events spiral_detected
judge_verdict judge_categories_failed lob_violations duplication_detected type_contract_violations unjustified_complexity
naming_consistency_score edge_case_coverage arch_pattern_violations probability_score impact_score detectability_score oversight_level
skills_loaded rules_triggered harness_drift_detected task_time_seconds firewall_delegated firewall_task_id firewall_success
firewall_duration_ms estimated_usd test_retry_count tdd_followthrough_rate instincts_captured_count cost_usd session_id
context_anxiety_score model input_tokens output_tokens cache_read_tokens cache_creation_tokens monetary_math_status idempotency_status
contract_status user_intent_status judge_reasoning judge_evidence_fragments reflection_injected`

// Columns are the names of the exported columns in their order.
func Columns() []string { return strings.Fields(columns) }

// exportPage is how many rows one snapshot reads: between pages no snapshot is held, so that an export of any size never
// blocks the hooks' log.
const exportPage = 500

// Export writes every task of the last days (0: all) with all its columns, in the order of task ids, and returns how many it
// wrote. Rows written while it runs may or may not be in it.
func Export(db *store.DB, w io.Writer, format Format, now time.Time, days int) (int64, error) {
	names := Columns()
	out := bufio.NewWriterSize(w, 64<<10)
	var write func(row []any) error
	switch format {
	case JSONL:
		write = jsonlWriter(out, names)
	case CSV:
		c := csv.NewWriter(out)
		if err := c.Write(names); err != nil {
			return 0, fmt.Errorf("export tasks: %w", err)
		}
		write = csvWriter(c)
	default:
		return 0, fmt.Errorf("export tasks: unknown format %q", format)
	}
	query := "SELECT " + strings.Join(names, ",") + " FROM task_executions WHERE task_id > ? AND timestamp >= ? ORDER BY task_id LIMIT ?"
	from, last := stamp(since(now, days)), ""
	var total int64
	for {
		page := make([][]any, 0, exportPage)
		err := view(db, "tasks to export", func(tx *store.Tx) error {
			return tx.Query(query, []any{last, from, exportPage}, func(r *store.Row) error {
				row := make([]any, len(names))
				for i := range row {
					row[i] = r.Value(i)
				}
				page = append(page, row)
				return nil
			})
		})
		if err != nil {
			return total, err
		}
		for _, row := range page {
			if err := write(row); err != nil {
				return total, fmt.Errorf("export tasks: %w", err)
			}
			total++
		}
		if len(page) < exportPage {
			break
		}
		last, _ = page[len(page)-1][0].(string)
	}
	if err := out.Flush(); err != nil {
		return total, fmt.Errorf("export tasks: %w", err)
	}
	return total, nil
}

// jsonlWriter writes one object a line with its keys in column order.
func jsonlWriter(w *bufio.Writer, names []string) func([]any) error {
	return func(row []any) error {
		sep := byte('{')
		for i, v := range row {
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			_ = w.WriteByte(sep) // a failed write comes back from Flush
			_, _ = w.WriteString(`"` + names[i] + `":`)
			_, _ = w.Write(text)
			sep = ','
		}
		_, err := w.WriteString("}\n")
		return err
	}
}

func csvWriter(c *csv.Writer) func([]any) error {
	return func(row []any) error {
		fields := make([]string, len(row))
		for i, v := range row {
			switch v := v.(type) {
			case int64:
				fields[i] = strconv.FormatInt(v, 10)
			case float64:
				fields[i] = strconv.FormatFloat(v, 'g', -1, 64)
			case string:
				fields[i] = v
			}
		}
		if err := c.Write(fields); err != nil {
			return err
		}
		c.Flush()
		return c.Error()
	}
}
