-- Schema 4: what devflock runs.

-- writer: orchestrator
-- One row per run. project: absolute folder. base, integration: commits. mode: fixed existing idea. plan, settings: JSON. state: queued
-- ready running stopped done failed. session: the Claude Code session that asked for it.
CREATE TABLE runs(
  id TEXT PRIMARY KEY, project TEXT, base TEXT, mode TEXT, request TEXT, plan TEXT, settings TEXT, state TEXT, integration TEXT,
  reason TEXT, session TEXT, created_ms INTEGER, ended_ms INTEGER
) STRICT, WITHOUT ROWID;

-- writer: orchestrator
-- modules: JSON list of names, the primary first. endpoint: a name in the run's endpoints file. context: tokens in the session.
-- public, private: the region's memory.
CREATE TABLE regions(
  run_id TEXT, name TEXT, modules TEXT, endpoint TEXT, session TEXT, context INTEGER, public TEXT, private TEXT,
  PRIMARY KEY(run_id, name)
) STRICT, WITHOUT ROWID;

-- writer: orchestrator
-- depends_on: JSON list of ids. origin: the region that requested it. state: pending running verify_failed verified done failed
-- blocked. oid: the accepted commit.
CREATE TABLE region_tasks(
  run_id TEXT, id TEXT, seq INTEGER, region TEXT, module TEXT, description TEXT, depends_on TEXT, acceptance TEXT, network INTEGER,
  origin TEXT, depth INTEGER, state TEXT, attempts INTEGER, oid TEXT, reason TEXT,
  PRIMARY KEY(run_id, id)
) STRICT, WITHOUT ROWID;

-- writer: orchestrator
-- fence: secret of the attempt, without which nothing about it is taken. kind: work repair resume. state: running accepted rejected
-- infra lost.
CREATE TABLE attempts(
  run_id TEXT, task TEXT, n INTEGER, fence TEXT, kind TEXT, state TEXT, session TEXT, pid INTEGER, pid_start INTEGER, failure TEXT,
  tokens_in INTEGER, tokens_out INTEGER, cache_read INTEGER, cache_write INTEGER, requests INTEGER, cost_usd REAL,
  started_ms INTEGER, ended_ms INTEGER,
  PRIMARY KEY(run_id, task, n)
) STRICT, WITHOUT ROWID;
