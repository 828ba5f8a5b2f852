package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/look"
	"github.com/devflow-suite/devflow/telemetry"
)

// maxJudged bounds how many verdicts back a covering one is looked for.
const maxJudged = 10

// verdict asks what was judged of the range, and judges the rest.
func (c *checker) verdict(ctx context.Context, s *span, changes []gitx.Change) error {
	began := c.Now()
	covering, err := c.covering(ctx, s, changes)
	if err != nil {
		return err
	}
	review, err := c.review(s, covering)
	if err != nil {
		return err
	}
	if review {
		step := c.step("verdict", began)
		step.Text = "the task is of the level human_review: a person reviews it before it is pushed"
		c.refuse(gate.RuleReview, step)
	}
	if covering == nil {
		v, err := c.judge(ctx, s)
		if err != nil {
			return err
		}
		step := c.step("verdict", began)
		step.Text = string(v.Outcome) + " (judged now)"
		c.outcome(step, v.Outcome, v.Reasons, s)
		return nil
	}
	step := c.step("verdict", began)
	step.Text = string(covering.Outcome)
	c.outcome(step, covering.Outcome, covering.Reasons, s)
	return nil
}

// levelReview is the level whose work a person reviews before it is published.
const levelReview = "human_review"

// review is whether an agent pushes what a person has to review first: the verdict about it says so, or the task that the agent
// is at does. Within its turn that one was not judged yet, and with an edit on top no more.
func (c *checker) review(s *span, covering *judge.Judged) (bool, error) {
	if !c.req.Agent {
		return false, nil
	}
	if covering != nil && covering.Level == levelReview {
		return true, nil
	}
	if c.DB == nil || c.req.Session == "" {
		return false, nil
	}
	var t *telemetry.Task
	err := c.DB.View(func(tx *store.Tx) (err error) {
		t, err = telemetry.Current(tx, c.req.Session)
		return err
	})
	return t != nil && t.Edited && t.Oversight == levelReview && t.ProjectRoot == s.Root, err
}

// outcome notes what a verdict means for the push: a pass goes, a warning goes anywhere but to a protected branch, anything else
// is refused.
func (c *checker) outcome(step gate.Step, o judge.Outcome, reasons []judge.Reason, s *span) {
	if o == judge.Pass {
		c.note(step)
		return
	}
	if len(reasons) > 0 {
		step.Text += ": " + first(reasons)
	}
	if s.pending {
		step.Text += "; the work tree was looked at, because the commit is not made yet: commit first, and push by a command of its own"
	}
	if o == judge.Warn && !s.protected {
		step.Status = gate.Warn
		c.note(step)
		return
	}
	c.refuse(gate.RuleVerdict, step)
}

// maxReasons bounds the reasons of a verdict in a message.
const maxReasons = 3

// first are the heaviest reasons in one line.
func first(reasons []judge.Reason) (text string) {
	for i, r := range reasons {
		if i == maxReasons {
			return text + fmt.Sprintf("; and %d more", len(reasons)-maxReasons)
		}
		if i > 0 {
			text += "; "
		}
		text += r.String()
		if where := r.Place(); where != "" && !strings.Contains(r.Text, r.File) {
			text += " at " + where
		}
		if r.Fix != "" {
			text += " (" + r.Fix + ")"
		}
	}
	return text
}

// covering is the newest verdict about a work tree that had every pushed path as it is pushed, nil when there is none.
func (c *checker) covering(ctx context.Context, s *span, changes []gitx.Change) (*judge.Judged, error) {
	if c.DB == nil {
		return nil, nil
	}
	var list []judge.Judged
	if err := c.DB.View(func(tx *store.Tx) (err error) {
		list, err = judge.JudgedTrees(tx, s.Root, maxJudged)
		return err
	}); err != nil {
		return nil, err
	}
	pushed := make(map[string]bool, 2*len(changes))
	for _, ch := range changes {
		if pushed[ch.Path] = true; ch.OldPath != "" {
			pushed[ch.OldPath] = true
		}
	}
	for i, j := range list {
		if j.Outcome == judge.Error || j.Outcome == judge.Skipped {
			continue // nobody has looked
		}
		differ, err := s.Changes(ctx, s.objs, j.Tree, s.tree)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			continue // its objects are gone
		}
		covers := true
		for _, d := range differ {
			covers = covers && !pushed[d.Path] && !pushed[d.OldPath]
		}
		if covers && concerns(&j, pushed) {
			return &list[i], nil
		}
	}
	return nil, nil
}

// concerns reports whether a verdict says something about what is pushed: a failure of files that stay here says nothing.
func concerns(j *judge.Judged, pushed map[string]bool) bool {
	elsewhere := 0
	for _, r := range j.Reasons {
		if w := r.Weight(); w == judge.Note {
			continue
		}
		if r.File == "" || pushed[r.File] {
			return true
		}
		elsewhere++
	}
	return elsewhere == 0
}

// judge judges the range itself. Whether code has tests is left to the linter coverage_gate: the judge's finder reads a folder,
// and the pushed tree lies in none.
func (c *checker) judge(ctx context.Context, s *span) (v judge.Verdict, err error) {
	kase, err := c.kase(ctx, s)
	if err != nil {
		return v, err
	}
	return judge.Evaluate(ctx, kase, c.Examiners...), nil
}

// kase is the case of a range: what its own commits change.
func (c *checker) kase(ctx context.Context, s *span) (*judge.Case, error) {
	files, err := changeset.Read(ctx, s.Repo, s.objs, s.base, s.tip, look.Wanted)
	if err != nil {
		return nil, err
	}
	own := make([]changeset.File, 0, len(files))
	for _, f := range files {
		if len(s.own([]gitx.Change{f.Change})) > 0 {
			own = append(own, f)
		}
	}
	kase := &judge.Case{BaseTree: s.base, NowTree: s.tree, DiffSHA: judge.DiffSHA(s.tree, s.base), TestsOptional: true, Clock: c.Now}
	kase.Take(ctx, s.Repo, s.objs, own)
	return kase, nil
}
