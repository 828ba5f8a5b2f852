// Package model lets a language model look at what the rules of the judge found, after they have found it.
//
// It asks one pointed question about each soft finding, with the unit before and after the change, and counts votes: two of
// three raise the finding to hard or lower it to a note. A second kind of question fills the columns of taste and looks
// whether the task was done; its answers warn at most. Three things hold whatever a model says: a hard finding stays hard,
// an outcome is never taken from a model, and a vote without a quotation of what was shown is none. Text in the work under
// review that talks to the model can therefore silence a warning at worst.
//
// The package owns no table. It starts no process itself; the backend may. Nothing of transcripts, of earlier refusals or
// of the session is ever part of a question.
package model

import (
	"context"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/ask"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Bounds of one review when the Reviewer has none of its own.
const (
	DefaultParallel  = 4
	DefaultQuestions = 6
	// DefaultTemperature makes votes differ where a model is not sure.
	DefaultTemperature = 0.7
	// MaxQuestion bounds one pointed question, instructions included, in bytes: about 2,000 tokens.
	MaxQuestion = 8000
	maxRaw      = 16 << 10
	voteTokens  = 700
	leafTokens  = 4000
)

// Reviewer asks one model. Backend and Model are required. It may be used by many goroutines.
type Reviewer struct {
	Backend   llm.Backend
	Model     string
	Policy    ask.Policy // of every single call; the zero value is one try
	Parallel  int        // calls at once; 0 = DefaultParallel
	Questions int        // findings that are asked about; 0 = DefaultQuestions; the others keep their class
	NoLeaves  bool       // leave out the questions of taste and scope
}

// Input is what is reviewed. Everything in it counts as text from outside.
type Input struct {
	Task, Spec string           // what was asked for
	Rules      string           // guidance of the project
	Reasons    []verdict.Reason // what was found, in order
	// Questions are what is asked about a finding, by rule; findings of other rules are not asked about.
	Questions map[string]string
	Diff      []byte // the patch as git prints it
	Files     []File // the changed files as they were before; may be empty
	Level     string // of oversight; at "vibe" nothing is asked
	// Tainted is set when the change holds text that addresses a reviewer: then no finding is lowered.
	Tainted bool
}

// File is a changed file before the change.
type File struct {
	Path string
	Base []byte
}

// Result is what the model had to say.
type Result struct {
	Reasons []verdict.Reason // those of the input in their order; of soft ones class and Fix may have changed
	Extra   []verdict.Reason // more soft findings
	Leaves  map[string]any   // columns of the telemetry by name; nil when the model did not answer
	Usage   Usage
	Model   string // that answered
	Backend string
	Raw     string // what it said, redacted and bounded, for the record
}

// Usage is what a review cost.
type Usage struct {
	Calls               int64
	TokensIn, TokensOut int64
	CostUSD             *float64 // nil unless the cost of every call is known
}

// Review asks about the findings and the work as a whole, all within ctx. The result is valid also beside an error, with what was
// decided until then. The error wraps a kind of package llm, or vote.ErrContradiction: at least one question has no
// answer, and the work could not be judged as a whole.
func (r *Reviewer) Review(ctx context.Context, in Input) (Result, error) {
	run := newRun(r, in)
	if in.Level != "vibe" {
		run.all(ctx)
	}
	return run.result()
}
