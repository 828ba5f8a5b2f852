package report_test

import (
	"io"
	"testing"

	"github.com/devflow-suite/devflow/telemetry/report"
)

// BenchmarkReports reads each report of a store with 10,000 tasks, 300,000 tool calls, 100,000 edits and 500,000 hook runs.
func BenchmarkReports(b *testing.B) {
	db := openDB(b)
	exec(b, db,
		`CREATE TEMP TABLE n(i INTEGER PRIMARY KEY)`,
		`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < 500000) INSERT INTO n SELECT i FROM c`,
		`INSERT INTO task_executions(task_id,timestamp,session_id,task_category,task_description,stack,model,context_tokens_consumed,context_tokens_at_first_action,
		  input_tokens,output_tokens,cache_read_tokens,cache_creation_tokens,cost_usd,oversight_level,judge_verdict,judge_categories_failed,judge_reasoning)
		 SELECT printf('%08x-1111-4111-8111-111111111111#1', i*2654435761%4294967296), strftime('%Y-%m-%dT%H:%M:%fZ', 1796040000-i*600, 'unixepoch'), printf('%08x-1111-4111-8111-111111111111', i*2654435761%4294967296),
		  'feature', 'a description of some length that a person might write', 'go', 'claude-opus-4-8', i*10, i*3, i, i, i, i, 0.1, 'strict', iif(i%3,'pass','fail'), '["[tdd] Missing Test Coverage: src/x.go"]',
		  '{"verdict":"fail","violated_axes":[{"axis":"tests","rubric_line":"a line of the rubric","evidence":"src/x.go:12"}]}' FROM n WHERE i <= 10000`,
		`INSERT INTO tasks(session_id,seq,project_root,cwd,state,model,started_ms,updated_ms) SELECT session_id,1,'/home/dev/p'||(rowid_i%50),'/home/dev/p'||(rowid_i%50),'passed','claude-opus-4-8',1796040000000-rowid_i*600000,1796040000000-rowid_i*600000
		 FROM (SELECT session_id, row_number() OVER (ORDER BY timestamp DESC) AS rowid_i FROM task_executions)`,
		`INSERT INTO judge_runs(session_id,seq,n,started_ms,verdict) SELECT session_id,1,1,1796039000000,'fail' FROM tasks UNION ALL SELECT session_id,1,2,1796039000001,'pass' FROM tasks`,
		`INSERT INTO tool_log(session_id,n,seq,tool,ok,class,ms) SELECT session_id,n.i,1,'Read',n.i%7>0,NULL,started_ms FROM tasks, n WHERE n.i <= 30`,
		`INSERT INTO edits(session_id,n,seq,path,ms) SELECT session_id,n.i,1,'src/x'||(n.i%4)||'.go',started_ms FROM tasks, n WHERE n.i <= 10`,
		`INSERT INTO hook_runs(id,ms,session_id,seq,event,outcome,us,modules) SELECT i,1796040000000-(500000-i)*1000,'s',1,iif(i%2,'PreToolUse','PostToolUse'),'ok',3000+i%1000,'guard:80:ok,profiler:150:ok' FROM n`,
	)
	for _, c := range []struct {
		name string
		read func() error
	}{
		{"recent", func() error { _, err := report.Recent(db, 10); return err }},
		{"tier1", func() error { _, err := report.ReadTier1(db, now, 30); return err }},
		{"anxiety", func() error { _, err := report.Anxiety(db, 60_000, 20, true); return err }},
		{"stats", func() error { _, err := report.Stats(db, now, 0, true); return err }},
		{"behavior", func() error { _, _, err := report.Behavior(db, now, 0, 20); return err }},
		{"health", func() error { _, err := report.ReadHealth(db, now, 14, nil); return err }},
		{"weekly", func() error { _, err := report.Weekly(db, now, 8); return err }},
		{"export", func() error { _, err := report.Export(db, io.Discard, report.JSONL, now, 0); return err }},
		{"status", func() error {
			_, err := report.ReadStatus(db, report.StatusQuery{Dir: "/home/dev/p7/src"})
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
