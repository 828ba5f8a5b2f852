package judge

import (
	"context"
	"fmt"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge/waiver"

	"github.com/devflow-suite/devflow/judge/verdict"
)

// Examiner looks at a case and returns what speaks against it. It must not change the case. An error means that it
// could not look.
type Examiner interface {
	Name() string
	Examine(ctx context.Context, c *Case) ([]Reason, error)
}

// Reviser looks at what the examiners found. It may raise soft reasons to hard ones, lower soft ones to notes, and add
// soft ones; whatever else it tries is undone. A model is one.
type Reviser interface {
	Name() string
	Revise(ctx context.Context, c *Case, reasons []Reason) (Revision, error)
}

// Revision is what a Reviser comes to.
type Revision struct {
	Reasons []Reason       // those it was given, in their order
	Extra   []Reason       // more, soft at most
	Leaves  map[string]any // columns of task_executions by name
}

// Panel is everybody who looks at a case.
type Panel struct {
	Examiners []Examiner
	Revisers  []Reviser
}

// Evaluate asks every examiner, applies the project's waivers, asks the revisers, and folds what they and the signals
// say. It never fails: what could not be looked at is a reason.
func (p Panel) Evaluate(ctx context.Context, c *Case) Verdict {
	waivers := c.Waivers() // what does not hold there is a doubt
	reasons := append(c.Forced(), c.Doubts()...)
	for _, e := range p.Examiners {
		found, err := e.Examine(ctx, c)
		reasons = append(reasons, found...)
		if err != nil {
			reasons = append(reasons, unable(e.Name(), err))
		}
	}
	if len(p.Examiners) == 0 {
		reasons = append(reasons, Reason{Prefix: "judge", Class: Blind, Text: "could not judge: no examiner"})
	}
	reasons = append(waiver.Apply(reasons, waivers, c.Now()), c.WaiverDoubts()...)
	reasons = verdict.Tidy(reasons)
	for _, r := range p.Revisers {
		if c.NoDiff {
			break
		}
		revision, err := r.Revise(ctx, c, reasons)
		if err != nil {
			reasons = append(reasons, unable(r.Name(), err))
			continue
		}
		reasons = revised(reasons, revision)
		for column, value := range revision.Leaves {
			c.Fill(column, value)
		}
	}
	reasons = verdict.Tidy(reasons)
	v := Verdict{Outcome: verdict.Fold(reasons), Reasons: reasons}
	if c.NoDiff && v.Outcome == Pass {
		v.Outcome = Skipped
	}
	return v
}

// unable says that somebody could not look: no pass, whatever the others found.
func unable(name string, err error) Reason {
	return Reason{Prefix: "judge", Class: Blind, Text: fmt.Sprintf("could not judge: %s: %s", name, redact.Clip(err.Error(), maxCause))}
}

// maxCause bounds an error in a reason, in bytes.
const maxCause = 300

// revised holds a reviser to what it may do: hard stays hard, soft becomes hard or a note, nothing else moves.
func revised(before []Reason, r Revision) []Reason {
	out := append([]Reason{}, before...)
	for i := range out {
		if i >= len(r.Reasons) || r.Reasons[i].Finding() != before[i].Finding() && r.Reasons[i].File != before[i].File || before[i].Weight() != Soft || before[i].Waived {
			continue
		}
		switch w := r.Reasons[i].Weight(); w {
		case Hard, Note:
			out[i].Class, out[i].Fix = w, r.Reasons[i].Fix
			out[i].Text = r.Reasons[i].Text
		}
	}
	for _, extra := range r.Extra {
		if extra.Weight() == Hard {
			extra.Class = Soft
		}
		if extra.Weight() == Hard { // a prefix that nobody categorised: not a reviser's to give
			continue
		}
		out = append(out, extra)
	}
	return out
}

// Evaluate is Panel.Evaluate without revisers.
func Evaluate(ctx context.Context, c *Case, examiners ...Examiner) Verdict {
	return Panel{Examiners: examiners}.Evaluate(ctx, c)
}
