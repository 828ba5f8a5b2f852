-- Schema 3: what was learned.

-- writer: judge/instinct
-- One row per thing learned about a project. project: 16 hex digits of the SHA-256 of its resolved root and name. content_sha:
-- SHA-256 of project and content in hex, the first 8 digits of which are the id for people. category: pattern preference convention
-- pitfall. source: model or fact. confidence: 0.3 to 0.9. status: pending promoted dismissed. promoted_to: the rules file.
CREATE TABLE instincts(
  project TEXT, content_sha TEXT, root TEXT, session_id TEXT, seq INTEGER, category TEXT, content TEXT, source TEXT, confidence REAL,
  status TEXT, promoted_to TEXT, captured_ms INTEGER, decided_ms INTEGER,
  PRIMARY KEY(project, content_sha)
) STRICT, WITHOUT ROWID;
