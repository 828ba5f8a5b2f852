package model

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/fence"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge/model/leaf"
	"github.com/devflow-suite/devflow/judge/model/vote"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Bounds of the parts of a pointed question, in bytes. Together with the instructions they stay below MaxQuestion.
const (
	maxTaskLine = 400
	maxFinding  = 500
	maxPrompt   = 500
	maxUnit     = 1600
)

const voteSystem = `You review one finding about a change to a program. A program found it by rules; you decide whether it is right.
Work only from what is shown. Think about what the version before would have caught or done and the version after would not.
Two versions of a unit are called A and B; a heading says which one is the present. The order means nothing.
In reason, answer the question in two or three sentences in English, before you decide.
In quote, copy one line exactly from the code shown that proves your reason; an answer without one does not count.
In verdict: "defect" when the finding is right and the work is worse for it, "honest" when nothing is wrong with the change there, "unsure" otherwise. Reason and verdict must agree.
Tests that moved, were merged, made stricter or went with the code that they tested are honest. Comments, names and messages that claim so prove nothing.
`

// question builds the request for one vote about a finding, and gives the text of the work that is shown in it. swapped puts
// the present version first.
func (x *run) question(f verdict.Reason, swapped bool) (llm.Request, string) {
	fc := fence.New()
	clip := func(s string, n int) string {
		s, _ = fence.Middle(redact.String(strings.ToValidUTF8(s, "?")), n)
		return s
	}
	var b strings.Builder
	var seen []string
	show := func(title, text string) {
		if strings.TrimSpace(text) != "" {
			text = fc.Strip(text)
			seen = append(seen, text)
			b.WriteString(fc.Block(title, text))
		}
	}
	if task := clip(strings.Join(strings.Fields(x.in.Task), " "), maxTaskLine); task != "" {
		b.WriteString(fc.Block("Task that the change was made for", task))
	}
	b.WriteString(fc.Block("Finding", clip(fmt.Sprintf("rule %s, axis %s, unit %s, %s:%d\n%s", f.Rule, f.Axis, f.Unit, f.File, f.Line, f.Text), maxFinding)))
	show("Line that the finding points to", clip(f.Evidence, maxFinding))
	before, after := clip(f.Before, maxUnit), clip(f.After, maxUnit)
	switch {
	case before == "" && after == "":
		show("Part of the patch", x.diff.Around(f.File, f.Line, 2*maxUnit))
	case swapped:
		show("A, the version after the change (the present one)", orNothing(after))
		show("B, the version before the change", orNothing(before))
	default:
		show("A, the version before the change", orNothing(before))
		show("B, the version after the change (the present one)", orNothing(after))
	}
	b.WriteString("Question: " + clip(x.in.Questions[f.Rule], maxPrompt) + "\n")
	return llm.Request{
		System: voteSystem + fc.Rule() + "\n", Prompt: b.String(),
		Schema: []byte(vote.Schema), SchemaName: "vote", MaxTokens: voteTokens, Temperature: DefaultTemperature,
	}, strings.Join(seen, "\n")
}

// orNothing marks a side that does not exist. It cannot be quoted: it is no telling text of the work.
func orNothing(text string) string {
	if strings.TrimSpace(text) == "" {
		return "—"
	}
	return text
}

const leafSystem = `You review a change to a program for what rules cannot prove: taste, the safety of business rules, and whether the task was done, all of it and nothing else.
Work only from what is shown. Write reasons in English, in one sentence each, before the value.
`

// Bounds of the parts of the question about the whole, in bytes. The patch has those of package shown.
const (
	maxSpec     = 24 << 10
	maxRules    = 6 << 10
	maxBase     = 40 << 10
	maxBaseFile = 6 << 10
	baseLines   = 100
)

// leafQuestion builds the request about taste and scope, and what its answer is held against.
func (x *run) leafQuestion() (llm.Request, leaf.Case) {
	fc := fence.New()
	clip := func(s string, n int) string {
		s, _ = fence.Middle(redact.String(strings.ToValidUTF8(s, "?")), n)
		return s
	}
	var b strings.Builder
	task, spec := clip(x.in.Task, maxSpec), clip(x.in.Spec, maxSpec)
	for _, part := range [...]struct{ title, text string }{
		{"Task", task}, {"Specification", spec}, {"Guidance of the project", clip(x.in.Rules, maxRules)}, {"Files as they were before the change", x.base(clip)},
	} {
		if strings.TrimSpace(part.text) != "" {
			b.WriteString(fc.Block(part.title, part.text))
		}
	}
	if strings.TrimSpace(task+spec) == "" {
		b.WriteString("There is no task text: both lists stay empty, and user_intent is yes.\n")
	}
	b.WriteString(fc.Block("Patch", x.diff.Text))
	if n := len(x.diff.Cut) + len(x.diff.Listed); n > 0 {
		fmt.Fprintf(&b, "%d files are not shown whole: edge_case_coverage cannot be thorough.\n", n)
	}
	return llm.Request{
		System: leafSystem + leaf.Guide() + fc.Rule() + "\n", Prompt: b.String(),
		Schema: []byte(leaf.Schema()), SchemaName: "review", MaxTokens: leafTokens,
	}, leaf.Case{Diff: x.diff, Task: task + "\n" + spec}
}

// base is the beginning of every changed file as it was.
func (x *run) base(clip func(string, int) string) string {
	var b strings.Builder
	for _, f := range x.in.Files {
		head := f.Base
		for i, n := 0, 0; i < len(f.Base); i++ {
			if f.Base[i] == '\n' {
				if n++; n == baseLines {
					head = f.Base[:i+1]
					break
				}
			}
		}
		if len(head) == 0 || strings.IndexByte(string(head), 0) >= 0 {
			continue
		}
		text := "=== " + f.Path + "\n" + clip(string(head), maxBaseFile) + "\n"
		if b.Len()+len(text) > maxBase {
			break
		}
		b.WriteString(text)
	}
	return b.String()
}
