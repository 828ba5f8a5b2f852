-- Schema 2: what persons allowed, and what was published.

-- writer: guard/approval
-- One row per refused call. code: what a person types, NULL once used. call: SHA-256 of the call. rules: ids that were refused,
-- separated by blanks. path: file that a refused call would have written, relative to the project or absolute.
CREATE TABLE approvals(
  session_id TEXT, n INTEGER, code TEXT, call BLOB, rules TEXT, path TEXT, asked_ms INTEGER, granted_ms INTEGER, used_ms INTEGER,
  PRIMARY KEY(session_id, n)
) STRICT, WITHOUT ROWID;

-- writer: judge/gate/pushes
-- One row per ref that the push gate looked at. verdict: pass deny error. steps: JSON. tests: green, red, skip, session, unrun or none.
CREATE TABLE pushes(
  id INTEGER PRIMARY KEY, ms INTEGER, session_id TEXT, root TEXT, remote TEXT, ref TEXT, old_oid TEXT, new_oid TEXT, tree TEXT,
  verdict TEXT, tests TEXT, steps TEXT, took_ms INTEGER, told INTEGER
) STRICT;

-- tree: the work tree that the verdict is about; a push is covered by a verdict when its files are those of this tree. The table is
-- made anew, because a column that is added to a stored statement brings a blank which every open would parse.
CREATE TEMP TABLE judged AS SELECT * FROM judge_runs;
DROP TABLE judge_runs;
-- writer: judge
-- verdict: pass warn fail judge_error skipped_no_diff. reasons: JSON.
CREATE TABLE judge_runs(
  session_id TEXT, seq INTEGER, n INTEGER, attempt INTEGER, diff_sha TEXT, backend TEXT, model TEXT, oversight TEXT,
  started_ms INTEGER, ms INTEGER, verdict TEXT, reasons TEXT, raw TEXT, tokens_in INTEGER, tokens_out INTEGER, cost_usd REAL,
  told INTEGER DEFAULT 0, tree TEXT,
  PRIMARY KEY(session_id, seq, n)
) STRICT, WITHOUT ROWID;
INSERT INTO judge_runs SELECT *,NULL FROM judged;
DROP TABLE temp.judged;
