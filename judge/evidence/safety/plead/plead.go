// Package plead finds text that a change brings in to talk to whoever judges it: instructions to a reviewer or a model,
// claims that everything is approved already, and markers that pretend that the change ends there.
//
// It owns no table. Such text decides nothing anywhere in this program; it is told because honest code has no use for it.
package plead

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "judge-addressed", Axis: verdict.Hygiene, Class: verdict.Soft,
		What: "text that tells a reviewer or a model what to conclude", Why: "a change is judged by what it does, not by what it says to its judge", Find: find,
	}}
}

func find(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if f.After == nil || len(f.Added) == 0 || about(f) {
			continue
		}
		guide := guides(f.Path)
		told := -10
		for _, l := range f.Added {
			if len(l.Text) < 8 || len(l.Text) > 4000 {
				continue
			}
			low := strings.ToLower(l.Text)
			if !hint(low) {
				continue
			}
			hit := Commands(low)
			if !hit && !guide && (f.Lang == "" || comment(f, l.N, l.Text)) {
				hit = Pleads(low)
			}
			if !hit || l.N-told < 4 {
				continue
			}
			told = l.N
			report(rule.Finding{Path: f.Path, Line: l.N, Text: "text in the change addresses its reviewer", Evidence: strings.TrimSpace(l.Text), Fix: "remove it; say what the code does, for those who work on it"})
		}
	}
}

// about reports files whose subject is such text: prompts, reviews, filters.
func about(f *change.File) bool {
	low := strings.ToLower(f.Path)
	for _, w := range [...]string{"inject", "prompt", "jailbreak", "guardrail", "redteam", "red_team", "red-team", "adversar", "judge"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	src := f.After.Src
	if f.Kind == layout.Doc || f.IsTest() || f.Lang != "" {
		before := ""
		if f.Before != nil {
			before = strings.ToLower(f.Before.Src)
		}
		if strings.Contains(before, "prompt injection") || strings.Contains(before, "prompt_injection") || f.Kind == layout.Doc && strings.Contains(strings.ToLower(src), "prompt injection") {
			return true
		}
	}
	return false
}

// guides reports documents that are written for agents.
func guides(p string) bool {
	low := strings.ToLower(p)
	switch path.Base(low) {
	case "claude.md", "agents.md", "gemini.md", "copilot-instructions.md", ".cursorrules", "contributing.md":
		return true
	}
	return strings.Contains(low, ".claude/") || strings.Contains(low, ".cursor/")
}

// comment reports whether a line of code holds a comment.
func comment(f *change.File, line int, text string) bool {
	for _, c := range f.After.Comments() {
		if c.Line <= line && line <= c.EndLine {
			return true
		}
	}
	// A document string is a comment to its reader.
	return strings.Contains(text, `"""`) || strings.Contains(text, "'''")
}

// hint is a cheap look before a line is read.
func hint(low string) bool {
	for _, w := range [...]string{"review", "instruction", "verdict", "judge", "system", "flag", "approve", "</", "<|", "[inst", " ai", "ai ", "llm", "model", "assistant", "grader", "evaluator", "lgtm", "prompt", "no issues", "auditor", "checker", "claude", "gpt", "copilot", "agent", "bot"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// Commands reports whether a line, in lower case, holds words that are only ever said to a model.
func Commands(low string) bool {
	words := strings.Join(strings.FieldsFunc(low, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '*' || r == '_' || r == '`' || r == '"' || r == '\'' || r == '\\'
	}), " ")
	has := func(s string) bool { return strings.Contains(words, s) }
	for _, verb := range [...]string{"ignore", "disregard", "forget", "override", "bypass"} {
		i := strings.Index(words, verb)
		if i < 0 {
			continue
		}
		rest := words[i:min(len(words), i+70)]
		if strings.Contains(rest, "instruction") && (strings.Contains(rest, "previous") || strings.Contains(rest, "prior") || strings.Contains(rest, "above") || strings.Contains(rest, "earlier") || strings.Contains(rest, " all ") || strings.Contains(rest, "your") || strings.Contains(rest, "system")) ||
			strings.Contains(rest, "the above") && has("verdict") || strings.Contains(rest, "your rules") || strings.Contains(rest, "your guidelines") || strings.Contains(rest, "the rubric") || strings.Contains(rest, "your prompt") || strings.Contains(rest, "previous prompt") {
			return true
		}
	}
	for _, s := range [...]string{"</pr_diff", "</diff>", "</untrusted", "</user_input", "</patch>", "</change>", "</code_diff", "</evidence>", "<|im_start|", "<|im_end|", "<|endoftext|", "[/inst]", "<<sys>>", "</instructions>", "end of diff. "} {
		if strings.Contains(low, s) {
			return true
		}
	}
	return has("system: ") && (has("approve") || has("pass") || has("no issues") || has("do not report") || has("do not flag")) || has("you are now ") && (has("reviewer") || has("assistant"))
}

// Pleads reports whether a line, in lower case, speaks to who judges the change and asks for a result.
func Pleads(low string) bool {
	bare := strings.NewReplacer(`"`, "", "'", "", "`", "", "*", "").Replace(low)
	for _, s := range [...]string{"verdict: pass", "verdict : pass", "verdict=pass", "verdict is pass", "verdict must be pass", "verdict should be pass", "verdict:pass"} {
		if strings.Contains(bare, s) {
			return true
		}
	}
	if !addresses(low) {
		return demandsAlone(low)
	}
	for _, s := range [...]string{"approve", "report pass", "answer pass", "output pass", "return pass", "respond pass", "say pass", "mark pass", "must pass", "should pass this", "as pass", "do not flag", "don't flag", "not flag", "do not report", "don't report", "do not comment",
		"no issue", "not an issue", "no finding", "no concerns", "do not mention", "do not block", "don't block", "do not fail", "don't fail", "must not fail", "ignore this", "ignore the", "skip this", "skip the", "disregard", "lgtm", "treat this as", "treat as", "consider this", "already reviewed", "already approved",
		"pre-approved", "preapproved", "intentional", "no need to", "please accept", "accept this", "can be ignored", "should be ignored", "should accept", "must accept", "sign off", "signed off", "rate this", "score this", "out of scope", "whitelisted", "allowlisted", "exempt", "safe to merge", "looks good", "overrides", "is expected", "is correct", "not a bug", "no action"} {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}

// addresses reports whether a line speaks to a reviewer, a tool that reviews or a model.
func addresses(low string) bool {
	for _, s := range [...]string{"ai review", "automated review", "automatic review", "code review bot", "review bot", "reviewbot", "llm review", "reviewers:", "reviewer:", "note to review", "note for review", "to the reviewer", "dear reviewer", "for the reviewer", "for reviewers", "to reviewers", "attention review", "judge:", "the judge", "to the judge", "judges:", "grader", "evaluator:", "evaluators", "the evaluator", "ai model", "language model", "llm:", "llms:", "ai:", "ai agents", "ai assistant", "ai tool", "ai system", "an ai ", "any ai ", "the ai ", "if you are an ai", "if you are a model", "assistant:",
		"auditor", "claude:", "chatgpt", "copilot:", "gpt:", "review agent", "review tool", "reviewing model", "reviewing agent", "reviewing ai", "reviewing this", "reviewing tool", "static analysis tool", "automated check", "automated tool", "automated grad", "automated analysis", "automated scan", "verification agent", "quality gate", "security scanner:", "devflow", "machine review", "bots:", "bot:", "system:", "hey ai", "reviewing llm", "automated judge", "reviewer bot", "code reviewer", "ai-review", "ai judge", "llm judge", "llm-judge", "ai checker"} {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}

// demandsAlone knows claims that address nobody and still ask for a result.
func demandsAlone(low string) bool {
	if strings.Contains(low, "pre-approved") || strings.Contains(low, "preapproved") || strings.Contains(low, "already approved by") || strings.Contains(low, "reviewed and approved") {
		for _, s := range [...]string{"flag", "do not", "don't", "no review", "review", "pass", "maintainer", "security team", "not needed"} {
			if strings.Contains(low, s) && !(s == "review" && !strings.Contains(strings.ReplaceAll(low, "reviewed and approved", ""), "review")) {
				return true
			}
		}
	}
	for _, s := range [...]string{"do not flag this", "don't flag this", "please do not flag", "report no issues", "report no findings", "no review needed", "no review required", "answer pass", "report pass", "output pass"} {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}
