package panel

import (
	"context"
	"strings"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/model"
)

// broken is a backend that cannot be used.
type broken struct{ err error }

func (broken) Name() string { return "model" }

func (b broken) Revise(context.Context, *judge.Case, []judge.Reason) (judge.Revision, error) {
	return judge.Revision{}, b.err
}

// reviewer lets package model look at what was found.
type reviewer struct {
	model     model.Reviewer
	questions map[string]string
}

// fewQuestions is for a backend that starts a program for each call while somebody waits.
const fewQuestions = 3

func (o Options) reviewer(backend llm.Backend) *reviewer {
	r := &reviewer{model: model.Reviewer{Backend: backend, Model: o.Config.Model, Policy: o.policy()}, questions: map[string]string{}}
	if o.Waited && o.Config.Backend != config.BackendOpenAI {
		r.model.Questions = fewQuestions
	}
	for _, x := range evidence.Rules() {
		if x.Question != "" {
			r.questions[x.ID] = x.Question
		}
	}
	return r
}

func (*reviewer) Name() string { return "model" }

// injectionRule finds text that addresses a reviewer.
const injectionRule = "judge-addressed"

// Revise implements judge.Reviser.
func (r *reviewer) Revise(ctx context.Context, c *judge.Case, reasons []judge.Reason) (judge.Revision, error) {
	in := model.Input{
		Task: c.Task.Description, Spec: c.Spec, Rules: guidance(c), Reasons: reasons, Questions: r.questions, Diff: c.Patch(ctx), Level: c.Task.Oversight,
	}
	if c.Change != nil {
		for _, f := range c.Change.Files {
			if f.Before != nil {
				in.Files = append(in.Files, model.File{Path: f.OldPath, Base: []byte(f.Before.Src)})
			}
		}
	}
	for _, x := range reasons {
		in.Tainted = in.Tainted || x.Rule == injectionRule
	}
	res, err := r.model.Review(ctx, in)
	usage := judge.Usage{Backend: res.Backend, Model: res.Model, TokensIn: res.Usage.TokensIn, TokensOut: res.Usage.TokensOut, Raw: res.Raw, Unpriced: res.Usage.CostUSD == nil && res.Usage.Calls > 0}
	if res.Usage.CostUSD != nil {
		usage.CostUSD = *res.Usage.CostUSD
	}
	c.Spend(usage)
	return judge.Revision{Reasons: res.Reasons, Extra: res.Extra, Leaves: res.Leaves}, err
}

// guidanceFiles are what a project tells whoever works on it, the best first.
var guidanceFiles = [...]string{"PROJECT_WIKI.md", "CLAUDE.md", "AGENTS.md"}

// maxGuidance is how many lines of it a model is shown; source: governance rules of the project.
const maxGuidance = 50

// guidance is that text as it was before the change.
func guidance(c *judge.Case) string {
	if c.Change == nil || c.Change.Base == nil {
		return ""
	}
	for _, name := range guidanceFiles {
		text, ok := c.Change.Base.Read(name)
		if !ok {
			continue
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && len(lines) < maxGuidance {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	}
	return ""
}
