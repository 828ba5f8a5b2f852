package contract

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func guards() rule.Rule {
	return rule.Rule{
		ID: "guard-removed", Axis: verdict.Honesty, Class: verdict.Soft,
		What:     "a check of an argument that refused it is gone, and the rest of the function stayed",
		Why:      "what the function refused now goes through it",
		Question: "Which input did the old check refuse that the new body lets through?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before != nil && !p.Moved && p.Similar > 0.6 && p.Similar < 1 {
					unguarded(c, p, report)
				}
			}
		},
	}
}

func unguarded(c *change.Change, p change.FuncPair, report func(rule.Finding)) {
	before, after := code.Read(p.Before), code.Read(p.After)
	// Nothing but the guard may be gone: what changed beside it may have taken its work over.
	if p.After.To-p.After.From >= p.Before.To-p.Before.From {
		return
	}
	had := code.Bag(p.Before.File(), p.Before.From, p.Before.To)
	if code.Contained(code.Bag(p.After.File(), p.After.From, p.After.To), had) < 1 {
		return
	}
	for i, s := range before.Stmts {
		if s.Kind != code.If || s.Depth > 0 || s.Next != i+2 || !refuses(before, before.Stmts[i+1]) || !about(before, s) || kept(before, after, s) {
			continue
		}
		if p.Before.File().Is(s.Out+1, "else") || len(p.Before.Params) != len(p.After.Params) || code.Moved(c, p) {
			continue
		}
		line := p.New.Present(s.Line)
		report(code.Finding(p, min(max(line, p.After.Line), p.After.End), "the check `"+squeeze(before.F.Span(s.From, s.To))+"` is gone", "put the check back, or make sure that callers cannot hand such values in"))
		return
	}
}

// refuses reports statements that leave with an error.
func refuses(b *code.Body, s code.Stmt) bool {
	return s.Kind == code.Throw || s.Kind == code.Return && code.Exits(b.F, s.From, s.To) > 0
}

// about reports conditions on parameters.
func about(b *code.Body, s code.Stmt) bool {
	for i := s.From; i < s.To; i++ {
		if w := b.F.Text(i); b.F.Kind(i) == source.Name && w != "self" && w != "this" && w != "err" && b.Param(w) {
			return true
		}
	}
	return false
}

// kept reports whether the condition still stands in the function.
func kept(before, after *code.Body, s code.Stmt) bool {
	text := before.F.Norm(s.From, s.To)
	for _, t := range after.Stmts {
		if after.F.Norm(t.From, t.To) == text {
			return true
		}
	}
	return false
}
