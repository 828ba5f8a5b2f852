// Package verdict holds what the judge says: reasons, the outcome that they come to, and what follows from it at the end
// of a turn.
//
// It owns no table and looks at nothing: reasons come from examiners, and an outcome is computed from them here and
// nowhere else. All functions are pure and safe for concurrent use.
package verdict

import (
	"slices"
	"strconv"

	"github.com/devflow-suite/devflow/internal/redact"
)

// Outcome is what a judge run came to. The words are those of judge_runs and of column judge_verdict.
type Outcome string

// The outcomes, with the words of telemetry/breaker. Error means that nobody could look: it is neither a pass nor an attempt.
const (
	Pass    Outcome = "pass"
	Warn    Outcome = "warn"
	Fail    Outcome = "fail"
	Error   Outcome = "judge_error"
	Skipped Outcome = "skipped_no_diff"
)

// Class is what a reason may do to the outcome.
type Class string

// The classes. The zero value counts as Hard: what nobody classified blocks.
const (
	Hard  Class = "hard"  // mechanically certain: fail, no model lifts it
	Soft  Class = "soft"  // warn
	Note  Class = "note"  // shown, decides nothing
	Blind Class = "blind" // something could not be looked at: no pass
)

// MaxEvidence bounds a quoted line, in bytes.
const MaxEvidence = 300

// Reason is one thing that speaks against the work, or that could not be seen. Text names the file where there is one.
type Reason struct {
	Prefix   string `json:"prefix"`         // tdd test sec shadow halt lint conflict judge qa doc …; of a rule's finding the short name of its axis
	Rule     string `json:"rule,omitempty"` // the rule of the evidence engine that found it
	Axis     Axis   `json:"axis,omitempty"`
	Class    Class  `json:"class"`
	Text     string `json:"text"`
	File     string `json:"file,omitempty"` // slash path relative to the project
	Line     int    `json:"line,omitempty"` // from 1 in the present file; 0 = the file as a whole
	Gone     bool   `json:"gone,omitempty"` // File is deleted, and Line one of its former lines
	Evidence string `json:"evidence,omitempty"`
	Fix      string `json:"fix,omitempty"`    // what makes it go away
	Unit     string `json:"unit,omitempty"`   // function or test that it is about
	Waived   bool   `json:"waived,omitempty"` // a person of the project accepts it; see package waiver
	Before   string `json:"-"`                // text of that unit before and after the change, for a question to a model
	After    string `json:"-"`
}

// String is the form that hooks, reports and people see: "[tdd] Missing Test Coverage: src/a.py".
func (r Reason) String() string { return "[" + r.Prefix + "] " + r.Text }

// Place is where it is: "src/a.py:7", the file alone where it is about a whole file, "" for none.
func (r Reason) Place() string {
	if r.File == "" || r.Line <= 0 {
		return r.File
	}
	return r.File + ":" + strconv.Itoa(r.Line)
}

// Weight is the class that counts: [qa] and [doc] are notes whatever they claim to be, a prefix that nobody categorised
// blocks.
//
// A finding of a rule counts as its author classified it; without a class it blocks.
func (r Reason) Weight() Class {
	if r.Rule != "" {
		switch r.Class {
		case Soft, Note, Blind:
			return r.Class
		}
		return Hard
	}
	switch r.Prefix {
	case "qa", "doc":
		return Note
	case "tdd", "test", "sec", "shadow", "judge": // may be softer than hard when their author says so
		switch r.Class {
		case Soft, Note, Blind:
			return r.Class
		}
	}
	return Hard
}

// Finding identifies a reason across runs: the same complaint about the same file, wherever its line moved to.
func (r Reason) Finding() string { return r.Prefix + "\x00" + r.Text + "\x00" + r.File }

// Verdict is an outcome with what led to it, the heaviest first.
type Verdict struct {
	Outcome Outcome
	Reasons []Reason
}

// manyTests is how many units with a soft finding on test_integrity are no accident any more.
const manyTests = 3

// Fold turns reasons into an outcome: anything hard fails, and so do soft findings on test_integrity in three different
// units; otherwise anything that nobody could look at makes it Error; otherwise anything soft warns. Notes never change
// it. It does not know Skipped: that is the absence of a diff.
func Fold(reasons []Reason) Outcome {
	outcome := Pass
	weak := map[string]bool{}
	for _, r := range reasons {
		if r.Axis == TestIntegrity && r.Rule != "" && !r.Waived && r.Weight() == Soft && r.Unit != "" {
			if weak[r.File+"\x00"+r.Unit] = true; len(weak) >= manyTests {
				return Fail
			}
		}
	}
	for _, r := range reasons {
		switch r.Weight() {
		case Hard:
			return Fail
		case Blind:
			outcome = Error
		case Soft:
			if outcome == Pass {
				outcome = Warn
			}
		}
	}
	return outcome
}

// Tidy redacts and bounds the evidence, writes the class that counts into each reason, keeps one reason per finding and
// orders by weight.
func Tidy(reasons []Reason) []Reason {
	seen := map[string]bool{}
	out := make([]Reason, 0, len(reasons))
	for _, r := range reasons {
		if seen[r.Finding()] {
			continue
		}
		seen[r.Finding()] = true
		r.Class = r.Weight()
		r.Evidence = redact.Clip(r.Evidence, MaxEvidence)
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return rank(a.Class) - rank(b.Class) })
	return out
}

func rank(c Class) int {
	return slices.Index([]Class{Hard, Blind, Soft, Note}, c)
}
