package table_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/telemetry/report"
	"github.com/devflow-suite/devflow/telemetry/report/table"
)

var update = flag.Bool("update", false, "rewrite testdata")

var now = time.Date(2026, 11, 30, 13, 0, 0, 0, time.FixedZone("CET", 3600))

func ptr[T any](v T) *T { return &v }

// halted is a task with everything that Status can show.
func halted() report.Status {
	return report.Status{
		Project: "/home/dev/proj", SessionID: "0a1b2c3d-1111-4111-8111-111111111111", TaskID: "0a1b2c3d-1111-4111-8111-111111111111#2", Category: "bugfix",
		Description: "fix: expired tokens accepted", StartedMS: 1796039000000, UpdatedMS: 1796039700000, Oversight: ptr("human_review"),
		Risk:  &report.Risk{Probability: 0.23, Impact: 0.9, Detectability: 0.56, Score: 0.115},
		State: "halted", Attempts: 3, Halted: true, Resume: "devflow approve K7Q2",
		Verdict: &report.StatusVerdict{Verdict: "fail", AtMS: 1796039600090, Attempt: 3, Model: "deterministic", Stale: true, Reasons: []string{
			"[tdd] Missing Test Coverage: src/auth/token.py", "[test] assertion removed (tests/test_token.py)",
		}},
		Signals: []report.OpenSignal{
			{Kind: "tdd_violation", Key: "src/auth/token.py", Severity: "hard"},
			{Kind: "subagent_report", Key: "qa", Severity: "soft", Claimed: true},
		},
		Spec:    &report.StatusSpec{Status: "implementing", PlanPath: "docs/plan.md", SinceMS: 1796035000000},
		Tokens:  &report.StatusTokens{Work: 1234567, SinceBaseline: 18000, Armed: true, Input: 5000, Output: 3000, CacheRead: 300000, CacheWrite: 12000},
		CostUSD: ptr(1234.5), Model: "claude-opus-4-8", Occupancy: ptr(int64(101057)), Compaction: 920_000, Edits: 5, LastHookMS: ptr(int64(1796039700000)),
		Spool: report.SpoolState{Bytes: 8, Files: 2, Bad: 1},
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	fresh := report.Status{
		Project: "/home/dev/proj", TaskID: "s#1", State: "idle", LastHookMS: ptr(int64(1764496000000)),
		StartedMS: 1796039000000, UpdatedMS: 1796039000000, Edits: 1, Ended: true,
	}
	unknownCost := fresh
	unknownCost.Tokens, unknownCost.Model = &report.StatusTokens{Work: 9, Input: 9}, "claude-opus-9"
	answered := fresh // one signal went into the last verdict, a failure
	answered.State, answered.Answered = "retry", 1
	answered.Verdict = &report.StatusVerdict{Verdict: "fail", AtMS: 1796039000000, Attempt: 1, Reasons: []string{"[tdd] Missing Test Coverage: a.py"}}
	both := answered // and another was raised since
	both.Signals = []report.OpenSignal{{Kind: "tdd_violation", Key: "b.py", Severity: "hard"}}
	unjudged := fresh
	unjudged.State, unjudged.Verdict = "unknown", &report.StatusVerdict{Verdict: "judge_error", AtMS: 1796039000000}
	strict := fresh
	strict.Oversight, strict.Risk = ptr("strict"), &report.Risk{Probability: 0.29, Impact: 0.9, Detectability: 0.23, Score: 0.061}
	wild := halted()
	wild.Project = "/home/" + strings.Repeat("very-long-name/", 12)
	wild.Description = "first\nsecond\x1b[31m line " + strings.Repeat("é", 300)
	wild.Resume = ""
	for i := range 14 {
		wild.Verdict.Reasons = append(wild.Verdict.Reasons, strings.Repeat("reason ", 10+i))
		wild.Signals = append(wild.Signals, report.OpenSignal{Kind: strings.Repeat("kind", 9), Severity: "information", Key: strings.Repeat("path/", 30) + "end.go"})
	}
	tests := []struct {
		name   string
		status report.Status
	}{
		{"halted", halted()},
		{"fresh", fresh},
		{"unknown-cost", unknownCost},
		{"answered", answered},
		{"answered-and-new", both},
		{"could-not-judge", unjudged},
		{"strict", strict},
		{"no-task", report.Status{Project: "/home/dev/new"}},
		{"wild", wild},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			if err := table.Status(&b, tt.status, now); err != nil {
				t.Fatal(err)
			}
			golden(t, "status-"+tt.name+".txt", b.String())
		})
	}
}

// golden compares with a file and checks what holds for every table: at most 100 columns, no control characters, no blank at a line's end.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	for line := range strings.Lines(got) {
		line = strings.TrimSuffix(line, "\n")
		if n := len([]rune(line)); n > 100 || strings.HasSuffix(line, " ") || strings.ContainsAny(line, "\x1b\t\r") {
			t.Errorf("line of %d characters: %q", n, line)
		}
	}
}

// Whatever an agent or a repository named, the table stays within 100 columns and free of control characters.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	evil := strings.Repeat("a\x1b]0;title\x07\u202e\tb\n", 20)
	var b strings.Builder
	text := &evil
	for _, err := range []error{
		table.Recent(&b, []report.TaskRow{{TaskID: evil, Timestamp: evil, Category: text, Stack: text, WorkTokens: ptr(int64(-1234567890)), Oversight: text, Verdict: text}}, now),
		table.Anxiety(&b, []report.AnxietyRow{{TaskID: evil + "#1", Timestamp: "2025-01-01T00:00:00.000Z", Model: text, FirstActionTokens: 123456789, Score: ptr(1.0),
			ReadsBefore: ptr(int64(1000)), ReadRatio: ptr(1.0), Composite: ptr(1.0), Level: "medium"}}, 60_000, now),
		table.Stats(&b, []report.StatsRow{{Model: text, Tasks: 9999, WorkTokens: ptr(int64(123_456_789)), CacheRead: ptr(int64(1_234_567_890)), CostUSD: ptr(12345.6789), CostUnknown: 1, Uncounted: 1, Pass: 100, Warn: 100, Fail: 100}}, true, 30),
		table.Behavior(&b, []report.Finding{{Kind: report.RestartCluster, Severity: "critical", Count: 1000, TaskID: evil, Where: evil}}, 2, 30, now),
		table.Health(&b, report.Health{Days: 14, Runs: 1_000_000, Truncated: true, Events: []report.HealthRow{{Event: evil, Module: evil, Runs: 1_000_000, P50: 1234.5678, P99: 99999.999, Errors: 1_000_000, ErrorRate: 1}},
			Silent: []report.SilentSession{{SessionID: evil}}}, now),
		table.Weekly(&b, []report.Week{{Week: "2026-W49", From: "2026-11-30", Tasks: 9999, WorkTokens: ptr(int64(999_999_999)), CostUSD: ptr(99999.99), CostUnknown: 1, Uncounted: 2, Reasons: []report.ReasonCount{{Reason: evil, Tasks: 1000}}}}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	golden(t, "hostile.txt", b.String())
}

// In the usual case `recent` fits a terminal of 80 columns, also with the longest of its words but one.
func TestRecentFits80Columns(t *testing.T) {
	t.Parallel()
	var rows []report.TaskRow
	for _, verdict := range []string{"pass", "warn", "fail", "skipped_no_diff"} {
		rows = append(rows, report.TaskRow{TaskID: "0a1b2c3d-1111-4111-8111-111111111111#12", Timestamp: "2026-11-30T11:55:00.000Z", Category: ptr("refactor"),
			WorkTokens: ptr(int64(1_234_567)), CostUSD: ptr(123.4567), Oversight: ptr("human_review"), Verdict: &verdict})
	}
	var b strings.Builder
	if err := table.Recent(&b, rows, now); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// One word stands for one verdict, whatever the store and the task's state call it.
func TestOneWordForOneVerdict(t *testing.T) {
	t.Parallel()
	for _, write := range []func(*strings.Builder) error{
		func(b *strings.Builder) error {
			return table.Recent(b, []report.TaskRow{{TaskID: "s#1", Verdict: ptr("judge_error"), WorkTokens: ptr(int64(1)), CostUSD: ptr(0.0)}}, now)
		},
		func(b *strings.Builder) error {
			return table.Status(b, report.Status{TaskID: "s#1", State: "unknown", Verdict: &report.StatusVerdict{Verdict: "judge_error"}, Tokens: &report.StatusTokens{}, CostUSD: ptr(0.0)}, now)
		},
		func(b *strings.Builder) error {
			return table.Stats(b, []report.StatsRow{{Tasks: 1, NotJudged: 1, WorkTokens: ptr(int64(1)), CostUSD: ptr(0.0)}}, false, 30)
		},
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		text := strings.ToLower(b.String())
		if !strings.Contains(text, "could not judge") || strings.Contains(text, "judge_error") || strings.Contains(text, "unknown") {
			t.Errorf("not one word:\n%s", b.String())
		}
	}
}

func TestTimesAreLocal(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	rows := []report.TaskRow{{TaskID: "12345678-9#3", Timestamp: "2026-11-30T11:55:00.000Z"}, {TaskID: "odd", Timestamp: "2025-12-31T23:30:00.000Z", CostUSD: ptr(0.00005)}}
	if err := table.Recent(&b, rows, now); err != nil {
		t.Fatal(err)
	}
	golden(t, "recent-local.txt", b.String())
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrorsComeBack(t *testing.T) {
	t.Parallel()
	if err := table.Status(broken{}, halted(), now); err == nil {
		t.Error("Status: no error")
	}
	if err := table.Recent(broken{}, []report.TaskRow{{}}, now); err == nil {
		t.Error("Recent: no error")
	}
}
