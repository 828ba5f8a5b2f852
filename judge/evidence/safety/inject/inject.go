// Package inject finds values of a caller that end up, within one function, in a query, in a command line of a shell, in
// something that is run or brought to life, or in the name of a file.
//
// It owns no table. It looks at added lines outside of tests only, and at what package flow follows.
package inject

import (
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/evidence/safety/flow"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "sql-injection", Axis: verdict.Security, Class: verdict.Hard,
			What: "a query is put together from a parameter", Why: "whoever chooses the parameter writes the query",
			Question: "Is this value attacker-controlled in any caller shown?",
			Find:     find(sql, "bind the value as a parameter of the query instead of writing it into the text"),
		},
		{
			ID: "command-injection", Axis: verdict.Security, Class: verdict.Hard,
			What: "a parameter becomes part of a shell's command line", Why: "whoever chooses the parameter runs commands",
			Question: "Is this value attacker-controlled in any caller shown?",
			Find:     find(command, "start the program itself with a list of arguments, without a shell"),
		},
		{
			ID: "unsafe-deserialize", Axis: verdict.Security, Class: verdict.Hard,
			What: "a parameter is evaluated, or turned into objects of any class", Why: "such data runs code of its author's choice",
			Question: "Is this value attacker-controlled in any caller shown?",
			Find:     find(revive, "read a format that holds data only (JSON, a safe loader, a schema)"),
		},
		{
			ID: "path-traversal", Axis: verdict.Security, Class: verdict.Soft,
			What: "a file is opened whose name a request chose", Why: "the name may lead out of the folder that is meant",
			Question: "Is this value attacker-controlled in any caller shown?",
			Find:     find(path, "take the last part of the name, or check that the cleaned path stays inside of the folder"),
		},
	}
}

// hit is one place where a value arrives.
type hit struct {
	tok  int // where the value is used
	line int // of it; 0 = that of tok
	from int // where the text, or the call, begins that it is built into
	what string
	soft bool
}

type finder func(r *flow.Region) []hit

// find makes a rule of a finder: hits on added lines, unless the function had as many of the same before.
func find(look finder, fix string) func(*change.Change, func(rule.Finding)) {
	return func(c *change.Change, report func(rule.Finding)) {
		for _, f := range c.Files {
			if f.After == nil || f.Lang == "" || f.IsTest() || f.Kind == layout.Generated || f.Kind == layout.Doc || len(f.Added) == 0 {
				continue
			}
			var old map[string]int
			for _, r := range regions(c, f.After) {
				if r.Test || !f.Touched(r.Line, r.End) {
					continue
				}
				for _, h := range look(r) {
					line := h.line
					if line == 0 {
						line = f.After.TokenLine(h.tok)
					}
					from := min(f.After.TokenLine(h.from), line)
					if !f.Touched(from, line) {
						continue
					}
					if old == nil {
						old = former(c, look)
					}
					if k := key(f.After, h); old[k] > 0 {
						old[k]--
						continue
					}
					out := rule.Finding{Path: f.Path, Line: line, Text: unit(r) + h.what, Evidence: f.After.Lines(line, line), Fix: fix, Unit: r.Name, After: clip(f.After.Lines(r.Line, r.End))}
					if h.soft {
						out.Class = verdict.Soft
					}
					report(out)
				}
			}
		}
	}
}

// regionsOf is the key of the regions of a file: the rules share them.
type regionsOf struct{ f *units.File }

func regions(c *change.Change, f *units.File) []*flow.Region {
	list, _ := c.Once(regionsOf{f}, func() any { return flow.Regions(f) }).([]*flow.Region)
	return list
}

// former counts the hits of the files before the change: what was there is not brought in, wherever it moved.
func former(c *change.Change, look finder) map[string]int {
	out := map[string]int{}
	for _, f := range c.Files {
		if f.Before == nil || f.Lang == "" || len(f.Removed) == 0 && f.OldPath == f.Path && len(f.Added) == 0 {
			continue
		}
		for _, r := range regions(c, f.Before) {
			for _, h := range look(r) {
				out[key(f.Before, h)]++
			}
		}
	}
	return out
}

// key is what stays the same of a hit when its function moves.
func key(f *units.File, h hit) string {
	lo, hi := min(h.from, h.tok), max(h.from, h.tok)
	return f.Norm(lo, min(hi+1, lo+60))
}

func unit(r *flow.Region) string {
	if r.Name == "" {
		return ""
	}
	return r.Name + ": "
}

func clip(s string) string { return s[:min(len(s), 4<<10)] }
