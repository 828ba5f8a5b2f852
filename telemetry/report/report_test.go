package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/report"
)

func TestTier1Formulas(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	const at = "'2026-11-30T10:00:00.000Z'"
	exec(t, db,
		`INSERT INTO task_executions(task_id,timestamp,session_id,judge_verdict,context_tokens_consumed,context_tokens_at_first_action,reflection_injected) VALUES
		 ('a#1',`+at+`,'a','pass',300,100,1), -- 0.5
		 ('b#1',`+at+`,'b','pass',400,300,1), -- 3
		 ('c#1',`+at+`,'c','fail',110,10,1),  -- 0.1
		 ('d#1',`+at+`,'d','warn',100,100,NULL), -- nothing after the first action: not counted
		 ('e#1',`+at+`,'e','judge_error',500,NULL,NULL),
		 ('f#1','2026-10-01T10:00:00.000Z','f','fail',300,100,NULL)`,
		`INSERT INTO judge_runs(session_id,seq,n,started_ms,verdict) VALUES
		 ('a',1,1,1796030000000,'fail'),('a',1,2,1796030000001,'judge_error'),('a',1,3,1796030000002,'fail'),('a',1,4,1796030000003,'pass'),('a',1,5,1796030000004,'fail'),
		 ('b',1,1,1796030000000,'warn'),('b',1,2,1796030000001,'pass'),
		 ('c',1,1,1796030000000,'fail'),
		 ('d',1,1,1796030000000,'skipped_no_diff'),
		 ('f',1,1,1790000000000,'fail')`)
	got, err := report.ReadTier1(db, now, 30)
	if err != nil {
		t.Fatal(err)
	}
	rate := func(v float64, n int64) report.Rate { return report.Rate{Value: &v, N: n} }
	want := report.Tier1{
		Days:                 30,
		PassRate:             rate(0.5, 4),
		UnderstandRatio:      rate(0.5, 3),
		CorrectionIterations: rate(1, 2),       // a: 2, b: 0
		ReflectionEfficiency: rate(1.0/3.0, 3), // a: next was a fail; b: a pass; c: none yet
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnxietyComposite(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	exec(t, db, `INSERT INTO task_executions(task_id,timestamp,session_id,context_tokens_at_first_action) VALUES
		('a#1','2026-11-30T10:00:00.000Z','a',100),('a#2','2026-11-30T10:00:00.000Z','a',99),('b#1','2026-11-30T10:00:00.000Z','b',98),('c','2026-11-30T10:00:00.000Z','c',97),('d#1','2026-11-30T10:00:00.000Z','d',50)`)
	var log []string
	n := 0
	call := func(session string, seq int, tool, class string) {
		n++
		log = append(log, fmt.Sprintf("('%s',%d,%d,'%s',nullif('%s',''),1)", session, n, seq, tool, class))
	}
	for range 20 {
		call("a", 1, "Read", "")
	}
	call("a", 1, "Write", "")
	for range 2 {
		call("a", 2, "Bash", "read")
	}
	call("a", 2, "Edit", "")
	for range 6 {
		call("a", 2, "Glob", "")
	}
	for range 5 {
		call("b", 1, "Read", "")
	}
	call("b", 1, "Bash", "test")
	exec(t, db, "INSERT INTO tool_log(session_id,n,seq,tool,class,ok) VALUES"+strings.Join(log, ","))
	rows, err := report.Anxiety(db, 50, 10, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		line := r.TaskID
		if r.Composite != nil {
			line += fmt.Sprintf(" %d %.2f %.3f %s", *r.ReadsBefore, *r.ReadRatio, *r.Composite, r.Level)
		}
		got = append(got, line)
	}
	want := []string{"a#1 20 1.00 1.000 high", "a#2 2 0.25 0.180 low", "b#1 5 1.00 0.600 medium", "c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBehaviorLimits(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	base := now.Add(-time.Hour).UnixMilli()
	var edits, calls, tasks []string
	edit := func(session string, seq int, path string, n int) {
		for range n {
			edits = append(edits, fmt.Sprintf("('%s',%d,%d,'%s',%d)", session, len(edits), seq, path, base+int64(len(edits))))
		}
	}
	edit("a", 1, "four.go", 4)
	edit("a", 1, "five.go", 5)
	edit("a", 2, "five.go", 4) // another task
	edit("b", 1, "ten.go", 10)
	for _, run := range []struct {
		session string
		oks     string // 1 worked, 0 failed, - unknown
	}{{"a", "00100"}, {"b", "0001"}, {"c", "100000"}, {"d", "00-0"}} {
		for i, c := range run.oks {
			ok := map[rune]string{'0': "0", '1': "1", '-': "NULL"}[c]
			calls = append(calls, fmt.Sprintf("('%s',%d,1,%s,'Bash',%d)", run.session, i, ok, base))
		}
	}
	start := func(session, cwd string, minute int) {
		tasks = append(tasks, fmt.Sprintf("('%s',1,'%s',%d)", session, cwd, base+int64(minute)*60_000))
	}
	for i, m := range []int{0, 15, 30} { // exactly half an hour
		start(fmt.Sprint("x", i), "/x", m)
	}
	for i, m := range []int{0, 16, 31} {
		start(fmt.Sprint("y", i), "/y", m)
	}
	for i := range 5 {
		start(fmt.Sprint("z", i), "/z", i)
	}
	exec(t, db, "INSERT INTO edits(session_id,n,seq,path,ms) VALUES"+strings.Join(edits, ","),
		"INSERT INTO tool_log(session_id,n,seq,ok,tool,ms) VALUES"+strings.Join(calls, ","),
		"INSERT INTO tasks(session_id,seq,cwd,started_ms) VALUES"+strings.Join(tasks, ","))
	findings, total, err := report.Behavior(db, now, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := report.Behavior(db, now, 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range all {
		got = append(got, fmt.Sprintf("%s %s %d %s%s", f.Severity, f.Kind, f.Count, f.TaskID, f.Where))
	}
	want := []string{
		"critical thrashing 10 b#1ten.go",
		"critical restart_cluster 5 /z",
		"critical error_loop 5 c#1Bash",
		"high thrashing 5 a#1five.go",
		"high restart_cluster 3 /x",
		"high error_loop 3 b#1Bash",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(findings) != 4 || total != 6 {
		t.Errorf("with a bound of 4: got %d of %d, want 4 of 6", len(findings), total)
	}
	if none, total, err := report.Behavior(db, now.Add(48*time.Hour), 1, 10); err != nil || total != 0 || len(none) != 0 {
		t.Errorf("two days later: %v, %d, %v", none, total, err)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	base := now.Add(-time.Hour).UnixMilli()
	var runs []string
	for i := range 200 {
		runs = append(runs, fmt.Sprintf("(%d,%d,'s1','PreToolUse','ok',%d,'profiler:%d:ok,guard:1:ok,:3:ok,broken')", i+1, base+int64(i), (i+1)*1000, (i+1)*10))
	}
	runs = append(runs, fmt.Sprintf("(300,%d,'s2','Stop','error',9000000,NULL)", base+300), fmt.Sprintf("(0,%d,'old','Stop','error',1,NULL)", now.AddDate(0, 0, -20).UnixMilli()))
	exec(t, db, "INSERT INTO hook_runs(id,ms,session_id,event,outcome,us,modules) VALUES"+strings.Join(runs, ","),
		fmt.Sprintf("INSERT INTO cursors(path,ms) VALUES('/p/s1.jsonl',%d),('/p/s2.jsonl',%d),('/p/s1/subagents/agent-a.jsonl',%d),('/p/gone.jsonl',%d)", base, base, base, base))
	modTime := func(path string) (time.Time, bool) {
		switch path {
		case "/p/s1.jsonl":
			return time.UnixMilli(base + 199 + 10*60_000), true // ten minutes to the millisecond: not silent
		case "/p/s2.jsonl":
			return time.UnixMilli(base + 300 + 10*60_000 + 1), true
		}
		return time.Time{}, false
	}
	h, err := report.ReadHealth(db, now, 14, modTime)
	if err != nil {
		t.Fatal(err)
	}
	wantRows := []report.HealthRow{
		{Event: "PreToolUse", Runs: 200, P50: 100, P99: 198},
		{Event: "PreToolUse", Module: "guard", Runs: 200, P50: 0.001, P99: 0.001},
		{Event: "PreToolUse", Module: "profiler", Runs: 200, P50: 1, P99: 1.98},
		{Event: "Stop", Runs: 1, P50: 9000, P99: 9000, Errors: 1, ErrorRate: 1},
	}
	if diff := cmp.Diff(wantRows, h.Events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	wantProblems := []string{
		"Stop fails in 100 % of its runs: see hooks.jsonl in devflow's logs folder",
		"Stop is slow: p99 is 9.0 s",
		"sessions that went on after their hooks had stopped: 1; run `devflow doctor`",
	}
	if diff := cmp.Diff(wantProblems, h.Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if len(h.Silent) != 1 || h.Silent[0].SessionID != "s2" {
		t.Errorf("silent sessions: %+v, want s2", h.Silent)
	}
}

func TestWeeklyCountsISOWeeks(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	exec(t, db, `INSERT INTO task_executions(task_id,timestamp,session_id,cost_usd,context_tokens_consumed,judge_verdict,judge_categories_failed) VALUES
		('a#1','2027-01-03T23:59:59.999Z','a',0.1,10,'fail','["x, y","x, y","z"]'), -- Sunday of 2026-W53
		('a#2','2026-12-28T00:00:00.000Z','a',0.2,10,'fail','["z"]'), -- its Monday
		('a#3','2027-01-04T00:00:00.000Z','a',NULL,10,'pass','not json'), -- 2027-W01
		('a#4','2027-01-04T00:00:00.000Z','a',NULL,0,NULL,'{"x":1}'), -- no reply was counted
		('a#5','2026-12-27T23:59:59.999Z','a',7,10,'pass',NULL), -- two weeks back: out of range
		('a#6','nonsense','a',7,10,'pass',NULL)`)
	weeks, err := report.Weekly(db, time.Date(2027, 1, 6, 8, 0, 0, 0, time.UTC), 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []report.Week{
		{Week: "2027-W01", From: "2027-01-04", Tasks: 2, Pass: 1, WorkTokens: ptr(int64(10)), CostUnknown: 1, Uncounted: 1, Reasons: []report.ReasonCount{}},
		{Week: "2026-W53", From: "2026-12-28", Tasks: 2, Fail: 2, WorkTokens: ptr(int64(20)), CostUSD: ptr(0.3), Reasons: []report.ReasonCount{{Reason: "z", Tasks: 2}, {Reason: "x, y", Tasks: 1}}},
	}
	if diff := cmp.Diff(want, weeks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A task of which no reply was counted has no tokens and no cost, whether its row says NULL or, as first written, 0.
func TestUncountedIsNotZero(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	exec(t, db, `INSERT INTO task_executions(task_id,timestamp,session_id,model,cost_usd,context_tokens_consumed,input_tokens,output_tokens,cache_read_tokens,cache_creation_tokens) VALUES
		('null#1','2026-11-30T11:00:00.000Z','null','a',NULL,NULL,NULL,NULL,NULL,NULL),
		('zero#1','2026-11-30T11:00:01.000Z','zero','a',0.0,0,0,0,0,0),
		('read#1','2026-11-30T11:00:02.000Z','read','b',0.0,0,0,0,4,0), -- work and cost really are 0
		('late#1','2026-11-30T11:00:03.000Z','late','c',NULL,9,NULL,NULL,NULL,NULL), -- spent before its beginning
		('priceless#1','2026-11-30T11:00:04.000Z','priceless','d',NULL,9,9,0,0,0)`)
	rows, err := report.Recent(db, 9)
	if err != nil {
		t.Fatal(err)
	}
	type known struct{ Work, Cost any }
	got := map[string]known{}
	for _, r := range rows {
		k := known{}
		if r.WorkTokens != nil {
			k.Work = *r.WorkTokens
		}
		if r.CostUSD != nil {
			k.Cost = *r.CostUSD
		}
		got[r.SessionID] = k
	}
	want := map[string]known{"null": {}, "zero": {}, "read": {int64(0), 0.0}, "late": {int64(9), nil}, "priceless": {int64(9), nil}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recent (-want +got):\n%s", diff)
	}
	stats, err := report.Stats(db, now, 30, true)
	if err != nil || len(stats) != 4 {
		t.Fatalf("%v, %v", stats, err)
	}
	a, b, d := stats[0], stats[1], stats[3]
	if a.WorkTokens != nil || a.CostUSD != nil || a.Input != nil || a.Uncounted != 2 || a.CostUnknown != 0 {
		t.Errorf("uncounted: %+v", a)
	}
	if b.WorkTokens == nil || b.CostUSD == nil || b.CacheRead == nil || b.Uncounted != 0 {
		t.Errorf("counted: %+v", b)
	}
	if d.CostUSD != nil || d.CostUnknown != 1 || d.Uncounted != 0 {
		t.Errorf("without a price: %+v", d)
	}
}

// A range of more days than a duration can hold reaches back to the beginning, not into the future.
func TestLongRanges(t *testing.T) {
	t.Parallel()
	db := seeded(t)
	for _, days := range []int{0, 36500, 106751, 106752, 9999999999, math.MaxInt} {
		if rows, err := report.Stats(db, now, days, false); err != nil || len(rows) != 1 || rows[0].Tasks != 5 {
			t.Errorf("%d days: %v, %v", days, rows, err)
		}
	}
	for _, weeks := range []int{4, 5200, 9999999999, math.MaxInt} {
		if rows, err := report.Weekly(db, now, weeks); err != nil || len(rows) != 4 {
			t.Errorf("%d weeks: %v, %v", weeks, rows, err)
		}
	}
}

func TestExportHasTheColumnsOfTheTable(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	var want []string
	if err := db.View(func(tx *store.Tx) error {
		return tx.Query("SELECT name FROM pragma_table_info('task_executions') ORDER BY cid", nil, func(r *store.Row) error {
			want = append(want, r.Text(0))
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, report.Columns()); diff != "" || len(want) != 54 {
		t.Errorf("%d columns (-table +exported):\n%s", len(want), diff)
	}
}

func TestExportOfManyPages(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	const n = 1234
	exec(t, db, fmt.Sprintf(`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < %d)
		INSERT INTO task_executions(task_id,timestamp,session_id,task_description,cost_usd,tool_calls_total)
		SELECT 's#'||i, '2026-11-30T10:00:00.000Z', 's', 'a "quoted", line'||char(10)||'break <&>', iif(i%%2, 0.1, NULL), i FROM c`, n))
	var lines, table bytes.Buffer
	for format, out := range map[report.Format]*bytes.Buffer{report.JSONL: &lines, report.CSV: &table} {
		if got, err := report.Export(db, out, format, now, 0); err != nil || got != n {
			t.Fatalf("%s: exported %d, %v; want %d", format, got, err, n)
		}
	}
	seen := map[string]bool{}
	dec := json.NewDecoder(&lines)
	for dec.More() {
		var row map[string]any
		if err := dec.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if len(row) != 54 || row["task_description"] != "a \"quoted\", line\nbreak <&>" {
			t.Fatalf("row: %v", row)
		}
		seen[row["task_id"].(string)] = true
	}
	if len(seen) != n {
		t.Errorf("%d different tasks in JSONL, want %d", len(seen), n)
	}
	records, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(records) != n+1 || len(records[0]) != 54 {
		t.Errorf("CSV: %d records, %v; want %d of 54 fields", len(records), err, n+1)
	}
	if _, err := report.Export(db, &table, "xml", now, 0); err == nil {
		t.Error("an unknown format was accepted")
	}
	if _, err := report.Export(db, failingWriter{}, report.CSV, now, 0); err == nil {
		t.Error("a failing writer went unnoticed")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }

// The JSON of every report is an interface: lists are never null.
func TestEmptyStoreGivesEmptyLists(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	recent, err1 := report.Recent(db, 10)
	anxiety, err2 := report.Anxiety(db, 0, 10, true)
	stats, err3 := report.Stats(db, now, 0, false)
	findings, _, err4 := report.Behavior(db, now, 0, 10)
	health, err5 := report.ReadHealth(db, now, 0, nil)
	weekly, err6 := report.Weekly(db, now, 8)
	status, err7 := report.ReadStatus(db, report.StatusQuery{Dir: "/nowhere"})
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
		if err != nil {
			t.Error(err)
		}
	}
	text, err := json.Marshal([]any{recent, anxiety, stats, findings, health.Events, health.Silent, weekly, status.Signals})
	if err != nil || string(text) != "[[],[],[],[],[],[],[],[]]" {
		t.Errorf("got %s, %v", text, err)
	}
}

func ptr[T any](v T) *T { return &v }
