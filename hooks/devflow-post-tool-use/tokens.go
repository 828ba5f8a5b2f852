package main

import (
	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/journal"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// tokens reads the new lines of the transcript, warns when the context fills up, and halts a task that burns tokens
// without a PASS after a FAIL.
func tokens(s *event.Scene, tx *store.Tx, t *telemetry.Task) (claude.Output, hooks.Outcome, error) {
	if t == nil || s.In.TranscriptPath == "" {
		return claude.Output{}, hooks.OK, nil
	}
	o, err := s.Reading(tx)
	if err != nil {
		return claude.Output{}, hooks.OK, err
	}
	res, err := usage.Ingest(tx, t, s.In.TranscriptPath, o)
	if err != nil || res.Bytes == 0 {
		return claude.Output{}, hooks.OK, err
	}
	out, outcome, err := contextGuard(s, tx, t, res)
	if err != nil {
		return out, outcome, err
	}
	halt, halted, err := budget(s, tx, t, res)
	if halted != hooks.OK {
		outcome = halted
	}
	return claude.Merge(s.In.Event, halt, out), outcome, err
}

// contextGuard warns once at each step per compaction. Subagents have a context of their own.
func contextGuard(s *event.Scene, tx *store.Tx, t *telemetry.Task, res usage.Result) (claude.Output, hooks.Outcome, error) {
	if s.In.AgentID != "" || res.Occupancy == 0 || !s.Cfg.Enabled(config.ModuleContext) {
		return claude.Output{}, hooks.OK, nil
	}
	text, bits := usage.ContextWarning(res.Occupancy, res.Window, t.CtxWarned, t.PlanPath)
	if text == "" {
		return claude.Output{}, hooks.OK, nil
	}
	s.Stale, t.CtxWarned = true, bits
	return claude.Context(s.In.Event, text), hooks.Context, telemetry.SetWarned(tx, t.SessionID, t.Seq, bits)
}

// budget is the token guard.
func budget(s *event.Scene, tx *store.Tx, t *telemetry.Task, res usage.Result) (claude.Output, hooks.Outcome, error) {
	b := usage.Budget{
		Work: t.Work() + res.Added.Work(), Baseline: t.TokenBaseline, Limit: s.Cfg.TokenDelta.Limit, Armed: t.Armed,
		Always: s.Cfg.TokenDelta.Arm == config.ArmAlways, Halted: t.Halted(), Advised: t.CtxWarned&usage.WarnedTokens != 0,
	}
	switch usage.TokenGuard(b) {
	case usage.GuardAdvise:
		s.Stale = true
		return claude.Context(s.In.Event, usage.AdviceText(b)), hooks.Context, telemetry.SetWarned(tx, t.SessionID, t.Seq, t.CtxWarned|usage.WarnedTokens)
	case usage.GuardHalt:
		code, fired, err := breaker.HaltEmergency(tx, t.SessionID, t.Seq, b.Delta(), s.Now.UnixMilli())
		s.Stale = true
		if err != nil || !fired {
			return claude.Output{}, hooks.OK, err
		}
		verdict := ""
		if last, err := journal.LastVerdict(tx, t); err == nil && last != nil {
			verdict = last.Outcome
		}
		s.WriteHalt(b.Record(s.Now, t.SessionID, t.ID(), verdict).Line())
		return claude.Halt(usage.HaltText(b, code, s.HaltLog())), hooks.Halt, nil
	}
	return claude.Output{}, hooks.OK, nil
}
