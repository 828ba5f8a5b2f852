// Package governor lets devflow's judge look at what a worker did before it is integrated: the small adapter between two domains that
// do not know each other.
//
// It owns no table: a verdict about a worker's change goes back to the worker, and into the log of the run.
package governor

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/review"
	"github.com/devflow-suite/devflow/judge/verdict"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// Judge rules by the judge's rules, and by a model where its panel has one. It may be used from many goroutines.
type Judge struct {
	Root  string // devflow's
	Panel judge.Panel
}

// maxFailure bounds what a worker is told, in bytes.
const maxFailure = 16 << 10

// Judge implements schedule.Judge: FAIL is refused with its findings, WARN is a note. What could not be judged is no refusal, because
// the worker could do nothing about it; it is noted, and the push gate looks again.
func (j Judge) Judge(ctx context.Context, c schedule.Change) (schedule.Ruling, error) {
	base := c.Base
	if base == "" {
		base = c.Commit + "~"
	}
	report, err := review.Run(ctx, review.Options{
		Dir: filepath.Join(place.Of(j.Root, string(c.Run)).Trees(), c.Task.Region), Base: base, Task: c.Task.Description, Panel: j.Panel,
	})
	if err != nil {
		return schedule.Ruling{}, fmt.Errorf("judge task %s: %w", c.Task.ID, err)
	}
	if report.Outcome != verdict.Fail {
		return schedule.Ruling{OK: true, Notes: notes(report)}, nil
	}
	var text strings.Builder
	if err := report.Text(&text, review.Look{}); err != nil {
		return schedule.Ruling{}, fmt.Errorf("judge task %s: %w", c.Task.ID, err)
	}
	failure := text.String()
	if len(failure) > maxFailure {
		failure = strings.ToValidUTF8(failure[:maxFailure], "?") + "\n… and more"
	}
	return schedule.Ruling{Failure: "devflow's judge refuses the change:\n" + failure}, nil
}

// notes are the lines that a person may want to see of a verdict that refuses nothing.
func notes(r review.Report) []string {
	if r.Outcome == verdict.Pass {
		return nil
	}
	list := []string{r.Word()}
	for _, reason := range r.Reasons {
		list = append(list, strings.TrimSpace(reason.Place()+" "+reason.String()))
	}
	return list
}
