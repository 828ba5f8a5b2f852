package judge

import "github.com/devflow-suite/devflow/judge/verdict"

// The words of verdicts, which package verdict defines.
type (
	Outcome = verdict.Outcome
	Class   = verdict.Class
	Reason  = verdict.Reason
	Verdict = verdict.Verdict
	Action  = verdict.Action
	Routing = verdict.Routing
)

// Outcomes, classes and actions; see package verdict.
const (
	Pass    = verdict.Pass
	Warn    = verdict.Warn
	Fail    = verdict.Fail
	Error   = verdict.Error
	Skipped = verdict.Skipped

	Hard  = verdict.Hard
	Soft  = verdict.Soft
	Note  = verdict.Note
	Blind = verdict.Blind

	Silent  = verdict.Silent
	Message = verdict.Message
	Block   = verdict.Block
	Halt    = verdict.Halt
)
