package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// StatusQuery says whose state is asked for.
type StatusQuery struct {
	Session string   // "" takes the newest task of the project; one that is not known is ErrNoSession
	Dir     string   // absolute; the project is the folder itself or the nearest one above it that has tasks
	Spool   []string // folders in which rows may wait
}

// ErrNoSession is returned for a session that has left no task.
var ErrNoSession = errors.New("not known")

// Status is where the newest task of a project stands.
type Status struct {
	Project     string         `json:"project_root"`
	SessionID   string         `json:"session_id"`
	TaskID      string         `json:"task_id"` // "" when the project has no task
	Category    string         `json:"category"`
	Description string         `json:"description"`
	StartedMS   int64          `json:"started_ms"`
	UpdatedMS   int64          `json:"updated_ms"`
	Ended       bool           `json:"ended"`
	Oversight   *string        `json:"oversight"` // vibe standard strict human_review; null before the first score
	Risk        *Risk          `json:"risk"`      // null before the first score
	State       string         `json:"state"`     // idle judging passed warned retry unknown halted emergency stale
	Attempts    int64          `json:"attempts"`  // FAILs since the last PASS
	Halted      bool           `json:"halted"`
	Resume      string         `json:"resume"` // what a person types to go on; "" unless halted
	Verdict     *StatusVerdict `json:"verdict"`
	Signals     []OpenSignal   `json:"open_signals"`
	Answered    int64          `json:"answered_signals"` // that the last verdict, a WARN or FAIL, was made of and that are still true
	Spec        *StatusSpec    `json:"spec"`             // null without one
	Tokens      *StatusTokens  `json:"tokens"`           // null: no reply was counted
	CostUSD     *float64       `json:"cost_usd"`         // null: no reply was counted, or a model without a known price took part
	Model       string         `json:"model"`
	Occupancy   *int64         `json:"context_tokens"` // of the session's newest message
	Compaction  int64          `json:"compacts_at_tokens"`
	Edits       int64          `json:"edits"`
	LastHookMS  *int64         `json:"last_hook_ms"`
	Spool       SpoolState     `json:"spool"`
}

// Risk is the score of a task, each number 0 to 1.
type Risk struct {
	Probability   float64 `json:"probability"`
	Impact        float64 `json:"impact"`
	Detectability float64 `json:"detectability"` // high is hard to notice
	Score         float64 `json:"score"`         // their product
}

// StatusVerdict is the last verdict of the task.
type StatusVerdict struct {
	Verdict string   `json:"verdict"` // pass warn fail judge_error skipped_no_diff
	AtMS    int64    `json:"at_ms"`
	Attempt int64    `json:"attempt"`
	Model   string   `json:"model"`
	Stale   bool     `json:"stale"` // edited since
	Reasons []string `json:"reasons"`
}

// OpenSignal is a fact that waits for a verdict.
type OpenSignal struct {
	Kind     string `json:"kind"`
	Key      string `json:"key"`
	Severity string `json:"severity"` // hard soft info
	Claimed  bool   `json:"claimed"`  // a verdict is being made of it
	AtMS     int64  `json:"at_ms"`
}

// StatusSpec is the spec of the task.
type StatusSpec struct {
	Status   string `json:"status"` // pending implementing paused completed aborted expired
	PlanPath string `json:"plan_path"`
	SinceMS  int64  `json:"since_ms"`
}

// StatusTokens are the token counts of the task.
type StatusTokens struct {
	Work          int64 `json:"work"`
	SinceBaseline int64 `json:"since_baseline"` // work tokens since the last PASS, start or resume
	Armed         bool  `json:"armed"`          // the token guard may halt
	Input         int64 `json:"input"`
	Output        int64 `json:"output"`
	CacheRead     int64 `json:"cache_read"`
	CacheWrite    int64 `json:"cache_write"`
}

const rootsSQL = `SELECT project_root, session_id, max(updated_ms) FROM tasks WHERE project_root IS NOT NULL GROUP BY project_root`

const verdictSQL = `SELECT verdict, coalesce(started_ms,0)+coalesce(ms,0), attempt, model, reasons, coalesce(started_ms,0) FROM judge_runs
WHERE session_id = ? AND seq = ? ORDER BY n DESC LIMIT 1`

const signalsSQL = `SELECT kind, key, severity, state, updated_ms FROM signals
WHERE session_id = ? AND seq = ? AND state IN ('open','claimed') ORDER BY CASE severity WHEN 'hard' THEN 0 WHEN 'soft' THEN 1 ELSE 2 END, updated_ms, id`

const occupancySQL = `SELECT occupancy, model FROM cursors WHERE substr(path, -length(?1)) = ?1 ORDER BY ms DESC LIMIT 1`

// answeredSQL counts what the run that began at ?3 has consumed: Consume sets updated_ms, Resolve sets resolved_by.
const answeredSQL = `SELECT count(*) FROM signals
WHERE session_id = ?1 AND seq = ?2 AND state = 'consumed' AND resolved_by IS NULL AND updated_ms >= ?3`

// ReadStatus tells where the newest task of a session or project stands. Without a task only Project, LastHookMS and Spool
// are filled. A session that was asked for and has no task is ErrNoSession.
func ReadStatus(db *store.DB, q StatusQuery) (Status, error) {
	s := Status{Signals: []OpenSignal{}, Project: q.Dir, Spool: spoolState(q.Spool)}
	err := view(db, "status", func(tx *store.Tx) error {
		session := q.Session
		var t *telemetry.Task
		var err error
		if session == "" {
			session, err = newestSession(tx, q.Dir)
		}
		if err == nil && session != "" {
			t, err = telemetry.Current(tx, session)
		}
		if err == nil && t == nil && q.Session != "" {
			err = fmt.Errorf("session %s is %w", q.Session, ErrNoSession)
		}
		if err != nil {
			return err
		}
		if t != nil {
			if err := s.fill(tx, t); err != nil {
				return err
			}
		}
		return s.lastHook(tx)
	})
	return s, err
}

// newestSession is the session with the newest task of the project that holds dir, "" if there is none. The nearest project
// above dir wins; dir may be reached through a symbolic link.
func newestSession(tx *store.Tx, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	best, session, newest := "", "", int64(-1)
	err = tx.Query(rootsSQL, nil, func(r *store.Row) error {
		root := r.Text(0)
		if !within(dir, root) && !within(real, root) {
			return nil
		}
		if len(root) > len(best) || len(root) == len(best) && r.Int(2) > newest {
			best, session, newest = root, r.Text(1), r.Int(2)
		}
		return nil
	})
	return session, err
}

// within reports whether dir is root or lies below it.
func within(dir, root string) bool {
	rest, ok := strings.CutPrefix(dir, strings.TrimSuffix(root, "/"))
	return ok && root != "" && (rest == "" || rest[0] == '/')
}

func (s *Status) fill(tx *store.Tx, t *telemetry.Task) error {
	s.Project, s.SessionID, s.TaskID = t.ProjectRoot, t.SessionID, t.ID()
	s.Category, s.Description, s.Model = t.Category, t.Description, t.Model
	s.StartedMS, s.UpdatedMS, s.Ended = t.StartedMS, t.UpdatedMS, t.Ended()
	s.State, s.Attempts = string(t.State), t.Attempts
	if t.Oversight != "" {
		s.Oversight = &t.Oversight
		s.Risk = &Risk{float64(t.P) / 1000, float64(t.I) / 1000, float64(t.D) / 1000, float64(t.R) / 1000}
	}
	if s.Halted = t.State == telemetry.Halted || t.State == telemetry.Emergency; s.Halted && t.ResumeCode != "" {
		s.Resume = "devflow approve " + t.ResumeCode
	}
	if t.SpecStatus != "" && t.SpecStatus != telemetry.SpecNone {
		s.Spec = &StatusSpec{string(t.SpecStatus), t.PlanPath, t.SpecMS}
	}
	if t.Work()+t.TokRead > 0 || t.CostUnknown {
		s.Tokens = &StatusTokens{
			Work: t.Work(), SinceBaseline: max(t.Work()-t.TokenBaseline, 0), Armed: t.Armed,
			Input: t.TokIn, Output: t.TokOut, CacheRead: t.TokRead, CacheWrite: t.TokW5 + t.TokW1h,
		}
		if !t.CostUnknown {
			usd := float64(t.CostNanoUSD) / 1e9
			s.CostUSD = &usd
		}
	}
	if err := s.verdict(tx, t); err != nil {
		return err
	}
	if err := s.signals(tx, t); err != nil {
		return err
	}
	if _, err := tx.One("SELECT count(*) FROM edits WHERE session_id = ? AND seq = ?", []any{t.SessionID, t.Seq}, &s.Edits); err != nil {
		return err
	}
	var occupancy int64
	var model string
	found, err := tx.One(occupancySQL, []any{"/" + t.SessionID + ".jsonl"}, &occupancy, &model)
	if found && occupancy > 0 {
		s.Occupancy = &occupancy
	}
	s.Compaction = usage.Threshold(usage.Window(0, occupancy, t.Model, model))
	return err
}

func (s *Status) verdict(tx *store.Tx, t *telemetry.Task) error {
	v := StatusVerdict{Reasons: []string{}, Stale: t.State == telemetry.Stale}
	var reasons string
	var began int64
	found, err := tx.One(verdictSQL, []any{t.SessionID, t.Seq}, &v.Verdict, &v.AtMS, &v.Attempt, &v.Model, &reasons, &began)
	if err != nil || !found {
		return err
	}
	v.Reasons = append(v.Reasons, reasonTexts(reasons)...)
	s.Verdict = &v
	if v.Verdict == "warn" || v.Verdict == "fail" {
		_, err = tx.One(answeredSQL, []any{t.SessionID, t.Seq, began}, &s.Answered)
	}
	return err
}

// reasonTexts reads judge_runs.reasons: an array of strings or of objects with a prefix and a text.
func reasonTexts(raw string) []string {
	var items []json.RawMessage
	if json.Unmarshal([]byte(raw), &items) != nil {
		return nil
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		var text string
		if json.Unmarshal(item, &text) == nil {
			out = append(out, text)
			continue
		}
		var r struct{ Prefix, Text, File string }
		if json.Unmarshal(item, &r) != nil {
			continue
		}
		text = r.Text
		if r.Prefix != "" {
			text = "[" + strings.Trim(r.Prefix, "[]") + "] " + text
		}
		if r.File != "" && !strings.Contains(text, r.File) {
			text += " (" + r.File + ")"
		}
		out = append(out, text)
	}
	return out
}

func (s *Status) signals(tx *store.Tx, t *telemetry.Task) error {
	return tx.Query(signalsSQL, []any{t.SessionID, t.Seq}, func(r *store.Row) error {
		s.Signals = append(s.Signals, OpenSignal{
			Kind: r.Text(0), Key: r.Text(1), Severity: r.Text(2), Claimed: r.Text(3) == telemetry.SignalClaimed, AtMS: r.Int(4),
		})
		return nil
	})
}

func (s *Status) lastHook(tx *store.Tx) error {
	var ms int64
	found, err := tx.One(lastRunSQL, nil, &ms)
	if found {
		s.LastHookMS = &ms
	}
	return err
}
