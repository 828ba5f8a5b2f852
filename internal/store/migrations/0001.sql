-- Schema 1. Every hook parses all of it at open, so it holds no secondary index but the one that keeps signals unique.
-- Comments and needless blanks are taken out before execution. Times are unix milliseconds, booleans 0 or 1, NULL means unknown.
-- The line above each table names the one package that writes it.

-- writer: telemetry
CREATE TABLE tasks(
  session_id TEXT, seq INTEGER, project_root TEXT, cwd TEXT, branch TEXT, base_commit TEXT, base_tree TEXT,
  category TEXT, description TEXT, spec_status TEXT DEFAULT 'none', plan_path TEXT, spec_ms INTEGER, spec_block_prompt TEXT,
  oversight TEXT, p INTEGER, i INTEGER, d INTEGER, r INTEGER,
  state TEXT DEFAULT 'idle', attempts INTEGER DEFAULT 0, judged_sha TEXT, resume_code TEXT,
  token_baseline INTEGER DEFAULT 0, armed INTEGER DEFAULT 0,
  tok_in INTEGER DEFAULT 0, tok_out INTEGER DEFAULT 0, tok_read INTEGER DEFAULT 0, tok_w5 INTEGER DEFAULT 0, tok_w1h INTEGER DEFAULT 0,
  cost_nusd INTEGER DEFAULT 0, cost_unknown INTEGER DEFAULT 0, model TEXT,
  after_work INTEGER DEFAULT 0, first_action_tokens INTEGER, last_prompt_id TEXT, first_prompt_id TEXT,
  prompts INTEGER DEFAULT 0, stops INTEGER DEFAULT 0, compactions INTEGER DEFAULT 0, reflected INTEGER DEFAULT 0, drift INTEGER DEFAULT 0,
  rules TEXT DEFAULT '', ctx_warned INTEGER DEFAULT 0,
  started_ms INTEGER, updated_ms INTEGER, ended_ms INTEGER,
  PRIMARY KEY(session_id, seq)
) STRICT, WITHOUT ROWID;

-- writer: telemetry
-- The 54 columns of the published telemetry table in their order; INT counts things, INTEGER is a boolean.
CREATE TABLE task_executions(
  task_id TEXT PRIMARY KEY, timestamp TEXT, task_category TEXT, task_description TEXT, stack TEXT,
  iterations_to_completion INT, tool_calls_total INT, tool_calls_without_output INT,
  context_tokens_consumed INT, context_tokens_at_first_action INT, backtrack_count INT, compile_errors_first_attempt INT,
  compaction_events INT, spiral_detected INTEGER,
  judge_verdict TEXT, judge_categories_failed TEXT, lob_violations INT, duplication_detected INTEGER, type_contract_violations INT,
  unjustified_complexity INTEGER, naming_consistency_score REAL, edge_case_coverage TEXT, arch_pattern_violations INT,
  probability_score REAL, impact_score REAL, detectability_score REAL, oversight_level TEXT,
  skills_loaded TEXT, rules_triggered TEXT, harness_drift_detected INTEGER, task_time_seconds INT,
  firewall_delegated INTEGER, firewall_task_id TEXT, firewall_success INTEGER, firewall_duration_ms REAL,
  estimated_usd REAL, test_retry_count INT, tdd_followthrough_rate REAL, instincts_captured_count INT, cost_usd REAL,
  session_id TEXT, context_anxiety_score REAL, model TEXT,
  input_tokens INT, output_tokens INT, cache_read_tokens INT, cache_creation_tokens INT,
  monetary_math_status TEXT, idempotency_status TEXT, contract_status TEXT, user_intent_status TEXT,
  judge_reasoning TEXT, judge_evidence_fragments TEXT, reflection_injected INTEGER
) STRICT, WITHOUT ROWID;

-- writer: telemetry
CREATE TABLE phases(
  session_id TEXT, seq INTEGER, n INTEGER, status TEXT, ms INTEGER, work_tokens INTEGER,
  PRIMARY KEY(session_id, seq, n)
) STRICT, WITHOUT ROWID;

-- writer: telemetry
CREATE TABLE signals(
  id INTEGER PRIMARY KEY, session_id TEXT, seq INTEGER, kind TEXT, key TEXT, severity TEXT, source TEXT, payload TEXT,
  diff_sha TEXT, state TEXT, generation INTEGER, claimed_by TEXT, lease_ms INTEGER, created_ms INTEGER, updated_ms INTEGER, resolved_by TEXT
) STRICT;
CREATE UNIQUE INDEX signals_key ON signals(session_id, seq, kind, key);

-- writer: telemetry
-- outcome: ok deny ask ctx block halt message error. us: whole process. modules: "profiler:123:ctx,tdd:40:ok" with microseconds.
CREATE TABLE hook_runs(
  id INTEGER PRIMARY KEY, ms INTEGER, session_id TEXT, seq INTEGER, agent_id TEXT, event TEXT, tool TEXT, outcome TEXT, us INTEGER, modules TEXT
) STRICT;

-- writer: telemetry
-- path: relative with slashes. kind: impl test doc config generated other. test_state: changed exists none noncode.
CREATE TABLE edits(
  session_id TEXT, n INTEGER, seq INTEGER, path TEXT, tool TEXT, kind TEXT, before_sha TEXT, after_sha TEXT,
  read_before INTEGER, added INTEGER, removed INTEGER, test_state TEXT, ms INTEGER,
  PRIMARY KEY(session_id, n)
) STRICT, WITHOUT ROWID;

-- writer: telemetry
-- runner: test runner or ''. class: read test build other ... detail: of a failing test the command and at most 1 KB of output, redacted.
CREATE TABLE tool_log(
  session_id TEXT, n INTEGER, seq INTEGER, agent_id TEXT, tool TEXT, path TEXT, input_sha TEXT, ok INTEGER,
  runner TEXT, class TEXT, empty INTEGER, detail TEXT, ms INTEGER, dur_ms INTEGER,
  PRIMARY KEY(session_id, n)
) STRICT, WITHOUT ROWID;

-- writer: telemetry
CREATE TABLE subagents(
  session_id TEXT, agent_id TEXT, type TEXT, started_ms INTEGER, ended_ms INTEGER, transcript TEXT, work_tokens INTEGER, cost_nusd INTEGER,
  PRIMARY KEY(session_id, agent_id)
) STRICT, WITHOUT ROWID;

-- writer: telemetry
-- Keys "spool:*" belong to the spool of internal/store.
CREATE TABLE kv(k TEXT PRIMARY KEY, v ANY) STRICT, WITHOUT ROWID;

-- writer: telemetry/usage
CREATE TABLE cursors(
  path TEXT PRIMARY KEY, ino INTEGER, offset INTEGER, occupancy INTEGER, model TEXT, ms INTEGER
) STRICT, WITHOUT ROWID;

-- writer: telemetry/usage
-- key: 64-bit hash of message id, request id, input, cache read and cache creation tokens. out: largest output count seen.
CREATE TABLE messages(key INTEGER PRIMARY KEY, out INTEGER) STRICT;

-- writer: judge
-- verdict: pass warn fail judge_error skipped_no_diff. reasons: JSON.
CREATE TABLE judge_runs(
  session_id TEXT, seq INTEGER, n INTEGER, attempt INTEGER, diff_sha TEXT, backend TEXT, model TEXT, oversight TEXT,
  started_ms INTEGER, ms INTEGER, verdict TEXT, reasons TEXT, raw TEXT, tokens_in INTEGER, tokens_out INTEGER, cost_usd REAL,
  told INTEGER DEFAULT 0,
  PRIMARY KEY(session_id, seq, n)
) STRICT, WITHOUT ROWID;
