package governance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/verdict"
	"github.com/devflow-suite/devflow/telemetry"
)

// Risk is the score of a task, each number 0 to 1; a high detectability is hard to notice.
type Risk struct {
	Probability   float64 `json:"probability"`
	Impact        float64 `json:"impact"`
	Detectability float64 `json:"detectability"`
}

// Answer says whether the work of a task may be pushed.
type Answer struct {
	Level         *string  `json:"oversight_level"` // vibe standard strict human_review; null before the first score
	Risk          *Risk    `json:"risk"`            // null before the first score
	ShadowStarted bool     `json:"shadow_started"`  // by this very call
	Verdict       string   `json:"verdict"`         // for the present diff: pass warn fail judge_error skipped_no_diff; else stale or none
	Forced        []string `json:"forced_fail_reasons"`
	Notes         []string `json:"soft_fail_notes"`
	Ready         bool     `json:"ready_to_push"` // the verdict is pass and no forced reason stands

	broken bool // the store could not be used
}

// Apply answers for the work tree of now. Its error is ErrArgs, ErrNoTask or that of ctx; a store that cannot be used is an
// answer.
func Apply(ctx context.Context, d Deps, a Args) (Answer, error) {
	var s scene
	broken, err := d.with(a, func(tx *store.Tx, t *telemetry.Task) (err error) { s, err = read(tx, t); return err })
	switch {
	case broken:
		d.logger().Error("read store", "error", err.Error())
		return Answer{Verdict: None, Forced: []string{unavailable}, Notes: []string{}, broken: true}, nil
	case errors.Is(err, ErrNoTask): // nobody has looked: that is an answer
		return Answer{Verdict: None, Forced: []string{}, Notes: []string{"[judge] " + err.Error()}}, nil
	case err != nil:
		return Answer{}, err
	}
	st := d.look(ctx, s)
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	ans := Answer{Verdict: st.verdict}
	if s.task.Oversight != "" {
		ans.Level = &s.task.Oversight
		ans.Risk = &Risk{float64(s.task.P) / 1000, float64(s.task.I) / 1000, float64(s.task.D) / 1000}
	}
	ans.Forced, ans.Notes = split(st.reasons)
	if d.Shadow != nil && s.task.HighRisk() && st.diffSHA != "" {
		if ans.ShadowStarted, err = d.Shadow.Start(ctx, s.task, st.diffSHA); err != nil {
			d.logger().Error("start shadow run", "task_id", s.task.ID(), "error", err.Error())
			ans.Notes = append(ans.Notes, "[shadow] no test run could be started beside the session")
		}
	}
	ans.Ready = ans.Verdict == string(judge.Pass) && len(ans.Forced) == 0
	return ans, nil
}

// maxListed bounds each list of reasons, maxReason the text of one, in bytes.
const maxListed, maxReason = 50, 500

// split sorts reasons into those that block and the rest, each once.
func split(reasons []judge.Reason) (forced, notes []string) {
	forced, notes = []string{}, []string{}
	for _, r := range reasons {
		to := &notes
		if r.Weight() == judge.Hard {
			to = &forced
		}
		if text := redact.Clip(r.String(), maxReason); !slices.Contains(*to, text) && len(*to) < maxListed {
			*to = append(*to, text)
		}
	}
	return forced, notes
}

// Words of Bridge.Status.
const (
	StatusReady   = "ready_to_push"
	StatusBlocked = "blocked"        // something forced, or a FAIL
	StatusReview  = "pending_review" // a person, or a verdict, is missing
	StatusError   = "error"
)

// Bridge is an answer for scripts: the same, with one word to branch on.
type Bridge struct {
	Status string `json:"status"`
	Answer
}

// Bridge gives the answer its word. At human_review a pass still waits for a person.
func (a Answer) Bridge() Bridge {
	b := Bridge{Answer: a, Status: StatusReview}
	switch {
	case a.broken:
		b.Status = StatusError
	case len(a.Forced) > 0 || a.Verdict == string(judge.Fail):
		b.Status = StatusBlocked
	case a.Ready && (a.Level == nil || *a.Level != "human_review"):
		b.Status = StatusReady
	}
	return b
}

// Write prints the answer for a person.
func (b Bridge) Write(w io.Writer) error {
	level, risk := "not scored", "not scored"
	if b.Level != nil {
		level = *b.Level
	}
	if b.Risk != nil {
		risk = fmt.Sprintf("%.2f × %.2f × %.2f", b.Risk.Probability, b.Risk.Impact, b.Risk.Detectability)
	}
	var t strings.Builder
	fmt.Fprintf(&t, "status     %s\nverdict    %s\noversight  %s\nrisk       %s\n", b.Status, b.Verdict, level, risk)
	if b.ShadowStarted {
		t.WriteString("shadow     started\n")
	}
	for _, list := range [...]struct {
		name  string
		texts []string
	}{{"blocks", b.Forced}, {"notes", b.Notes}} {
		for i, text := range list.texts {
			name := list.name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&t, "%-10s %s\n", name, text)
		}
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// Flag is an open signal.
type Flag struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"` // hard soft info
	Summary  string `json:"summary"`
}

// Health is how a task stands.
type Health struct {
	CostUSD       *float64 `json:"cost_usd"`       // null: unknown
	TDDViolations []string `json:"tdd_violations"` // paths, looked at again
	RiskFlags     []Flag   `json:"risk_flags"`
	LastVerdict   string   `json:"last_verdict"` // of whichever diff, or none
	Level         *string  `json:"oversight_level"`
	Attempts      int64    `json:"attempts"` // FAILs since the last PASS
	Halted        bool     `json:"halted"`
}

// GetHealth reads how a task stands. Errors are ErrArgs, ErrNoTask and those of the store.
func GetHealth(ctx context.Context, d Deps, a Args) (Health, error) {
	var s scene
	if _, err := d.with(a, func(tx *store.Tx, t *telemetry.Task) (err error) { s, err = read(tx, t); return err }); err != nil {
		return Health{}, err
	}
	t := &s.task
	h := Health{TDDViolations: []string{}, RiskFlags: []Flag{}, LastVerdict: None, Attempts: t.Attempts, Halted: t.Halted()}
	if t.Oversight != "" {
		h.Level = &t.Oversight
	}
	if !t.CostUnknown && t.Work()+t.TokRead > 0 {
		usd := float64(t.CostNanoUSD) / 1e9
		h.CostUSD = &usd
	}
	if s.last.found {
		h.LastVerdict = string(s.last.outcome)
	}
	for _, sig := range s.signals {
		h.RiskFlags = append(h.RiskFlags, Flag{sig.Kind, sig.Severity, summary(sig)})
	}
	if slices.ContainsFunc(s.signals, func(sig telemetry.Signal) bool { return sig.Kind == telemetry.KindTDD }) {
		for _, r := range d.look(ctx, s).reasons {
			if r.Prefix == "tdd" && r.Class == judge.Hard && r.File != "" && !slices.Contains(h.TDDViolations, r.File) {
				h.TDDViolations = append(h.TDDViolations, r.File)
			}
		}
	}
	return h, context.Cause(ctx)
}

// summary is a signal in one line.
func summary(s telemetry.Signal) string {
	var p struct{ Summary, File string }
	_ = json.Unmarshal([]byte(s.Payload), &p) // a payload that cannot be read leaves the key
	for _, text := range [...]string{p.Summary, p.File, s.Key} {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			return redact.Clip(text, maxReason)
		}
	}
	return s.Kind
}

// Evaluation is what the judge says now.
type Evaluation struct {
	Verdict string   `json:"verdict"`
	Forced  []string `json:"forced_fail_reasons"`
	Notes   []string `json:"soft_fail_notes"`
	Axes    []string `json:"violated_axes"`
	Attempt int64    `json:"attempt"`
	DiffSHA string   `json:"diff_sha"`
}

// Evaluate runs the judge. It counts as a verdict like any other: at high risk a FAIL is an attempt. A store that cannot be
// used is an answer, a fail; errors are ErrArgs, ErrNoTask and those of ctx.
func Evaluate(ctx context.Context, d Deps, a Args) (Evaluation, error) {
	var session string
	var seq int64
	closed := Evaluation{Verdict: string(judge.Fail), Forced: []string{unavailable}, Notes: []string{}, Axes: []string{string(verdict.Security)}}
	broken, err := d.with(a, func(_ *store.Tx, t *telemetry.Task) error { session, seq = t.SessionID, t.Seq; return nil })
	if broken {
		d.logger().Error("read store", "error", err.Error())
		return closed, nil
	}
	if err != nil {
		return Evaluation{}, err
	}
	res, err := d.Judge(ctx, session, seq)
	switch {
	case ctx.Err() != nil:
		return Evaluation{}, context.Cause(ctx)
	case errors.Is(err, judge.ErrNoTask):
		return Evaluation{}, fmt.Errorf("%w: %s", ErrNoTask, telemetry.TaskID(session, seq))
	case err != nil:
		d.logger().Error("judge", "task_id", telemetry.TaskID(session, seq), "error", err.Error())
		return closed, nil
	}
	e := Evaluation{Verdict: string(res.Verdict), Axes: []string{}, Attempt: res.Attempt, DiffSHA: res.DiffSHA}
	e.Forced, e.Notes = split(res.Reasons)
	for _, axis := range verdict.Axes() {
		if slices.ContainsFunc(res.Reasons, func(r judge.Reason) bool {
			return axisOf(r) == axis && (r.Weight() == judge.Hard || r.Weight() == judge.Soft)
		}) {
			e.Axes = append(e.Axes, string(axis))
		}
	}
	return e, nil
}

// axisOf is the axis that a reason is about; those of signals have none of their own.
func axisOf(r judge.Reason) verdict.Axis {
	switch {
	case r.Axis != "":
		return r.Axis
	case r.Prefix == "tdd":
		return verdict.TDD
	case r.Prefix == "sec":
		return verdict.Security
	case r.Prefix == "test" || r.Prefix == "shadow":
		return verdict.TestIntegrity
	}
	return ""
}
