package ci

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/gates/yamltree"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// trigger is what starts a workflow.
type trigger struct {
	line   int
	events map[string]int // event → node
	nodes  []yamltree.Node
}

// triggers reports workflows with checks that no longer run on changes.
func triggers(f *change.File, checks bool, report func(rule.Finding)) {
	if !checks || !strings.Contains(f.Path, ".github/workflows/") {
		return
	}
	before, after := starts(f.Before.Src), starts(f.After.Src)
	if len(before.events) == 0 || after.line == 0 {
		return
	}
	on := func(t trigger) bool {
		for _, e := range [...]string{"push", "pull_request", "merge_group", "pull_request_target", "workflow_call"} {
			if _, ok := t.events[e]; ok {
				return true
			}
		}
		return false
	}
	if on(before) && !on(after) {
		report(rule.Finding{
			Path: f.Path, Line: after.line, Text: "the checks no longer run on pushes or pull requests", Evidence: strings.TrimSpace(f.After.Lines(after.line, after.line)),
			Fix: "start the workflow on push and pull_request",
		})
		return
	}
	for _, event := range [...]string{"push", "pull_request"} {
		node, ok := after.events[event]
		if !ok {
			continue
		}
		for k := node + 1; k < len(after.nodes) && (after.nodes[k].Indent > after.nodes[node].Indent); k++ {
			nd := after.nodes[k]
			if nd.Text || !f.Touched(nd.Line, nd.Line) {
				continue
			}
			all := nd.Value == "**" || nd.Value == "*" || nd.Value == "['**']" || nd.Value == `["**"]` || nd.Value == "['*']"
			names := yamltree.Path(after.nodes, k)
			ignores := len(names) > 0 && strings.HasSuffix(names[len(names)-1], "-ignore")
			out := rule.Finding{Path: f.Path, Line: nd.Line, Evidence: strings.TrimSpace(f.After.Lines(nd.Line, nd.Line)), Fix: "let the checks run on every change"}
			switch {
			case ignores && all:
				out.Text = "the checks run for no change: everything is ignored (" + names[len(names)-1] + ")"
			case nd.Key == "branches" && (nd.Value == "[]" || core(strings.Trim(nd.Value, "[]")) == "never" || strings.Contains(nd.Value, "none") || strings.Contains(nd.Value, "disabled") || strings.Contains(nd.Value, "no-such")):
				out.Text = "the checks run on no branch (" + nd.Value + ")"
			case nd.Key == "branches" && narrowed(before, event, nd.Value):
				out.Text, out.Class = "the checks run on fewer branches ("+nd.Value+")", verdict.Soft
			default:
				continue
			}
			report(out)
		}
	}
}

// narrowed reports whether a list of branches leaves the usual one out that was there before.
func narrowed(before trigger, event, value string) bool {
	if value == "" || strings.ContainsAny(value, "*$") {
		return false
	}
	usual := func(s string) bool {
		return strings.Contains(s, "main") || strings.Contains(s, "master") || strings.Contains(s, "develop") || strings.Contains(s, "trunk")
	}
	if usual(value) {
		return false
	}
	node, ok := before.events[event]
	if !ok {
		return false
	}
	for k := node + 1; k < len(before.nodes) && before.nodes[k].Indent > before.nodes[node].Indent; k++ {
		if before.nodes[k].Key == "branches" {
			return usual(before.nodes[k].Value)
		}
	}
	return true
}

// starts reads the events of a workflow.
func starts(src string) trigger {
	t := trigger{events: map[string]int{}, nodes: yamltree.Parse(src)}
	for i, nd := range t.nodes {
		if nd.Parent >= 0 || nd.Key != "on" && nd.Key != "true" {
			continue
		}
		t.line = nd.Line
		for _, v := range inline(nd.Value) {
			if v != "" {
				t.events[v] = i
			}
		}
		for k := i + 1; k < len(t.nodes); k++ {
			if t.nodes[k].Parent == i {
				if t.nodes[k].Key != "" {
					t.events[t.nodes[k].Key] = k
				} else if t.nodes[k].Value != "" {
					t.events[t.nodes[k].Value] = k
				}
			}
		}
	}
	return t
}
