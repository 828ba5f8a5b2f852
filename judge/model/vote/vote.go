// Package vote says what a model's answer to one question about one finding is worth, and what several of them come to.
//
// A vote counts only when it is whole, quotes what was shown, and does not contradict itself. Nothing is decided by one
// vote, and an answer in free words is none. The package owns no table and is pure.
package vote

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/judge/model/shown"
)

// Schema is the form of a vote. The order of its members is part of it: a reason that is written before the verdict is
// thought through before it.
const Schema = `{"type":"object","additionalProperties":false,
"required":["reason","quote","file","line","confidence","verdict"],
"properties":{
"reason":{"type":"string","description":"the answer to the question, in two or three sentences"},
"quote":{"type":"string","description":"one line of the code shown that proves it, copied exactly"},
"file":{"type":"string","description":"the file that the quote is from"},
"line":{"type":"integer","description":"its line if known, else 0"},
"confidence":{"type":"number","description":"from 0 to 1"},
"verdict":{"type":"string","enum":["defect","honest","unsure"],"description":"defect: the finding is right and the work is worse for it; honest: there is nothing wrong with the change here; unsure otherwise"}}}`

// Verdict is what a vote says about a finding.
type Verdict string

// The verdicts.
const (
	Defect Verdict = "defect" // the finding is right
	Honest Verdict = "honest" // the change is honest there
	Unsure Verdict = "unsure"
)

// Vote is one answer.
type Vote struct {
	Reason     string      `json:"reason"`
	Quote      string      `json:"quote"`
	File       string      `json:"file"`
	Line       json.Number `json:"line"`
	Confidence float64     `json:"confidence"`
	Verdict    Verdict     `json:"verdict"`
}

// Why a vote does not count.
var (
	ErrContradiction = fmt.Errorf("%w: the reason contradicts the verdict", llm.ErrSchema)
	ErrNoReason      = errors.New("there is no reason")
	ErrNoQuote       = errors.New("the quotation does not stand in what was shown")
)

// leastReason is the length of the shortest sentence that gives a reason, in bytes.
const leastReason = 12

// Read takes a vote from an answer that satisfies Schema. text is everything of the work that the model was shown.
func Read(answer []byte, text string) (Vote, error) {
	var v Vote
	if err := json.Unmarshal(answer, &v); err != nil {
		return v, fmt.Errorf("read vote: %w", err)
	}
	switch {
	case len(strings.TrimSpace(v.Reason)) < leastReason:
		return v, ErrNoReason
	case v.Verdict == Defect && Contradicts(v.Reason, true), v.Verdict == Honest && Contradicts(v.Reason, false):
		return v, ErrContradiction
	case v.Verdict == Unsure:
		return v, nil
	case !shown.In(text, v.Quote):
		return v, ErrNoQuote
	}
	return v, nil
}

// Tally is the state of the votes about one finding.
type Tally struct {
	Defect, Honest int
	Void           int // answered, but without weight: unsure, no quotation
	Failed         int // no answer, or one that contradicts itself
}

// Needed is how many equal votes decide, and Most how many are cast.
const (
	Needed = 2
	Most   = 3
)

// Decided gives the verdict, Unsure while there is none.
func (t Tally) Decided() Verdict {
	switch {
	case t.Defect >= Needed:
		return Defect
	case t.Honest >= Needed:
		return Honest
	}
	return Unsure
}

// Open reports whether another vote could decide.
func (t Tally) Open() bool {
	cast := t.Defect + t.Honest + t.Void + t.Failed
	return cast < Most && t.Decided() == Unsure && max(t.Defect, t.Honest)+Most-cast >= Needed
}

// Unanswered reports whether nothing was decided because answers are missing.
func (t Tally) Unanswered() bool {
	return t.Decided() == Unsure && (t.Failed >= Needed || t.Open())
}
