package judge

import (
	"github.com/devflow-suite/devflow/judge/matter"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// The words of verdicts, which package verdict defines.
type (
	Outcome = verdict.Outcome
	Class   = verdict.Class
	Reason  = verdict.Reason
	Verdict = verdict.Verdict
	Action  = verdict.Action
	Routing = verdict.Routing
)

// What a verdict is about; see package matter.
type (
	Case  = matter.Case
	File  = matter.File
	Usage = matter.Usage
)

// DiffSHA names the difference of two trees.
func DiffSHA(now, base string) string { return matter.DiffSHA(now, base) }

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
