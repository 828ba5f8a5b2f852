package report_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/telemetry/report"
)

const firstSession = "0a1b2c3d-1111-4111-8111-111111111111"

func TestStatusOfAHaltedTask(t *testing.T) {
	t.Parallel()
	db := seeded(t)
	spool := t.TempDir()
	for name, text := range map[string]string{"a.spool": "12345", "b.1-2.drain": "123", "c.spool": "", "d.bad": "x", "note.txt": "not ours"} {
		if err := os.WriteFile(filepath.Join(spool, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := report.ReadStatus(db, report.StatusQuery{Dir: "/home/dev/proj/src/auth", Spool: []string{spool, filepath.Join(spool, "missing")}})
	if err != nil {
		t.Fatal(err)
	}
	level, cost, occupancy, last := "human_review", 0.2875, int64(101057), int64(1796039700000)
	want := report.Status{
		Project: "/home/dev/proj", SessionID: firstSession, TaskID: firstSession + "#2", Category: "bugfix", Description: "fix: expired tokens accepted",
		StartedMS: 1796039000000, UpdatedMS: 1796039700000, Oversight: &level,
		Risk:  &report.Risk{Probability: 0.23, Impact: 0.9, Detectability: 0.56, Score: 0.115},
		State: "halted", Attempts: 3, Halted: true, Resume: "devflow approve K7Q2",
		Verdict: &report.StatusVerdict{Verdict: "fail", AtMS: 1796039600090, Attempt: 3, Model: "deterministic", Reasons: []string{
			"[tdd] Missing Test Coverage: src/auth/token.py", "[test] assertion removed (tests/test_token.py)",
		}},
		Signals: []report.OpenSignal{
			{Kind: "tdd_violation", Key: "src/auth/token.py", Severity: "hard", AtMS: 1796039100000},
			{Kind: "subagent_report", Key: "qa", Severity: "soft", Claimed: true, AtMS: 1796039150000},
		},
		Spec:    &report.StatusSpec{Status: "implementing", PlanPath: "docs/plan.md", SinceMS: 1796039000000},
		Tokens:  &report.StatusTokens{Work: 20000, SinceBaseline: 18000, Armed: true, Input: 5000, Output: 3000, CacheRead: 300000, CacheWrite: 12000},
		CostUSD: &cost, Model: "claude-opus-4-8", Occupancy: &occupancy, Compaction: 920_000, Edits: 5, LastHookMS: &last,
		Spool: report.SpoolState{Bytes: 8, Files: 2, Bad: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatusFindsTheProject(t *testing.T) {
	t.Parallel()
	db := seeded(t)
	real := filepath.Join(t.TempDir(), "real")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.MkdirAll(filepath.Join(real, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "INSERT INTO tasks(session_id,seq,project_root,updated_ms,cost_unknown,tok_in) VALUES('linked',1,'"+real+"',5,1,9),"+
		"('nested',1,'/home/dev/proj/vendor/lib',1,0,0),('sibling',1,'/home/dev/project2',9999999999999,0,0),('root',1,'/',7,0,0)")
	tests := []struct {
		name    string
		query   report.StatusQuery
		session string
	}{
		{"the folder itself", report.StatusQuery{Dir: "/home/dev/proj"}, firstSession},
		{"a folder with a longer name is another project", report.StatusQuery{Dir: "/home/dev/project2/x"}, "sibling"},
		{"the nearest project above wins", report.StatusQuery{Dir: "/home/dev/proj/vendor/lib/x"}, "nested"},
		{"through a symbolic link", report.StatusQuery{Dir: filepath.Join(link, "sub")}, "linked"},
		{"only the root is above", report.StatusQuery{Dir: "/srv"}, "root"},
		{"a session's own task comes first", report.StatusQuery{Session: "linked", Dir: "/home/dev/proj"}, "linked"},
		{"nothing given", report.StatusQuery{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := report.ReadStatus(db, tt.query)
			if err != nil || got.SessionID != tt.session {
				t.Errorf("session %q, %v; want %q", got.SessionID, err, tt.session)
			}
			if tt.session == "linked" && got.CostUSD != nil {
				t.Errorf("cost %v of a task with an unknown model, want null", *got.CostUSD)
			}
		})
	}
}

// Asking for one session never shows another one.
func TestStatusOfAnUnknownSession(t *testing.T) {
	t.Parallel()
	_, err := report.ReadStatus(seeded(t), report.StatusQuery{Session: "nosuch", Dir: "/home/dev/proj"})
	if want := "read status: session nosuch is not known"; !errors.Is(err, report.ErrNoSession) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What nobody has counted is not zero.
func TestStatusWithoutCountedReplies(t *testing.T) {
	t.Parallel()
	db := seeded(t)
	exec(t, db, "INSERT INTO tasks(session_id,seq,project_root,updated_ms,tok_in,cost_unknown) VALUES('none',1,'/p',1,0,0),('priceless',1,'/p',1,0,1),('read',1,'/p',1,0,0)",
		"UPDATE tasks SET tok_read=5, cost_nusd=2500000 WHERE session_id='read'")
	cost := 0.0025
	tests := []struct {
		session string
		tokens  *report.StatusTokens
		cost    *float64
	}{
		{"none", nil, nil},
		{"priceless", &report.StatusTokens{}, nil},
		{"read", &report.StatusTokens{CacheRead: 5}, &cost},
	}
	for _, tt := range tests {
		got, err := report.ReadStatus(db, report.StatusQuery{Session: tt.session})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.tokens, got.Tokens) + cmp.Diff(tt.cost, got.CostUSD); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.session, diff)
		}
	}
}

// The signals that a WARN or FAIL was made of are no longer open, and not gone.
func TestStatusCountsAnsweredSignals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, verdict, resolvedBy string
		at                        int64
		want                      int64
	}{
		{"consumed by a failure", "fail", "NULL", 150, 1},
		{"consumed by a warning", "warn", "NULL", 150, 1},
		{"a pass has nothing against them", "pass", "NULL", 150, 0},
		{"no longer true", "fail", "'tests/test_a.py'", 150, 0},
		{"of an earlier verdict", "fail", "NULL", 90, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := openDB(t)
			exec(t, db, "INSERT INTO tasks(session_id,seq,project_root,updated_ms) VALUES('s',1,'/p',1)",
				"INSERT INTO judge_runs(session_id,seq,n,attempt,started_ms,ms,verdict,reasons) VALUES('s',1,1,1,50,10,'fail','[]'),('s',1,2,2,100,50,'"+tt.verdict+"','[]')",
				fmt.Sprintf("INSERT INTO signals(session_id,seq,kind,key,severity,state,generation,created_ms,updated_ms,resolved_by) VALUES('s',1,'tdd_violation','a.py','hard','consumed',1,1,%d,%s)", tt.at, tt.resolvedBy))
			got, err := report.ReadStatus(db, report.StatusQuery{Session: "s"})
			if err != nil || got.Answered != tt.want || len(got.Signals) != 0 {
				t.Errorf("%d answered, %d open, %v; want %d and 0", got.Answered, len(got.Signals), err, tt.want)
			}
		})
	}
}
