package store_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/google/go-cmp/cmp"
)

// columns reads "name TYPE" of every column, by table.
func columns(t *testing.T, db *store.DB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := db.View(func(tx *store.Tx) error {
		return tx.Query("SELECT m.name,c.name,c.type FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type='table' ORDER BY m.name,c.cid", nil, func(r *store.Row) error {
			all[r.Text(0)] = append(all[r.Text(0)], r.Text(1)+" "+r.Text(2))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The columns of the published telemetry table, in its order, with its types (BOOL is INTEGER in a strict table).
const taskExecutions = `
task_id TEXT, timestamp TEXT, task_category TEXT, task_description TEXT, stack TEXT, iterations_to_completion INT, tool_calls_total INT,
tool_calls_without_output INT, context_tokens_consumed INT, context_tokens_at_first_action INT, backtrack_count INT,
compile_errors_first_attempt INT, compaction_events INT, spiral_detected INTEGER, judge_verdict TEXT, judge_categories_failed TEXT,
lob_violations INT, duplication_detected INTEGER, type_contract_violations INT, unjustified_complexity INTEGER,
naming_consistency_score REAL, edge_case_coverage TEXT, arch_pattern_violations INT, probability_score REAL, impact_score REAL,
detectability_score REAL, oversight_level TEXT, skills_loaded TEXT, rules_triggered TEXT, harness_drift_detected INTEGER,
task_time_seconds INT, firewall_delegated INTEGER, firewall_task_id TEXT, firewall_success INTEGER, firewall_duration_ms REAL,
estimated_usd REAL, test_retry_count INT, tdd_followthrough_rate REAL, instincts_captured_count INT, cost_usd REAL, session_id TEXT,
context_anxiety_score REAL, model TEXT, input_tokens INT, output_tokens INT, cache_read_tokens INT, cache_creation_tokens INT,
monetary_math_status TEXT, idempotency_status TEXT, contract_status TEXT, user_intent_status TEXT, judge_reasoning TEXT,
judge_evidence_fragments TEXT, reflection_injected INTEGER`

func TestSchema(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "devflow.db"))
	all := columns(t, db)
	want := []string{
		"approvals", "attempts", "cursors", "edits", "hook_runs", "instincts", "judge_runs", "kv", "messages", "phases", "pushes", "region_tasks", "regions", "runs",
		"signals", "subagents", "task_executions", "tasks", "tool_log",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(all))); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	wantColumns := strings.Split(strings.ReplaceAll(strings.TrimSpace(taskExecutions), "\n", " "), ", ")
	if diff := cmp.Diff(wantColumns, all["task_executions"]); diff != "" || len(wantColumns) != 54 {
		t.Errorf("%d columns of task_executions (-want +got):\n%s", len(wantColumns), diff)
	}
	loose := one[int](t, db, "SELECT count(*) FROM pragma_table_list WHERE schema='main' AND name NOT LIKE 'sqlite%' AND NOT strict")
	indexes := one[string](t, db, "SELECT group_concat(name) FROM sqlite_schema WHERE type='index'")
	if loose != 0 || indexes != "signals_key" {
		t.Errorf("%d tables are not strict, indexes are %s; every hook pays for an index", loose, indexes)
	}
	kept := one[int](t, db, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%--%' OR sql LIKE '%  %' OR sql LIKE '%'||char(10)||'%' OR sql LIKE '%, %'")
	if kept != 0 {
		t.Errorf("%d statements are stored with comments or blanks that every hook would parse", kept)
	}
}

// The line above a table names the one package that may write it; the architecture test of the repository reads it.
func TestEveryTableNamesItsWriter(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) != store.Schema {
		t.Fatalf("%d migrations for schema %d: %v", len(files), store.Schema, err)
	}
	head := regexp.MustCompile(`(?m)^-- writer: [a-z/]+\n(?:-- .*\n)*CREATE TABLE \w+\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if tables, named := strings.Count(string(text), "CREATE TABLE"), len(head.FindAll(text, -1)); tables != named {
			t.Errorf("%s: %d of %d tables name their writer", file, named, tables)
		}
		for line := range strings.Lines(string(text)) {
			if code, _, _ := strings.Cut(line, "--"); strings.Count(code, "'")%2 != 0 {
				t.Errorf("%s: a comment or a line ends inside a literal: %s", file, line)
			}
		}
	}
}

// A database of schema 1 with rows in every table is brought up to date without losing one.
func TestMigrationKeepsEveryRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "devflow.db")
	first, err := os.ReadFile("migrations/0001.sql")
	if err != nil {
		t.Fatal(err)
	}
	plain(t, path, "PRAGMA journal_mode=WAL", string(first), "PRAGMA user_version=1",
		"INSERT INTO judge_runs(session_id,seq,n,attempt,diff_sha,verdict,reasons,told) VALUES('s1',1,1,2,'abc','fail','[]',1),('s1',1,2,0,'def','pass','[]',0)",
		"INSERT INTO kv VALUES('k','v')", "INSERT INTO hook_runs(ms,session_id,event) VALUES(5,'s1','Stop')")
	db := open(t, path)
	if got := one[string](t, db, "SELECT group_concat(session_id||seq||n||attempt||diff_sha||verdict||told||ifnull(tree,'-'),' ') FROM judge_runs"); got != "s1112abcfail1- s1120defpass0-" {
		t.Errorf("judge_runs after the migration: %s", got)
	}
	if v, kv, runs := one[int](t, db, "PRAGMA user_version"), one[string](t, db, "SELECT v FROM kv"), one[int](t, db, "SELECT count(*) FROM hook_runs"); v != store.Schema || kv != "v" || runs != 1 {
		t.Errorf("version %d, kv %q, %d hook runs", v, kv, runs)
	}
	if left := one[int](t, db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%judged%'"); left != 0 {
		t.Errorf("the migration left a table behind")
	}
}
