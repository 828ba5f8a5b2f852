// Package asking lets a model be the second half of a worker of the swarm.
//
// The change stands fenced in the prompt, as data. The answer is validated against a schema; what it claims counts only
// where package swarm finds the quoted line in the change. It owns no table.
package asking

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/ask"
	"github.com/devflow-suite/devflow/internal/llm/fence"
	"github.com/devflow-suite/devflow/internal/llm/reply"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/swarm"
)

// Asker implements swarm.Model.
type Asker struct {
	Backend llm.Backend
	Model   string
	Policy  ask.Policy
}

// Bounds of a prompt, in bytes; source: governance rules of the project.
const (
	maxDiff = 160 << 10
	maxFile = 24 << 10
	maxRaw  = 4 << 10
)

// instructions of the workers. Each demands a quotation: what a model cannot quote it has not seen.
func instructions(worker string) (system string, statuses []string) {
	switch worker {
	case swarm.Sec:
		return "You review a change for security holes that it brings in: hard-coded credentials, injection (SQL, shell, path, template), unsafe deserialisation, disabled verification. " +
			"Report only what an attacker could use, on lines that the change adds. Code that was there before, tests and examples are no findings.", []string{"safe", "unsafe"}
	case swarm.QA:
		return "You review the tests of a change. For every changed function name the inputs of the kinds empty, malformed, race, overflow and timezone that matter to it and that no shown test tries. " +
			"Quote the line of the function that would go wrong.", []string{"ok", "weak", "missing"}
	}
	return "You compare a change with the documents of its project. Name flags, settings, commands and public functions that the change adds or alters and that the documents do not tell of, or tell wrongly. " +
		"Quote the added line.", []string{"ok", "drift"}
}

func schema(statuses []string) []byte {
	list, _ := json.Marshal(statuses)
	return fmt.Appendf(nil, `{"type":"object","additionalProperties":false,"required":["reason","findings","status"],"properties":{
"reason":{"type":"string","maxLength":2000},
"findings":{"type":"array","maxItems":20,"items":{"type":"object","additionalProperties":false,"required":["file","class","quote"],"properties":{
"file":{"type":"string","maxLength":400},"class":{"type":"string","maxLength":80},"quote":{"type":"string","minLength":4,"maxLength":400}}}},
"status":{"enum":%s}}}`, list)
}

// Look implements swarm.Model.
func (a Asker) Look(ctx context.Context, c *judge.Case, worker string) (swarm.Answer, error) {
	system, statuses := instructions(worker)
	s, err := reply.Compile(schema(statuses))
	if err != nil {
		return swarm.Answer{}, err
	}
	f := fence.New()
	r := llm.Request{
		System: system + "\n" + f.Rule() + "\nAnswer with one JSON object of the given schema: the reason first, then findings, then the status. Without a quotable line there is no finding.",
		Prompt: f.Block("task", redact.Clip(c.Spec, 8<<10)) + f.Block("change", diff(c)), Schema: schema(statuses), SchemaName: "report_" + worker, Model: a.Model, MaxTokens: 2000,
	}
	answer, err := ask.Ask(ctx, a.Backend, r, s, a.Policy)
	usage := judge.Usage{TokensIn: answer.TokensIn, TokensOut: answer.TokensOut, Unpriced: !answer.Priced}
	if answer.CostUSD != nil {
		usage.CostUSD = *answer.CostUSD
	}
	if err == nil {
		usage.Backend, usage.Model, usage.Raw = a.Backend.Name(), answer.Model, redact.Clip(answer.Raw, maxRaw)
	}
	c.Spend(usage)
	if err != nil {
		return swarm.Answer{}, err
	}
	var out struct {
		Findings []struct{ File, Class, Quote string }
		Status   swarm.Status
	}
	if err := json.Unmarshal(answer.JSON, &out); err != nil {
		return swarm.Answer{}, fmt.Errorf("read report of %s: %w", worker, err)
	}
	result := swarm.Answer{Status: out.Status}
	for _, x := range out.Findings {
		result.Findings = append(result.Findings, swarm.Finding{File: x.File, Class: redact.Clip(x.Class, 80), Evidence: redact.Clip(x.Quote, 400)})
	}
	return result, nil
}

// diff writes the changed lines of every file, bounded per file and as a whole.
func diff(c *judge.Case) string {
	var all strings.Builder
	for _, f := range c.Change.Files {
		if f.Binary {
			fmt.Fprintf(&all, "== %s (binary)\n", f.Path)
			continue
		}
		var b strings.Builder
		for _, l := range f.Removed {
			b.WriteString("-" + l.Text + "\n")
		}
		for _, l := range f.Added {
			b.WriteString("+" + l.Text + "\n")
		}
		text, _ := fence.Middle(b.String(), maxFile)
		fmt.Fprintf(&all, "== %s\n%s", f.Path, text)
	}
	text, _ := fence.Middle(all.String(), maxDiff)
	return redact.String(text)
}
