package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/judge/verdict"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/flock"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// ErrNoTask is returned when the task that is to be judged is not in the store.
var ErrNoTask = errors.New("no such task")

// Deps is what a boundary run works with.
type Deps struct {
	DB        *store.DB
	Paths     config.Paths
	Now       func() time.Time          // nil = time.Now
	Examiners []Examiner                // who look; without any nothing passes
	Panel     func(config.Config) Panel // takes their place when it is set: who looks, by the configuration of the task's project
	Log       *slog.Logger              // nil = none
	NewTurn   bool                      // the turn answers another prompt than the one judged last: the same diff is no attempt then
}

// Result is the answer of a boundary run, as `devflow boundary` prints it. Who shows Text calls MarkTold with N.
type Result struct {
	TaskID        string   `json:"task_id"`
	Session       string   `json:"session"`
	Seq           int64    `json:"seq"`
	N             int64    `json:"n"` // row of judge_runs; 0 when none was written or found
	Level         string   `json:"level"`
	Verdict       Outcome  `json:"verdict"`
	Reasons       []Reason `json:"reasons"`
	Attempt       int64    `json:"attempt"`
	Limit         int64    `json:"limit"`
	Halted        bool     `json:"halted"`
	ResumeCode    string   `json:"resume_code,omitempty"`
	DiffSHA       string   `json:"diff_sha"`
	AlreadyJudged bool     `json:"already_judged"`
	Action        Action   `json:"action"`
	Text          string   `json:"text,omitempty"`
}

// Boundary judges a task: it claims the open signals, looks at the difference since the task's base tree, evaluates it,
// and stores the verdict, the consumed signals and the task's new state in one transaction. Only one runs per session at
// a time; another waits until ctx ends. A run that dies leaves its signals claimed until their lease runs out.
//
// The same diff is judged once, unless new hard signals arrived or the test run behind the verdict changed; a failed
// high-risk attempt that comes back with the same diff counts again. The error is for what kept the run from working
// (ErrNoTask, the store, ctx); the result is then the closed one that the package comment tells of.
func Boundary(ctx context.Context, d Deps, session string, seq int64) (Result, error) {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	b := &boundary{d: d, session: session, seq: seq, asked: d.Now()}
	b.by = "boundary-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(b.asked.UnixNano(), 36)
	res, err := b.run(ctx)
	if err != nil {
		return b.closed(ctx.Err() != nil), fmt.Errorf("judge %s: %w", telemetry.TaskID(session, seq), err)
	}
	return res, nil
}

// boundary is one run. It belongs to one goroutine.
type boundary struct {
	d        Deps
	session  string
	seq      int64
	by       string // claims signals under this name
	asked    time.Time
	began    time.Time
	cfg      config.Config
	task     *telemetry.Task // as it was before the run
	last     *run            // newest run before this one
	lastTest *journal.TestRun
	facts    journal.Facts
	signals  []telemetry.Signal
	c        *Case
	counted  bool // the breaker counted this failure as an attempt
}

func (b *boundary) run(ctx context.Context) (Result, error) {
	unlock, err := flock.Lock(ctx, filepath.Join(b.d.Paths.SessionDir(b.session), "worker.lock"))
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	b.began = b.d.Now()
	if err := b.d.DB.Update(b.claim); err != nil {
		return Result{}, err
	}
	b.prepare(ctx)
	defer b.c.Close()
	if b.settled() {
		return b.again(b.last.Outcome)
	}
	v := b.evaluate(ctx)
	if ctx.Err() != nil { // half a look is none: the claims go back
		return Result{}, errors.Join(context.Cause(ctx), b.d.DB.Update(b.release))
	}
	if b.repeats(v) {
		return b.again(v.Outcome)
	}
	return b.store(v)
}

// reserve is what is kept of the run's time to store the verdict in.
const reserve = 10 * time.Second

// evaluate asks the panel, and leaves time to store what it says: who is late could not look, which is a verdict too.
func (b *boundary) evaluate(ctx context.Context) Verdict {
	end, limited := ctx.Deadline()
	if !limited {
		return b.panel().Evaluate(ctx, b.c)
	}
	left := time.Until(end)
	inner, cancel := context.WithTimeoutCause(ctx, left-min(reserve, left/2), errors.New("no time left"))
	defer cancel()
	return b.panel().Evaluate(inner, b.c)
}

func (b *boundary) panel() Panel {
	if b.d.Panel == nil {
		return Panel{Examiners: b.d.Examiners}
	}
	return b.d.Panel(b.cfg)
}

// claim loads the task and takes its open signals.
func (b *boundary) claim(tx *store.Tx) error {
	t, err := telemetry.Find(tx, b.session, b.seq)
	if err != nil {
		return err
	}
	if t == nil {
		return ErrNoTask
	}
	b.task = t
	if b.last, err = lastRun(tx, b.session, b.seq); err != nil {
		return err
	}
	if b.lastTest, err = journal.LastTest(tx, t, false); err != nil {
		return err
	}
	if b.facts, err = journal.TaskFacts(tx, t); err != nil {
		return err
	}
	if _, err := breaker.Start(tx, b.session, b.seq); err != nil {
		return err
	}
	b.signals, err = telemetry.Claim(tx, b.session, b.seq, b.by, telemetry.LeaseMS, b.began.UnixMilli())
	return err
}

func (b *boundary) release(tx *store.Tx) error { return telemetry.Release(tx, b.session, b.by) }

// prepare builds the case. It fails in no way but by reasons in the case.
func (b *boundary) prepare(ctx context.Context) {
	t := b.task
	root := t.ProjectRoot
	if root == "" {
		root = t.Cwd
	}
	b.cfg, _ = config.Load(b.d.Paths, root) // problems are told at SessionStart
	b.c = &Case{
		Task: *t, Root: root, BaseTree: t.BaseTree, Signals: b.signals, LastTest: b.lastTest, SourceDirs: b.cfg.TDD.SourceDirs,
		TestsOptional: !b.cfg.Enabled(config.ModuleTDD), Clock: b.d.Now,
	}
	for _, f := range b.facts.Files {
		if f.Kind == string(tdd.Impl) || f.Kind == string(tdd.Test) {
			b.c.Edited = append(b.c.Edited, f.Path)
			b.c.TestIsStale = b.c.TestIsStale || b.lastTest != nil && f.LastMS > b.lastTest.MS
		}
	}
	b.c.Look(ctx, b.d.Paths)
	b.c.Spec = b.c.ReadSpec()
}

// settled is true when the diff has passed already and nothing new speaks against it.
func (b *boundary) settled() bool {
	l := b.last
	if l == nil || l.Outcome != Pass || l.DiffSHA != b.c.DiffSHA || b.c.DiffSHA == "" {
		return false
	}
	for _, s := range b.signals {
		if s.Severity != "info" {
			return false
		}
	}
	return b.lastTest == nil || b.lastTest.OK || b.lastTest.MS <= l.StartedMS+l.MS
}

// repeats is true when a verdict says what the last one said about the same diff, and needs no row of its own. A failed
// attempt at high risk counts again within its turn, unless another run answered it while this one waited: an agent that was
// told what to repair and did nothing. In a later turn the person may just have asked something.
func (b *boundary) repeats(v Verdict) bool {
	l := b.last
	if l == nil || l.Outcome != v.Outcome || l.DiffSHA != b.c.DiffSHA {
		return false
	}
	before, now := l.Reasons, v.Reasons[:min(len(v.Reasons), maxStored)]
	if v.Outcome == Error || unlooked(before) && unlooked(now) {
		return sameFindings(seen(before), seen(now)) // why nobody could look is said once, in whatever words
	}
	if !sameFindings(before, now) {
		return false
	}
	return v.Outcome != Fail || !b.task.HighRisk() || b.task.Halted() || b.d.NewTurn || l.StartedMS+l.MS > b.asked.UnixMilli()
}

// again answers with the last verdict and puts the task back in its state.
func (b *boundary) again(outcome Outcome) (Result, error) {
	now := b.d.Now().UnixMilli()
	err := b.d.DB.Update(func(tx *store.Tx) error {
		if err := b.answer(tx, outcome, now); err != nil {
			return err
		}
		_, err := breaker.SetVerdict(tx, b.session, b.seq, b.verdict(outcome, now))
		return err
	})
	if err != nil {
		return Result{}, err
	}
	l, t := b.last, b.task
	r := Result{
		TaskID: t.ID(), Session: b.session, Seq: b.seq, N: l.N, Level: t.Oversight, Verdict: outcome, Reasons: l.Reasons, Attempt: l.Attempt, Limit: int64(b.cfg.MaxRetries),
		Halted: t.Halted(), ResumeCode: t.ResumeCode, DiffSHA: l.DiffSHA, AlreadyJudged: true, Action: Silent,
	}
	if outcome == Fail && t.Halted() {
		r.Action, r.Text = verdict.Route(Routing{Task: r.TaskID, Level: r.Level, Verdict: Verdict{Outcome: outcome, Reasons: l.Reasons}, Known: true, Code: t.ResumeCode})
	}
	return r, nil
}

func (b *boundary) verdict(outcome Outcome, now int64) breaker.Verdict {
	return breaker.Verdict{Outcome: string(outcome), DiffSHA: b.c.DiffSHA, Prompts: b.task.Prompts, AtMS: now}
}

// answer closes the signals that the run has claimed: resolved where they are no longer true, consumed by a verdict,
// given back when nobody could judge.
func (b *boundary) answer(tx *store.Tx, outcome Outcome, now int64) error {
	for _, k := range b.c.Resolved() {
		if _, err := telemetry.Resolve(tx, b.session, b.seq, k.Kind, k.Key, k.By, now); err != nil {
			return err
		}
	}
	if outcome == Error || b.c.IsBlind() {
		return b.release(tx) // somebody has to look again, and must know what was found before
	}
	ids := make([]int64, 0, len(b.signals))
	for _, s := range b.signals {
		ids = append(ids, s.ID)
	}
	_, err := telemetry.Consume(tx, b.by, ids, now)
	return err
}

// store writes the verdict and everything that follows from it in one transaction, then the files for people.
func (b *boundary) store(v Verdict) (Result, error) {
	ended := b.d.Now()
	now := ended.UnixMilli()
	res := Result{
		TaskID: b.task.ID(), Session: b.session, Seq: b.seq, Verdict: v.Outcome, Reasons: v.Reasons, DiffSHA: b.c.DiffSHA, Limit: int64(b.cfg.MaxRetries),
	}
	var failed []run
	var open []telemetry.Signal
	err := b.d.DB.Update(func(tx *store.Tx) error {
		if err := b.answer(tx, v.Outcome, now); err != nil {
			return err
		}
		routing, err := b.advance(tx, v, now, &res)
		if err != nil {
			return err
		}
		r := run{
			Session: b.session, Seq: b.seq, DiffSHA: res.DiffSHA, Usage: b.c.Spent(), Level: res.Level,
			StartedMS: b.began.UnixMilli(), MS: max(now-b.began.UnixMilli(), 1), Outcome: v.Outcome, Reasons: v.Reasons, Tree: b.c.NowTree,
		}
		if b.counted {
			r.Attempt = res.Attempt
		}
		if err := insertRun(tx, &r); err != nil {
			return err
		}
		res.N = r.N
		if err := telemetry.Fill(tx, b.session, b.seq, columns(v, b.c.Filled()), now); err != nil {
			return err
		}
		res.Action, res.Text = verdict.Route(routing)
		if res.Action != Halt {
			return nil
		}
		if failed, err = runsOf(tx, "session_id=? AND seq=? AND verdict='fail' AND attempt>0 ORDER BY n DESC LIMIT ?", b.session, b.seq, res.Attempt); err != nil {
			return err
		}
		open, err = telemetry.OpenSignals(tx, b.session, b.seq)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if err := b.export(&res, failed, append(open, b.signals...)); err != nil {
		b.d.Log.Error("export verdict", "task_id", res.TaskID, "error", err.Error())
	}
	return res, nil
}

// unlooked is whether a failure only says that somebody who has to look could not. No work of the agent changes that, so it
// is no attempt of the agent's.
func unlooked(reasons []Reason) bool {
	hard := 0
	for _, r := range reasons {
		switch {
		case r.Weight() != Hard:
		case !missing(r):
			return false
		default:
			hard++
		}
	}
	return hard > 0
}

// missing is whether a reason says that a report is not there.
func missing(r Reason) bool {
	return r.Prefix == "sec" && strings.HasPrefix(r.Text, "swarm-reports-unavailable")
}

// seen are the reasons that speak against the work.
func seen(reasons []Reason) (list []Reason) {
	for _, r := range reasons {
		if w := r.Weight(); w == Soft || w == Hard && !missing(r) {
			list = append(list, r)
		}
	}
	return list
}

// levelReview is the level whose work a person reviews before it is published.
const levelReview = "human_review"

// advance moves the task on by a verdict and says how it is to be answered.
func (b *boundary) advance(tx *store.Tx, v Verdict, now int64, res *Result) (Routing, error) {
	t, err := telemetry.Find(tx, b.session, b.seq) // its risk may have risen while the run looked
	if err != nil {
		return Routing{}, err
	}
	if t == nil {
		return Routing{}, ErrNoTask
	}
	if b.c.ChangesWaivers() && t.Oversight != levelReview { // who changes what is accepted needs a person
		if t, err = telemetry.Change(tx, b.session, b.seq, func(t *telemetry.Task) error { t.Oversight = levelReview; return nil }); err != nil {
			return Routing{}, err
		}
	}
	res.Level = t.Oversight
	r := Routing{Task: t.ID(), Level: t.Oversight, Verdict: v, Limit: res.Limit, Report: filepath.Join(b.d.Paths.SessionDir(b.session), reportFile)}
	known, err := haltedFindings(tx, b.session, b.seq)
	if err != nil {
		return r, err
	}
	r.Known = v.Outcome == Fail && allKnown(v.Reasons, known)
	r.Unable = v.Outcome == Fail && unlooked(v.Reasons)
	if v.Outcome != Fail || !t.HighRisk() || r.Known || r.Unable {
		outcome := v.Outcome
		if r.Unable {
			outcome = Error
		}
		if t, err = breaker.SetVerdict(tx, b.session, b.seq, b.verdict(outcome, now)); err != nil {
			return r, err
		}
		r.Attempt, r.Halted, r.Code = t.Attempts, t.Halted(), t.ResumeCode
	} else {
		br, err := breaker.Fail(tx, b.session, b.seq, b.verdict(v.Outcome, now), res.Limit)
		if err != nil {
			return r, err
		}
		r.Attempt, r.Halted, r.Code, r.Same = br.Attempt, br.Halted, br.Code, br.Same
		b.counted = !br.Already
		if br.Halted {
			if err := keepHalted(tx, b.session, b.seq, v.Reasons, known); err != nil {
				return r, err
			}
		}
	}
	res.Attempt, res.Halted, res.ResumeCode = r.Attempt, r.Halted, r.Code
	return r, nil
}

// leafColumns are the columns of task_executions that a reviser may fill: nothing that others measure, nothing that costs.
var leafColumns = [...]string{
	"lob_violations", "duplication_detected", "type_contract_violations", "unjustified_complexity", "naming_consistency_score", "edge_case_coverage", "arch_pattern_violations",
	"monetary_math_status", "idempotency_status", "contract_status", "user_intent_status", "judge_reasoning",
}

// columns are those of task_executions that a verdict fills, with what revisers gave. Leaves of other names are left out:
// they are no reason to lose the verdict.
func columns(v Verdict, leaves map[string]any) map[string]any {
	blocking, evidence := []string{}, []string{}
	for _, r := range v.Reasons {
		if w := r.Weight(); w == Hard || w == Soft {
			blocking = append(blocking, r.String())
			if r.Evidence != "" && len(evidence) < verdict.MaxListed {
				evidence = append(evidence, r.Evidence)
			}
		}
	}
	out := map[string]any{"judge_verdict": string(v.Outcome), "judge_categories_failed": encode(blocking), "judge_evidence_fragments": encode(evidence)}
	for column, value := range leaves {
		switch value.(type) {
		case string, bool, int, int64, float64:
			if slices.Contains(leafColumns[:], column) {
				out[column] = value
			}
		}
	}
	return out
}

// closed is the answer when the store does not work or the time is over: nothing passes, and nothing can be counted, so
// nothing blocks.
func (b *boundary) closed(late bool) Result {
	why := "the store cannot be used"
	if late {
		why = "the run was not done in time"
	}
	reasons := []Reason{{Prefix: "sec", Class: Hard, Text: "swarm-reports-unavailable: " + why}}
	r := Result{TaskID: telemetry.TaskID(b.session, b.seq), Session: b.session, Seq: b.seq, Verdict: Fail, Reasons: reasons, Action: Message}
	r.Text = "[devflow:judge] " + r.TaskID + ": could not judge, " + why + ". This is not a pass: do not push on it."
	return r
}
