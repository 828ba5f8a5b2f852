-- Schema 2: what persons allowed, and what was published.

-- writer: guard/approval
-- One row per refused call. code: what a person types, NULL once used. call: SHA-256 of the call. rules: ids that were refused,
-- separated by blanks. path: file that a refused call would have written, relative to the project or absolute.
CREATE TABLE approvals(
  session_id TEXT, n INTEGER, code TEXT, call BLOB, rules TEXT, path TEXT, asked_ms INTEGER, granted_ms INTEGER, used_ms INTEGER,
  PRIMARY KEY(session_id, n)
) STRICT, WITHOUT ROWID;

-- writer: judge/gate/pushes
-- One row per ref that the push gate looked at. verdict: pass deny error. steps: JSON. tests: green, red, skip or none.
CREATE TABLE pushes(
  id INTEGER PRIMARY KEY, ms INTEGER, session_id TEXT, root TEXT, remote TEXT, ref TEXT, old_oid TEXT, new_oid TEXT, tree TEXT,
  verdict TEXT, tests TEXT, steps TEXT, took_ms INTEGER, told INTEGER
) STRICT;

-- The work tree that a verdict is about: a push is covered by a verdict when its files are those of this tree.
ALTER TABLE judge_runs ADD COLUMN tree TEXT;
